//! Two texts compared: line by line, and as a list of members that changed.

use gatewright_model::diff::{Change, ChangeKind};
use gatewright_model::lines::{LineKind, comparable, line_diff};
use leptos::prelude::*;

use super::{each, live, maybe, only};
use crate::state::draft::plural;
use crate::state::hunks::{Hunk, Line, counts, hunks};

/// Values longer than this are cut in the list of changes; the line comparison shows them in full.
const SHOWN_CHARACTERS: usize = 160;

/// A line-by-line comparison, with unchanged stretches collapsed.
#[component]
pub fn LineDiff(
    /// The text before.
    before: String,
    /// The text after.
    after: String,
    /// What is compared, for screen readers.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    let hunks = {
        let [before, after] = comparable(&before, &after);
        hunks(line_diff(&before, &after))
    };
    let (added, removed) = counts(&hunks);
    if added == 0 && removed == 0 && before != after {
        return view! { <p class="muted diff-none">"Only the formatting differs."</p> }.into_any();
    }
    if added == 0 && removed == 0 {
        return view! { <p class="muted diff-none">"The two texts are the same."</p> }.into_any();
    }
    let summary = format!(
        "{}, {}",
        plural(added, "added line"),
        plural(removed, "removed line")
    );
    view! {
        <figure class="diff">
            <figcaption class="diff-caption">
                <span>{label.clone()}</span>
                <span class="diff-count">
                    <span class="visually-hidden">{summary}</span>
                    <span class="plus" aria-hidden="true">{format!("+{added}")}</span>
                    <span class="minus" aria-hidden="true">{format!("−{removed}")}</span>
                </span>
            </figcaption>
            <div class="diff-scroll" tabindex="0" role="group" aria-label=label>
                <table class="diff-lines">
                    {each(hunks, |hunk| view! { <HunkRows hunk=hunk /> }.into_any())}
                </table>
            </div>
        </figure>
    }
    .into_any()
}

#[component]
fn HunkRows(hunk: Hunk) -> impl IntoView {
    let folded = RwSignal::new(hunk.folded);
    let count = hunk.lines.len();
    let lines = StoredValue::new(hunk.lines);
    view! {
        <tbody>
            {live(move || {
                if folded.get() {
                    view! {
                        <tr class="diff-fold">
                            <td colspan="4">
                                <button type="button" on:click=move |_| folded.set(false)>
                                    {format!("Show {count} unchanged lines")}
                                </button>
                            </td>
                        </tr>
                    }
                        .into_any()
                } else {
                    each(lines.get_value(), line_row).into_any()
                }
            })}
        </tbody>
    }
}

fn line_row(line: Line) -> AnyView {
    let (class, mark, spoken) = match line.kind {
        LineKind::Same => ("", "", ""),
        LineKind::Added => ("diff-added", "+", "added: "),
        LineKind::Removed => ("diff-removed", "−", "removed: "),
    };
    let number =
        |number: Option<usize>| number.map(|number| number.to_string()).unwrap_or_default();
    view! {
        <tr class=class>
            <td class="diff-number">{number(line.before)}</td>
            <td class="diff-number">{number(line.after)}</td>
            <td class="diff-mark">
                <span aria-hidden="true">{mark}</span>
                <span class="visually-hidden">{spoken}</span>
            </td>
            <td class="diff-text">{marked_words(line)}</td>
        </tr>
    }
    .into_any()
}

/// A line, with the words marked that the other side lacks.
fn marked_words(line: Line) -> AnyView {
    if line.words.is_empty() {
        return line.text.into_any();
    }
    let added = line.kind == LineKind::Added;
    let stretch = move |(differs, text): (bool, String)| match (differs, added) {
        (false, _) => text.into_any(),
        (true, true) => view! { <ins>{text}</ins> }.into_any(),
        (true, false) => view! { <del>{text}</del> }.into_any(),
    };
    each(line.words, stretch).into_any()
}

/// The members that changed, with their values before and after.
#[component]
pub fn ChangeList(
    /// The changes.
    changes: Vec<Change>,
) -> impl IntoView {
    let row = |change: Change| {
        let (class, word) = match change.kind {
            ChangeKind::Added => ("badge badge-plain badge-added", "Added"),
            ChangeKind::Removed => ("badge badge-plain badge-deleted", "Removed"),
            ChangeKind::Changed => ("badge badge-plain badge-modified", "Changed"),
        };
        let pointer = if change.pointer.is_empty() {
            "whole document".to_owned()
        } else {
            change.pointer.clone()
        };
        view! {
            <li class="change">
                <span class=class>{word}</span>
                <code class="change-pointer">{pointer}</code>
                <span class="change-values">
                    {maybe(change.before, |value| view! { <del>{shorten(&value)}</del> }.into_any())}
                    {maybe(change.after, |value| view! { <ins>{shorten(&value)}</ins> }.into_any())}
                </span>
            </li>
        }
        .into_any()
    };
    view! { <ul class="changes">{each(changes, row)}</ul> }
}

fn shorten(value: &str) -> String {
    let mut characters = value.chars();
    let head: String = characters.by_ref().take(SHOWN_CHARACTERS).collect();
    if characters.next().is_some() {
        format!("{head}…")
    } else {
        head
    }
}

/// The change of a document: its members that change, and the texts line by line.
#[component]
pub fn Difference(
    /// What changes.
    changes: Vec<Change>,
    /// The stored text.
    before: String,
    /// The text to be stored.
    after: String,
) -> impl IntoView {
    let count = plural(changes.len(), "change");
    view! {
        {only(!changes.is_empty(), || {
            view! {
                <section aria-label="Members that change">
                    <h3>{count}</h3>
                    <ChangeList changes=changes />
                </section>
            }
            .into_any()
        })}
        <LineDiff before=before after=after label="Line by line" />
    }
}

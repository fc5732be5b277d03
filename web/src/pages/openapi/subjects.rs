//! A list of what rules apply to, each with switches for the most common rules.

use gatewright_model::json::{LineIndex, parse};
use leptos::prelude::*;

use crate::components::{JumpTarget, SearchField, Shown, each, keyed, live, maybe, only};
use crate::pages::documents::Desk;
use crate::state::Memo;
use crate::state::rules::{Offered, Subject, switched, with_rate};
use crate::state::sought::Sought;

/// How many are shown at once: a long document would need many thousands of switches.
const AT_ONCE: usize = 50;

/// A search is offered above this number.
const FEW: usize = 8;

/// The kind of list.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// The rules that have a switch.
    pub(super) offered: &'static [Offered],
    /// The noun in the plural.
    pub(super) several: &'static str,
    /// What the search covers.
    pub(super) search: &'static str,
}

/// The list, with a search if it is long.
#[component]
pub(super) fn Subjects(desk: Desk, kind: Kind, all: Memo<Vec<Subject>>) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let show_all = RwSignal::new(false);
    let found = Memo::new(move |_| {
        let sought = typed.with(|typed| Sought::of(typed));
        let pointer = |subject: &Subject| subject.pointer.clone();
        all.with(|all| {
            all.iter()
                .filter(|subject| subject.answers(&sought))
                .map(pointer)
                .collect::<Vec<_>>()
        })
    });
    let keys = move || {
        let limit = if show_all.get() { usize::MAX } else { AT_ONCE };
        found.with(|found| found.iter().take(limit).cloned().collect())
    };
    let row = move |pointer: String| {
        view! { <Row desk=desk kind=kind all=all pointer=pointer /> }.into_any()
    };
    let search = Callback::new(move |text| typed.set(text));
    view! {
        <Shown when=move || all.with(|all| all.len() > FEW)>
            <SearchField label=format!("Search {}", kind.several) placeholder=kind.search value=typed on_input=search />
        </Shown>
        <ul class="subjects">{keyed(keys, row)}</ul>
        {live(move || only(found.with(Vec::is_empty) && !typed.with(String::is_empty), || view! { <p class="muted">"Nothing matches."</p> }.into_any()))}
        <Shown when=move || found.with(|found| found.len() > AT_ONCE) && !show_all.get()>
            <button type="button" class="btn btn-small" on:click=move |_| show_all.set(true)>
                {live(move || format!("Show all {}", found.with(Vec::len)))}
            </button>
        </Shown>
    }
}

/// Jumps to a position of the document in its editor.
fn show(desk: Desk, pointer: &str) {
    let text = untrack(|| desk.text());
    let Ok(document) = parse(&text) else { return };
    let start = document.nearest(pointer).span.start;
    desk.goto.set(Some(JumpTarget {
        position: LineIndex::new(&text).position(start),
        pointer: pointer.to_owned(),
    }));
}

#[component]
fn Row(desk: Desk, kind: Kind, all: Memo<Vec<Subject>>, pointer: String) -> impl IntoView {
    // It is removed with its key, so one that isn't found is about to be removed.
    let subject = Memo::new(move |_| {
        all.with(|all| {
            all.iter()
                .find(|subject| subject.pointer == pointer)
                .cloned()
        })
        .unwrap_or_default()
    });
    let Subject {
        kind: word,
        name,
        described_at,
        ..
    } = subject.get_untracked();
    let method = format!("subject-kind kind-{}", word.to_ascii_lowercase());
    let label = format!("Rules of {word} {name}");
    let heading = match described_at.as_str() {
        "" => view! { <code class="subject-name">{name}</code> }.into_any(),
        _ => view! {
            <button type="button" class="subject-name link" title="Show it in the document" on:click=move |_| show(desk, &subject.with_untracked(|subject| subject.described_at.clone()))>
                <code>{name}</code>
            </button>
        }
        .into_any(),
    };
    let others = move || {
        let others = subject.with(|subject| subject.others(kind.offered));
        each(others, |other| {
            view! { <span class="badge badge-plain">{other}</span> }.into_any()
        })
    };
    view! {
        <li class="subject">
            <span class=method>{word}</span>
            <span class="subject-what">
                {heading}
                <span class="muted small block">{live(move || subject.with(|subject| subject.detail.clone()))}</span>
            </span>
            <span class="subject-rules" role="group" aria-label=label>
                {each(kind.offered, |rule| view! { <Toggle desk=desk subject=subject rule=*rule /> }.into_any())}
                <Rate desk=desk subject=subject />
                {live(others)}
            </span>
        </li>
    }
}

/// Applies an edit to the text, or reports why it can't be applied.
fn write(desk: Desk, edited: Result<String, gatewright_model::json::edit::EditError>) {
    match edited {
        Ok(text) => desk.type_text(text),
        Err(error) => desk.console.toasts.bad(error.to_string()),
    }
}

/// A switch for a rule.
#[component]
fn Toggle(desk: Desk, subject: Memo<Subject>, rule: Offered) -> impl IntoView {
    let (name, word, means) = rule;
    let on = Memo::new(move |_| subject.with(|subject| subject.has(name)));
    let press = move |_| {
        let text = untrack(|| desk.text());
        let edited =
            subject.with_untracked(|subject| switched(&text, subject, name, !on.get_untracked()));
        write(desk, edited);
    };
    view! {
        <button type="button" class="toggle" role="switch" aria-checked=move || on.get().to_string() title=means on:click=press>
            {word}
        </button>
    }
}

/// The rate limit, if there is one.
#[component]
fn Rate(desk: Desk, subject: Memo<Subject>) -> impl IntoView {
    let limited = Memo::new(move |_| subject.with(|subject| subject.rate().is_some()));
    let rate = move || subject.with(Subject::rate).unwrap_or_default();
    let change = move |rate: i64, per: &str| {
        let text = untrack(|| desk.text());
        write(
            desk,
            subject.with_untracked(|subject| with_rate(&text, subject, rate, per)),
        );
    };
    let typed_rate = move |event| {
        if let Ok(typed) = event_target_value(&event).trim().parse() {
            change(typed, &untrack(rate).1);
        }
    };
    let typed_per = move |event| change(untrack(rate).0, event_target_value(&event).trim());
    live(move || {
        maybe(limited.get().then_some(()), |()| {
            view! {
                <span class="subject-rate">
                    <input type="number" class="input" min="1" aria-label="Requests" prop:value=move || rate().0.to_string() on:change=typed_rate />
                    "per"
                    <input type="text" class="input" aria-label="Time, such as 1m or 10s" spellcheck="false" prop:value=move || rate().1 on:change=typed_per />
                </span>
            }
            .into_any()
        })
    })
}

//! What was imported and what was not, grouped by message, with the positions in the document.

use gatewright_model::Position;
use leptos::prelude::*;

use super::importer::Importer;
use crate::components::{Glyph, Icon, each, live, only};
use crate::state::import::{Group, grouped};

/// Positions shown per group until all are requested.
const SHOWN: usize = 6;

/// The card.
#[component]
pub(super) fn Report(importer: Importer) -> impl IntoView {
    let groups = move |taken| importer.with_made(|made| grouped(&made.report, taken));
    let part = move |taken: bool| {
        let groups = groups(taken);
        let count: usize = groups.iter().map(|group| group.about.len()).sum();
        let (title, glyph, class) = if taken {
            ("Imported", Glyph::Check, "report-part report-taken")
        } else {
            ("Not imported", Glyph::Warning, "report-part report-left")
        };
        only(count > 0, || {
            view! {
                <section class=class aria-label=title>
                    <h3><Icon glyph=glyph />{title}" "<span class="muted number">{count}</span></h3>
                    <ul class="report">{each(groups, |group| view! { <Entry importer=importer group=group /> }.into_any())}</ul>
                </section>
            }
            .into_any()
        })
    };
    view! {
        <section class="card panel" aria-labelledby="report-title">
            <h2 id="report-title">"Report"</h2>
            {live(move || part(false))}
            {live(move || part(true))}
        </section>
    }
}

/// One message, and the pointers it is about.
#[component]
fn Entry(importer: Importer, group: Group) -> impl IntoView {
    let all = RwSignal::new(group.about.len() <= SHOWN);
    let hidden = group.about.len().saturating_sub(SHOWN);
    let about = StoredValue::new(group.about);
    let row = move |(pointer, position): (String, Position)| {
        let shown = if pointer.is_empty() {
            "whole document".to_owned()
        } else {
            pointer
        };
        view! {
            <li>
                <button type="button" class="report-place" title=format!("Line {}", position.line) on:click=move |_| importer.goto.set(Some(position))>
                    <code>{shown}</code>
                </button>
            </li>
        }
        .into_any()
    };
    let rows = move || {
        let count = if all.get() { usize::MAX } else { SHOWN };
        each(about.get_value().into_iter().take(count), row)
    };
    view! {
        <li class="report-entry">
            <p>{sentence(&group.message)}</p>
            <ul class="report-places">{live(rows)}</ul>
            {live(move || only(!all.get(), || view! {
                <button type="button" class="btn btn-small btn-quiet" on:click=move |_| all.set(true)>{format!("Show {hidden} more")}</button>
            }.into_any()))}
        </li>
    }
}

/// Capitalises the first letter of a message.
fn sentence(message: &str) -> String {
    let mut characters = message.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

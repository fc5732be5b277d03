//! The operations of all versions, compared with those of one.

use std::sync::Arc;

use leptos::prelude::*;

use super::Desk;
use super::found::Found;
use crate::components::{LineDiff, SearchField, Shown, each, live, maybe, only};
use crate::state::draft::plural;
use crate::state::pretty::pretty;
use crate::state::sought::Sought;
use crate::state::versions::{Comparison, Part, Row, Table, compare, difference};
use crate::state::{Memo, effect};

/// How many are shown at once.
const AT_ONCE: usize = 100;

/// The state of the table.
#[derive(Clone, Copy)]
struct View {
    desk: Desk,
    table: Memo<Table>,
    typed: RwSignal<String>,
    /// Whether only differences are shown.
    only: RwSignal<bool>,
    show_all: RwSignal<bool>,
    /// The operation whose difference is shown, and its version.
    open: RwSignal<Option<(String, usize)>>,
}

/// The comparison.
#[component]
pub(super) fn Operations(desk: Desk) -> impl IntoView {
    let table = Memo::new(move |_| {
        let with = desk.with.get();
        desk.good().map_or_else(Table::default, |found| {
            let texts: Vec<_> = found
                .members
                .iter()
                .map(|member| member.document())
                .collect();
            compare(&texts, with)
        })
    });
    let view = View {
        desk,
        table,
        typed: RwSignal::new(String::new()),
        only: RwSignal::new(true),
        show_all: RwSignal::new(false),
        open: RwSignal::new(None),
    };
    // The open difference was one from another version.
    effect(move || {
        desk.with.track();
        view.open.set(None);
    });
    let search = Callback::new(move |text| view.typed.set(text));
    let rows = Memo::new(move |_| view.rows());
    let nothing = move || match table.with(|table| table.rows.is_empty()) {
        true => "No version is a document with operations.",
        false if view.typed.with(String::is_empty) => "No operation differs.",
        false => "Nothing matches.",
    };
    view! {
        <section class="offered-part" aria-labelledby="operations-title">
            <h2 id="operations-title">"Operations"</h2>
            <p class="muted small">
                "This compares what a document says of an operation, the gateway's rules for it, and the components that it uses."
            </p>
            <div class="across-tools">
                <SearchField label="Search operations" placeholder="Method, path or summary" value=view.typed on_input=search />
                <Basis desk=desk />
                <label class="check">
                    <input type="checkbox" role="switch" prop:checked=view.only on:change=move |event| view.only.set(event_target_checked(&event)) />
                    "Only what differs"
                </label>
            </div>
            <Shown
                when=move || rows.with(|rows| !rows.is_empty())
                fallback=move || view! { <p class="muted" role="status">{live(nothing)}</p> }
            >
                <Rows view=view rows=rows />
            </Shown>
        </section>
    }
}

/// Chooses the version that others are compared with.
#[component]
fn Basis(desk: Desk) -> impl IntoView {
    let option = move |(at, name): (usize, String)| {
        let selected = desk.with.get_untracked() == at;
        view! { <option value=at.to_string() selected=selected>{name}</option> }.into_any()
    };
    let options = move || {
        let found = desk.good();
        let members = found
            .iter()
            .flat_map(|found| found.members.iter().enumerate());
        let known = members.filter(|(_, member)| member.document().is_some());
        each(
            known.map(|(at, member)| (at, member.called().to_owned())),
            option,
        )
    };
    let choose = move |event| {
        if let Ok(at) = event_target_value(&event).parse() {
            desk.with.set(at);
        }
    };
    view! {
        <label class="across-basis">
            <span>"Compared with"</span>
            <select class="input" on:change=choose>{live(options)}</select>
        </label>
    }
}

impl View {
    fn rows(self) -> Vec<Row> {
        let sought = self.typed.with(|typed| Sought::of(typed));
        let only = self.only.get();
        let shown = |row: &&Row| (!only || row.differs()) && row.answers(&sought);
        self.table
            .with(|table| table.rows.iter().filter(shown).cloned().collect())
    }
}

#[component]
fn Rows(view: View, rows: Memo<Vec<Row>>) -> impl IntoView {
    let head = move || {
        let found = view.desk.good();
        let names = found
            .iter()
            .flat_map(|found| found.members.iter().enumerate());
        let names = names.map(|(at, member)| (at, member.called().to_owned()));
        each(names, |(at, name)| column(view, at, name))
    };
    let body = move || {
        let limit = if view.show_all.get() {
            usize::MAX
        } else {
            AT_ONCE
        };
        let shown: Vec<Row> = rows.with(|rows| rows.iter().take(limit).cloned().collect());
        each(shown, |row| {
            view! { <Operation view=view row=row /> }.into_any()
        })
    };
    view! {
        <div class="card across" tabindex="0" role="region" aria-labelledby="operations-title">
            <table class="across-table across-operations">
                <caption class="visually-hidden">"Operations of the versions"</caption>
                <thead>
                    <tr>
                        <th scope="col">{live(move || plural(rows.with(Vec::len), "operation"))}</th>
                        {live(head)}
                    </tr>
                </thead>
                {live(body)}
            </table>
        </div>
        <Shown when=move || rows.with(|rows| rows.len() > AT_ONCE) && !view.show_all.get()>
            <button type="button" class="btn btn-small" on:click=move |_| view.show_all.set(true)>
                {live(move || format!("Show all {}", rows.with(Vec::len)))}
            </button>
        </Shown>
    }
}

/// The heading of a version: its name, its number of operations, and how many differ.
fn column(view: View, at: usize, name: String) -> AnyView {
    let summary = move || {
        let with = view.desk.with.get();
        view.table.with(|table| {
            let count = table.counts.get(at)?;
            let operations = count.operations();
            Some(match count.operations.is_none() || at == with {
                true => operations,
                false => format!("{operations}: {}", count.summary()),
            })
        })
    };
    view! {
        <th scope="col">
            {name}
            <span class="muted block">{live(move || summary().unwrap_or_default())}</span>
        </th>
    }
    .into_any()
}

#[component]
fn Operation(view: View, row: Row) -> impl IntoView {
    let key = StoredValue::new(format!("{} {}", row.method, row.path));
    let width = row.cells.len().saturating_add(1);
    let method = format!("subject-kind kind-{}", row.method.to_ascii_lowercase());
    let shown = StoredValue::new((row.method.clone(), row.path.clone()));
    let opened = Memo::new(move |_| {
        let open = view.open.get();
        open.filter(|(open, _)| key.with_value(|key| key == open))
            .map(|(_, at)| at)
    });
    let cell = |(at, comparison): (usize, Comparison)| {
        view! { <td>{comparison_view(view, key, at, comparison, opened)}</td> }.into_any()
    };
    let difference = move |at: usize| {
        view! {
            <tr class="across-open">
                <td colspan=width.to_string()>
                    {shown.with_value(|(method, path)| parts(view.desk, method, path, at))}
                </td>
            </tr>
        }
        .into_any()
    };
    view! {
        <tbody>
            <tr>
                <th scope="row">
                    <span class=method>{row.method}</span>
                    " "
                    <code>{row.path}</code>
                    {only(!row.summary.is_empty(), || view! { <span class="muted small block">{row.summary}</span> }.into_any())}
                </th>
                {each(row.cells.into_iter().enumerate(), cell)}
            </tr>
            {live(move || maybe(opened.get(), difference))}
        </tbody>
    }
}

/// The state of an operation in a version; a button shows the difference.
fn comparison_view(
    view: View,
    key: StoredValue<String>,
    at: usize,
    comparison: Comparison,
    opened: Memo<Option<usize>>,
) -> AnyView {
    let (class, word) = match comparison {
        Comparison::Unknown => ("muted", "Not known"),
        Comparison::Absent => ("muted", "Absent"),
        Comparison::Here => ("muted", "Present"),
        Comparison::Same => ("muted", "Same"),
        Comparison::Changed => ("badge badge-plain badge-modified", "Changed"),
        Comparison::Added => ("badge badge-plain badge-added", "Added"),
        Comparison::Removed => ("badge badge-plain badge-deleted", "Removed"),
    };
    if !comparison.differs() {
        return view! { <span class=class>{word}</span> }.into_any();
    }
    let press = move |_| {
        let own = (key.get_value(), at);
        view.open.update(|open| {
            *open = match open.as_ref() == Some(&own) {
                true => None,
                false => Some(own),
            };
        });
    };
    view! {
        <button type="button" class="across-differs" aria-expanded=move || (opened.get() == Some(at)).to_string() on:click=press>
            <span class=class>{word}</span>
        </button>
    }
    .into_any()
}

/// The differences of a version's operation.
fn parts(desk: Desk, method: &str, path: &str, at: usize) -> AnyView {
    let with = desk.with.get_untracked();
    let found = untrack(|| desk.good());
    let Some((before, after)) = found.and_then(|found| pair(&found, with, at)) else {
        return ().into_any();
    };
    let title = format!("{method} {path}: {} and {}", before.0, after.0);
    let parts = difference(&before.1, &after.1, method, path);
    let part = |part: Part| {
        let Part {
            title,
            before,
            after,
        } = part;
        // A value deep inside a document is pretty-printed as a document of its own.
        let [before, after] = [before, after].map(|text| pretty(&text).unwrap_or(text));
        view! { <LineDiff before=before after=after label=title /> }.into_any()
    };
    view! {
        <div class="across-parts">
            <h3>{title}</h3>
            {each(parts, part)}
        </div>
    }
    .into_any()
}

type Named = (String, String);

/// Returns the names and documents of two versions.
fn pair(found: &Arc<Found>, with: usize, at: usize) -> Option<(Named, Named)> {
    let of = |at: usize| {
        let member = found.members.get(at)?;
        Some((member.called().to_owned(), member.document()?.to_owned()))
    };
    Some((of(with)?, of(at)?))
}

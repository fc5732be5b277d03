//! The content of an object, a list or a map.

use std::iter::repeat;
use std::sync::Arc;

use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use super::page::Node;
use super::row::row;
use super::state::{Adding, Form};
use super::view::Sheet;
use crate::components::{Glyph, Icon, Shown, each, keyed, live, unique_id};
use crate::state::Memo;
use crate::state::offers::Offer;

/// Entries of a list per sheet, as in `web/src/editor/form.rs`.
const SHEET: usize = 50;

/// Shows the fields of an object, or the entries of a list or map.
pub(super) fn inside(form: Form, node: Memo<Arc<Node>>) -> AnyView {
    let object = Memo::new(move |_| node.with(|node| node.control == "object"));
    live(move || {
        if object.get() {
            view! { <Fields form=form node=node /> }.into_any()
        } else {
            view! { <Entries form=form node=node /> }.into_any()
        }
    })
}

#[component]
fn Fields(form: Form, node: Memo<Arc<Node>>) -> impl IntoView {
    let titles = move || {
        let groups = node.get();
        groups
            .groups
            .iter()
            .map(|(title, _)| title.clone())
            .collect()
    };
    let add = move |_| form.adding.set(Some(adding(node, "")));
    view! {
        {keyed(titles, move |title| view! { <Section form=form node=node title=title /> }.into_any())}
        <Shown when=move || node.with(|node| !node.unknown.is_empty())>
            <Unknown form=form node=node />
        </Shown>
        <button
            type="button"
            class="btn btn-small btn-quiet form-add"
            data-adds=move || node.with(|node| node.pointer.clone())
            on:click=add
        >
            <Icon glyph=Glyph::Plus />
            "Add a field"
            <span class="visually-hidden">{live(move || added_to(&node.get()))}</span>
        </button>
    }
}

/// Returns the name of what something would be added to, for screen readers.
fn added_to(node: &Node) -> String {
    match node.name.as_str() {
        "" => String::new(),
        name => format!(" to {name}"),
    }
}

fn adding(node: Memo<Arc<Node>>, section: &str) -> Adding {
    Adding {
        at: node.with_untracked(|node| node.pointer.clone()),
        section: section.to_owned(),
    }
}

/// Fields under one heading.
#[component]
fn Section(form: Form, node: Memo<Arc<Node>>, title: String) -> impl IntoView {
    let id = unique_id("section");
    let heading = id.clone();
    let (own, wanted) = (title.clone(), title.clone());
    let keys = move || {
        let node = node.get();
        let group = node.groups.iter().find(|(title, _)| *title == own);
        group.map(|(_, keys)| keys.clone()).unwrap_or_default()
    };
    let add = move |_| form.adding.set(Some(adding(node, &wanted)));
    let rows = keyed(keys, move |key| row(form, key, node));
    if title.is_empty() {
        return rows;
    }
    view! {
        <section class="form-section" aria-labelledby=heading>
            <div class="form-section-head">
                <h2 id=id>{title.clone()}</h2>
                <button type="button" class="btn btn-small btn-quiet" on:click=add>
                    <Icon glyph=Glyph::Plus />
                    "Add"
                    <span class="visually-hidden">{format!(" a field: {title}")}</span>
                </button>
            </div>
            {rows}
        </section>
    }
    .into_any()
}

/// Members that are not in the data model.
#[component]
fn Unknown(form: Form, node: Memo<Arc<Node>>) -> impl IntoView {
    let id = unique_id("unknown");
    let heading = id.clone();
    let rest = move || node.with(|node| node.total.saturating_sub(node.unknown.len()));
    view! {
        <section class="form-section" aria-labelledby=heading>
            <div class="form-section-head"><h2 id=id>"Not in the data model"</h2></div>
            <p class="form-doc">"The gateway stores these members unchanged and ignores them."</p>
            {keyed(move || node.with(|node| node.unknown.clone()), move |key| row(form, key, node))}
            <Shown when=move || { rest() > 0 }>
                <p class="form-doc">{live(move || format!("{} more are in the JSON view.", rest()))}</p>
            </Shown>
        </section>
    }
}

#[component]
fn Entries(form: Form, node: Memo<Arc<Node>>) -> impl IntoView {
    let page = Memo::new(move |_| node.with(|node| node.role == "page"));
    let map = Memo::new(move |_| node.with(|node| node.control == "map"));
    let more = move || !page.get() && node.with(|node| node.total > node.entries.len());
    let all = move |_| form.open(&node.with_untracked(|node| node.pointer.clone()));
    view! {
        <Shown when=move || page.get() && node.with(|node| node.total > SHEET)>
            <Turning form=form node=node />
        </Shown>
        <div class="form-entries">
            {keyed(move || node.with(|node| node.entries.clone()), move |key| row(form, key, node))}
        </div>
        <Shown when=more>
            <button type="button" class="btn btn-small" on:click=all>
                {live(move || format!("Show all {} entries", node.with(|node| node.total)))}
                <Icon glyph=Glyph::Chevron />
            </button>
        </Shown>
        {live(move || {
            if map.get() {
                view! { <NewEntry form=form node=node /> }.into_any()
            } else {
                view! { <NewItem form=form node=node /> }.into_any()
            }
        })}
    }
}

/// The filter and the sheets of a long list.
#[component]
fn Turning(form: Form, node: Memo<Arc<Node>>) -> impl IntoView {
    let sheet = move || {
        let at = form.subject.at.get_untracked();
        form.sheet.with_untracked(|sheet| sheet.on(&at))
    };
    let filter = move |event| {
        form.turn(Sheet {
            from: 0,
            filter: event_target_value(&event),
            ..sheet()
        });
    };
    let turn = move |from: usize| form.turn(Sheet { from, ..sheet() });
    let back = move |_| turn(node.with_untracked(|node| node.from.saturating_sub(SHEET)));
    let on = move |_| turn(node.with_untracked(|node| node.from.saturating_add(SHEET)));
    let status = move || {
        node.with(|node| {
            let end = node.from.saturating_add(node.entries.len());
            let first = node.from.saturating_add(1).min(end);
            format!("{first}–{end} of {}", node.matching)
        })
    };
    view! {
        <div class="form-turning" role="search" aria-label="Entries">
            <input type="search" class="input" aria-label="Filter entries" placeholder="Filter entries" on:input=filter />
            <span class="muted small" role="status">{live(status)}</span>
            <button type="button" class="btn btn-small" disabled=move || node.with(|node| node.from == 0) on:click=back>
                "Previous"
            </button>
            <button
                type="button"
                class="btn btn-small"
                disabled=move || node.with(|node| node.from.saturating_add(SHEET) >= node.matching)
                on:click=on
            >
                "Next"
            </button>
        </div>
    }
}

/// Appends to a list.
#[component]
fn NewItem(form: Form, node: Memo<Arc<Node>>) -> impl IntoView {
    let add = move |_| {
        let pointer = node.with_untracked(|node| format!("{}/-", node.pointer));
        if let Some((pointer, _)) = form.press("add", &pointer, "") {
            form.go_new(&pointer);
        }
    };
    view! {
        <button
            type="button"
            class="btn btn-small btn-quiet form-add"
            data-adds=move || node.with(|node| node.pointer.clone())
            on:click=add
        >
            <Icon glyph=Glyph::Plus />
            "Add an entry"
            <span class="visually-hidden">{live(move || added_to(&node.get()))}</span>
        </button>
    }
}

/// Adds a name to a map.
#[component]
fn NewEntry(form: Form, node: Memo<Arc<Node>>) -> impl IntoView {
    let name = RwSignal::new(String::new());
    let refused = RwSignal::new(String::new());
    let list = unique_id("names");
    let own_list = list.clone();
    let ids = node.with_untracked(|node| Offer::for_names(&node.pointer));
    // Which names are still available changes with the document.
    let offers = Memo::new(move |_| ids.is_some() || node.with(|node| !node.values.is_empty()));
    let known = move || {
        let node = node.get();
        let labels = node.labels.iter().cloned().chain(repeat(String::new()));
        let own = node.values.iter().cloned().zip(labels);
        let ids = ids.map(|ids| form.subject.ids.run((ids, name.get())));
        own.chain(ids.unwrap_or_default()).collect::<Vec<_>>()
    };
    let add = move |event: SubmitEvent| {
        event.prevent_default();
        let mut pointer = node.with_untracked(|node| node.pointer.clone());
        gatewright_model::json::pointer::push_token(&mut pointer, &name.get_untracked());
        match form.change("add", &pointer, "") {
            Ok((pointer, _)) => {
                name.set(String::new());
                refused.set(String::new());
                form.go(&pointer);
            }
            Err(error) => refused.set(error),
        }
    };
    let option =
        |(id, name): (String, String)| view! { <option value=id>{name}</option> }.into_any();
    view! {
        <form class="form-new" on:submit=add>
            <input
                type="text"
                class="input form-name"
                autocomplete="off"
                spellcheck="false"
                placeholder=if ids.is_some() { "API id" } else { "New name" }
                list=move || offers.get().then(|| own_list.clone())
                data-adds=move || node.with(|node| node.pointer.clone())
                aria-label=move || format!("Name of a new entry{}", added_to(&node.get()))
                prop:value=move || name.get()
                on:input=move |event| name.set(event_target_value(&event))
            />
            <datalist id=list>{live(move || each(known(), option))}</datalist>
            <button type="submit" class="btn btn-small" disabled=move || name.with(String::is_empty)>"Add"</button>
            <p class="field-problem" role="alert">{live(move || refused.get())}</p>
        </form>
    }
}

//! One entry of a list or map.

use std::sync::Arc;

use leptos::prelude::*;

use super::focus::focus_soon;
use super::input::{Input, Typing};
use super::page::Node;
use super::row::{Issues, Remove};
use super::state::Form;
use crate::components::{Glyph, Icon, IconButton, Shown, live, only, unique_id};
use crate::state::Memo;
use crate::state::draft::plural;

/// An entry: its number or name, its value or the button that opens it, and its position.
#[component]
pub(super) fn Entry(form: Form, node: Memo<Arc<Node>>, around: Memo<Arc<Node>>) -> impl IntoView {
    let id = unique_id("entry");
    let typing = Typing::new(form, node, id.clone());
    let refused = RwSignal::new(String::new());
    let named = Memo::new(move |_| node.with(|node| node.role == "entry"));
    let holds = Memo::new(move |_| node.with(|node| node.holds()));
    let name = move || {
        if named.get() {
            view! { <Name form=form node=node refused=refused /> }.into_any()
        } else {
            view! { <span class="form-number">{live(move || node.with(|node| node.name.clone()))}</span> }.into_any()
        }
    };
    let value = move || {
        if holds.get() {
            view! { <OpenPage form=form node=node /> }.into_any()
        } else {
            view! { <Input typing=typing /> }.into_any()
        }
    };
    view! {
        <div class="form-entry">
            {live(name)}
            <div class="form-value">{live(value)}</div>
            <div class="form-moves">
                <Shown when=move || !named.get()>
                    <Moves form=form node=node around=around />
                </Shown>
                <Remove form=form node=node />
            </div>
            <Issues form=form node=node id=id />
            {typing.problem()}
            <p class="field-problem" role="alert">{live(move || refused.get())}</p>
        </div>
    }
}

/// Opens an entry that has a page of its own.
#[component]
fn OpenPage(form: Form, node: Memo<Arc<Node>>) -> impl IntoView {
    let open = move |_| form.open(&node.with_untracked(|node| node.pointer.clone()));
    let within = move || {
        let count = node.with(|node| form.inside(&node.pointer));
        only(count > 0, || {
            view! { <span class="badge badge-pending">{plural(count, "problem")}</span> }.into_any()
        })
    };
    view! {
        <button type="button" class="form-way" data-pointer=move || node.with(|node| node.pointer.clone()) on:click=open>
            <span class="visually-hidden">{live(move || node.with(|node| format!("Open {}: ", node.name)))}</span>
            <span class="form-summary">{live(move || node.with(|node| node.summary.clone()))}</span>
            {live(within)}
            <Icon glyph=Glyph::Chevron />
        </button>
    }
}

/// The name of an entry of a map. It is applied when the field loses the focus, not letter by letter.
#[component]
fn Name(form: Form, node: Memo<Arc<Node>>, refused: RwSignal<String>) -> impl IntoView {
    let rename = move |event| {
        let name = event_target_value(&event);
        let pointer = node.with_untracked(|node| node.pointer.clone());
        let outcome = form.change("rename", &pointer, &name);
        refused.set(outcome.err().unwrap_or_default());
    };
    view! {
        <input
            type="text"
            class="input form-name"
            autocomplete="off"
            spellcheck="false"
            aria-label=move || node.with(|node| format!("Name of {}", node.name))
            aria-invalid=move || refused.with(|error| (!error.is_empty()).then_some("true"))
            prop:value=move || node.with(|node| node.name.clone())
            on:change=rename
        />
    }
}

/// Moves an element of a list; the focus follows it.
#[component]
fn Moves(form: Form, node: Memo<Arc<Node>>, around: Memo<Arc<Node>>) -> impl IntoView {
    let number = Memo::new(move |_| node.with(|node| node.name.parse().unwrap_or(0_usize)));
    let shift = move |up: bool| {
        Callback::new(move |()| {
            let pointer = node.with_untracked(|node| node.pointer.clone());
            let direction = if up { "up" } else { "down" };
            if let Some((pointer, _)) = form.press("move", &pointer, direction) {
                focus_soon("data-pointer", pointer);
            }
        })
    };
    let last = move || around.with(|around| around.total <= number.get());
    live(move || {
        let number = number.get();
        view! {
            <IconButton glyph=Glyph::Up label=format!("Move entry {number} up") class="btn-small" disabled=number <= 1 on_press=shift(true) />
            <IconButton glyph=Glyph::Down label=format!("Move entry {number} down") class="btn-small" disabled=Signal::derive(last) on_press=shift(false) />
        }
    })
}

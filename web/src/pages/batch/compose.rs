//! The requests of a batch, as a form or as JSON; both show the same batch.

use leptos::prelude::*;

use super::item::ItemForm;
use crate::components::{Glyph, Icon, JsonEditor, Shown, each, live};
use crate::state::batch::{Batch, Item};
use crate::state::draft::plural;
use crate::state::{Memo, effect};

/// The composer.
#[component]
pub(super) fn Compose(batch: RwSignal<Batch>) -> impl IntoView {
    let raw = RwSignal::new(false);
    view! {
        <section class="card panel" aria-labelledby="compose-title">
            <div class="panel-head">
                <h2 id="compose-title">{live(move || plural(batch.with(|batch| batch.items.len()), "request"))}</h2>
                <ViewSwitch raw=raw />
            </div>
            <Shown when=move || raw.get() fallback=move || view! { <Items batch=batch /> }>
                <Raw batch=batch />
            </Shown>
            <label class="check">
                <input
                    type="checkbox"
                    role="switch"
                    prop:checked=move || batch.with(|batch| batch.sequential)
                    on:change=move |event| batch.update(|batch| batch.sequential = event_target_checked(&event))
                />
                <span>
                    "One after the other"
                    <span class="muted small block">"Otherwise they run at the same time. Answers keep the order of the requests either way."</span>
                </span>
            </label>
        </section>
    }
}

#[component]
fn ViewSwitch(raw: RwSignal<bool>) -> impl IntoView {
    let option = move |value: bool, label: &'static str| {
        view! {
            <label class="pill">
                <input type="radio" name="compose-view" prop:checked=move || raw.get() == value on:change=move |_| raw.set(value) />
                <span>{label}</span>
            </label>
        }
    };
    view! {
        <fieldset class="pills">
            <legend class="visually-hidden">"View"</legend>
            {option(false, "Form")}
            {option(true, "JSON")}
        </fieldset>
    }
}

#[component]
fn Items(batch: RwSignal<Batch>) -> impl IntoView {
    let indices = Memo::new(move |_| batch.with(|batch| batch.items.len()));
    let add = move |_| {
        batch.update(|batch| {
            let method = batch
                .items
                .last()
                .map_or_else(|| "GET".to_owned(), |item| item.method.clone());
            batch.items.push(Item {
                method,
                ..Item::default()
            });
        });
    };
    view! {
        <ol class="items">
            {live(move || each(0..indices.get(), |index| view! { <ItemForm batch=batch index=index /> }.into_any()))}
        </ol>
        <button type="button" class="btn" on:click=add>
            <Icon glyph=Glyph::Plus />
            "Add a request"
        </button>
    }
}

/// The batch as JSON. Invalid JSON stays on screen, with the reason, and changes nothing.
#[component]
fn Raw(batch: RwSignal<Batch>) -> impl IntoView {
    let text = RwSignal::new(batch.with_untracked(Batch::to_json));
    let problem = RwSignal::new(None::<String>);
    let edit = Callback::new(move |typed: String| {
        match Batch::from_json(&typed) {
            Ok(read) => {
                problem.set(None);
                batch.set(read);
            }
            Err(reason) => problem.set(Some(reason)),
        }
        text.set(typed);
    });
    // The switch below the text changes the batch as well; the text is updated from it.
    effect(move || {
        let shown = text.with_untracked(|text| Batch::from_json(text).ok());
        batch.with(|batch| {
            if shown.as_ref().is_some_and(|shown| shown != batch) {
                text.set(batch.to_json());
            }
        });
    });
    view! {
        <div class="raw-editor">
            <JsonEditor text=text on_edit=edit root="batch_request" label="Batch as JSON" />
        </div>
        <p class="field-problem" role="status">{live(move || problem.get())}</p>
    }
}

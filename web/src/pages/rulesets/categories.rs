//! The categories of a ruleset, which suggests those of the organisation's APIs.

use leptos::prelude::*;

use crate::api::ApiError;
use crate::components::{Bones, each, live};
use crate::pages::documents::Desk;
use crate::state::Memo;
use crate::state::load::Load;
use crate::state::sought::lowered;
use crate::state::texts::{texts, ticked};

/// The card. Categories are compared without case.
#[component]
pub(super) fn Categories(desk: Desk) -> impl IntoView {
    let console = desk.console;
    let known = Load::new(move || async move { console.api.categories().await });
    let chosen = Memo::new(move |_| texts(&desk.text(), "categories"));
    let body = move || {
        match known.get() {
        None => view! { <Bones rows=3 label="Loading the categories" /> }.into_any(),
        Some(Err(error)) => view! { <p class="muted">{why(&error)}</p> }.into_any(),
        Some(Ok(known)) if known.is_empty() => view! {
            <p class="muted">"No API has a category yet: write “Name #category” as the name of an API."</p>
        }
        .into_any(),
        Some(Ok(known)) => view! {
            <ul class="category-list">
                {each(known, |name| view! { <Category desk=desk chosen=chosen name=name /> }.into_any())}
            </ul>
        }
        .into_any(),
    }
    };
    view! {
        <section class="card panel" aria-labelledby="categories-title">
            <h2 id="categories-title">"Categories"</h2>
            <p class="muted small">"It applies to APIs of these categories."</p>
            {live(body)}
        </section>
    }
}

fn why(error: &ApiError) -> String {
    format!(
        "The categories can't be offered. {}: {error}",
        error.title()
    )
}

#[component]
fn Category(desk: Desk, chosen: Memo<Vec<String>>, name: String) -> impl IntoView {
    let shown = name.clone();
    let lower = lowered(&name);
    let is = move |other: &str| lowered(other) == lower;
    let checked = {
        let is = is.clone();
        move || chosen.with(|chosen| chosen.iter().any(|other| is(other)))
    };
    let change = move |event| {
        let on = event_target_checked(&event);
        let names = ticked(chosen.get_untracked(), &name, on, &is);
        desk.set("/categories", &names);
    };
    view! {
        <li>
            <label class="check">
                <input type="checkbox" prop:checked=checked on:change=change />
                <span>{shown}</span>
            </label>
        </li>
    }
}

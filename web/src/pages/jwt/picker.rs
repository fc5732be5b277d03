//! Chooses the API that the token is for, and the request that it is tried with.

use leptos::prelude::*;

use super::Desk;
use crate::components::{Failure, Notice, Tint, live, maybe, only, unique_id};
use crate::pages::chosen_api::ApiPicker;
use crate::routes;
use crate::state::jwt::asks_for_jwt;

/// Methods without a body.
const METHODS: [&str; 4] = ["GET", "HEAD", "POST", "DELETE"];

/// The chosen API, or a field that finds one.
#[component]
pub(super) fn Picker(desk: Desk) -> impl IntoView {
    let pick = Callback::new(move |id: String| {
        desk.verdict.set(None);
        desk.chosen.console.address.replace(&routes::jwt(&id));
    });
    let caution = move || {
        let text = desk.text();
        only(!text.is_empty() && !asks_for_jwt(&text), || {
            view! {
                <Notice tint=Tint::Amber>
                    <span>"As stored, this API does not accept JSON Web Tokens ("<code>"enable_jwt"</code>")."</span>
                </Notice>
            }
            .into_any()
        })
    };
    view! {
        <ApiPicker
            of=desk.chosen
            only=|api| !api.keyless && api.state != "deleted"
            nothing="No API that requires credentials matches."
            pick=pick
        >
            {live(move || maybe(desk.chosen.document.failed(), |error| {
                view! { <Failure error=error on_retry=move |()| desk.chosen.document.again() /> }.into_any()
            }))}
            {live(caution)}
            <Request desk=desk />
        </ApiPicker>
    }
}

/// The request that the token is tried with.
#[component]
fn Request(desk: Desk) -> impl IntoView {
    let (method, path) = (unique_id("method"), unique_id("path"));
    let about = format!("{path}-about");
    let option = |name: &'static str| {
        let chosen = move || desk.method.with(|method| method == name);
        view! { <option value=name selected=chosen>{name}</option> }.into_any()
    };
    view! {
        <div class="look-request">
            <div class="field">
                <label for=method.clone()>"Method"</label>
                <select id=method class="input" on:change=move |event| desk.method.set(event_target_value(&event))>
                    {crate::components::each(METHODS, option)}
                </select>
            </div>
            <div class="field">
                <label for=path.clone()>"Path"</label>
                <input
                    id=path
                    type="text"
                    class="input mono"
                    autocomplete="off"
                    spellcheck="false"
                    aria-describedby=about.clone()
                    prop:value=desk.path
                    on:input=move |event| desk.path.set(event_target_value(&event))
                />
            </div>
        </div>
        <p id=about class="muted small">"Below the listen path. This sends one real request: with a valid token it reaches the upstream and counts against its limits."</p>
    }
}

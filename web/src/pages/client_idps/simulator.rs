//! Tries the mappings: which policies scopes or a token give for an API, and their combined result.

use leptos::prelude::*;

use gatewright_model::policy::Named;

use super::desk::Desk;
use crate::api::access::StoredPolicy;
use crate::components::assist::{Code, TAG, load};
use crate::components::{Assist, each, live, maybe, only, unique_id};
use crate::routes;
use crate::state::Memo;
use crate::state::load::Load;
use crate::state::pretty::pretty;
use crate::state::scopes::{Reading, read};
use crate::state::session::Key;

/// The gateway's policies, if the secret is available.
type Policies = Option<Load<Vec<StoredPolicy>>>;

/// The card. It uses the mappings with the patch applied, so a change can be tried before it is sent.
#[component]
pub(super) fn Simulator(desk: Desk) -> impl IntoView {
    // Policies belong to the gateway: without its secret they are named by their ids.
    let opened = desk.console.session.has_untracked(Key::Secret);
    let policies: Policies = opened.then(|| {
        let api = desk.console.api;
        Load::new(move || async move { api.policies().await })
    });
    let chosen = RwSignal::new(String::new());
    let entered = RwSignal::new(String::new());
    let apis = Memo::new(move |_| {
        desk.plan.with(|plan| {
            let after = plan.table.iter().filter(|mapping| mapping.is_kept());
            after
                .map(|mapping| mapping.api_id.clone())
                .collect::<Vec<_>>()
        })
    });
    let api = Memo::new(move |_| {
        let chosen = chosen.get();
        apis.with(|apis| match apis.contains(&chosen) {
            true => chosen,
            false => apis.first().cloned().unwrap_or_default(),
        })
    });
    let reading = Memo::new(move |_| {
        let document = desk.plan.with(|plan| plan.result.clone());
        let document = document.unwrap_or_else(|| desk.text());
        entered.with(|entered| read(&document, &api.get(), entered))
    });
    let (field, choice) = (unique_id("scopes"), unique_id("api"));
    let about = format!("{field}-about");
    let options = move || {
        let names = desk.apis.good().unwrap_or_default().names;
        each(apis.get(), move |id| {
            let name = names.get(&id).filter(|name| !name.is_empty());
            let name = name.unwrap_or(&id).clone();
            view! { <option value=id.clone() selected=move || api.with(|api| *api == id)>{name}</option> }
                .into_any()
        })
    };
    view! {
        <section class="card panel simulator" aria-labelledby="simulator-title">
            <h2 id="simulator-title">"Try scopes"</h2>
            <div class="simulator-fields">
                <div class="field">
                    <label for=choice.clone()>"API"</label>
                    <select id=choice class="input" on:change=move |event| chosen.set(event_target_value(&event))>
                        {live(options)}
                    </select>
                </div>
                <div class="field">
                    <label for=field.clone()>"Scopes or a token"</label>
                    <textarea
                        id=field
                        class="input mono"
                        rows="3"
                        autocomplete="off"
                        spellcheck="false"
                        aria-describedby=about.clone()
                        on:input=move |event| entered.set(event_target_value(&event))
                    ></textarea>
                    <p id=about class="muted small">"Scopes separated by spaces, or a JSON Web Token. It never leaves this browser; its signature isn't checked."</p>
                </div>
            </div>
            <div aria-live="polite">{live(move || found(reading.get(), policies))}</div>
            {live(move || {
                let reading = reading.get();
                only(!reading.policies.is_empty(), || together(&reading, policies))
            })}
        </section>
    }
}

/// The session that the policies combine to, computed by the same code as at the edge.
fn together(reading: &Reading, policies: Policies) -> AnyView {
    let Some(policies) = policies else {
        return view! { <p class="muted">"Their combined result is shown with the gateway secret."</p> }.into_any();
    };
    let Some(known) = policies.good() else {
        return ().into_any();
    };
    let code = load(TAG).get();
    let text = match Assist::here().filter(|_| code != Code::Loading) {
        None => "Computing…".to_owned(),
        Some(assist) => match assist.applied(&reading.session(), &named(reading, &known)) {
            Ok(session) => pretty(&session).unwrap_or(session),
            Err(why) => why,
        },
    };
    view! {
        <h3>"Their combined session"</h3>
        <pre class="mono simulator-session" tabindex="0">{text}</pre>
    }
    .into_any()
}

fn named<'a>(reading: &'a Reading, known: &'a [StoredPolicy]) -> Vec<Named<'a>> {
    let text = |id: &str| {
        let stored = known.iter();
        let mut found = stored.filter(|policy| policy.id == id || policy.internal == id);
        found.next().map(|policy| policy.text.as_str())
    };
    let named = |id: &'a String| Named { id, text: text(id) };
    reading.policies.iter().map(named).collect()
}

/// The scopes that were found, and why a request with them would be refused.
fn found(reading: Reading, policies: Policies) -> AnyView {
    let Reading {
        claim,
        is_missing,
        scopes,
        policies: given,
    } = reading;
    let refused = given.is_empty() && !scopes.is_empty();
    let known = policies.and_then(Load::good).unwrap_or_default();
    let row = move |(scope, policy): (String, Option<String>)| {
        let leads = match policy {
            Some(id) => {
                let name = known.iter().find(|policy| policy.id == id);
                let name = name.map_or(&id, |policy| &policy.name).clone();
                view! { <a href=routes::policy(&id)>{name}</a> }.into_any()
            }
            None => view! { <span class="muted">"not mapped: gives nothing"</span> }.into_any(),
        };
        view! { <li><code>{scope}</code>" → "{leads}</li> }.into_any()
    };
    let source = claim.map(|claim| match is_missing {
        true => format!(
            "The token has no claim {claim}: the definition's rule for tokens without scopes applies."
        ),
        false => format!("From the claim {claim} of the token."),
    });
    view! {
        {maybe(source, |source| view! { <p class="muted small">{source}</p> }.into_any())}
        {only(!scopes.is_empty(), || view! { <ul class="simulator-scopes">{each(scopes, row)}</ul> }.into_any())}
        {only(refused, || view! { <p>"No scope is mapped: a request is refused with 403."</p> }.into_any())}
    }
    .into_any()
}

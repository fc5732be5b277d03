//! The additional input of an action: a tag, a policy, an expiry, a passphrase.

use std::collections::BTreeSet;

use leptos::prelude::*;

use crate::api::Api;
use crate::components::{each, live, only, unique_id};
use crate::pages::sessions::local_seconds;
use crate::state::Memo;
use crate::state::access::{Names, called};
use crate::state::bulk::verb::{Asks, Verb};
use crate::state::load::Load;

/// The offered expiries.
const ENDS: [(&str, &str); 6] = [
    ("", "Choose an expiry"),
    ("+30", "30 days more"),
    ("+90", "90 days more"),
    ("+365", "1 year more"),
    ("never", "Never"),
    (AT, "At a time…"),
];
/// The choice of a typed time.
const AT: &str = "at";

/// The field; nothing for an action that needs no input.
#[component]
pub(super) fn Input(
    /// The client.
    api: Api,
    /// The action.
    verb: Verb,
    /// The input.
    input: RwSignal<String>,
    /// The tags or policies on the documents of the plan, as far as they are known.
    known: Memo<BTreeSet<String>>,
) -> impl IntoView {
    match verb.asks() {
        Asks::Nothing => ().into_any(),
        Asks::Tag => view! { <Tag input=input known=known /> }.into_any(),
        Asks::Policy => {
            view! { <Policy api=api adds={verb == Verb::AddPolicy} input=input known=known /> }
                .into_any()
        }
        Asks::End => view! { <End input=input /> }.into_any(),
        Asks::Passphrase => view! { <Passphrase input=input /> }.into_any(),
    }
}

#[component]
fn Tag(input: RwSignal<String>, known: Memo<BTreeSet<String>>) -> impl IntoView {
    let [id, list] = ["tag", "tags"].map(unique_id);
    let option = |tag: String| view! { <option value=tag></option> }.into_any();
    view! {
        <div class="field">
            <label for=id.clone()>"Tag"</label>
            <input
                id=id
                class="input"
                list=list.clone()
                autocomplete="off"
                spellcheck="false"
                on:input=move |event| input.set(event_target_value(&event))
            />
            <datalist id=list>{live(move || each(known.get(), option))}</datalist>
        </div>
    }
}

#[component]
fn Policy(
    api: Api,
    adds: bool,
    input: RwSignal<String>,
    known: Memo<BTreeSet<String>>,
) -> impl IntoView {
    let id = unique_id("policy");
    let stored = Load::new(move || async move { api.policies().await });
    let names = move || -> Names {
        let policies = stored.good().unwrap_or_default().into_iter();
        policies.map(|policy| (policy.id, policy.name)).collect()
    };
    // Policies that a key names may have been deleted since.
    let offered = move || {
        let names = names();
        let own = known.get().into_iter();
        let own: Names = own.map(|id| (id.clone(), called(&names, &id))).collect();
        if adds { names } else { own }
    };
    let option = |(id, name): (String, String)| {
        let text = if id == name {
            name
        } else {
            format!("{name} ({id})")
        };
        view! { <option value=id>{text}</option> }.into_any()
    };
    view! {
        <div class="field">
            <label for=id.clone()>"Policy"</label>
            <select id=id class="input" prop:value=move || input.get() on:change=move |event| input.set(event_target_value(&event))>
                <option value="">"Choose a policy"</option>
                {live(move || each(offered(), option))}
            </select>
            {live(move || only(stored.failed().is_some(), || view! { <p class="field-problem">"The policies could not be read."</p> }.into_any()))}
        </div>
    }
}

#[component]
fn End(input: RwSignal<String>) -> impl IntoView {
    let [id, at] = ["end", "at"].map(unique_id);
    let timed = RwSignal::new(false);
    let choose = move |event| {
        let value = event_target_value(&event);
        timed.set(value == AT);
        input.set(if value == AT { String::new() } else { value });
    };
    let typed = move |event| {
        let seconds = local_seconds(&event_target_value(&event));
        input.set(seconds.map(|at| format!("@{at}")).unwrap_or_default());
    };
    let option = |(value, text): (&'static str, &'static str)| {
        view! { <option value=value>{text}</option> }.into_any()
    };
    let field = move || {
        view! {
            <label for=at.clone()>"In your local time"</label>
            <input id=at.clone() type="datetime-local" class="input" on:input=typed />
        }
        .into_any()
    };
    view! {
        <div class="field">
            <label for=id.clone()>"They expire"</label>
            <select id=id class="input" on:change=choose>{each(ENDS, option)}</select>
            {live(move || only(timed.get(), &field))}
        </div>
    }
}

#[component]
fn Passphrase(input: RwSignal<String>) -> impl IntoView {
    let id = unique_id("passphrase");
    view! {
        <div class="field">
            <label for=id.clone()>"Passphrase for the secrets in it"</label>
            <input
                id=id
                type="password"
                class="input"
                autocomplete="new-password"
                on:input=move |event| input.set(event_target_value(&event))
            />
            <p class="muted small">"Secrets are sealed with it, and an import asks for it. Without one they are left out. It can't be recovered: keep it apart from the file."</p>
        </div>
    }
}

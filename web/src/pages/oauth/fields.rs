//! The fields of a client.

use leptos::prelude::*;

use crate::components::{each, live, unique_id};
use crate::pages::sessions::Known;
use crate::state::Memo;
use crate::state::oauth::{Wanted, policies_for};

/// A field: typing edits the client, and errors are shown below it.
#[component]
fn Field(
    wanted: RwSignal<Wanted>,
    label: &'static str,
    hint: &'static str,
    #[prop(optional)] lines: bool,
    read: fn(&Wanted) -> &str,
    write: fn(&mut Wanted, String),
    problem: fn(&Wanted) -> Option<&'static str>,
) -> impl IntoView {
    let id = unique_id("client");
    let about = format!("{id}-about");
    let value = move || wanted.with(|wanted| read(wanted).to_owned());
    let wrong = move || wanted.with(problem);
    let typing = move |event| wanted.update(|wanted| write(wanted, event_target_value(&event)));
    let note = move || match wrong() {
        Some(wrong) => view! { <span class="field-problem">{wrong}</span> }.into_any(),
        None => hint.into_any(),
    };
    let (invalid, described) = (move || wrong().is_some().to_string(), about.clone());
    let input = match lines {
        true => view! {
            <textarea id=id.clone() class="input mono" rows="3" autocomplete="off" spellcheck="false" aria-describedby=described aria-invalid=invalid prop:value=value on:input=typing></textarea>
        }
        .into_any(),
        false => view! {
            <input id=id.clone() type="text" class="input" autocomplete="off" spellcheck="false" aria-describedby=described aria-invalid=invalid prop:value=value on:input=typing />
        }
        .into_any(),
    };
    view! {
        <div class="field">
            <label for=id>{label}</label>
            {input}
            <p id=about class="muted small">{live(note)}</p>
        </div>
    }
}

/// The fields; those for id and secret only for a new client.
#[component]
pub(super) fn Fields(
    /// The API that the client belongs to.
    api: String,
    /// The edited client.
    wanted: RwSignal<Wanted>,
    /// The stored policies.
    known: Known,
    /// Whether the client is new.
    #[prop(optional)]
    new: bool,
) -> impl IntoView {
    let nothing = |_: &Wanted| None;
    let first = new.then(|| {
        view! {
            <Field wanted=wanted label="Client id" hint="How the client identifies itself; random if it is empty." read=|wanted| &wanted.id write=|wanted, text| wanted.id = text problem=Wanted::id_problem />
        }
    });
    view! {
        <div class="fields">
            {first}
            <Field wanted=wanted label="Description" hint="For people." read=|wanted| &wanted.description write=|wanted, text| wanted.description = text problem=nothing />
            <Field wanted=wanted label="Redirect URI" hint="The address that users are sent back to, compared letter for letter. Not needed for client credentials." read=|wanted| &wanted.redirect_uri write=|wanted, text| wanted.redirect_uri = text problem=Wanted::redirect_problem />
            <Policy api=api wanted=wanted known=known />
        </div>
        <Field wanted=wanted label="Metadata" hint="A JSON object that the sessions of its tokens have; definitions read it as $gateway_meta." lines=true read=|wanted| &wanted.meta_data write=|wanted, text| wanted.meta_data = text problem=Wanted::meta_problem />
    }
}

/// The policy of the tokens: one that gives access to the API.
#[component]
fn Policy(api: String, wanted: RwSignal<Wanted>, known: Known) -> impl IntoView {
    let id = unique_id("policy");
    let about = format!("{id}-about");
    let current = Memo::new(move |_| wanted.with(|wanted| wanted.policy_id.clone()));
    let offered = move || {
        let mut offered = policies_for(&api, &known.all());
        // A policy that was deleted, or no longer gives access to this API, is still what is stored.
        let now = current.get();
        if !now.is_empty() && !offered.iter().any(|(id, _)| *id == now) {
            offered.push((now.clone(), now));
        }
        let option = move |(id, name): (String, String)| {
            let own = id.clone();
            view! { <option value=id selected=move || current.with(|now| *now == own)>{name}</option> }
                .into_any()
        };
        each(offered, option)
    };
    let choose = move |event| wanted.update(|wanted| wanted.policy_id = event_target_value(&event));
    view! {
        <div class="field">
            <label for=id.clone()>"Policy"</label>
            <select id=id class="input" aria-describedby=about.clone() on:change=choose>
                <option value="" selected=move || current.with(String::is_empty)>"None"</option>
                {live(offered)}
            </select>
            <p id=about class="muted small">"What its tokens may do; those that open this API are offered. Without one a token needs rights from the login page."</p>
        </div>
    }
}

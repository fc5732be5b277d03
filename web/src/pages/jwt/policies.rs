//! The policies that the token gets, and their combined result.

use leptos::prelude::*;

use super::Desk;
use crate::components::{Notice, Tint, each, live, maybe, only};
use crate::pages::sessions::{Known, OutcomeView, outcome};
use crate::routes;
use crate::state::Memo;
use crate::state::access::{Outcome, called};
use crate::state::jwt::{Given, given};
use crate::state::scopes::read;

/// The card.
#[component]
pub(super) fn PolicyCard(desk: Desk) -> impl IntoView {
    let result = Memo::new(move |_| {
        let Some(token) = desk.read() else {
            return Given::default();
        };
        let api = desk.chosen.id.get();
        let provided = desk.meant().into_iter();
        let provided = provided.map(|provider| read(&provider.text, &api, &token.compact));
        // A provider without a mapping for this API doesn't matter.
        let provided = provided.filter(|reading| !reading.scopes.is_empty());
        given(&desk.text(), &token, &provided.collect::<Vec<_>>())
    });
    let session = Memo::new(move |_| result.with(Given::session));
    let names = move || {
        let meant = desk.meant().into_iter().map(|provider| provider.name);
        let names: Vec<String> = meant.collect();
        match desk.providers.good() {
            Some(None) => {
                "The mappings of client identity providers are shown with a dashboard token."
                    .to_owned()
            }
            Some(Some(_)) if names.is_empty() => {
                "No client identity provider matches this token.".to_owned()
            }
            Some(Some(_)) => format!(
                "Client identity providers that match it: {}.",
                names.join(", ")
            ),
            None => match desk.providers.failed() {
                Some(error) => format!("The client identity providers could not be read: {error}"),
                None => String::new(),
            },
        }
    };
    view! {
        <section class="card panel" aria-labelledby="policies-title">
            <h2 id="policies-title">"What it gives"</h2>
            {live(move || given_view(result.get(), desk.known))}
            <p class="muted small">{live(names)}</p>
            <OutcomeView outcome=of_policies text=session known=desk.known nothing="It gets no policy." />
            <p class="muted small">"Computed from the stored definition; the gateway may serve an older one."</p>
        </section>
    }
}

fn of_policies(session: &str, known: Known) -> Result<Outcome, String> {
    if session.is_empty() {
        return Ok(Outcome::default());
    }
    outcome(session, &known.all())
}

fn given_view(given: Given, known: Known) -> AnyView {
    let names = known.policies();
    let Given {
        identity,
        named,
        scopes,
        policies,
        are_defaults,
        is_unmapped,
    } = given;
    let link = move |id: &str| {
        let name = called(&names, id);
        view! { <a href=routes::policy(id)>{name}</a> }.into_any()
    };
    let of_scopes = link.clone();
    let scope = move |(scope, policy): (String, Option<String>)| {
        let leads = match policy {
            Some(id) => of_scopes(&id),
            None => view! { <span class="muted">"not mapped: gives nothing"</span> }.into_any(),
        };
        view! { <li><code>{scope}</code>" → "{leads}</li> }.into_any()
    };
    let has_scopes = !scopes.is_empty();
    let by_name = link.clone();
    view! {
        {maybe(identity, |(claim, who)| view! {
            <p>"It counts as "<code class="wraps">{who}</code>" ("<code>{claim}</code>")."</p>
        }.into_any())}
        {maybe(named, |(claim, id)| view! {
            <p>"The claim "<code>{claim}</code>" names the policy "{by_name(&id)}"."</p>
        }.into_any())}
        {only(has_scopes, || view! { <ul class="plain-list" aria-label="Scopes">{each(scopes, scope)}</ul> }.into_any())}
        {only(are_defaults, || view! {
            <p>"Nothing else gives a policy, so it gets the default ones: "{each(policies, |id| view! { <span>{link(&id)}" "</span> }.into_any())}</p>
        }.into_any())}
        {only(is_unmapped, || view! {
            <Notice tint=Tint::Amber><span>"None of its scopes is mapped to a policy: a request with it is refused with 403, unless it names a policy otherwise."</span></Notice>
        }.into_any())}
    }
    .into_any()
}

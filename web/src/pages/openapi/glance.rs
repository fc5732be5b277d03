//! A summary of how the API of a document is reached, from the current text, and the other tabs of its page.

use gatewright_model::openapi::DocumentKind;
use leptos::prelude::*;

use super::kind;
use crate::components::{each, live, maybe};
use crate::pages::documents::Desk;
use crate::pages::needs::to_try;
use crate::routes;
use crate::state::Memo;
use crate::state::rules::Reach;

/// The card.
#[component]
pub(super) fn Glance(desk: Desk) -> impl IntoView {
    let reach = Memo::new(move |_| Reach::of(&desk.text()));
    let facts = move || match reach.get() {
        None => view! { <p class="muted">"There is nothing to read yet."</p> }.into_any(),
        Some(reach) => view! { <Facts reach=reach /> }.into_any(),
    };
    view! {
        <section class="card panel" aria-labelledby="glance-title">
            <h2 id="glance-title">"At a glance"</h2>
            {live(facts)}
            {maybe(desk.id(), |id| view! { <Parts id=id kind=kind(desk) /> }.into_any())}
        </section>
    }
}

#[component]
fn Facts(reach: Reach) -> impl IntoView {
    let asks = match reach.schemes.as_slice() {
        [] => "Nothing: whoever knows the address may use it".to_owned(),
        schemes => schemes.join(", "),
    };
    let active = match reach.active {
        true => "Yes",
        false => "No, so it is not served",
    };
    let fact = |(name, value, is_code): (&'static str, String, bool)| {
        let value = match (value.is_empty(), is_code) {
            (true, _) => view! { <span class="muted">"Not set"</span> }.into_any(),
            (false, true) => view! { <code>{value}</code> }.into_any(),
            (false, false) => value.into_any(),
        };
        view! { <div><dt>{name}</dt><dd>{value}</dd></div> }.into_any()
    };
    let facts = [
        ("Active", active.to_owned(), false),
        (
            "Address",
            format!("{}{}", reach.domain, reach.listen_path),
            true,
        ),
        ("Upstream", reach.upstream, true),
        ("Requires", asks, false),
    ];
    view! { <dl class="facts">{each(facts, fact)}</dl> }
}

/// The other pages of a stored API.
#[component]
fn Parts(id: String, kind: DocumentKind) -> impl IntoView {
    let is_api = kind == DocumentKind::Oas;
    let versions = is_api.then(|| (routes::versions(&id), "Versions"));
    let cache = is_api.then(|| (routes::cache(&id, ""), "Cache"));
    let parts = [
        Some((routes::chain(&id), "Chain")),
        cache,
        Some((routes::upstreams(&id), "Upstreams")),
        versions,
        (!is_api).then(|| (routes::catalogue(&id), "Catalogue")),
    ];
    let link = |(href, name): (String, &'static str)| {
        view! { <a class="btn btn-small" href=href>{name}</a> }.into_any()
    };
    view! {
        <div class="row">
            {to_try(routes::try_it(&id), "btn btn-small")}
            {each(parts.into_iter().flatten(), link)}
        </div>
    }
}

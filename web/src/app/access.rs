//! The pages about who may use APIs, on the administration API. All of them require the gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{keys, organisations, policies};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the secret.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let title = match page {
        Page::Keys => "Keys",
        Page::Key(_) => "Key",
        Page::Policies => "Policies",
        Page::NewPolicy | Page::Policy(_) => "Policy",
        Page::Organisation(_) => "Organisation",
        _ => "Organisations",
    };
    needs(Key::Secret, title, move || match page.clone() {
        Page::Keys => view! { <keys::Keys /> }.into_any(),
        Page::Key(hash) => view! { <keys::KeyPage hash=hash /> }.into_any(),
        Page::Policies => view! { <policies::Policies /> }.into_any(),
        Page::NewPolicy => view! { <policies::PolicyPage id=None /> }.into_any(),
        Page::Policy(id) => view! { <policies::PolicyPage id=Some(id) /> }.into_any(),
        Page::Organisations => view! { <organisations::Organisations /> }.into_any(),
        Page::Organisation(id) => view! { <organisations::OrganisationPage id=id /> }.into_any(),
        _ => ().into_any(),
    })
}

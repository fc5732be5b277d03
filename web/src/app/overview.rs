//! The pages of the administration API about what is served now, what a reload would change of it, and the one that tries
//! it. All of them take the gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{cache, overview, reload, trial};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the secret.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let title = match page {
        Page::Cache(_) => "Cache",
        Page::Reload => "Reload",
        Page::Try => "Try it",
        _ => "Overview",
    };
    needs(Key::Secret, title, move || match page.clone() {
        Page::Cache(id) => view! { <cache::CachePage id=id /> }.into_any(),
        Page::Overview => view! { <overview::Overview /> }.into_any(),
        Page::Reload => view! { <reload::Reload /> }.into_any(),
        Page::Try => view! { <trial::TryPage /> }.into_any(),
        _ => ().into_any(),
    })
}

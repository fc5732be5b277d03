//! The overview of what is served, and the page that tries an API. Both use the administration API and require the
//! gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{overview, trial};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the secret.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let title = match page {
        Page::Try => "Try it",
        _ => "Overview",
    };
    needs(Key::Secret, title, move || match page.clone() {
        Page::Overview => view! { <overview::Overview /> }.into_any(),
        Page::Try => view! { <trial::TryPage /> }.into_any(),
        _ => ().into_any(),
    })
}

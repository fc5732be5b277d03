//! The pages of the administration API about what is served. All of them take the gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::overview;
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the secret.
#[must_use]
pub fn page(page: Page) -> AnyView {
    needs(Key::Secret, "Overview", move || match page {
        Page::Overview => view! { <overview::Overview /> }.into_any(),
        _ => ().into_any(),
    })
}

//! Other pages of OpenAPI APIs and MCP proxies than those that edit them as JSON: versions side by side. All of them take the gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::versions;
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the secret.
#[must_use]
pub fn page(page: Page) -> AnyView {
    needs(Key::Secret, "Versions", move || match page.clone() {
        Page::Versions(id) => view! { <versions::VersionsPage id=id /> }.into_any(),
        _ => ().into_any(),
    })
}

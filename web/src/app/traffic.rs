//! The pages of the administration API that send many requests at once, and those of the upstreams that get them. All of
//! them take the gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{batch, upstreams};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the secret.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let title = match page {
        Page::Batch => "Batch",
        _ => "Upstreams",
    };
    needs(Key::Secret, title, move || match page.clone() {
        Page::Batch => view! { <batch::BatchPage /> }.into_any(),
        Page::Upstreams(id) => view! { <upstreams::UpstreamsPage id=id /> }.into_any(),
        _ => ().into_any(),
    })
}

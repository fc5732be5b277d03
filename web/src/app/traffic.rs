//! The pages of the administration API for reloads and batches, and for the cache and the upstreams of one API. All of
//! them require the gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{batch, cache, reload, upstreams};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the secret.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let title = match page {
        Page::Batch => "Batch",
        Page::Cache(_) => "Cache",
        Page::Reload => "Reload",
        _ => "Upstreams",
    };
    needs(Key::Secret, title, move || match page.clone() {
        Page::Batch => view! { <batch::BatchPage /> }.into_any(),
        Page::Cache(id) => view! { <cache::CachePage id=id /> }.into_any(),
        Page::Reload => view! { <reload::Reload /> }.into_any(),
        Page::Upstreams(id) => view! { <upstreams::UpstreamsPage id=id /> }.into_any(),
        _ => ().into_any(),
    })
}

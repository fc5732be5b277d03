//! Clients of the OAuth 2.0 server of an API: the list, the page that creates one, and the page of one with its tokens.

mod client;
mod fields;
mod list;
mod make;
mod secret;
mod tokens;

pub use client::ClientPage;
pub use list::Clients;
pub use make::NewClient;

use leptos::prelude::*;

use crate::components::{Glyph, Icon, maybe};
use crate::routes;

/// Breadcrumbs to a page below the clients of an API.
#[component]
fn Crumbs(
    /// The API.
    api: String,
    /// The subject of the page; none for the list of clients itself.
    #[prop(optional, into)]
    last: Option<String>,
) -> impl IntoView {
    let clients = routes::oauth_clients(&api);
    let behind = |last: String| {
        view! {
            <Icon glyph=Glyph::Chevron />
            <code class="crumb-id">{last}</code>
        }
        .into_any()
    };
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=routes::OAUTH>"OAuth clients"</a>
            <Icon glyph=Glyph::Chevron />
            <a href=clients><code class="crumb-id">{api}</code></a>
            {maybe(last, behind)}
        </nav>
    }
}

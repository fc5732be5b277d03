//! The pages of APIs described by OpenAPI documents, and of MCP proxies. All of them require the gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{apis, openapi};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the secret.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let title = match page {
        Page::OpenApis => "OpenAPI APIs",
        Page::NewOpenApi | Page::OpenApi(_) => "OpenAPI API",
        Page::NewMcpProxy | Page::McpProxy(_) => "MCP proxy",
        _ => "MCP proxies",
    };
    needs(Key::Secret, title, move || match page.clone() {
        Page::OpenApis => view! { <apis::Apis face=&apis::face::OPENAPI /> }.into_any(),
        Page::NewOpenApi => view! { <openapi::OpenApiPage id=None /> }.into_any(),
        Page::OpenApi(id) => view! { <openapi::OpenApiPage id=Some(id) /> }.into_any(),
        Page::McpProxies => view! { <apis::Apis face=&apis::face::PROXIES /> }.into_any(),
        Page::NewMcpProxy => view! { <openapi::ProxyPage id=None /> }.into_any(),
        Page::McpProxy(id) => view! { <openapi::ProxyPage id=Some(id) /> }.into_any(),
        _ => ().into_any(),
    })
}

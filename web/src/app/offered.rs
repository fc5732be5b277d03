//! The pages of OpenAPI APIs and MCP proxies besides their JSON editors: versions side by side, the catalogues of
//! proxies, documents as YAML. All of them require the gateway secret.

use leptos::prelude::*;

use crate::pages::needs::needs;
use crate::pages::{catalogue, versions, yaml};
use crate::routes::Page;
use crate::state::session::Key;

/// Shows a page, or asks for the secret.
#[must_use]
pub fn page(page: Page) -> AnyView {
    let title = match page {
        Page::Catalogue(_) => "Catalogue",
        Page::Yaml(..) => "Document as YAML",
        _ => "Versions",
    };
    needs(Key::Secret, title, move || match page.clone() {
        Page::Versions(id) => view! { <versions::VersionsPage id=id /> }.into_any(),
        Page::Catalogue(id) => view! { <catalogue::CataloguePage id=id /> }.into_any(),
        Page::Yaml(kind, id) => view! { <yaml::YamlPage kind=kind id=id /> }.into_any(),
        _ => ().into_any(),
    })
}

//! The navigation that all pages of one API share, whichever module shows them: back to the list, and to the other
//! tabs.

use leptos::prelude::*;

use crate::components::{Glyph, Icon, each};
use crate::routes::{self, Page};

/// The tabs of an API's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tab {
    /// The stored definition.
    Definition,
    /// The links that a request passes.
    Chain,
    /// Its cache.
    Cache,
    /// The servers that respond.
    Upstreams,
    /// Its earlier definitions.
    Revisions,
}

impl Tab {
    const ALL: [Self; 5] = [
        Self::Definition,
        Self::Chain,
        Self::Cache,
        Self::Upstreams,
        Self::Revisions,
    ];

    /// Returns the tab for an address of the editor.
    pub(super) fn of(path: &str) -> Self {
        if Page::is_revisions(path) {
            Self::Revisions
        } else if Page::is_chain(path) {
            Self::Chain
        } else {
            Self::Definition
        }
    }

    /// Returns what to call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Definition => "Definition",
            Self::Chain => "Chain",
            Self::Cache => "Cache",
            Self::Upstreams => "Upstreams",
            Self::Revisions => "Revisions",
        }
    }

    fn link(self, id: &str) -> String {
        match self {
            Self::Definition => routes::api(id),
            Self::Chain => routes::chain(id),
            Self::Cache => routes::cache(id, ""),
            Self::Upstreams => routes::upstreams(id),
            Self::Revisions => routes::revisions(id),
        }
    }
}

/// The link back to the list.
#[component]
pub(super) fn ApiCrumbs(id: StoredValue<String>) -> impl IntoView {
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=routes::APIS>"APIs"</a>
            <Icon glyph=Glyph::Chevron />
            <code>{id.get_value()}</code>
        </nav>
    }
}

/// The tabs of an API, each with its own address.
#[component]
pub(super) fn ApiTabs(id: StoredValue<String>, tab: Signal<Tab>) -> impl IntoView {
    let link = move |own: Tab| {
        let href = id.with_value(|id| own.link(id));
        view! { <a href=href aria-current=move || (tab.get() == own).then_some("page")>{own.name()}</a> }
            .into_any()
    };
    view! { <nav class="tabs" aria-label="Parts of the API">{each(Tab::ALL, link)}</nav> }
}

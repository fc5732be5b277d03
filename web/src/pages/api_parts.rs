//! What the pages of one API have in common, whichever module shows them: the way back, and the other parts.

use leptos::prelude::*;

use crate::components::{Glyph, Icon, each};
use crate::routes::{self, Page};

/// The parts of an API's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tab {
    /// What is stored.
    Definition,
    /// What a request passes.
    Chain,
    /// What is kept of its answers.
    Cache,
    /// Who answers.
    Upstreams,
    /// What was stored before.
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

    /// The part that an address of the editor shows.
    pub(super) fn of(path: &str) -> Self {
        if Page::is_revisions(path) {
            Self::Revisions
        } else if Page::is_chain(path) {
            Self::Chain
        } else {
            Self::Definition
        }
    }

    fn link(self, id: &str) -> (String, &'static str) {
        match self {
            Self::Definition => (routes::api(id), "Definition"),
            Self::Chain => (routes::chain(id), "Chain"),
            Self::Cache => (routes::cache(id, ""), "Cache"),
            Self::Upstreams => (routes::upstreams(id), "Upstreams"),
            Self::Revisions => (routes::revisions(id), "Revisions"),
        }
    }
}

/// The way back to the list.
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

/// The parts of an API, each with an address of its own.
#[component]
pub(super) fn ApiTabs(id: StoredValue<String>, tab: Signal<Tab>) -> impl IntoView {
    let link = move |own: Tab| {
        let (href, name) = id.with_value(|id| own.link(id));
        view! { <a href=href aria-current=move || (tab.get() == own).then_some("page")>{name}</a> }
            .into_any()
    };
    view! { <nav class="tabs" aria-label="Parts of the API">{each(Tab::ALL, link)}</nav> }
}

//! What a list of APIs covers: all of them, or those administered as one kind of document.

use gatewright_model::openapi::DocumentKind;
use leptos::prelude::*;

use crate::components::{Empty, Glyph, Icon};
use crate::pages::needs::{to_new, writes};
use crate::routes;

/// The texts and addresses of a list.
#[derive(Debug)]
pub struct Face {
    /// The address of the list.
    pub(super) path: &'static str,
    /// Only APIs administered as this kind of document; `None` for all APIs.
    pub(super) document: Option<DocumentKind>,
    /// The heading.
    pub(super) title: &'static str,
    /// The line below the heading.
    pub(super) lead: &'static str,
    /// The noun for one of them.
    pub(super) noun: &'static str,
    /// The address of the page for a new one, and the label of the link.
    pub(super) new: (&'static str, &'static str),
    /// Whether an OpenAPI document can be imported to become one.
    pub(super) imports: bool,
    glyph: Glyph,
    first: (&'static str, &'static str),
}

/// All APIs.
pub static ALL: Face = Face {
    path: routes::APIS,
    document: None,
    title: "APIs",
    lead: "Definitions as they are stored. A reload makes the gateway serve them.",
    noun: "API",
    new: (routes::NEW_API, "New API"),
    imports: true,
    glyph: Glyph::Apis,
    first: (
        "No APIs yet",
        "Paste a definition, start with a small one, or import an OpenAPI document. It is checked while you type.",
    ),
};

/// OpenAPI APIs.
pub static OPENAPI: Face = Face {
    path: routes::OPENAPI,
    document: Some(DocumentKind::Oas),
    title: "OpenAPI APIs",
    lead: "APIs that are administered as their OpenAPI document. A reload makes the gateway serve what is stored.",
    noun: "OpenAPI API",
    new: (routes::NEW_OPENAPI, "New OpenAPI API"),
    imports: true,
    glyph: Glyph::Braces,
    first: (
        "No OpenAPI APIs yet",
        "An OpenAPI document describes an API. Saved here it becomes the API itself, with rules for each operation, checked requests and answers from its examples.",
    ),
};

/// MCP proxies.
pub static PROXIES: Face = Face {
    path: routes::MCP,
    document: Some(DocumentKind::Mcp),
    title: "MCP proxies",
    lead: "MCP servers behind the gateway. A reload makes it serve what is stored.",
    noun: "MCP proxy",
    new: (routes::NEW_MCP, "New MCP proxy"),
    imports: false,
    glyph: Glyph::Plug,
    first: (
        "No MCP proxies yet",
        "An MCP server offers tools, resources and prompts to AI agents. A proxy in front of it says who may use which of them, and how fast.",
    ),
};

impl Face {
    /// Returns the query that restricts the summaries to this list.
    pub(super) fn query(&self) -> &'static str {
        match self.document {
            None => "",
            Some(DocumentKind::Oas) => "&document=oas",
            Some(DocumentKind::Mcp) => "&document=mcp",
        }
    }

    /// Returns the links for creating one, shown beside the heading.
    pub(super) fn create_links(&'static self) -> AnyView {
        let (new, label) = self.new;
        view! {
            {self.imports.then(|| writes(import))}
            {to_new(new, label)}
        }
        .into_any()
    }

    /// Returns the empty state.
    pub(super) fn first(&'static self) -> AnyView {
        let (title, text) = self.first;
        view! {
            <Empty glyph=self.glyph title=title>
                <p>{text}</p>
                <div class="row">{self.create_links()}</div>
            </Empty>
        }
        .into_any()
    }
}

fn import() -> AnyView {
    view! {
        <a class="btn" href=routes::IMPORT>
            <Icon glyph=Glyph::Import />
            "Import"
        </a>
    }
    .into_any()
}

/// Returns the badge for the kind of document in the list of all APIs; `None` for a classic definition.
pub(super) fn kind_badge(document: Option<DocumentKind>) -> Option<AnyView> {
    let (word, title) = match document? {
        DocumentKind::Oas => ("OpenAPI", "Administered as its OpenAPI document"),
        DocumentKind::Mcp => ("MCP", "A proxy in front of an MCP server"),
    };
    Some(view! { <span class="badge badge-plain kind-badge" title=title>{word}</span> }.into_any())
}

//! What a list of APIs is about: all of them, or those that are administered as one kind of document.

use gatewright_model::openapi::DocumentKind;
use leptos::prelude::*;

use crate::components::{Empty, Glyph, Icon};
use crate::pages::needs::{to_new, writes};
use crate::routes;

/// The words and addresses of a list.
#[derive(Debug)]
pub struct Face {
    /// The address of the list.
    pub(super) path: &'static str,
    /// Only what is administered as this kind of document; none for all APIs.
    pub(super) document: Option<DocumentKind>,
    /// The heading.
    pub(super) title: &'static str,
    /// What stands below it.
    pub(super) lead: &'static str,
    /// What one is called.
    pub(super) noun: &'static str,
    /// Where a new one is made, and what that is called.
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
        "Paste a definition you have, begin with a small one, or let an OpenAPI document become one. It is checked while you type.",
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
        "An OpenAPI document says what an API answers. Stored here it becomes an API itself: with rules for each operation, checked requests and answers from its examples.",
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
    /// What narrows the request for summaries down to what is listed.
    pub(super) fn query(&self) -> &'static str {
        match self.document {
            None => "",
            Some(DocumentKind::Oas) => "&document=oas",
            Some(DocumentKind::Mcp) => "&document=mcp",
        }
    }

    /// The ways to a new one, beside a heading.
    pub(super) fn ways(&'static self) -> AnyView {
        let (new, label) = self.new;
        view! {
            {self.imports.then(|| writes(import))}
            {to_new(new, label)}
        }
        .into_any()
    }

    /// What stands there before there is any.
    pub(super) fn first(&'static self) -> AnyView {
        let (title, text) = self.first;
        view! {
            <Empty glyph=self.glyph title=title>
                <p>{text}</p>
                <div class="row">{self.ways()}</div>
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

/// What an API of the list of all is administered as, unless it is a definition.
pub(super) fn kind_badge(document: Option<DocumentKind>) -> Option<AnyView> {
    let (word, title) = match document? {
        DocumentKind::Oas => ("OpenAPI", "Administered as its OpenAPI document"),
        DocumentKind::Mcp => ("MCP", "A proxy in front of an MCP server"),
    };
    Some(view! { <span class="badge badge-plain kind-badge" title=title>{word}</span> }.into_any())
}

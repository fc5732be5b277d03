//! OpenAPI APIs and MCP proxies: the page of one of them, which is an OpenAPI document with the gateway's extension.

mod catalogue;
mod glance;
mod head;
mod operations;
mod subjects;

use gatewright_model::openapi::DocumentKind;
use leptos::prelude::*;

use super::documents::{
    Desk, DocumentPage, ReloadCard, Sort, history_served, no_secret, nothing_there,
};
use super::neighbours::{Neighbours, owner_link};
use super::recent_notices::RecentNotices;
use super::used_by::{self, Used};
use crate::api::dashboard::Group;
use crate::components::{Shown, live, maybe};
use crate::routes;
use crate::state::handover::take_document;
use crate::state::rules::in_extension;
use crate::state::taken::{self, Route};
use crate::state::{Memo, effect};
use catalogue::Catalogue;
use glance::Glance;
use operations::Operations;

/// Pointers to the name of either kind.
const NAMED: &[&str] = &[
    "/x-gateway-api-gateway/info/name",
    "/x-tyk-api-gateway/info/name",
    "/info/title",
];

/// Refusals that identify their field only by words.
const REFUSALS: &[(&str, &str)] = &[
    (
        "does not match that in Definition",
        "/x-gateway-api-gateway/info/id",
    ),
    (
        "listen path",
        "/x-gateway-api-gateway/server/listenPath/value",
    ),
    ("API ID", "/x-gateway-api-gateway/info/id"),
];

const MEANS: &str = "If it is served now, it stays so until the next reload. It can be restored from its revisions.";

/// The page of an OpenAPI API.
const OPENAPI: Sort = Sort {
    group: Group::OpenApis,
    root: "openapi_api",
    document: Some(DocumentKind::Oas),
    noun: "OpenAPI API",
    plural: "OpenAPI APIs",
    list: routes::OPENAPI,
    new: routes::NEW_OPENAPI,
    template: r#"{
  "openapi": "3.0.3",
  "info": { "title": "New API", "version": "1.0.0" },
  "paths": {
    "/status": {
      "get": {
        "operationId": "getStatus",
        "responses": { "200": { "description": "It works" } }
      }
    }
  },
  "x-gateway-api-gateway": {
    "info": {
      "name": "New API",
      "state": { "active": true }
    },
    "upstream": { "url": "https://example.com/" },
    "server": {
      "listenPath": { "value": "/new-api/", "strip": true }
    }
  }
}
"#,
    unfinished: false,
    prepared: take_document,
    named: NAMED,
    does: head::does,
    means: MEANS,
    warns: |id| used_by::warning(Used::Api, id),
    derived: &[],
    refusals: REFUSALS,
    head: head::head,
    actions: head::actions,
    above: nothing_there,
    about_problems: taken_by,
    beside,
    secret: no_secret,
    below: |desk| view! { <Operations desk=desk /> }.into_any(),
    after: |desk, id| history_served(desk, id, Signal::derive(move || head::served(desk))),
};

/// The page of an MCP proxy.
static PROXY: Sort = Sort {
    group: Group::McpProxies,
    root: "mcp_proxy",
    document: Some(DocumentKind::Mcp),
    noun: "MCP proxy",
    plural: "MCP proxies",
    list: routes::MCP,
    new: routes::NEW_MCP,
    template: r#"{
  "openapi": "3.0.3",
  "info": { "title": "New proxy", "version": "1.0.0" },
  "paths": {},
  "x-gateway-api-gateway": {
    "info": {
      "name": "New proxy",
      "state": { "active": true }
    },
    "upstream": { "url": "https://example.com/mcp" },
    "server": {
      "listenPath": { "value": "/new-proxy/", "strip": true }
    },
    "middleware": {
      "mcpTools": {}
    }
  }
}
"#,
    unfinished: false,
    below: |desk| {
        view! {
            <Catalogue desk=desk />
            <Operations desk=desk />
        }
        .into_any()
    },
    ..OPENAPI
};

/// The page of one OpenAPI API.
#[component]
pub fn OpenApiPage(
    /// Its id, from the address; `None` for a new one.
    id: Option<String>,
) -> impl IntoView {
    view! { <DocumentPage sort=&OPENAPI id=id /> }
}

/// The page of one MCP proxy.
#[component]
pub fn ProxyPage(
    /// Its id, from the address; `None` for a new one.
    id: Option<String>,
) -> impl IntoView {
    view! { <DocumentPage sort=&PROXY id=id /> }
}

fn beside(desk: Desk) -> AnyView {
    view! {
        <Glance desk=desk />
        <Shown when=move || head::waits(desk)>
            <ReloadCard desk=desk />
        </Shown>
        {used_by::beside(desk, Used::Api, "Nothing that you can see uses it.")}
        {maybe(desk.id(), |id| view! { <RecentNotices console=desk.console id=id /> }.into_any())}
    }
    .into_any()
}

/// Reports the API that has the listen path already, and leads to it.
fn taken_by(desk: Desk) -> AnyView {
    let key = Memo::new(move |_| {
        let key = |text: &str| Route::of_document(text, desk.id()).map(|route| route.key());
        let (new, stored) = (key(&desk.text()), key(&desk.base()));
        match new == stored {
            true => String::new(),
            false => new.unwrap_or_default(),
        }
    });
    let around = Neighbours::watch(desk.console, key);
    effect(move || {
        desk.again.track();
        around.again();
    });
    effect(move || {
        let text = desk.text();
        let pointer = in_extension(&text, "/server/listenPath/value");
        let owner = around.owner();
        let problem = owner.and_then(|owner| taken::problem(&text, &pointer, &owner));
        desk.others.set(problem.into_iter().collect());
    });
    live(move || maybe(around.owner(), owner_link))
}

/// Returns the kind of document of a desk.
fn kind(desk: Desk) -> DocumentKind {
    desk.sort.document.unwrap_or(DocumentKind::Oas)
}

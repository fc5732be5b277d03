//! An API definition: the typed view that consumers read, and the checks it has to pass.
//!
//! The view is made straight from the parsed text and holds only what this system acts on. It is
//! never written back: the stored document is the record.

mod categories;
mod effective;
pub mod host;
pub mod rewrites;
pub mod route;
mod rules;
mod serving;
pub mod target;
mod template;
mod unservable;

use crate::findings::Findings;
use crate::issue::{Issue, IssueCode};
use crate::json::{Span, Value, parse_into};
use crate::shape;

pub use categories::categories;
pub use effective::effective;
pub use route::{ListenPath, RESERVED, reserved, route_key};
pub use rules::reason::first_reason;
pub use serving::{Serving, serving};
pub use template::{Piece, Template, pieces};
pub use unservable::{Allowed, unservable};

/// The longest definition, in bytes: it is one SQLite value of a Durable Object (at most 2 MB,
/// <https://developers.cloudflare.com/durable-objects/platform/limits/>) with room for its revision's
/// other columns, and one KV value.
pub const MAX_BYTES: usize = 1024 * 1024;

/// What the gateway reads of an API definition. Absent and null members have their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiDefinition {
    /// The identifier, "" while the gateway hasn't chosen one.
    pub api_id: String,
    /// What people call it.
    pub name: String,
    /// The organisation it belongs to.
    pub org_id: String,
    /// Informative only; no route depends on it.
    pub slug: String,
    /// Whether it is served: only an explicit `false` switches it off, as in the reference.
    pub active: bool,
    /// Not served publicly, reachable from other APIs only.
    pub internal: bool,
    /// The host name it is served on, in lower case; "" for every host, also with `domain_disabled`.
    pub domain: String,
    /// `protocol`, "" being http.
    pub protocol: String,
    /// What requests and answers are made of.
    pub speaks: Speaks,
    /// Whether requests need no key.
    pub keyless: bool,
    /// Whether it has an OAuth 2.0 server (`use_oauth2`).
    pub oauth: bool,
    /// `enable_batch_request_support`.
    pub batch: bool,
    /// Labels.
    pub tags: Vec<String>,
    /// Where requests come in and where they go.
    pub proxy: Proxy,
    /// `definition.versions`: version name and the id of the API that serves it.
    pub versions: Vec<(String, String)>,
}

/// What the requests of an API are made of, where that is more than HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Speaks {
    /// Nothing that the gateway knows of.
    #[default]
    Http,
    /// GraphQL (`graphql.enabled`).
    GraphQl,
    /// The Model Context Protocol (`application_protocol`).
    Mcp,
}

impl Speaks {
    /// Reads a definition.
    #[must_use]
    pub fn read(definition: &Value<'_>) -> Self {
        let graphql = definition.get("graphql");
        if definition.str("application_protocol") == Some("mcp") {
            Self::Mcp
        } else if graphql.and_then(|graphql| graphql.bool("enabled")) == Some(true) {
            Self::GraphQl
        } else {
            Self::Http
        }
    }
}

/// The part of `proxy` that routing and forwarding need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxy {
    /// The path under which it is served: as it is written, cleaned ([`route::clean`]).
    pub listen_path: String,
    /// The upstream's URL; "" when it gets its targets from elsewhere.
    pub target_url: String,
    /// Whether the listen path is removed before forwarding.
    pub strip_listen_path: bool,
    /// Whether a trailing slash is kept when the listen path was removed.
    pub disable_strip_slash: bool,
}

impl ApiDefinition {
    /// Reads the view from a parsed document. It never fails: members of a wrong type, which
    /// [`validate`] reports, count as absent.
    #[must_use]
    pub fn read(value: &Value<'_>) -> Self {
        let text = |name| value.str(name).unwrap_or_default().to_owned();
        let on = |name| value.bool(name).unwrap_or(false);
        let domain = if on("domain_disabled") {
            String::new()
        } else {
            host::normal(&text("domain"))
        };
        Self {
            api_id: text("api_id"),
            name: text("name"),
            org_id: text("org_id"),
            slug: text("slug"),
            active: value.bool("active").unwrap_or(true),
            internal: on("internal"),
            domain,
            protocol: text("protocol"),
            speaks: Speaks::read(value),
            keyless: on("use_keyless"),
            oauth: on("use_oauth2"),
            batch: on("enable_batch_request_support"),
            tags: value.get("tags").map(texts).unwrap_or_default(),
            proxy: value.get("proxy").map(Proxy::read).unwrap_or_default(),
            versions: read_versions(value),
        }
    }

    /// The key under which no other publicly served API may stand; see [`route_key`].
    #[must_use]
    pub fn route_key(&self) -> String {
        route_key(&self.domain, &self.proxy.listen_path)
    }
}

impl Proxy {
    fn read(value: &Value<'_>) -> Self {
        let text = |name| value.str(name).unwrap_or_default().to_owned();
        let on = |name| value.bool(name).unwrap_or(false);
        Self {
            listen_path: route::clean(value.str("listen_path").unwrap_or_default()).into_owned(),
            target_url: text("target_url"),
            strip_listen_path: on("strip_listen_path"),
            disable_strip_slash: on("disable_strip_slash"),
        }
    }
}

fn texts(value: &Value<'_>) -> Vec<String> {
    value
        .items()
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// The versions of an API that a key may name (reference 2.2, 3.2): those of `version_data`, by the names
/// that their entries have, and `Default` where there is none.
#[must_use]
pub fn version_names(definition: &Value<'_>) -> Vec<String> {
    let versions = definition.pointer("/version_data/versions");
    let members = versions.map(Value::members).unwrap_or_default();
    let named = members.iter().map(|version| {
        let name = version.value.str("name").filter(|name| !name.is_empty());
        name.unwrap_or(&version.name).to_owned()
    });
    let names: Vec<String> = named.collect();
    if names.is_empty() {
        return vec!["Default".to_owned()];
    }
    names
}

fn read_versions(value: &Value<'_>) -> Vec<(String, String)> {
    let versions = value
        .get("definition")
        .and_then(|definition| definition.get("versions"));
    let members = versions.map(Value::members).unwrap_or_default();
    let pair = |member: &crate::json::Member<'_>| {
        let id = member.value.as_str()?;
        Some((member.name.to_string(), id.to_owned()))
    };
    members.iter().filter_map(pair).collect()
}

/// Checks the text of an API definition: JSON, shape, rules. All issues, in document order; the
/// document may be stored when none of them is an error.
///
/// A listen path that belongs to the gateway itself is an [`IssueCode::Conflict`], like two members
/// that exclude each other; callers that answer it differently ask [`reserved`] first.
#[must_use]
pub fn validate(text: &str) -> Vec<Issue> {
    let mut findings = Findings::default();
    if text.len() > MAX_BYTES {
        let message = format!("the definition is longer than {MAX_BYTES} bytes; shorten it");
        findings.error(IssueCode::TooLarge, Span::default(), String::new(), message);
    } else if let Some(value) = parse_into(text, &mut findings) {
        check(&value, &mut findings);
    }
    findings.into_issues(text)
}

/// Like [`validate`] for a text that is parsed already: shape and rules.
#[must_use]
pub fn validate_value(text: &str, value: &Value<'_>) -> Vec<Issue> {
    let mut findings = Findings::default();
    check(value, &mut findings);
    findings.into_issues(text)
}

pub(crate) fn check(value: &Value<'_>, findings: &mut Findings) {
    if let Some(version) = value
        .get("openapi")
        .filter(|_| value.get("proxy").is_none())
    {
        let message =
            "this is an OpenAPI document; an API definition has the members name and proxy";
        return findings.error(
            IssueCode::Format,
            version.span,
            "/openapi".to_owned(),
            message,
        );
    }
    shape::check(shape::Root::ApiDefinition, value, findings);
    rules::check(value, findings);
}

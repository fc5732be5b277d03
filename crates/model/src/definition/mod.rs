//! API definitions: the typed view that consumers read, and the checks they have to pass.
//!
//! The view is built straight from the parsed text and holds only what this system acts on. It is never written back:
//! the stored document is the record.

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

/// The longest definition, in bytes. It is one SQLite value of a Durable Object (at most 2 MB,
/// <https://developers.cloudflare.com/durable-objects/platform/limits/>), with room for the other columns of its
/// revision, and one KV value.
pub const MAX_BYTES: usize = 1024 * 1024;

/// The gateway's view of an API definition. Absent and null members have their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiDefinition {
    /// The identifier; "" until the gateway has chosen one.
    pub api_id: String,
    /// The display name.
    pub name: String,
    /// The organisation it belongs to.
    pub org_id: String,
    /// Informative only; no route depends on it.
    pub slug: String,
    /// Whether it is served: only an explicit `false` switches it off, as in the reference.
    pub active: bool,
    /// Whether it is not served publicly and only reachable from other APIs.
    pub internal: bool,
    /// The host name it is served on, in lower case; "" for every host, and if `domain_disabled` is set.
    pub domain: String,
    /// `protocol`; "" means http.
    pub protocol: String,
    /// The protocol inside requests and responses.
    pub application_protocol: ApplicationProtocol,
    /// Whether requests need no key.
    pub keyless: bool,
    /// Whether it has an OAuth 2.0 server (`use_oauth2`).
    pub oauth: bool,
    /// Whether batch requests are enabled (`enable_batch_request_support`).
    pub batch: bool,
    /// Labels.
    pub tags: Vec<String>,
    /// Where requests are received and where they are forwarded.
    pub proxy: Proxy,
    /// `definition.versions`: version names, each with the id of the API that serves it.
    pub versions: Vec<(String, String)>,
}

/// The protocol of an API on top of HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ApplicationProtocol {
    /// None that the gateway knows.
    #[default]
    Http,
    /// GraphQL (`graphql.enabled`).
    GraphQl,
    /// The Model Context Protocol (`application_protocol`).
    Mcp,
}

impl ApplicationProtocol {
    /// Reads it from a definition.
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

/// The members of `proxy` that routing and forwarding need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxy {
    /// The path it is served under, as written but cleaned ([`route::clean`]).
    pub listen_path: String,
    /// The upstream's URL; "" if the targets come from elsewhere.
    pub target_url: String,
    /// Whether the listen path is removed before forwarding.
    pub strip_listen_path: bool,
    /// Whether a trailing slash is preserved when the listen path is removed.
    pub disable_strip_slash: bool,
}

impl ApiDefinition {
    /// Reads the view from a parsed document. Never fails: members of a wrong type, which [`validate`] reports, count
    /// as absent.
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
            application_protocol: ApplicationProtocol::read(value),
            keyless: on("use_keyless"),
            oauth: on("use_oauth2"),
            batch: on("enable_batch_request_support"),
            tags: value.get("tags").map(texts).unwrap_or_default(),
            proxy: value.get("proxy").map(Proxy::read).unwrap_or_default(),
            versions: read_versions(value),
        }
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

/// Returns the versions of an API that a key may name (reference 2.2, 3.2): those of `version_data`, by the names in
/// their entries, or `Default` if there are none.
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

/// Checks the text of an API definition: JSON, shape, rules. Returns all issues in document order; the document may be
/// stored if none of them is an error.
///
/// A listen path that belongs to the gateway itself is an [`IssueCode::Conflict`], like two members that exclude each
/// other; callers that respond to it differently call [`reserved`] first.
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

/// Like [`validate`], for a text that has already been parsed: shape and rules.
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

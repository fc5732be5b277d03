//! Row 13: metadata for clients about the authorisation that an API requires (RFC 9728; reference 6.4, *Metadata*).
//!
//! A GET of the document is answered without a key. The challenge of a refused credential gives its address, at an MCP
//! proxy even if there is no document, because MCP clients look for it there.

use crate::chain::{Chain, Compiler, Link, Middleware, Step};
use crate::exchange::Exchange;
use crate::facts::list;
use crate::failure::{Answer, Failure, FailureReply, Reply};
use gatewright_model::json::{Value, quote};
use gatewright_protocol::variables::{Escape, Template};

/// The document's default path, below a listen path (RFC 9728 section 3).
pub const WELL_KNOWN: &str = ".well-known/oauth-protected-resource";

/// The definition's member for it.
const MEMBER: &str = "/openapi/protected_resource_metadata";

/// Where clients learn who issues tokens.
#[derive(Debug)]
pub struct ResourceMetadata {
    /// The path, below the listen path.
    pub path: String,
    /// The document, if there is one.
    document: Option<Document>,
}

/// A document (RFC 9728 section 2).
#[derive(Debug)]
struct Document {
    /// The resource, which may contain variables.
    resource: Template,
    /// The other members that aren't empty, each preceded by a comma.
    lists: String,
}

fn document(metadata: &Value<'_>) -> Document {
    let texts = |name| {
        let items = metadata.get(name).map(Value::items).unwrap_or_default();
        let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
        (!items.is_empty()).then(|| list(items.into_iter()))
    };
    let members = [
        ("authorization_servers", texts("authorizationServers")),
        ("scopes_supported", texts("scopesSupported")),
    ];
    let members = members.into_iter();
    Document {
        resource: Template::parse(metadata.str("resource").unwrap_or_default()),
        lists: members
            .filter_map(|(name, json)| Some(format!(",\"{name}\":{}", json?)))
            .collect(),
    }
}

impl ResourceMetadata {
    /// The metadata link of a chain.
    #[must_use]
    pub fn of(chain: &Chain) -> Option<&Self> {
        chain.links.iter().find_map(|link| match link {
            Link::ResourceMetadata(found) => Some(found),
            _ => None,
        })
    }

    /// Whether there is a document.
    #[must_use]
    pub const fn has_document(&self) -> bool {
        self.document.is_some()
    }

    /// Adds the document's address to the refusal of a missing or unknown credential. With a document, a missing token
    /// is 401 for every method (reference 3.2, *JWT*).
    pub fn challenge(&self, exchange: &Exchange, refusal: &mut FailureReply) {
        if self.document.is_some()
            && refusal.failure == Failure::CredentialMissing
            && refusal.status == Some(400)
        {
            refusal.status = Some(401);
        }
        let is_challenge =
            |(name, _): &(String, String)| name.eq_ignore_ascii_case("www-authenticate");
        if !matches!(refusal.status(), 401 | 403) || refusal.headers.iter().any(is_challenge) {
            return;
        }
        let request = &exchange.request;
        let (sent, rest) = (
            request.path.sent(),
            request.path.sent_behind(exchange.route.listen),
        );
        let listen = sent
            .strip_suffix(rest)
            .unwrap_or(sent)
            .trim_end_matches('/');
        let (scheme, authority, path) = (request.scheme, &request.authority, &self.path);
        let value = format!(
            "Bearer realm=\"gateway\", resource_metadata=\"{scheme}://{authority}{listen}/{path}\""
        );
        refusal.headers.push(("www-authenticate".to_owned(), value));
    }
}

impl Middleware for ResourceMetadata {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let metadata = from.definition.pointer(MEMBER);
        let metadata = metadata.filter(|metadata| metadata.bool("enabled") == Some(true));
        if metadata.is_none() && !from.is_mcp() {
            return None;
        }
        if metadata.is_some() {
            from.origin(MEMBER, "");
        }
        let path = metadata.and_then(|metadata| metadata.str("wellKnownPath"));
        let path = path
            .map(|path| path.trim_matches('/'))
            .filter(|path| !path.is_empty());
        Some(Self {
            path: path.unwrap_or(WELL_KNOWN).to_owned(),
            document: metadata.map(document),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let Some(document) = &self.document else {
            return Step::Next;
        };
        let asked = exchange.request.path.decoded();
        let asked = asked.get(exchange.route.listen..).unwrap_or_default();
        let is_read = matches!(exchange.request.method.as_str(), "GET" | "HEAD");
        if !is_read || asked.trim_start_matches('/') != self.path {
            return Step::Next;
        }
        let resource = quote(&exchange.fill(&document.resource, Escape::None));
        let body = format!("{{\"resource\":{resource}{}}}\n", document.lists);
        let answer = Answer::of_type(200, "application/json", body);
        Step::Reply(Reply::Answer(
            answer.with("x-content-type-options", "nosniff"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Sent, send};

    fn definition(metadata: &str) -> String {
        format!(
            r#"{{"use_keyless":true,"openapi":{{"protected_resource_metadata":{metadata}}},
                "version_data":{{"versions":{{"v":{{}}}}}}}}"#
        )
    }

    const FULL: &str = r#"{"enabled":true,"resource":"https://r.example","authorizationServers":["https://i.example"],"scopesSupported":["a","b"]}"#;

    fn body(sent: &Sent) -> Option<&str> {
        sent.answer().map(|answer| answer.body.as_str())
    }

    #[test]
    fn the_document_is_read_without_a_key() {
        let full = definition(FULL);
        let path = "/.well-known/oauth-protected-resource";
        let expected = "{\"resource\":\"https://r.example\",\"authorization_servers\":[\"https://i.example\"],\"scopes_supported\":[\"a\",\"b\"]}\n";
        assert_eq!(body(&send(&full, "GET", path, &[])), Some(expected));
        assert_eq!(body(&send(&full, "POST", path, &[])), None);
        assert_eq!(
            body(&send(
                &full,
                "GET",
                "/.well-known/oauth-protected-resource/x",
                &[]
            )),
            None
        );
        let own = definition(
            r#"{"enabled":true,"wellKnownPath":"/meta/prm","resource":"r","scopesSupported":[]}"#,
        );
        assert_eq!(
            body(&send(&own, "GET", "/meta/prm", &[])),
            Some("{\"resource\":\"r\"}\n")
        );
        assert_eq!(body(&send(&own, "GET", path, &[])), None);
        let filled = definition(
            r#"{"enabled":true,"resource":"https://$gateway_context.headers_Host/\"a"}"#,
        );
        let filled = filled.replacen('{', r#"{"enable_context_vars":true,"#, 1);
        assert_eq!(
            body(&send(&filled, "GET", path, &[])),
            Some("{\"resource\":\"https://api.example/\\\"a\"}\n")
        );
        let off = definition(r#"{"enabled":false,"resource":"r"}"#);
        assert_eq!(body(&send(&off, "GET", path, &[])), None);
    }

    fn challenged(
        definition: &str,
        failure: Failure,
        status: Option<u16>,
    ) -> (u16, Option<String>) {
        let sent = send(definition, "GET", "/x", &[]);
        let metadata = ResourceMetadata::of(&sent.exchange.chain).unwrap();
        let mut refusal = FailureReply {
            status,
            ..failure.into()
        };
        metadata.challenge(&sent.exchange, &mut refusal);
        let value = refusal.headers.first().map(|(_, value)| value.clone());
        (refusal.status(), value)
    }

    #[test]
    fn refusal_points_to_the_metadata() {
        let full = definition(FULL);
        let value = Some("Bearer realm=\"gateway\", resource_metadata=\"http://api.example/.well-known/oauth-protected-resource\"".to_owned());
        let mcp = r#"{"application_protocol":"mcp","version_data":{"versions":{"v":{}}}}"#;
        for definition in [full.as_str(), mcp] {
            let missing = Failure::CredentialMissing;
            assert_eq!(challenged(definition, missing, None), (401, value.clone()));
            let unknown = Failure::CredentialUnknown;
            assert_eq!(challenged(definition, unknown, None), (403, value.clone()));
            assert_eq!(challenged(definition, unknown, Some(400)), (400, None));
        }
        assert_eq!(
            challenged(&full, Failure::CredentialMissing, Some(400)),
            (401, value)
        );
        assert_eq!(
            challenged(mcp, Failure::CredentialMissing, Some(400)),
            (400, None)
        );
    }
}

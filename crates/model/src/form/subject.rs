//! The subject of a form: a document of the table of members, or an OpenAPI document with the vendor extension.

use crate::json::Value;
use crate::openapi::administered::EXTENSION;
use crate::openapi::{DocumentKind, EXTENSIONS, Operation, operations, stored};
use crate::shape::oas::{self, Version};
use crate::shape::{Root, Spot, Type};

/// A kind of document that has a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One of the table of members.
    Table(Root),
    /// An OpenAPI document with the vendor extension.
    OpenApi(DocumentKind),
}

impl From<Root> for Subject {
    fn from(root: Root) -> Self {
        Self::Table(root)
    }
}

impl Subject {
    /// Returns the kind of document with this name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        let described = DocumentKind::from_word(word).map(Self::OpenApi);
        described.or_else(|| Root::from_word(word).map(Self::Table))
    }

    /// Returns its name in sentences, with its article.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Table(root) => root.title(),
            Self::OpenApi(DocumentKind::Oas) => "an OpenAPI API",
            Self::OpenApi(DocumentKind::Mcp) => "an MCP proxy",
        }
    }

    /// Returns the spot of a complete document. For an OpenAPI document it depends on the version and the spelling of
    /// the extension in it.
    #[must_use]
    pub fn spot(self, document: &Value<'_>) -> Spot {
        match self {
            Self::Table(root) => Spot::root(root),
            Self::OpenApi(kind) => {
                let has = |name: &str| document.get(name).is_some();
                Spot::of(shape(document.str("openapi"), &has, kind))
            }
        }
    }

    /// Like [`Self::spot`], for a text that need not be valid JSON: `text` returns the text of a member of the
    /// document, and `has` whether it has a member.
    pub(crate) fn spot_of<'t>(
        self,
        text: &dyn Fn(&str) -> Option<&'t str>,
        has: &dyn Fn(&str) -> bool,
    ) -> Spot {
        match self {
            Self::Table(root) => Spot::root(root),
            Self::OpenApi(kind) => Spot::of(shape(text("openapi"), has, kind)),
        }
    }

    /// Whether the table gives the support for values below a top-level member: around the extension, an OpenAPI
    /// document is a description, of which the gateway uses parts.
    pub(crate) fn has_support(self, member: &str) -> bool {
        matches!(self, Self::Table(_)) || member.starts_with("x-")
    }

    /// Returns the keys that a map can have because they refer to something defined elsewhere in the document, each
    /// with a display name. `None` if any key will do.
    #[must_use]
    pub fn names(self, document: &Value<'_>, pointer: &str) -> Option<Vec<(String, String)>> {
        if matches!(self, Self::Table(_)) {
            return None;
        }
        let (name, _) = stored::extension(document)?;
        match pointer.strip_prefix('/')?.strip_prefix(name)? {
            "/middleware/operations" => {
                let called =
                    |one: &Operation<'_, '_>| (one.id(), format!("{} {}", one.method, one.path));
                Some(operations(document).iter().map(called).collect())
            }
            "/server/authentication/securitySchemes" => {
                let schemes = document.pointer("/components/securitySchemes");
                let schemes = schemes.map(Value::members).unwrap_or_default();
                let called = |scheme: &Value<'_>| {
                    let words = ["type", "scheme", "in"].map(|name| scheme.str(name));
                    let words: Vec<&str> = words.into_iter().flatten().collect();
                    words.join(" ")
                };
                let named = schemes.iter();
                let named = named.map(|scheme| (scheme.name.to_string(), called(&scheme.value)));
                Some(named.collect())
            }
            _ => None,
        }
    }
}

fn shape(version: Option<&str>, has: &dyn Fn(&str) -> bool, kind: DocumentKind) -> &'static Type {
    let version = match version {
        Some(version) if version.starts_with("3.1") => Version::V3_1,
        _ => Version::V3_0,
    };
    let name = EXTENSIONS.into_iter().find(|name| has(name));
    oas::shape(version, kind, name.unwrap_or(EXTENSION))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::{added_value, search_of, spot};
    use crate::json::parse;

    const DOCUMENT: &str = r#"{"openapi":"3.1.0","info":{"title":"t","version":"1"},
        "paths":{"/pets":{"get":{"operationId":"listPets"},"post":{}}},
        "components":{"securitySchemes":{"key":{"type":"apiKey","in":"header","name":"X"},"jwt":{"type":"http","scheme":"bearer"}}},
        "x-tyk-api-gateway":{"middleware":{"operations":{}}}}"#;

    #[test]
    fn subject_is_found_by_word_and_spelling() {
        let document = parse(DOCUMENT).unwrap();
        let subject = Subject::from_word("openapi_api").unwrap();
        assert_eq!(Subject::from_word("policy"), Some(Root::Policy.into()));
        assert_eq!(Subject::from_word("x"), None);
        let name = |pointer| {
            let spot = spot(subject, &document, pointer);
            spot.and_then(|spot| spot.member).map(|member| member.name)
        };
        assert_eq!(
            name("/x-tyk-api-gateway/server/listenPath/strip"),
            Some("strip")
        );
        assert_eq!(
            name("/x-gateway-api-gateway"),
            None,
            "the document spells it otherwise"
        );
        assert_eq!(name("/info/summary"), Some("summary"), "only 3.1 has it");
        let older = DOCUMENT.replace("3.1.0", "3.0.3");
        let older = parse(&older).unwrap();
        assert!(spot(subject, &older, "/info/summary").is_none());
        assert!(spot(subject, &older, "/x-tyk-api-gateway/middleware/mcpTools").is_none());
        let proxy = Subject::from_word("mcp_proxy").unwrap();
        assert!(
            spot(
                proxy,
                &older,
                "/x-tyk-api-gateway/middleware/mcpTools/add/allow"
            )
            .is_some()
        );
    }

    #[test]
    fn entries_use_names_from_the_document() {
        let document = parse(DOCUMENT).unwrap();
        let subject = Subject::OpenApi(DocumentKind::Oas);
        let names = |pointer| subject.names(&document, pointer);
        let pairs = |pairs: [(&str, &str); 2]| {
            Some(
                pairs
                    .map(|(name, label)| (name.to_owned(), label.to_owned()))
                    .to_vec(),
            )
        };
        assert_eq!(
            names("/x-tyk-api-gateway/middleware/operations"),
            pairs([("listPets", "GET /pets"), ("petsPOST", "POST /pets")])
        );
        assert_eq!(
            names("/x-tyk-api-gateway/server/authentication/securitySchemes"),
            pairs([("key", "apiKey header"), ("jwt", "http bearer")])
        );
        assert_eq!(names("/paths"), None);
        assert_eq!(
            Subject::from(Root::ApiDefinition).names(&document, "/paths"),
            None
        );
    }

    #[test]
    fn new_rule_is_enabled() {
        let document = parse(DOCUMENT).unwrap();
        let at = |pointer: &str| {
            let spot = spot(Subject::OpenApi(DocumentKind::Oas), &document, pointer);
            added_value(spot.unwrap().member.unwrap())
        };
        let rules = "/x-tyk-api-gateway/middleware/operations/listPets";
        assert_eq!(at(&format!("{rules}/allow")), r#"{"enabled": true}"#);
        assert_eq!(
            at(&format!("{rules}/rateLimit")),
            r#"{"enabled": true, "rate": 0, "per": ""}"#
        );
    }

    #[test]
    fn extension_fields_are_found_by_keywords() {
        let document = parse(DOCUMENT).unwrap();
        let whole = Subject::OpenApi(DocumentKind::Oas).spot(&document);
        let hits = search_of(whole.kind.object().unwrap(), "listenpath");
        assert_eq!(
            hits[0].path.join("."),
            "x-tyk-api-gateway.server.listenPath"
        );
    }
}

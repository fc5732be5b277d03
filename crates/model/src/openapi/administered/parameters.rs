//! The parameters of PATCH and import, which build parts of the extension (reference 1.4).

use super::security::source;
use super::{DocumentError, changed, is_absolute};
use crate::json::{Member, Value, parse};
use crate::merge::MergeError;
use crate::openapi::operations::{Operation, operations};
use crate::openapi::stored::extension;
use crate::openapi::tree::Tree;
use serde::{Deserialize, Serialize};

/// The parameters sent with a document. Whatever is `None` is left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// `upstreamURL`.
    pub upstream_url: Option<String>,
    /// `listenPath`.
    pub listen_path: Option<String>,
    /// `customDomain`.
    pub custom_domain: Option<String>,
    /// `allowList`: allows every operation, and thereby no other path.
    pub allow_list: Option<bool>,
    /// `validateRequest`, for operations with parameters or a body of JSON.
    pub validate_request: Option<bool>,
    /// `mockResponse`, for operations with a response that has an example or a schema.
    pub mock_response: Option<bool>,
    /// `authentication`, by the schemes of `security`.
    pub authentication: Option<bool>,
    /// `securityProcessingMode`.
    pub security_processing_mode: Option<String>,
}

const INVALID_UPSTREAM: &str = "The manually configured upstream URL is not valid. The URL must be absolute and properly formatted (e.g. https://example.com). Please check the URL format and try again.";
const NO_SECURITY: &str = "The ‘security’ object is empty in your OAS. When enabling authentication, your OpenAPI description must include a ‘security’ object that defines the authentication schemes. You can either add a ‘security’ object or disable authentication in the API settings.";

impl Parameters {
    /// Whether any parameter is set.
    #[must_use]
    pub fn ask(&self) -> bool {
        *self != Self::default()
    }

    /// Applies the parameters to a document.
    ///
    /// # Errors
    /// The text of the reference if they can't be applied to this document.
    pub(super) fn applied(&self, document: &str) -> Result<String, DocumentError> {
        let value =
            parse(document).map_err(|_| DocumentError::from(MergeError::Target(Vec::new())))?;
        let Some((name, extension)) = extension(&value) else {
            return Ok(document.to_owned());
        };
        let mut made = Tree::object();
        if let Some(url) = &self.upstream_url {
            if !is_absolute(url) {
                return Err(DocumentError(INVALID_UPSTREAM.to_owned()));
            }
            made.set("upstream.url", Tree::text(url));
        }
        if let Some(path) = &self.listen_path {
            made.set("server.listenPath.value", Tree::text(path));
        }
        if let Some(domain) = &self.custom_domain {
            if extension.pointer("/server/customDomain").is_none() {
                made.set("server.customDomain.enabled", Tree::raw("true"));
            }
            made.set("server.customDomain.name", Tree::text(domain));
        }
        self.authentication(&value, &mut made)?;
        if let Some(mode) = &self.security_processing_mode {
            let has = extension
                .pointer("/server/authentication/enabled")
                .is_some();
            if !has && self.authentication.is_none() {
                made.set("server.authentication.enabled", bool(false));
            }
            made.set(
                "server.authentication.securityProcessingMode",
                Tree::text(mode),
            );
        }
        for operation in operations(&value) {
            self.rules((&value, extension), &operation, &mut made);
        }
        let mut patch = Tree::object();
        patch.set(name, made);
        changed(document, &patch)
    }

    fn rules(
        &self,
        (document, extension): (&Value<'_>, &Value<'_>),
        operation: &Operation<'_, '_>,
        made: &mut Tree,
    ) {
        let id = operation.id();
        let rules = extension.pointer("/middleware/operations");
        let blocked = rules.and_then(|rules| rules.get(&id)?.get("block")?.bool("enabled"));
        let mut set = |rule: &str, member: &[&str], value: Tree| {
            let mut path = vec!["middleware", "operations", id.as_str(), rule];
            path.extend(member);
            made.set_in(&path, value);
        };
        if let Some(on) = self.allow_list {
            set("allow", &["enabled"], bool(on));
            // As in the reference, an allowed operation is no longer blocked.
            if on && blocked == Some(true) {
                set("block", &["enabled"], bool(false));
            }
        }
        if let Some(on) = self.validate_request
            && has_input(document, operation)
        {
            set("validateRequest", &["enabled"], bool(on));
            set("validateRequest", &["errorResponseCode"], Tree::raw("422"));
        }
        if let Some(on) = self.mock_response
            && has_content(document, operation)
        {
            set("mockResponse", &["enabled"], bool(on));
            set("mockResponse", &["fromOASExamples", "enabled"], bool(on));
            // As in the reference, they replace whatever selected an example.
            for selected in ["code", "contentType", "exampleName"] {
                let examples = rules
                    .and_then(|rules| rules.get(&id)?.get("mockResponse")?.get("fromOASExamples"));
                if examples
                    .and_then(|examples| examples.get(selected))
                    .is_some()
                {
                    set(
                        "mockResponse",
                        &["fromOASExamples", selected],
                        Tree::raw("null"),
                    );
                }
            }
        }
    }

    fn authentication(&self, document: &Value<'_>, made: &mut Tree) -> Result<(), DocumentError> {
        let Some(on) = self.authentication else {
            return Ok(());
        };
        made.set("server.authentication.enabled", bool(on));
        let security = document.get("security").map(Value::items);
        let security = security.unwrap_or_default();
        if on && security.is_empty() {
            return Err(DocumentError(NO_SECURITY.to_owned()));
        }
        let schemes = document.pointer("/components/securitySchemes");
        let mut bases = Vec::new();
        for required in security.iter().flat_map(Value::members) {
            let scheme = schemes.and_then(|schemes| schemes.get(&required.name));
            // As in the reference, a scheme of another kind is left out; without any, keys are asked for.
            let Some((scheme, method)) = scheme.and_then(|scheme| Some((scheme, base(scheme)?)))
            else {
                continue;
            };
            let at = |member: [&str; 2]| {
                let start = ["server", "authentication", "securitySchemes"];
                let mut path = start.to_vec();
                path.push(&required.name);
                path.extend(member.into_iter().filter(|name| !name.is_empty()));
                path.into_iter().map(str::to_owned).collect::<Vec<_>>()
            };
            let mut set = |member, value| {
                let path = at(member);
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                made.set_in(&path, value);
            };
            set(["enabled", ""], bool(on));
            let (location, name) = source(scheme).unwrap_or(("header", "Authorization"));
            set([location, "enabled"], Tree::raw("true"));
            set([location, "name"], Tree::text(name));
            bases.push(method);
        }
        // Of several schemes, one determines the session, as in the reference; unless it is not among those that are
        // required together first, which would refuse every request.
        let first = security.first().map_or(0, |first| first.members().len());
        if bases.len() > 1
            && let Some((_, base)) = bases.iter().min()
            && bases.iter().min() == bases.iter().take(first).min()
        {
            let member = "server.authentication.baseIdentityProvider";
            made.set(member, Tree::text(base));
        }
        Ok(())
    }
}

/// Returns the name of a scheme's method in `baseIdentityProvider`, preceded by its rank; `None` if no method of the
/// gateway is known by that scheme.
fn base(scheme: &Value<'_>) -> Option<(u8, &'static str)> {
    let format = scheme.str("bearerFormat").unwrap_or_default();
    let is_jwt = format.eq_ignore_ascii_case("JWT");
    Some(match (scheme.str("type")?, scheme.str("scheme")) {
        ("apiKey", _) => (0, "auth_token"),
        ("http", Some("bearer")) if is_jwt => (1, "jwt_claim"),
        ("oauth2", _) => (2, "oauth_key"),
        ("http", Some("basic")) => (3, "basic_auth_user"),
        _ => return None,
    })
}

fn bool(on: bool) -> Tree {
    Tree::raw(if on { "true" } else { "false" })
}

/// Whether an operation has parameters, its path's included, or a body that may be JSON.
fn has_input(document: &Value<'_>, operation: &Operation<'_, '_>) -> bool {
    let of = |holder: &Value<'_>| {
        holder
            .get("parameters")
            .is_some_and(|list| !list.items().is_empty())
    };
    let path = document
        .get("paths")
        .and_then(|paths| paths.get(operation.path));
    let body = operation.value.get("requestBody");
    let media = body.map(|body| content(document, body)).unwrap_or_default();
    let is_json =
        |media: &Member<'_>| matches!(&*media.name, "application/json" | "application/*" | "*/*");
    of(operation.value) || path.is_some_and(of) || media.iter().any(is_json)
}

/// Whether a response of an operation has an example, or a schema to make one from.
fn has_content(document: &Value<'_>, operation: &Operation<'_, '_>) -> bool {
    let responses = operation.value.get("responses").map(Value::members);
    let mut responses = responses.unwrap_or_default().iter();
    responses.any(|response| {
        let mut media = content(document, &response.value).iter();
        media.any(|media| {
            let get = |name| media.value.get(name);
            get("schema").is_some()
                || get("example").is_some_and(|example| !example.is_null())
                || get("examples").is_some_and(|examples| !examples.members().is_empty())
        })
    })
}

/// The media types of a response or a request body, which may be a reference.
fn content<'v, 't>(document: &'v Value<'t>, body: &'v Value<'t>) -> &'v [Member<'t>] {
    let reference = body.str("$ref").and_then(|to| to.strip_prefix('#'));
    let body = match reference {
        Some(pointer) => document.pointer(pointer),
        None => Some(body),
    };
    let content = body.and_then(|body| body.get("content"));
    content.map(Value::members).unwrap_or_default()
}

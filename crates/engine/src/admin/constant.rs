//! What never changes while this software runs: schemas and the OpenAPI document. Each is made once,
//! on its first use, and has a tag of its bytes.

use crate::admin::condition;
use crate::error::Error;
use crate::http::{Request, Response};
use gatewright_api::message::StatusMessage;
use gatewright_api::openapi;
use gatewright_model::schema::json_schema;
use gatewright_model::shape::Root;
use std::sync::OnceLock;

/// The media type of a JSON Schema (2020-12, core, section 14.1).
const SCHEMA_TYPE: &str = "application/schema+json";

/// A body and the tag of its bytes.
#[derive(Debug)]
struct Constant {
    body: String,
    etag: String,
}

impl Constant {
    fn new(mut body: String) -> Self {
        body.push('\n');
        let etag = format!("\"{:016x}\"", fnv(body.as_bytes()));
        Self { body, etag }
    }

    /// The answer: caches may keep it, and ask whether it is still the one.
    fn answer(&self, request: &Request, content_type: &str) -> Response {
        let response = if condition::not_modified(request, &self.etag) {
            Response::not_modified()
        } else {
            Response {
                status: 200,
                headers: vec![("content-type", content_type.to_owned())],
                body: self.body.clone(),
                ..Response::default()
            }
        };
        response
            .with("etag", self.etag.clone())
            .with("cache-control", "no-cache")
    }
}

/// FNV-1a, 64 bits (RFC 9923): a tag only tells two builds of this software apart.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// `GET /openapi/gateway.json`.
pub(super) fn openapi(request: &Request) -> Response {
    static DOCUMENT: OnceLock<Constant> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| Constant::new(openapi::gateway().to_string()));
    document.answer(request, "application/json")
}

/// `GET /openapi/dashboard.json`.
pub(super) fn dashboard(request: &Request) -> Response {
    static DOCUMENT: OnceLock<Constant> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| Constant::new(openapi::dashboard().to_string()));
    document.answer(request, "application/json")
}

/// `GET /openapi/schemas/{root}.json`.
pub(super) fn schema(request: &Request, variables: &[&str]) -> Result<Response, Error> {
    static SCHEMAS: [OnceLock<Constant>; Root::ALL.len()] =
        [const { OnceLock::new() }; Root::ALL.len()];
    let root = root(variables)?;
    let slots = Root::ALL.into_iter().zip(&SCHEMAS);
    let slot = slots.into_iter().find(|(known, _)| *known == root);
    let (_, slot) = slot.ok_or(Error::NoEndpoint)?;
    let schema = slot.get_or_init(|| Constant::new(json_schema(root)));
    Ok(schema.answer(request, SCHEMA_TYPE))
}

/// `GET /gateway/schema` (reference 1.8). The version is one of OpenAPI; the classic definition
/// that the schema describes has none, so all known versions get the same.
pub(super) fn definition_schema(request: &Request) -> Result<Response, Error> {
    static ANSWER: OnceLock<Constant> = OnceLock::new();
    let version = request.parameter("oasVersion").unwrap_or_default();
    if !is_known(version) {
        let body = StatusMessage {
            status: "Failed".to_owned(),
            request_id: Some(request.request_id.clone()),
            ..StatusMessage::error(format!("Schema not found for version {version:?}"))
        };
        return Ok(Response::json(404, &body));
    }
    let answer = ANSWER.get_or_init(|| {
        let schema = json_schema(Root::ApiDefinition);
        Constant::new(format!(
            "{{\"status\":\"Success\",\"message\":\"\",\"schema\":{schema}}}"
        ))
    });
    Ok(answer.answer(request, "application/json"))
}

/// `3.0` and `3.1`, each also with a patch number; none means `3.0`.
fn is_known(version: &str) -> bool {
    let patch = match version.get(..3) {
        None if version.is_empty() => return true,
        Some("3.0" | "3.1") => version.get(3..).unwrap_or_default(),
        _ => return false,
    };
    let number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    patch.is_empty() || patch.strip_prefix('.').is_some_and(number)
}

/// The kind of document that a path names.
pub(super) fn root(variables: &[&str]) -> Result<Root, Error> {
    let word = variables.first().copied().unwrap_or_default();
    Root::from_word(word).ok_or_else(|| {
        let names = Root::ALL.map(Root::word).join(", ");
        Error::Refused(
            404,
            format!("There is no such kind of document; there are {names}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        // RFC 9923, appendix C.
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn versions_of_openapi_are_known_with_and_without_their_patch() {
        for version in ["", "3.0", "3.0.3", "3.1", "3.1.0"] {
            assert!(is_known(version), "{version}");
        }
        for version in [
            "4", "3", "2.0", "3.2", "3.0.", "3.0.x", "3.01", "3.1.0.0", "é",
        ] {
            assert!(!is_known(version), "{version}");
        }
    }
}

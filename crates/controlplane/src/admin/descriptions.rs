//! The descriptions of the APIs: JSON Schemas and OpenAPI documents. They are constant for a build and served as files
//! built with it: their texts would make up a twentieth of the module.

use crate::admin::condition;
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::message::StatusMessage;
use gatewright_model::openapi::{DocumentKind, version_of};
use gatewright_model::shape::Root;
use gatewright_model::shape::oas::Version;
use gatewright_protocol::http::{Request, Response};

/// The media type of a JSON Schema (2020-12, core, section 14.1).
const SCHEMA_TYPE: &str = "application/schema+json";

/// Returns the text of a file, which ends with a line break.
async fn file<P: Platform>(platform: &P, path: &str) -> Result<String, Error> {
    let found = platform.file(path).await?;
    found.ok_or_else(|| {
        let message = "The descriptions have not been built: run cargo xtask build";
        Error::refused(404, message)
    })
}

/// Builds the response for such a text: caches may store it, and revalidate it by its tag.
fn answer(request: &Request, content_type: &str, body: String) -> Response {
    let etag = format!("\"{:016x}\"", fnv(body.as_bytes()));
    let response = Response {
        headers: vec![("content-type", content_type.to_owned())],
        ..Response::text(200, body)
    };
    condition::tagged(request, response, etag).with("cache-control", "no-cache")
}

/// Hashes with FNV-1a, 64 bits (RFC 9923): the tag only has to tell builds of this software apart.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// `GET /openapi/{api}.json`.
pub(super) async fn openapi<P: Platform>(
    platform: &P,
    request: &Request,
    api: &str,
) -> Result<Response, Error> {
    let document = file(platform, &format!("openapi/{api}.json")).await?;
    Ok(answer(request, "application/json", document))
}

/// `GET /openapi/schemas/{root}.json`.
pub(super) async fn schema<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let schema = file(platform, &path(root(variables)?)).await?;
    Ok(answer(request, SCHEMA_TYPE, schema))
}

fn path(root: Root) -> String {
    format!("openapi/schemas/{}.json", root.word())
}

/// `GET /gateway/schema` (reference 1.8): the schema of OpenAPI documents of one version, with the vendor extension
/// included.
pub(super) async fn openapi_schema<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let sent = request.parameter("oasVersion").unwrap_or_default();
    let version = match version_of(sent, DocumentKind::Oas) {
        Ok(Version::V3_0) => "3_0",
        Ok(Version::V3_1) => "3_1",
        Err(message) => {
            let body = StatusMessage {
                status: "Failed".to_owned(),
                request_id: Some(request.request_id.clone()),
                ..StatusMessage::error(message)
            };
            return Ok(Response::json(404, &body));
        }
    };
    let path = format!("openapi/schemas/openapi_{version}.json");
    let schema = file(platform, &path).await?;
    let schema = schema.trim_end();
    let body = format!("{{\"status\":\"Success\",\"message\":\"\",\"schema\":{schema}}}\n");
    Ok(answer(request, "application/json", body))
}

/// Returns the kind of document that a path names.
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
}

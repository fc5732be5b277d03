//! OpenAPI APIs and MCP proxies, which are OpenAPI documents with the vendor extension (reference 1.4 and 1.5).
//!
//! The promise: the document is stored as it was sent, except for what the gateway itself writes into it
//! ([`administered::stored_form`](gatewright_model::openapi::administered::stored_form)), together with the definition
//! that this write compiled it to. So what was checked is what will be served.

mod export;
mod write;

pub(super) use export::{export, export_all};
pub(super) use write::{create, import, patch, update};

use super::apis::{self, known_id, read_as, read_by, stored_text};
use super::media;
use super::replies::{relay_list, unexpected};
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::message::{API_IS_CLASSIC, API_NOT_FOUND, NOT_AN_MCP_PROXY, OAS_IS_A_PROXY};
use gatewright_model::issue::Issue;
use gatewright_model::json::{self, Value};
use gatewright_model::mcp::paired;
use gatewright_model::openapi::administered::DocumentError;
use gatewright_model::openapi::task::{Call, Made, Refusal, Tools};
use gatewright_model::openapi::{DocumentKind, stored};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Listed, Reply};
use serde::Deserialize;
use serde::de::IgnoredAny;

impl From<DocumentError> for Error {
    fn from(DocumentError(text): DocumentError) -> Self {
        Self::Refused(400, text)
    }
}

/// Maps the refusal of an OpenAPI document to an error.
fn declined(refusal: Refusal) -> Error {
    Error::Unreadable(400, refusal.message, refusal.issues)
}

/// A report of [`gatewright_model::openapi::task`], as far as it is needed here.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Made(Made),
    Definition,
    Imported(IgnoredAny),
    Placed(Vec<Issue>),
    Refused(Refusal),
}

/// Carries out a call on a document.
fn run<P: Platform>(
    platform: &P,
    call: &Call,
    before: &str,
    sent: &str,
) -> Result<(Outcome, String, String), Error> {
    let done = platform.openapi(call, before, sent);
    // A missing result means a trap, and the usual reason for a trap is memory.
    let (report, text) =
        done.map_err(|error| Error::Explained(413, TOO_MUCH.to_owned(), error.to_string()))?;
    match serde_json::from_str(&report).map_err(|_| unexpected())? {
        Outcome::Refused(refusal) => Err(declined(refusal)),
        outcome => Ok((outcome, report, text)),
    }
}

/// Returns the definition that a document with the extension is served by; for one without, the definition it is
/// imported as, with the import's `report` and `summary` as JSON.
pub(super) fn definition<P: Platform>(
    platform: &P,
    call: &Call,
    sent: &str,
) -> Result<(String, [String; 2]), Error> {
    let (outcome, report, text) = run(platform, call, "", sent)?;
    match outcome {
        Outcome::Definition => Ok((text, Default::default())),
        Outcome::Imported(_) => {
            let value = json::parse(&report).map_err(|_| unexpected())?;
            let import = value.get("imported").ok_or_else(unexpected)?;
            let raw = |name| import.get(name).map(|of| of.span.of(&report).to_owned());
            let definition = import.str("definition").ok_or_else(unexpected)?.to_owned();
            Ok((
                definition,
                ["report", "summary"].map(|name| raw(name).unwrap_or_default()),
            ))
        }
        Outcome::Made(_) | Outcome::Placed(_) | Outcome::Refused(_) => Err(unexpected()),
    }
}

const TOO_MUCH: &str = "The document takes more memory than there is; make it smaller";

/// Responds with a document in the requested format; `text` is its stored text.
pub(super) fn represented<P: Platform>(
    platform: &P,
    request: &Request,
    text: &str,
    document: String,
) -> Result<Response, Error> {
    let Some(media) = media::requested_yaml(request) else {
        return Ok(Response::text(200, document).with("vary", "Accept"));
    };
    let own = stored::yaml(text).unwrap_or_default();
    let (_, _, yaml) = run(platform, &Call::Yaml, &own, &document)?;
    let headers = vec![
        ("content-type", media.to_owned()),
        ("vary", "Accept".to_owned()),
    ];
    Ok(Response {
        headers,
        ..Response::text(200, yaml)
    })
}

/// Returns the document of an MCP proxy with its tools, if these are operations of an API (reference 1.5); `None` if it
/// has an MCP server of its own.
async fn expanded<P: Platform>(platform: &P, text: &str) -> Result<Option<String>, Error> {
    let value = json::parse(text).map_err(|_| unexpected())?;
    let target = value.pointer("/proxy/target_url").and_then(Value::as_str);
    let Some(id) = target.and_then(paired).map(str::to_owned) else {
        return Ok(None);
    };
    let (reply, source) = platform.call(&Command::Read { id }, "").await?;
    let is_source = matches!(stored::document(&source), Some((DocumentKind::Oas, _)));
    if !matches!(reply, Reply::Document { .. }) || !is_source {
        // If this is a write, the Registry reports why.
        return Ok(None);
    }
    let (_, _, shown) = run(platform, &Call::Tools(Tools::Show), &source, text)?;
    Ok(Some(shown))
}

/// Parses a boolean query parameter.
fn boolean(request: &Request, name: &str) -> Result<bool, Error> {
    match request.parameter(name) {
        None | Some("" | "false" | "0" | "f" | "F" | "FALSE" | "False") => Ok(false),
        Some("true" | "1" | "t" | "T" | "TRUE" | "True") => Ok(true),
        Some(_) => {
            let text = format!("invalid {name} query parameter");
            Err(Error::Refused(400, text))
        }
    }
}

/// Returns the document of an API that is administered as this kind, or the reason why there is none.
fn document_of<'t>(text: &'t str, kind: DocumentKind, classic: &str) -> Result<&'t str, Error> {
    match (stored::document(text), kind) {
        (Some((found, document)), _) if found == kind => Ok(document),
        (_, DocumentKind::Mcp) => Err(Error::refused(404, NOT_AN_MCP_PROXY)),
        (Some(_), DocumentKind::Oas) => Err(Error::refused(400, OAS_IS_A_PROXY)),
        (None, DocumentKind::Oas) => Err(Error::refused(400, classic)),
    }
}

/// `GET /gateway/apis/oas` and `GET /gateway/mcps`.
pub(super) async fn list<P: Platform>(
    platform: &P,
    request: &Request,
    kind: DocumentKind,
) -> Result<Response, Error> {
    relay_list(platform, request, listed(kind)).await
}

const fn listed(kind: DocumentKind) -> Listed {
    match kind {
        DocumentKind::Oas => Listed::Oas,
        DocumentKind::Mcp => Listed::Mcp,
    }
}

/// `GET /gateway/apis/oas/{apiID}`, which reads MCP proxies too, and `GET /gateway/mcps/{apiID}`.
pub(super) async fn read<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
    kind: DocumentKind,
) -> Result<Response, Error> {
    let id = known_id(variables)?;
    if kind == DocumentKind::Mcp && boolean(request, "expand")? {
        let text = read_by(request, stored_text(platform, id).await?)?;
        let document = document_of(&text, kind, NOT_AN_MCP_PROXY)?;
        // It depends on two documents, so no revision can identify it.
        let shown = expanded(platform, &text).await?;
        let document = shown.unwrap_or_else(|| document.to_owned());
        return represented(platform, request, &text, document);
    }
    read_as(platform, request, id, |text| {
        let document = match (stored::document(&text), kind) {
            (Some((DocumentKind::Mcp, document)), _) | (Some((_, document)), DocumentKind::Oas) => {
                document.to_owned()
            }
            (_, DocumentKind::Mcp) => {
                return Err(Error::refused(404, NOT_AN_MCP_PROXY));
            }
            (None, DocumentKind::Oas) => return Err(Error::refused(400, API_IS_CLASSIC)),
        };
        represented(platform, request, &text, document)
    })
    .await
}

/// `DELETE /gateway/mcps/{apiID}`.
pub(super) async fn delete_proxy<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let id = apis::id(variables)?;
    let text = stored_text(platform, id).await?;
    document_of(&text, DocumentKind::Mcp, NOT_AN_MCP_PROXY)?;
    apis::delete(platform, request, id).await
}

/// Returns the response for a PUT or DELETE of an OpenAPI document without its id: the fixed word of the path counts as
/// the id.
pub(super) fn without_id(path: &str, method: &str) -> Option<(u16, &'static str)> {
    let is_word = matches!(
        path,
        "/gateway/apis/oas" | "/gateway/apis/oas/import" | "/gateway/apis/oas/export"
    );
    let reads = path == "/gateway/apis/oas/import" && matches!(method, "GET" | "HEAD");
    let writes = matches!(method, "PUT" | "DELETE");
    (is_word && (reads || writes)).then_some((404, API_NOT_FOUND))
}

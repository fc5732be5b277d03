//! From the Registry's replies to responses and errors. The messages are those of the reference where it has one.

use super::{may, reload};
use crate::error::{Error, etag};
use crate::ports::Platform;
use gatewright_api::dashboard::{Access, Part};
use gatewright_api::message::{API_NOT_FOUND, ModifySuccess};
use gatewright_model::issue::Issue;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Listed, Refusal, Reply, encode};

/// Runs a command whose reply becomes the response's body.
pub(super) async fn relay<P: Platform>(platform: &P, command: &Command) -> Result<Response, Error> {
    match platform.call(command, "").await? {
        (Reply::Json, body) => Ok(Response::text(200, body)),
        (reply, _) => Err(error_of(reply)),
    }
}

/// Returns a complete list. If it is longer than a page, it is streamed: neither this isolate nor the Registry ever
/// holds all of the texts.
pub(super) async fn relay_list<P: Platform>(
    platform: &P,
    request: &Request,
    listed: Listed,
) -> Result<Response, Error> {
    let masked = !may(request, Part::Apis, Access::Write);
    let command = Command::ListDocuments {
        listed,
        from: String::new(),
        masked,
    };
    match platform.call(&command, "").await {
        Ok((Reply::Json, text)) => streamed(&command, &text),
        // A Registry of the previous release knows only the list of definitions, and masks no secrets.
        Err(_) if listed == Listed::Classic && !masked => relay(platform, &Command::List).await,
        Ok((reply, _)) => Err(error_of(reply)),
        Err(error) => Err(error.into()),
    }
}

/// Builds the response from the first page of a command's list. A line before the page says where the next one starts;
/// it is empty for the last page.
pub(super) fn streamed(command: &Command, text: &str) -> Result<Response, Error> {
    let (next, page) = text.split_once('\n').ok_or_else(unexpected)?;
    if next.is_empty() {
        return Ok(Response::text(200, page.to_owned()));
    }
    Ok(Response {
        stream: Some(encode(command, "")?),
        ..Response::text(200, String::new())
    })
}

/// Builds the response to a write. A dry run has no tag, because its result can't be read.
pub(super) fn written(body: &ModifySuccess, revision: u64) -> Response {
    let response = Response::json(200, body);
    match body.dry_run {
        true => response,
        false => response.with("etag", etag(revision)),
    }
}

/// Builds the error for a reply that is a refusal, or not a reply to the command.
pub(super) fn error_of(reply: Reply) -> Error {
    match reply {
        Reply::Refused(refusal) => refused(refusal, Vec::new()),
        _ => unexpected(),
    }
}

/// Builds the error for a refusal; `issues` are those of the document that was sent.
pub(super) fn refused(refusal: Refusal, issues: Vec<Issue>) -> Error {
    match refusal {
        Refusal::NotFound => Error::refused(404, API_NOT_FOUND),
        Refusal::NoRevision => Error::refused(404, "The API has no document at this revision"),
        Refusal::Precondition { current } => Error::Precondition(current),
        Refusal::Reserved { path } => {
            let text =
                format!("The listen path would hide the gateway's own {path}; choose another");
            Error::Conflict(text, issues)
        }
        Refusal::RouteTaken {
            id,
            name,
            listen_path,
            domain,
        } => {
            let at_domain = if domain.is_empty() {
                String::new()
            } else {
                format!(" on {domain}")
            };
            let text = format!(
                "The listen path {listen_path}{at_domain} is already served by the API \"{name}\" ({id}); \
                 change one of them, or make one inactive or internal"
            );
            Error::Conflict(text, issues)
        }
        Refusal::Policies { .. }
        | Refusal::Rights { .. }
        | Refusal::NoRights
        | Refusal::Exists
        | Refusal::Import { .. }
        | Refusal::Settled
        | Refusal::Kept { .. } => unexpected(),
        Refusal::Referenced { ids } => {
            let text = format!(
                "API is referenced by paired MCP proxies: {}",
                ids.join(", ")
            );
            Error::Conflict(text, issues)
        }
        Refusal::Source { status, reason } => Error::Refused(status, reason),
        Refusal::Selection {
            status,
            pointer,
            reason,
        } => reload::refused(status, pointer, reason),
        Refusal::NoBase { base } => {
            Error::Refused(400, format!("{base} is not a valid Base API version"))
        }
        Refusal::BaseNameNeeded { base } => Error::Refused(
            400,
            format!("you need to provide a version name for the new Base API: {base}"),
        ),
    }
}

/// Builds the error for a reply that does not belong to the command.
pub(super) fn unexpected() -> Error {
    StoreError::new("call registry", "unexpected reply").into()
}

//! The administration's messages for refusals by the Registry, taken from the reference where it has one.

use crate::admin::reload;
use crate::error::Error;
use gatewright_api::message::API_NOT_FOUND;
use gatewright_model::issue::Issue;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Refusal, Reply};

pub(in crate::admin) fn of(reply: Reply) -> Error {
    match reply {
        Reply::Refused(refusal) => refused(refusal, Vec::new()),
        _ => unexpected(),
    }
}

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
        | Refusal::Import { .. } => unexpected(),
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

pub(in crate::admin) fn unexpected() -> Error {
    StoreError::new("call registry", "unexpected reply").into()
}

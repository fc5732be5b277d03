//! The errors of the dashboard API, and the single match that maps them to a status and an envelope.

use crate::error::{etag, precondition};
use crate::query::Wrong;
use gatewright_api::dashboard::Envelope;
use gatewright_api::dashboard::message;
use gatewright_api::message::{METHOD_NOT_SUPPORTED, NOT_FOUND, UNAVAILABLE};
use gatewright_model::issue::Issue;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::http::{Request, Response};

/// Why a request was not carried out. Nothing has changed when one is returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Error {
    /// There is no credential, or it is unknown, expired or revoked.
    NotAuthorised,
    /// The credential may not do this.
    NotPermitted,
    /// No endpoint has this path.
    NoEndpoint,
    /// The path accepts only these methods.
    Method(Vec<&'static str>),
    /// A status with its message, and the issues of the document that was sent.
    Refused(u16, String, Vec<Issue>),
    /// A condition of RFC 9110 section 13 failed; holds the current revision if there is one.
    Precondition(Option<u64>),
    /// Storage failed.
    Store(StoreError),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Wrong> for Error {
    fn from(Wrong(text): Wrong) -> Self {
        refused(400, text)
    }
}

/// A reply of the Registry that does not match the question.
pub(super) fn unexpected() -> Error {
    Error::Store(StoreError::new("registry", "an answer to something else"))
}

/// A refusal without issues.
pub(super) fn refused(status: u16, text: impl Into<String>) -> Error {
    Error::Refused(status, text.into(), Vec::new())
}

impl Error {
    /// Returns the response for the client. Details of storage errors stay in the log.
    pub(super) fn into_response(self, request: &Request) -> Response {
        let mut extra = Vec::new();
        let details = match &self {
            Self::NotAuthorised => message::TOKEN_WANTED.to_owned(),
            _ => String::new(),
        };
        let (status, text, issues) = match self {
            Self::NotAuthorised => {
                extra.push(("www-authenticate", "Bearer".to_owned()));
                (401, message::NOT_AUTHORISED.to_owned(), Vec::new())
            }
            Self::NotPermitted => {
                let text = format!("{}{}", message::NOT_PERMITTED, request.path);
                (403, text, Vec::new())
            }
            Self::NoEndpoint => (404, NOT_FOUND.to_owned(), Vec::new()),
            Self::Method(allowed) => {
                extra.push(("allow", allowed.join(", ")));
                (405, METHOD_NOT_SUPPORTED.to_owned(), Vec::new())
            }
            Self::Refused(status, text, issues) => (status, text, issues),
            Self::Precondition(current) => {
                extra.extend(current.map(|revision| ("etag", etag(revision))));
                (412, precondition(current), Vec::new())
            }
            Self::Store(_) => (503, UNAVAILABLE.to_owned(), Vec::new()),
        };
        let body = Envelope {
            issues,
            details,
            ..Envelope::error(request.request_id.clone(), text)
        };
        let mut response = Response::json(status, &body);
        response.headers.extend(extra);
        response
    }
}

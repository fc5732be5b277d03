//! The errors of the administration, free of any transport, and the single match that maps them to a status and a
//! message.

use crate::query::Wrong;
use gatewright_api::message::{self, StatusMessage};
use gatewright_model::definition::first_reason;
use gatewright_model::issue::{Issue, IssueCode};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::http::{Request, Response};

/// Why an administrative request was not carried out. Nothing has changed when one is returned, except where
/// [`StoreError::is_stored`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The secret is missing, wrong, or not configured.
    Forbidden,
    /// No endpoint has this path.
    NoEndpoint,
    /// The path accepts only these methods.
    Method(Vec<&'static str>),
    /// A message of the reference, with its status.
    Refused(u16, String),
    /// The same, with an explanation that the reference's message has no room for.
    Explained(u16, String, String),
    /// The body is not JSON, or not UTF-8.
    Malformed(Vec<Issue>),
    /// The body, or one of the texts in it, is not JSON: used where the reference has a status and message of its own,
    /// or where the message says which text it is.
    Unreadable(u16, String, Vec<Issue>),
    /// The definition is invalid; holds every issue, warnings included.
    Invalid(Vec<Issue>),
    /// The definition is valid on its own but conflicts with something else.
    Conflict(String, Vec<Issue>),
    /// A condition of RFC 9110 section 13 failed; holds the current revision if there is one.
    Precondition(Option<u64>),
    /// The body has an unsupported media type; holds the explanation.
    MediaType(&'static str),
    /// The body exceeds this many bytes.
    TooLarge(usize),
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
        Self::Refused(400, text)
    }
}

/// Returns the strong entity tag of a revision (RFC 9110 section 8.8.3).
#[must_use]
pub fn etag(revision: u64) -> String {
    format!("\"{revision}\"")
}

/// Returns the message of a 412 response.
#[must_use]
pub(crate) fn precondition(current: Option<u64>) -> String {
    match current {
        Some(revision) => format!(
            "The document has changed: its current ETag is {}",
            etag(revision)
        ),
        None => "The document does not exist, so no ETag can match".to_owned(),
    }
}

impl Error {
    /// A refusal with this message.
    #[must_use]
    pub(crate) fn refused(status: u16, text: &str) -> Self {
        Self::Refused(status, text.to_owned())
    }

    /// The error for a request whose body breaks off. The fault is the client's, so nothing is logged.
    #[must_use]
    pub fn broken_off() -> Self {
        Self::refused(400, message::BROKEN_OFF)
    }

    /// Returns the response for the client. Details of storage errors stay in the log.
    #[must_use]
    pub fn into_response(self, request: &Request) -> Response {
        let mut extra = Vec::new();
        let mut details = String::new();
        let (status, text, issues) = match self {
            Self::Explained(status, text, reason) => {
                details = reason;
                (status, text, Vec::new())
            }
            Self::Forbidden => {
                message::SECRET_WANTED.clone_into(&mut details);
                (403, message::FORBIDDEN.to_owned(), Vec::new())
            }
            Self::NoEndpoint if !accepts_json(request) => {
                let mut response = Response::text(404, message::PAGE_NOT_FOUND.to_owned());
                response.headers = vec![("content-type", "text/plain; charset=utf-8".to_owned())];
                return response;
            }
            Self::NoEndpoint => (404, message::NOT_FOUND.to_owned(), Vec::new()),
            Self::Method(allowed) => {
                extra.push(("allow", allowed.join(", ")));
                // Reference 1.1: the message differs outside the administration.
                let text = match request.path.starts_with("/gateway") {
                    true => message::METHOD_NOT_SUPPORTED,
                    false => message::METHOD_NOT_ALLOWED,
                };
                (405, text.to_owned(), Vec::new())
            }
            Self::Refused(status, text) => (status, text, Vec::new()),
            Self::Malformed(issues) => (400, message::MALFORMED.to_owned(), issues),
            Self::Invalid(issues) => (400, invalid(&issues), issues),
            Self::Unreadable(status, text, issues) => (status, text, issues),
            Self::Conflict(text, issues) => (409, text, issues),
            Self::Precondition(current) => {
                extra.extend(current.map(|revision| ("etag", etag(revision))));
                (412, precondition(current), Vec::new())
            }
            Self::MediaType(text) => {
                // RFC 9110 section 15.5.16.
                extra.push(("accept", message::DOCUMENT_MEDIA.to_owned()));
                (415, text.to_owned(), Vec::new())
            }
            Self::TooLarge(limit) => (
                413,
                format!("The body is larger than the {limit} bytes allowed here"),
                Vec::new(),
            ),
            Self::Store(error) if error.is_stored() => {
                (503, message::STORED.to_owned(), Vec::new())
            }
            Self::Store(_) => (503, message::UNAVAILABLE.to_owned(), Vec::new()),
        };
        let body = StatusMessage {
            issues,
            details,
            request_id: Some(request.request_id.clone()),
            ..StatusMessage::error(text)
        };
        let mut response = Response::json(status, &body);
        response.headers.extend(extra);
        response
    }
}

/// Whether the client asks for JSON by name.
fn accepts_json(request: &Request) -> bool {
    request
        .header("accept")
        .is_some_and(|accept| accept.contains("json"))
}

/// Builds the message of an invalid document. Reference 6.1: the message names the first problem, and the issues list
/// the rest. A wrong id has a message of its own (reference 1.0).
fn invalid(issues: &[Issue]) -> String {
    let first = first_reason(issues);
    if first.is_some_and(|issue| issue.pointer == "/api_id" && issue.code == IssueCode::Format) {
        return message::INVALID_API_ID.to_owned();
    }
    let first = first.map_or("unknown", |issue| issue.message.as_str());
    format!("Validation of API Definition failed. Reason: {first}.")
}

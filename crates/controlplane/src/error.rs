//! What can go wrong in the administration, free of any transport, and the one place where it
//! becomes a status and a message.

use gatewright_api::message::{self, StatusMessage};
use gatewright_model::definition::first_reason;
use gatewright_model::issue::{Issue, IssueCode};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::http::{Request, Response};

/// Why an administrative request was not carried out. Nothing has changed when one is returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The secret is missing, wrong, or not configured.
    Forbidden,
    /// No endpoint has this path.
    NoEndpoint,
    /// The path takes only these methods.
    Method(Vec<&'static str>),
    /// A message of the reference with its own status.
    Refused(u16, String),
    /// The same with what is behind it, for which the reference's message has no room.
    Explained(u16, String, String),
    /// The body is no JSON, or no UTF-8.
    Malformed(Vec<Issue>),
    /// The body, or one of the texts in it, is no JSON: where the reference has a status and a text of
    /// its own, or the sentence says which text.
    Unreadable(u16, String, Vec<Issue>),
    /// The definition is wrong; holds every issue, warnings included.
    Invalid(Vec<Issue>),
    /// The definition is right by itself but collides with something else.
    Conflict(String, Vec<Issue>),
    /// A condition of RFC 9110 section 13 failed; holds the current revision if there is one.
    Precondition(Option<u64>),
    /// The body is in a notation that is not read here; holds why.
    MediaType(&'static str),
    /// The body is larger than so many bytes.
    TooLarge(usize),
    /// Storage did not work.
    Store(StoreError),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The strong entity tag of a revision (RFC 9110 section 8.8.3).
#[must_use]
pub fn etag(revision: u64) -> String {
    format!("\"{revision}\"")
}

/// The text of a 412.
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
    /// The answer that the client gets. Storage details stay in the log.
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
            Self::NoEndpoint => (404, message::NOT_FOUND.to_owned(), Vec::new()),
            Self::Method(allowed) => {
                extra.push(("allow", allowed.join(", ")));
                // Reference 1.1: outside of the administration it has another text.
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

/// Reference 6.1: the answer names the first problem; the issues name the rest. A wrong id has a
/// text of its own (reference 1.0).
fn invalid(issues: &[Issue]) -> String {
    let first = first_reason(issues);
    if first.is_some_and(|issue| issue.pointer == "/api_id" && issue.code == IssueCode::Format) {
        return message::INVALID_API_ID.to_owned();
    }
    let first = first.map_or("unknown", |issue| issue.message.as_str());
    format!("Validation of API Definition failed. Reason: {first}.")
}

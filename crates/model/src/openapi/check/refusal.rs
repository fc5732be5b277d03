//! Refusals: the text of the response, and the issues beside it.

use crate::findings::Findings;
use crate::issue::{Issue, IssueCode};
use crate::json::pointer::Path;
use crate::json::{Span, Value, quote};
use std::borrow::Cow;

/// Why a document is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The text of the reference, word for word.
    pub message: String,
    /// The problems, with their positions and remedies.
    pub issues: Vec<Issue>,
}

impl Refused {
    /// Creates the refusal of a document that can't be loaded.
    pub(super) fn malformed(issues: Vec<Issue>) -> Self {
        Self {
            message: "request malformed".to_owned(),
            issues,
        }
    }
}

/// Code and message of an issue.
#[derive(Clone, Debug)]
pub(super) struct Reason {
    pub(super) code: IssueCode,
    pub(super) message: Cow<'static, str>,
}

impl Reason {
    pub(super) fn new(code: IssueCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// Returns the span to show: a missing member has none of its own.
    pub(super) fn span(&self, value: &Value<'_>) -> Span {
        match self.code {
            IssueCode::Required => value.span.opening(),
            _ => value.span,
        }
    }
}

/// Creates a refusal for one reason.
pub(super) fn one(
    text: &str,
    message: &str,
    value: &Value<'_>,
    path: &Path<'_>,
    reason: Reason,
) -> Refused {
    let mut findings = Findings::default();
    findings.error(reason.code, reason.span(value), path, reason.message);
    Refused {
        message: message.to_owned(),
        issues: findings.into_issues(text),
    }
}

/// The longest name quoted in a text, in characters.
const MAX_NAME: usize = 256;

/// A text composed of fixed words and names from the document. Names longer than anybody reads are shortened.
pub(super) struct Text(pub(super) String);

impl Text {
    pub(super) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub(super) fn and(mut self, text: &str) -> Self {
        self.0.push_str(text);
        self
    }

    pub(super) fn name(mut self, name: &str) -> Self {
        self.0.push_str(short(name));
        self
    }

    /// Appends a name in quotes, as Go's `%q` writes it.
    pub(super) fn quoted(mut self, name: &str) -> Self {
        self.0.push_str(&quote(short(name)));
        self
    }
}

fn short(name: &str) -> &str {
    let end = name.char_indices().nth(MAX_NAME);
    end.and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}

/// Writes a path as the reference does: names and indices separated by dots, `(root)` for the document.
pub(super) fn field(path: &Path<'_>) -> String {
    let mut parts = Vec::new();
    let mut path = path;
    loop {
        match path {
            Path::Root => break,
            Path::Member(parent, name) => {
                parts.push(short(name).to_owned());
                path = parent;
            }
            Path::Element(parent, index) => {
                parts.push(index.to_string());
                path = parent;
            }
        }
    }
    if parts.is_empty() {
        return "(root)".to_owned();
    }
    parts.reverse();
    parts.join(".")
}

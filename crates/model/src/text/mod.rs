//! Texts with a prescribed format. Each check accepts what the reference implementation (a Go program) reads, so
//! regular expressions are those of RE2 and templates those of Go's `text/template`.

pub mod base64;
pub(crate) mod date;
pub mod duration;
pub(crate) mod network;
pub mod path_rule;
pub mod pattern;
pub mod percent;
pub(crate) mod reach;
pub mod template;

use std::borrow::Cow;

/// A problem of a text, and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// A short sentence, without a full stop, that names the remedy.
    pub message: Cow<'static, str>,
    /// Start and end in bytes of the text; `None` if the problem concerns all of it.
    pub range: Option<(usize, usize)>,
}

impl Problem {
    /// Creates a problem that concerns the complete text.
    pub(crate) fn whole(message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            message: message.into(),
            range: None,
        }
    }

    /// Creates a problem of a part of the text.
    pub(crate) fn at(start: usize, end: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            message: message.into(),
            range: Some((start, end)),
        }
    }
}

/// Schemes of references that the reference implementation resolves before it reads a definition (its section 5.1).
/// Such a text can't be checked: only its resolved value matters.
const REFERENCES: [&str; 6] = [
    "env://",
    "secrets://",
    "consul://",
    "vault://",
    "file://",
    "kv://",
];

/// Whether a text refers to a value stored elsewhere.
pub(crate) fn is_reference(text: &str) -> bool {
    text.starts_with("$secret_") || REFERENCES.iter().any(|scheme| text.starts_with(scheme))
}

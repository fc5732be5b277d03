//! Texts that have to be written in a certain way: what each check accepts is what the reference
//! implementation (a Go program) reads, so regular expressions are those of RE2 and templates those
//! of Go's `text/template`.

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

/// What is wrong with a text, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// A short sentence without a full stop that names the remedy.
    pub message: Cow<'static, str>,
    /// Where, in bytes of the text: from and to; none for the whole text.
    pub range: Option<(usize, usize)>,
}

impl Problem {
    /// A problem of the whole text.
    pub(crate) fn whole(message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            message: message.into(),
            range: None,
        }
    }

    /// A problem of a part of the text.
    pub(crate) fn at(start: usize, end: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            message: message.into(),
            range: Some((start, end)),
        }
    }
}

/// Schemes of references that the reference replaces before it reads a definition (its section
/// 5.1). Such a text can't be checked: what matters is what it stands for.
const REFERENCES: [&str; 6] = [
    "env://",
    "secrets://",
    "consul://",
    "vault://",
    "file://",
    "kv://",
];

/// Whether a text stands for something that is kept elsewhere.
pub(crate) fn is_reference(text: &str) -> bool {
    text.starts_with("$secret_") || REFERENCES.iter().any(|scheme| text.starts_with(scheme))
}

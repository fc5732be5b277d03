//! Lossless JSON: text in, a borrowed tree with byte spans out.
//!
//! A stored document is the record (member order, number text and unknown members included), so nothing here ever
//! rewrites a complete document. The tree only points into the text.
//!
//! Decisions, each pinned by a case of `crates/testkit/cases/model/syntax.json`:
//! - a byte order mark is refused with a message that names the remedy (RFC 8259 section 8.1 leaves the choice to
//!   parsers; the stored text has to be readable by every consumer)
//! - text after the document is refused
//! - a duplicate member is an error naming both positions (RFC 8259 section 4 leaves the meaning open, and two readers
//!   that disagree about it are a security hole)
//! - `\u` escapes that form no character (lone surrogates) are an error: no UTF-8 text can hold them
//! - numbers keep their text: `1.0`, `-0` and 23-digit integers are preserved
//! - containers nest at most [`MAX_DEPTH`] deep, checked before recursing

mod access;
mod along;
mod build;
pub mod decimal;
mod duplicates;
pub mod edit;
mod embedded;
mod layout;
mod parse;
pub mod pointer;
mod position;
mod scalar;
mod scan;
mod write;

use std::borrow::Cow;

pub(crate) use along::along;
pub use along::outermost;
pub use build::{Builder, Scalar};
pub(crate) use embedded::Embedded;
pub use layout::{is_one_line, laid_out, readable};
pub(crate) use parse::parse_into;
pub use parse::{Keeps, MAX_DEPTH, build, first, outline, parse, parse_repeating, parse_shallow};
pub use position::LineIndex;
pub(crate) use write::{push_quoted, push_value};
pub use write::{quote, written};

/// A half-open range of bytes of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Returns the part of `text` it covers; empty if it doesn't fit the text.
    #[must_use]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns the span of its first byte: the opening bracket of an object, for an issue about a missing member.
    #[must_use]
    pub fn opening(self) -> Self {
        Self {
            start: self.start,
            end: self.start.saturating_add(1).min(self.end),
        }
    }
}

/// One JSON value and its span.
#[derive(Clone, Debug, PartialEq)]
pub struct Value<'a> {
    /// Its span in the text, quotes and brackets included.
    pub span: Span,
    /// Its type and content.
    pub kind: Kind<'a>,
}

/// Type and content of a value. Numbers keep their text.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written.
    Number(&'a str),
    /// A string, unescaped; borrowed if it has no escapes.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Value<'a>>),
    /// An object; members in the order of the text.
    Object(Vec<Member<'a>>),
}

impl Kind<'_> {
    /// Returns the name of the JSON type used in messages.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

/// One member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<'a> {
    /// Its name, unescaped.
    pub name: Cow<'a, str>,
    /// The span of the name, quotes included.
    pub name_span: Span,
    /// Its value.
    pub value: Value<'a>,
}

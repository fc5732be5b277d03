//! How a document is laid out, so that what is new looks like what is there.

use std::borrow::Cow;

use super::super::{Kind, Member, Value, quote};

/// The layout around one container.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    text: &'a str,
    /// Line break, indentation of the container and one step, in that order; empty on one line.
    line_break: &'static str,
    indent: String,
    step: String,
    colon: &'static str,
    /// What stands before the first entry of an empty container, and before its closing bracket.
    first: String,
    close: String,
}

impl<'a> Layout<'a> {
    /// Looks at the document (its first entry tells the step) and at the line the container is on.
    pub(crate) fn of(text: &'a str, root: &Value<'_>, container: &Value<'_>) -> Self {
        let entry = match &root.kind {
            Kind::Object(members) => members.first().map(|member| member.name_span.start),
            Kind::Array(items) => items.first().map(|item| item.span.start),
            _ => None,
        };
        let before = entry.map_or("", |start| space_before(text, start));
        let colon = match root.members().first() {
            Some(member) => {
                if between(text, member).ends_with(':') {
                    ":"
                } else {
                    ": "
                }
            }
            None => ":",
        };
        let (line_break, indent, step) = match before.rfind('\n') {
            None => ("", String::new(), String::new()),
            Some(_) => {
                let line_break = if before.contains("\r\n") {
                    "\r\n"
                } else {
                    "\n"
                };
                let outer = indentation(text, root.span.start);
                let inner = indentation(text, entry.unwrap_or(0));
                let step = inner.strip_prefix(outer).unwrap_or(inner);
                (
                    line_break,
                    indentation(text, container.span.start).to_owned(),
                    step.to_owned(),
                )
            }
        };
        let first = format!("{line_break}{indent}{step}");
        let close = format!("{line_break}{indent}");
        Self {
            text,
            line_break,
            indent,
            step,
            colon,
            first,
            close,
        }
    }

    /// What stands between name and value of new members without siblings.
    pub(super) const fn colon(&self) -> &'static str {
        self.colon
    }

    /// What stands between name and value of a sibling.
    pub(super) fn colon_of(&self, member: &Member<'_>) -> &'a str {
        between(self.text, member)
    }

    /// What stands before a new entry: the same as before its sibling, which begins at `sibling`.
    pub(super) fn before_entry(&self, sibling: Option<usize>) -> &str {
        sibling.map_or(&self.first, |start| space_before(self.text, start))
    }

    /// What stands before the closing bracket of a container that was empty.
    pub(super) fn before_close(&self) -> &str {
        &self.close
    }

    /// The value inside new objects, one per token, laid out like the document.
    pub(crate) fn nest(&self, tokens: &[Cow<'_, str>], value: &str) -> String {
        let mut open = String::new();
        let mut close = String::new();
        let mut indent = format!("{}{}", self.indent, self.step);
        for token in tokens {
            let outer = format!("{}{indent}", self.line_break);
            indent.push_str(&self.step);
            open.push_str(&format!(
                "{{{}{indent}{}{}",
                self.line_break,
                quote(token),
                self.colon
            ));
            close.insert_str(0, &format!("{outer}}}"));
        }
        format!("{open}{value}{close}")
    }
}

/// The colon of a member with the space around it.
fn between<'a>(text: &'a str, member: &Member<'_>) -> &'a str {
    text.get(member.name_span.end..member.value.span.start)
        .unwrap_or(":")
}

/// The white space that ends before `start`.
fn space_before(text: &str, start: usize) -> &str {
    let before = text.get(..start).unwrap_or_default();
    before
        .get(before.trim_end_matches([' ', '\t', '\r', '\n']).len()..)
        .unwrap_or_default()
}

/// The longest line that is followed back to its beginning; behind it, text has no indentation.
/// A document on one line would otherwise be read again for every object in it.
const LONGEST_LINE: usize = 4096;

/// The white space at the beginning of the line that `at` is on.
fn indentation(text: &str, at: usize) -> &str {
    let window = at.saturating_sub(LONGEST_LINE);
    let bytes = text.as_bytes().get(window..at).unwrap_or_default();
    let start = match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(found) => window.saturating_add(found).saturating_add(1),
        None if window == 0 => 0,
        None => return "",
    };
    let line = text.get(start..at).unwrap_or_default();
    line.get(
        ..line
            .len()
            .saturating_sub(line.trim_start_matches([' ', '\t']).len()),
    )
    .unwrap_or_default()
}

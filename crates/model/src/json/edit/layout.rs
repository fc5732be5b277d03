//! The formatting of a document, so that new parts look like existing ones.

use std::borrow::Cow;

use super::super::{Kind, Member, Value, quote};

/// The formatting around one container.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    text: &'a str,
    /// Line break, indentation of the container and one indentation step, in that order; empty for a document on one
    /// line.
    line_break: &'static str,
    indent: String,
    step: String,
    colon: &'static str,
    /// The whitespace before the first entry of an empty container, and before its closing bracket.
    first: String,
    close: String,
}

impl<'a> Layout<'a> {
    /// Examines the document, whose first entry shows the indentation step, and the line the container is on.
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

    /// Returns the text between name and value of new members without siblings.
    pub(super) const fn colon(&self) -> &'static str {
        self.colon
    }

    /// Returns the text between name and value of a sibling.
    pub(super) fn colon_of(&self, member: &Member<'_>) -> &'a str {
        between(self.text, member)
    }

    /// Returns the whitespace before a new entry: the same as before its sibling, which starts at `sibling`.
    pub(super) fn before_entry(&self, sibling: Option<usize>) -> &str {
        sibling.map_or(&self.first, |start| space_before(self.text, start))
    }

    /// Returns the whitespace before the closing bracket of a container that was empty.
    pub(super) fn before_close(&self) -> &str {
        &self.close
    }

    /// Wraps a value in new objects, one per token, formatted like the document.
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

/// Returns the colon of a member with the whitespace around it.
fn between<'a>(text: &'a str, member: &Member<'_>) -> &'a str {
    text.get(member.name_span.end..member.value.span.start)
        .unwrap_or(":")
}

/// Returns the whitespace that ends at `start`.
fn space_before(text: &str, start: usize) -> &str {
    let before = text.get(..start).unwrap_or_default();
    before
        .get(before.trim_end_matches([' ', '\t', '\r', '\n']).len()..)
        .unwrap_or_default()
}

/// The longest distance searched back for the start of a line; text further along has no indentation. Otherwise a
/// document on one line would be read again for every object in it.
const LONGEST_LINE: usize = 4096;

/// Returns the whitespace at the start of the line that `at` is on.
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

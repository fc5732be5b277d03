//! Quick fixes for a text inside a string of a document. The document's own members are not involved: the fix is an
//! edit of that text, written with the escapes of the string.

use super::{Content, Fix, TextEdit, definition_fixes, fix_definition};
use crate::form::Subject;
use crate::issue::Issue;
use crate::json::{Embedded, LineIndex, Span, Value, parse, quote};
use crate::ruleset::{self, POINTER};
use crate::shape::Root;

/// Applies every fix inside a document's embedded text that needs no decision, and returns the document and the number
/// of fixes; `None` if there is no such text.
pub(super) fn fix_all(document: &str) -> Option<(String, usize)> {
    let value = parse(document).ok()?;
    let inner = Inner::of(document, &value)?;
    let (new, count) = fix_definition(inner.text);
    let mut fixed = document.to_owned();
    if let Some(changed) = TextEdit::between(inner.text, &new) {
        let edit = inner.outer(&changed);
        fixed.replace_range(edit.from..edit.to, &edit.insert);
    }
    Some((fixed, count))
}

/// The embedded text that an issue is about.
pub(super) struct Inner<'a> {
    document: &'a str,
    text: &'a str,
    embedded: Embedded,
}

impl<'a> Inner<'a> {
    /// Returns the embedded text if the issue is located inside the string at its pointer.
    pub(super) fn at(
        content: Content,
        document: &'a str,
        value: &'a Value<'_>,
        issue: &Issue,
        span: Span,
    ) -> Option<Self> {
        if content != Content::Document(Subject::Table(Root::Ruleset)) || issue.pointer != POINTER {
            return None;
        }
        let literal = value.pointer(POINTER)?.span;
        let inside = literal.start < span.start && span.end < literal.end;
        inside.then(|| Self::of(document, value)).flatten()
    }

    fn of(document: &'a str, value: &'a Value<'_>) -> Option<Self> {
        let literal = value.pointer(POINTER)?;
        Some(Self {
            document,
            text: literal.as_str()?,
            embedded: Embedded::new(document, literal.span),
        })
    }

    /// Returns the fixes of the embedded text, as edits of the document.
    pub(super) fn fixes(&self, issue: &Issue) -> Vec<Fix> {
        let own = ruleset::check_definition(self.text);
        let Some(own) = own.into_iter().find(|own| self.is_same(own, issue)) else {
            return Vec::new();
        };
        let fixes = definition_fixes(self.text, &own).into_iter();
        let outer = |fix: Fix| Fix {
            title: fix.title,
            way: fix.way,
            edits: fix.edits.iter().map(|edit| self.outer(edit)).collect(),
        };
        fixes.map(outer).collect()
    }

    /// Whether an issue of the embedded text is the one reported by the document's check.
    fn is_same(&self, own: &Issue, reported: &Issue) -> bool {
        let inner = LineIndex::new(self.text);
        let span = self.embedded.outer(Span {
            start: inner.offset(own.start),
            end: inner.offset(own.end),
        });
        let index = LineIndex::new(self.document);
        own.code == reported.code
            && index.position(span.start) == reported.start
            && index.position(span.end) == reported.end
            && reported.message.ends_with(&own.message)
    }

    fn outer(&self, edit: &TextEdit) -> TextEdit {
        let span = self.embedded.outer(Span {
            start: edit.from,
            end: edit.to,
        });
        let quoted = quote(&edit.insert);
        let insert = quoted
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        TextEdit {
            from: span.start,
            to: span.end,
            insert: insert.unwrap_or_default().to_owned(),
        }
    }
}

//! Completion at the cursor of a document.

use serde::{Deserialize, Serialize};

use super::cursor::{Cursor, CursorKind};
use super::{default_value, describe};
use crate::findings::Findings;
use crate::form::Subject;
use crate::json::{parse_into, quote};
use crate::shape::{Format, Kind, Member, Names, Root, Spot, Support};
use crate::text::network::METHODS;

/// What a completion inserts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompletionKind {
    /// A member with an initial value.
    Member,
    /// A value.
    Value,
}

/// One completion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// Its label in the list.
    pub label: String,
    /// Whether it inserts a member or a value.
    pub kind: CompletionKind,
    /// The text that replaces the bytes from `from` to `to`.
    pub insert: String,
    /// The position of the caret inside `insert`, in bytes.
    pub caret: usize,
    /// Offset of the first byte replaced.
    pub from: usize,
    /// Offset after the last byte replaced.
    pub to: usize,
    /// The expected value, in a few words.
    pub detail: String,
    /// A description in one sentence.
    pub doc: String,
    /// Whether this runtime acts on it: `enforced`, `stored` or `unsupported`; "" for values, and where the table
    /// doesn't say.
    pub support: String,
}

/// A part of a document where ids may be known that are in no table.
#[derive(Clone, Copy, Debug)]
pub enum Place<'p> {
    /// The member names of the object at a JSON Pointer.
    Names(&'p str),
    /// The text at a JSON Pointer.
    Value(&'p str),
}

/// Returns the ids known for a place, each with its display name.
pub type Ids<'i> = &'i dyn Fn(Place<'_>) -> Vec<(String, String)>;

/// Lists the completions at an offset, in the order of the table: members that are not there yet, or values, ids first.
/// The text need not be valid JSON.
#[must_use]
pub fn complete(subject: Subject, text: &str, offset: usize, ids: Ids<'_>) -> Vec<Completion> {
    let offset = floor(text, offset);
    let cursor = Cursor::new(text, offset);
    let writer = Writer {
        text,
        subject,
        cursor: &cursor,
        ids,
    };
    match (cursor.kind, cursor.spot(subject)) {
        (CursorKind::Name { colon }, Some((around, _))) => writer.names(&around, colon),
        (CursorKind::Value, Some((_, Some(here)))) => writer.values(&here),
        (CursorKind::Value, None) if text.trim().is_empty() => match subject {
            Subject::Table(root) => writer.document(root),
            // Their pages provide an initial document.
            Subject::OpenApi(_) => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Rounds an offset down to a character boundary.
pub(super) fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset = offset.saturating_sub(1);
    }
    offset
}

struct Writer<'a> {
    text: &'a str,
    subject: Subject,
    cursor: &'a Cursor<'a>,
    ids: Ids<'a>,
}

impl Writer<'_> {
    fn names(&self, around: &Spot, colon: bool) -> Vec<Completion> {
        let there = self.cursor.siblings();
        let absent = |name: &str| !there.iter().any(|other| other == name);
        match around.kind {
            Kind::Object(of) => {
                let members = of.members.iter().filter(|member| absent(member.name));
                members.map(|member| self.member(member, colon)).collect()
            }
            Kind::Map(names, inner) => {
                let known = known_names(*names).map(|name| (name.to_owned(), describe(inner)));
                let known = known.chain(self.named_elsewhere());
                known
                    .filter(|(name, _)| absent(name))
                    .map(|(name, detail)| self.entry(&name, detail, inner, around, colon))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the names that entries of the map around the cursor may have because they refer to something defined
    /// elsewhere, in the document or at the gateway, each with its display name.
    fn named_elsewhere(&self) -> Vec<(String, String)> {
        let around = self.cursor.around();
        let named = || {
            let text = self.cursor.readable()?;
            let document = parse_into(&text, &mut Findings::default())?;
            self.subject.names(&document, &around)
        };
        match self.subject {
            Subject::Table(_) => (self.ids)(Place::Names(&around)),
            Subject::OpenApi(_) => named().unwrap_or_default(),
        }
    }

    fn member(&self, member: &Member, colon: bool) -> Completion {
        let top = self.cursor.around().is_empty();
        let has_support = match top {
            true => self.subject.has_support(member.name),
            false => self.cursor.has_support(self.subject),
        };
        Completion {
            detail: describe(member.kind),
            doc: member.doc.to_owned(),
            support: match has_support {
                true => member.support.word().to_owned(),
                false => String::new(),
            },
            ..self.named(member.name, &default_value(member), colon)
        }
    }

    fn entry(
        &self,
        name: &str,
        detail: String,
        inner: &Kind,
        around: &Spot,
        colon: bool,
    ) -> Completion {
        let value = match inner {
            Kind::Array(_) => "[]",
            Kind::Object(_) | Kind::Free => "{}",
            _ => "\"\"",
        };
        Completion {
            detail,
            doc: around
                .member
                .map(|member| member.doc.to_owned())
                .unwrap_or_default(),
            ..self.named(name, value, colon)
        }
    }

    fn named(&self, name: &str, value: &str, colon: bool) -> Completion {
        let mut insert = quote(name);
        let mut caret = insert.len();
        if !colon {
            insert.push_str(": ");
            // Inside of quotes and brackets, after anything else.
            let inside = usize::from(matches!(value, "\"\"" | "[]" | "{}"));
            caret = insert
                .len()
                .saturating_add(if inside == 1 { 1 } else { value.len() });
            insert.push_str(value);
            if self.member_follows() {
                insert.push(',');
            }
        }
        Completion {
            label: name.to_owned(),
            kind: CompletionKind::Member,
            insert,
            caret,
            from: self.cursor.token.start,
            to: self.cursor.token.end,
            detail: String::new(),
            doc: String::new(),
            support: String::new(),
        }
    }

    /// Whether another member follows the cursor, so that a comma is needed between them.
    fn member_follows(&self) -> bool {
        let rest = self.text.get(self.cursor.token.end..).unwrap_or_default();
        rest.trim_start().starts_with('"')
    }

    fn values(&self, here: &Spot) -> Vec<Completion> {
        let doc = here.member.map(|member| member.doc).unwrap_or_default();
        let mut values: Vec<String> = match here.kind {
            Kind::Bool => vec!["true".to_owned(), "false".to_owned()],
            Kind::Enum(choice) => choice.values.iter().map(|text| quote(text)).collect(),
            Kind::Format(Format::Method) => METHODS.iter().map(|text| quote(text)).collect(),
            Kind::Object(_) | Kind::Map(..) | Kind::Free | Kind::Tagged(_) => vec!["{}".to_owned()],
            Kind::Array(_) => vec!["[]".to_owned()],
            Kind::Text | Kind::Format(_) if self.cursor.token.of(self.text).is_empty() => {
                vec!["\"\"".to_owned()]
            }
            _ => Vec::new(),
        };
        // Inside an element or an entry, the member's default is not that of the value here.
        let direct = here
            .member
            .filter(|member| self.cursor.name().is_some_and(|name| name == member.name));
        if let Some(default) = direct.and_then(|member| member.default()) {
            values.retain(|value| value != default && value != "\"\"");
            values.insert(0, default.to_owned());
        }
        let detail = describe(&here.kind);
        let ids = match here.kind {
            Kind::Text | Kind::Format(_) => (self.ids)(Place::Value(&self.cursor.here())),
            _ => Vec::new(),
        };
        let ids = ids.into_iter().map(|(id, name)| (quote(&id), name));
        let values = values.into_iter().map(|value| (value, detail.clone()));
        ids.chain(values)
            .map(|(value, detail)| self.value(value, &detail, doc))
            .collect()
    }

    fn value(&self, value: String, detail: &str, doc: &str) -> Completion {
        let empty = matches!(value.as_str(), "\"\"" | "[]" | "{}");
        Completion {
            label: value.clone(),
            kind: CompletionKind::Value,
            caret: if empty { 1 } else { value.len() },
            insert: value,
            from: self.cursor.token.start,
            to: self.cursor.token.end,
            detail: detail.to_owned(),
            doc: doc.to_owned(),
            support: String::new(),
        }
    }

    /// Completes an empty text with an object that has the required members.
    fn document(&self, root: Root) -> Vec<Completion> {
        let required = root
            .shape()
            .members
            .iter()
            .filter(|member| member.is_required());
        let lines: Vec<String> = required
            .map(|member| match member.name {
                "proxy" => "  \"proxy\": {\n    \"listen_path\": \"/\",\n    \"target_url\": \"https://example.com\"\n  }".to_owned(),
                name => format!("  {}: {}", quote(name), default_value(member)),
            })
            .collect();
        let insert = if lines.is_empty() {
            "{\n  \n}".to_owned()
        } else {
            format!("{{\n{}\n}}", lines.join(",\n"))
        };
        vec![Completion {
            label: root.title().to_owned(),
            kind: CompletionKind::Value,
            caret: insert.find("\"\"").map_or(4, |at| at.saturating_add(1)),
            insert,
            from: 0,
            to: self.text.len(),
            detail: describe(&Kind::Object(root.shape())),
            doc: root.shape().doc.to_owned(),
            support: String::new(),
        }]
    }
}

/// Returns the names a map may have, where they are known.
fn known_names(names: Names) -> std::iter::Copied<std::slice::Iter<'static, &'static str>> {
    const STATUSES: &[&str] = &[
        "4xx", "5xx", "401", "403", "404", "429", "500", "503", "504",
    ];
    let list: &'static [&'static str] = match names {
        Names::Known(list) => list,
        Names::Format(Format::StatusOrClass) => STATUSES,
        Names::Format(Format::Method) => &METHODS,
        _ => &[],
    };
    list.iter().copied()
}

/// Describes in words what this runtime does with a member, with the reason.
pub(super) fn support_sentence(support: Support) -> String {
    match support {
        Support::Enforced => "This runtime acts on it".to_owned(),
        Support::Informative => "It is kept, and means nothing to a request here".to_owned(),
        Support::Stored => "It is kept, but has no effect yet".to_owned(),
        Support::Unsupported(reason) => format!("It is kept, but has no effect: {reason}"),
    }
}

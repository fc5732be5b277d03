//! OpenAPI documents and their extension as types of the table of members, for forms.
//!
//! Values that may be references stay JSON: a form could show only one of the two. So do schemas, which contain each
//! other.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::table::{Fill, Kind as TextKind, Member as TextMember, Table, Type as TextType};
use super::{DOCUMENT, EXTENSION, Form, MCP_SERVER, Version, doc, table};
use crate::issue::Severity;
use crate::openapi::{self, DocumentKind};
use crate::shape::{Bounds, Choice, Format, Kind, Member, Names, Note, Support, Switch, Type};

type Key = (Version, DocumentKind, &'static str);

/// Returns the type of documents of a version and kind, given the name of their extension.
pub(crate) fn shape(
    version: Version,
    kind: DocumentKind,
    extension: &'static str,
) -> &'static Type {
    // Cached, because they are needed for every edit; there are eight of them.
    static MADE: Mutex<Vec<(Key, &'static Type)>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (version, kind, extension);
    if let Some((_, known)) = made.iter().find(|(known, _)| *known == key) {
        return known;
    }
    let new = Maker {
        table: table(version, kind),
    }
    .document(extension);
    made.push((key, new));
    new
}

/// The headings of a document. The extension comes first: it is what is administered here.
const SECTIONS: [(&str, &[&str]); 2] = [
    (
        "About the API",
        &["openapi", "info", "servers", "tags", "externalDocs"],
    ),
    (
        "What it offers",
        &[
            "paths",
            "webhooks",
            "components",
            "security",
            "jsonSchemaDialect",
        ],
    ),
];

/// The names of the alternatives of a security scheme, by type.
const SCHEMES: [(&str, &str); 6] = [
    ("Token", "Auth token"),
    ("JWT", "JSON Web Token"),
    ("Basic", "Basic authentication"),
    ("OAuth", "OAuth 2.0 server"),
    ("ExternalOAuth", "External OAuth"),
    ("OAuth2", "OAuth 2.0"),
];

struct Maker {
    table: Table<'static>,
}

/// A member of a type being built.
struct Draft {
    name: &'static str,
    doc: &'static str,
    kind: Kind,
    support: &'static Support,
    notes: Vec<Note>,
}

impl Maker {
    fn document(&self, extension: &'static str) -> &'static Type {
        let mut drafts = Vec::new();
        let own = [(extension, EXTENSION), ("x-gateway-mcp-server", MCP_SERVER)];
        for (name, of) in own {
            let Some(number) = self.table.number(false, of) else {
                continue;
            };
            let is_extension = of == EXTENSION;
            let mut draft = Draft {
                name,
                doc: match is_extension {
                    true => "What the gateway does with the API",
                    false => "Which operations become tools",
                },
                kind: self.object(number, "", &mut Vec::new()),
                support: &Support::Enforced,
                notes: Vec::new(),
            };
            if is_extension {
                draft.notes = vec![Note::Required, Note::Section("What the gateway does")];
            }
            drafts.push(draft);
        }
        let number = self.table.number(true, DOCUMENT).unwrap_or_default();
        let mut members = match self.table.get(number) {
            Some(of) => self.own(of, "", &mut vec![number]),
            None => Vec::new(),
        };
        for (title, names) in SECTIONS {
            let mut title = Some(title);
            for name in names {
                let found = members.iter().position(|member| member.name == *name);
                let Some(found) = found else { continue };
                let mut draft = members.remove(found);
                draft.notes.extend(title.take().map(Note::Section));
                drafts.push(draft);
            }
        }
        drafts.extend(members);
        finished("OpenAPI", drafts)
    }

    /// Builds the type at a dotted path of the extension; the document around the extension has no path.
    fn object(&self, number: usize, path: &str, open: &mut Vec<usize>) -> Kind {
        let of = self.table.get(number).filter(|_| !open.contains(&number));
        let Some(of) = of else { return Kind::Free };
        open.push(number);
        let kind = match &of.each {
            Some((_, kind)) => self.map(kind, path, open),
            None => {
                let drafts = match of.members.is_empty() {
                    true => self.several(of, path, open),
                    false => self.own(of, path, open),
                };
                match drafts.is_empty() {
                    true => Kind::Free,
                    false => Kind::Object(finished(of.name, drafts)),
                }
            }
        };
        open.pop();
        kind
    }

    fn own(&self, of: &TextType<'static>, path: &str, open: &mut Vec<usize>) -> Vec<Draft> {
        let member = |member: &TextMember<'static>| {
            let name = member.name;
            let dotted = match path {
                "" => name.to_owned(),
                path => format!("{path}.{name}"),
            };
            let mut notes = Vec::new();
            match member.fill {
                Fill::Required | Fill::Present | Fill::Null => notes.push(Note::Required),
                Fill::Empty => notes.push(Note::Expected),
                Fill::Nothing => {}
            }
            let (doc, support) = match of.is_document {
                true => (document_doc(of.name, name), &Support::Enforced),
                false => {
                    notes.extend(openapi::default(&dotted).map(Note::Default));
                    (doc(of.name, name), openapi::support(&dotted))
                }
            };
            Draft {
                name,
                doc: doc.trim_end_matches('.'),
                kind: self.kind(&member.kind, &dotted, open),
                support,
                notes,
            }
        };
        of.members.iter().map(member).collect()
    }

    /// Returns the members of several alternative types: first those that more than one type has, then the rest,
    /// grouped under headings.
    fn several(&self, of: &TextType<'static>, path: &str, open: &mut Vec<usize>) -> Vec<Draft> {
        let types = of.any.iter().filter_map(|number| self.table.get(*number));
        let types: Vec<&TextType<'static>> = types.collect();
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        for member in types.iter().flat_map(|of| &of.members) {
            let count = uses.entry(member.name).or_default();
            *count = count.saturating_add(1);
        }
        let count = |name: &str| uses.get(name).copied().unwrap_or_default();
        let (mut shared, mut rest): (Vec<Draft>, Vec<Draft>) = (Vec::new(), Vec::new());
        for of in &types {
            let heading = SCHEMES.iter().find(|(name, _)| *name == of.name);
            let mut heading = heading.map(|(_, title)| Note::Section(title));
            for mut draft in self.own(of, path, open) {
                if count(draft.name) < 2 {
                    draft.notes.retain(|note| *note != Note::Required);
                    draft.notes.extend(heading.take());
                    rest.push(draft);
                } else if let Some(known) = shared.iter_mut().find(|one| one.name == draft.name) {
                    known.kind = either(known.kind, draft.kind);
                } else {
                    // A member that not all of them have can't be required.
                    let everywhere = count(draft.name) == types.len();
                    draft
                        .notes
                        .retain(|note| everywhere || *note != Note::Required);
                    shared.push(draft);
                }
            }
        }
        shared.append(&mut rest);
        shared
    }

    fn kind(&self, kind: &TextKind<'static>, path: &str, open: &mut Vec<usize>) -> Kind {
        match kind {
            TextKind::Any => Kind::Any,
            TextKind::Bool(_) => Kind::Bool,
            TextKind::Integer(range) => Kind::Integer(keep(Bounds {
                min: range.min.parse().unwrap_or(i64::MIN),
                max: range.max.parse().unwrap_or(i64::MAX),
                severity: Severity::Error,
            })),
            TextKind::Number(_) => Kind::Number,
            TextKind::Text(Form::Format("uri" | "uri-reference")) => Kind::Format(Format::Url),
            TextKind::Text(Form::Format("regex")) => Kind::Format(Format::Pattern),
            TextKind::Text(_) | TextKind::Reference => Kind::Text,
            TextKind::Choice(words) => choice(words.split('|').collect()),
            TextKind::Object | TextKind::OrReference(_, false) => Kind::Free,
            TextKind::OrReference(_, true) => Kind::Any,
            TextKind::List(kind, _) => Kind::Array(keep(self.kind(kind, path, open))),
            TextKind::Map(kind) => self.map(kind, path, open),
            TextKind::Type(number) => self.object(*number, path, open),
            TextKind::OrNull(kind) => self.kind(kind, path, open),
        }
    }

    fn map(&self, kind: &TextKind<'static>, path: &str, open: &mut Vec<usize>) -> Kind {
        Kind::Map(&Names::Any, keep(self.kind(kind, path, open)))
    }
}

/// Leaks a value, so that it lives as long as the constants of the table.
fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn finished(name: &'static str, drafts: Vec<Draft>) -> &'static Type {
    let is_switched = drafts.iter().any(|draft| draft.name == "enabled");
    let members = drafts.into_iter().map(|draft| Member {
        name: draft.name,
        doc: draft.doc,
        kind: keep(draft.kind),
        support: draft.support,
        notes: draft.notes.leak(),
    });
    keep(Type {
        name,
        doc: "",
        switch: match is_switched {
            true => Switch::On("enabled"),
            false => Switch::None,
        },
        members: members.collect::<Vec<_>>().leak(),
    })
}

fn choice(values: Vec<&'static str>) -> Kind {
    Kind::Enum(keep(Choice {
        values: values.leak(),
        severity: Severity::Error,
    }))
}

/// Returns the kind that accepts the values of either one: for two lists of texts, all of them.
fn either(one: Kind, other: Kind) -> Kind {
    let (Kind::Enum(one_of), Kind::Enum(others)) = (one, other) else {
        return one;
    };
    let mut values = one_of.values.to_vec();
    let more = others
        .values
        .iter()
        .filter(|text| !one_of.values.contains(text));
    values.extend(more);
    choice(values)
}

/// Returns the description of a member of the document around the extension.
fn document_doc(of: &str, member: &str) -> &'static str {
    let own = format!("{of}.{member}");
    let line = |name: &str| {
        let mut lines = DOCUMENT_DOCS
            .lines()
            .filter_map(|line| line.split_once(' '));
        lines.find_map(|(known, doc)| (known == name).then_some(doc))
    };
    line(&own).or_else(|| line(member)).unwrap_or_default()
}

/// One line each: the name, and the sentence.
const DOCUMENT_DOCS: &str = "\
openapi The OpenAPI version of the document
info General information about the API
title The title of the API
summary A short summary
description A description, in Markdown
termsOfService The URL of the terms of use
contact Whom to contact about the API
Contact.name The name of the contact
url The URL
email The email address
license The licence for using the API
License.name The name of the licence
identifier The SPDX expression of the licence
version The version of the document
servers Servers on which the API can be called
variables Values for the placeholders in braces in the URL
enum The allowed values
ServerVariable.default The default value
tags Tags that group operations
Tag.name The name of the group
externalDocs External documentation
paths Paths, each with its operations
webhooks Requests that the API sends on its own initiative
components Schemas and other parts that the rest refers to
security Required credentials
jsonSchemaDialect The JSON Schema dialect of the schemas
parameters Path, query, header and cookie parameters
operationId The name of the operation; rules refer to it
requestBody The request body
responses Responses, by status
callbacks Requests that the API sends as a result of this one
deprecated Whether it should no longer be used
$ref A reference to the path's description elsewhere
schemas Schemas, by name
examples Examples, by name
requestBodies Request bodies, by name
headers Headers, by name
securitySchemes Authentication methods, by name
links Follow-up operations for a response, by name
pathItems Paths, by name
get The GET operation
put The PUT operation
post The POST operation
delete The DELETE operation
options The OPTIONS operation
head The HEAD operation
patch The PATCH operation
trace The TRACE operation
";

#[cfg(test)]
mod tests;

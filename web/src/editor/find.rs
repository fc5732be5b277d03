//! Searches a document's fields, set or not.

use gatewright_model::form::{Hit, Subject, rank, search_of, sections_of, spot};
use gatewright_model::json::pointer::{push_token, tokens};
use gatewright_model::json::{Value, parse};
use gatewright_model::openapi::stored;
use gatewright_model::shape::{Kind, Member, Support, Type};
use serde::Serialize;

/// Maximum number of results; a more specific query narrows them down.
const MOST: usize = 60;

/// A field that was found.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Found {
    /// Its pointer; if it would be inside an empty list or map, the pointer of that list or map.
    pub(super) pointer: String,
    /// The path to it from where the search started: `proxy.listen_path`.
    title: String,
    doc: &'static str,
    support: &'static str,
    reason: &'static str,
    section: &'static str,
    /// Whether the document has it.
    pub(super) set: bool,
}

/// Searches the fields below the object at `at`. Without a query, returns the unset fields of the object itself, those
/// of `section` first. Inside a list or map, uses the entry that `near` points into, else the first.
pub(super) fn find(
    subject: Subject,
    text: &str,
    at: &str,
    near: &str,
    section: &str,
    query: &str,
) -> Vec<Found> {
    let Ok(document) = parse(text) else {
        return Vec::new();
    };
    let Some(Kind::Object(of)) = spot(subject, &document, at).map(|spot| spot.kind) else {
        return Vec::new();
    };
    if query.trim().is_empty() {
        return unset(of, &document, at, section);
    }
    let extension = stored::extension(&document).map(|(name, _)| name);
    let found = |hit: Hit| {
        let pointer = resolve(&document, at, near, &hit.path);
        // The extension's name would be the same in every title.
        let title = match hit.path.split_first() {
            Some((first, rest)) if extension == Some(*first) && !rest.is_empty() => rest.join("."),
            _ => hit.path.join("."),
        };
        found(&document, pointer, title, "", hit.member)
    };
    search_of(of, query)
        .into_iter()
        .take(MOST)
        .map(found)
        .collect()
}

fn unset(of: &'static Type, document: &Value<'_>, at: &str, section: &str) -> Vec<Found> {
    let object = document.pointer(at);
    let mut all: Vec<Found> = Vec::new();
    let (first, rest): (Vec<_>, Vec<_>) = sections_of(of)
        .into_iter()
        .partition(|one| one.title == section);
    for section in first.into_iter().chain(rest) {
        let mut fields = section.fields;
        fields.sort_by_key(|field| rank(field.member));
        for field in fields {
            let name = field.member.name;
            if object.is_some_and(|object| object.get(name).is_some()) {
                continue;
            }
            let mut pointer = at.to_owned();
            push_token(&mut pointer, name);
            all.push(found(
                document,
                pointer,
                name.to_owned(),
                section.title,
                field.member,
            ));
        }
    }
    all
}

fn found(
    document: &Value<'_>,
    pointer: String,
    title: String,
    section: &'static str,
    member: &'static Member,
) -> Found {
    let set = document
        .pointer(&pointer)
        .is_some_and(|value| !value.is_null());
    let reason = match member.support {
        Support::Unsupported(reason) => reason,
        _ => "",
    };
    Found {
        pointer,
        title,
        doc: member.doc,
        support: member.support.word(),
        reason,
        section,
        set,
    }
}

/// Resolves a path whose `*` stand for entries to a pointer, as far as there are entries.
fn resolve(document: &Value<'_>, at: &str, near: &str, path: &[&str]) -> String {
    let mut pointer = at.to_owned();
    for name in path {
        if *name != "*" {
            push_token(&mut pointer, name);
            continue;
        }
        let inside = near.strip_prefix(&pointer);
        let beside = inside
            .filter(|rest| rest.starts_with('/'))
            .and_then(|rest| {
                let rest = tokens(rest)?;
                rest.first().map(ToString::to_string)
            });
        let value = document.pointer(&pointer);
        let first = value.and_then(|value| match value.items() {
            [] => value
                .members()
                .first()
                .map(|member| member.name.to_string()),
            _ => Some("0".to_owned()),
        });
        match beside.or(first) {
            Some(token) => push_token(&mut pointer, &token),
            None => break,
        }
    }
    pointer
}

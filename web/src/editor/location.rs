//! Finds the page of a form that shows a pointer, and what has to be unfolded there.

use gatewright_model::form::{Control, Subject, control, fits, spot};
use gatewright_model::json::pointer::{array_index, push_token, tokens};
use gatewright_model::json::{Kind as Json, Value};
use serde::Serialize;

use super::form::{INLINE, SHEET};

/// Whether a control has fields or entries of its own.
pub(super) const fn is_container(control: &Control) -> bool {
    matches!(
        control,
        Control::List(_) | Control::Map(_) | Control::Object(_)
    )
}

/// Returns a pointer and all its ancestors, the root first.
fn prefixes(pointer: &str) -> Vec<String> {
    let mut prefix = String::new();
    let mut prefixes = vec![prefix.clone()];
    for token in tokens(pointer).unwrap_or_default() {
        push_token(&mut prefix, &token);
        prefixes.push(prefix.clone());
    }
    prefixes
}

/// Whether a pointer exists in the document and can be a page.
fn is_page(subject: Subject, document: &Value<'_>, pointer: &str) -> bool {
    let Some((spot, value)) = spot(subject, document, pointer).zip(document.pointer(pointer))
    else {
        return false;
    };
    let control = control(&spot.kind, "");
    is_container(&control) && fits(&control, value)
}

/// Returns the page closest to a pointer: itself or an ancestor.
pub(super) fn settle(subject: Subject, document: &Value<'_>, pointer: &str) -> String {
    let mut pages = prefixes(pointer);
    let end = pages
        .iter()
        .position(|page| !is_page(subject, document, page))
        .unwrap_or(pages.len());
    pages.truncate(end);
    pages.pop().unwrap_or_default()
}

/// Returns the breadcrumbs of a page, itself included: pointers and names. Elements are numbered from 1.
pub(super) fn crumbs(subject: Subject, document: &Value<'_>, at: &str) -> Vec<(String, String)> {
    let title = subject.title();
    let title = title.split_once(' ').map_or(title, |(_, title)| title);
    let mut crumbs = vec![(String::new(), title.to_owned())];
    let names = tokens(at).unwrap_or_default();
    for (prefix, name) in prefixes(at).into_iter().skip(1).zip(names) {
        let above = prefix.rsplit_once('/').map_or("", |(above, _)| above);
        let listed = document
            .pointer(above)
            .is_some_and(|value| matches!(value.kind, Json::Array(_)));
        let index = array_index(&name).filter(|_| listed);
        let name = index.map_or_else(
            || name.to_string(),
            |index| format!("#{}", index.saturating_add(1)),
        );
        let called = subject.names(document, above).unwrap_or_default();
        let called = called.into_iter().find(|(known, _)| *known == name);
        let name = called.map_or_else(|| name.clone(), |(_, label)| format!("{name} ({label})"));
        crumbs.push((prefix, name));
    }
    crumbs
}

/// Where a field is shown.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct FieldLocation {
    /// The pointer of the page.
    pub(super) at: String,
    /// Pointers of the objects that have to be unfolded on it.
    pub(super) open: Vec<String>,
    /// The index of the first entry on the sheet.
    pub(super) from: usize,
    /// The pointer of the field that shows it: itself, or the closest ancestor.
    pub(super) pointer: String,
}

/// Finds where a pointer is shown, or would be if it existed.
pub(super) fn field_location(
    subject: Subject,
    document: &Value<'_>,
    pointer: &str,
) -> FieldLocation {
    let mut location = FieldLocation::default();
    for prefix in prefixes(pointer) {
        let above = prefix.rsplit_once('/').map_or("", |(above, _)| above);
        let Some(around) = document.pointer(above) else {
            break;
        };
        location.pointer.clone_from(&prefix);
        let page = is_page(subject, document, &prefix);
        let number = spot(subject, document, above).and_then(|spot| {
            let entries = matches!(control(&spot.kind, ""), Control::List(_) | Control::Map(_));
            entries.then(|| number_in(around, &prefix)).flatten()
        });
        match number {
            // An entry with a page of its own.
            Some(_) if page => {
                location = FieldLocation {
                    at: prefix.clone(),
                    pointer: prefix,
                    ..FieldLocation::default()
                }
            }
            // An entry beyond those shown inline.
            Some(number) if number >= INLINE || location.at == above => {
                let from = number.saturating_sub(number.checked_rem(SHEET).unwrap_or_default());
                location = FieldLocation {
                    at: above.to_owned(),
                    open: Vec::new(),
                    from,
                    pointer: prefix,
                };
            }
            None if page && !prefix.is_empty() => location.open.push(prefix),
            _ => {}
        }
    }
    location
}

/// Returns the index of the entry of a list or map that a pointer refers to.
fn number_in(around: &Value<'_>, pointer: &str) -> Option<usize> {
    let tokens = tokens(pointer)?;
    let name = tokens.last()?;
    match around.kind {
        Json::Array(_) => array_index(name),
        _ => around
            .members()
            .iter()
            .position(|member| member.name == *name),
    }
}

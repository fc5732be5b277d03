//! Minimal edits of a JSON text: everything that isn't meant to change keeps its bytes.
//!
//! New members are formatted like their siblings: same indentation, same spacing around the colon. A document on one
//! line stays on one line.

mod adapt;
mod entries;
mod layout;

use std::fmt;

use super::pointer::{array_index, tokens};
use super::{Kind, Member, Value, parse, quote};
use crate::issue::Issue;
use crate::order::order;
pub use adapt::adapt;
pub use entries::{insert, rename, swap};
pub(crate) use layout::Layout;

/// Why an edit was refused, leaving the text unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// The document is not JSON.
    Document(Vec<Issue>),
    /// The new value is not JSON.
    Value(Vec<Issue>),
    /// The pointer is not a JSON Pointer (RFC 6901).
    Pointer,
    /// There is nothing at the pointer.
    NotFound,
    /// The pointer leads into a value without members, or to an index beyond the array.
    NoContainer,
    /// There is already a member with that name.
    Taken,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = |issues: &[Issue]| issues.first().map(ToString::to_string).unwrap_or_default();
        match self {
            Self::Document(issues) => write!(f, "the document is no JSON: {}", first(issues)),
            Self::Value(issues) => write!(f, "the new value is no JSON: {}", first(issues)),
            Self::Pointer => f.write_str("the pointer is no JSON Pointer"),
            Self::NotFound => f.write_str("there is nothing at the pointer"),
            Self::NoContainer => {
                f.write_str("the pointer leads into a value that can't hold another one")
            }
            Self::Taken => f.write_str("there is another member of that name"),
        }
    }
}

impl std::error::Error for EditError {}

/// Sets the value at a JSON Pointer: replaces the existing one, or adds a new last member. Missing parent objects are
/// created; in an array, `-` and the index after the last element append.
///
/// # Errors
/// See [`EditError`].
pub fn set(text: &str, pointer: &str, value_json: &str) -> Result<String, EditError> {
    let root = parse(text).map_err(EditError::Document)?;
    let value = parse(value_json)
        .map_err(EditError::Value)?
        .span
        .of(value_json);
    let tokens = tokens(pointer).ok_or(EditError::Pointer)?;
    let mut edits = Edits::new(text);
    let mut target = &root;
    let mut rest = tokens.as_slice();
    while let Some((token, deeper)) = rest.split_first() {
        let next = match &target.kind {
            Kind::Object(_) => target.member(token).map(|member| &member.value),
            Kind::Array(items) => match array_index(token) {
                Some(index) if index <= items.len() => items.get(index),
                _ if token == "-" => None,
                _ => return Err(EditError::NoContainer),
            },
            _ => return Err(EditError::NoContainer),
        };
        let Some(next) = next else {
            let layout = Layout::of(text, &root, target);
            let new = layout.nest(deeper, value);
            match &target.kind {
                Kind::Object(members) => {
                    edits.object(target, members, &Changes::adding(token, new), &layout)
                }
                _ => edits.append_item(target, &new, &layout),
            }
            return Ok(edits.apply());
        };
        (target, rest) = (next, deeper);
    }
    edits.replace(target.span.start, target.span.end, value);
    Ok(edits.apply())
}

/// Removes the member or element at a JSON Pointer, with its comma and its line.
///
/// # Errors
/// See [`EditError`]; the root can't be removed.
pub fn remove(text: &str, pointer: &str) -> Result<String, EditError> {
    let root = parse(text).map_err(EditError::Document)?;
    let tokens = tokens(pointer).ok_or(EditError::Pointer)?;
    let last = tokens.last().ok_or(EditError::NotFound)?;
    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    let parent = root.pointer(parent).ok_or(EditError::NotFound)?;
    let mut edits = Edits::new(text);
    let layout = Layout::of(text, &root, parent);
    match &parent.kind {
        Kind::Object(members) => {
            let index = members
                .iter()
                .position(|member| member.name == *last)
                .ok_or(EditError::NotFound)?;
            edits.object(
                parent,
                members,
                &Changes {
                    removed: vec![index],
                    ..Changes::default()
                },
                &layout,
            );
        }
        Kind::Array(items) => {
            let index = array_index(last)
                .filter(|index| *index < items.len())
                .ok_or(EditError::NotFound)?;
            let entries: Vec<_> = items
                .iter()
                .map(|item| (item.span.start, item.span.end))
                .collect();
            edits.remove_entries(parent, &entries, &[index]);
        }
        _ => return Err(EditError::NotFound),
    }
    Ok(edits.apply())
}

/// Changes to the members of one object.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Indices of removed members, ascending.
    pub(crate) removed: Vec<usize>,
    /// Names and JSON texts of added members.
    pub(crate) added: Vec<(String, String)>,
}

impl Changes {
    fn adding(name: &str, json: String) -> Self {
        Self {
            removed: Vec::new(),
            added: vec![(name.to_owned(), json)],
        }
    }
}

/// Non-overlapping replacements, applied in one pass.
#[derive(Debug)]
pub(crate) struct Edits<'a> {
    text: &'a str,
    edits: Vec<(usize, usize, String)>,
}

impl<'a> Edits<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self {
            text,
            edits: Vec::new(),
        }
    }

    /// Replaces the bytes from `start` to `end`.
    pub(crate) fn replace(&mut self, start: usize, end: usize, new: impl Into<String>) {
        self.edits.push((start, end, new.into()));
    }

    /// Removes and adds members of one object.
    pub(crate) fn object(
        &mut self,
        object: &Value<'_>,
        members: &[Member<'_>],
        changes: &Changes,
        layout: &Layout<'_>,
    ) {
        let entries: Vec<_> = members
            .iter()
            .map(|member| (member.name_span.start, member.value.span.end))
            .collect();
        let kept = (0..members.len())
            .rev()
            .find(|index| changes.removed.binary_search(index).is_err());
        let colon = members
            .last()
            .map_or(layout.colon(), |member| layout.colon_of(member));
        let mut new = String::new();
        for (index, (name, json)) in changes.added.iter().enumerate() {
            if index > 0 || kept.is_some() {
                new.push(',');
            }
            if index > 0 || kept.is_some() || members.is_empty() {
                new.push_str(layout.before_entry(members.last().map(|last| last.name_span.start)));
            }
            new.push_str(&quote(name));
            new.push_str(colon);
            new.push_str(json);
        }
        match kept.and_then(|index| entries.get(index)) {
            Some((_, end)) => {
                if !new.is_empty() {
                    self.replace(*end, *end, new);
                }
                self.remove_entries(object, &entries, &changes.removed);
            }
            // No member remains: the new ones replace the range from the first to the last old one.
            None => match (entries.first(), entries.last()) {
                (Some((start, _)), Some((_, end))) if !new.is_empty() => {
                    self.replace(*start, *end, new)
                }
                (Some(_), Some(_)) => self.remove_entries(object, &entries, &changes.removed),
                _ if new.is_empty() => {}
                _ => {
                    new.push_str(layout.before_close());
                    self.inside(object, new);
                }
            },
        }
    }

    fn append_item(&mut self, array: &Value<'_>, json: &str, layout: &Layout<'_>) {
        match array.items().last() {
            Some(last) => {
                let new = format!(",{}{json}", layout.before_entry(Some(last.span.start)));
                self.replace(last.span.end, last.span.end, new);
            }
            None => {
                let new = format!(
                    "{}{json}{}",
                    layout.before_entry(None),
                    layout.before_close()
                );
                self.inside(array, new);
            }
        }
    }

    /// Replaces everything between the brackets of a container.
    fn inside(&mut self, container: &Value<'_>, new: String) {
        self.replace(
            container.span.start.saturating_add(1),
            container.span.end.saturating_sub(1),
            new,
        );
    }

    /// Removes entries (ascending indices) with one comma each. The following entry moves up to where the removed ones
    /// started; if there is none, everything after the last remaining entry is removed.
    fn remove_entries(
        &mut self,
        container: &Value<'_>,
        entries: &[(usize, usize)],
        removed: &[usize],
    ) {
        if removed.len() == entries.len() && !entries.is_empty() {
            return self.inside(container, String::new());
        }
        let mut rest = removed;
        while let Some((&first, more)) = rest.split_first() {
            let run = more
                .iter()
                .zip(first.saturating_add(1)..)
                .take_while(|(index, expected)| **index == *expected)
                .count();
            rest = more.get(run..).unwrap_or_default();
            let last = first.saturating_add(run);
            let begin = entries.get(first).map(|(start, _)| *start);
            match entries.get(last.saturating_add(1)) {
                Some((follower, _)) => self.replace(begin.unwrap_or(*follower), *follower, ""),
                None => {
                    let kept = first
                        .checked_sub(1)
                        .and_then(|index| entries.get(index))
                        .map(|(_, end)| *end);
                    let end = entries.get(last).map(|(_, end)| *end);
                    if let (Some(kept), Some(end)) = (kept, end) {
                        self.replace(kept, end, "");
                    }
                }
            }
        }
    }

    /// Returns the replacements sorted by position: start, end, and the new text.
    #[cfg(feature = "docs")]
    pub(crate) fn into_sorted(mut self) -> Vec<(usize, usize, String)> {
        self.edits.sort_by_key(|(start, _, _)| *start);
        self.edits
    }

    /// Applies all replacements and returns the text; those at the same offset keep their order.
    pub(crate) fn apply(self) -> String {
        let begin = |at: usize| self.edits.get(at).map(|(start, _, _)| *start);
        let order = order(self.edits.len(), &mut |a, b| begin(a).cmp(&begin(b)));
        let mut result = String::with_capacity(self.text.len());
        let mut at = 0;
        for (start, end, new) in order.into_iter().filter_map(|index| self.edits.get(index)) {
            result.push_str(self.text.get(at..*start).unwrap_or_default());
            result.push_str(new);
            at = at.max(*end);
        }
        result.push_str(self.text.get(at..).unwrap_or_default());
        result
    }
}

#[cfg(test)]
#[path = "edit/tests.rs"]
mod tests;

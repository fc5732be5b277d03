//! Edits that move or rename entries without touching their values.

use super::{EditError, Edits};
use crate::json::pointer::tokens;
use crate::json::{Kind, parse, quote};

/// Renames the member at a JSON Pointer, without moving it.
///
/// # Errors
/// [`EditError::Taken`] if a sibling has that name, [`EditError::NotFound`] if there is no member at the pointer;
/// otherwise see [`EditError`].
pub fn rename(text: &str, pointer: &str, name: &str) -> Result<String, EditError> {
    let root = parse(text).map_err(EditError::Document)?;
    let tokens = tokens(pointer).ok_or(EditError::Pointer)?;
    let last = tokens.last().ok_or(EditError::NotFound)?;
    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    let parent = root.pointer(parent).ok_or(EditError::NotFound)?;
    let member = parent.member(last).ok_or(EditError::NotFound)?;
    if member.name == name {
        return Ok(text.to_owned());
    }
    if parent.member(name).is_some() {
        return Err(EditError::Taken);
    }
    let mut edits = Edits::new(text);
    edits.replace(member.name_span.start, member.name_span.end, quote(name));
    Ok(edits.apply())
}

/// Swaps two elements of the array at a JSON Pointer; everything between them stays.
///
/// # Errors
/// [`EditError::NotFound`] if there is no array, or one of the elements is not in it; otherwise see [`EditError`].
pub fn swap(text: &str, pointer: &str, one: usize, other: usize) -> Result<String, EditError> {
    let root = parse(text).map_err(EditError::Document)?;
    tokens(pointer).ok_or(EditError::Pointer)?;
    let array = root.pointer(pointer).ok_or(EditError::NotFound)?;
    let item = |index: usize| array.items().get(index).ok_or(EditError::NotFound);
    let (first, second) = (item(one)?.span, item(other)?.span);
    if one == other {
        return Ok(text.to_owned());
    }
    let mut edits = Edits::new(text);
    edits.replace(first.start, first.end, second.of(text));
    edits.replace(second.start, second.end, first.of(text));
    Ok(edits.apply())
}

/// Inserts a value before an element of an array, or after the last one.
///
/// # Errors
/// [`EditError::NotFound`] if there is no array at the pointer, or no such index in it; otherwise see [`EditError`].
pub fn insert(text: &str, pointer: &str, index: usize, json: &str) -> Result<String, EditError> {
    let root = parse(text).map_err(EditError::Document)?;
    let array = root.pointer(pointer).ok_or(EditError::NotFound)?;
    let Kind::Array(items) = &array.kind else {
        return Err(EditError::NotFound);
    };
    let Some(next) = items.get(index) else {
        let end = index == items.len();
        return if end {
            super::set(text, &format!("{pointer}/-"), json)
        } else {
            Err(EditError::NotFound)
        };
    };
    let value = parse(json).map_err(EditError::Value)?.span.of(json);
    // The new element is followed by the space that separates two elements or, with only one, the space before that
    // one.
    let sibling = items.get(index.max(1)).unwrap_or(next);
    let layout = super::Layout::of(text, &root, array);
    let space = layout.before_entry(Some(sibling.span.start));
    let mut edits = Edits::new(text);
    let new = format!("{value},{space}");
    edits.replace(next.span.start, next.span.start, new);
    Ok(edits.apply())
}

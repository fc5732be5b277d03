//! Carrying one person's changes over onto what another person stored meanwhile.

use gatewright_model::Issue;
use gatewright_model::diff::{Change, ChangeKind, changes};
use gatewright_model::json::edit;

/// What came of carrying changes over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebased {
    /// Their text with mine on top.
    pub text: String,
    /// Pointers of my changes that were carried over without touching what they changed.
    pub carried: Vec<String>,
    /// Pointers where both changed something different; mine stands in the text now, look at it.
    pub overlapping: Vec<String>,
    /// Pointers of my changes that had no place any more; they are not in the text.
    pub dropped: Vec<String>,
}

/// Applies what changed from `base` to `mine` onto `theirs`, leaving every other byte of `theirs` alone.
///
/// # Errors
/// The issues of the first of the three texts that is not JSON.
pub fn rebase(base: &str, mine: &str, theirs: &str) -> Result<Rebased, Vec<Issue>> {
    let wanted = changes(base, mine)?;
    let taken = changes(base, theirs)?;
    let mut result = Rebased { text: theirs.to_owned(), ..Rebased::default() };
    for change in in_safe_order(&wanted) {
        let clash = taken.iter().any(|other| overlaps(&change.pointer, &other.pointer) && !same(change, other));
        let Some(text) = apply(&result.text, change) else {
            result.dropped.push(change.pointer.clone());
            continue;
        };
        result.text = text;
        let list = if clash { &mut result.overlapping } else { &mut result.carried };
        list.push(change.pointer.clone());
    }
    Ok(result)
}

/// Removals last and backwards, so that the index of an array's item is still right when it is used.
fn in_safe_order(wanted: &[Change]) -> impl Iterator<Item = &Change> {
    let kept = wanted.iter().filter(|change| change.kind != ChangeKind::Removed);
    let removed = wanted.iter().rev().filter(|change| change.kind == ChangeKind::Removed);
    kept.chain(removed)
}

fn apply(text: &str, change: &Change) -> Option<String> {
    match &change.after {
        Some(value) => edit::set(text, &change.pointer, value).ok(),
        None => edit::remove(text, &change.pointer).ok(),
    }
}

/// Whether one pointer is the other, or lies below it.
fn overlaps(one: &str, other: &str) -> bool {
    let below = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below(one, other) || below(other, one)
}

fn same(one: &Change, other: &Change) -> bool {
    one.pointer == other.pointer && one.after == other.after
}

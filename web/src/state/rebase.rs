//! Applies one person's changes on top of what somebody else has stored meanwhile.
//!
//! Objects are merged member by member. An array is one value: mixing two people's arrays by index would produce
//! something that neither of them wrote.

use gatewright_model::Issue;
use gatewright_model::diff::{Change, ChangeKind, changes};
use gatewright_model::json::{Kind, edit, parse};

/// The result of a rebase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebased {
    /// Their text with my changes applied.
    pub text: String,
    /// Pointers of my changes that don't overlap with theirs.
    pub carried: Vec<String>,
    /// Pointers where both made different changes; the text has mine, to be reviewed.
    pub overlapping: Vec<String>,
    /// Pointers of my changes to members that don't exist any more; they are not in the text.
    pub dropped: Vec<String>,
}

/// Applies the changes from `base` to `mine` to `theirs`, leaving every other byte of `theirs` alone.
///
/// # Errors
/// The issues of the first of the three texts that is not JSON.
pub fn rebase(base: &str, mine: &str, theirs: &str) -> Result<Rebased, Vec<Issue>> {
    let mine_changed = whole_arrays(base, mine)?;
    let theirs_changed = whole_arrays(base, theirs)?;
    let mut result = Rebased {
        text: theirs.to_owned(),
        ..Rebased::default()
    };
    for change in &mine_changed {
        let clash = theirs_changed
            .iter()
            .any(|other| overlaps(&change.pointer, &other.pointer) && !same(change, other));
        let Some(text) = apply(&result.text, change) else {
            result.dropped.push(change.pointer.clone());
            continue;
        };
        result.text = text;
        let list = if clash {
            &mut result.overlapping
        } else {
            &mut result.carried
        };
        list.push(change.pointer.clone());
    }
    Ok(result)
}

/// Returns the changes between two texts, with changes inside an array replaced by one of the whole array.
fn whole_arrays(before: &str, after: &str) -> Result<Vec<Change>, Vec<Issue>> {
    let (old, new) = (parse(before)?, parse(after)?);
    let mut lifted: Vec<Change> = Vec::new();
    for change in changes(before, after)? {
        let outer = prefixes(&change.pointer)
            .find(|prefix| {
                old.pointer(prefix)
                    .is_some_and(|value| matches!(value.kind, Kind::Array(_)))
            })
            .and_then(|prefix| Some((prefix, old.pointer(prefix)?, new.pointer(prefix)?)));
        let change = match outer {
            None => change,
            Some((prefix, old, new)) => Change {
                pointer: prefix.to_owned(),
                kind: ChangeKind::Changed,
                before: Some(old.span.of(before).to_owned()),
                after: Some(new.span.of(after).to_owned()),
            },
        };
        if lifted
            .last()
            .is_none_or(|last| last.pointer != change.pointer)
        {
            lifted.push(change);
        }
    }
    Ok(lifted)
}

/// Returns the pointers of a value's ancestors, outermost first.
fn prefixes(pointer: &str) -> impl Iterator<Item = &str> {
    pointer
        .match_indices('/')
        .filter_map(|(at, _)| pointer.get(..at))
}

fn apply(text: &str, change: &Change) -> Option<String> {
    match &change.after {
        Some(value) => edit::set(text, &change.pointer, value).ok(),
        None => edit::remove(text, &change.pointer).ok(),
    }
}

/// Whether one pointer is the other, or lies below it.
fn overlaps(one: &str, other: &str) -> bool {
    let below = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    below(one, other) || below(other, one)
}

fn same(one: &Change, other: &Change) -> bool {
    one.pointer == other.pointer && one.after == other.after
}

//! One sort for everything.
//!
//! A generic sort is compiled anew for every type it sorts, and a map or set that is collected sorts
//! too; in the console those copies took more room than all the rules. So indices are sorted here, by
//! a comparison that isn't known until then.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The indices from 0 to `count` in the order that a comparison of two of them says. Equal ones keep
/// their order.
pub(crate) fn order(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// A map of pairs, of which the last one of a key stays.
#[must_use]
pub fn map<K: Ord, V>(pairs: impl Iterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(pairs);
    map
}

/// A set of items.
#[must_use]
pub fn set<T: Ord>(items: impl Iterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(items);
    set
}

/// The items in the order of a text that each has. Equal ones keep their order.
#[must_use]
pub fn sorted<T>(items: Vec<T>, key: impl Fn(&T) -> String) -> Vec<T> {
    let keys: Vec<String> = items.iter().map(key).collect();
    let order = order(keys.len(), &mut |a, b| keys.get(a).cmp(&keys.get(b)));
    taken(items, order)
}

/// The items in the order of a number that each has. Equal ones keep their order.
#[must_use]
pub fn sorted_by_number<T>(items: Vec<T>, key: impl Fn(&T) -> usize) -> Vec<T> {
    let keys: Vec<usize> = items.iter().map(key).collect();
    let order = order(keys.len(), &mut |a, b| keys.get(a).cmp(&keys.get(b)));
    taken(items, order)
}

/// The items in the order of a comparison. Equal ones keep their order.
#[must_use]
pub fn sorted_by<T>(items: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let order = order(
        items.len(),
        &mut |a, b| match (items.get(a), items.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        },
    );
    taken(items, order)
}

fn taken<T>(items: Vec<T>, order: Vec<usize>) -> Vec<T> {
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let take = |at: usize| items.get_mut(at).and_then(Option::take);
    order.into_iter().filter_map(take).collect()
}

/// For every text the index of the first one that is equal: its own, if it is the first.
pub(crate) fn firsts(texts: &[&str]) -> Vec<usize> {
    let text = |at: usize| texts.get(at).copied().unwrap_or_default();
    let order = order(texts.len(), &mut |a, b| text(a).cmp(text(b)));
    let mut firsts: Vec<usize> = (0..texts.len()).collect();
    let mut first = 0;
    for at in order {
        // Equal ones keep their order, so the smallest index of a group comes first.
        if text(at) != text(first) || at < first {
            first = at;
        }
        if let Some(slot) = firsts.get_mut(at) {
            *slot = first;
        }
    }
    firsts
}

/// Indices of texts that stood there before, with the index of the first one.
pub(crate) fn repeats(texts: &[&str]) -> Vec<(usize, usize)> {
    let firsts = firsts(texts).into_iter().enumerate();
    firsts.filter(|(at, first)| at != first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_keep_their_order() {
        let sorted = sorted(vec!["b1", "a1", "b0", "a0", "c"], |item| {
            item[..1].to_owned()
        });
        assert_eq!(sorted, ["a1", "a0", "b1", "b0", "c"]);
    }

    #[test]
    fn repeated_texts_know_their_first() {
        assert_eq!(firsts(&["b", "a", "b", "", "a", "b"]), [0, 1, 0, 3, 1, 0]);
        assert_eq!(repeats(&["b", "a", "b", "", "a"]), [(2, 0), (4, 1)]);
        assert_eq!(repeats(&["z", "a"]), []);
        assert_eq!(repeats(&[]), []);
    }
}

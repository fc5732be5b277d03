//! One sort for everything.
//!
//! A generic sort is compiled anew for every type it sorts, and collecting into a map or set sorts too; in the console
//! those copies took more room than all the rules. So only indices are sorted here, by a comparison passed as a trait
//! object.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the indices from 0 to `count`, sorted by a comparison of two of them. The sort is stable.
pub(crate) fn order(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Collects pairs into a map; of duplicate keys, the last pair wins.
#[must_use]
pub fn map<K: Ord, V>(pairs: impl Iterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(pairs);
    map
}

/// Collects items into a set.
#[must_use]
pub fn set<T: Ord>(items: impl Iterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(items);
    set
}

/// Sorts items by a text key. The sort is stable.
#[must_use]
pub fn sorted<T>(items: Vec<T>, key: impl Fn(&T) -> String) -> Vec<T> {
    let keys: Vec<String> = items.iter().map(key).collect();
    let order = order(keys.len(), &mut |a, b| keys.get(a).cmp(&keys.get(b)));
    reordered(items, order)
}

/// Sorts items by a numeric key. The sort is stable.
#[must_use]
pub fn sorted_by_number<T>(items: Vec<T>, key: impl Fn(&T) -> usize) -> Vec<T> {
    let keys: Vec<usize> = items.iter().map(key).collect();
    let order = order(keys.len(), &mut |a, b| keys.get(a).cmp(&keys.get(b)));
    reordered(items, order)
}

/// Sorts items by a comparison. The sort is stable.
#[must_use]
pub fn sorted_by<T>(items: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let order = order(
        items.len(),
        &mut |a, b| match (items.get(a), items.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        },
    );
    reordered(items, order)
}

fn reordered<T>(items: Vec<T>, order: Vec<usize>) -> Vec<T> {
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let take = |at: usize| items.get_mut(at).and_then(Option::take);
    order.into_iter().filter_map(take).collect()
}

/// Returns for every text the index of the first one equal to it, which may be its own.
pub(crate) fn firsts(texts: &[&str]) -> Vec<usize> {
    let text = |at: usize| texts.get(at).copied().unwrap_or_default();
    let order = order(texts.len(), &mut |a, b| text(a).cmp(text(b)));
    let mut firsts: Vec<usize> = (0..texts.len()).collect();
    let mut first = 0;
    for at in order {
        // The sort is stable, so the smallest index of a group comes first.
        if text(at) != text(first) || at < first {
            first = at;
        }
        if let Some(slot) = firsts.get_mut(at) {
            *slot = first;
        }
    }
    firsts
}

/// Returns the indices of repeated texts, each with the index of the first occurrence.
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

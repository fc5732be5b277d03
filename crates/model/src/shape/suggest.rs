//! "Did you mean": finds the name closest to a misspelt one.

/// Names longer than this are never compared, to bound the work.
const LONGEST: usize = 64;

/// In shorter names every letter matters: only a difference of case counts as a typing error.
const SHORTEST: usize = 3;

/// Returns the candidate within a few typing errors: one in a short name, two in a longer one. A difference of case
/// alone always counts. Of equally close candidates the first wins.
pub(crate) fn closest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    if name.is_empty() || name.len() > LONGEST {
        return None;
    }
    let allowed = if name.len() <= 4 { 1 } else { 2 };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.filter(|candidate| !candidate.is_empty()) {
        if candidate.eq_ignore_ascii_case(name) {
            return Some(candidate);
        }
        if name.len() < SHORTEST || candidate.len().abs_diff(name.len()) > allowed {
            continue;
        }
        if let Some(distance) = distance(name.as_bytes(), candidate.as_bytes(), allowed)
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// One row of the distance table, for texts of at most `LONGEST` bytes.
type Row = [usize; LONGEST + 3];

/// Computes the optimal string alignment distance (insertions, deletions, replacements, swaps of neighbours), or
/// returns `None` as soon as it exceeds `allowed`, or if a text is too long.
#[must_use]
pub fn distance(a: &[u8], b: &[u8], allowed: usize) -> Option<usize> {
    let at = |row: &Row, index: usize| row.get(index).copied().unwrap_or(usize::MAX);
    let (mut before, mut above): (Row, Row) =
        ([usize::MAX; LONGEST + 3], [usize::MAX; LONGEST + 3]);
    above
        .iter_mut()
        .zip(0..=b.len())
        .for_each(|(cell, column)| *cell = column);
    let mut last_a = None;
    for (row, &from) in (1_usize..).zip(a) {
        let mut current: Row = [usize::MAX; LONGEST + 3];
        let mut left = row;
        let mut best = row;
        if let Some(cell) = current.first_mut() {
            *cell = row;
        }
        let mut last_b = None;
        for (column, &to) in b.iter().enumerate() {
            let here = column.saturating_add(1);
            let replaced = at(&above, column).saturating_add(usize::from(from != to));
            let mut least = replaced
                .min(at(&above, here).saturating_add(1))
                .min(left.saturating_add(1));
            if last_a == Some(to)
                && last_b == Some(from)
                && let Some(two_back) = column.checked_sub(1)
            {
                least = least.min(at(&before, two_back).saturating_add(1));
            }
            if let Some(cell) = current.get_mut(here) {
                *cell = least;
            }
            left = least;
            best = best.min(least);
            last_b = Some(to);
        }
        // A swap refers back two rows, so one row above the limit doesn't end the search yet.
        if best > allowed.saturating_add(1) {
            return None;
        }
        (before, above) = (above, current);
        last_a = Some(from);
    }
    Some(at(&above, b.len())).filter(|distance| *distance <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_textbook() {
        for (a, b, expected) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("abc", "acb", 1),
            ("kitten", "sitting", 3),
            ("", "ab", 2),
            ("ab", "ba", 1),
        ] {
            assert_eq!(
                distance(a.as_bytes(), b.as_bytes(), 9),
                Some(expected),
                "{a} {b}"
            );
        }
    }

    #[test]
    fn a_misspelt_name_finds_its_own() {
        let names = ["name", "domain", "use_keyless", "CORS", "id", "tags"];
        let near = |name| closest(name, names.into_iter());
        assert_eq!(near("nmae"), Some("name"));
        assert_eq!(near("use_keyles"), Some("use_keyless"));
        assert_eq!(near("cors"), Some("CORS"));
        assert_eq!(near("Use_Keyless"), Some("use_keyless"));
        assert_eq!(near("xyz"), None);
        assert_eq!(near(""), None);
        assert_eq!(near(&"a".repeat(100)), None);
    }
}

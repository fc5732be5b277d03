//! "Did you mean": the name that a misspelt one is closest to.

/// Names longer than this are never compared: the work stays bounded.
const LONGEST: usize = 64;

/// The candidate that few typing errors lead to: one in a short name, two in a longer one. A
/// difference of case alone always counts. Of equally close ones the first is taken.
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
        if candidate.len().abs_diff(name.len()) > allowed {
            continue;
        }
        let distance = distance(name.as_bytes(), candidate.as_bytes());
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Optimal string alignment: insertions, deletions, replacements and swaps of neighbours.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    let mut last_a = None;
    for (row, &from) in (1_usize..).zip(a) {
        let mut current = vec![row];
        let mut last_b = None;
        for (column, &to) in b.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX);
            let replaced = at(&above, column).saturating_add(usize::from(from != to));
            let removed = at(&above, column.saturating_add(1)).saturating_add(1);
            let added = at(&current, column).saturating_add(1);
            let mut least = replaced.min(removed).min(added);
            if last_a == Some(to)
                && last_b == Some(from)
                && let Some(two_back) = column.checked_sub(1)
            {
                least = least.min(at(&before, two_back).saturating_add(1));
            }
            current.push(least);
            last_b = Some(to);
        }
        before = std::mem::replace(&mut above, current);
        last_a = Some(from);
    }
    above.last().copied().unwrap_or(0)
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
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
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

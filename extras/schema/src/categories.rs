//! The general categories of characters, from the Unicode Character Database 15.0, as sets of bits
//! ([`gatewright_model::text::pattern::class`]).
//!
//! The table lists runs of characters with the same category from U+0000 on. Each has a byte with the category in the
//! lower five bits and the length in the upper three; if these are 0, the length follows, seven bits in each byte, the
//! lowest first.

use gatewright_model::text::pattern::class;
use std::borrow::Cow;
use std::cell::OnceCell;

static TABLE: &[u8] = include_bytes!("categories.bin");

/// The first character of a run, and the bit of its category.
type Run = (u32, u32);

thread_local! {
    static RUNS: OnceCell<Vec<Run>> = const { OnceCell::new() };
}

fn read() -> Vec<Run> {
    let (mut runs, mut first) = (Vec::new(), 0_u32);
    let mut bytes = TABLE.iter().copied();
    while let Some(byte) = bytes.next() {
        runs.push((first, 1_u32.wrapping_shl(u32::from(byte & 31))));
        let mut length = u32::from(byte >> 5);
        if length == 0 {
            for shift in (0..).step_by(7) {
                let Some(byte) = bytes.next() else { break };
                length |= u32::from(byte & 127).wrapping_shl(shift);
                if byte < 128 {
                    break;
                }
            }
        }
        first = first.saturating_add(length);
    }
    runs
}

fn with_runs<T>(read_from: impl FnOnce(&[Run]) -> T) -> T {
    RUNS.with(|runs| read_from(runs.get_or_init(read)))
}

/// Returns the bit of a character's category.
pub(crate) fn of(character: char) -> u32 {
    with_runs(|runs| {
        let behind = runs.partition_point(|(first, _)| *first <= u32::from(character));
        let run = runs.get(behind.saturating_sub(1));
        run.map_or(1, |(_, bit)| *bit)
    })
}

/// Lists the characters with one of these categories in ranges, as a set of a regular expression contains them.
pub(crate) fn ranges(categories: u32) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    with_runs(|runs| {
        let ends = runs.iter().skip(1).map(|(first, _)| *first);
        for ((first, bit), end) in runs.iter().zip(ends.chain([0x0011_0000])) {
            // Surrogate halves are no characters.
            if bit & categories == 0 || (0xd800..0xe000).contains(first) {
                continue;
            }
            match ranges.last_mut().filter(|(_, last)| last == first) {
                Some((_, last)) => *last = end,
                None => ranges.push((*first, end)),
            }
        }
    });
    let range =
        |(first, end): &(u32, u32)| format!("\\x{{{first:X}}}-\\x{{{:X}}}", end.saturating_sub(1));
    ranges.iter().map(range).collect()
}

/// Replaces the classes of Unicode in an expression by what a set contains for their categories.
pub(crate) fn with_classes(text: &str, written: impl Fn(u32) -> String) -> Cow<'_, str> {
    if !text.contains(r"\p") && !text.contains(r"\P") {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (String::new(), text);
    let mut is_in_set = false;
    while let Some(next) = rest.chars().next() {
        let behind = rest.get(next.len_utf8()..).unwrap_or_default();
        let found = class(behind).filter(|_| next == '\\');
        let length = match (next, found) {
            (_, Some((length, categories))) => {
                let ranges = written(categories);
                match (is_in_set, ranges.as_str()) {
                    (true, _) => out.push_str(&ranges),
                    (false, "") => out.push_str(r"[^\x{0}-\x{10FFFF}]"),
                    _ => out.extend(["[", &ranges, "]"]),
                }
                rest = behind.get(length..).unwrap_or_default();
                continue;
            }
            ('\\', _) => behind.chars().next().map_or(0, char::len_utf8),
            ('[', _) if is_in_set => behind.find(']').map_or(0, |end| end.saturating_add(1)),
            ('[' | ']', _) => {
                is_in_set = next == '[';
                0
            }
            _ => 0,
        };
        let (piece, others) = rest
            .split_at_checked(next.len_utf8().saturating_add(length))
            .unwrap_or((rest, ""));
        out.push_str(piece);
        rest = others;
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(name: &str) -> u32 {
        class(name).unwrap().1
    }

    /// The library knows some of the sets, perhaps of a later version.
    #[test]
    fn table_agrees_with_the_library() {
        let all = ('\0'..=char::MAX).filter(|character| of(*character) != 1);
        let mut letters = 0;
        for character in all {
            let is = |name| of(character) & bits(name) != 0;
            letters += usize::from(is("pL"));
            assert_eq!(character.is_numeric(), is("pN"), "{character:?}");
            assert_eq!(character.is_control(), is("p{Cc}"), "{character:?}");
            assert!(character.is_alphabetic() || !is("pL"), "{character:?}");
            assert!(character.is_uppercase() || !is("p{Lu}"), "{character:?}");
            // Later versions have U+0295 among the letters without case.
            let is_lower = character.is_lowercase() || character == '\u{295}';
            assert!(is_lower || !is("p{Ll}"), "{character:?}");
            assert!(character.is_whitespace() || !is("pZ"), "{character:?}");
        }
        assert_eq!(letters, 136_104);
    }

    #[test]
    fn ranges_have_the_characters_of_a_category() {
        assert_eq!(ranges(bits("p{Zl}")), r"\x{2028}-\x{2028}");
        assert_eq!(ranges(bits("p{Any}")), r"\x{0}-\x{D7FF}\x{E000}-\x{10FFFF}");
        assert_eq!(ranges(bits("p{Cs}")), "");
    }
}

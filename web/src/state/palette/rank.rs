//! Rates how well something matches what was typed: exactly, by its beginning, by the beginning of a word, by a
//! substring, by letters in sequence, or by a word that is one or two typos away.

use gatewright_model::shape::distance;

use super::Entry;
use crate::state::sought::lowered;

/// The distance between two levels.
pub const LEVEL: u32 = 10;
/// Ranks below this are not guesses.
pub const SURE: u32 = PART;
/// The rank of suggestions that were not asked for.
pub const GUESS: u32 = 80;

/// The rank of a member with that name in the reference: after every object with it in its own name.
pub const MEMBER: u32 = LETTERS;
/// The rank of a member with a word that starts with the text.
pub const PART_OF_MEMBER: u32 = LETTERS + 4;

const EXACT: u32 = 0;
const BEGINNING: u32 = 10;
const WORD: u32 = 20;
const PART: u32 = 30;
const LETTERS: u32 = 40;
const ERRORS: u32 = 50;
/// Added if the words match in different texts, which is no exact match.
const SEVERAL: u32 = 5;

/// The maximum length of texts that are matched by letters and typos: nobody types more of a name.
const LONGEST: usize = 64;

/// Rates how well an entry matches a text in lower case; lower is better, `None` for no match.
#[must_use]
pub fn rank(typed: &str, entry: &Entry) -> Option<u32> {
    rank_text(typed, entry).or_else(|| {
        let words: Vec<&str> = typed.split_whitespace().collect();
        if words.len() < 2 {
            return None;
        }
        let kind = lowered(entry.kind.label());
        let mut worst = 0;
        let mut named = false;
        for word in words {
            let own = rank_text(word, entry);
            named |= own.is_some();
            // A kind may be given along with a name: `policy gold`.
            let of_kind = || {
                kind.split(' ')
                    .any(|part| part.starts_with(word))
                    .then_some(WORD)
            };
            worst = worst.max(own.or_else(of_kind)?);
        }
        named.then(|| worst.saturating_add(SEVERAL))
    })
}

/// Returns those of which a text matches what was typed, best first.
#[must_use]
pub fn closest<T, const N: usize>(
    typed: &str,
    items: Vec<T>,
    texts: fn(&T) -> [&String; N],
) -> Vec<T> {
    let typed = lowered(typed.trim());
    let scored = |item: T| {
        let best = texts(&item)
            .into_iter()
            .filter_map(|text| score(&typed, text));
        Some((best.min()?, item))
    };
    let mut found: Vec<(u32, T)> = items.into_iter().filter_map(scored).collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, item)| item).collect()
}

/// Rates how well an entry matches the text as a whole: its name counts more than its id, and that more than the rest.
fn rank_text(typed: &str, entry: &Entry) -> Option<u32> {
    let scored = |text: &String, penalty: u32| Some(score(typed, text)?.saturating_add(penalty));
    let words = entry.keywords.iter().filter_map(|text| scored(text, 4));
    let best = scored(&entry.name, 0)
        .into_iter()
        .chain(scored(&entry.id, 2))
        .chain(words);
    best.min()
}

/// Rates how well a text matches what was typed, in lower case.
fn score(typed: &str, text: &str) -> Option<u32> {
    let text = lowered(text);
    if text == typed {
        return Some(EXACT);
    }
    if text.starts_with(typed) {
        return Some(BEGINNING);
    }
    if beginnings(&text).any(|word| word.starts_with(typed)) {
        return Some(WORD);
    }
    if text.contains(typed) {
        return Some(PART);
    }
    if typed.len() > LONGEST || text.len() > LONGEST {
        return None;
    }
    letters(typed, &text).or_else(|| errors(typed, &text))
}

/// Returns the rest of the text from the beginning of each word.
fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.char_indices().filter_map(move |(at, letter)| {
        let is_letter = letter.is_alphanumeric();
        let begins = is_letter && !inside;
        inside = is_letter;
        begins.then(|| text.get(at..)).flatten()
    })
}

/// Matches letters in sequence, from the beginning of a word and not too far apart.
fn letters(typed: &str, text: &str) -> Option<u32> {
    let mut rest = typed.chars();
    let first = rest.next()?;
    if typed.len() < 3 {
        return None;
    }
    let gaps = beginnings(text).filter_map(|from| {
        let mut letters = from.chars();
        letters.next().filter(|letter| *letter == first)?;
        let mut gaps = 0_usize;
        for wanted in rest.clone() {
            gaps = gaps.saturating_add(letters.position(|letter| letter == wanted)?);
        }
        (gaps <= typed.len()).then_some(gaps)
    });
    let fewest = u32::try_from(gaps.min()?).unwrap_or(u32::MAX);
    Some(LETTERS.saturating_add(fewest.min(LEVEL.saturating_sub(5))))
}

/// Matches a word, or the beginning of one, with one typo, or two if more was typed.
fn errors(typed: &str, text: &str) -> Option<u32> {
    let most = match typed.len() {
        0..=3 => return None,
        4..=6 => 1,
        _ => 2,
    };
    let words = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let away = words.filter_map(|word| {
        // Only the beginning of a longer word was typed.
        let shortest = typed.len().saturating_sub(most).min(word.len());
        let longest = typed.len().saturating_add(most).min(word.len());
        (shortest..=longest)
            .filter_map(|length| word.as_bytes().get(..length))
            .filter_map(|beginning| distance(typed.as_bytes(), beginning, most))
            .min()
    });
    let fewest = u32::try_from(away.min()?).unwrap_or(u32::MAX);
    Some(ERRORS.saturating_add(LEVEL.saturating_mul(fewest)))
}

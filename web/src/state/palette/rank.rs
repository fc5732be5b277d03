//! How well something answers what was typed: exactly, by its beginning, by the beginning of a word, by a part, by
//! letters in their order, or by a word that is one or two typing errors away.

use gatewright_model::shape::distance;

use super::Entry;

/// Between two levels.
pub const LEVEL: u32 = 10;
/// Answers below it are no guesses.
pub const SURE: u32 = PART;
/// What is offered without having been asked for.
pub const GUESS: u32 = 80;

/// A member of that name in the reference, behind every object that has it in its own.
pub const MEMBER: u32 = LETTERS;
/// A member with a word that begins so.
pub const PART_OF_MEMBER: u32 = LETTERS + 4;

const EXACT: u32 = 0;
const BEGINNING: u32 = 10;
const WORD: u32 = 20;
const PART: u32 = 30;
const LETTERS: u32 = 40;
const ERRORS: u32 = 50;
/// What is found by several words, each somewhere else, is no exact answer.
const SEVERAL: u32 = 5;

/// The longest text that letters and errors are looked for in: nobody types more of a name.
const LONGEST: usize = 64;

/// How well an entry answers a text in lower case; less is better, none for no answer.
#[must_use]
pub fn rank(typed: &str, entry: &Entry) -> Option<u32> {
    whole(typed, entry).or_else(|| {
        let words: Vec<&str> = typed.split_whitespace().collect();
        if words.len() < 2 {
            return None;
        }
        let kind = entry.kind.label().to_lowercase();
        let mut worst = 0;
        let mut named = false;
        for word in words {
            let own = whole(word, entry);
            named |= own.is_some();
            // The kind is said beside a name: `policy gold`.
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

/// How well an entry answers a text as one: its name counts more than its id, and that more than the rest.
fn whole(typed: &str, entry: &Entry) -> Option<u32> {
    let behind = |text: &String, place: u32| Some(score(typed, text)?.saturating_add(place));
    let words = entry.words.iter().filter_map(|text| behind(text, 4));
    let best = behind(&entry.name, 0)
        .into_iter()
        .chain(behind(&entry.id, 2))
        .chain(words);
    best.min()
}

/// How well a text answers what was typed, in lower case.
fn score(typed: &str, text: &str) -> Option<u32> {
    let text = text.to_lowercase();
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

/// The text from the beginning of each of its words on.
fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.char_indices().filter_map(move |(at, letter)| {
        let is_letter = letter.is_alphanumeric();
        let begins = is_letter && !inside;
        inside = is_letter;
        begins.then(|| text.get(at..)).flatten()
    })
}

/// Letters in their order, from the beginning of a word on and not far from each other.
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

/// A word, or the beginning of one, with one typing error; with two in what is longer.
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
        // Of a longer word only the beginning was typed.
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

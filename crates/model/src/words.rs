//! Compares two lines word by word, and pairs removed lines with the added ones that replace them.

use crate::lines::{matches, numbered};

/// A stretch of a line: whether the other line lacks it, and its text.
pub type Stretch = (bool, String);

/// Lines longer than this, in bytes, are not compared by words, because that would block the page; [`LONG`] is the
/// limit where several pairs are possible.
const LONGEST: usize = 20_000;
const LONG: usize = 300;
/// With more candidate pairs than the square of this, lines are paired by index.
const MOST: usize = 40;

/// Returns the stretches of each line, marked where the other line lacks them.
#[must_use]
pub fn word_diff(before: &str, after: &str) -> [Vec<Stretch>; 2] {
    let (old, new) = (words(before), words(after));
    let (a, b) = numbered(&old, &new);
    let same = matches(&a, &b).unwrap_or_default();
    let stays = |pick: fn(&(usize, usize)) -> usize| same.iter().map(pick).collect::<Vec<_>>();
    [
        stretches(&old, &stays(|pair| pair.0)),
        stretches(&new, &stays(|pair| pair.1)),
    ]
}

/// Pairs removed lines with the added lines that replace them and compares each pair word by word; a line without a
/// counterpart gets an empty list.
#[must_use]
pub fn pairs(removed: &[&str], added: &[&str]) -> (Vec<Vec<Stretch>>, Vec<Vec<Stretch>>) {
    let mut old = vec![Vec::new(); removed.len()];
    let mut new = vec![Vec::new(); added.len()];
    let few = removed.len().saturating_mul(added.len()) <= MOST.saturating_mul(MOST);
    let mut next = 0_usize;
    for (index, before) in removed.iter().enumerate() {
        let from = if few { next } else { index };
        let until = if few {
            added.len()
        } else {
            index.saturating_add(1)
        };
        for other in from..until {
            let Some(after) = added.get(other) else { break };
            let longest = if few && removed.len() > 1 {
                LONG
            } else {
                LONGEST
            };
            let Some([one, two]) = changed(before, after, longest) else {
                continue;
            };
            if let (Some(old), Some(new)) = (old.get_mut(index), new.get_mut(other)) {
                (*old, *new) = (one, two);
            }
            next = other.saturating_add(1);
            break;
        }
    }
    (old, new)
}

/// Compares two lines word by word; `None` if they have too little in common or are too long.
fn changed(before: &str, after: &str, longest: usize) -> Option<[Vec<Stretch>; 2]> {
    if before.len().max(after.len()) > longest {
        return None;
    }
    let words = word_diff(before, after);
    let ink = |text: &str| {
        text.chars()
            .filter(|letter| letter.is_alphanumeric())
            .count()
    };
    let same = words.first()?.iter().filter(|(differs, _)| !differs);
    let same: usize = same.map(|(_, text)| ink(text)).sum();
    let most = ink(before).min(ink(after));
    let bare = most == 0 && !before.trim().is_empty() && !after.trim().is_empty();
    (bare || same > 0 && same.saturating_mul(3) >= most).then_some(words)
}

/// Splits a line: names and numbers are words, and so are runs of whitespace; every other character is a word by
/// itself.
fn words(line: &str) -> Vec<&str> {
    let sort = |letter: char| match letter {
        _ if letter.is_alphanumeric() || letter == '_' => 1,
        _ if letter.is_whitespace() => 2,
        _ => 0,
    };
    let mut words = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let own = sort(first);
        let end = match own {
            0 => first.len_utf8(),
            _ => rest
                .find(|letter| sort(letter) != own)
                .unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        words.push(word);
        rest = behind;
    }
    words
}

/// Joins the words into as few stretches as possible; `stays` has the indices of those the other line has too.
fn stretches(words: &[&str], stays: &[usize]) -> Vec<Stretch> {
    let mut out: Vec<Stretch> = Vec::new();
    let mut stays = stays.iter().peekable();
    for (index, word) in words.iter().enumerate() {
        let differs = stays.next_if(|stay| **stay == index).is_none();
        match out.last_mut() {
            Some((last, text)) if *last == differs => text.push_str(word),
            _ => out.push((differs, (*word).to_owned())),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(stretches: &[Stretch]) -> String {
        let show = |(differs, text): &Stretch| match differs {
            true => format!("[{text}]"),
            false => text.clone(),
        };
        stretches.iter().map(show).collect()
    }

    #[test]
    fn only_the_words_that_differ_are_marked() {
        for (before, after, expected) in [
            (
                "\"rate\": 60,",
                "\"rate\": 100,",
                ["\"rate\": [60],", "\"rate\": [100],"],
            ),
            ("a b", "a b", ["a b", "a b"]),
            (
                "http://a.example/",
                "https://b.example/v2",
                ["[http]://[a].example/", "[https]://[b].example/[v2]"],
            ),
            ("\"é\": 1", "\"é\": 1,", ["\"é\": 1", "\"é\": 1[,]"]),
            ("", "x", ["", "[x]"]),
        ] {
            let [old, new] = word_diff(before, after);
            assert_eq!([show(&old), show(&new)], expected);
            let text = |stretches: &[Stretch]| {
                stretches
                    .iter()
                    .map(|(_, text)| text.as_str())
                    .collect::<String>()
            };
            assert_eq!([text(&old), text(&new)], [before, after]);
        }
    }

    #[test]
    fn lines_belong_together_that_have_much_in_common() {
        let (old, new) = pairs(
            &[
                "  \"name\": \"Orders\",",
                "  \"active\": true,",
                "  \"rate\": 1",
            ],
            &[
                "  \"id\": \"new\",",
                "  \"name\": \"Order\",",
                "  \"rate\": 2",
            ],
        );
        let show = |lines: &[Vec<Stretch>]| lines.iter().map(|line| show(line)).collect::<Vec<_>>();
        assert_eq!(
            show(&old),
            ["  \"name\": \"[Orders]\",", "", "  \"rate\": [1]"]
        );
        assert_eq!(
            show(&new),
            ["", "  \"name\": \"[Order]\",", "  \"rate\": [2]"]
        );
        let (_, new) = pairs(&["  }"], &["  },", "  \"tags\": []"]);
        assert_eq!(show(&new), ["  }[,]", ""]);
        let (old, new) = pairs(&["a"], &[]);
        assert_eq!((old, new), (vec![vec![]], vec![]));
    }

    #[test]
    fn many_and_long_lines_are_fast() {
        let many: Vec<String> = (0..5_000).map(|line| format!("line {line}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let (old, _) = pairs(&many, &many);
        assert!(old.iter().all(|line| line.len() == 1));
        let long = "a ".repeat(LONGEST);
        let (old, _) = pairs(&[&long], &[&format!("{long}b")]);
        assert_eq!(old, vec![vec![]]);
    }
}

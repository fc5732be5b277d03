//! Sprig's functions for strings, and its regular expressions, which run in linear time.

use super::{Args, Done, shown};
use crate::printf::quoted;
use crate::value::Value;
use regex_lite::Regex;

pub(super) const NAMES: &str = "abbrev abbrevboth camelcase cat contains hasPrefix hasSuffix indent initials kebabcase \
    lower mustRegexFind mustRegexFindAll mustRegexMatch mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit \
    nindent nospace plural quote regexFind regexFindAll regexMatch regexQuoteMeta regexReplaceAll \
    regexReplaceAllLiteral regexSplit repeat replace snakecase squote substr swapcase title trim trimAll trimPrefix \
    trimSuffix trimall trunc untitle upper wrap wrapWith";

pub(super) fn by_name(name: &str, args: &Args<'_>) -> Done {
    let text = |at| args.text(at);
    Ok(match name {
        "trim" => Value::str(text(0)?.trim()),
        "upper" => Value::str(text(0)?.chars().map(upper).collect::<String>()),
        "lower" => Value::str(text(0)?.chars().map(lower).collect::<String>()),
        "title" => Value::str(capitals(text(0)?, true)),
        "untitle" => Value::str(capitals(text(0)?, false)),
        "swapcase" => Value::str(swapped(text(0)?)),
        "repeat" => {
            let part = text(1)?;
            let count = usize::try_from(args.int(0)?);
            let count = count.map_err(|_| "repeat: a count below 0")?;
            if count.saturating_mul(part.len()) > crate::exec::LONGEST {
                return Err("repeat makes too long a text".to_owned());
            }
            Value::str(part.repeat(count))
        }
        "substr" => {
            let (from, to, whole) = (args.int(0)?, args.int(1)?, text(2)?);
            let bytes = whole.as_bytes();
            let to = usize::try_from(to).ok();
            let part = match (usize::try_from(from), to.filter(|to| *to <= bytes.len())) {
                (Ok(from), to) => bytes.get(from..to.unwrap_or(bytes.len())),
                (Err(_), to) => to.and_then(|to| bytes.get(..to)),
            };
            let part = part.ok_or("slice bounds out of range")?;
            Value::str(String::from_utf8_lossy(part))
        }
        "trunc" => {
            let (count, whole) = (args.int(0)?, text(1)?);
            let size = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
            let bytes = whole.as_bytes();
            let part = if count < 0 {
                bytes.get(bytes.len().saturating_sub(size)..)
            } else {
                bytes.get(..size.min(bytes.len()))
            };
            Value::str(String::from_utf8_lossy(part.unwrap_or_default()))
        }
        "abbrev" => Value::str(abbreviated(text(1)?, args.size(0)?)),
        "abbrevboth" => {
            let (left, right, whole) = (args.size(0)?, args.size(1)?, text(2)?);
            let kept: String = whole.chars().skip(left).collect();
            Value::str(
                if right < 4 || (left > 0 && right < 7) || whole.len() <= right {
                    whole.to_owned()
                } else if left > 4 {
                    abbreviated(&format!("...{kept}"), right)
                } else {
                    abbreviated(whole, right)
                },
            )
        }
        "nospace" => Value::str(text(0)?.split_whitespace().collect::<String>()),
        "initials" => Value::str(
            text(0)?
                .split_whitespace()
                .filter_map(|word| word.chars().next())
                .collect::<String>(),
        ),
        "contains" => Value::Bool(text(1)?.contains(text(0)?)),
        "hasPrefix" => Value::Bool(text(1)?.starts_with(text(0)?)),
        "hasSuffix" => Value::Bool(text(1)?.ends_with(text(0)?)),
        "trimAll" | "trimall" => {
            let cut = text(0)?;
            Value::str(text(1)?.trim_matches(|letter| cut.contains(letter)))
        }
        "trimPrefix" => {
            let whole = text(1)?;
            Value::str(whole.strip_prefix(text(0)?).unwrap_or(whole))
        }
        "trimSuffix" => {
            let whole = text(1)?;
            Value::str(whole.strip_suffix(text(0)?).unwrap_or(whole))
        }
        "replace" => Value::str(text(2)?.replace(text(0)?, text(1)?)),
        "plural" => Value::str(if args.int(2)? == 1 {
            text(0)?
        } else {
            text(1)?
        }),
        "quote" => Value::str(joined(args, quoted)),
        "squote" => Value::str(joined(args, |text| format!("'{text}'"))),
        "cat" => Value::str(joined(args, str::to_owned)),
        "indent" | "nindent" => {
            let blanks = " ".repeat(args.size(0)?.min(10_000));
            let begin = if name == "nindent" { "\n" } else { "" };
            Value::str(format!(
                "{begin}{blanks}{}",
                text(1)?.replace('\n', &format!("\n{blanks}"))
            ))
        }
        "snakecase" => Value::str(words(text(0)?).join("_")),
        "kebabcase" => Value::str(words(text(0)?).join("-")),
        "camelcase" => Value::str(
            words(text(0)?)
                .iter()
                .map(|word| capitals(word, true))
                .collect::<String>(),
        ),
        "wrap" => Value::str(wrapped(text(1)?, args.size(0)?, "\n")),
        "wrapWith" => Value::str(wrapped(text(2)?, args.size(0)?, text(1)?)),
        "regexQuoteMeta" => {
            let mut out = String::new();
            for letter in text(0)?.chars() {
                if r"\.+*?()|[]{}^$".contains(letter) {
                    out.push('\\');
                }
                out.push(letter);
            }
            Value::str(out)
        }
        _ => return expression(name.trim_start_matches("must"), args),
    })
}

fn expression(name: &str, args: &Args<'_>) -> Done {
    let pattern = args.text(0)?;
    let regex = match Regex::new(pattern) {
        Ok(regex) => regex,
        // The only one that doesn't report what is wrong with an expression.
        Err(_) if name == "regexMatch" => return Ok(Value::Bool(false)),
        Err(error) => return Err(format!("regexp: {error}")),
    };
    let text = args.text(1)?;
    let most = |at| {
        args.int(at)
            .map(|most| usize::try_from(most).unwrap_or(usize::MAX))
    };
    // Without `must`, `mustRegexFind` starts with a capital.
    let first = name
        .chars()
        .next()
        .unwrap_or_default()
        .to_lowercase()
        .to_string();
    let name = format!("{first}{}", name.get(1..).unwrap_or_default());
    Ok(match name.as_str() {
        "regexMatch" => Value::Bool(regex.is_match(text)),
        "regexFind" => Value::str(regex.find(text).map_or("", |found| found.as_str())),
        "regexFindAll" => {
            let found = regex.find_iter(text).take(most(2)?);
            Value::list(found.map(|found| Value::str(found.as_str())).collect())
        }
        "regexReplaceAll" => Value::str(regex.replace_all(text, args.text(2)?)),
        "regexReplaceAllLiteral" => {
            Value::str(regex.replace_all(text, regex_lite::NoExpand(args.text(2)?)))
        }
        _ => Value::list(regex.splitn(text, most(2)?).map(Value::str).collect()),
    })
}

/// Joins the values that are not nil with spaces.
fn joined(args: &Args<'_>, by: impl Fn(&str) -> String) -> String {
    let values = args.all().iter().filter(|value| **value != Value::Nil);
    let texts: Vec<String> = values.map(|value| by(&shown(value))).collect();
    texts.join(" ")
}

fn abbreviated(text: &str, width: usize) -> String {
    if width < 4 || text.len() <= width {
        return text.to_owned();
    }
    let kept = text.as_bytes().get(..width.saturating_sub(3));
    format!("{}...", String::from_utf8_lossy(kept.unwrap_or_default()))
}

/// Converts a character to a single one, as Go does: `ß` stays.
fn upper(letter: char) -> char {
    single(letter.to_uppercase(), letter)
}

fn lower(letter: char) -> char {
    single(letter.to_lowercase(), letter)
}

fn single(mut letters: impl ExactSizeIterator<Item = char>, letter: char) -> char {
    match letters.len() {
        1 => letters.next().unwrap_or(letter),
        _ => letter,
    }
}

fn capitals(text: &str, up: bool) -> String {
    let mut first = true;
    let mut out = String::new();
    for letter in text.chars() {
        out.push(match first {
            true if up => upper(letter),
            true => lower(letter),
            false => letter,
        });
        first = match up {
            // No character beyond ASCII separates words.
            true if letter.is_ascii() => !letter.is_ascii_alphanumeric() && letter != '_',
            _ => letter.is_whitespace(),
        };
    }
    out
}

fn swapped(text: &str) -> String {
    let swap = |letter: char| match letter.is_uppercase() {
        true => lower(letter),
        false => upper(letter),
    };
    text.chars().map(swap).collect()
}

/// Splits a name into lower-case words: at spaces, punctuation, and where capitals start.
fn words(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut words = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        let after = at.checked_add(1).and_then(|after| letters.get(after));
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            });
        // A number belongs to the lower-case letters after it, otherwise to what precedes it: `http_2xx`, `bld4_floor`.
        let behind = letters.iter().skip(at).find(|letter| !letter.is_numeric());
        let of_number = |word: &String| word.starts_with(char::is_numeric);
        let counts = letter.is_numeric()
            && before.is_some_and(|before| before.is_alphabetic())
            && behind.is_some_and(|behind| behind.is_lowercase())
            && !words.last().is_some_and(of_number);
        if begins || counts {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn wrapped(text: &str, width: usize, between: &str) -> String {
    let mut out = String::new();
    let mut length = 0_usize;
    for word in text.split(' ') {
        let size = word.chars().count();
        if length > 0 && length.saturating_add(size).saturating_add(1) > width {
            out.push_str(between);
            length = 0;
        } else if length > 0 {
            out.push(' ');
            length = length.saturating_add(1);
        }
        out.push_str(word);
        length = length.saturating_add(size);
    }
    out
}

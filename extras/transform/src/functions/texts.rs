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
        "snakecase" => Value::str(separated(text(0)?, '_')),
        "kebabcase" => Value::str(separated(text(0)?, '-')),
        "camelcase" => Value::str(camel(text(0)?)),
        "wrap" => Value::str(wrapped(text(1)?, args.size(0)?, "\n", false)),
        "wrapWith" => Value::str(wrapped(text(2)?, args.size(0)?, text(1)?, true)),
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
    // Each byte may be compared with each part of the expression, which is compiled before.
    let compared = args.text(1)?.len().saturating_add(pattern.len());
    args.reads(compared.saturating_mul(pattern.len()))?;
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

/// Writes a name in lower case with a mark between its words, which begin after spaces, hyphens and underscores, and
/// with capitals.
fn separated(text: &str, mark: char) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    // The first letter of the current word.
    let mut begun: Option<char> = None;
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            out.push(if is_separator(*letter) { mark } else { *letter });
            begun = None;
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
        let counts = letter.is_numeric()
            && before.is_some_and(|before| before.is_alphabetic())
            && behind.is_some_and(|behind| behind.is_lowercase())
            && !begun.is_some_and(char::is_numeric);
        if (begins || counts) && begun.is_some() {
            out.push(mark);
            begun = None;
        }
        begun = begun.or(Some(*letter));
        out.extend(letter.to_lowercase());
    }
    out
}

const fn is_separator(letter: char) -> bool {
    matches!(letter, ' ' | '-' | '_')
}

/// Writes a name with a capital at the start of each word, and lower case in place of more capitals there. One
/// separator between two words is dropped.
fn camel(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let (mut begins, mut lowers, mut has_word) = (true, false, false);
    for (at, letter) in letters.iter().enumerate() {
        if is_separator(*letter) {
            let next = at.checked_add(1).and_then(|next| letters.get(next));
            if !has_word || next.is_none_or(|next| is_separator(*next)) {
                out.push(*letter);
            }
            begins = true;
            continue;
        }
        lowers = !begins && lowers && letter.is_uppercase();
        out.push(match (begins, lowers) {
            (true, _) => upper(*letter),
            (false, true) => lower(*letter),
            (false, false) => *letter,
        });
        lowers |= begins && letter.is_uppercase();
        (begins, has_word) = (false, true);
    }
    out
}

/// Breaks a text at spaces into lines of at most this many bytes; `breaks` makes it break longer words, too.
fn wrapped(text: &str, width: usize, between: &str, breaks: bool) -> String {
    let width = width.max(1);
    let mut lines: Vec<&[u8]> = Vec::new();
    let mut rest = text.as_bytes();
    let is_space = |byte: &u8| *byte == b' ';
    while let Some((line, behind)) = rest.split_at_checked(width).filter(|(_, b)| !b.is_empty()) {
        if let Some(after) = rest.strip_prefix(b" ") {
            rest = after;
            continue;
        }
        let fitting = rest.get(..=width).unwrap_or_default();
        let space = fitting.iter().rposition(is_space);
        let later = || {
            behind
                .iter()
                .position(is_space)
                .map(|at| at.saturating_add(width))
        };
        match space.or_else(|| later().filter(|_| !breaks)) {
            Some(at) => {
                lines.extend(rest.get(..at));
                rest = rest.get(at.saturating_add(1)..).unwrap_or_default();
            }
            None if breaks => {
                lines.push(line);
                rest = behind;
            }
            None => break,
        }
    }
    lines.push(rest);
    let lines: Vec<_> = lines.into_iter().map(String::from_utf8_lossy).collect();
    lines.join(if between.is_empty() { "\n" } else { between })
}

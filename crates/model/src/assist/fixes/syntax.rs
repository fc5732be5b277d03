//! Quick fixes for a text that isn't JSON, at the position where the parser stopped. Everything before it is valid,
//! which shows what was expected there.

use super::place::{Place, Wanted};
use super::{Fix, plain, replace};
use crate::json::{Span, quote};

/// Quotes of other languages and word processors: the opening one, and those that close it.
const QUOTES: [(char, &[char]); 6] = [
    ('\'', &['\'']),
    ('`', &['`']),
    ('\u{201c}', &['\u{201d}', '\u{201c}', '"']),
    ('\u{201d}', &['\u{201d}', '\u{201c}', '"']),
    ('\u{2018}', &['\u{2019}', '\u{2018}']),
    ('\u{2019}', &['\u{2019}', '\u{2018}']),
];

/// Returns the fixes at the position of a syntax error.
pub(super) fn fixes(text: &str, span: Span) -> Vec<Fix> {
    let stop = Stop {
        text,
        at: span.start,
        here: text.get(span.start..).unwrap_or_default(),
        place: Place::behind(text.get(..span.start).unwrap_or_default()),
    };
    let one = match stop.place.wanted {
        Wanted::String => return stop.in_string(),
        _ if stop.here.starts_with('\u{feff}') => {
            Some(plain("Remove the byte order mark", span, ""))
        }
        _ => stop.comment().or_else(|| match stop.place.wanted {
            Wanted::Name => stop.name(),
            Wanted::Colon => stop.colon(),
            Wanted::Value => stop.value(span),
            Wanted::Comma | Wanted::String => stop.comma(span),
        }),
    };
    one.into_iter().collect()
}

/// The position where the parser stopped.
struct Stop<'a> {
    text: &'a str,
    at: usize,
    /// The text from there on.
    here: &'a str,
    place: Place,
}

impl<'a> Stop<'a> {
    fn first(&self) -> Option<char> {
        self.here.chars().next()
    }

    /// Returns the span of the next `length` bytes.
    const fn span(&self, length: usize) -> Span {
        Span {
            start: self.at,
            end: self.at.saturating_add(length),
        }
    }

    /// Returns the first character after `length` bytes and whitespace.
    fn next(&self, length: usize) -> Option<char> {
        self.here.get(length..)?.trim_start().chars().next()
    }

    /// Inserts a text after the last token.
    fn behind(&self, title: &str, insert: &str) -> Fix {
        let at = self.place.behind;
        plain(title, Span { start: at, end: at }, insert)
    }

    /// Removes a comment, with its line if it is alone on it.
    fn comment(&self) -> Option<Fix> {
        let line_end = self.here.find('\n').unwrap_or(self.here.len());
        let length = if self.here.starts_with("/*") {
            self.here.find("*/")?.saturating_add(2)
        } else if self.here.starts_with("//") || self.here.starts_with('#') {
            line_end
        } else {
            return None;
        };
        let before = self.text.get(..self.at)?;
        let start = before.trim_end_matches([' ', '\t']).len();
        let rest = self.here.get(length..)?;
        let blank = rest
            .len()
            .saturating_sub(rest.trim_start_matches([' ', '\t', '\r']).len());
        let alone = before.get(..start)?.is_empty() || before.get(..start)?.ends_with('\n');
        let end = self.at.saturating_add(length);
        let whole_line = Span {
            start,
            end: end.saturating_add(blank).saturating_add(1),
        };
        let span = match rest.get(blank..)?.starts_with('\n') {
            true if alone => whole_line,
            true => Span { start, end },
            false => Span {
                start: self.at,
                end,
            },
        };
        Some(plain("Remove the comment", span, ""))
    }

    fn name(&self) -> Option<Fix> {
        match self.first()? {
            ',' => Some(plain("Remove the comma", self.span(1), "")),
            _ => self.quoted().or_else(|| {
                let part = |letter: char| letter.is_alphanumeric() || "_$-.".contains(letter);
                let word = self.run(part);
                let named = !word.is_empty() && self.next(word.len()) == Some(':');
                named.then(|| plain("Put the name in quotes", self.span(word.len()), quote(word)))
            }),
        }
    }

    fn colon(&self) -> Option<Fix> {
        let length = if self.here.starts_with("=>") { 2 } else { 1 };
        match self.first()? {
            '=' => Some(plain("Write a colon", self.span(length), ":")),
            first if begins_value(first) => Some(self.behind("Add a colon", ":")),
            _ => None,
        }
    }

    fn value(&self, span: Span) -> Option<Fix> {
        let word = match span.of(self.text) {
            "True" | "TRUE" => "true",
            "False" | "FALSE" => "false",
            "NULL" | "Null" | "None" | "nil" => "null",
            "undefined" | "NaN" | "Infinity" | "inf" => {
                return Some(replace("Write null", span, "null"));
            }
            _ => return self.other_value(span),
        };
        Some(plain(format!("Write {word}"), span, word))
    }

    fn other_value(&self, span: Span) -> Option<Fix> {
        let here = span.of(self.text);
        match self.first()? {
            ',' if !self.place.in_object() && !self.place.open.is_empty() => {
                Some(plain("Remove the comma", self.span(1), ""))
            }
            '+' => Some(plain("Remove the +", self.span(1), "")),
            '.' => Some(plain("Write a zero before it", self.span(0), "0")),
            '-' | '0'..='9'
                if here.len() > 1 && here.contains(|digit: char| digit.is_ascii_digit()) =>
            {
                let digits = here.trim_start_matches('-').trim_start_matches('0');
                let sign = if here.starts_with('-') { "-" } else { "" };
                let digits = if digits.is_empty() { "0" } else { digits };
                Some(plain(
                    "Remove the zeros before it",
                    span,
                    format!("{sign}{digits}"),
                ))
            }
            _ => self.quoted().or_else(|| self.word()),
        }
    }

    /// Quotes an unquoted text whose end is clear. A name with its colon at the start of the document is YAML, where
    /// adding single quotes would not help.
    fn word(&self) -> Option<Fix> {
        let part = |letter: char| !letter.is_whitespace() && !"\"'`{}[](),;".contains(letter);
        let word = self.run(part);
        let rest = self
            .here
            .get(word.len()..)?
            .trim_start_matches([' ', '\t', '\r']);
        let ends = rest.is_empty() || rest.starts_with([',', '}', ']', '\n']);
        let begins = word.starts_with(char::is_alphabetic);
        let yaml = self.place.open.is_empty() && word.ends_with(':');
        (begins && ends && !yaml)
            .then(|| plain("Put it in quotes", self.span(word.len()), quote(word)))
    }

    /// Fixes an error after a value: a superfluous or missing comma, or unclosed containers.
    fn comma(&self, span: Span) -> Option<Fix> {
        let Some(first) = self.first() else {
            return self.close_all();
        };
        if self.place.open.is_empty() {
            return self.behind_document();
        }
        let apart = self.place.behind < self.at;
        let digit_missing = self.text.get(..self.at)?.ends_with('.') && !apart;
        match first {
            _ if digit_missing => Some(plain("Write a zero behind it", self.span(0), "0")),
            ',' if matches!(self.next(1), Some('}' | ']')) => {
                Some(plain("Remove the comma", span, ""))
            }
            ';' => Some(plain("Write a comma", self.span(1), ",")),
            '}' | ']' => {
                let close = self.place.open.last()?;
                let title = format!("Add a {close}");
                let other = self.place.open.contains(&first);
                other.then(|| replace_behind(&self.place, title, &close.to_string()))
            }
            '{' | '[' | '0'..='9' | '-' if self.place.in_object() => None,
            '{' | '[' | '"' => Some(self.behind("Add a comma", ",")),
            first if apart && begins_value(first) => Some(self.behind("Add a comma", ",")),
            _ => None,
        }
    }

    /// Closes the open containers at the end of the text.
    fn close_all(&self) -> Option<Fix> {
        let closing: String = self.place.open.iter().rev().collect();
        let title = format!("Add {closing} at the end");
        (!closing.is_empty()).then(|| replace_behind(&self.place, title, &closing))
    }

    /// Removes text after the document.
    fn behind_document(&self) -> Option<Fix> {
        let span = Span {
            start: self.place.behind,
            end: self.at.saturating_add(self.here.trim_end().len()),
        };
        let only = |letters: &[char]| {
            let mut all = self.here.chars().filter(|letter| !letter.is_whitespace());
            all.all(|letter| letters.contains(&letter))
        };
        if only(&[',', ';']) {
            return Some(plain("Remove what follows", span, ""));
        }
        only(&[',', ';', '}', ']', ')']).then(|| replace("Remove what follows", span, ""))
    }

    /// Replaces other quotes by those of JSON.
    fn quoted(&self) -> Option<Fix> {
        let first = self.first()?;
        let (_, closing) = QUOTES.iter().find(|(open, _)| *open == first)?;
        let inner = self.here.get(first.len_utf8()..)?;
        let mut text = String::from("\"");
        let mut letters = inner.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                _ if closing.contains(&letter) => {
                    text.push('"');
                    let length = first
                        .len_utf8()
                        .saturating_add(at)
                        .saturating_add(letter.len_utf8());
                    return Some(plain("Use double quotes", self.span(length), text));
                }
                '\n' if first != '`' => return None,
                '\n' => text.push_str("\\n"),
                '\t' => text.push_str("\\t"),
                '"' => text.push_str("\\\""),
                '\\' => match letters.next()?.1 {
                    own @ ('\'' | '`') => text.push(own),
                    other => text.extend(['\\', other]),
                },
                _ => text.push(letter),
            }
        }
        None
    }

    /// Fixes a character that is not allowed inside a string.
    fn in_string(&self) -> Vec<Fix> {
        let Some(first) = self.first() else {
            return Vec::new();
        };
        let escaped = |title: &str| plain(title, self.span(first.len_utf8()), inside(first));
        match first {
            '\n' => {
                let line = self.text.get(..self.at).unwrap_or_default().trim_end();
                let at = line.strip_suffix(',').unwrap_or(line).len();
                vec![
                    replace("Close the string", Span { start: at, end: at }, "\""),
                    replace("Write \\n", self.span(1), "\\n"),
                ]
            }
            '\t' => vec![escaped("Write \\t")],
            _ if first.is_control() => vec![escaped("Write it as an escape")],
            _ if self
                .text
                .get(..self.at)
                .is_some_and(|text| text.ends_with('\\')) =>
            {
                vec![plain("Write \\\\", self.span(0), "\\")]
            }
            _ => Vec::new(),
        }
    }

    /// Returns the leading characters that satisfy a predicate.
    fn run(&self, part: impl Fn(char) -> bool) -> &'a str {
        let end = self.here.find(|letter| !part(letter));
        self.here
            .get(..end.unwrap_or(self.here.len()))
            .unwrap_or_default()
    }
}

/// Whether a value or a name can start with this character, perhaps with the wrong quotes or without any.
fn begins_value(first: char) -> bool {
    first.is_alphanumeric()
        || "\"{[-_$".contains(first)
        || QUOTES.iter().any(|(open, _)| *open == first)
}

fn replace_behind(place: &Place, title: String, insert: &str) -> Fix {
    let at = place.behind;
    replace(title, Span { start: at, end: at }, insert)
}

/// Escapes a character for use inside a string.
fn inside(character: char) -> String {
    let quoted = quote(character.encode_utf8(&mut [0; 4]));
    let inside = quoted
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    inside.unwrap_or_default().to_owned()
}

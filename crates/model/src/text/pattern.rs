//! Regular expressions in the syntax of RE2 and Go's `regexp` (<https://github.com/google/re2/wiki/Syntax>).
//!
//! This only checks the syntax and never matches, so no expression can make it slow. A crate that compiles expressions
//! would be twenty times the size in the console, would refuse expressions Go accepts (`\Q…\E`, `\pL`, `a{,2}`), and
//! would only report look-arounds as invalid.

mod category;
mod class;
mod escape;
mod portable;
mod schema;

pub use category::class;
pub use portable::portable;
pub use schema::{check_schema, is_valid_in_schema};

use super::Problem;

/// The largest number in `{n,m}`, and the largest product of nested ones (RE2's own limit).
const MAX_REPEAT: u32 = 1000;

/// The maximum nesting depth of groups (the limit of Go's parser).
const MAX_DEPTH: usize = 1000;

/// The properties of an expression that callers need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// The number of capture groups, the largest usable `$n`.
    pub groups: usize,
    /// Span of the first Unicode class (`\pL`).
    pub unicode: Option<(usize, usize)>,
}

/// Message for an expression with a Unicode class: the regex engine used here has none, because their tables are as
/// large as the data plane.
const UNICODE: &str =
    "classes of Unicode can't be used here; name the characters, as in [a-zA-Zà-ÿ]";

/// Checks a regular expression that requests are matched against.
///
/// # Errors
/// The first thing that is invalid or can't be compiled here, with its range.
pub fn check_compiled(text: &str) -> Result<(), Problem> {
    match check(text)?.unicode {
        Some((start, end)) => Err(Problem::at(start, end, UNICODE)),
        None => Ok(()),
    }
}

/// Checks a regular expression.
///
/// # Errors
/// The first thing that is invalid, with its range.
pub fn check(text: &str) -> Result<Pattern, Problem> {
    let mut reader = Reader::new(text);
    reader.expression()?;
    Ok(Pattern {
        groups: reader.groups,
        unicode: reader.unicode,
    })
}

/// Whether a character may have a special meaning.
pub(super) const fn is_special(byte: u8) -> bool {
    matches!(
        byte,
        b'(' | b')' | b'|' | b'[' | b'\\' | b'*' | b'+' | b'?' | b'{'
    )
}

/// What precedes the current position, for `*` and other repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    /// Nothing that can be repeated.
    Nothing,
    /// A repeatable item, with the largest product of repetitions inside it.
    Item(u32),
    /// An item that is already repeated.
    Repeated(u32),
}

/// An open group.
#[derive(Debug)]
struct Group {
    start: usize,
    /// The largest product of repetitions inside it.
    weight: u32,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    open: Vec<Group>,
    weight: u32,
    last: Last,
    groups: usize,
    names: Vec<&'a str>,
    unicode: Option<(usize, usize)>,
}

impl<'a> Reader<'a> {
    const fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            open: Vec::new(),
            weight: 1,
            last: Last::Nothing,
            groups: 0,
            names: Vec::new(),
            unicode: None,
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    const fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    fn problem<T>(&self, start: usize, message: &'static str) -> Result<T, Problem> {
        Err(Problem::at(start, self.at.max(start), message))
    }

    fn item(&mut self) {
        self.last = Last::Item(1);
    }

    fn expression(&mut self) -> Result<(), Problem> {
        while let Some(character) = self.peek() {
            let start = self.at;
            self.skip(character.len_utf8());
            match character {
                '(' => self.group(start)?,
                ')' => self.close(start)?,
                '|' => self.last = Last::Nothing,
                '[' => {
                    self.class(start)?;
                    self.item();
                }
                '\\' => self.escape(start)?,
                '*' | '+' | '?' => self.repeat(start, 1)?,
                '{' => match counts(self.rest()) {
                    Some((length, min, max)) => {
                        self.skip(length);
                        self.counted(start, min, max)?;
                    }
                    // As in RE2, braces that don't form a repetition are literal.
                    None => self.item(),
                },
                _ => self.plain(),
            }
        }
        match self.open.pop() {
            Some(group) => Err(Problem::at(
                group.start,
                group.start.saturating_add(1),
                "this '(' has no ')'; write \\( for the character itself",
            )),
            None => Ok(()),
        }
    }

    /// Passes further literal characters.
    fn plain(&mut self) {
        let rest = self.rest().as_bytes();
        let count = rest.iter().position(|byte| is_special(*byte));
        self.skip(count.unwrap_or(rest.len()));
        self.item();
    }

    fn close(&mut self, start: usize) -> Result<(), Problem> {
        let Some(group) = self.open.pop() else {
            return self.problem(
                start,
                "this ')' has no '('; write \\) for the character itself",
            );
        };
        let inner = self.weight;
        self.weight = group.weight.max(inner);
        self.last = Last::Item(inner);
        Ok(())
    }

    fn counted(&mut self, start: usize, min: Option<u32>, max: Option<u32>) -> Result<(), Problem> {
        let (Some(min), Some(max)) = (min, max) else {
            return self.problem(start, "the largest number of repetitions is 1000");
        };
        if min > max {
            return self.problem(
                start,
                "the first number of repetitions is larger than the second",
            );
        }
        self.repeat(start, max.max(min).max(1))
    }

    /// Repeats the preceding item; a `?` after it makes the repetition lazy.
    fn repeat(&mut self, start: usize, times: u32) -> Result<(), Problem> {
        let inside = match self.last {
            Last::Item(inside) => inside,
            Last::Nothing => {
                return self.problem(
                    start,
                    "there is nothing before it to repeat; write a backslash before the character itself",
                );
            }
            Last::Repeated(_) => {
                return self.problem(start, "two repetitions stand behind each other; remove one");
            }
        };
        let product = inside.saturating_mul(times);
        if product > MAX_REPEAT {
            return self.problem(start, "nested repetitions multiply to more than 1000");
        }
        if self.peek() == Some('?') {
            self.skip(1);
        }
        self.weight = self.weight.max(product);
        self.last = Last::Repeated(product);
        Ok(())
    }

    fn group(&mut self, start: usize) -> Result<(), Problem> {
        if self.open.len() >= MAX_DEPTH {
            return self.problem(start, "groups nest too deep; flatten the expression");
        }
        if !self.rest().starts_with('?') {
            self.groups = self.groups.saturating_add(1);
            return self.enter(start);
        }
        for look in ["?=", "?!", "?<=", "?<!"] {
            if self.rest().starts_with(look) {
                self.skip(look.len());
                return self.problem(start, "look-arounds aren't supported (RE2)");
            }
        }
        for name in ["?P<", "?<"] {
            if self.rest().starts_with(name) {
                self.skip(name.len());
                return self.named(start);
            }
        }
        self.flags(start)
    }

    fn enter(&mut self, start: usize) -> Result<(), Problem> {
        self.open.push(Group {
            start,
            weight: self.weight,
        });
        self.weight = 1;
        self.last = Last::Nothing;
        Ok(())
    }

    fn named(&mut self, start: usize) -> Result<(), Problem> {
        let plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let Some((name, _)) = self.rest().split_once('>') else {
            return self.problem(start, "the name of a group ends with '>'");
        };
        if name.is_empty() || !name.chars().all(plain) {
            return self.problem(
                start,
                "the name of a group has letters, digits and '_' only",
            );
        }
        if self.names.contains(&name) {
            return self.problem(start, "two groups have the same name; rename one");
        }
        self.names.push(name);
        self.skip(name.len().saturating_add(1));
        self.groups = self.groups.saturating_add(1);
        self.enter(start)
    }

    /// `(?i)`, `(?s-m:…)`, `(?:…)`; the parser is at the `?`.
    fn flags(&mut self, start: usize) -> Result<(), Problem> {
        self.skip(1);
        let (mut negative, mut any) = (false, false);
        while let Some(character) = self.peek() {
            self.skip(character.len_utf8());
            match character {
                'i' | 'm' | 's' | 'U' => any = true,
                '-' if !negative => (negative, any) = (true, false),
                ':' if any || !negative => return self.enter(start),
                // `(?i)` is no group, and can't be repeated.
                ')' if any => {
                    self.last = Last::Nothing;
                    return Ok(());
                }
                _ => break,
            }
        }
        self.problem(
            start,
            "after '(?' only the flags i, m, s, U and ':' or ')' can follow",
        )
    }
}

/// Parses `2}`, `2,}` or `2,5}` into its length and numbers; the second equals the first if there is no comma. A number
/// that is too large is `None`.
fn counts(text: &str) -> Option<(usize, Option<u32>, Option<u32>)> {
    let (inside, _) = text.split_once('}')?;
    let (min, max) = match inside.split_once(',') {
        Some((min, "")) => (min, None),
        Some((min, max)) => (min, Some(max)),
        None => (inside, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // As in RE2, digits with a leading zero are not a number.
    let number = |text: &str| digits(text) && (text.len() == 1 || !text.starts_with('0'));
    if !number(min) || !max.is_none_or(number) {
        return None;
    }
    let bounded = |text: &str| text.parse().ok().filter(|number| *number <= MAX_REPEAT);
    let least = bounded(min);
    Some((
        inside.len().saturating_add(1),
        least,
        max.map_or(least, bounded),
    ))
}

#[cfg(test)]
#[path = "pattern/tests.rs"]
mod tests;

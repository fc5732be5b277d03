//! Sets of characters in brackets: `[a-z_]`, `[^[:space:]]`, `[\d.]`.

use super::Reader;
use super::escape::Escape;
use crate::text::Problem;

/// Names of `[:name:]` (the POSIX classes of RE2).
const NAMED: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

impl Reader<'_> {
    /// Parses a set; the parser is after its `[`.
    pub(super) fn class(&mut self, start: usize) -> Result<(), Problem> {
        if self.peek() == Some('^') {
            self.skip(1);
        }
        let mut first = true;
        loop {
            match self.peek() {
                None => {
                    let end = start.saturating_add(1);
                    return Err(Problem::at(
                        start,
                        end,
                        "this '[' has no ']'; write \\[ for the character itself",
                    ));
                }
                // As the first character it is literal.
                Some(']') if !first => {
                    self.skip(1);
                    return Ok(());
                }
                Some('[') if self.rest().starts_with("[:") && self.named_class()? => {}
                Some(_) => self.range()?,
            }
            first = false;
        }
    }

    /// Parses `[:alpha:]`; returns false if the text is not a class but literal characters.
    fn named_class(&mut self) -> Result<bool, Problem> {
        let start = self.at;
        let inside = self.rest().get(2..).unwrap_or_default();
        let Some((name, _)) = inside.split_once(":]") else {
            return Ok(false);
        };
        let plain = name.strip_prefix('^').unwrap_or(name);
        self.skip(name.len().saturating_add(4));
        if NAMED.contains(&plain) {
            Ok(true)
        } else {
            self.problem(
                start,
                "this name of a set isn't known; write [:alpha:], [:digit:], …",
            )
        }
    }

    /// Parses a character, or two with `-` between them; as in Go, a `-` elsewhere is literal.
    fn range(&mut self) -> Result<(), Problem> {
        let start = self.at;
        let Escape::Character(low) = self.member()? else {
            return Ok(());
        };
        let behind = self.rest().strip_prefix('-');
        if behind.is_none_or(|behind| behind.is_empty() || behind.starts_with(']')) {
            return Ok(());
        }
        self.skip(1);
        match self.member()? {
            Escape::Character(high) if low <= high => Ok(()),
            Escape::Character(_) => self.problem(start, "the range runs backwards; swap its ends"),
            _ => self.problem(start, "a range ends with a single character"),
        }
    }

    fn member(&mut self) -> Result<Escape, Problem> {
        let start = self.at;
        let Some(character) = self.peek() else {
            return self.problem(start, "the set ends here; write ']'");
        };
        self.skip(character.len_utf8());
        if character != '\\' {
            return Ok(Escape::Character(character));
        }
        match self.escaped(start)? {
            Escape::Assertion => self.problem(
                start,
                "inside a set this escape isn't known; write \\\\ for a backslash",
            ),
            other => Ok(other),
        }
    }
}

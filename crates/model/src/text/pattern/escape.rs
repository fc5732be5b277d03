//! `\d`, `\pL`, `\x{10FFFF}`, `\Q…\E` and the like.

use super::Reader;
use crate::text::Problem;

/// The meaning of an escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    /// One character, which may start or end a range.
    Character(char),
    /// A set of characters, such as `\d`.
    Set,
    /// A position between characters, such as `\b`; not allowed inside `[ ]`.
    Assertion,
}

impl Reader<'_> {
    /// Parses an escape outside `[ ]`; the parser is after the backslash.
    pub(super) fn escape(&mut self, start: usize) -> Result<(), Problem> {
        if self.rest().starts_with('Q') {
            let rest = self.rest();
            let end = rest
                .find("\\E")
                .map_or(rest.len(), |end| end.saturating_add(2));
            self.skip(end);
            if end > 3 {
                self.item();
            }
            return Ok(());
        }
        self.escaped(start)?;
        self.item();
        Ok(())
    }

    /// Parses what follows a backslash, except `\Q`.
    pub(super) fn escaped(&mut self, start: usize) -> Result<Escape, Problem> {
        let Some(letter) = self.peek() else {
            return self.problem(start, "a backslash at the end means nothing; write \\\\");
        };
        self.skip(letter.len_utf8());
        Ok(match letter {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => Escape::Set,
            'p' | 'P' => {
                let class = self.unicode_class(start)?;
                self.unicode.get_or_insert((start, self.at));
                return Ok(class);
            }
            'A' | 'b' | 'B' | 'z' | 'C' => Escape::Assertion,
            'a' => Escape::Character('\u{7}'),
            'f' => Escape::Character('\u{c}'),
            'n' => Escape::Character('\n'),
            'r' => Escape::Character('\r'),
            't' => Escape::Character('\t'),
            'v' => Escape::Character('\u{b}'),
            'x' => return self.hexadecimal(start),
            '1'..='7' if !self.peek().is_some_and(|next| next.is_digit(8)) => {
                return self.problem(start, "references to groups aren't supported (RE2)");
            }
            '0'..='7' => self.octal(letter),
            'Z' => return self.problem(start, "\\Z isn't supported (RE2); write \\z"),
            _ if letter.is_ascii_alphanumeric() || !letter.is_ascii() => {
                return self.problem(
                    start,
                    "this escape isn't known (RE2); write \\\\ for a backslash",
                );
            }
            other => Escape::Character(other),
        })
    }

    fn octal(&mut self, first: char) -> Escape {
        let mut value = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|next| next.to_digit(8)) else {
                break;
            };
            self.skip(1);
            value = value.saturating_mul(8).saturating_add(digit);
        }
        Escape::Character(char::from_u32(value).unwrap_or('\u{fffd}'))
    }

    fn hexadecimal(&mut self, start: usize) -> Result<Escape, Problem> {
        let rest = self.rest();
        let digits = match rest.strip_prefix('{') {
            Some(inside) => inside.split_once('}').map(|(digits, _)| digits),
            None => rest.get(..2),
        };
        let value = digits
            .filter(|digits| {
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            })
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .filter(|value| *value <= 0x0010_FFFF);
        let (Some(value), Some(digits)) = (value, digits) else {
            return self.problem(
                start,
                "\\x needs two hexadecimal digits, or \\x{…} up to 10FFFF",
            );
        };
        self.skip(digits.len());
        if rest.starts_with('{') {
            self.skip(2);
        }
        // Surrogate halves are no characters; a range may still start or end there.
        Ok(Escape::Character(
            char::from_u32(value).unwrap_or('\u{d7ff}'),
        ))
    }

    /// Parses `\pL` or `\p{Greek}`. Which names exist changes with Unicode, so only their letters are checked.
    fn unicode_class(&mut self, start: usize) -> Result<Escape, Problem> {
        let Some(first) = self.peek() else {
            return self.problem(
                start,
                "\\p needs the name of a class, such as \\pL or \\p{Greek}",
            );
        };
        self.skip(first.len_utf8());
        if first != '{' {
            return if first.is_ascii_uppercase() {
                Ok(Escape::Set)
            } else {
                self.problem(
                    start,
                    "\\p needs the name of a class, such as \\pL or \\p{Greek}",
                )
            };
        }
        let Some((name, _)) = self.rest().split_once('}') else {
            return self.problem(start, "the name of a class ends with '}'");
        };
        let plain = name.strip_prefix('^').unwrap_or(name);
        self.skip(name.len().saturating_add(1));
        if plain.is_empty()
            || !plain
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        {
            return self.problem(
                start,
                "\\p needs the name of a class, such as \\pL or \\p{Greek}",
            );
        }
        Ok(Escape::Set)
    }
}

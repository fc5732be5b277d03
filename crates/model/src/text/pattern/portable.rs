//! Rewrites an RE2 expression for a regex engine with a slightly different syntax.
//!
//! `regex-lite`, which compiles expressions here, gives `[`, `&&`, `--` and `~~` inside a set, `{` and `\<` a special
//! meaning, and supports neither `\Q…\E` nor octal numbers. It has no Unicode classes (`\pL`) at all:
//! [`super::check_compiled`] refuses those.

use super::{counts, is_special};
use std::borrow::Cow;

/// Rewrites an expression so that it means in `regex-lite` what it means in RE2. An invalid expression stays invalid.
#[must_use]
pub fn portable(text: &str) -> Cow<'_, str> {
    if !text.contains(['[', '{', '\\']) {
        return Cow::Borrowed(text);
    }
    let mut writer = Writer {
        rest: text,
        out: String::with_capacity(text.len().saturating_add(8)),
    };
    writer.expression();
    Cow::Owned(writer.out)
}

struct Writer<'t> {
    rest: &'t str,
    out: String,
}

impl<'t> Writer<'t> {
    fn expression(&mut self) {
        while let Some(character) = self.next() {
            match character {
                '\\' if self.rest.starts_with('Q') => self.quoted(),
                '\\' => {
                    let escape = self.escape();
                    self.out.push_str(&escape);
                }
                '[' => self.set(),
                '{' => match counts(self.rest) {
                    Some((length, ..)) => {
                        self.out.push('{');
                        self.copy(length);
                    }
                    None => self.out.push_str("\\{"),
                },
                other => self.out.push(other),
            }
        }
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let character = characters.next();
        self.rest = characters.as_str();
        character
    }

    /// Consumes this many bytes.
    fn take(&mut self, length: usize) -> &'t str {
        let (piece, rest) = self
            .rest
            .split_at_checked(length)
            .unwrap_or((self.rest, ""));
        self.rest = rest;
        piece
    }

    /// Copies this many bytes to the output.
    fn copy(&mut self, length: usize) {
        let piece = self.take(length);
        self.out.push_str(piece);
    }

    /// Writes the characters of `\Q…\E` one by one; the writer is at the `Q`.
    fn quoted(&mut self) {
        let behind = self.rest.get(1..).unwrap_or_default();
        let (inside, rest) = behind.split_once("\\E").unwrap_or((behind, ""));
        for character in inside.chars() {
            if u8::try_from(character).is_ok_and(is_special) || "^$.]}".contains(character) {
                self.out.push('\\');
            }
            self.out.push(character);
        }
        self.rest = rest;
    }

    /// Translates an escape; the writer is after the backslash.
    fn escape(&mut self) -> Cow<'t, str> {
        let at = self.rest;
        match self.next() {
            Some(angle @ ('<' | '>')) => Cow::Owned(angle.to_string()),
            Some('0'..='7') => {
                let digits = at
                    .bytes()
                    .take(3)
                    .take_while(|byte| matches!(byte, b'0'..=b'7'));
                let length = digits.count();
                let digits = at.get(..length).unwrap_or_default();
                self.take(length.saturating_sub(1));
                let value = u32::from_str_radix(digits, 8).unwrap_or_default();
                Cow::Owned(format!("\\x{{{value:X}}}"))
            }
            Some('x' | 'p' | 'P') if self.rest.starts_with('{') => {
                let length = self.rest.find('}').unwrap_or(self.rest.len());
                self.take(length.saturating_add(1));
                Cow::Owned(format!("\\{}", behind(at, self.rest)))
            }
            Some(_) => Cow::Owned(format!("\\{}", behind(at, self.rest))),
            None => Cow::Borrowed("\\"),
        }
    }

    /// Translates a set; the writer is after its `[`.
    fn set(&mut self) {
        self.out.push('[');
        if self.rest.starts_with('^') {
            self.copy(1);
        }
        let mut first = true;
        while !self.rest.is_empty() {
            if self.rest.starts_with(']') && !first {
                self.copy(1);
                return;
            }
            if let Some(length) = named(self.rest) {
                self.copy(length);
            } else {
                self.range();
            }
            first = false;
        }
    }

    /// Translates a character of a set, or two with `-` between them.
    fn range(&mut self) {
        let is_set = is_set(self.rest);
        self.member();
        let mut behind = self.rest.chars();
        let is_range = behind.next() == Some('-') && behind.next().is_some_and(|next| next != ']');
        if is_range && !is_set {
            self.copy(1);
            self.member();
        }
    }

    fn member(&mut self) {
        match self.next() {
            Some('\\') => {
                let escape = self.escape();
                self.out.push_str(&escape);
            }
            Some(own @ ('[' | ']' | '&' | '~' | '-' | '^')) => {
                self.out.push('\\');
                self.out.push(own);
            }
            Some(other) => self.out.push(other),
            None => {}
        }
    }
}

/// Returns the part of a text before its suffix `end`.
fn behind<'t>(text: &'t str, end: &str) -> &'t str {
    let length = text.len().saturating_sub(end.len());
    text.get(..length).unwrap_or_default()
}

/// Returns the length of `[:alpha:]` at the start of a text.
fn named(text: &str) -> Option<usize> {
    let (name, _) = text.strip_prefix("[:")?.split_once(":]")?;
    Some(name.len().saturating_add(4))
}

/// Whether an item of a set is a set itself, which can't start a range.
fn is_set(text: &str) -> bool {
    let escape = text.strip_prefix('\\');
    escape.is_some_and(|escape| escape.starts_with(['d', 'D', 's', 'S', 'w', 'W', 'p', 'P']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_patterns_stay_unchanged() {
        for text in [
            "/a/[^/]+$",
            r"^/v\d+\.(?P<x>[a-z_\-.]+)$",
            "[[:alpha:]_]{2,5}",
            "(?i)/é|b{3}",
            r"\x{10FFFF}\x41\u00e9[\u0041-\u005D]\pL\p{Greek}\\",
        ] {
            assert_eq!(portable(text), text);
        }
    }

    #[test]
    fn differing_syntax_is_rewritten() {
        for (text, written) in [
            (r"\Q/l.t(\E.", r"/l\.t\(."),
            (r"\Qa{", r"a\{"),
            (r"\Q\E", ""),
            (r"\<a\>", "<a>"),
            (r"[\<]", "[<]"),
            (r"\101\0", r"\x{41}\x{0}"),
            ("{a}{", r"\{a}\{"),
            ("a{,3}", r"a\{,3}"),
            ("[[a]", r"[\[a]"),
            ("[^[]", r"[^\[]"),
            ("[]a]", r"[\]a]"),
            ("[a&&b~~c]", r"[a\&\&b\~\~c]"),
            ("[a--]", r"[a-\-]"),
            ("[--/]", r"[\--/]"),
            (r"[\d-]", r"[\d\-]"),
            (r"[\w-a]", r"[\w\-a]"),
            ("[-a]", r"[\-a]"),
            ("[a^]", r"[a\^]"),
            ("[a", "[a"),
            ("\\", "\\"),
        ] {
            assert_eq!(portable(text), written, "{text}");
        }
    }
}

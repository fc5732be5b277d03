//! An expression of RE2 for a compiler that reads some characters otherwise.
//!
//! What compiles expressions here (`regex-lite`) takes `[`, `&&`, `--` and `~~` inside a set, `{` and `\<` for
//! more than themselves, and knows neither `\Q…\E` nor octal numbers. Classes of Unicode (`\pL`) it does not
//! have at all: [`super::check_compiled`] refuses those.

use super::{counts, is_special};
use std::borrow::Cow;

/// The same expression, written so that it means there what it means in RE2. One that is no expression
/// stays none.
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

    /// Takes so many bytes.
    fn take(&mut self, length: usize) -> &'t str {
        let (piece, rest) = self
            .rest
            .split_at_checked(length)
            .unwrap_or((self.rest, ""));
        self.rest = rest;
        piece
    }

    /// Takes so many bytes over.
    fn copy(&mut self, length: usize) {
        let piece = self.take(length);
        self.out.push_str(piece);
    }

    /// `\Q…\E`, its characters one by one; the writer stands at the `Q`.
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

    /// What an escape is there; the writer stands behind the backslash.
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

    /// A set; the writer stands behind its `[`.
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

    /// A character of a set, or two with `-` between them.
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

/// The part of a text before its end.
fn behind<'t>(text: &'t str, end: &str) -> &'t str {
    let length = text.len().saturating_sub(end.len());
    text.get(..length).unwrap_or_default()
}

/// The length of `[:alpha:]` at the beginning of a text.
fn named(text: &str) -> Option<usize> {
    let (name, _) = text.strip_prefix("[:")?.split_once(":]")?;
    Some(name.len().saturating_add(4))
}

/// Whether a member of a set is a set itself, which begins no range.
fn is_set(text: &str) -> bool {
    let escape = text.strip_prefix('\\');
    escape.is_some_and(|escape| escape.starts_with(['d', 'D', 's', 'S', 'w', 'W', 'p', 'P']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_the_same_stays() {
        for text in [
            "/a/[^/]+$",
            r"^/v\d+\.(?P<x>[a-z_\-.]+)$",
            "[[:alpha:]_]{2,5}",
            "(?i)/é|b{3}",
            r"\x{10FFFF}\x41\pL\p{Greek}\\",
        ] {
            assert_eq!(portable(text), text);
        }
    }

    #[test]
    fn what_means_something_else_is_written_otherwise() {
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

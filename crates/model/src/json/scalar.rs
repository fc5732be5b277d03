//! Strings, numbers and literals (RFC 8259 sections 3, 6 and 7).

use std::borrow::Cow;

use super::Span;
use super::build::Scalar;
use super::parse::{Parsed, Parser};
use super::scan::plain;

impl<'a> Parser<'a> {
    /// Parses `true`, `false` or `null`; the error for anything else names what was probably meant.
    pub(super) fn word(&mut self) -> Parsed<Scalar<'a>> {
        let start = self.at;
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let rest = self.rest();
        self.skip(
            rest.iter()
                .position(|byte| !part(byte))
                .unwrap_or(rest.len()),
        );
        let span = self.since(start);
        match span.of(self.text) {
            "true" => Ok(Scalar::Bool(true)),
            "false" => Ok(Scalar::Bool(false)),
            "null" => Ok(Scalar::Null),
            "True" | "TRUE" => self.stop_at(span, "write true in lower case"),
            "False" | "FALSE" => self.stop_at(span, "write false in lower case"),
            "NULL" | "Null" | "None" | "nil" | "undefined" => self.stop_at(span, "write null"),
            "NaN" | "Infinity" | "inf" => {
                self.stop_at(span, "JSON has only finite numbers; write null")
            }
            _ => self.stop_at(span, "expected a value; a string needs double quotes"),
        }
    }

    /// Parses a number, keeping its text.
    pub(super) fn number(&mut self) -> Parsed<&'a str> {
        let start = self.at;
        match self.peek() {
            Some(b'+') => return self.stop("a number has no '+' before it; remove it"),
            Some(b'.') => return self.stop("a number needs a digit before '.'; write 0 there"),
            Some(b'-') => self.skip(1),
            _ => {}
        }
        let whole = self.at;
        if self.digits() == 0 {
            return self.stop("a number needs a digit here");
        }
        if self
            .text
            .get(whole..self.at)
            .is_some_and(|digits| digits.len() > 1 && digits.starts_with('0'))
        {
            return self.stop_at(
                self.since(start),
                "a number can't begin with 0; remove the leading zeros",
            );
        }
        if self.peek() == Some(b'.') {
            self.skip(1);
            if self.digits() == 0 {
                return self.stop("a number needs a digit after '.'");
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.skip(1);
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.skip(1);
            }
            if self.digits() == 0 {
                return self.stop("a number needs a digit in its exponent");
            }
        }
        Ok(self.since(start).of(self.text))
    }

    fn digits(&mut self) -> usize {
        let rest = self.rest();
        let count = rest
            .iter()
            .position(|byte| !byte.is_ascii_digit())
            .unwrap_or(rest.len());
        self.skip(count);
        count
    }

    /// Parses and unescapes a string; the parser is at its opening quote.
    pub(super) fn string(&mut self) -> Parsed<Cow<'a, str>> {
        let open = self.at;
        self.skip(1);
        let mut text = Cow::Borrowed(self.plain());
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.skip(1);
                    return Ok(text);
                }
                Some(b'\\') => text.to_mut().push(self.escape()?),
                Some(control) => {
                    let advice = match control {
                        b'\n' => "a line break inside a string is written \\n; is the closing quote missing?".to_owned(),
                        b'\t' => "a tab inside a string is written \\t".to_owned(),
                        other => format!("the control character U+{other:04X} inside a string is written \\u{other:04x}"),
                    };
                    return self.stop(advice);
                }
                None => {
                    let span = Span {
                        start: open,
                        end: open.saturating_add(1),
                    };
                    return self.stop_at(span, "the string that begins here has no closing quote");
                }
            }
            let more = self.plain();
            if !more.is_empty() {
                text.to_mut().push_str(more);
            }
        }
    }

    /// Reads characters up to a quote, a backslash or a control character.
    fn plain(&mut self) -> &'a str {
        let start = self.at;
        self.skip(plain(self.rest()));
        self.since(start).of(self.text)
    }

    fn escape(&mut self) -> Parsed<char> {
        let start = self.at;
        self.skip(1);
        let Some(letter) = self.peek() else {
            return self.stop_at(self.since(start), "the document ends inside an escape");
        };
        self.skip(1);
        Ok(match letter {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(start),
            _ => {
                self.at = start.saturating_add(1);
                return self.stop("unknown escape; a backslash itself is written \\\\");
            }
        })
    }

    /// Decodes `\uXXXX`, or the two halves of a surrogate pair.
    fn unicode(&mut self, start: usize) -> Parsed<char> {
        let first = self.hex(start)?;
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        if first < 0xDC00 && self.rest().starts_with(b"\\u") {
            let second_start = self.at;
            self.skip(2);
            let second = self.hex(second_start)?;
            let pair =
                char::decode_utf16([first, second].map(|half| u16::try_from(half).unwrap_or(0)));
            if let Some(Ok(character)) = pair.into_iter().next() {
                return Ok(character);
            }
            self.at = second_start;
        }
        let message = "half of a surrogate pair stands alone; write both \\u escapes of the character or the character itself";
        self.stop_at(self.since(start), message)
    }

    fn hex(&mut self, start: usize) -> Parsed<u32> {
        let digits = self
            .rest()
            .get(..4)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let value = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match value.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                self.skip(4);
                Ok(value)
            }
            None => self.stop_at(self.since(start), "\\u needs four hexadecimal digits"),
        }
    }
}

//! Maps offsets in an unescaped string to offsets in the document whose literal it is.

use super::Span;

/// How the escapes of a string literal shift its text.
#[derive(Debug)]
pub(crate) struct Embedded {
    literal: Span,
    /// After each escape: the offset in the unescaped text, and in the document.
    shifts: Vec<(usize, usize)>,
}

impl Embedded {
    /// Reads the string literal at a span, which the parser has accepted.
    pub(crate) fn new(document: &str, literal: Span) -> Self {
        let mut shifts = Vec::new();
        let first = literal.start.saturating_add(1);
        let (mut inner, mut outer) = (0_usize, first);
        let mut rest = literal.of(document).get(1..).unwrap_or_default();
        while let Some(at) = rest.find('\\') {
            let (written, stands_for) = escape(rest.get(at..).unwrap_or_default());
            inner = inner.saturating_add(at).saturating_add(stands_for);
            outer = outer.saturating_add(at).saturating_add(written);
            rest = rest.get(at.saturating_add(written)..).unwrap_or_default();
            shifts.push((inner, outer));
        }
        Self { literal, shifts }
    }

    /// Maps a span of the unescaped text to one of the document.
    pub(crate) fn outer(&self, inner: Span) -> Span {
        let end = self.literal.end.saturating_sub(1);
        let start = self.offset(inner.start).min(end);
        Span {
            start,
            end: self.offset(inner.end).clamp(start, end),
        }
    }

    fn offset(&self, inner: usize) -> usize {
        let behind = self.shifts.partition_point(|(at, _)| *at <= inner);
        let shift = behind.checked_sub(1).and_then(|at| self.shifts.get(at));
        let (from, to) = shift
            .copied()
            .unwrap_or((0, self.literal.start.saturating_add(1)));
        to.saturating_add(inner.saturating_sub(from))
    }
}

/// Returns the length in bytes of the escape at the start of a text, and of the character it denotes.
fn escape(text: &str) -> (usize, usize) {
    let unit = |at: usize| {
        let digits = text.get(at..at.saturating_add(4))?;
        u32::from_str_radix(digits, 16).ok()
    };
    if !text.starts_with("\\u") {
        return (2, 1);
    }
    match unit(2).map(char::from_u32) {
        Some(Some(character)) => (6, character.len_utf8()),
        // Half of a surrogate pair; its character has four bytes.
        _ => (12, 4),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn every_character_is_located_after_every_escape() {
        let document = r#"{"x": "a\n\"é\u00e9\ud83d\ude00😀\\z"}"#;
        let value = parse(document).unwrap();
        let string = value.get("x").unwrap();
        let text = string.as_str().unwrap();
        let embedded = Embedded::new(document, string.span);
        let written: Vec<&str> = text
            .char_indices()
            .map(|(start, character)| {
                let end = start + character.len_utf8();
                embedded.outer(Span { start, end }).of(document)
            })
            .collect();
        let expected = [
            "a",
            r"\n",
            "\\\"",
            "é",
            r"\u00e9",
            r"\ud83d\ude00",
            "😀",
            r"\\",
            "z",
        ];
        assert_eq!(written, expected);
        let behind = Span { start: 99, end: 99 };
        assert_eq!(embedded.outer(behind).start, string.span.end - 1);
    }
}

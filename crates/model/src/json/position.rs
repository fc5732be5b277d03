//! Converts byte offsets to lines and columns as editors count them.
//!
//! The table is built once per text. A lookup reads at most [`CHUNK`] bytes, so that a thousand issues in one minified
//! line of a megabyte stay cheap.

use super::scan::{self, code_units};
use crate::issue::Position;

/// Bytes between two stored counts of UTF-16 code units.
const CHUNK: usize = 512;

/// Where the lines of a text start, and how many UTF-16 code units precede an offset.
#[derive(Debug)]
pub struct LineIndex<'a> {
    bytes: &'a [u8],
    starts: Vec<usize>,
    /// UTF-16 code units before each chunk; empty for ASCII, where bytes and code units agree.
    units: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Builds the table in one pass.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        let mut at = 0_usize;
        loop {
            at = at.saturating_add(scan::line(bytes.get(at..).unwrap_or_default()));
            let Some(&byte) = bytes.get(at) else {
                break;
            };
            at = at.saturating_add(1);
            if byte == b'\n' || bytes.get(at) != Some(&b'\n') {
                starts.push(at);
            }
        }
        let mut units = Vec::new();
        if !text.is_ascii() {
            let mut count = 0_usize;
            for chunk in bytes.chunks(CHUNK) {
                units.push(count);
                count = count.saturating_add(code_units(chunk));
            }
            units.push(count);
        }
        Self {
            bytes,
            starts,
            units,
        }
    }

    /// Returns line and column of a byte offset; an offset beyond the end counts as the end.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.bytes.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self
            .starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or(0);
        let column = self
            .units_before(offset)
            .saturating_sub(self.units_before(start));
        Position {
            line: number(line),
            column: number(column.saturating_add(1)),
        }
    }

    /// Returns the byte offset of a line and column, also reading few bytes; a column beyond the end of its line counts
    /// as its end.
    #[must_use]
    pub fn offset(&self, position: Position) -> usize {
        let line = usize::try_from(position.line)
            .unwrap_or(usize::MAX)
            .saturating_sub(1);
        let Some(start) = self.starts.get(line).copied() else {
            return self.bytes.len();
        };
        let next = self.starts.get(line.saturating_add(1)).copied();
        let units = usize::try_from(position.column)
            .unwrap_or(usize::MAX)
            .saturating_sub(1);
        // Starts from the last stored count within the line that is not beyond the column.
        let target = self.units_before(start).saturating_add(units);
        let chunk = self.units.partition_point(|count| *count <= target);
        let chunk = chunk.saturating_sub(1);
        let begin = chunk.saturating_mul(CHUNK);
        let (begin, left) = match self.units.get(chunk) {
            None => (start.saturating_add(units), 0),
            Some(count) if begin > start => (begin, target.saturating_sub(*count)),
            Some(_) => (start, units),
        };
        let end = next.unwrap_or(self.bytes.len());
        let last = self.bytes.get(..end).unwrap_or_default();
        let breaks = last.iter().rev().take(2);
        let breaks = breaks.take_while(|byte| matches!(byte, b'\n' | b'\r'));
        let end = end.saturating_sub(match next {
            Some(_) => breaks.count(),
            None => 0,
        });
        let end = end.max(start);
        let rest = self.bytes.get(begin..end).unwrap_or_default();
        let found = begin.saturating_add(bytes_of(rest, left));
        found.clamp(start, end)
    }

    fn units_before(&self, offset: usize) -> usize {
        let chunk = offset.checked_div(CHUNK).unwrap_or(0);
        match self.units.get(chunk) {
            None => offset,
            Some(count) => {
                let begin = chunk.saturating_mul(CHUNK);
                count.saturating_add(code_units(
                    self.bytes.get(begin..offset).unwrap_or_default(),
                ))
            }
        }
    }
}

/// Returns the length in bytes of the first `units` UTF-16 code units of a text, without its line break.
fn bytes_of(text: &[u8], units: usize) -> usize {
    let mut left = units;
    let mut bytes = 0;
    for (at, byte) in text.iter().enumerate() {
        let begins = !matches!(byte, 0x80..=0xBF);
        if begins && (left == 0 || matches!(byte, b'\n' | b'\r')) {
            return at;
        }
        if begins {
            left = left.saturating_sub(code_units(std::slice::from_ref(byte)));
        }
        bytes = at.saturating_add(1);
    }
    bytes
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, offset: usize) -> (u32, u32) {
        let Position { line, column } = LineIndex::new(text).position(offset);
        (line, column)
    }

    #[test]
    fn lines_end_as_editors_end_them() {
        assert_eq!(at("", 0), (1, 1));
        assert_eq!(at("ab", 2), (1, 3));
        assert_eq!(at("a\nb", 2), (2, 1));
        assert_eq!(at("a\r\nb", 3), (2, 1));
        assert_eq!(at("a\rb", 2), (2, 1));
        assert_eq!(at("a\n", 2), (2, 1));
        assert_eq!(at("a", 99), (1, 2));
    }

    #[test]
    fn columns_count_utf16_code_units() {
        assert_eq!(at("é😀x", "é😀".len()), (1, 4));
        let long = "é".repeat(CHUNK);
        assert_eq!(
            at(&format!("\n{long}x"), 1 + long.len()),
            (2, u32::try_from(CHUNK).unwrap() + 1)
        );
    }

    #[test]
    fn a_position_agrees_with_counting_by_hand() {
        let text = "ab\r\n😀é\n\n\rend 😀".repeat(200);
        let index = LineIndex::new(&text);
        let normal = |prefix: &str| prefix.replace("\r\n", "\n").replace('\r', "\n");
        for (offset, _) in text.char_indices() {
            let prefix = &text[..offset];
            if prefix.ends_with('\r') && text[offset..].starts_with('\n') {
                continue;
            }
            let prefix = normal(prefix);
            let line = prefix.matches('\n').count() + 1;
            let column = prefix.rsplit('\n').next().unwrap().encode_utf16().count() + 1;
            let position = index.position(offset);
            assert_eq!(index.offset(position), offset);
            assert_eq!(
                (position.line as usize, position.column as usize),
                (line, column),
                "offset {offset}"
            );
        }
    }
}

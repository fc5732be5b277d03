//! Finds line breaks and the ends of strings, and counts code units, eight bytes at a time: WebAssembly modules have no
//! vector instructions by default, and byte by byte this took a third of the time of a check.

/// Repeats a byte in each of the eight bytes of a word.
const fn eight(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The highest bit of every byte.
const HIGH: u64 = eight(0x80);

/// Marks the highest bit of bytes equal to `byte`. Only the lowest mark is reliable: bytes above it may be marked
/// wrongly.
const fn equal(word: u64, byte: u8) -> u64 {
    let differs = word ^ eight(byte);
    differs.wrapping_sub(eight(1)) & !differs & HIGH
}

/// Counts the bytes before the first marked one; 8 if there is none.
const fn before(marks: u64) -> usize {
    // At most 64 / 8.
    (marks.trailing_zeros() >> 3) as usize
}

/// Counts the bytes before the first line feed or carriage return.
pub(super) fn line(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let marks = equal(word, b'\n') | equal(word, b'\r');
        if marks != 0 {
            return index.saturating_mul(8).saturating_add(before(marks));
        }
    }
    let passed = bytes.len().saturating_sub(rest.len());
    let breaks = |byte: &u8| matches!(byte, b'\n' | b'\r');
    passed.saturating_add(rest.iter().position(breaks).unwrap_or(rest.len()))
}

/// Counts the bytes before the first one that must be escaped in a string, or ends it: a quote, a backslash or a control
/// character.
pub(super) fn plain(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // As in `equal`, only the lowest mark is reliable.
        let control = word.wrapping_sub(eight(b' ')) & !word & HIGH;
        let marks = control | equal(word, b'"') | equal(word, b'\\');
        if marks != 0 {
            return index.saturating_mul(8).saturating_add(before(marks));
        }
    }
    let passed = bytes.len().saturating_sub(rest.len());
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1F);
    passed.saturating_add(rest.iter().position(special).unwrap_or(rest.len()))
}

/// Counts the UTF-16 code units of UTF-8 bytes: one per leading byte, two for four-byte characters. Only leading bytes
/// count, so cutting a character in two is harmless.
pub(super) fn code_units(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let in_words = words.iter().fold(0_usize, |units, word| {
        let word = u64::from_le_bytes(*word);
        // 10xxxxxx is not a leading byte, 11110xxx is the leading byte of a character of two code units.
        let inner = word & !(word << 1) & HIGH;
        let double = word & (word << 1) & (word << 2) & (word << 3) & HIGH;
        let more = 8_u32
            .saturating_sub(inner.count_ones())
            .saturating_add(double.count_ones());
        units.saturating_add(more as usize)
    });
    let units = |byte: &u8| match byte {
        0x80..=0xBF => 0,
        0xF0.. => 2,
        _ => 1_usize,
    };
    in_words.saturating_add(rest.iter().map(units).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls the check with every byte at every offset of texts of every length up to three words.
    fn every_place(mut check: impl FnMut(&[u8])) {
        for filler in [b'a', 0x0B, 0x80, 0xFF] {
            for length in 0..24 {
                let mut bytes = vec![filler; length];
                check(&bytes);
                for at in 0..length {
                    for byte in 0..=255 {
                        bytes[at] = byte;
                        check(&bytes);
                    }
                    bytes[at] = filler;
                }
            }
        }
    }

    #[test]
    fn line_ends_match_a_bytewise_search() {
        every_place(|bytes| {
            let breaks = |byte: &u8| matches!(byte, b'\n' | b'\r');
            let first = bytes.iter().position(breaks).unwrap_or(bytes.len());
            assert_eq!(line(bytes), first, "{bytes:?}");
        });
    }

    #[test]
    fn ends_of_strings_match_a_bytewise_search() {
        every_place(|bytes| {
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1F);
            let first = bytes.iter().position(special).unwrap_or(bytes.len());
            assert_eq!(plain(bytes), first, "{bytes:?}");
        });
    }

    #[test]
    fn code_units_are_those_of_the_text() {
        let text = "aé😀€\u{7ff}\u{800}\u{ffff}\u{10000}z".repeat(3);
        for (start, _) in text.char_indices() {
            for (end, _) in text.char_indices().filter(|(end, _)| *end >= start) {
                let part = &text[start..end];
                assert_eq!(code_units(part.as_bytes()), part.encode_utf16().count());
            }
        }
    }
}

//! Writing single JSON values: what an edit or a merge inserts.

use std::fmt::Write as _;

/// A text as a JSON string, quotes included.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut json = String::with_capacity(text.len().saturating_add(2));
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            control if u32::from(control) < 0x20 => {
                // Writing to a String cannot fail.
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
            other => json.push(other),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_text_reads_back() {
        for text in ["", "a\"b\\c", "\n\r\t\u{0}\u{1f}", "é😀\u{2028}/"] {
            assert_eq!(
                super::super::parse(&quote(text)).unwrap().as_str(),
                Some(text)
            );
            assert_eq!(serde_json::from_str::<String>(&quote(text)).unwrap(), text);
        }
    }
}

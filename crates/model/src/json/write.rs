//! Writing single JSON values: what an edit or a merge inserts.

use std::fmt::Write as _;

use super::scalar::plain;

/// A text as a JSON string, quotes included.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut json = String::with_capacity(text.len().saturating_add(2));
    push_quoted(text, &mut json);
    json
}

/// Appends a text as a JSON string, quotes included.
pub(crate) fn push_quoted(text: &str, json: &mut String) {
    json.push('"');
    let mut rest = text;
    while let Some((run, behind)) = rest.split_at_checked(plain(rest.as_bytes())) {
        json.push_str(run);
        let mut characters = behind.chars();
        match characters.next() {
            Some('"') => json.push_str("\\\""),
            Some('\\') => json.push_str("\\\\"),
            Some('\n') => json.push_str("\\n"),
            Some('\r') => json.push_str("\\r"),
            Some('\t') => json.push_str("\\t"),
            Some(control) => {
                // Writing to a String cannot fail.
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
            None => break,
        }
        rest = characters.as_str();
    }
    json.push('"');
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

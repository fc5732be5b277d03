//! Writes single JSON values, which an edit or a merge inserts.

use std::fmt::Write as _;

use super::scan::plain;
use super::{Kind, Value};

/// Returns a text as a JSON string, quotes included.
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

/// Returns a value as JSON on one line, with the text of numbers preserved.
#[must_use]
pub fn written(value: &Value<'_>) -> String {
    let mut json = String::new();
    push_value(value, &mut json);
    json
}

/// Appends a value in the form of [`written`].
pub(crate) fn push_value(value: &Value<'_>, json: &mut String) {
    match &value.kind {
        Kind::Null => json.push_str("null"),
        Kind::Bool(value) => json.push_str(if *value { "true" } else { "false" }),
        Kind::Number(number) => json.push_str(number),
        Kind::String(text) => push_quoted(text, json),
        Kind::Array(items) => {
            json.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    json.push(',');
                }
                push_value(item, json);
            }
            json.push(']');
        }
        Kind::Object(members) => {
            json.push('{');
            for (index, member) in members.iter().enumerate() {
                if index > 0 {
                    json.push(',');
                }
                push_quoted(&member.name, json);
                json.push(':');
                push_value(&member.value, json);
            }
            json.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_round_trips() {
        let text = r#"{"b":[1.0,null,true,false,9007199254740993],"a":{"x\"":"\n"},"c":[]}"#;
        assert_eq!(written(&crate::json::parse(text).unwrap()), text);
    }

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

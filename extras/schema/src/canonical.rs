//! Canonical texts of values: equal values have equal texts, whatever the order of their members and the spelling of
//! their numbers. Messages contain values in this form, too.

use crate::number::Number;
use gatewright_model::json::{Kind, Member, Value, quote};
use std::collections::BTreeMap;

/// Serialises a value as Go's `encoding/json` does.
#[must_use]
pub(crate) fn canonical(value: &Value<'_>) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Returns the members of an object by name; the last of repeated ones counts.
#[must_use]
pub(crate) fn members<'v>(members: &'v [Member<'v>]) -> BTreeMap<&'v str, &'v Value<'v>> {
    members
        .iter()
        .map(|member| (&*member.name, &member.value))
        .collect()
}

fn write(value: &Value<'_>, text: &mut String) {
    match &value.kind {
        Kind::Null => text.push_str("null"),
        Kind::Bool(true) => text.push_str("true"),
        Kind::Bool(false) => text.push_str("false"),
        Kind::Number(number) => text.push_str(&Number::read(number).json()),
        Kind::String(string) => write_string(string, text),
        Kind::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Kind::Object(list) => {
            text.push('{');
            for (index, (name, value)) in members(list).into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_string(name, text);
                text.push(':');
                write(value, text);
            }
            text.push('}');
        }
    }
}

/// Go also escapes the characters that are special in HTML.
fn write_string(string: &str, text: &mut String) {
    for character in quote(string).chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            _ => text.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::json::parse_repeating;

    #[test]
    fn equal_values_have_equal_texts() {
        for (text, expected) in [
            (
                r#" { "b" : 1.0 , "a" : [ null , true , "x<y" ] } "#,
                r#"{"a":[null,true,"x\u003cy"],"b":1}"#,
            ),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (r#""\u00e4\"""#, r#""ä\"""#),
        ] {
            assert_eq!(canonical(&parse_repeating(text).unwrap()), expected);
        }
    }
}

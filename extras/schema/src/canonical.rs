//! Canonical texts of values: equal values have equal texts, whatever the order of their members and the spelling of
//! their numbers. Messages contain values in this form, too.

use crate::number::Number;
use gatewright_model::json::{Kind, Member, Value, quote};
use gatewright_model::order;
use std::collections::BTreeMap;

/// Serialises a value as Go's `encoding/json` does.
#[must_use]
pub(crate) fn canonical(value: &Value<'_>) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// The members of an object by name; the last of repeated ones counts.
#[derive(Debug)]
pub(crate) struct Members<'v> {
    list: &'v [Member<'v>],
    /// Only of many: a few are found faster one after the other.
    sorted: Option<Sorted<'v>>,
}

type Sorted<'v> = BTreeMap<&'v str, &'v Value<'v>>;

/// Objects with more members than this are searched by sorting.
const FEW: usize = 16;

impl<'v> Members<'v> {
    pub(crate) fn of(list: &'v [Member<'v>]) -> Self {
        Self {
            list,
            sorted: (list.len() > FEW).then(|| sorted(list)),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<(&'v str, &'v Value<'v>)> {
        if let Some(sorted) = &self.sorted {
            return sorted
                .get_key_value(name)
                .map(|(name, value)| (*name, *value));
        }
        let mut last = self.list.iter().rev();
        let found = last.find(|member| member.name == name)?;
        Some((&*found.name, &found.value))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Counts the names.
    pub(crate) fn count(&self) -> usize {
        match &self.sorted {
            Some(sorted) => sorted.len(),
            None => self.in_order().count(),
        }
    }

    /// Returns the members in document order; a repeated one is where it last appears.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = (&'v str, &'v Value<'v>)> {
        let all = self.list.iter();
        let all = all.map(|member| (&*member.name, &member.value));
        all.filter(|(name, value)| {
            let counted = self.get(name);
            counted.is_some_and(|(_, counted)| std::ptr::eq(counted, *value))
        })
    }
}

fn sorted<'v>(list: &'v [Member<'v>]) -> Sorted<'v> {
    let all = list.iter();
    order::map(all.map(|member| (&*member.name, &member.value)))
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
            for (index, (name, value)) in sorted(list).into_iter().enumerate() {
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

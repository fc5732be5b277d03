//! Pretty-prints JSON for reading: only the whitespace between tokens changes. Number text, escapes and member order
//! are preserved, which a detour over typed values would not guarantee.

use std::borrow::Cow;

use super::{Kind, Span, Value, parse_into};
use crate::findings::Findings;

/// Returns the text with one member or element per line, indented by two spaces; `None` if it is not JSON. A line break
/// after the document is preserved.
#[must_use]
pub fn laid_out(text: &str) -> Option<String> {
    // A duplicate member is a mistake of the document, not of its layout.
    let value = parse_into(text, &mut Findings::default())?;
    let mut layout = Layout {
        text,
        out: String::with_capacity(text.len().saturating_mul(2)),
    };
    layout.value(&value, 0);
    let rest = text.get(value.span.end..).unwrap_or_default();
    if rest.contains('\n') {
        layout.out.push('\n');
    }
    Some(layout.out)
}

/// Whether a text is JSON on one line that pretty-printing would spread over several.
#[must_use]
pub fn is_one_line(text: &str) -> bool {
    let holds = ['{', '[']
        .iter()
        .any(|open| text.trim_start().starts_with(*open));
    holds
        && !text.trim().contains(['\n', '\r'])
        && laid_out(text).is_some_and(|laid_out| laid_out.trim_end().contains('\n'))
}

/// Returns the text in readable form: JSON on one line is pretty-printed, anything else unchanged.
#[must_use]
pub fn readable(text: &str) -> Cow<'_, str> {
    match laid_out(text).filter(|_| is_one_line(text)) {
        Some(laid_out) => Cow::Owned(laid_out),
        None => Cow::Borrowed(text),
    }
}

struct Layout<'t> {
    text: &'t str,
    out: String,
}

impl Layout<'_> {
    fn value(&mut self, value: &Value<'_>, depth: usize) {
        match &value.kind {
            Kind::Array(items) if !items.is_empty() => {
                self.block(('[', ']'), items, depth, |layout, item, depth| {
                    layout.value(item, depth);
                });
            }
            Kind::Object(members) if !members.is_empty() => {
                self.block(('{', '}'), members, depth, |layout, member, depth| {
                    layout.token(member.name_span);
                    layout.out.push_str(": ");
                    layout.value(&member.value, depth);
                });
            }
            Kind::Array(_) => self.out.push_str("[]"),
            Kind::Object(_) => self.out.push_str("{}"),
            _ => self.token(value.span),
        }
    }

    fn token(&mut self, span: Span) {
        self.out.push_str(span.of(self.text));
    }

    fn block<T>(
        &mut self,
        (open, close): (char, char),
        items: &[T],
        depth: usize,
        mut each: impl FnMut(&mut Self, &T, usize),
    ) {
        let inner = depth.saturating_add(1);
        self.out.push(open);
        for (index, item) in items.iter().enumerate() {
            self.out.push_str(if index == 0 { "\n" } else { ",\n" });
            self.out.push_str(&"  ".repeat(inner));
            each(self, item, inner);
        }
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(depth));
        self.out.push(close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_changes() {
        let text = r#"{"a":[1.0,-0,1e2],"\u00e9\/":{ },"b" : [ ],"c":"x  y","c":null}"#;
        let expected = "{\n  \"a\": [\n    1.0,\n    -0,\n    1e2\n  ],\n  \"\\u00e9\\/\": {},\n  \"b\": [],\n  \"c\": \"x  y\",\n  \"c\": null\n}";
        assert_eq!(laid_out(text).as_deref(), Some(expected));
        assert_eq!(laid_out(expected).as_deref(), Some(expected));
        let ended = format!(" {text} \n\n");
        assert_eq!(laid_out(&ended), Some(format!("{expected}\n")));
        assert_eq!(laid_out("7 ").as_deref(), Some("7"));
        assert_eq!(laid_out("{\"a\": }"), None);
    }

    #[test]
    fn only_non_empty_one_line_json_is_laid_out() {
        for text in [r#"{"a":1}"#, " [1]\n", "{\"a\": {}}\r\n"] {
            assert!(is_one_line(text), "{text}");
            assert_eq!(Some(readable(text).into_owned()), laid_out(text));
        }
        for text in [
            "{}",
            "[]\n",
            "7",
            "",
            "{\"a\":",
            "{\n\"a\":1}",
            "{\"a\":\r1}",
        ] {
            assert!(!is_one_line(text), "{text}");
            assert_eq!(readable(text), text);
        }
    }
}

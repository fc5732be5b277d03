//! JSON, as Go's `encoding/json` reads and writes it.

use crate::text::Text;
use crate::value::{Value, json_number};
use gatewright_model::json::{self, Builder, Scalar, Span};
use std::borrow::Cow;
use std::rc::Rc;

/// The deepest nesting that is written.
const DEPTH: usize = 500;

/// Parses a JSON text; the last of repeated members counts. `None` if it isn't JSON, or contains a number that 64 bits
/// can't hold.
pub(crate) fn from_json(text: &str) -> Option<Value> {
    let whole: Rc<str> = text.into();
    let mut reader = Reader {
        whole: &whole,
        is_beyond: false,
    };
    let value = json::build(&whole, &mut reader)?;
    (!reader.is_beyond).then_some(value)
}

/// Makes values of the parts of a text.
struct Reader<'w> {
    whole: &'w Rc<str>,
    /// Whether there is a number that 64 bits can't hold.
    is_beyond: bool,
}

impl Reader<'_> {
    /// Returns a string, as a part of the text if it is written there without escapes.
    fn text(&self, string: Cow<'_, str>, span: Span) -> Text {
        match string {
            Cow::Borrowed(_) => {
                let (start, end) = (span.start.saturating_add(1), span.end.saturating_sub(1));
                Text::part(self.whole, start, end)
            }
            Cow::Owned(string) => string.as_str().into(),
        }
    }
}

impl<'a> Builder<'a> for Reader<'_> {
    type Value = Value;
    type Members = Vec<(Text, Value)>;

    fn scalar(&mut self, scalar: Scalar<'a>, span: Span) -> Value {
        match scalar {
            Scalar::Null => Value::Nil,
            Scalar::Bool(truth) => Value::Bool(truth),
            Scalar::Number(text) => {
                let number = text.parse().unwrap_or(f64::INFINITY);
                self.is_beyond |= !number.is_finite();
                Value::Float(number)
            }
            Scalar::String(text) => Value::Str(self.text(text, span)),
        }
    }

    fn member(
        &mut self,
        _: usize,
        members: &mut Self::Members,
        (name, span): (Cow<'a, str>, Span),
        value: Value,
    ) {
        members.push((self.text(name, span), value));
    }

    fn object(&mut self, members: Self::Members, _: Span) -> Value {
        Value::object(members)
    }

    fn array(&mut self, items: Vec<Value>, _: Span) -> Value {
        Value::list(items)
    }
}

/// Serialises a value as JSON, with its members sorted by name. `escapes` makes it escape `<>&`; with an `indent` it
/// has several lines, indented by this many steps.
pub(crate) fn json(value: &Value, escapes: bool, indent: Option<usize>) -> String {
    let mut out = String::new();
    write(value, escapes, indent, DEPTH, &mut out);
    out
}

fn write(value: &Value, escapes: bool, indent: Option<usize>, depth: usize, out: &mut String) {
    match value {
        Value::Nil => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Int(number) => out.push_str(&number.to_string()),
        Value::Float(number) if number.is_finite() => out.push_str(&json_number(*number)),
        Value::Float(_) => out.push_str("null"),
        Value::Str(text) => quote(text, escapes, out),
        Value::Time(seconds) => quote(
            &crate::dates::format(*seconds, "2006-01-02T15:04:05Z07:00"),
            escapes,
            out,
        ),
        _ if depth == 0 => out.push_str("null"),
        Value::List(items) => {
            let items = items.iter().map(|item| (None, item));
            between('[', ']', items, (escapes, indent, depth), out);
        }
        Value::Map(members) => {
            let members = members.read();
            let members = members.iter().map(|(name, value)| (Some(&**name), value));
            between('{', '}', members, (escapes, indent, depth), out);
        }
    }
}

fn between<'v>(
    open: char,
    close: char,
    items: impl ExactSizeIterator<Item = (Option<&'v str>, &'v Value)>,
    (escapes, indent, depth): (bool, Option<usize>, usize),
    out: &mut String,
) {
    let is_empty = items.len() == 0;
    let line = |steps: usize, out: &mut String| {
        out.push('\n');
        out.push_str(&"  ".repeat(steps));
    };
    out.push(open);
    for (at, (name, value)) in items.enumerate() {
        if at > 0 {
            out.push(',');
        }
        if let Some(steps) = indent {
            line(steps.saturating_add(1), out);
        }
        if let Some(name) = name {
            quote(name, escapes, out);
            out.push_str(if indent.is_some() { ": " } else { ":" });
        }
        let inner = indent.map(|steps| steps.saturating_add(1));
        write(value, escapes, inner, depth.saturating_sub(1), out);
    }
    if let Some(steps) = indent.filter(|_| !is_empty) {
        line(steps, out);
    }
    out.push(close);
}

fn quote(text: &str, escapes: bool, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' if escapes => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
            '\u{2028}' | '\u{2029}' | '\0'..'\u{20}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(letter)))
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

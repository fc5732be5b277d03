//! JSON, as Go's `encoding/json` reads and writes it.

use crate::text::Text;
use crate::value::{Map, Value, json_number};
use gatewright_model::json::{self, Kind, Span, Value as Json};
use std::borrow::Cow;
use std::rc::Rc;

/// The deepest nesting that is written.
const DEPTH: usize = 500;

/// Parses a JSON text; the last of repeated members counts.
pub(crate) fn from_json(text: &str) -> Option<Value> {
    let whole: Rc<str> = text.into();
    read(json::parse_repeating(&whole)?, &whole)
}

/// Converts a value; `None` if it contains a number that 64 bits can't hold.
fn read(value: Json<'_>, whole: &Rc<str>) -> Option<Value> {
    Some(match value.kind {
        Kind::Null => Value::Nil,
        Kind::Bool(truth) => Value::Bool(truth),
        Kind::Number(number) => Value::Float(
            number
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite())?,
        ),
        Kind::String(text) => Value::Str(part(text, value.span, whole)),
        Kind::Array(items) => {
            let items = items.into_iter().map(|item| read(item, whole));
            Value::list(items.collect::<Option<_>>()?)
        }
        Kind::Object(members) => {
            let mut map = Map::new();
            for member in members {
                let name = part(member.name, member.name_span, whole);
                map.insert(name, read(member.value, whole)?);
            }
            Value::map(map)
        }
    })
}

/// Returns a string, as a part of the text if it is written there without escapes.
fn part(string: Cow<'_, str>, span: Span, whole: &Rc<str>) -> Text {
    match string {
        Cow::Borrowed(_) => {
            let (start, end) = (span.start.saturating_add(1), span.end.saturating_sub(1));
            Text::part(whole, start, end)
        }
        Cow::Owned(string) => string.as_str().into(),
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

//! JSON laid out for reading. Number text and member order stay as they were sent, which a detour
//! over typed values would not promise.

use gatewright_model::json::{Kind, Value, parse, quote};

/// Texts longer than this are shown as they came: laying them out would block the page.
pub const LIMIT_BYTES: usize = 512 * 1024;

/// The text indented by two spaces, or `None` if it is not JSON, or too long.
#[must_use]
pub fn pretty(text: &str) -> Option<String> {
    if text.len() > LIMIT_BYTES {
        return None;
    }
    let value = parse(text).ok()?;
    let mut out = String::with_capacity(text.len().saturating_mul(2));
    write(&mut out, &value, 0);
    Some(out)
}

fn write(out: &mut String, value: &Value<'_>, depth: usize) {
    match &value.kind {
        Kind::Null => out.push_str("null"),
        Kind::Bool(true) => out.push_str("true"),
        Kind::Bool(false) => out.push_str("false"),
        Kind::Number(number) => out.push_str(number),
        Kind::String(string) => out.push_str(&quote(string)),
        Kind::Array(items) => block(out, ('[', ']'), items, depth, |out, item, depth| {
            write(out, item, depth)
        }),
        Kind::Object(members) => block(out, ('{', '}'), members, depth, |out, member, depth| {
            out.push_str(&quote(&member.name));
            out.push_str(": ");
            write(out, &member.value, depth);
        }),
    }
}

fn block<T>(
    out: &mut String,
    (open, close): (char, char),
    items: &[T],
    depth: usize,
    mut each: impl FnMut(&mut String, &T, usize),
) {
    out.push(open);
    let inner = depth.saturating_add(1);
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(inner));
        each(out, item, inner);
    }
    if !items.is_empty() {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    }
    out.push(close);
}

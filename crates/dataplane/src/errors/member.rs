//! Finds a member in a JSON text that may be truncated, because only the start of an upstream's answer is read
//! (reference 3.3, `body_field`). What lies beyond the end counts as missing.

use gatewright_model::json::{self, Kind};
use std::borrow::Cow;

/// A path to a member: names and list indices, separated by dots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemberPath {
    steps: Vec<String>,
}

impl MemberPath {
    /// Parses a path; `\.` is a dot within a name.
    pub(super) fn parse(text: &str) -> Self {
        let mut steps = vec![String::new()];
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '.' => steps.push(String::new()),
                other => {
                    let escaped = if other == '\\' {
                        characters.next()
                    } else {
                        None
                    };
                    if let Some(step) = steps.last_mut() {
                        step.push(escaped.unwrap_or(other));
                    }
                }
            }
        }
        Self { steps }
    }

    /// The member as text: strings without their quotes, null as an empty text, everything else as written.
    pub(super) fn find(&self, json: &str) -> Option<String> {
        let mut rest = json.trim_start();
        for step in &self.steps {
            rest = match rest.as_bytes().first()? {
                b'{' => in_object(rest, step)?,
                b'[' if step == "#" => return count(rest).map(|count| count.to_string()),
                b'[' => in_array(rest, step.parse().ok()?)?,
                _ => return None,
            };
        }
        let (value, _) = value(rest)?;
        match value {
            "null" => Some(String::new()),
            text if text.starts_with('"') => unquoted(text).map(Cow::into_owned),
            other => Some(other.to_owned()),
        }
    }
}

/// The unescaped contents of a string; `None` if it is malformed.
fn unquoted(string: &str) -> Option<Cow<'_, str>> {
    match json::parse(string).ok()?.kind {
        Kind::String(text) => Some(text),
        _ => None,
    }
}

/// The text from the value of a member on.
fn in_object<'j>(object: &'j str, name: &str) -> Option<&'j str> {
    let mut rest = object.strip_prefix('{')?.trim_start();
    while rest.starts_with('"') {
        let (key, behind) = value(rest)?;
        let behind = behind.trim_start().strip_prefix(':')?.trim_start();
        if unquoted(key)? == name {
            return Some(behind);
        }
        let (_, after) = value(behind)?;
        rest = after.trim_start().strip_prefix(',')?.trim_start();
    }
    None
}

/// The text from an element on.
fn in_array(array: &str, index: usize) -> Option<&str> {
    let mut rest = array.strip_prefix('[')?.trim_start();
    for _ in 0..index {
        let (_, behind) = value(rest)?;
        rest = behind.trim_start().strip_prefix(',')?.trim_start();
    }
    (!rest.starts_with(']')).then_some(rest)
}

/// The number of elements.
fn count(array: &str) -> Option<usize> {
    let mut rest = array.strip_prefix('[')?.trim_start();
    let mut count = 0_usize;
    if rest.starts_with(']') {
        return Some(count);
    }
    loop {
        let (_, behind) = value(rest)?;
        count = count.saturating_add(1);
        let behind = behind.trim_start();
        if behind.starts_with(']') {
            return Some(count);
        }
        rest = behind.strip_prefix(',')?.trim_start();
    }
}

/// Splits a text after the value it starts with; `None` if the value is incomplete.
fn value(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        let end = at.saturating_add(1);
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => {
                in_string = !in_string;
                if !in_string && depth == 0 {
                    return text.split_at_checked(end);
                }
            }
            _ if in_string => {}
            b'{' | b'[' => depth = depth.saturating_add(1),
            b'}' | b']' | b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => {
                return text
                    .split_at_checked(at)
                    .filter(|(value, _)| !value.is_empty());
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.split_at_checked(end);
                }
            }
            _ => {}
        }
    }
    (depth == 0 && !in_string && !text.is_empty()).then_some((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_is_found_by_path() {
        let json =
            r#" {"a" : {"b":"x\"y","c.d":[1, {"e":true}, null ]},"n":-1.50,"o":{"p":[]},"":0}"#;
        for (path, found) in [
            ("a.b", Some("x\"y")),
            ("a.c\\.d.0", Some("1")),
            ("a.c\\.d.1.e", Some("true")),
            ("a.c\\.d.2", Some("")),
            ("a.c\\.d.3", None),
            ("a.c\\.d.x", None),
            ("a.c\\.d.#", Some("3")),
            ("o.p.#", Some("0")),
            ("o.p.0", None),
            ("n", Some("-1.50")),
            ("o", Some(r#"{"p":[]}"#)),
            ("n.x", None),
            ("b", None),
            ("", Some("0")),
        ] {
            assert_eq!(
                MemberPath::parse(path).find(json).as_deref(),
                found,
                "{path}"
            );
        }
    }

    #[test]
    fn the_end_of_the_text_may_be_missing() {
        let find = |path, json| MemberPath::parse(path).find(json);
        let cut = r#"{"code":"DB","list":[1,2],"text":"no en"#;
        assert_eq!(find("code", cut).as_deref(), Some("DB"));
        assert_eq!(find("list.1", cut).as_deref(), Some("2"));
        assert_eq!(find("text", cut), None);
        assert_eq!(find("behind", cut), None);
        for broken in ["", "<html>", "{", "{\"code\"", "[", "}", "\"", "{1:2}"] {
            assert_eq!(find("code", broken), None, "{broken}");
        }
    }
}

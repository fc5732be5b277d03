//! Writes JSON values as YAML text: one member or element per line, multi-line texts as block scalars.

use super::scalar::{Scalar, plain, was_boolean};
use crate::json::{self, Kind, Value, push_quoted};
use std::fmt::Write as _;

/// The indentation step of nested maps and lists.
const STEP: usize = 2;
/// A longer name is written as an explicit key, on a line of its own: in an implicit one, the colon has to follow
/// within 1024 characters (YAML 1.2.2 section 7.4.2).
const LONGEST_NAME: usize = 1000;

/// Converts a JSON value to an equivalent YAML document.
#[must_use]
pub fn written(value: &Value<'_>) -> String {
    let mut yaml = String::new();
    let is_nested = nested(value, 0, true, &mut yaml);
    if !is_nested {
        inline(value, &mut yaml);
    }
    yaml.push('\n');
    yaml
}

/// Appends a member of a map with this indentation; only spaces or a dash precede it on its line.
pub(super) fn member(name: &str, value: &Value<'_>, indent: usize, yaml: &mut String) {
    if name.len() > LONGEST_NAME {
        yaml.push_str("? ");
        scalar(name, yaml);
        line(indent, yaml);
    } else {
        scalar(name, yaml);
    }
    yaml.push(':');
    behind(value, indent, yaml);
}

/// Appends a value after the colon of a member of a map with this indentation.
pub(super) fn behind(value: &Value<'_>, indent: usize, yaml: &mut String) {
    if !nested(value, indent.saturating_add(STEP), false, yaml) {
        yaml.push(' ');
        one(value, indent, yaml);
    }
}

/// Appends an element after its dash, which has this indentation, and a space.
pub(super) fn item(value: &Value<'_>, indent: usize, yaml: &mut String) {
    if !nested(value, indent.saturating_add(STEP), true, yaml) {
        one(value, indent, yaml);
    }
}

fn line(indent: usize, yaml: &mut String) {
    yaml.push('\n');
    yaml.extend(std::iter::repeat_n(' ', indent));
}

/// Appends the entries of a list or map, one per line, the first one on the current line if `follows`; returns false
/// for a scalar or an empty container.
fn nested(value: &Value<'_>, indent: usize, follows: bool, yaml: &mut String) -> bool {
    for (index, each) in value.members().iter().enumerate() {
        if index > 0 || !follows {
            line(indent, yaml);
        }
        member(&each.name, &each.value, indent, yaml);
    }
    for (index, each) in value.items().iter().enumerate() {
        if index > 0 || !follows {
            line(indent, yaml);
        }
        yaml.push_str("- ");
        item(each, indent, yaml);
    }
    !value.members().is_empty() || !value.items().is_empty()
}

/// Appends a scalar or an empty container, in the most readable form.
fn one(value: &Value<'_>, indent: usize, yaml: &mut String) {
    match &value.kind {
        Kind::String(text) if is_lines(text) => {
            yaml.push_str(if text.ends_with('\n') { "|" } else { "|-" });
            for each in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                match each.is_empty() {
                    true => yaml.push('\n'),
                    false => line(indent.saturating_add(STEP), yaml),
                }
                yaml.push_str(each);
            }
        }
        _ => inline(value, yaml),
    }
}

/// Returns a value in flow style, on one line: as JSON.
pub(super) fn flow(value: &Value<'_>) -> String {
    printed(json::written(value))
}

/// Appends a scalar or an empty container, on one line.
pub(super) fn inline(value: &Value<'_>, yaml: &mut String) {
    match &value.kind {
        Kind::Null => yaml.push_str("null"),
        Kind::Bool(yes) => yaml.push_str(if *yes { "true" } else { "false" }),
        Kind::Number(number) => yaml.push_str(number),
        Kind::String(text) => scalar(text, yaml),
        Kind::Array(_) => yaml.push_str("[]"),
        Kind::Object(_) => yaml.push_str("{}"),
    }
}

/// Appends a text, in quotes if it would otherwise be read as something else.
fn scalar(text: &str, yaml: &mut String) {
    match is_plain(text) {
        true => yaml.push_str(text),
        false => quoted(text, yaml),
    }
}

/// Appends a text in double quotes, as in JSON.
fn quoted(text: &str, yaml: &mut String) {
    let mut json = String::new();
    push_quoted(text, &mut json);
    yaml.push_str(&printed(json));
}

/// Escapes the characters of a JSON text that are not printable in YAML (section 5.1), which can only occur in strings.
fn printed(json: String) -> String {
    if !json.contains(is_unprinted) {
        return json;
    }
    let mut yaml = String::new();
    for character in json.chars() {
        match is_unprinted(character) {
            // Writing to a String cannot fail.
            true => drop(write!(yaml, "\\u{:04x}", u32::from(character))),
            false => yaml.push(character),
        }
    }
    yaml
}

/// Whether a character is not allowed in a text, or is taken for a line break or whitespace by some readers. None is
/// beyond the four digits of an escape.
const fn is_unprinted(character: char) -> bool {
    matches!(
        character,
        '\u{7f}'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// Whether a text can be written without quotes, in YAML 1.1 too: stricter than the rules, because people read it as
/// well.
fn is_plain(text: &str) -> bool {
    let begins = |first: char| first.is_alphabetic() || matches!(first, '/' | '_' | '$');
    let is_odd = |character: char| character.is_control() || is_unprinted(character);
    text.starts_with(begins)
        && !text.ends_with([' ', ':'])
        && !text.contains(is_odd)
        && !text.contains(": ")
        && !text.contains(" #")
        && !was_boolean(text)
        && !matches!(text, "y" | "Y" | "n" | "N")
        && plain(text) == Ok(Scalar::Text)
}

/// Whether a text can be written as a block scalar (section 8.1.2), ending in one line break or none.
fn is_lines(text: &str) -> bool {
    let is_odd =
        |character: char| character != '\n' && (character.is_control() || is_unprinted(character));
    text.contains('\n')
        && !text.starts_with(['\n', ' '])
        && !text.ends_with("\n\n")
        && !text.contains(is_odd)
        && !text.split('\n').any(|line| line.ends_with(' '))
}

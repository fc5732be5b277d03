//! From JSON values to YAML text: a member or an element a line, texts of several lines as such.

use super::scalar::{Scalar, plain, was_boolean};
use crate::json::{self, Kind, Value, push_quoted};
use std::fmt::Write as _;

/// By how much a map or list is indented in what it belongs to.
const STEP: usize = 2;
/// A longer name stands on a line of its own: the colon has to follow within 1024 characters (YAML 1.2.2 section
/// 7.4.2).
const LONGEST_NAME: usize = 1000;

/// A JSON value as a YAML document, which says the same.
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

/// Appends a member of a map that is indented by so much; nothing is before it on its line but blanks or a dash.
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

/// Appends a value behind the colon of a member of a map that is indented by so much.
pub(super) fn behind(value: &Value<'_>, indent: usize, yaml: &mut String) {
    if !nested(value, indent.saturating_add(STEP), false, yaml) {
        yaml.push(' ');
        one(value, indent, yaml);
    }
}

/// Appends an element behind its dash, which is indented by so much, and a blank.
pub(super) fn item(value: &Value<'_>, indent: usize, yaml: &mut String) {
    if !nested(value, indent.saturating_add(STEP), true, yaml) {
        one(value, indent, yaml);
    }
}

fn line(indent: usize, yaml: &mut String) {
    yaml.push('\n');
    yaml.extend(std::iter::repeat_n(' ', indent));
}

/// Appends what a list or map has in it, each on a line, and the first one where the text ends if it `follows`
/// there; false for a value that has nothing in it.
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

/// A value that has nothing in it, in the form that reads best.
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

/// A value as it stands between brackets, on one line: as JSON.
pub(super) fn flow(value: &Value<'_>) -> String {
    printed(json::written(value))
}

/// A value that has nothing in it, on one line.
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

/// A text as it is, or in quotes where it would be something else.
fn scalar(text: &str, yaml: &mut String) {
    match is_plain(text) {
        true => yaml.push_str(text),
        false => quoted(text, yaml),
    }
}

/// A text in double quotes, as in JSON.
fn quoted(text: &str, yaml: &mut String) {
    let mut json = String::new();
    push_quoted(text, &mut json);
    yaml.push_str(&printed(json));
}

/// JSON with those characters escaped that YAML doesn't print (section 5.1), which can only be in texts.
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

/// Characters that may not stand in a text, or that some readers take for line breaks or blanks. None is beyond the
/// four digits of an escape.
const fn is_unprinted(character: char) -> bool {
    matches!(
        character,
        '\u{7f}'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// Whether a text can stand without quotes, in YAML 1.1 too: stricter than the rules, for people read it as well.
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

/// Whether a text can stand as lines of its own (section 8.1.2), ending in one line break or none.
fn is_lines(text: &str) -> bool {
    let is_odd =
        |character: char| character != '\n' && (character.is_control() || is_unprinted(character));
    text.contains('\n')
        && !text.starts_with(['\n', ' '])
        && !text.ends_with("\n\n")
        && !text.contains(is_odd)
        && !text.split('\n').any(|line| line.ends_with(' '))
}

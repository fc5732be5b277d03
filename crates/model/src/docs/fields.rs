//! The field reference.

use std::fmt::Write as _;

use super::{MADE, anchor, cell, documents, heading};
use crate::shape::{Kind, Member, Presence, Switch, Type};

/// Describes every document, type and member: the expected value, the default, the effect.
#[must_use]
pub fn field_reference() -> String {
    let mut text = format!(
        "# Field reference\n\n{MADE}\n\
         A member may be absent or `null` unless it is *required*; without an *expected* one the \
         object does nothing useful, and a write that leaves it out gets a warning.\n\
         [support.md](support.md) explains *enforced*, *informative*, *stored* and *unsupported*.\n\n"
    );
    let documents = documents();
    // Writing to a String cannot fail.
    for (root, _) in &documents {
        let heading = heading(*root);
        let own = link(root.shape());
        let _ = writeln!(text, "- [{heading}](#{}): {own}", anchor(&heading));
    }
    for (root, types) in documents {
        let _ = writeln!(text, "\n## {}", heading(root));
        if types.is_empty() {
            let _ = writeln!(text, "\nIts type is {}.", link(root.shape()));
        }
        for of in types {
            write_type(&mut text, of);
        }
    }
    text
}

fn write_type(text: &mut String, of: &Type) {
    let _ = writeln!(text, "\n### {}\n\n{}.\n", cell(of.name), cell(of.doc));
    match of.switch {
        Switch::On(name) => {
            let _ = writeln!(text, "It has no effect unless `{name}` is true.\n");
        }
        Switch::Off(name) => {
            let _ = writeln!(text, "It has no effect when `{name}` is true.\n");
        }
        Switch::None => {}
    }
    text.push_str("| Member | Value | Default | What it does | Support |\n|---|---|---|---|---|\n");
    for member in of.members {
        let _ = writeln!(
            text,
            "| `{}`{} | {} | {} | {} | {} |",
            member.name,
            presence(member),
            value(member.kind),
            member
                .default()
                .map_or_else(String::new, |json| format!("`{json}`")),
            what_it_does(member),
            member.support.word()
        );
    }
}

fn presence(member: &Member) -> &'static str {
    match member.presence() {
        Presence::Required => " *required*",
        Presence::Expected => " *expected*",
        Presence::Optional => "",
    }
}

fn what_it_does(member: &Member) -> String {
    let mut doc = cell(member.doc);
    if let Some(other) = member.unless() {
        let _ = write!(doc, "; off while `{other}` is true");
    }
    if let Some(other) = member.needs() {
        let other = other.trim_start_matches('/').replace('/', ".");
        let _ = write!(doc, "; off unless `{other}` is true");
    }
    doc
}

fn link(of: &Type) -> String {
    format!("[{}](#{})", cell(of.name), anchor(of.name))
}

/// Describes the expected value, short enough for a column: "array of [CacheMeta](#cachemeta)".
fn value(kind: &Kind) -> String {
    match kind {
        Kind::Bool => "boolean".to_owned(),
        Kind::Text => "string".to_owned(),
        Kind::Format(format) => cell(format.title()),
        Kind::Enum(choice) => {
            let named = choice.values.iter().filter(|text| !text.is_empty());
            let names: Vec<String> = named.map(|text| format!("`\"{text}\"`")).collect();
            names.join(", ")
        }
        Kind::Integer(bounds) if bounds.min > i64::MIN && bounds.max < i64::MAX => {
            format!("integer, {} to {}", bounds.min, bounds.max)
        }
        Kind::Integer(bounds) if bounds.min > i64::MIN => {
            format!("integer, {} or more", bounds.min)
        }
        Kind::Integer(_) => "integer".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Duration => "seconds, or a text such as `\"1h30m\"`".to_owned(),
        Kind::Array(inner) => format!("array of {}", value(inner)),
        Kind::Map(_, inner) => format!("object; each value: {}", value(inner)),
        Kind::Object(of) => link(of),
        Kind::Tagged(tagged) => {
            let types: Vec<String> = tagged.types.iter().map(|(_, of)| link(of)).collect();
            format!("by `{}`: {}", tagged.by, types.join(", "))
        }
        Kind::Free => "object of any members".to_owned(),
        Kind::Any => "any value".to_owned(),
    }
}

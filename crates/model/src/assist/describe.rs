//! Describes kinds in words, and chooses their initial values.

use crate::json::quote;
use crate::shape::{Kind, Member, Presence, Switch, Type};

/// Describes the values of a kind: "a string: one of \"json\", \"xml\"".
#[must_use]
pub fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Format(format) => format!("a string: {}", format.title()),
        Kind::Enum(choice) => {
            let named = choice.values.iter().filter(|text| !text.is_empty());
            let names: Vec<String> = named.map(|text| quote(text)).collect();
            format!("a string: one of {}", names.join(", "))
        }
        Kind::Integer(bounds) if bounds.min > i64::MIN && bounds.max < i64::MAX => {
            format!("an integer from {} to {}", bounds.min, bounds.max)
        }
        Kind::Integer(bounds) if bounds.min > i64::MIN => {
            format!("an integer, {} or more", bounds.min)
        }
        Kind::Duration => "a number of seconds, or a string such as \"1h30m\"".to_owned(),
        Kind::Array(inner) => format!("an array; each element is {}", describe(inner)),
        Kind::Map(_, inner) => format!("an object; each value is {}", describe(inner)),
        Kind::Object(of) => format!("an object: {}", of.name),
        Kind::Tagged(tagged) => format!("an object, whose members depend on {}", quote(tagged.by)),
        Kind::Free => "an object of any members".to_owned(),
        Kind::Any => "any value".to_owned(),
        other => other.name().to_owned(),
    }
}

/// Returns an initial value: the member's default, or else the smallest value of its kind.
#[must_use]
pub fn default_value(member: &Member) -> String {
    if let Some(default) = member.default() {
        return default.to_owned();
    }
    match member.name {
        "listen_path" => "\"/\"".to_owned(),
        "target_url" => "\"https://example.com\"".to_owned(),
        "given" => "\"$\"".to_owned(),
        "then" => "{\"function\": \"truthy\"}".to_owned(),
        _ => first_value(member.kind),
    }
}

/// Returns an initial value of a member, as in the template of a new API where its kind alone would give one that is
/// refused.
pub(super) fn value_in(of: &Type, member: &Member) -> String {
    let value = match (of.name, member.name) {
        ("OpenAPI", "openapi") => "\"3.0.3\"",
        ("Info", "version") => "\"1.0.0\"",
        ("Info", "title" | "name") => "\"New API\"",
        ("State", "active") => "true",
        ("ListenPath", "value") => "\"/\"",
        ("Upstream", "url") => "\"https://example.com\"",
        _ => return default_value(member),
    };
    value.to_owned()
}

/// Returns the smallest value of a kind.
#[must_use]
pub fn first_value(kind: &Kind) -> String {
    match kind {
        Kind::Bool => "false".to_owned(),
        Kind::Text | Kind::Format(_) => "\"\"".to_owned(),
        Kind::Enum(choice) => quote(choice.values.first().copied().unwrap_or_default()),
        Kind::Integer(bounds) => bounds.min.max(0).to_string(),
        Kind::Number | Kind::Duration => "0".to_owned(),
        Kind::Array(_) => "[]".to_owned(),
        Kind::Object(of) => needed(of),
        Kind::Map(..) | Kind::Tagged(_) | Kind::Free => "{}".to_owned(),
        Kind::Any => "null".to_owned(),
    }
}

/// Returns an object with the required members. If one of them is the switch of the object, it is on.
fn needed(of: &'static Type) -> String {
    let required = of
        .members
        .iter()
        .filter(|member| member.presence() == Presence::Required);
    let begins = |member: &Member| match of.switch == Switch::On(member.name) {
        true => "true".to_owned(),
        false => value_in(of, member),
    };
    let members: Vec<String> = required
        .map(|member| format!("{}: {}", quote(member.name), begins(member)))
        .collect();
    format!("{{{}}}", members.join(", "))
}

//! One field of a form, as the console shows it.

use std::borrow::Cow;

use gatewright_model::assist::describe;
use gatewright_model::form::{Control, is_seconds, summary};
use gatewright_model::json::{Kind as Json, Value};
use gatewright_model::shape::{Kind, Member, Names, Presence, Support};
use serde::Serialize;

use super::form::Field;

/// One field, or the page itself, which is the first of them.
#[derive(Debug, Default, Serialize)]
pub(super) struct Node {
    pub(super) key: String,
    pub(super) pointer: String,
    pub(super) name: String,
    /// `page`, `member`, `item`, `entry` or `unknown`.
    pub(super) role: &'static str,
    /// `switch`, `text`, `lines`, `choice`, `integer`, `number`, `list`, `map`, `object`, `json`, or `long` for a value
    /// too long to edit here.
    pub(super) control: &'static str,
    /// The text in the control; `None` if the document has no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<String>,
    pub(super) kind: String,
    pub(super) doc: &'static str,
    pub(super) support: &'static str,
    pub(super) reason: &'static str,
    pub(super) presence: &'static str,
    pub(super) default: &'static str,
    /// Suggestions: the values of a choice, or names for a map.
    pub(super) values: Vec<Cow<'static, str>>,
    /// Labels of those, where the values are mere names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) labels: Vec<String>,
    pub(super) closed: bool,
    /// Whether it is a duration in seconds.
    pub(super) seconds: bool,
    pub(super) summary: String,
    pub(super) open: bool,
    /// Headings and field keys of an object; the table's own sections come first.
    pub(super) groups: Vec<(&'static str, Vec<String>)>,
    pub(super) unknown: Vec<String>,
    /// Keys of the entries of a list or map that are shown now; `matching` and `total` count all of them.
    pub(super) entries: Vec<String>,
    pub(super) from: usize,
    pub(super) matching: usize,
    pub(super) total: usize,
}

/// Returns a node with the table's description of a field.
pub(super) fn described(field: &Field, control: &Control) -> Node {
    let member = field.member;
    let (support, reason) = match member.map(|member| member.support) {
        Some(Support::Unsupported(reason)) => ("unsupported", *reason),
        Some(support) => (support.word(), ""),
        None => ("", ""),
    };
    let (values, closed) = match (*control, field.kind) {
        (Control::Choice { values, closed }, _) => (values, closed),
        (_, Kind::Map(Names::Known(names), _)) => (*names, false),
        _ => (&[][..], false),
    };
    Node {
        key: field.key.clone(),
        pointer: field.pointer.clone(),
        name: field.name.clone(),
        role: field.role,
        control: word(control),
        kind: describe(&field.kind),
        doc: member.map_or("", |member| member.doc),
        support,
        reason,
        presence: match member.map(Member::presence) {
            Some(Presence::Required) => "required",
            Some(Presence::Expected) => "expected",
            _ => "",
        },
        default: member.and_then(Member::default).unwrap_or_default(),
        values: values.iter().map(|value| Cow::Borrowed(*value)).collect(),
        closed,
        seconds: field.role == "member" && member.is_some_and(is_seconds),
        ..Node::default()
    }
}

fn word(control: &Control) -> &'static str {
    match control {
        Control::Switch => "switch",
        Control::Text(_) => "text",
        Control::Lines => "lines",
        Control::Choice { .. } => "choice",
        Control::Integer { .. } => "integer",
        Control::Number => "number",
        Control::List(_) => "list",
        Control::Map(_) => "map",
        Control::Object(_) => "object",
        Control::Tagged(_) | Control::Json => "json",
    }
}

/// Returns the text that a control shows for a value: a string without its quotes, anything else unchanged.
pub(super) fn shown(text: &str, value: &Value<'_>, control: &Control) -> String {
    match (&value.kind, control) {
        (Json::String(_), Control::Json) => value.span.of(text).to_owned(),
        (Json::String(string), _) => string.to_string(),
        _ => value.span.of(text).to_owned(),
    }
}

/// Summarises an object in one line to distinguish it from others: its name if defined elsewhere, and its first plain
/// values, or the names of its members if it has none.
pub(super) fn headline(value: &Value<'_>, label: &str) -> String {
    let plain = |value: &Value<'_>| !matches!(value.kind, Json::Array(_) | Json::Object(_));
    let parts = value.members().iter().filter(|member| plain(&member.value));
    let parts: Vec<String> = parts
        .take(3)
        .map(|member| {
            let value: String = summary(&member.value).chars().take(40).collect();
            format!("{} {value}", member.name)
        })
        .collect();
    match (label, parts.is_empty()) {
        ("", true) => summary(value),
        ("", false) => parts.join(", "),
        (label, true) => {
            let names = value.members().iter().map(|member| &*member.name);
            let names: Vec<&str> = names.collect();
            format!("{label}: {}", or_nothing(&names.join(", ")))
        }
        (label, false) => format!("{label}: {}", parts.join(", ")),
    }
}

fn or_nothing(names: &str) -> &str {
    match names {
        "" => "nothing yet",
        names => names,
    }
}

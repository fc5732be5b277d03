//! Values that may change: defaults are filled in.

use crate::number::Number;
use gatewright_model::json::{Kind, Value, quote};
use std::collections::BTreeMap;

/// A value of JSON. Numbers keep their text, and of repeated members the last counts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// The same as a parsed value.
    pub(crate) fn of(value: &Value<'_>) -> Self {
        match &value.kind {
            Kind::Null => Self::Null,
            Kind::Bool(is_true) => Self::Bool(*is_true),
            Kind::Number(text) => Self::Number((*text).to_owned()),
            Kind::String(text) => Self::Text(text.to_string()),
            Kind::Array(items) => Self::List(items.iter().map(Self::of).collect()),
            Kind::Object(members) => {
                let members = members.iter();
                Self::Object(
                    members
                        .map(|member| (member.name.to_string(), Self::of(&member.value)))
                        .collect(),
                )
            }
        }
    }

    /// A member; null counts as absent.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(name).filter(|value| **value != Self::Null),
            _ => None,
        }
    }

    /// The members of an object; none of anything else.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &Self)> {
        let members = match self {
            Self::Object(members) => Some(members.iter()),
            _ => None,
        };
        let members = members.into_iter().flatten();
        members.map(|(name, value)| (name.as_str(), value))
    }

    /// The items of a list; none of anything else.
    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The items of a member.
    pub(crate) fn list(&self, name: &str) -> &[Self] {
        self.get(name).map(Self::items).unwrap_or_default()
    }

    /// Its text, if it is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A member that is a text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    /// Whether a member is true.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.get(name) == Some(&Self::Bool(true))
    }

    /// A member that is a number.
    pub(crate) fn number(&self, name: &str) -> Option<Number> {
        match self.get(name)? {
            Self::Number(text) => Some(Number::read(text)),
            _ => None,
        }
    }

    /// A member that is a count; 0 counts as absent.
    pub(crate) fn count(&self, name: &str) -> Option<usize> {
        match self.get(name)? {
            Self::Number(text) => text.parse().ok().filter(|count| *count > 0),
            _ => None,
        }
    }

    /// The value as JSON: equal values have equal texts.
    pub(crate) fn json(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        match self {
            Self::Null => text.push_str("null"),
            Self::Bool(is_true) => text.push_str(if *is_true { "true" } else { "false" }),
            Self::Number(number) => text.push_str(&Number::read(number).json()),
            Self::Text(string) => text.push_str(&quote(string)),
            Self::List(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    item.write(text);
                }
                text.push(']');
            }
            Self::Object(members) => {
                text.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    text.push_str(&quote(name));
                    text.push(':');
                    value.write(text);
                }
                text.push('}');
            }
        }
    }

    /// The value as the text of a parameter.
    pub(crate) fn plain(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            other => other.json(),
        }
    }
}

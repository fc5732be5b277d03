//! Mutable JSON values, in which defaults are filled in.

use crate::number::Number;
use crate::text;
use gatewright_model::json::{Builder, Kind, Scalar, Span, Value, build, quote};
use gatewright_model::order;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A JSON value, which borrows what it can from its text. Numbers keep their text, and the last of repeated members
/// counts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data<'a> {
    Null,
    Bool(bool),
    Number(Cow<'a, str>),
    Text(Cow<'a, str>),
    List(Vec<Data<'a>>),
    Object(BTreeMap<Cow<'a, str>, Data<'a>>),
}

/// Makes such values of a text.
#[derive(Debug, Default)]
struct Reader {
    /// Whether an object has two members with the same name.
    repeats: bool,
}

impl<'a> Builder<'a> for Reader {
    type Value = Data<'a>;
    type Members = BTreeMap<Cow<'a, str>, Data<'a>>;

    fn scalar(&mut self, scalar: Scalar<'a>, _: Span) -> Data<'a> {
        match scalar {
            Scalar::Null => Data::Null,
            Scalar::Bool(is_true) => Data::Bool(is_true),
            Scalar::Number(text) => Data::Number(Cow::Borrowed(text)),
            Scalar::String(text) => Data::Text(text),
        }
    }

    fn member(
        &mut self,
        _: usize,
        members: &mut Self::Members,
        (name, _): (Cow<'a, str>, Span),
        value: Data<'a>,
    ) {
        self.repeats |= members.insert(name, value).is_some();
    }

    fn object(&mut self, members: Self::Members, _: Span) -> Data<'a> {
        Data::Object(members)
    }

    fn array(&mut self, items: Vec<Data<'a>>, _: Span) -> Data<'a> {
        Data::List(items)
    }
}

/// A JSON value that owns its texts: one that outlives a request, or has been read from a part of it.
pub(crate) type Json = Data<'static>;

/// The members of such a value.
pub(crate) type Members = BTreeMap<Cow<'static, str>, Json>;

impl Json {
    /// Copies a parsed value.
    pub(crate) fn of(value: &Value<'_>) -> Self {
        match &value.kind {
            Kind::Null => Self::Null,
            Kind::Bool(is_true) => Self::Bool(*is_true),
            Kind::Number(text) => Self::number_of((*text).to_owned()),
            Kind::String(text) => Self::text_of(text.to_string()),
            Kind::Array(items) => Self::List(items.iter().map(Self::of).collect()),
            Kind::Object(members) => {
                let members = members.iter();
                let members = members.map(|member| {
                    let name = Cow::Owned(member.name.to_string());
                    (name, Self::of(&member.value))
                });
                Self::Object(order::map(members))
            }
        }
    }

    /// Creates a number from its text.
    pub(crate) const fn number_of(text: String) -> Self {
        Self::Number(Cow::Owned(text))
    }

    /// Creates a string.
    pub(crate) const fn text_of(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<'a> Data<'a> {
    /// Parses a JSON text without repeated members.
    ///
    /// # Errors
    /// As [`text::value`].
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        let mut reader = Reader::default();
        match build(text, &mut reader) {
            Some(value) if !reader.repeats => Ok(value),
            // Only this knows the reason.
            _ => text::value(text).map(|value| Json::of(&value)),
        }
    }

    /// Returns a member; null counts as absent.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(name).filter(|value| **value != Self::Null),
            _ => None,
        }
    }

    /// Returns the members of an object; none for any other value.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &Self)> {
        let members = match self {
            Self::Object(members) => Some(members.iter()),
            _ => None,
        };
        let members = members.into_iter().flatten();
        members.map(|(name, value)| (&**name, value))
    }

    /// Returns the items of a list; none for any other value.
    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the items of a member.
    pub(crate) fn list(&self, name: &str) -> &[Self] {
        self.get(name).map(Self::items).unwrap_or_default()
    }

    /// Returns its text, if it is a string.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a member that is a string.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    /// Whether a member is true.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.get(name) == Some(&Self::Bool(true))
    }

    /// Returns a member that is a number.
    pub(crate) fn number(&self, name: &str) -> Option<Number> {
        match self.get(name)? {
            Self::Number(text) => Some(Number::read(text)),
            _ => None,
        }
    }

    /// Returns a member that is a count; 0 counts as absent.
    pub(crate) fn count(&self, name: &str) -> Option<usize> {
        self.limit(name).filter(|count| *count > 0)
    }

    /// Returns a limit, which may be 0.
    pub(crate) fn limit(&self, name: &str) -> Option<usize> {
        match self.get(name)? {
            Self::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Serialises the value as JSON: equal values have equal texts.
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

    /// Formats the value as the text of a parameter.
    pub(crate) fn plain(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            other => other.json(),
        }
    }
}

//! Parts of documents with the text they stand in, and what is written from them.

use crate::json::{Kind, Value, decimal, push_quoted};
use crate::order::firsts;

/// A value and the document it stands in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub(super) text: &'a str,
    pub(super) value: &'a Value<'a>,
}

impl<'a> Part<'a> {
    /// As it is written.
    pub(super) fn json(self) -> &'a str {
        self.value.span.of(self.text)
    }

    /// Another value of the same document.
    pub(super) const fn with(self, value: &'a Value<'a>) -> Self {
        Self {
            text: self.text,
            value,
        }
    }

    /// The value of a member; null counts as absent.
    pub(super) fn get(self, name: &str) -> Option<Self> {
        self.value.get(name).map(|value| self.with(value))
    }

    /// A member that is a text; "" if it isn't one.
    pub(super) fn str(self, name: &str) -> &'a str {
        self.value.str(name).unwrap_or_default()
    }

    /// Whether a member is true.
    pub(super) fn on(self, name: &str) -> bool {
        self.value.bool(name) == Some(true)
    }

    /// The elements of an array.
    pub(super) fn items(self) -> impl Iterator<Item = Self> {
        let items = self.value.items().iter();
        items.map(move |value| self.with(value))
    }

    /// The elements of a member that is an array.
    pub(super) fn list(self, name: &str) -> impl Iterator<Item = Self> {
        self.get(name).into_iter().flat_map(Self::items)
    }

    /// The texts of a member that is an array.
    pub(super) fn texts(self, name: &str) -> impl Iterator<Item = &'a str> {
        self.list(name).filter_map(|item| item.value.as_str())
    }

    /// The members of an object, null or not.
    pub(super) fn members(self) -> impl Iterator<Item = (&'a str, Self)> {
        let members = self.value.members().iter();
        members.map(move |member| (&*member.name, self.with(&member.value)))
    }

    pub(super) const fn is_object(self) -> bool {
        matches!(self.value.kind, Kind::Object(_))
    }

    /// Whether it says nothing: null, false, 0 or empty.
    pub(super) fn is_empty(self) -> bool {
        match &self.value.kind {
            Kind::Null => true,
            Kind::Bool(on) => !on,
            Kind::Number(text) => decimal::sign(text).is_eq(),
            Kind::String(text) => text.is_empty(),
            Kind::Array(items) => items.is_empty(),
            Kind::Object(members) => members.is_empty(),
        }
    }
}

/// An object while it is written.
#[derive(Debug, Default)]
pub(super) struct Object {
    json: String,
}

impl Object {
    pub(super) fn put(&mut self, name: &str, json: &str) {
        self.json.push(if self.json.is_empty() { '{' } else { ',' });
        push_quoted(name, &mut self.json);
        self.json.push(':');
        self.json.push_str(json);
    }

    /// The text of the object; none if it has no members.
    pub(super) fn end(mut self) -> Option<String> {
        if self.json.is_empty() {
            return None;
        }
        self.json.push('}');
        Some(self.json)
    }
}

/// An array of values.
pub(super) fn array<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let mut json = String::from("[");
    for item in items {
        if json.len() > 1 {
            json.push(',');
        }
        json.push_str(item);
    }
    json.push(']');
    json
}

/// An array of texts.
pub(super) fn array_of_texts(texts: &[&str]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| crate::json::quote(text)).collect();
    array(quoted.iter().map(String::as_str))
}

/// The texts without those that stood there before.
pub(super) fn distinct<'a>(texts: &[&'a str]) -> Vec<&'a str> {
    let pairs = texts.iter().zip(firsts(texts)).enumerate();
    let first = pairs.filter(|(at, (_, first))| at == first);
    first.map(|(_, (text, _))| *text).collect()
}

/// Values with the same key, together: in the order of the first of each, and of the values.
pub(super) fn grouped<T: Copy>(keyed: &[(&str, T)]) -> Vec<Vec<T>> {
    let keys: Vec<&str> = keyed.iter().map(|(key, _)| *key).collect();
    let mut groups: Vec<Vec<T>> = vec![Vec::new(); keyed.len()];
    for ((_, value), first) in keyed.iter().zip(firsts(&keys)) {
        if let Some(group) = groups.get_mut(first) {
            group.push(*value);
        }
    }
    groups.retain(|group| !group.is_empty());
    groups
}

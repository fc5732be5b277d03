//! Parts of documents with the text they are in, and JSON written from them.

use crate::json::{Kind, Value, decimal, push_quoted};
use crate::order::firsts;

/// A value and the text of its document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub(super) text: &'a str,
    pub(super) value: &'a Value<'a>,
}

impl<'a> Part<'a> {
    /// Returns its JSON text, as written.
    pub(super) fn json(self) -> &'a str {
        self.value.span.of(self.text)
    }

    /// Returns another value of the same document.
    pub(super) const fn with(self, value: &'a Value<'a>) -> Self {
        Self {
            text: self.text,
            value,
        }
    }

    /// Returns the value of a member; null counts as absent.
    pub(super) fn get(self, name: &str) -> Option<Self> {
        self.value.get(name).map(|value| self.with(value))
    }

    /// Returns the text of a member; "" if it isn't a string.
    pub(super) fn str(self, name: &str) -> &'a str {
        self.value.str(name).unwrap_or_default()
    }

    /// Whether a member is true.
    pub(super) fn on(self, name: &str) -> bool {
        self.value.bool(name) == Some(true)
    }

    /// Iterates over the elements of an array.
    pub(super) fn items(self) -> impl Iterator<Item = Self> {
        let items = self.value.items().iter();
        items.map(move |value| self.with(value))
    }

    /// Iterates over the elements of an array member.
    pub(super) fn list(self, name: &str) -> impl Iterator<Item = Self> {
        self.get(name).into_iter().flat_map(Self::items)
    }

    /// Iterates over the strings of an array member.
    pub(super) fn texts(self, name: &str) -> impl Iterator<Item = &'a str> {
        self.list(name).filter_map(|item| item.value.as_str())
    }

    /// Iterates over the members of an object, null ones included.
    pub(super) fn members(self) -> impl Iterator<Item = (&'a str, Self)> {
        let members = self.value.members().iter();
        members.map(move |member| (&*member.name, self.with(&member.value)))
    }

    pub(super) const fn is_object(self) -> bool {
        matches!(self.value.kind, Kind::Object(_))
    }

    /// Whether it is null, false, 0 or empty.
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

/// An object being written.
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

    /// Returns the text of the object; `None` if it has no members.
    pub(super) fn end(mut self) -> Option<String> {
        if self.json.is_empty() {
            return None;
        }
        self.json.push('}');
        Some(self.json)
    }
}

/// Writes an array of JSON texts.
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

/// Writes an array of strings.
pub(super) fn array_of_texts(texts: &[&str]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| crate::json::quote(text)).collect();
    array(quoted.iter().map(String::as_str))
}

/// Removes duplicate texts, keeping the first of each.
pub(super) fn distinct<'a>(texts: &[&'a str]) -> Vec<&'a str> {
    let pairs = texts.iter().zip(firsts(texts)).enumerate();
    let first = pairs.filter(|(at, (_, first))| at == first);
    first.map(|(_, (text, _))| *text).collect()
}

/// Groups values by key. Groups are in the order of first occurrence, and values keep their order.
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

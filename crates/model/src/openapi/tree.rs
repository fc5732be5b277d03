//! A definition being built.

use crate::json::quote;

/// A JSON value, parts of which may already be text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    /// JSON text.
    Raw(String),
    /// An array.
    Array(Vec<Tree>),
    /// An object.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// Creates an empty object.
    pub(super) const fn object() -> Self {
        Self::Object(Vec::new())
    }

    /// Wraps JSON text.
    pub(super) fn raw(json: &str) -> Self {
        Self::Raw(json.to_owned())
    }

    /// Creates a string.
    pub(super) fn text(text: &str) -> Self {
        Self::Raw(quote(text))
    }

    /// Sets a value at a dotted path, creating missing objects on it.
    pub(super) fn set(&mut self, dotted: &str, value: Self) {
        self.set_in(&dotted.split('.').collect::<Vec<_>>(), value);
    }

    /// Like [`Tree::set`], for names that may contain dots.
    pub(super) fn set_in(&mut self, path: &[&str], value: Self) {
        if let Some(slot) = self.at(path) {
            *slot = value;
        }
    }

    /// Appends to a list at a dotted path.
    pub(super) fn push(&mut self, dotted: &str, value: Self) {
        self.push_in(&dotted.split('.').collect::<Vec<_>>(), value);
    }

    /// Like [`Tree::push`], for names that may contain dots.
    pub(super) fn push_in(&mut self, path: &[&str], value: Self) {
        match self.at(path) {
            Some(Self::Array(items)) => items.push(value),
            Some(other) => *other = Self::Array(vec![value]),
            None => {}
        }
    }

    /// Returns the value at a path of names; anything on it that isn't an object becomes one.
    fn at(&mut self, path: &[&str]) -> Option<&mut Self> {
        let Some((name, rest)) = path.split_first() else {
            return Some(self);
        };
        if !matches!(self, Self::Object(_)) {
            *self = Self::object();
        }
        let Self::Object(members) = self else {
            return None;
        };
        let found = members.iter().position(|(member, _)| member == name);
        if found.is_none() {
            members.push(((*name).to_owned(), Self::object()));
        }
        let index = found.unwrap_or(members.len().saturating_sub(1));
        members.get_mut(index)?.1.at(rest)
    }

    /// Returns the value at a dotted path, if any.
    pub(super) fn get_mut(&mut self, dotted: &str) -> Option<&mut Self> {
        dotted.split('.').try_fold(self, |tree, name| match tree {
            Self::Object(members) => {
                let mut members = members.iter_mut();
                members
                    .find(|(member, _)| member == name)
                    .map(|(_, value)| value)
            }
            _ => None,
        })
    }

    /// Returns the JSON text of a member.
    pub(super) fn member(&self, name: &str) -> Option<&str> {
        let Self::Object(members) = self else {
            return None;
        };
        let found = members.iter().find(|(member, _)| member == name)?;
        match &found.1 {
            Self::Raw(text) => Some(text),
            _ => None,
        }
    }

    /// Writes the JSON on one line; values that are already text are copied.
    pub(super) fn compact(&self) -> String {
        let mut json = String::new();
        self.push_to(&mut json);
        json
    }

    fn push_to(&self, json: &mut String) {
        match self {
            Self::Raw(text) => json.push_str(text),
            Self::Array(items) => {
                json.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        json.push(',');
                    }
                    item.push_to(json);
                }
                json.push(']');
            }
            Self::Object(members) => {
                json.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        json.push(',');
                    }
                    json.push_str(&quote(name));
                    json.push(':');
                    value.push_to(json);
                }
                json.push('}');
            }
        }
    }

    /// Writes the JSON, indented by two spaces.
    pub(super) fn pretty(&self) -> String {
        let mut json = String::new();
        self.write(0, &mut json);
        json.push('\n');
        json
    }

    fn write(&self, depth: usize, json: &mut String) {
        let inner = depth.saturating_add(1);
        let line = |depth: usize, json: &mut String| {
            json.push('\n');
            json.push_str(&"  ".repeat(depth));
        };
        match self {
            Self::Raw(text) => json.push_str(text),
            Self::Array(items) if items.is_empty() => json.push_str("[]"),
            Self::Object(members) if members.is_empty() => json.push_str("{}"),
            Self::Array(items) => {
                json.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        json.push(',');
                    }
                    line(inner, json);
                    item.write(inner, json);
                }
                line(depth, json);
                json.push(']');
            }
            Self::Object(members) => {
                json.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        json.push(',');
                    }
                    line(inner, json);
                    json.push_str(&quote(name));
                    json.push_str(": ");
                    value.write(inner, json);
                }
                line(depth, json);
                json.push('}');
            }
        }
    }
}

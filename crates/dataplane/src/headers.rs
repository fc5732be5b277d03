//! Request headers, and the changes that rules make to headers of requests and responses.
//!
//! The promise: headers stay in the platform's objects; they are read by name on demand, and changes form a short list
//! that the adapter applies in order. Names are in lower case throughout.

mod moves;

pub use moves::Moves;
use std::rc::Rc;

/// The platform's headers of a request.
pub trait HeaderSource {
    /// The value of a header, by its name in lower case; several values are joined with `, `.
    fn get(&self, name: &str) -> Option<String>;
}

/// Headers given as a list: those of a batch item.
#[derive(Clone, Debug, Default)]
pub struct Fields(pub Vec<(String, String)>);

impl HeaderSource for Fields {
    fn get(&self, name: &str) -> Option<String> {
        let named = self.0.iter().filter(|(known, _)| known == name);
        let values: Vec<&str> = named.map(|(_, value)| value.as_str()).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }
}

/// Changes to the headers of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderEdits {
    edits: Vec<(String, Option<String>)>,
}

impl HeaderEdits {
    /// Sets a header to one value, replacing all those received.
    pub fn set(&mut self, name: &str, value: String) {
        self.put(name, Some(value));
    }

    /// Removes a header.
    pub fn remove(&mut self, name: &str) {
        self.put(name, None);
    }

    fn put(&mut self, name: &str, value: Option<String>) {
        let name = name.to_ascii_lowercase();
        match self.edits.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.edits.push((name, value)),
        }
    }

    /// The new value of a changed header; `Some(None)` if it is removed.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Option<&str>> {
        let found = self.edits.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_deref())
    }

    /// The changed headers, in the order of their first change.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.edits
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_deref()))
    }
}

/// The headers of one pass through a chain: the platform's, with the changes of preceding chains (if the request
/// loops).
#[derive(Clone)]
pub struct Headers {
    source: Rc<dyn HeaderSource>,
    changed: Rc<HeaderEdits>,
}

impl std::fmt::Debug for Headers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Headers")
            .field("changed", &self.changed)
            .finish_non_exhaustive()
    }
}

impl Headers {
    /// Wraps headers as received.
    #[must_use]
    pub fn new(source: Rc<dyn HeaderSource>) -> Self {
        Self {
            source,
            changed: Rc::default(),
        }
    }

    /// The headers after these changes.
    #[must_use]
    pub fn with(&self, changed: HeaderEdits) -> Self {
        Self {
            source: Rc::clone(&self.source),
            changed: Rc::new(changed),
        }
    }

    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        match self.changed.get(name) {
            Some(value) => value.map(str::to_owned),
            None => self.source.get(name),
        }
    }

    /// The changes of preceding chains.
    #[must_use]
    pub fn changed(&self) -> &HeaderEdits {
        &self.changed
    }
}

/// Whether a text is a valid name of a header, or a valid method (`token` of RFC 9110 section 5.6.2).
#[must_use]
pub fn is_name(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_token)
}

/// A header's name with each part capitalised, as in `Content-Type`.
#[must_use]
pub fn canonical(name: &str) -> String {
    let mut first = true;
    let letter = |letter: char| {
        let canonical = if first {
            letter.to_ascii_uppercase()
        } else {
            letter.to_ascii_lowercase()
        };
        first = letter == '-';
        canonical
    };
    name.chars().map(letter).collect()
}

/// Makes a text valid as a response header's value: replaces line breaks by spaces and trims it.
#[must_use]
pub fn answer_value(text: &str) -> String {
    let text = text.replace(['\r', '\n', '\0'], " ");
    text.trim_matches([' ', '\t']).to_owned()
}

/// Sets a header in a list to one value.
pub fn set(headers: &mut Vec<(String, String)>, name: &str, value: &str) {
    headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
    headers.push((name.to_owned(), value.to_owned()));
}

/// A change of a response's headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerEdit {
    /// Removes all values.
    Remove(String),
    /// Replaces all values.
    Set(String, String),
    /// Adds a value before existing ones, in a single list (`Vary`).
    Prepend(String, String),
    /// Rewrites the address in the header to its public form.
    Move(String, Moves),
}

impl AnswerEdit {
    /// The header's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Remove(name)
            | Self::Set(name, _)
            | Self::Prepend(name, _)
            | Self::Move(name, _) => name,
        }
    }

    /// The new value.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Remove(_) => None,
            Self::Set(_, value) | Self::Prepend(_, value) => Some(value),
            Self::Move(_, moves) => Some(moves.public()),
        }
    }

    /// Applies it to the headers of an answer that the gateway gives itself; to an upstream's, `worker/src/headers.js`
    /// applies it.
    pub fn apply(&self, headers: &mut Vec<(String, String)>) {
        let name = self.name();
        match self {
            Self::Remove(_) => headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name)),
            Self::Set(_, value) => set(headers, name, value),
            // An answer of the gateway itself names no address of the upstream.
            Self::Move(..) => {}
            Self::Prepend(_, value) => {
                match headers
                    .iter_mut()
                    .find(|(known, _)| known.eq_ignore_ascii_case(name))
                {
                    Some((_, known)) => *known = format!("{value}, {known}"),
                    None => headers.push((name.to_owned(), value.clone())),
                }
            }
        }
    }
}

//! The view in which a document is edited. It is part of the address, along with the page of the form; without it, the
//! last choice for the kind of document applies.

use super::query_string::{join, pairs};
use super::storage;

const KEY: &str = "gatewright.view";

/// The kinds of document with too many members to go through in a form.
const LARGE: [&str; 3] = ["api_definition", "openapi_api", "mcp_proxy"];

/// A view of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The text.
    #[default]
    Json,
    /// The form.
    Form,
}

impl View {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 2] = [Self::Json, Self::Form];

    /// Returns the word for it in addresses and in the storage.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Form => "form",
        }
    }

    /// Returns its label.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Form => "Form",
        }
    }

    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.word() == word)
    }

    /// Returns the default view of a kind of document, which is given in the words of the model's `Root`.
    #[must_use]
    pub fn first(root: &str) -> Self {
        if LARGE.contains(&root) {
            Self::Json
        } else {
            Self::Form
        }
    }

    /// Returns the last choice for a kind of document.
    #[must_use]
    pub fn stored(root: &str) -> Self {
        let word = storage::browser_get(&key(root)).unwrap_or_default();
        Self::of(&word).unwrap_or_else(|| Self::first(root))
    }

    /// Stores the choice for a kind of document.
    pub fn keep(self, root: &str) {
        storage::browser_set(&key(root), Some(self.word()));
    }
}

fn key(root: &str) -> String {
    format!("{KEY}.{root}")
}

/// Reads the view and the pointer of the form's page from a query string.
#[must_use]
pub fn read(query: &str) -> (Option<View>, String) {
    let (mut view, mut at) = (None, String::new());
    for (name, value) in pairs(query) {
        match name.as_str() {
            "view" => view = View::of(&value),
            "at" => at = value,
            _ => {}
        }
    }
    (view, at)
}

/// Returns the address of a view of the document at `path`.
#[must_use]
pub fn address(path: &str, view: View, at: &str) -> String {
    let query = join(&[("view", view.word().to_owned()), ("at", at.to_owned())]);
    format!("{path}?{query}")
}

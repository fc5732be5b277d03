//! Edits of the table as edits of the patch, which keeps its layout and whatever else it says.

use gatewright_model::json::pointer::push_token;
use gatewright_model::json::{Kind, edit, parse, quote};

use super::{MAPPINGS, NOTHING, SCOPES};
use crate::state::pretty::pretty;

/// An edit in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Lets a scope lead to a policy.
    Set {
        /// The API.
        api_id: String,
        /// The scope.
        scope: String,
        /// The policy.
        policy: String,
    },
    /// Takes a scope away.
    Remove {
        /// The API.
        api_id: String,
        /// The scope.
        scope: String,
    },
    /// Leaves a scope as it is stored.
    Keep {
        /// The API.
        api_id: String,
        /// The scope.
        scope: String,
    },
    /// Adds a mapping without scopes.
    Add {
        /// The API.
        api_id: String,
    },
    /// Takes a whole mapping away.
    RemoveAll {
        /// The API.
        api_id: String,
    },
    /// Leaves a mapping as it is stored.
    KeepAll {
        /// The API.
        api_id: String,
    },
}

/// The patch after an edit in the table. A patch that is not right is left as it is.
#[must_use]
pub fn edited(document: &str, patch: &str, edit: &Edit) -> String {
    let stored = parse(document).ok();
    let stored = |api_id: &str| {
        let mappings = stored.as_ref().and_then(|stored| stored.get(MAPPINGS));
        mappings.and_then(|mappings| mappings.get(api_id))
    };
    let policy = |api_id: &str, scope: &str| {
        let scopes = stored(api_id).and_then(|mapping| mapping.get(SCOPES));
        scopes.and_then(|scopes| scopes.str(scope))
    };
    let edited = match edit {
        Edit::Set {
            api_id,
            scope,
            policy: wanted,
        } => {
            if policy(api_id, scope) == Some(wanted) {
                without(patch, api_id, Some(scope), stored(api_id).is_some())
            } else {
                with_scope(patch, api_id, scope, &quote(wanted))
            }
        }
        Edit::Remove { api_id, scope } if policy(api_id, scope).is_some() => {
            with_scope(patch, api_id, scope, "null")
        }
        Edit::Remove { api_id, scope } | Edit::Keep { api_id, scope } => {
            without(patch, api_id, Some(scope), stored(api_id).is_some())
        }
        Edit::Add { api_id } => with(patch, &[api_id, SCOPES], NOTHING),
        Edit::RemoveAll { api_id } if stored(api_id).is_some() => with(patch, &[api_id], "null"),
        Edit::RemoveAll { api_id } | Edit::KeepAll { api_id } => without(patch, api_id, None, true),
    };
    edited.unwrap_or_else(|| patch.to_owned())
}

/// A member of the patch set; objects on the way are made, also where something else stands.
fn with(patch: &str, path: &[&str], json: &str) -> Option<String> {
    let mut text = patch.to_owned();
    let mut pointer = String::new();
    for token in path {
        let blocked = parse(&text)
            .ok()?
            .pointer(&pointer)
            .is_some_and(|value| !matches!(value.kind, Kind::Object(_)));
        if blocked {
            text = edit::set(&text, &pointer, NOTHING).ok()?;
        }
        push_token(&mut pointer, token);
    }
    laid_out(edit::set(&text, &pointer, json).ok()?)
}

fn with_scope(patch: &str, api_id: &str, scope: &str, json: &str) -> Option<String> {
    with(patch, &[api_id, SCOPES, scope], json)
}

/// The patch without what it says about a scope or a whole mapping. What is left empty goes as well,
/// unless the mapping is new (`stored` is false): it is there because the patch says so.
fn without(patch: &str, api_id: &str, scope: Option<&str>, stored: bool) -> Option<String> {
    let mut pointer = String::new();
    push_token(&mut pointer, api_id);
    let mapping = pointer.clone();
    let Some(scope) = scope else {
        return laid_out(edit::remove(patch, &mapping).ok()?);
    };
    push_token(&mut pointer, SCOPES);
    let scopes = pointer.clone();
    push_token(&mut pointer, scope);
    let mut text = edit::remove(patch, &pointer).unwrap_or_else(|_| patch.to_owned());
    for outer in [scopes, mapping] {
        let value = parse(&text).ok()?;
        let empty = value.pointer(&outer).is_some_and(
            |value| matches!(&value.kind, Kind::Object(members) if members.is_empty()),
        );
        if empty && stored {
            text = edit::remove(&text, &outer).ok()?;
        }
    }
    laid_out(text)
}

/// A text on one line is laid out; one with lines has kept its layout.
fn laid_out(text: String) -> Option<String> {
    if text.contains('\n') && text.trim() != NOTHING {
        Some(text)
    } else {
        pretty(&text)
    }
}

//! Edits in the table, applied to the patch, which keeps its formatting and everything else in it.

use gatewright_model::json::pointer::push_token;
use gatewright_model::json::{Kind, edit, parse, quote};

use super::{MAPPINGS, NOTHING, SCOPES};
use crate::state::pretty::pretty;

/// An edit in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Maps a scope to a policy.
    Set {
        /// The API.
        api_id: String,
        /// The scope.
        scope: String,
        /// The policy.
        policy: String,
    },
    /// Removes a scope.
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
    /// Removes a mapping completely.
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

/// Returns the patch after an edit in the table. An invalid patch is left unchanged.
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

/// Sets a member of the patch; missing parent objects are created, replacing anything that is not an object.
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

/// Removes a scope or a whole mapping from the patch. Objects that become empty are removed as well, unless the mapping
/// is new (`stored` is false): it exists only because the patch mentions it.
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

/// Formats a text that is on one line; one with several lines keeps its formatting.
fn laid_out(text: String) -> Option<String> {
    if text.contains('\n') && text.trim() != NOTHING {
        Some(text)
    } else {
        pretty(&text)
    }
}

//! Response bodies about keys and the sessions of organisations.

use crate::message::Action;
use gatewright_model::issue::Issue;
use serde::{Deserialize, Serialize};

/// Whether a key can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// It can be used.
    Active,
    /// Its `is_inactive` is set.
    Inactive,
    /// Its `expires` has passed.
    Expired,
}

/// The response to a write of a key (reference 1.6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyWritten {
    /// The token if it is new, shown only this once; otherwise what the path named, which may be nothing.
    pub key: String,
    /// Always `ok`.
    pub status: String,
    /// What was done: `added`, `modified`, `deleted`, or `updated` for its policies.
    pub action: String,
    /// The hash under which the token is stored.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key_hash: String,
    /// Warnings about the session; it was stored all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// Present and true if nothing was stored because of `?dry_run=true`; then there is no token either.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl KeyWritten {
    /// Creates the response to a completed write.
    #[must_use]
    pub fn of(key: &str, action: Action) -> Self {
        let action = match action {
            Action::Added => "added",
            Action::Modified | Action::Restored => "modified",
            Action::Deleted => "deleted",
        };
        Self {
            key: key.to_owned(),
            status: "ok".to_owned(),
            action: action.to_owned(),
            key_hash: String::new(),
            issues: Vec::new(),
            dry_run: false,
        }
    }
}

/// The names of all keys: `GET /gateway/keys` (reference 1.6).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyList {
    /// Hashes, or ids of organisations.
    pub keys: Vec<String>,
}

/// A row of the list of keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeySummary {
    /// The hash under which the token is stored.
    pub key_hash: String,
    /// Its organisation.
    pub org_id: String,
    /// Its display name.
    pub alias: String,
    /// Whether it can be used.
    pub state: KeyState,
    /// When it expires, in Unix seconds; 0 means never.
    pub expires: i64,
    /// The policies applied to it.
    pub policies: Vec<String>,
    /// The APIs in its own access rights.
    pub apis: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its current revision.
    pub revision: u64,
    /// When it was created, RFC 3339.
    pub created_at: String,
    /// When it was last changed, RFC 3339.
    pub updated_at: String,
}

/// A page of the list of keys: `GET /gateway/keys?view=summary`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyPage {
    /// The rows.
    pub keys: Vec<KeySummary>,
    /// The number of keys on all pages.
    pub total: u32,
    /// The page, from 1.
    pub page: u32,
    /// The number of pages.
    pub pages: u32,
}

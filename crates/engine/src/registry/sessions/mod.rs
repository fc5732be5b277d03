//! Sessions: what a key, or an organisation, may do (reference sections 1.6, 1.8 and 2).
//!
//! The promise: a token is known by its hash alone; a write stores the session, its place in the
//! index, an audit entry and a notification together or not at all; and nothing here is kept in
//! memory, so that a hundred thousand keys cost what one costs.

mod compose;
mod ends;
mod over;
mod read;
mod rights;
mod write;

pub(crate) use ends::Ends;
pub(super) use {read::read, write::write};

use crate::registry::deliveries::signal::Receiver;
use crate::registry::protocol::{Guard, Reply};
use gatewright_api::dashboard::shape::Subject;
use gatewright_api::session::KeyState;
use gatewright_model::session::Session;
use serde::{Deserialize, Serialize};

/// Whose session it is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// A key, whose id is the hash of its token.
    #[default]
    Key,
    /// An organisation.
    Organisation,
}

impl Owner {
    /// What the audit trail calls it.
    #[must_use]
    pub const fn subject(self) -> Subject {
        match self {
            Self::Key => Subject::Key,
            Self::Organisation => Subject::Organisation,
        }
    }

    /// How tables and names of Ledgers call it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Organisation => "org",
        }
    }

    /// The name of the Ledger that counts for a session.
    #[must_use]
    pub fn ledger(self, id: &str) -> String {
        format!("{}:{id}", self.word())
    }
}

/// What to do with a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Read the first of `ids` that there is.
    #[default]
    Find,
    /// Store the text behind the line under the first of `ids`.
    Put,
    /// Apply the policies to the text behind the line; nothing is stored.
    Apply,
    /// Look whether the rights in the text behind the line, of a session or a policy, fit their APIs.
    Check,
    /// Remove the first of `ids` that there is.
    Remove,
    /// A page of the index.
    List,
}

/// A command about sessions. One shape for all of them: each more would cost the worker the code
/// that reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionAsk {
    /// Whose session.
    pub owner: Owner,
    /// What to do.
    pub act: Act,
    /// Hashes or organisations, in the order in which they are tried.
    pub ids: Vec<String>,
    /// For [`Act::Put`]: the session must exist.
    pub update: bool,
    /// For [`Act::Put`]: the counters start anew (reference 1.6, without `suppress_reset`).
    pub reset: bool,
    /// For [`Act::Put`]: a session may open every API (`ALLOW_MASTER_KEYS`).
    pub master: bool,
    /// The conditions of a write.
    pub guard: Guard,
    /// For [`Act::List`].
    pub query: SessionQuery,
    /// The handlers of definitions that hear of a write.
    pub receivers: Vec<Receiver>,
}

impl SessionAsk {
    /// Asks for the first session of these that there is.
    #[must_use]
    pub fn find(owner: Owner, ids: Vec<String>) -> Self {
        Self {
            owner,
            ids,
            ..Self::default()
        }
    }

    /// True for a command that stores something.
    #[must_use]
    pub const fn writes(&self) -> bool {
        matches!(self.act, Act::Put | Act::Remove)
    }
}

/// How a page of the index is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionQuery {
    /// The beginning of an id, or a whole organisation (reference 1.6, `filter`).
    pub filter: String,
    /// Part of an alias, an id or a tag; any case.
    pub search: String,
    /// Only with access to this API, by the session's own rights.
    pub api: Option<String>,
    /// Only with this policy.
    pub policy: Option<String>,
    /// Only with this tag.
    pub tag: Option<String>,
    /// Only these; empty for all.
    pub ids: Vec<String>,
    /// Only in this state.
    pub state: Option<KeyState>,
    /// The order.
    pub sort: SessionSort,
    /// True for the reverse order.
    pub descending: bool,
    /// The page, from 1; `None` for all on one.
    pub page: Option<u32>,
    /// Rows a page.
    pub per_page: u32,
    /// True for what is known of each session instead of its id alone.
    pub summary: bool,
    /// What counts as now, Unix milliseconds; filled in by the Registry.
    pub now: u64,
}

/// The member that orders the index. Ties are broken by id, so pages never overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the sorted members")]
pub enum SessionSort {
    Alias,
    CreatedAt,
    #[default]
    UpdatedAt,
    Expires,
}

/// What is stored about a session besides its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionRow {
    /// Whose it is.
    pub owner: Owner,
    /// The hash of the token, or the organisation.
    pub id: String,
    /// Its newest revision. Numbers are never used twice, not even after a deletion, because
    /// isolates know sessions by them.
    pub revision: u64,
    /// The revision that let its counters start anew.
    pub reset: u64,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// When it was changed last, RFC 3339.
    pub updated_at: String,
    /// What its text says.
    pub facts: SessionFacts,
}

impl SessionRow {
    /// Whether it can be used at a time in Unix milliseconds.
    #[must_use]
    pub const fn state(&self, now: u64) -> KeyState {
        if self.facts.inactive {
            KeyState::Inactive
        } else if self.facts.expires > 0 && self.facts.expires.unsigned_abs() <= now / 1000 {
            KeyState::Expired
        } else {
            KeyState::Active
        }
    }

    /// Whether its record has ended at a time in Unix milliseconds.
    #[must_use]
    pub const fn is_over(&self, now: u64) -> bool {
        self.facts.ends > 0 && self.facts.ends <= now
    }

    /// What the Registry answers about it.
    pub(super) fn reply(self) -> Reply {
        Reply::Session {
            id: self.id,
            revision: self.revision,
            reset: self.reset,
            ends: self.facts.ends,
        }
    }
}

/// What a session says about itself, as far as lists need it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the members are those of the session")]
pub struct SessionFacts {
    /// From when on it is as if it had been deleted, Unix milliseconds; 0 for never.
    pub ends: u64,
    pub org_id: String,
    pub alias: String,
    pub expires: i64,
    pub inactive: bool,
    pub policies: Vec<String>,
    pub apis: Vec<String>,
    pub tags: Vec<String>,
}

impl SessionFacts {
    /// Those of a session.
    #[must_use]
    pub fn of(session: Session) -> Self {
        let apis = session.access_rights.into_iter();
        Self {
            ends: 0,
            org_id: session.org_id,
            alias: session.alias,
            expires: session.expires.max(0),
            inactive: session.is_inactive,
            policies: session.policies,
            apis: apis.map(|(api, _)| api).collect(),
            tags: session.tags,
        }
    }
}

//! The Registry's commands about sessions.

use crate::registry::Guard;
use crate::signal::Receiver;
use gatewright_api::dashboard::shape::Subject;
use gatewright_api::session::KeyState;
use serde::{Deserialize, Serialize};

/// For how many milliseconds an isolate remembers that a token is no key, from when it has asked.
pub const REMEMBERED_MS: u64 = 2000;

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
    /// Move the session under the first of `ids` to the second, so that the key it was is none any more.
    Rotate,
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
    /// For [`Act::Find`]: who asks remembers for [`REMEMBERED_MS`] that there is none.
    pub remembers: bool,
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
    /// What a write is called where its Ledger holds the session for it; empty for one that no Ledger does.
    pub hold: String,
    /// For [`Act::Find`]: the writes that a Ledger has waited for too long; from now on they are refused.
    pub given_up: Vec<String>,
    /// For [`Act::Put`]: the answer warns of rights for versions that their APIs do not have, as
    /// [`Act::Check`] does.
    pub checks: bool,
    /// For [`Act::Put`] of the session of an OAuth token: what it is issued for, JSON of an
    /// [`OauthGrant`](crate::oauth::OauthGrant); empty for every other one.
    pub grant: String,
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

    /// Asks for the session of a token that may be stored under these hashes, for an isolate, which remembers
    /// if there is none.
    #[must_use]
    pub fn meet(hashes: Vec<String>) -> Self {
        Self {
            remembers: true,
            ..Self::find(Owner::Key, hashes)
        }
    }

    /// True for a command that stores something.
    #[must_use]
    pub const fn writes(&self) -> bool {
        matches!(self.act, Act::Put | Act::Remove | Act::Rotate)
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
    /// Only with access to this API, by the session's own rights or by a policy.
    pub api: Option<String>,
    /// The policies that grant access to that API; filled in by the Registry.
    pub policies_of_api: Vec<String>,
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
    /// Only those that are bound to this certificate.
    pub certificate: Option<String>,
    /// For a whole list of ids that is read in pages: only ids behind this one, in their order. Before the text
    /// stands a line with what the next page is behind, empty for none. `None` for a list in one piece.
    pub behind: Option<String>,
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

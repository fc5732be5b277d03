//! The Registry's commands about sessions.

use crate::registry::Guard;
use crate::signal::Receiver;
use gatewright_api::dashboard::shape::Subject;
use gatewright_api::session::KeyState;
use serde::{Deserialize, Serialize};

/// How long an isolate remembers that a token is not a key, in milliseconds from when it asked.
pub const REMEMBERED_MS: u64 = 2000;

/// The owner of a session.
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
    /// Returns its subject in the audit trail.
    #[must_use]
    pub const fn subject(self) -> Subject {
        match self {
            Self::Key => Subject::Key,
            Self::Organisation => Subject::Organisation,
        }
    }

    /// Returns its name in tables and in names of Ledgers.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Organisation => "org",
        }
    }

    /// Returns the owner with this name in tables and in names of Ledgers.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let owners = [Self::Key, Self::Organisation];
        owners.into_iter().find(|owner| owner.word() == word)
    }

    /// Returns the name of the Ledger that counts for a session.
    #[must_use]
    pub fn ledger(self, id: &str) -> String {
        format!("{}:{id}", self.word())
    }
}

/// What to do with a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Read the first existing one of `ids`.
    #[default]
    Find,
    /// Store the text after the line under the first of `ids`.
    Put,
    /// Apply the policies to the text after the line; nothing is stored.
    Apply,
    /// Check whether the access rights in the text after the line, of a session or a policy, match their APIs.
    Check,
    /// Remove the first existing one of `ids`.
    Remove,
    /// List a page of the index.
    List,
    /// Move the session from the first of `ids` to the second, so that the old key no longer exists.
    Rotate,
}

/// A command about sessions. One shape for all of them: each further shape would cost the worker the code to read it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionAsk {
    /// The owner of the session.
    pub owner: Owner,
    /// What to do.
    pub act: Act,
    /// Hashes or organisations, in the order in which they are tried.
    pub ids: Vec<String>,
    /// For [`Act::Find`]: whether the caller remembers for [`REMEMBERED_MS`] that there is no such session.
    pub remembers: bool,
    /// For [`Act::Put`]: the session must exist.
    pub update: bool,
    /// For [`Act::Put`]: whether the counters are reset (reference 1.6, without `suppress_reset`).
    pub reset: bool,
    /// For [`Act::Put`]: whether a session may have access to every API (`ALLOW_MASTER_KEYS`).
    pub master: bool,
    /// The preconditions of a write.
    pub guard: Guard,
    /// For [`Act::List`]: the filter, order and page.
    pub query: SessionQuery,
    /// The handlers of definitions that are notified of a write.
    pub receivers: Vec<Receiver>,
    /// From a release whose Ledgers held a session during its write: the name of that write. It is ignored.
    pub hold: String,
    /// From the same release, for [`Act::Find`]: the writes that its Ledger has stopped waiting for. They are ignored.
    pub given_up: Vec<String>,
    /// For [`Act::Put`]: whether the reply warns of access rights for versions that their APIs don't have, as
    /// [`Act::Check`] does.
    pub checks: bool,
    /// For [`Act::Put`] of an OAuth token's session: what the token is issued for, the JSON of an
    /// [`OauthGrant`](crate::oauth::OauthGrant); otherwise empty.
    pub grant: String,
    /// For [`Act::Put`]: the id comes from a token that has just been generated, so none is looked up; if there is one all
    /// the same, the write fails.
    pub generated: bool,
    /// For [`Act::Find`]: the value of `LEDGER_SHARDS` of a Ledger that keeps sessions and asks about one that it doesn't
    /// have. Only then [`Refusal::Settled`](crate::registry::Refusal::Settled) and
    /// [`Refusal::Kept`](crate::registry::Refusal::Kept) are replies.
    pub shards: Option<u32>,
}

impl SessionAsk {
    /// Creates a query for the first existing session of these.
    #[must_use]
    pub fn find(owner: Owner, ids: Vec<String>) -> Self {
        Self {
            owner,
            ids,
            ..Self::default()
        }
    }

    /// Creates a query for the session of a token that may be stored under these hashes, for an isolate, which
    /// remembers if there is none.
    #[must_use]
    pub fn meet(hashes: Vec<String>) -> Self {
        Self {
            remembers: true,
            ..Self::find(Owner::Key, hashes)
        }
    }

    /// Returns the name of the Ledger that is asked for the session first: that of the hash under which the token is or
    /// would be stored. A custom id would be stored in the default form, which is the second that is tried.
    #[must_use]
    pub fn ledger(&self) -> String {
        let id = self.ids.iter().take(2).next_back();
        self.owner.ledger(id.map_or("", String::as_str))
    }

    /// Whether the command stores something.
    #[must_use]
    pub const fn writes(&self) -> bool {
        matches!(self.act, Act::Put | Act::Remove | Act::Rotate)
    }
}

/// The filter, order and page of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionQuery {
    /// The start of an id, or the full name of an organisation (reference 1.6, `filter`).
    pub filter: String,
    /// Part of an alias, an id or a tag, case-insensitive.
    pub search: String,
    /// Only sessions with access to this API, by their own access rights or by a policy.
    pub api: Option<String>,
    /// The policies that grant access to that API; filled in by the Registry.
    pub policies_of_api: Vec<String>,
    /// Only sessions with this policy.
    pub policy: Option<String>,
    /// Only sessions with this tag.
    pub tag: Option<String>,
    /// Only these ids; empty for all.
    pub ids: Vec<String>,
    /// Only sessions in this state.
    pub state: Option<KeyState>,
    /// The order.
    pub sort: SessionSort,
    /// Whether to reverse the order.
    pub descending: bool,
    /// The page, from 1; `None` for all rows on one page.
    pub page: Option<u32>,
    /// Rows per page.
    pub per_page: u32,
    /// Whether to return a summary of each session instead of its id alone.
    pub summary: bool,
    /// The current time, in Unix milliseconds; filled in by the Registry.
    pub now: u64,
    /// Only sessions bound to this certificate.
    pub certificate: Option<String>,
    /// For a complete list of ids that is read in pages: only ids after this one, in order. A line before the text says
    /// after which id the next page starts, empty for none. `None` for a list in one piece.
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

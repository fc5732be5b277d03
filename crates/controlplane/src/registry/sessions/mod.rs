//! Sessions: what a key, or an organisation, may do (reference sections 1.6, 1.8 and 2).
//!
//! The promise: a token is known only by its hash; a write stores the session, its index row, an audit entry and a
//! notification together or not at all; and nothing here is held in memory, so a hundred thousand keys cost no more
//! memory than one.

mod applied;
mod aside;
mod compose;
mod ends;
mod over;
mod read;
mod rights;
mod rotate;
mod write;

pub(crate) use ends::Ends;
pub(super) use {read::may_count, read::read, write::write};

use gatewright_api::session::KeyState;
use gatewright_model::json::{self, Value};
use gatewright_model::session::Session;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Aside, Reply};
use gatewright_protocol::sessions::Owner;
use serde::{Deserialize, Serialize};

/// A session or a policy that is being written, parsed once, because parsing takes as long as a statement.
pub(super) struct Sent<'a> {
    /// The text as it was sent.
    pub(super) text: &'a str,
    pub(super) value: Value<'a>,
    pub(super) session: Session,
}

impl<'a> Sent<'a> {
    /// Parses a session.
    ///
    /// # Errors
    /// If the text is not JSON, which the caller has ruled out.
    pub(super) fn read(text: &'a str) -> Result<Self, StoreError> {
        let value = json::parse(text).map_err(|_| StoreError::new("read session", "no JSON"))?;
        let session = Session::read(text, &value);
        Ok(Self {
            text,
            value,
            session,
        })
    }
}

/// What is stored about a session besides its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionRow {
    /// The kind of owner.
    pub owner: Owner,
    /// The hash of the token, or the organisation.
    pub id: String,
    /// Its newest revision. Numbers are never reused, not even after a deletion, because isolates identify sessions by
    /// them.
    pub revision: u64,
    /// The revision that last reset its counters.
    pub reset: u64,
    /// When it was created, RFC 3339.
    pub created_at: String,
    /// When it was last changed, RFC 3339.
    pub updated_at: String,
    /// Facts about its text.
    pub facts: SessionFacts,
}

impl SessionRow {
    /// Returns whether it can be used at a time in Unix milliseconds.
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

    /// Builds the Registry's reply about it.
    pub(super) fn reply(self) -> Reply {
        self.reply_with(Aside::default())
    }

    /// Builds the reply with side effects and warnings.
    pub(super) fn reply_with(self, aside: Aside) -> Reply {
        let Self { id, facts, .. } = self;
        Reply::Session {
            id,
            revision: self.revision,
            reset: self.reset,
            ends: facts.ends,
            aside,
        }
    }
}

/// Facts about a session that lists need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the members are those of the session")]
pub struct SessionFacts {
    /// The time from which it counts as deleted, in Unix milliseconds; 0 for never.
    pub ends: u64,
    pub org_id: String,
    pub alias: String,
    pub expires: i64,
    pub inactive: bool,
    pub policies: Vec<String>,
    pub apis: Vec<String>,
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub certificates: Vec<String>,
}

impl SessionFacts {
    /// Extracts the facts of a session.
    #[must_use]
    pub fn of(session: Session) -> Self {
        let apis = session.access_rights.into_iter();
        let own = Some(session.certificate).filter(|id| !id.is_empty());
        let mut certificates = session.certificate_bindings;
        certificates.extend(own);
        Self {
            ends: 0,
            org_id: session.org_id,
            alias: session.alias,
            expires: session.expires.max(0),
            inactive: session.is_inactive,
            policies: session.policies,
            apis: apis.map(|(api, _)| api).collect(),
            tags: session.tags,
            certificates,
        }
    }
}

//! The tables of the Registry as a synchronous port: SQLite in a Durable Object answers at once.

use crate::registry::deliveries::secret::HookSecrets;
use crate::registry::index::Facts;
use crate::registry::records::RecordFacts;
use crate::registry::sessions::SessionRow;
use gatewright_api::dashboard::delivery::Delivery;
use gatewright_api::dashboard::shape::{AuditEntry, Credential, Notice};
use gatewright_api::message::Action;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::{AuditFilter, Kind};
use gatewright_protocol::sessions::{Owner, SessionQuery};
use serde::{Deserialize, Serialize};

/// What is stored about an API definition besides its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The API's id.
    pub id: String,
    /// The newest revision.
    pub revision: u64,
    /// True if that revision is a deletion.
    pub deleted: bool,
    /// The revision that the last reload published, if it holds any.
    pub published: Option<u64>,
    /// When the newest revision was stored, RFC 3339.
    pub updated_at: String,
    /// What the newest text says.
    pub facts: Facts,
}

/// What is stored about a document of the dashboard besides its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it is.
    pub kind: Kind,
    /// The internal id: 24 hexadecimal digits.
    pub id: String,
    /// The organisation it belongs to.
    pub org: String,
    /// The newest revision.
    pub revision: u64,
    /// True if that revision is a deletion.
    pub deleted: bool,
    /// When the first revision was stored, RFC 3339.
    pub created_at: String,
    /// When the newest revision was stored, RFC 3339.
    pub updated_at: String,
    /// What the newest text says.
    pub facts: RecordFacts,
}

/// What is stored about a delivery. Webhook and notification together are its key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryRow {
    /// Its number, over all webhooks.
    pub number: u64,
    /// The internal id of the webhook.
    pub hook: String,
    /// The organisation of both.
    pub org: String,
    /// Attempts since it was made due, more than its log may hold.
    pub tries: u32,
    /// What its log shows.
    pub delivery: Delivery,
}

/// What a revision of a dashboard document holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// The whole text.
    Text(&'a str),
    /// The merge patch (RFC 7386) that leads here from the revision before: a patch of a few bytes
    /// must not cost a copy of a document of many.
    Patch(&'a str),
    /// Nothing: a deletion.
    Gone,
}

/// A stored [`Body`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredBody {
    /// The whole text.
    Text(String),
    /// A merge patch on the revision before.
    Patch(String),
}

/// One change of the tables.
#[derive(Clone, Debug)]
pub enum Change<'a> {
    /// A new revision of an API definition; the entry's revision is its number.
    Definition {
        /// The entry after the write.
        entry: Entry,
        /// What the write does.
        action: Action,
        /// The document; `None` for a deletion.
        text: Option<&'a str>,
    },
    /// Which revision of an API definition is published now.
    Published {
        /// The API's id.
        id: &'a str,
        /// The revision, if any.
        revision: Option<u64>,
    },
    /// A value of the bookkeeping.
    Value {
        /// Its name.
        name: &'a str,
        /// The value.
        value: &'a str,
    },
    /// A new revision of a dashboard document; the record's revision is its number.
    Record {
        /// The record after the write.
        record: Record,
        /// What the write does.
        action: Action,
        /// What the revision holds.
        body: Body<'a>,
    },
    /// A credential is new, or not what it was.
    Credential {
        /// The credential.
        credential: Credential,
        /// SHA-256 of its token, in hexadecimal digits.
        hash: &'a str,
    },
    /// A notification; its number is the next one of its organisation.
    Notice {
        /// Its organisation.
        org: &'a str,
        /// The notification.
        notice: Notice,
    },
    /// An entry of the audit trail.
    Audit(AuditEntry),
    /// A delivery is new, or not what it was.
    Delivery(DeliveryRow),
    /// Whatever waits for a webhook is given up.
    StopDeliveries {
        /// The internal id of the webhook.
        hook: &'a str,
    },
    /// Ended deliveries of a webhook that are older than its newest `keep` are forgotten.
    TrimDeliveries {
        /// The internal id of the webhook.
        hook: &'a str,
        /// How many are kept.
        keep: u32,
    },
    /// A handler is not told the same again until then, Unix milliseconds.
    Quiet {
        /// Handler and event.
        name: String,
        /// The time.
        until: u64,
    },
    /// Notifications of an organisation up to this number are forgotten with their deliveries, but
    /// for those that still wait to be delivered.
    TrimNotices {
        /// The organisation.
        org: &'a str,
        /// The number.
        upto: u64,
    },
    /// The secrets that sign a webhook's calls.
    Secrets {
        /// The internal id of the webhook.
        hook: &'a str,
        /// The secrets.
        secrets: HookSecrets,
    },
    /// A session is new, or not what it was.
    Session {
        /// The row after the write.
        row: SessionRow,
        /// Its text.
        text: &'a str,
    },
    /// A session is gone.
    SessionRemoved {
        /// Whose it was.
        owner: Owner,
        /// The hash of the token, or the organisation.
        id: &'a str,
    },
}

/// What is known about a stored revision besides its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionRow {
    /// Its number.
    pub revision: u64,
    /// What made it.
    pub action: Action,
    /// When, RFC 3339.
    pub at: String,
    /// Size of its text, or of the patch that makes it, in bytes; 0 for a deletion.
    pub bytes: u64,
}

/// Which notifications are wanted, by the name of their event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds<'a> {
    /// All.
    All,
    /// Those of this event.
    Only(&'a str),
    /// Those of every other event.
    AllBut(&'a str),
}

/// The stored rows. Every method is one statement or one transaction.
pub trait Rows {
    /// All API definitions, deleted ones included.
    ///
    /// # Errors
    /// If the table can't be read. The same holds for each method.
    fn entries(&self) -> Result<Vec<Entry>, StoreError>;
    /// The text of a revision; `None` for a deletion or an unknown one.
    fn text(&self, id: &str, revision: u64) -> Result<Option<String>, StoreError>;
    /// Revisions older than `before`, newest first.
    fn revisions(
        &self,
        id: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError>;
    /// A value of the bookkeeping.
    fn value(&self, name: &str) -> Result<Option<String>, StoreError>;
    /// All dashboard documents, deleted ones included.
    fn records(&self) -> Result<Vec<Record>, StoreError>;
    /// What makes the text of a revision: the newest whole text up to it, and the patches behind
    /// that. Empty for a deletion or an unknown revision.
    fn record_bodies(
        &self,
        kind: Kind,
        id: &str,
        revision: u64,
    ) -> Result<Vec<StoredBody>, StoreError>;
    /// Revisions of a dashboard document older than `before`, newest first.
    fn record_revisions(
        &self,
        kind: Kind,
        id: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError>;
    /// All credentials, each with the hash of its token.
    fn credentials(&self) -> Result<Vec<(String, Credential)>, StoreError>;
    /// The number of the newest notification of each organisation that has any.
    fn last_notices(&self) -> Result<Vec<(String, u64)>, StoreError>;
    /// Notifications of an organisation behind `after`, oldest first.
    fn notices(
        &self,
        org: &str,
        kinds: Kinds<'_>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Notice>, StoreError>;
    /// The number of the newest entry of the audit trail, 0 for none.
    fn last_audit(&self) -> Result<u64, StoreError>;
    /// Entries of the audit trail.
    fn audit(&self, filter: &AuditFilter) -> Result<Vec<AuditEntry>, StoreError>;
    /// The number of the newest delivery, 0 for none.
    fn last_delivery(&self) -> Result<u64, StoreError>;
    /// Webhooks with deliveries that wait.
    fn waiting_hooks(&self) -> Result<Vec<String>, StoreError>;
    /// Deliveries to a webhook that wait, earliest first.
    fn pending(&self, hook: &str, limit: u32) -> Result<Vec<DeliveryRow>, StoreError>;
    /// A delivery.
    fn delivery(&self, hook: &str, notice_id: &str) -> Result<Option<DeliveryRow>, StoreError>;
    /// Deliveries to a webhook with numbers below `before`, newest first.
    fn deliveries(
        &self,
        hook: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<DeliveryRow>, StoreError>;
    /// How many deliveries to a webhook wait.
    fn waiting(&self, hook: &str) -> Result<u64, StoreError>;
    /// Until when a handler is not told the same again, Unix milliseconds; 0 if it is.
    fn quiet(&self, name: &str) -> Result<u64, StoreError>;
    /// The secrets of a webhook.
    fn secrets(&self, hook: &str) -> Result<Option<HookSecrets>, StoreError>;
    /// A session with its text.
    fn session(&self, owner: Owner, id: &str) -> Result<Option<(SessionRow, String)>, StoreError>;
    /// A page of the index of sessions, and how many there are on all pages.
    fn sessions(
        &self,
        owner: Owner,
        query: &SessionQuery,
    ) -> Result<(Vec<SessionRow>, u32), StoreError>;
    /// Sessions of keys whose records end at a time (Unix milliseconds) or before, earliest first.
    fn ending(&self, until: u64, limit: u32) -> Result<Vec<SessionRow>, StoreError>;
    /// Makes changes, all or none.
    fn commit(&self, changes: &[Change<'_>]) -> Result<(), StoreError>;
}

//! What is written into the tables: every write of the Registry is a list of these, made together.

use super::{DeliveryRow, Entry, Older, Record, Rows};
use crate::registry::deliveries::secret::HookSecrets;
use crate::registry::sessions::SessionRow;
use gatewright_api::dashboard::shape::{AuditEntry, Credential, Notice};
use gatewright_api::message::Action;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::sessions::Owner;

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
    /// A handler is not sent the same again until then. What has ended meanwhile goes with it.
    Quiet {
        /// Handler and event.
        name: String,
        /// The time, Unix milliseconds.
        until: u64,
        /// What time it is, Unix milliseconds.
        now: u64,
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
    /// A revision of a document before its newest one.
    Older(&'a Older),
    /// Everything that is administered is gone.
    Emptied,
}

impl Rows {
    /// Makes changes, all or none.
    ///
    /// # Errors
    /// If one can't be made.
    pub fn commit(&self, changes: &[Change<'_>]) -> Result<(), StoreError> {
        self.transaction(&mut || changes.iter().try_for_each(|change| self.make(change)))
    }

    fn make(&self, change: &Change<'_>) -> Result<(), StoreError> {
        match change {
            Change::Definition {
                entry,
                action,
                text,
            } => self.put_definition(entry, *action, *text),
            Change::Published { id, revision } => self.put_published(id, *revision),
            Change::Value { name, value } => self.put_value(name, value),
            Change::Record {
                record,
                action,
                body,
            } => self.put_record(record, *action, *body),
            Change::Credential { credential, hash } => self.put_credential(credential, hash),
            Change::Notice { org, notice } => self.put_notice(org, notice),
            Change::Audit(entry) => self.put_audit(entry),
            Change::Delivery(row) => self.put_delivery(row),
            Change::StopDeliveries { hook } => self.stop_deliveries(hook),
            Change::TrimDeliveries { hook, keep } => self.trim_deliveries(hook, *keep),
            Change::Quiet { name, until, now } => self.put_quiet(name, *until, *now),
            Change::TrimNotices { org, upto } => self.trim_notices(org, *upto),
            Change::Secrets { hook, secrets } => self.put_secrets(hook, secrets),
            Change::Session { row, text } => self.put_session(row, text),
            Change::SessionRemoved { owner, id } => self.remove_session(*owner, id),
            Change::Older(older) => self.put_older(older),
            Change::Emptied => self.empty(),
        }
    }
}

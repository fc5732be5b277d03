//! The one way to write what is administered: what is stored, its entry in the audit trail, and its notification with
//! the deliveries of that.
//!
//! The promise: all of it is stored in one transaction, or nothing.

use super::Turn;
use super::deliveries::{Deliveries, announce};
use super::journal::{Deed, Journal};
use super::publish::ORGS_VERSION;
use super::records::Records;
use super::rows::Change;
use gatewright_protocol::error::StoreError;
use serde_json::Value;

/// A write that is decided on.
pub(super) struct Draft<'a> {
    /// What it does, for the trail.
    pub(super) deed: Deed<'a>,
    /// What is stored.
    pub(super) changes: Vec<Change<'a>>,
    /// What is told of it.
    pub(super) event: Option<Event>,
    /// True where isolates go by it without a reload: KV gets another list of organisations and providers then.
    pub(super) lists: bool,
}

/// What is told of a write.
pub(super) struct Event {
    /// Its name.
    pub(super) kind: &'static str,
    /// What happened.
    pub(super) data: Value,
    /// Webhooks that hear of it whether they have subscribed or not.
    pub(super) hooks: Vec<String>,
}

impl Event {
    /// One that is told to whoever has subscribed.
    pub(super) const fn new(kind: &'static str, data: Value) -> Self {
        Self {
            kind,
            data,
            hooks: Vec::new(),
        }
    }
}

impl<'a> Draft<'a> {
    /// A write that nobody is told of.
    pub(super) const fn new(deed: Deed<'a>, changes: Vec<Change<'a>>) -> Self {
        Self {
            deed,
            changes,
            event: None,
            lists: false,
        }
    }

    /// Everything that is stored with it.
    pub(super) fn with_traces(
        self,
        (journal, deliveries, records): (&mut Journal, &mut Deliveries, &Records),
        now: &str,
    ) -> Vec<Change<'a>> {
        let mut changes = self.changes;
        changes.push(journal.audit(&self.deed, now));
        if let Some(Event { kind, data, hooks }) = self.event {
            let parts = (journal, deliveries, records);
            changes.extend(announce(parts, self.deed.org, kind, data, now, &hooks));
        }
        changes
    }
}

/// Stores what is decided on.
pub(super) fn commit(turn: &mut Turn<'_>, drafts: Vec<Draft<'_>>) -> Result<(), StoreError> {
    let mut lists = false;
    let mut changes = Vec::new();
    for draft in drafts {
        lists |= draft.lists;
        let parts = (&mut *turn.journal, &mut *turn.deliveries, &*turn.records);
        changes.extend(draft.with_traces(parts, turn.now));
    }
    let version = lists.then(|| turn.orgs.next().to_string());
    changes.extend(version.as_deref().map(|value| Change::Value {
        name: ORGS_VERSION,
        value,
    }));
    turn.rows.commit(&changes)
}

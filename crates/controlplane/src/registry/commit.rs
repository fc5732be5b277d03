//! The only way administrative writes are stored: the data itself, its entry in the audit trail, and its notification
//! with the resulting deliveries.
//!
//! The promise: all of it is stored in one transaction, or nothing.

use super::Turn;
use super::deliveries::{Deliveries, announce};
use super::journal::{AuditedWrite, Journal};
use super::publish::ORGS_VERSION;
use super::records::Records;
use super::rows::Change;
use gatewright_protocol::error::StoreError;
use serde_json::Value;

/// A write that is decided on but not yet stored.
pub(super) struct Draft<'a> {
    /// The entry for the trail.
    pub(super) audited: AuditedWrite<'a>,
    /// The changes to store.
    pub(super) changes: Vec<Change<'a>>,
    /// The notification to send; `None` for none.
    pub(super) event: Option<Event>,
    /// Whether isolates depend on it without a reload: then KV gets a new list of organisations and providers.
    pub(super) lists: bool,
}

/// The notification of a write.
pub(super) struct Event {
    /// The name of the event.
    pub(super) kind: &'static str,
    /// The event's data.
    pub(super) data: Value,
    /// Webhooks that receive it whether or not they have subscribed.
    pub(super) hooks: Vec<String>,
}

impl Event {
    /// Creates an event for subscribers only.
    pub(super) const fn new(kind: &'static str, data: Value) -> Self {
        Self {
            kind,
            data,
            hooks: Vec::new(),
        }
    }
}

impl<'a> Draft<'a> {
    /// Creates a write without a notification.
    pub(super) const fn new(audited: AuditedWrite<'a>, changes: Vec<Change<'a>>) -> Self {
        Self {
            audited,
            changes,
            event: None,
            lists: false,
        }
    }

    /// Returns all changes to store: its own, the audit entry and the notification.
    pub(super) fn with_traces(
        self,
        (journal, deliveries, records): (&mut Journal, &mut Deliveries, &Records),
        now: &str,
    ) -> Vec<Change<'a>> {
        let mut changes = self.changes;
        changes.push(journal.audit(&self.audited, now));
        if let Some(Event { kind, data, hooks }) = self.event {
            let parts = (journal, deliveries, records);
            changes.extend(announce(parts, self.audited.org, kind, data, now, &hooks));
        }
        changes
    }
}

/// Stores drafts in one transaction, and notes what is known about their documents from then on.
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
    turn.rows.commit(&changes)?;
    for change in changes {
        if let Change::Document { document, .. } = change {
            turn.put(document);
        }
    }
    Ok(())
}

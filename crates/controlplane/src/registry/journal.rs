//! What every write records besides its document: an entry of the audit trail and, if anybody subscribes to it, a
//! notification. Both are stored in the transaction of the write.

use crate::registry::credentials::hash;
use crate::registry::rows::{Change, Head, Rows};
use gatewright_api::dashboard::shape::{AuditEntry, Notice, Subject};
use gatewright_api::message::Action;
use gatewright_model::order;
use gatewright_protocol::caller::{GATEWAY_ACTOR, Sender};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::EventKind;
use serde_json::Value;
use std::collections::BTreeMap;

/// An API definition was created (reference 1.11).
pub const API_ADDED: &str = "ApiAdded";
/// An API definition was changed (reference 1.11).
pub const API_UPDATED: &str = "ApiUpdated";
/// An API definition was deleted (reference 1.11).
pub const API_REMOVED: &str = "ApiRemoved";
/// The data plane serves a new set (reference 1.11).
pub const GROUP_RELOAD: &str = "GroupReload";
/// A client identity provider was changed (specification, *Events*).
pub const CLIENT_IDP_CHANGED: &str = "NoticeClientIdPChanged";

/// The actor when a key was removed because its lifetime ended.
pub const LIFETIME_ACTOR: &str = "lifetime";

/// The number of notifications after which surplus ones are removed.
const TRIM_EVERY: u64 = 50;

/// An event raised by requests gets one of this many shares of the retained notifications.
const SHARES: u64 = 10;

/// Returns the share that a notification counts towards: each event raised by requests has its own, so that it can't
/// displace other notifications, and the rest have one in common.
pub(super) fn share(kind: &str) -> &'static str {
    let kind = EventKind::named(kind).filter(|kind| !kind.is_of_token());
    kind.map_or("", EventKind::name)
}

/// The numbers assigned last.
#[derive(Debug, Default)]
pub struct Journal {
    notices: BTreeMap<String, u64>,
    /// How many notifications of each organisation are retained.
    kept: u64,
    /// By organisation and share: how many more notifications until surplus ones are removed.
    until_trim: BTreeMap<(String, &'static str), u64>,
    audit: u64,
    /// The time of the newest entry of the audit trail.
    audit_at: String,
    /// Whether anything was recorded since this was last read.
    news: bool,
    /// Lines for the log.
    lines: Vec<String>,
    /// Who sent the current command.
    sender: Sender,
}

/// An administrative write, as the audit trail records it.
#[derive(Clone, Debug)]
pub struct AuditedWrite<'a> {
    /// The organisation it happened in.
    pub org: &'a str,
    /// The name of the actor.
    pub actor: &'a str,
    /// What was done.
    pub action: Action,
    /// The kind of document it was done to.
    pub subject: Subject,
    /// The id of the document.
    pub id: &'a str,
    /// The name of the document.
    pub name: &'a str,
    /// The revision before the write; `None` if there was none.
    pub before: Option<u64>,
    /// The revision after the write; `None` if there is none.
    pub after: Option<u64>,
}

impl<'a> AuditedWrite<'a> {
    /// Creates the entry for a write of a document, which `head` is of, by a holder of the gateway secret.
    #[must_use]
    pub fn of(head: Head<'a>, org: &'a str, action: Action, before: Option<u64>) -> Self {
        Self {
            org,
            id: head.of.id,
            name: head.name,
            before,
            after: head.live(),
            ..Self::new(head.of.kind, action)
        }
    }

    /// Creates the entry for a write by a holder of the gateway secret to something without revisions; callers add its
    /// id and name.
    #[must_use]
    pub const fn new(subject: Subject, action: Action) -> Self {
        Self {
            org: "",
            actor: GATEWAY_ACTOR,
            action,
            subject,
            id: "",
            name: "",
            before: None,
            after: None,
        }
    }
}

impl Journal {
    /// Reads the newest numbers. At least `kept` notifications of each organisation are retained.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn load(rows: &Rows, kept: u64) -> Result<Self, StoreError> {
        let (audit, audit_at) = rows.last_audit()?.unwrap_or_default();
        Ok(Self {
            kept,
            until_trim: BTreeMap::new(),
            notices: order::map(rows.last_notices()?.into_iter()),
            audit,
            audit_at,
            news: false,
            lines: Vec::new(),
            sender: Sender::default(),
        })
    }

    /// Notes that there is something new for waiting streams and deliveries, for [`Self::take_news`].
    pub(super) fn note_news(&mut self) {
        self.news = true;
    }

    /// Sets who sends the commands from now on; the default for what the gateway does by itself.
    pub(super) fn act_for(&mut self, sender: Sender) {
        self.sender = sender;
    }

    /// Adds lines for the log.
    pub(super) fn log(&mut self, lines: Vec<String>) {
        self.lines.extend(lines);
    }

    /// Takes the lines for the log that were added since the last call.
    pub(super) fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// Whether anything was recorded since the last call.
    pub(super) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    /// Returns the number of an organisation's newest notification, 0 if it has none.
    #[must_use]
    pub fn last_notice(&self, org: &str) -> u64 {
        self.notices.get(org).copied().unwrap_or(0)
    }

    /// Returns organisations with notifications from this one on, ordered by name, each with the number of its newest.
    pub(super) fn orgs_from<'a>(&'a self, org: &str) -> impl Iterator<Item = (&'a str, u64)> {
        let notices = self.notices.range(org.to_owned()..);
        notices.map(|(org, last)| (org.as_str(), *last))
    }

    /// Creates the next notification of an organisation.
    pub fn notice<'a>(&mut self, org: &'a str, kind: &str, data: Value, now: &str) -> Change<'a> {
        let seq = self.last_notice(org).saturating_add(1);
        self.notices.insert(org.to_owned(), seq);
        self.news = true;
        let notice = Notice {
            seq,
            id: notice_id(org, seq),
            kind: kind.to_owned(),
            at: now.to_owned(),
            data,
        };
        Change::Notice { org, notice }
    }

    /// Removes surplus notifications of an organisation, of the share that this kind counts towards, if it is time to:
    /// at the first one, and then periodically.
    pub fn trim<'a>(&mut self, org: &'a str, kind: &str) -> Option<Change<'a>> {
        let share = share(kind);
        let until = self.until_trim.entry((org.to_owned(), share)).or_default();
        let due = *until == 0;
        *until = if due { TRIM_EVERY } else { *until }.saturating_sub(1);
        let keep = match share {
            "" => self.kept,
            _ => (self.kept / SHARES).max(1),
        };
        due.then_some(Change::TrimShare { org, share, keep })
    }

    /// Returns the number of the last entry of the audit trail.
    #[must_use]
    pub const fn last_audit(&self) -> u64 {
        self.audit
    }

    /// Returns the number of the next entry of the audit trail.
    #[must_use]
    pub const fn next_audit(&self) -> u64 {
        self.audit.saturating_add(1)
    }

    /// Makes the numbering continue after this number.
    pub(super) fn reach(&mut self, number: u64) {
        self.audit = self.audit.max(number);
    }

    /// Creates the next entry of the audit trail. If the clock was set back, the entry gets the time of the previous
    /// one, so that numbers and times have the same order.
    pub fn audit<'a>(&mut self, audited: &AuditedWrite<'_>, now: &str) -> Change<'a> {
        self.audit = self.audit.saturating_add(1);
        self.news = true;
        if self.audit_at.as_str() < now {
            now.clone_into(&mut self.audit_at);
        }
        let Sender { actor, client } = &self.sender;
        Change::Audit(AuditEntry {
            seq: self.audit,
            at: self.audit_at.clone(),
            org_id: audited.org.to_owned(),
            actor: match audited.actor {
                GATEWAY_ACTOR => actor.clone(),
                known => known.to_owned(),
            },
            action: audited.action,
            subject: audited.subject,
            id: audited.id.to_owned(),
            name: audited.name.to_owned(),
            before: audited.before,
            after: audited.after,
            ip_address: client.ip_address.clone(),
            user_agent: client.user_agent.clone(),
            request_id: client.request_id.clone(),
        })
    }
}

/// Returns the id of a notification. A receiver that serves several organisations must not mistake the third
/// notification of one for that of another, so the id contains the organisation, hashed because it may be any text.
fn notice_id(org: &str, seq: u64) -> String {
    let hash = hash(org);
    format!("ntc_{}_{seq}", hash.get(..8).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journal_times_are_monotonic() {
        let mut journal = Journal::default();
        let audited = AuditedWrite {
            org: "a",
            actor: "a",
            action: Action::Added,
            subject: Subject::Api,
            id: "x",
            name: "",
            before: None,
            after: None,
        };
        let times = ["2026-01-02", "2026-01-01", "2026-01-03"].map(|now| {
            match journal.audit(&audited, now) {
                Change::Audit(entry) => (entry.seq, entry.at),
                other => unreachable!("{other:?}"),
            }
        });
        let at = |at: &str| at.to_owned();
        assert_eq!(
            times,
            [
                (1, at("2026-01-02")),
                (2, at("2026-01-02")),
                (3, at("2026-01-03"))
            ]
        );
    }

    #[test]
    fn ids_are_unique_per_organisation_and_number() {
        let ids = [notice_id("a", 1), notice_id("a", 2), notice_id("b", 1)];
        assert_eq!(ids[0], "ntc_ca978112_1");
        assert!(ids[0] != ids[1] && ids[0] != ids[2]);
    }
}

//! What every write leaves besides its document: an entry of the audit trail and, where somebody
//! waits for it, a notification. Both are stored in the transaction of the write.

use crate::registry::rows::{Change, Rows};
use gatewright_api::dashboard::shape::{AuditEntry, Notice, Subject};
use gatewright_api::message::Action;
use gatewright_model::order;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::EventKind;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// An API definition was created (reference 1.11).
pub const API_ADDED: &str = "ApiAdded";
/// An API definition was changed (reference 1.11).
pub const API_UPDATED: &str = "ApiUpdated";
/// An API definition was deleted (reference 1.11).
pub const API_REMOVED: &str = "ApiRemoved";
/// The data plane serves another set (reference 1.11).
pub const GROUP_RELOAD: &str = "GroupReload";
/// A client identity provider was changed (specification, *Events*).
pub const CLIENT_IDP_CHANGED: &str = "NoticeClientIdPChanged";

/// Who the audit trail names for the gateway secret.
pub const GATEWAY_ACTOR: &str = "gateway";
/// Who it names where a key has gone because its time was over.
pub const LIFETIME_ACTOR: &str = "lifetime";

/// After how many notifications those beyond the kept ones are looked for.
const TRIM_EVERY: u64 = 50;

/// An event of requests has one of so many shares of the notifications that are kept.
const SHARES: u64 = 10;

/// What a notification counts among: what requests raise among its own kind, so that none of them drives out
/// anything else, and the rest together.
pub(super) fn share(kind: &str) -> &'static str {
    let kind = EventKind::named(kind).filter(|kind| !kind.is_of_token());
    kind.map_or("", EventKind::name)
}

/// The numbers that were given out last.
#[derive(Debug, Default)]
pub struct Journal {
    notices: BTreeMap<String, u64>,
    /// How many notifications of each organisation are kept.
    kept: u64,
    /// Notifications of each organisation and share until those beyond the kept ones are looked for.
    until_trim: BTreeMap<(String, &'static str), u64>,
    audit: u64,
    /// The time of the newest entry of the audit trail.
    audit_at: String,
    /// Whether anything was noted since somebody asked.
    news: bool,
    /// Lines for the log.
    lines: Vec<String>,
    /// By whom the administration is called at this moment, if not by whoever holds the gateway secret.
    by: Option<String>,
}

/// What an administrative write did, for the audit trail.
#[derive(Clone, Debug)]
pub struct Deed<'a> {
    /// The organisation it happened in.
    pub org: &'a str,
    /// Who did it.
    pub actor: &'a str,
    /// What was done.
    pub action: Action,
    /// To what kind of document.
    pub subject: Subject,
    /// The id of the document.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The revision before.
    pub before: Option<u64>,
    /// The revision after.
    pub after: Option<u64>,
}

impl Deed<'_> {
    /// What whoever holds the gateway secret did to something without revisions; what it is called comes on top.
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
    /// Reads the newest numbers. At least `kept` notifications of each organisation are kept.
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
            by: None,
        })
    }

    /// Says that there is something new for whoever waits.
    pub(super) fn tell(&mut self) {
        self.news = true;
    }

    /// Says by whom the administration is called from now on; nobody for whoever holds the gateway secret.
    pub(super) fn act_for(&mut self, by: Option<&str>) {
        self.by = by.map(str::to_owned);
    }

    /// Says something to the log.
    pub(super) fn say(&mut self, lines: Vec<String>) {
        self.lines.extend(lines);
    }

    /// What was said to the log since this was last asked.
    pub(super) fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// True if anything was noted since this was last asked.
    pub(super) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    /// The number of an organisation's newest notification, 0 for none.
    #[must_use]
    pub fn last_notice(&self, org: &str) -> u64 {
        self.notices.get(org).copied().unwrap_or(0)
    }

    /// Organisations with notifications from one on, in the order of their names, each with the number of
    /// its newest.
    pub(super) fn orgs_from<'a>(&'a self, org: &str) -> impl Iterator<Item = (&'a str, u64)> {
        let notices = self.notices.range(org.to_owned()..);
        notices.map(|(org, last)| (org.as_str(), *last))
    }

    /// The next notification of an organisation.
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

    /// Forgets old notifications of an organisation like one that was made now, when it is time to: at the
    /// first one, and then from time to time.
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

    /// The number of the next entry of the audit trail.
    #[must_use]
    pub const fn next_audit(&self) -> u64 {
        self.audit.saturating_add(1)
    }

    /// Gives out no number up to this one any more.
    pub(super) fn reach(&mut self, number: u64) {
        self.audit = self.audit.max(number);
    }

    /// The next entry of the audit trail. Where the clock was set back, its time is that of the one
    /// before: the order of numbers is that of times.
    pub fn audit<'a>(&mut self, deed: &Deed<'_>, now: &str) -> Change<'a> {
        self.audit = self.audit.saturating_add(1);
        self.news = true;
        if self.audit_at.as_str() < now {
            now.clone_into(&mut self.audit_at);
        }
        Change::Audit(AuditEntry {
            seq: self.audit,
            at: self.audit_at.clone(),
            org_id: deed.org.to_owned(),
            actor: match &self.by {
                Some(by) if deed.actor == GATEWAY_ACTOR => by.clone(),
                _ => deed.actor.to_owned(),
            },
            action: deed.action,
            subject: deed.subject,
            id: deed.id.to_owned(),
            name: deed.name.to_owned(),
            before: deed.before,
            after: deed.after,
        })
    }
}

/// The id of a notification. A receiver that serves several organisations must not take the third
/// notification of one for that of another, so the organisation is part of it, hashed because it
/// may be any text.
fn notice_id(org: &str, seq: u64) -> String {
    let hash = Sha256::digest(org.as_bytes());
    let prefix: String = hash
        .iter()
        .take(4)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("ntc_{prefix}_{seq}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_the_trail_never_go_back() {
        let mut journal = Journal::default();
        let deed = Deed {
            org: "a",
            actor: "a",
            action: Action::Added,
            subject: Subject::Api,
            id: "x",
            name: "",
            before: None,
            after: None,
        };
        let times =
            ["2026-01-02", "2026-01-01", "2026-01-03"].map(|now| match journal.audit(&deed, now) {
                Change::Audit(entry) => (entry.seq, entry.at),
                other => unreachable!("{other:?}"),
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
    fn ids_differ_between_organisations_and_numbers() {
        let ids = [notice_id("a", 1), notice_id("a", 2), notice_id("b", 1)];
        assert_eq!(ids[0], "ntc_ca978112_1");
        assert!(ids[0] != ids[1] && ids[0] != ids[2]);
    }
}

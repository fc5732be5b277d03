//! What every write leaves besides its document: an entry of the audit trail and, where somebody
//! waits for it, a notification. Both are stored in the transaction of the write.

use crate::registry::rows::{Change, Rows};
use gatewright_api::dashboard::shape::{AuditEntry, Notice, Subject};
use gatewright_api::message::Action;
use gatewright_model::order;
use gatewright_protocol::error::StoreError;
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

/// The numbers that were given out last.
#[derive(Debug, Default)]
pub struct Journal {
    notices: BTreeMap<String, u64>,
    /// How many notifications of each organisation are kept.
    kept: u64,
    audit: u64,
    /// Whether anything was noted since somebody asked.
    news: bool,
    /// Lines for the log.
    lines: Vec<String>,
}

/// What an administrative write did, for the audit trail.
#[derive(Debug)]
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

impl Journal {
    /// Reads the newest numbers. At least `kept` notifications of each organisation are kept.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn load(rows: &Rows, kept: u64) -> Result<Self, StoreError> {
        Ok(Self {
            kept,
            notices: order::map(rows.last_notices()?.into_iter()),
            audit: rows.last_audit()?,
            news: false,
            lines: Vec::new(),
        })
    }

    /// Says that there is something new for whoever waits.
    pub(super) fn tell(&mut self) {
        self.news = true;
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

    /// Forgets old notifications of an organisation, when it is time to.
    pub fn trim<'a>(&self, org: &'a str) -> Option<Change<'a>> {
        let last = self.last_notice(org);
        let upto = last.saturating_sub(self.kept);
        let due = upto > 0 && last.is_multiple_of(TRIM_EVERY);
        due.then_some(Change::TrimNotices { org, upto })
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

    /// The next entry of the audit trail.
    pub fn audit<'a>(&mut self, deed: &Deed<'_>, now: &str) -> Change<'a> {
        self.audit = self.audit.saturating_add(1);
        self.news = true;
        Change::Audit(AuditEntry {
            seq: self.audit,
            at: now.to_owned(),
            org_id: deed.org.to_owned(),
            actor: deed.actor.to_owned(),
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
    fn ids_differ_between_organisations_and_numbers() {
        let ids = [notice_id("a", 1), notice_id("a", 2), notice_id("b", 1)];
        assert_eq!(ids[0], "ntc_ca978112_1");
        assert!(ids[0] != ids[1] && ids[0] != ids[2]);
    }
}

//! Notifications and the audit trail.

use super::{DocumentId, Kinds, Rows};
use crate::registry::encoding::from_json;
use crate::registry::journal::share;
use crate::registry::sql::{Row, Value, json};
use gatewright_api::RESOURCES;
use gatewright_api::dashboard::shape::{AuditEntry, Notice, Subject};
use gatewright_model::order::{self, sorted_by};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::AuditFilter;
use std::collections::BTreeMap;

pub(super) const SCHEMA: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS notice (
        org TEXT NOT NULL, seq INTEGER NOT NULL, notice TEXT NOT NULL, PRIMARY KEY (org, seq)
    ) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS audit (
        seq INTEGER PRIMARY KEY, at TEXT NOT NULL, org TEXT NOT NULL, actor TEXT NOT NULL,
        action TEXT NOT NULL, subject TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
        before INTEGER, after INTEGER
    )",
];

/// Indexes for the filters of an organisation's trail. Each ends with the entry's number, which is the row id.
pub(super) const INDEXES: &[&str] = &[
    "CREATE INDEX audit_org ON audit (org)",
    "CREATE INDEX audit_actor ON audit (org, actor)",
    "CREATE INDEX audit_action ON audit (org, action)",
    "CREATE INDEX audit_subject ON audit (org, subject)",
    "CREATE INDEX audit_id ON audit (org, id)",
    "CREATE INDEX audit_at ON audit (org, at)",
];

/// The share that a notification counts towards when old ones are removed ([`share`]); those of the previous release
/// count towards the common one.
pub(super) const SHARES: &[&str] = &[
    "ALTER TABLE notice ADD COLUMN share TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX notice_share ON notice (org, share, seq)",
];

/// The client of an entry; NULL in entries of earlier releases, of the previous one while both run, and where the gateway
/// acted by itself. Nobody looks for those, so the indexes are without them.
pub(super) const CLIENTS: &[&str] = &[
    "ALTER TABLE audit ADD COLUMN ip_address TEXT",
    "ALTER TABLE audit ADD COLUMN user_agent TEXT",
    "ALTER TABLE audit ADD COLUMN request_id TEXT",
    "CREATE INDEX audit_ip_address ON audit (org, ip_address) WHERE ip_address IS NOT NULL",
    "CREATE INDEX audit_request_id ON audit (org, request_id) WHERE request_id IS NOT NULL",
];

/// The number of notifications that one statement reads: what is read in vain beyond the size of a page stays small.
const NOTICES_AT_ONCE: u32 = 16;

const ENTRY: &str = "seq, at, org, actor, action, subject, id, name, before, after, ip_address, user_agent, request_id";

impl Rows {
    /// Returns the number of the newest notification of each organisation that has any.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn last_notices(&self) -> Result<Vec<(String, u64)>, StoreError> {
        // Steps from one organisation to the next, reading only the last row of each.
        let statement = "WITH RECURSIVE known (org) AS (
                SELECT min(org) FROM notice
                UNION ALL SELECT (SELECT min(org) FROM notice WHERE org > known.org) FROM known
                WHERE known.org IS NOT NULL)
             SELECT org, (SELECT max(seq) FROM notice WHERE org = known.org) FROM known
             WHERE org IS NOT NULL";
        self.all(statement, &[], |mut row| Ok((row.text()?, row.number()?)))
    }

    /// Returns notifications of an organisation after `after`, oldest first: at most `limit`, and none after the one
    /// with which they reach a size of `bytes`.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn notices(
        &self,
        org: &str,
        kinds: Kinds<'_>,
        after: u64,
        (limit, bytes): (u32, usize),
    ) -> Result<Vec<Notice>, StoreError> {
        let mut found: Vec<Notice> = Vec::new();
        let (mut after, mut left) = (after, limit);
        let mut size = 0_usize;
        while left > 0 {
            let wanted = left.min(NOTICES_AT_ONCE);
            let read = self.next_notices(org, kinds, after, wanted)?;
            let is_last = u32::try_from(read.len()).is_ok_and(|read| read < wanted);
            for (length, notice) in read {
                after = notice.seq;
                found.push(notice);
                size = size.saturating_add(length);
                if size >= bytes {
                    return Ok(found);
                }
            }
            if is_last {
                break;
            }
            left = left.saturating_sub(wanted);
        }
        Ok(found)
    }

    /// Returns the next notifications, each with the length of its text.
    fn next_notices(
        &self,
        org: &str,
        kinds: Kinds<'_>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<(usize, Notice)>, StoreError> {
        let (kinds, kind) = match kinds {
            Kinds::All => ("", None),
            // Events of requests are never selected alone, and all others are in the common share.
            Kinds::Only(kind) => ("AND share = '' AND notice ->> 'type' = ?", Some(kind)),
            Kinds::AllBut(kind) => ("AND notice ->> 'type' != ?", Some(kind)),
        };
        let mut bound = vec![org.into(), after.into()];
        bound.extend(kind.map(Value::from));
        bound.push(limit.into());
        let statement = format!(
            "SELECT notice FROM notice WHERE org = ? AND seq > ? {kinds} ORDER BY seq LIMIT ?"
        );
        self.all(&statement, &bound, |mut row| {
            let text = row.text()?;
            Ok((text.len(), from_json("decode row", &text)?))
        })
    }

    /// Returns the number of the newest entry of the audit trail, and its time.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn last_audit(&self) -> Result<Option<(u64, String)>, StoreError> {
        let statement = "SELECT seq, at FROM audit ORDER BY seq DESC LIMIT 1";
        self.first(statement, &[], |mut row| Ok((row.number()?, row.text()?)))
    }

    /// Returns the authors of a document's revisions from one to another, both included, by number. A deletion is
    /// identified by the revision before it.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn authors(
        &self,
        org: &str,
        of: DocumentId<'_>,
        (from, to): (u64, u64),
    ) -> Result<BTreeMap<u64, String>, StoreError> {
        let statement = "SELECT coalesce(after, before + 1) AS made, actor FROM audit
            WHERE org = ? AND id = ? AND subject = ? AND made BETWEEN ? AND ? ORDER BY seq";
        let values = [
            org.into(),
            of.id.into(),
            json(&of.kind)?,
            from.into(),
            to.into(),
        ];
        let found = self.all(statement, &values, |mut row| {
            Ok((row.number()?, row.text()?))
        })?;
        Ok(order::map(found.into_iter()))
    }

    /// Returns an entry of the audit trail.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn audit_entry(&self, seq: u64) -> Result<Option<AuditEntry>, StoreError> {
        let statement = format!("SELECT {ENTRY} FROM audit WHERE seq = ?");
        self.first(&statement, &[seq.into()], audit_entry)
    }

    /// Returns entries of an organisation's audit trail, newest first.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn audit(&self, filter: &AuditFilter) -> Result<Vec<AuditEntry>, StoreError> {
        // Times never decrease from one entry to the next, so a range of times is a range of numbers.
        let from = match &filter.from {
            None => Some(0),
            Some(from) => self.first_audit(filter, from)?,
        };
        let Some(from) = from else {
            return Ok(Vec::new());
        };
        let to = match &filter.to {
            None => None,
            Some(to) => self.first_audit(filter, to)?,
        };
        let before = [filter.before, to].into_iter().flatten().min();
        let range = (from, before.unwrap_or(u64::MAX));
        let narrow = [
            &filter.request_id,
            &filter.id,
            &filter.actor,
            &filter.ip_address,
        ];
        let narrow = narrow.into_iter().any(Option::is_some);
        let subjects = &filter.subjects;
        let all = || {
            let mut rows = RESOURCES.iter();
            rows.all(|row| subjects.contains(&row.subject))
        };
        if narrow || subjects.is_empty() || all() {
            return self.audit_of(filter, subjects, range);
        }
        // An index serves one subject at a time, not several.
        let mut found = Vec::new();
        for subject in subjects.chunks(1) {
            found.extend(self.audit_of(filter, subject, range)?);
        }
        let mut found = sorted_by(found, |one, other| other.seq.cmp(&one.seq));
        found.truncate(usize::try_from(filter.limit).unwrap_or(usize::MAX));
        Ok(found)
    }

    /// Returns the first entry of an organisation at or after a time.
    fn first_audit(&self, filter: &AuditFilter, at: &str) -> Result<Option<u64>, StoreError> {
        self.first(
            "SELECT seq FROM audit INDEXED BY audit_at WHERE org = ? AND at >= ?
             ORDER BY at, seq LIMIT 1",
            &[filter.org.as_deref().unwrap_or_default().into(), at.into()],
            |mut row| row.number(),
        )
    }

    /// Returns entries about some subjects, an empty list for all, from a number on and before another one, by the most
    /// selective index.
    fn audit_of(
        &self,
        filter: &AuditFilter,
        subjects: &[Subject],
        (from, before): (u64, u64),
    ) -> Result<Vec<AuditEntry>, StoreError> {
        let action = filter.action.as_ref().map(json).transpose()?;
        let one = match subjects {
            [subject] => Some(json(subject)?),
            _ => None,
        };
        let conditions = [
            ("request_id", filter.request_id.as_deref().map(Value::from)),
            ("id", filter.id.as_deref().map(Value::from)),
            ("actor", filter.actor.as_deref().map(Value::from)),
            ("ip_address", filter.ip_address.as_deref().map(Value::from)),
            ("subject", one),
            ("action", action),
        ];
        let given = || conditions.iter().filter(|(_, value)| value.is_some());
        let index = given().next().map_or("org", |(column, _)| *column);
        let mut statement = format!(
            "SELECT {ENTRY} FROM audit INDEXED BY audit_{index}
             WHERE org = ? AND seq >= ? AND seq < ?"
        );
        let org = filter.org.as_deref().unwrap_or_default();
        let mut bound = vec![org.into(), from.into(), before.into()];
        for (column, value) in given() {
            statement.push_str(&format!(" AND {column} = ?"));
            bound.extend(value.clone());
        }
        if subjects.len() > 1 {
            // The table stores subjects as JSON strings, with quotation marks.
            statement.push_str(" AND subject IN (SELECT json_quote(value) FROM json_each(?))");
            bound.push(json(subjects)?);
        }
        if let Some(part) = &filter.part {
            statement.push_str(
                " AND instr(lower(id || char(10) || name || char(10) || actor || char(10) ||
                 coalesce(ip_address, '') || char(10) || coalesce(request_id, '')), ?) > 0",
            );
            bound.push(part.as_str().into());
        }
        statement.push_str(" ORDER BY seq DESC LIMIT ?");
        bound.push(filter.limit.into());
        self.all(&statement, &bound, audit_entry)
    }

    pub(super) fn put_notice(&self, org: &str, notice: &Notice) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO notice (org, seq, notice, share) VALUES (?, ?, ?, ?)",
            &[
                org.into(),
                notice.seq.into(),
                json(notice)?,
                share(&notice.kind).into(),
            ],
        )
    }

    pub(super) fn trim_notices(&self, org: &str, upto: u64) -> Result<(), StoreError> {
        for statement in [
            "DELETE FROM delivery WHERE due IS NULL AND notice_id IN
                (SELECT notice ->> 'id' FROM notice WHERE org = ? AND seq <= ?)",
            "DELETE FROM notice WHERE org = ? AND seq <= ? AND NOT EXISTS
                (SELECT 1 FROM delivery WHERE notice_id = notice.notice ->> 'id')",
        ] {
            self.run(statement, &[org.into(), upto.into()])?;
        }
        Ok(())
    }

    pub(super) fn put_audit(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.run(
            &format!("INSERT INTO audit ({ENTRY}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
            &[
                entry.seq.into(),
                entry.at.as_str().into(),
                entry.org_id.as_str().into(),
                entry.actor.as_str().into(),
                json(&entry.action)?,
                json(&entry.subject)?,
                entry.id.as_str().into(),
                entry.name.as_str().into(),
                entry.before.into(),
                entry.after.into(),
                entry.ip_address.as_deref().into(),
                entry.user_agent.as_deref().into(),
                entry.request_id.as_deref().into(),
            ],
        )
    }
}

fn audit_entry(mut row: Row) -> Result<AuditEntry, StoreError> {
    Ok(AuditEntry {
        seq: row.number()?,
        at: row.text()?,
        org_id: row.text()?,
        actor: row.text()?,
        action: row.json()?,
        subject: row.json()?,
        id: row.text()?,
        name: row.text()?,
        before: row.maybe_number()?,
        after: row.maybe_number()?,
        ip_address: row.maybe_text()?,
        user_agent: row.maybe_text()?,
        request_id: row.maybe_text()?,
    })
}

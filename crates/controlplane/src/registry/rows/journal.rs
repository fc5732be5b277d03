//! Notifications and the audit trail.

use super::{Kinds, Rows};
use crate::registry::sql::{Row, Value, json};
use gatewright_api::dashboard::shape::{AuditEntry, Notice};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::AuditFilter;

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

impl Rows {
    /// The number of the newest notification of each organisation that has any.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn last_notices(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let statement = "SELECT org, max(seq) FROM notice GROUP BY org";
        self.all(statement, &[], |mut row| Ok((row.text()?, row.number()?)))
    }

    /// Notifications of an organisation behind `after`, oldest first.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn notices(
        &self,
        org: &str,
        kinds: Kinds<'_>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Notice>, StoreError> {
        let (kind, is) = match kinds {
            Kinds::All => (None, false),
            Kinds::Only(kind) => (Some(kind), true),
            Kinds::AllBut(kind) => (Some(kind), false),
        };
        self.all(
            "SELECT notice FROM notice
             WHERE org = ?1 AND seq > ?2 AND (?3 IS NULL OR (notice ->> 'type' = ?3) = ?4)
             ORDER BY seq LIMIT ?5",
            &[
                org.into(),
                after.into(),
                kind.into(),
                is.into(),
                limit.into(),
            ],
            |mut row| row.json(),
        )
    }

    /// The number of the newest entry of the audit trail, 0 for none.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn last_audit(&self) -> Result<u64, StoreError> {
        self.count("SELECT max(seq) FROM audit", &[])
    }

    /// Entries of the audit trail, newest first.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn audit(&self, filter: &AuditFilter) -> Result<Vec<AuditEntry>, StoreError> {
        // The table has the names of subjects as JSON has them, with their quotation marks.
        let subjects = filter.subjects.iter().map(serde_json::to_string);
        let subjects: Vec<String> = subjects
            .collect::<Result<_, _>>()
            .map_err(|error| StoreError::new("encode row", error.to_string()))?;
        let action = filter.action.as_ref().map(json).transpose()?;
        self.all(
            "SELECT seq, at, org, actor, action, subject, id, name, before, after FROM audit
             WHERE (?1 IS NULL OR org = ?1) AND (?2 IS NULL OR actor = ?2)
               AND (?3 IS NULL OR id = ?3) AND (?4 IS NULL OR action = ?4)
               AND (?5 = '[]' OR subject IN (SELECT value FROM json_each(?5)))
               AND (?6 IS NULL OR at >= ?6) AND (?7 IS NULL OR at < ?7)
               AND (?8 IS NULL OR seq < ?8)
             ORDER BY seq DESC LIMIT ?9",
            &[
                filter.org.as_deref().into(),
                filter.actor.as_deref().into(),
                filter.id.as_deref().into(),
                action.unwrap_or(Value::Null),
                json(&subjects)?,
                filter.from.as_deref().into(),
                filter.to.as_deref().into(),
                filter.before.into(),
                filter.limit.into(),
            ],
            audit_entry,
        )
    }

    pub(super) fn put_notice(&self, org: &str, notice: &Notice) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO notice (org, seq, notice) VALUES (?, ?, ?)",
            &[org.into(), notice.seq.into(), json(notice)?],
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
            "INSERT INTO audit (seq, at, org, actor, action, subject, id, name, before, after)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
    })
}

//! The documents of the dashboard.

use super::{Record, Rows};
use crate::registry::sql::json;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;

/// `record_revision` holds every stored revision; `record` says which one is the newest.
pub(super) const SCHEMA: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS record (
        kind TEXT NOT NULL, id TEXT NOT NULL, org TEXT NOT NULL, revision INTEGER NOT NULL,
        deleted INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
        facts TEXT NOT NULL, PRIMARY KEY (kind, id)
    ) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS record_revision (
        kind TEXT NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL, action TEXT NOT NULL,
        at TEXT NOT NULL, text TEXT, patch TEXT, PRIMARY KEY (kind, id, revision)
    )",
];

impl Rows {
    /// Returns all dashboard documents, deleted ones included.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn records(&self) -> Result<Vec<Record>, StoreError> {
        self.all(
            "SELECT kind, id, org, revision, deleted, created_at, updated_at, facts FROM record",
            &[],
            |mut row| {
                Ok(Record {
                    kind: row.json()?,
                    id: row.text()?,
                    org: row.text()?,
                    revision: row.number()?,
                    deleted: row.number()? != 0,
                    created_at: row.text()?,
                    updated_at: row.text()?,
                    facts: row.json()?,
                })
            },
        )
    }

    /// Returns the internal ids of the policies whose newest text may contain a string: as it is, with an escape, or in a
    /// patch.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn policies_naming(&self, string: &str) -> Result<Vec<String>, StoreError> {
        self.all(
            r"SELECT r.id FROM record r CROSS JOIN record_revision v
                ON v.kind = r.kind AND v.id = r.id AND v.revision = r.revision
             WHERE r.kind = ? AND NOT r.deleted
                AND (v.text IS NULL OR instr(v.text, ?) > 0 OR instr(v.text, '\') > 0)",
            &[json(&Kind::Policy)?, string.into()],
            |mut row| row.text(),
        )
    }

    pub(super) fn put_record(&self, record: &Record) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO record (kind, id, org, revision, deleted, created_at, updated_at, facts)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (kind, id) DO UPDATE SET revision = excluded.revision,
                deleted = excluded.deleted, updated_at = excluded.updated_at, facts = excluded.facts",
            &[
                json(&record.kind)?,
                record.id.as_str().into(),
                record.org.as_str().into(),
                record.revision.into(),
                record.deleted.into(),
                record.created_at.as_str().into(),
                record.updated_at.as_str().into(),
                json(&record.facts)?,
            ],
        )
    }
}

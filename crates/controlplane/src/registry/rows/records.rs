//! The documents of the dashboard.

use super::{Record, Rows};
use crate::registry::sql::{Value, json};
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

/// Deleted documents are not held in memory, and some are looked for by the identifier that they had.
pub(super) const DELETED: &[&str] =
    &["CREATE INDEX record_deleted ON record (kind, org, facts ->> 'stable_id') WHERE deleted = 1"];

impl Rows {
    fn select_records(&self, rest: &str, values: &[Value]) -> Result<Vec<Record>, StoreError> {
        let statement = format!(
            "SELECT kind, id, org, revision, deleted, created_at, updated_at, facts FROM record {rest}"
        );
        self.all(&statement, values, |mut row| {
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
        })
    }

    /// Returns the dashboard documents of all kinds after this one that are not deleted, at most `limit`.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn records(
        &self,
        after: Option<(Kind, &str)>,
        limit: u32,
    ) -> Result<Vec<Record>, StoreError> {
        let (kind, id) = place(after)?;
        let rest = "WHERE (kind, id) > (?, ?) AND deleted = 0 ORDER BY kind, id LIMIT ?";
        self.select_records(rest, &[kind, id, limit.into()])
    }

    /// Returns the dashboard documents of all kinds from this one on, deleted ones included; at most `limit`.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn records_from(
        &self,
        first: Option<(Kind, &str)>,
        limit: u32,
    ) -> Result<Vec<Record>, StoreError> {
        let (kind, id) = place(first)?;
        let rest = "WHERE (kind, id) >= (?, ?) ORDER BY kind, id LIMIT ?";
        self.select_records(rest, &[kind, id, limit.into()])
    }

    /// Returns the first document of a kind whose internal id is after this one, deleted or not.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn record_after(&self, kind: Kind, id: &str) -> Result<Option<Record>, StoreError> {
        let rest = "WHERE kind = ? AND id > ? ORDER BY id LIMIT 1";
        Ok(self.select_records(rest, &[json(&kind)?, id.into()])?.pop())
    }

    /// Returns the document with this internal id, deleted or not.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn record(&self, kind: Kind, id: &str) -> Result<Option<Record>, StoreError> {
        let rest = "WHERE kind = ? AND id = ?";
        Ok(self.select_records(rest, &[json(&kind)?, id.into()])?.pop())
    }

    /// Returns the document of an organisation that was deleted last of those that had this stable identifier.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn deleted_record(
        &self,
        kind: Kind,
        org: &str,
        stable_id: &str,
    ) -> Result<Option<Record>, StoreError> {
        let rest = "WHERE kind = ? AND org = ? AND facts ->> 'stable_id' = ? AND deleted = 1
            ORDER BY updated_at DESC, id DESC LIMIT 1";
        let values = [json(&kind)?, org.into(), stable_id.into()];
        Ok(self.select_records(rest, &values)?.pop())
    }

    /// Returns the documents of an organisation that were deleted since a time (RFC 3339), by internal id.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn deleted_records(
        &self,
        kind: Kind,
        org: &str,
        since: &str,
    ) -> Result<Vec<Record>, StoreError> {
        let rest = "WHERE kind = ? AND org = ? AND deleted = 1 AND updated_at >= ? ORDER BY id";
        self.select_records(rest, &[json(&kind)?, org.into(), since.into()])
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

/// Returns the place of a document in the table; the first one without a document.
fn place(of: Option<(Kind, &str)>) -> Result<(Value, Value), StoreError> {
    Ok(match of {
        Some((kind, id)) => (json(&kind)?, id.into()),
        None => ("".into(), "".into()),
    })
}

//! The documents of the dashboard with their revisions.

use super::{Body, Record, RevisionRow, Rows, StoredBody, revision_row};
use crate::registry::sql::{Row, json};
use gatewright_api::message::Action;
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

    /// Returns the bodies that make up the text of a revision: the newest full text up to it, and the patches after
    /// that. Empty for a deletion or an unknown revision.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn record_bodies(
        &self,
        kind: Kind,
        id: &str,
        revision: u64,
    ) -> Result<Vec<StoredBody>, StoreError> {
        // A deletion has neither text nor patch, so nothing is found for it.
        self.all(
            "SELECT text, patch FROM record_revision
             WHERE kind = ?1 AND id = ?2 AND revision <= ?3
               AND revision >= (SELECT max(revision) FROM record_revision
                    WHERE kind = ?1 AND id = ?2 AND revision <= ?3 AND text IS NOT NULL)
               AND EXISTS (SELECT 1 FROM record_revision WHERE kind = ?1 AND id = ?2
                    AND revision = ?3 AND (text IS NOT NULL OR patch IS NOT NULL))
             ORDER BY revision",
            &[json(&kind)?, id.into(), revision.into()],
            stored_body,
        )
    }

    /// Returns revisions of a dashboard document older than `before`, newest first.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn record_revisions(
        &self,
        kind: Kind,
        id: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError> {
        self.all(
            "SELECT revision, action, at, coalesce(length(CAST(coalesce(text, patch) AS BLOB)), 0)
             FROM record_revision WHERE kind = ? AND id = ? AND revision < ?
             ORDER BY revision DESC LIMIT ?",
            &[
                json(&kind)?,
                id.into(),
                before.unwrap_or(u64::MAX).into(),
                limit.into(),
            ],
            revision_row,
        )
    }

    pub(super) fn put_record(
        &self,
        record: &Record,
        action: Action,
        body: Body<'_>,
    ) -> Result<(), StoreError> {
        let (text, patch) = match body {
            Body::Text(text) => (Some(text), None),
            Body::Patch(patch) => (None, Some(patch)),
            Body::Gone => (None, None),
        };
        self.run(
            "INSERT INTO record_revision (kind, id, revision, action, at, text, patch)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
            &[
                json(&record.kind)?,
                record.id.as_str().into(),
                record.revision.into(),
                json(&action)?,
                record.updated_at.as_str().into(),
                text.into(),
                patch.into(),
            ],
        )?;
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

fn stored_body(mut row: Row) -> Result<StoredBody, StoreError> {
    match (row.maybe_text()?, row.maybe_text()?) {
        (Some(text), _) => Ok(StoredBody::Text(text)),
        (None, Some(patch)) => Ok(StoredBody::Patch(patch)),
        (None, None) => Err(StoreError::new("sqlite", "a revision without a body")),
    }
}

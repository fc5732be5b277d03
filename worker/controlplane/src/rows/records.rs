//! The documents of the dashboard and their revisions in SQLite.

use super::{SqlRows, integer, json, maybe, number, parse, revision_row, text};
use gatewright_controlplane::registry::records::RecordFacts;
use gatewright_controlplane::registry::rows::{Record, RevisionRow, StoredBody};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;
use worker::SqlStorageValue;

impl SqlRows {
    pub(super) fn put_record(&self, record: &Record) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO record (kind, id, org, revision, deleted, created_at, updated_at, facts)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (kind, id) DO UPDATE SET revision = excluded.revision,
                deleted = excluded.deleted, updated_at = excluded.updated_at, facts = excluded.facts",
            vec![
                json(&record.kind)?.into(),
                record.id.as_str().into(),
                record.org.as_str().into(),
                integer(record.revision),
                integer(u64::from(record.deleted)),
                record.created_at.as_str().into(),
                record.updated_at.as_str().into(),
                json(&record.facts)?.into(),
            ],
        )
    }

    pub(super) fn find_records(&self) -> Result<Vec<Record>, StoreError> {
        let rows = self.query(
            "SELECT kind, id, org, revision, deleted, created_at, updated_at, facts FROM record",
            vec![],
        )?;
        rows.into_iter()
            .map(|mut row| {
                Ok(Record {
                    kind: parse(&text(&mut row)?)?,
                    id: text(&mut row)?,
                    org: text(&mut row)?,
                    revision: number(&mut row)?,
                    deleted: number(&mut row)? != 0,
                    created_at: text(&mut row)?,
                    updated_at: text(&mut row)?,
                    facts: parse::<RecordFacts>(&text(&mut row)?)?,
                })
            })
            .collect()
    }

    pub(super) fn find_record_bodies(
        &self,
        kind: Kind,
        id: &str,
        revision: u64,
    ) -> Result<Vec<StoredBody>, StoreError> {
        // A deletion has neither text nor patch, so a deleted revision finds nothing.
        let rows = self.query(
            "SELECT text, patch FROM record_revision
             WHERE kind = ?1 AND id = ?2 AND revision <= ?3
               AND revision >= (SELECT max(revision) FROM record_revision
                    WHERE kind = ?1 AND id = ?2 AND revision <= ?3 AND text IS NOT NULL)
               AND EXISTS (SELECT 1 FROM record_revision WHERE kind = ?1 AND id = ?2
                    AND revision = ?3 AND (text IS NOT NULL OR patch IS NOT NULL))
             ORDER BY revision",
            vec![json(&kind)?.into(), id.into(), integer(revision)],
        )?;
        rows.into_iter()
            .map(|mut row| match (row.next(), row.next()) {
                (Some(SqlStorageValue::String(text)), _) => Ok(StoredBody::Text(text)),
                (_, Some(SqlStorageValue::String(patch))) => Ok(StoredBody::Patch(patch)),
                _ => Err(StoreError::new("sqlite", "a revision without a body")),
            })
            .collect()
    }

    pub(super) fn find_record_revisions(
        &self,
        kind: Kind,
        id: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError> {
        let rows = self.query(
            "SELECT revision, action, at, coalesce(length(CAST(coalesce(text, patch) AS BLOB)), 0)
             FROM record_revision WHERE kind = ?1 AND id = ?2 AND (?3 IS NULL OR revision < ?3)
             ORDER BY revision DESC LIMIT ?4",
            vec![
                json(&kind)?.into(),
                id.into(),
                maybe(before),
                integer(u64::from(limit)),
            ],
        )?;
        rows.into_iter().map(revision_row).collect()
    }
}

//! Statements for retention: historical rows, oldest first, and their removal.

use super::{DocumentId, Rows};
use crate::registry::sql::{Row, Value, json};
use gatewright_api::figures::StoredRows;
use gatewright_api::resource::Subject;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;
use gatewright_protocol::signal::PREFIX;

/// A number and its time, RFC 3339.
type Dated = (u64, String);

fn dated(mut row: Row) -> Result<Dated, StoreError> {
    Ok((row.number()?, row.text()?))
}

impl Rows {
    /// Returns the oldest entries of the audit trail.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn oldest_audit(&self, limit: u32) -> Result<Vec<Dated>, StoreError> {
        let statement = "SELECT seq, at FROM audit ORDER BY seq LIMIT ?";
        self.all(statement, &[limit.into()], dated)
    }

    /// Returns the oldest notifications of an organisation after a number.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn oldest_notices(
        &self,
        org: &str,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Dated>, StoreError> {
        self.all(
            "SELECT seq, notice ->> 'at' FROM notice WHERE org = ? AND seq > ? ORDER BY seq LIMIT ?",
            &[org.into(), after.into(), limit.into()],
            dated,
        )
    }

    /// Returns the first webhook after this one that has deliveries.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn next_hook(&self, after: &str) -> Result<Option<String>, StoreError> {
        let statement = "SELECT min(hook) FROM delivery WHERE hook > ?";
        let found = self.first(statement, &[after.into()], |mut row| row.maybe_text())?;
        Ok(found.flatten())
    }

    /// Returns the numbers of a webhook's finished deliveries that are older than its newest `keep`, newest first.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn surplus_deliveries(
        &self,
        hook: &str,
        keep: u32,
        limit: u32,
    ) -> Result<Vec<u64>, StoreError> {
        self.all(
            "SELECT number FROM delivery WHERE hook = ? AND due IS NULL
             ORDER BY number DESC LIMIT ? OFFSET ?",
            &[hook.into(), limit.into(), keep.into()],
            |mut row| row.number(),
        )
    }

    /// Counts the rows of each kind.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn sizes(&self) -> Result<StoredRows, StoreError> {
        let count = |table: &str| self.count(&format!("SELECT count(*) FROM {table}"), &[]);
        Ok(StoredRows {
            apis: count("entry")?,
            api_revisions: count("revision")?,
            documents: count("record")?,
            document_revisions: count("record_revision")?,
            sessions: count("session")?,
            audit: count("audit")?,
            notifications: count("notice")?,
            deliveries: count("delivery")?,
            credentials: count("credential")?,
        })
    }

    /// Counts the documents of a kind, deleted ones included.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn documents(&self, kind: Subject) -> Result<u64, StoreError> {
        match Kind::of(kind) {
            None => self.count("SELECT count(*) FROM entry", &[]),
            Some(kind) => {
                let statement = "SELECT count(*) FROM record WHERE kind = ?";
                self.count(statement, &[json(&kind)?])
            }
        }
    }

    /// Returns the size of the database in bytes.
    ///
    /// # Errors
    /// If it can't be determined.
    pub fn bytes(&self) -> Result<u64, StoreError> {
        self.sql.bytes()
    }

    pub(super) fn trim_definition(
        &self,
        id: &str,
        upto: u64,
        published: Option<u64>,
    ) -> Result<(), StoreError> {
        // A handler's name starts with the API and the revision that has its settings; in the order of texts, `0`
        // follows `/`.
        self.run(
            "DELETE FROM revision WHERE id = ?1 AND revision <= ?2 AND revision != ?3
             AND NOT EXISTS (SELECT 1 FROM served s
                WHERE s.kind = 'api' AND s.id = ?1 AND s.revision = revision.revision)
             AND NOT EXISTS (SELECT 1 FROM delivery WHERE due IS NOT NULL
                AND hook >= ?4 || revision || '/' AND hook < ?4 || revision || '0')",
            &[
                id.into(),
                upto.into(),
                published.unwrap_or(0).into(),
                Value::Text(format!("{PREFIX}{id}/")),
            ],
        )?;
        self.run(
            "DELETE FROM revision_piece WHERE id = ?1 AND revision <= ?2 AND NOT EXISTS
                (SELECT 1 FROM revision r WHERE r.id = ?1 AND r.revision = revision_piece.revision)",
            &[id.into(), upto.into()],
        )
    }

    pub(super) fn trim_record(
        &self,
        of: DocumentId<'_>,
        upto: u64,
        gone: bool,
    ) -> Result<(), StoreError> {
        if gone && of.kind == Subject::Webhook {
            self.run("DELETE FROM hook_secret WHERE hook = ?", &[of.id.into()])?;
        }
        let kind = json(&of.kind)?;
        if gone {
            return self.run(
                "DELETE FROM record_revision WHERE kind = ? AND id = ? AND revision <= ?",
                &[kind, of.id.into(), upto.into()],
            );
        }
        // What remains has to start with a full text.
        self.run(
            "DELETE FROM record_revision WHERE kind = ?1 AND id = ?2 AND revision <
                (SELECT revision FROM record_revision WHERE kind = ?1 AND id = ?2
                    AND revision <= ?3 AND text IS NOT NULL ORDER BY revision DESC LIMIT 1)",
            &[kind, of.id.into(), upto.saturating_add(1).into()],
        )
    }

    pub(super) fn trim_share(&self, org: &str, share: &str, keep: u64) -> Result<(), StoreError> {
        let over = "SELECT seq FROM notice INDEXED BY notice_share
            WHERE org = ?1 AND share = ?2 AND seq <=
                (SELECT seq FROM notice INDEXED BY notice_share WHERE org = ?1 AND share = ?2
                 ORDER BY seq DESC LIMIT 1 OFFSET ?3)
            AND NOT EXISTS (SELECT 1 FROM delivery
                WHERE notice_id = notice.notice ->> 'id' AND due IS NOT NULL)
            ORDER BY seq LIMIT 500";
        for statement in [
            format!(
                "DELETE FROM delivery WHERE notice_id IN (SELECT notice ->> 'id' FROM notice
                 WHERE org = ?1 AND seq IN ({over}))"
            ),
            format!("DELETE FROM notice WHERE org = ?1 AND seq IN ({over})"),
        ] {
            self.run(&statement, &[org.into(), share.into(), keep.into()])?;
        }
        Ok(())
    }

    pub(super) fn trim_audit(&self, upto: u64) -> Result<(), StoreError> {
        self.run("DELETE FROM audit WHERE seq <= ?", &[upto.into()])
    }

    pub(super) fn remove_deliveries(
        &self,
        hook: &str,
        from: u64,
        to: u64,
    ) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM delivery WHERE hook = ? AND due IS NULL AND number >= ? AND number <= ?",
            &[hook.into(), from.into(), to.into()],
        )
    }

    pub(super) fn remove_credential(&self, hash: &str) -> Result<(), StoreError> {
        self.run("DELETE FROM credential WHERE hash = ?", &[hash.into()])
    }
}

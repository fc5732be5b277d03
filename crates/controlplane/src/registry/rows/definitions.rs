//! API definitions with their revisions, the bookkeeping values, and credentials.

use super::published::{TEXT_MAX, pieces};
use super::{Entry, RevisionRow, Rows, revision_row};
use crate::registry::sql::json;
use gatewright_api::dashboard::shape::Credential;
use gatewright_api::message::Action;
use gatewright_protocol::error::StoreError;

/// `revision` holds every stored text; `entry` says which one is the newest.
pub(super) const SCHEMA: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS entry (
        id TEXT PRIMARY KEY, revision INTEGER NOT NULL, deleted INTEGER NOT NULL,
        published INTEGER, updated_at TEXT NOT NULL, facts TEXT NOT NULL
    ) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS revision (
        id TEXT NOT NULL, revision INTEGER NOT NULL, action TEXT NOT NULL, at TEXT NOT NULL,
        text TEXT, PRIMARY KEY (id, revision)
    )",
    "CREATE TABLE IF NOT EXISTS value (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS credential (
        hash TEXT PRIMARY KEY, credential TEXT NOT NULL
    ) WITHOUT ROWID",
];

/// The rest of a text that doesn't fit into the row of its revision (an OpenAPI document may have many megabytes).
pub(super) const PIECES: &[&str] = &["CREATE TABLE IF NOT EXISTS revision_piece (
        id TEXT NOT NULL, revision INTEGER NOT NULL, place INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (id, revision, place)
    ) WITHOUT ROWID"];

/// The size of a revision's text in bytes, for a statement over `revision`.
pub(super) const BYTES: &str = "coalesce(length(CAST(text AS BLOB)), 0) + coalesce((SELECT
        sum(length(CAST(p.text AS BLOB))) FROM revision_piece p
        WHERE p.id = revision.id AND p.revision = revision.revision), 0)";

impl Rows {
    /// Returns all API definitions, deleted ones included.
    ///
    /// # Errors
    /// If the table can't be read. The same holds for the other methods that return rows.
    pub fn entries(&self) -> Result<Vec<Entry>, StoreError> {
        self.all(
            "SELECT id, revision, deleted, published, updated_at, facts FROM entry ORDER BY id",
            &[],
            |mut row| {
                Ok(Entry {
                    id: row.text()?,
                    revision: row.number()?,
                    deleted: row.number()? != 0,
                    published: row.maybe_number()?,
                    updated_at: row.text()?,
                    facts: row.json()?,
                })
            },
        )
    }

    /// Returns the text of a revision; `None` for a deletion or an unknown one.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn text(&self, id: &str, revision: u64) -> Result<Option<String>, StoreError> {
        let statement = "SELECT text FROM revision WHERE id = ? AND revision = ?";
        let found = self.first(statement, &[id.into(), revision.into()], |mut row| {
            row.maybe_text()
        })?;
        found
            .flatten()
            .map(|text| self.complete(id, revision, text))
            .transpose()
    }

    /// Completes a text with its pieces in other rows.
    pub(super) fn complete(
        &self,
        id: &str,
        revision: u64,
        mut text: String,
    ) -> Result<String, StoreError> {
        // A piece ends at a character boundary, and a character has at most four bytes.
        if text.len() > TEXT_MAX.saturating_sub(4) {
            let statement =
                "SELECT text FROM revision_piece WHERE id = ? AND revision = ? ORDER BY place";
            let values = [id.into(), revision.into()];
            for piece in self.all(statement, &values, |mut row| row.text())? {
                text.push_str(&piece);
            }
        }
        Ok(text)
    }

    /// Stores what doesn't fit into the row of a revision, and returns what does.
    pub(super) fn put_pieces<'t>(
        &self,
        id: &str,
        revision: u64,
        text: Option<&'t str>,
    ) -> Result<Option<&'t str>, StoreError> {
        let Some(text) = text else {
            return Ok(None);
        };
        let mut pieces = pieces(text);
        let first = pieces.next();
        for (place, piece) in (1_u64..).zip(pieces) {
            self.run(
                "INSERT OR REPLACE INTO revision_piece (id, revision, place, text) VALUES (?, ?, ?, ?)",
                &[id.into(), revision.into(), place.into(), piece.into()],
            )?;
        }
        Ok(first)
    }

    /// Returns revisions older than `before`, newest first.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn revisions(
        &self,
        id: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError> {
        let statement = format!(
            "SELECT revision, action, at, {BYTES} FROM revision
             WHERE id = ? AND revision < ? ORDER BY revision DESC LIMIT ?"
        );
        self.all(
            &statement,
            &[id.into(), before.unwrap_or(u64::MAX).into(), limit.into()],
            revision_row,
        )
    }

    /// Returns a bookkeeping value.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn value(&self, name: &str) -> Result<Option<String>, StoreError> {
        let statement = "SELECT value FROM value WHERE name = ?";
        self.first(statement, &[name.into()], |mut row| row.text())
    }

    /// Returns all credentials, each with the hash of its token.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn credentials(&self) -> Result<Vec<(String, Credential)>, StoreError> {
        let statement = "SELECT hash, credential FROM credential";
        self.all(statement, &[], |mut row| Ok((row.text()?, row.json()?)))
    }

    pub(super) fn put_definition(
        &self,
        entry: &Entry,
        action: Action,
        text: Option<&str>,
    ) -> Result<(), StoreError> {
        let text = self.put_pieces(&entry.id, entry.revision, text)?;
        self.run(
            "INSERT INTO revision (id, revision, action, at, text) VALUES (?, ?, ?, ?, ?)",
            &[
                entry.id.as_str().into(),
                entry.revision.into(),
                json(&action)?,
                entry.updated_at.as_str().into(),
                text.into(),
            ],
        )?;
        self.run(
            "INSERT INTO entry (id, revision, deleted, published, updated_at, facts)
             VALUES (?, ?, ?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, deleted = excluded.deleted,
                updated_at = excluded.updated_at, facts = excluded.facts",
            &[
                entry.id.as_str().into(),
                entry.revision.into(),
                entry.deleted.into(),
                entry.published.into(),
                entry.updated_at.as_str().into(),
                json(&entry.facts)?,
            ],
        )
    }

    pub(super) fn put_published(&self, id: &str, revision: Option<u64>) -> Result<(), StoreError> {
        self.run(
            "UPDATE entry SET published = ? WHERE id = ?",
            &[revision.into(), id.into()],
        )
    }

    pub(super) fn put_value(&self, name: &str, value: &str) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO value (name, value) VALUES (?, ?)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            &[name.into(), value.into()],
        )
    }

    pub(super) fn put_credential(
        &self,
        credential: &Credential,
        hash: &str,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO credential (hash, credential) VALUES (?, ?)
             ON CONFLICT (hash) DO UPDATE SET credential = excluded.credential",
            &[hash.into(), json(credential)?],
        )
    }
}

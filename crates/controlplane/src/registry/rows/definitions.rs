//! API definitions, the bookkeeping values, and credentials.

use super::{Entry, Rows};
use crate::registry::sql::{Value, json};
use gatewright_api::dashboard::shape::Credential;
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

impl Rows {
    fn select_entries(&self, rest: &str, values: &[Value]) -> Result<Vec<Entry>, StoreError> {
        let statement =
            format!("SELECT id, revision, deleted, published, updated_at, facts FROM entry {rest}");
        self.all(&statement, values, |mut row| {
            Ok(Entry {
                id: row.text()?,
                revision: row.number()?,
                deleted: row.number()? != 0,
                published: row.maybe_number()?,
                updated_at: row.text()?,
                facts: row.json()?,
            })
        })
    }

    /// Returns API definitions after this id that are not deleted, or still published; at most `limit`.
    ///
    /// # Errors
    /// If the table can't be read. The same holds for the other methods that return rows.
    pub fn entries(&self, after: &str, limit: u32) -> Result<Vec<Entry>, StoreError> {
        let rest = "WHERE id > ? AND (deleted = 0 OR published IS NOT NULL) ORDER BY id LIMIT ?";
        self.select_entries(rest, &[after.into(), limit.into()])
    }

    /// Returns API definitions from this id on, deleted ones included; at most `limit`.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn entries_from(&self, id: &str, limit: u32) -> Result<Vec<Entry>, StoreError> {
        let rest = "WHERE id >= ? ORDER BY id LIMIT ?";
        self.select_entries(rest, &[id.into(), limit.into()])
    }

    /// Returns the deleted API definitions by id: those deleted since a time (RFC 3339), and those still published.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn deleted_entries(&self, since: &str) -> Result<Vec<Entry>, StoreError> {
        let rest = "WHERE deleted = 1 AND (updated_at >= ? OR published IS NOT NULL) ORDER BY id";
        self.select_entries(rest, &[since.into()])
    }

    /// Returns the ids of all deleted API definitions.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn deleted_ids(&self) -> Result<Vec<String>, StoreError> {
        let statement = "SELECT id FROM entry WHERE deleted = 1 ORDER BY id";
        self.all(statement, &[], |mut row| row.text())
    }

    /// Returns an API definition, deleted or not.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn entry(&self, id: &str) -> Result<Option<Entry>, StoreError> {
        Ok(self.select_entries("WHERE id = ?", &[id.into()])?.pop())
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

    pub(super) fn put_entry(&self, entry: &Entry) -> Result<(), StoreError> {
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

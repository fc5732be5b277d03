//! Which revisions each retained generation has served. A row gives the range of generations that served a revision, so
//! a reload writes only what it changes, not everything it publishes.

use super::Rows;
use gatewright_api::resource::Subject;
use gatewright_protocol::error::StoreError;

/// A kind is stored by its word. `until` is the first generation that no longer has the revision; null while it is served.
pub(super) const SCHEMA: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS generation (number INTEGER PRIMARY KEY, line TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS served (
        kind TEXT NOT NULL, id TEXT NOT NULL, since INTEGER NOT NULL, revision INTEGER NOT NULL, until INTEGER,
        PRIMARY KEY (kind, id, since)
    ) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS served_until ON served (until)",
];

impl Rows {
    /// Returns the lines about all retained generations, newest first.
    ///
    /// # Errors
    /// If the table can't be read. The same holds for the other methods that return rows.
    pub fn generations(&self) -> Result<Vec<String>, StoreError> {
        let statement = "SELECT line FROM generation ORDER BY number DESC";
        self.all(statement, &[], |mut row| row.text())
    }

    /// Whether a generation is retained.
    ///
    /// # Errors
    /// As [`Self::generations`].
    pub fn keeps_generation(&self, number: u64) -> Result<bool, StoreError> {
        let statement = "SELECT count(*) FROM generation WHERE number = ?";
        Ok(self.count(statement, &[number.into()])? > 0)
    }

    /// Returns the ids and revisions that a retained generation has served, by id.
    ///
    /// # Errors
    /// As [`Self::generations`].
    pub fn served(&self, kind: Subject, generation: u64) -> Result<Vec<(String, u64)>, StoreError> {
        self.all(
            "SELECT id, revision FROM served
             WHERE kind = ?1 AND since <= ?2 AND (until IS NULL OR until > ?2) ORDER BY id",
            &[kind.resource().word.into(), generation.into()],
            |mut row| Ok((row.text()?, row.number()?)),
        )
    }

    /// Returns the oldest revision of a policy that a retained generation has served; 0 for none.
    ///
    /// # Errors
    /// As [`Self::generations`].
    pub fn oldest_served_policy(&self, id: &str) -> Result<u64, StoreError> {
        let statement = "SELECT min(revision) FROM served WHERE kind = 'policy' AND id = ?";
        self.count(statement, &[id.into()])
    }

    pub(super) fn put_served(
        &self,
        kind: Subject,
        id: &str,
        revision: Option<u64>,
        generation: u64,
    ) -> Result<(), StoreError> {
        self.run(
            "UPDATE served SET until = ? WHERE kind = ? AND id = ? AND until IS NULL",
            &[generation.into(), kind.resource().word.into(), id.into()],
        )?;
        let Some(revision) = revision else {
            return Ok(());
        };
        self.run(
            "INSERT INTO served (kind, id, since, revision) VALUES (?, ?, ?, ?)",
            &[
                kind.resource().word.into(),
                id.into(),
                generation.into(),
                revision.into(),
            ],
        )
    }

    pub(super) fn put_generation(&self, number: u64, line: &str) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO generation (number, line) VALUES (?, ?)",
            &[number.into(), line.into()],
        )
    }

    pub(super) fn keep_generations(&self, most: u32) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM generation WHERE number <=
                (SELECT number FROM generation ORDER BY number DESC LIMIT 1 OFFSET ?)",
            &[most.into()],
        )?;
        self.run(
            "DELETE FROM served WHERE until <= (SELECT min(number) FROM generation)",
            &[],
        )
    }
}

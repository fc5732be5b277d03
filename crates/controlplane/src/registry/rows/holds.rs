//! Writes of sessions that a Ledger has given up: they are refused if they still arrive.

use super::Rows;
use gatewright_protocol::error::StoreError;

/// `write` is the Ledger's name for it, and `at` when it was given up, in Unix milliseconds.
pub(super) const SCHEMA: &[&str] =
    &["CREATE TABLE IF NOT EXISTS given_up (write TEXT PRIMARY KEY, at INTEGER NOT NULL)"];

/// How long they are remembered, in milliseconds. No request lasts as long as a day.
const KEPT_MS: u64 = 24 * 3_600_000;

impl Rows {
    /// Refuses these writes from `now` on, in Unix milliseconds.
    ///
    /// # Errors
    /// If the table can't be written.
    pub fn give_up(&self, writes: &[String], now: u64) -> Result<(), StoreError> {
        self.transaction(&mut || {
            let before = now.saturating_sub(KEPT_MS);
            self.run("DELETE FROM given_up WHERE at < ?", &[before.into()])?;
            writes.iter().try_for_each(|write| {
                self.run(
                    "INSERT OR IGNORE INTO given_up (write, at) VALUES (?, ?)",
                    &[write.as_str().into(), now.into()],
                )
            })
        })
    }

    /// Whether a write is refused.
    ///
    /// # Errors
    /// If the table can't be read.
    pub fn is_given_up(&self, write: &str) -> Result<bool, StoreError> {
        let statement = "SELECT 1 FROM given_up WHERE write = ?";
        let found = self.all(statement, &[write.into()], |_| Ok(()))?;
        Ok(!found.is_empty())
    }
}

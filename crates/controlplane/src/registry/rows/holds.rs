//! Writes of sessions that a Ledger has given up: whatever comes of them is refused.

use super::Rows;
use gatewright_protocol::error::StoreError;

/// `write` is what its Ledger calls it, and `at` when it was given up, Unix milliseconds.
pub(super) const SCHEMA: &[&str] =
    &["CREATE TABLE IF NOT EXISTS given_up (write TEXT PRIMARY KEY, at INTEGER NOT NULL)"];

/// For how long (milliseconds) they are remembered. No request lasts as long as a day.
const KEPT_MS: u64 = 24 * 3_600_000;

impl Rows {
    /// Refuses these writes from now on, a time in Unix milliseconds.
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

    /// True if a write is refused.
    ///
    /// # Errors
    /// If the table can't be read.
    pub fn is_given_up(&self, write: &str) -> Result<bool, StoreError> {
        let statement = "SELECT 1 FROM given_up WHERE write = ?";
        let found = self.all(statement, &[write.into()], |_| Ok(()))?;
        Ok(!found.is_empty())
    }
}

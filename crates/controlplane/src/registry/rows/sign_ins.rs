//! The table of sign-ins.

use super::Rows;
use crate::registry::sql::Row;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::sign_in::Shown;

/// Times are in Unix milliseconds.
pub(super) const SCHEMA: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS sign_in (
        hash TEXT PRIMARY KEY, gateway TEXT, root TEXT, token TEXT,
        begun INTEGER NOT NULL, seen INTEGER NOT NULL
    ) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS sign_in_seen ON sign_in (seen)",
];

/// A stored sign-in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignInRow {
    /// SHA-256 of the cookie's value.
    pub hash: String,
    /// The credentials it was made with.
    pub shown: Shown,
    /// When it was made, in Unix milliseconds.
    pub begun: u64,
    /// When it was last used, in Unix milliseconds.
    pub seen: u64,
}

fn read(mut row: Row) -> Result<SignInRow, StoreError> {
    Ok(SignInRow {
        hash: row.text()?,
        shown: Shown {
            gateway: row.maybe_text()?,
            root: row.maybe_text()?,
            token: row.maybe_text()?,
        },
        begun: row.number()?,
        seen: row.number()?,
    })
}

impl Rows {
    /// Returns the sign-in with this hash.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn sign_in(&self, hash: &str) -> Result<Option<SignInRow>, StoreError> {
        let statement =
            "SELECT hash, gateway, root, token, begun, seen FROM sign_in WHERE hash = ?";
        self.first(statement, &[hash.into()], read)
    }

    pub(super) fn put_sign_in(&self, row: &SignInRow) -> Result<(), StoreError> {
        self.run(
            "INSERT OR REPLACE INTO sign_in (hash, gateway, root, token, begun, seen)
             VALUES (?, ?, ?, ?, ?, ?)",
            &[
                row.hash.as_str().into(),
                row.shown.gateway.as_deref().into(),
                row.shown.root.as_deref().into(),
                row.shown.token.as_deref().into(),
                row.begun.into(),
                row.seen.into(),
            ],
        )
    }

    pub(super) fn remove_sign_in(&self, hash: &str) -> Result<(), StoreError> {
        self.run("DELETE FROM sign_in WHERE hash = ?", &[hash.into()])
    }

    /// Removes sign-ins made with the gateway secret if this one was, and likewise for either kind of token.
    pub(super) fn remove_sign_ins(&self, shown: &Shown) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM sign_in WHERE (?1 AND gateway IS NOT NULL) OR (?2 AND root IS NOT NULL)
             OR token = ?3",
            &[
                shown.gateway.is_some().into(),
                shown.root.is_some().into(),
                shown.token.as_deref().into(),
            ],
        )
    }

    /// Removes sign-ins not used since one time or made before another, and the least recently used ones beyond a number
    /// of those with one token, and beyond `keep`.
    pub(super) fn trim_sign_ins(
        &self,
        (seen, begun): (u64, u64),
        keep: u32,
        of: Option<(&str, u32)>,
    ) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM sign_in WHERE seen <= ? OR begun <= ?",
            &[seen.into(), begun.into()],
        )?;
        if let Some((token, keep)) = of {
            self.run(
                "DELETE FROM sign_in WHERE hash IN (SELECT hash FROM sign_in WHERE token = ?
                 ORDER BY seen DESC, hash LIMIT -1 OFFSET ?)",
                &[token.into(), keep.into()],
            )?;
        }
        self.run(
            "DELETE FROM sign_in WHERE hash IN
             (SELECT hash FROM sign_in ORDER BY seen DESC, hash LIMIT -1 OFFSET ?)",
            &[keep.into()],
        )
    }
}

//! Statements that only exports and imports need.

use super::Rows;
use crate::registry::sessions::SessionRow;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::sessions::Owner;

impl Rows {
    /// Returns sessions with ids after this one, ordered by id, with their texts.
    ///
    /// # Errors
    /// As [`Self::entries`], and if only their Ledgers have some of the texts.
    pub fn sessions_after(
        &self,
        owner: Owner,
        id: &str,
        limit: u32,
    ) -> Result<Vec<(SessionRow, String)>, StoreError> {
        let statement = format!(
            "SELECT {}, (SELECT text FROM session_text t WHERE t.owner = ?1 AND t.id = session.id)
             FROM session WHERE owner = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            super::sessions::COLUMNS
        );
        let values = [owner.word().into(), id.into(), limit.into()];
        let found = self.all(&statement, &values, |mut row| {
            Ok((super::sessions::read(owner, &mut row)?, row.maybe_text()?))
        })?;
        // All that are missing are wanted at once.
        let found = found.into_iter().map(|(row, text)| {
            let text = self.session_text(&row, text);
            (row, text)
        });
        let found: Vec<_> = found.collect();
        found
            .into_iter()
            .map(|(row, text)| Ok((row, text?)))
            .collect()
    }

    /// Counts the keys and the organisations with a session.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn count_sessions(&self) -> Result<(u64, u64), StoreError> {
        let count = |owner: Owner| {
            let statement = "SELECT count(*) FROM session WHERE owner = ?";
            self.count(statement, &[owner.word().into()])
        };
        Ok((count(Owner::Key)?, count(Owner::Organisation)?))
    }

    /// Removes every document, session and credential with everything that belongs to it, except those that entries of
    /// the trail after this one are about.
    pub(super) fn empty(&self, begun: u64, number: u64) -> Result<(), StoreError> {
        self.put_all_ends(begun, number)?;
        for (table, id) in [
            ("entry", "id"),
            ("revision", "id"),
            ("revision_piece", "id"),
            ("record", "id"),
            ("record_revision", "id"),
            ("session", "id"),
            ("session_text", "id"),
            ("session_mark", "id"),
            ("credential", "credential ->> 'id'"),
            ("hook_secret", "hook"),
            ("certificate", "id"),
            ("oauth_client", "id"),
            ("oauth_code", "client"),
            ("oauth_token", "client"),
        ] {
            let statement = format!(
                "DELETE FROM {table} WHERE {id} NOT IN (SELECT id FROM audit WHERE seq > ?)"
            );
            self.run(&statement, &[begun.into()])?;
        }
        self.run("DELETE FROM generation", &[])?;
        self.run("DELETE FROM served", &[])
    }
}

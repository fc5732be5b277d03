//! Statements that only exports and imports need.

use super::Rows;
use crate::registry::sessions::SessionRow;
use crate::registry::sql::json;
use gatewright_api::message::Action;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;
use gatewright_protocol::sessions::Owner;

/// A stored revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Older {
    /// The kind of document; `None` for an API definition.
    pub kind: Option<Kind>,
    /// The internal id.
    pub id: String,
    /// Its number.
    pub revision: u64,
    /// The kind of write that made it.
    pub action: Action,
    /// When it was made, RFC 3339.
    pub at: String,
    /// The full text, if it is stored as one.
    pub text: Option<String>,
    /// The merge patch on the previous revision, if it is stored as one; a deletion has neither.
    pub patch: Option<String>,
}

impl Rows {
    /// Returns the oldest revision of a document between two others, both excluded.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn older(
        &self,
        kind: Option<Kind>,
        id: &str,
        (after, below): (u64, u64),
    ) -> Result<Option<Older>, StoreError> {
        let mut values = vec![id.into(), after.into(), below.into()];
        let statement = match kind {
            None => {
                "SELECT revision, action, at, text, NULL FROM revision
                 WHERE id = ?1 AND revision > ?2 AND revision < ?3 ORDER BY revision LIMIT 1"
            }
            Some(kind) => {
                values.push(json(&kind)?);
                "SELECT revision, action, at, text, patch FROM record_revision
                 WHERE kind = ?4 AND id = ?1 AND revision > ?2 AND revision < ?3
                 ORDER BY revision LIMIT 1"
            }
        };
        let found = self.first(statement, &values, |mut row| {
            Ok(Older {
                kind,
                id: id.to_owned(),
                revision: row.number()?,
                action: row.json()?,
                at: row.text()?,
                text: row.maybe_text()?,
                patch: row.maybe_text()?,
            })
        })?;
        let Some(mut older) = found else {
            return Ok(None);
        };
        if kind.is_none()
            && let Some(text) = older.text.take()
        {
            older.text = Some(self.complete(id, older.revision, text)?);
        }
        Ok(Some(older))
    }

    /// Returns sessions with ids after this one, ordered by id, with their texts.
    ///
    /// # Errors
    /// As [`Self::entries`].
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
        self.all(&statement, &values, |mut row| {
            Ok((super::sessions::read(owner, &mut row)?, row.text()?))
        })
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

    /// Stores a revision that is not the newest, unless it exists.
    pub(super) fn put_older(&self, older: &Older) -> Result<(), StoreError> {
        let mut text = older.text.as_deref();
        if older.kind.is_none() {
            text = self.put_pieces(&older.id, older.revision, text)?;
        }
        let mut values = vec![
            older.id.as_str().into(),
            older.revision.into(),
            json(&older.action)?,
            older.at.as_str().into(),
            text.into(),
        ];
        let Some(kind) = older.kind else {
            let statement = "INSERT OR IGNORE INTO revision (id, revision, action, at, text)
                VALUES (?, ?, ?, ?, ?)";
            return self.run(statement, &values);
        };
        values.extend([older.patch.as_deref().into(), json(&kind)?]);
        self.run(
            "INSERT OR IGNORE INTO record_revision (id, revision, action, at, text, patch, kind)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
            &values,
        )
    }

    /// Removes every document, session and credential with everything that belongs to it.
    pub(super) fn empty(&self) -> Result<(), StoreError> {
        for table in [
            "entry",
            "revision",
            "revision_piece",
            "record",
            "record_revision",
            "session",
            "session_text",
            "session_mark",
            "credential",
            "hook_secret",
            "certificate",
            "oauth_client",
            "oauth_code",
            "oauth_token",
            "generation",
            "served",
        ] {
            self.run(&format!("DELETE FROM {table}"), &[])?;
        }
        Ok(())
    }
}

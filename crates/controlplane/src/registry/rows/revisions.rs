//! The revisions of documents of every kind. Those of API definitions have a table of their own; what its rows lack,
//! and what only they have, is in [`Table`] and [`pieces`].

use super::published::{TEXT_MAX, pieces};
use super::{Body, Document, DocumentId, Rows};
use crate::registry::sql::{Row, json};
use gatewright_api::message::Action;
use gatewright_api::resource::Subject;
use gatewright_model::merge;
use gatewright_protocol::error::StoreError;

/// What is known about a stored revision besides its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionRow {
    /// Its number.
    pub revision: u64,
    /// The kind of write that made it.
    pub action: Action,
    /// When it was made, RFC 3339.
    pub at: String,
    /// The size of its text, or of its patch, in bytes; 0 for a deletion.
    pub bytes: u64,
}

/// A stored revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Older {
    /// The kind of document.
    pub kind: Subject,
    /// Its id; for a record the internal one.
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

/// The table with the revisions of a kind, as statements refer to it.
struct Table {
    name: &'static str,
    /// The condition for the rows of the document whose id is the first parameter.
    own: String,
    /// The merge patch of a row.
    patch: &'static str,
    /// The size of a row's text or patch in bytes.
    bytes: &'static str,
}

impl Table {
    fn of(kind: Subject) -> Self {
        if kind == Subject::Api {
            return Self {
                name: "revision",
                own: "id = ?1".to_owned(),
                patch: "NULL",
                bytes: "coalesce(length(CAST(text AS BLOB)), 0) + coalesce((SELECT
                    sum(length(CAST(p.text AS BLOB))) FROM revision_piece p
                    WHERE p.id = revision.id AND p.revision = revision.revision), 0)",
            };
        }
        Self {
            name: "record_revision",
            own: format!("kind = '\"{}\"' AND id = ?1", kind.resource().word),
            patch: "patch",
            bytes: "coalesce(length(CAST(coalesce(text, patch) AS BLOB)), 0)",
        }
    }

    /// Builds the statement that selects columns of a document's revisions.
    fn select(&self, columns: &str, rest: &str) -> String {
        let Self { name, own, .. } = self;
        format!("SELECT {columns} FROM {name} WHERE {own} AND {rest}")
    }
}

impl Rows {
    /// Returns the text of a definition's revision; `None` for a deletion or an unknown one.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn text(&self, id: &str, revision: u64) -> Result<Option<String>, StoreError> {
        self.text_of(DocumentId::api(id), revision)
    }

    /// Returns the text of a revision; `None` for a deletion or an unknown one.
    ///
    /// # Errors
    /// As [`Self::entries`], or if a stored patch is malformed.
    pub fn text_of(&self, of: DocumentId<'_>, revision: u64) -> Result<Option<String>, StoreError> {
        let table = Table::of(of.kind);
        let statement = table.select(&format!("text, {}", table.patch), "revision = ?2");
        match self.first(&statement, &[of.id.into(), revision.into()], body)? {
            Some((Some(text), _)) => self.complete(of, revision, text).map(Some),
            Some((None, Some(_))) => self.patched(of, revision),
            Some((None, None)) | None => Ok(None),
        }
    }

    /// Returns the text of a revision that is stored as a patch: the newest full text before it, and the patches after
    /// that.
    fn patched(&self, of: DocumentId<'_>, revision: u64) -> Result<Option<String>, StoreError> {
        let table = Table::of(of.kind);
        let newest = table.select("max(revision)", "revision <= ?2 AND text IS NOT NULL");
        let statement = table.select(
            "text, patch",
            &format!("revision <= ?2 AND revision >= ({newest}) ORDER BY revision"),
        );
        let mut found: Option<String> = None;
        for stored in self.all(&statement, &[of.id.into(), revision.into()], body)? {
            found = Some(match (stored, found) {
                ((Some(text), _), _) => text,
                ((None, Some(patch)), Some(before)) => patched(&before, &patch)?,
                _ => return Err(StoreError::new("read document", "a patch without its text")),
            });
        }
        Ok(found)
    }

    /// Completes a text with its pieces in other rows.
    fn complete(
        &self,
        of: DocumentId<'_>,
        revision: u64,
        mut text: String,
    ) -> Result<String, StoreError> {
        // A piece ends at a character boundary, and a character has at most four bytes.
        if of.kind == Subject::Api && text.len() > TEXT_MAX.saturating_sub(4) {
            let statement =
                "SELECT text FROM revision_piece WHERE id = ? AND revision = ? ORDER BY place";
            let values = [of.id.into(), revision.into()];
            for piece in self.all(statement, &values, |mut row| row.text())? {
                text.push_str(&piece);
            }
        }
        Ok(text)
    }

    /// Returns revisions of a document older than `before`, newest first.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn revisions(
        &self,
        of: DocumentId<'_>,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError> {
        let table = Table::of(of.kind);
        let columns = format!("revision, action, at, {}", table.bytes);
        let rest = "revision < ?2 ORDER BY revision DESC LIMIT ?3";
        let before = before.unwrap_or(u64::MAX);
        self.all(
            &table.select(&columns, rest),
            &[of.id.into(), before.into(), limit.into()],
            |mut row| {
                Ok(RevisionRow {
                    revision: row.number()?,
                    action: row.json()?,
                    at: row.text()?,
                    bytes: row.number()?,
                })
            },
        )
    }

    /// Returns the oldest revisions of a document after one, at most `limit`, and the one following them: number and
    /// time of each.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn oldest_revisions(
        &self,
        of: DocumentId<'_>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<(u64, String)>, StoreError> {
        let rest = "revision > ?2 ORDER BY revision LIMIT ?3";
        self.all(
            &Table::of(of.kind).select("revision, at", rest),
            &[of.id.into(), after.into(), limit.saturating_add(1).into()],
            |mut row| Ok((row.number()?, row.text()?)),
        )
    }

    /// Returns the oldest revision of a document between two others, both excluded, as it is stored.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn older(
        &self,
        of: DocumentId<'_>,
        (after, below): (u64, u64),
    ) -> Result<Option<Older>, StoreError> {
        let table = Table::of(of.kind);
        let statement = table.select(
            &format!("text, {}, revision, action, at", table.patch),
            "revision > ?2 AND revision < ?3 ORDER BY revision LIMIT 1",
        );
        let values = [of.id.into(), after.into(), below.into()];
        let found = self.first(&statement, &values, |mut row| {
            Ok(Older {
                kind: of.kind,
                id: of.id.to_owned(),
                text: row.maybe_text()?,
                patch: row.maybe_text()?,
                revision: row.number()?,
                action: row.json()?,
                at: row.text()?,
            })
        })?;
        let Some(mut older) = found else {
            return Ok(None);
        };
        if let Some(text) = older.text.take() {
            older.text = Some(self.complete(of, older.revision, text)?);
        }
        Ok(Some(older))
    }

    /// Stores a revision that is not the newest, unless it exists.
    pub(super) fn put_older(&self, older: &Older) -> Result<(), StoreError> {
        let of = DocumentId {
            kind: older.kind,
            id: &older.id,
        };
        let body = match (&older.text, &older.patch) {
            (Some(text), _) => Body::Text(text),
            (None, Some(patch)) => Body::Patch(patch),
            (None, None) => Body::Gone,
        };
        let written = (older.action, older.at.as_str());
        self.put_revision("INSERT OR IGNORE", of, older.revision, written, body)
    }

    /// Stores a new revision of a document, and what is known about the document from then on.
    pub(super) fn put_document(
        &self,
        document: &Document,
        action: Action,
        body: Body<'_>,
    ) -> Result<(), StoreError> {
        let head = document.head();
        let written = (action, head.updated_at);
        self.put_revision("INSERT", head.of, head.revision, written, body)?;
        match document {
            Document::Definition(entry) => self.put_entry(entry),
            Document::Record(record) => self.put_record(record),
        }
    }

    /// Stores a revision; `insert` decides what happens if it exists.
    fn put_revision(
        &self,
        insert: &str,
        of: DocumentId<'_>,
        revision: u64,
        (action, at): (Action, &str),
        body: Body<'_>,
    ) -> Result<(), StoreError> {
        let (mut text, patch) = match body {
            Body::Text(text) => (Some(text), None),
            Body::Patch(patch) => (None, Some(patch)),
            Body::Gone => (None, None),
        };
        if of.kind == Subject::Api {
            text = self.put_pieces(of.id, revision, text)?;
        }
        let mut values = vec![
            of.id.into(),
            revision.into(),
            json(&action)?,
            at.into(),
            text.into(),
        ];
        let (columns, places) = match of.kind {
            Subject::Api => ("", ""),
            kind => {
                values.extend([patch.into(), json(&kind)?]);
                (", patch, kind", ", ?, ?")
            }
        };
        let name = Table::of(of.kind).name;
        let statement = format!(
            "{insert} INTO {name} (id, revision, action, at, text{columns}) VALUES (?, ?, ?, ?, ?{places})"
        );
        self.run(&statement, &values)
    }

    /// Stores what doesn't fit into the row of a revision, and returns what does.
    fn put_pieces<'t>(
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
}

/// Reads the text and the patch of a row.
fn body(mut row: Row) -> Result<(Option<String>, Option<String>), StoreError> {
    Ok((row.maybe_text()?, row.maybe_text()?))
}

/// Applies a stored patch to a stored document; both were checked before they were stored.
pub(in crate::registry) fn patched(text: &str, patch: &str) -> Result<String, StoreError> {
    merge::merge_stored(text, patch)
        .map_err(|error| StoreError::new("apply merge patch", format!("{error:?}")))
}

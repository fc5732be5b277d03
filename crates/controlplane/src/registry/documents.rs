//! Documents of every kind: definitions, whose facts are in [`Index`](super::index::Index), and records, whose facts are
//! in [`Records`](super::records::Records).

use super::Turn;
use super::rows::{Document, DocumentId, Head};
use gatewright_api::resource::Subject;
use gatewright_api::shape::{Revision, Revisions};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;

impl Turn<'_> {
    /// Returns the newest revision of a document, deleted or not.
    pub(super) fn revision(&self, of: DocumentId<'_>) -> Result<Option<u64>, StoreError> {
        Ok(match Kind::of(of.kind) {
            None => self.rows.entry(of.id)?.map(|entry| entry.revision),
            Some(kind) => {
                let record = self.rows.record(kind, of.id)?;
                record.map(|record| record.revision)
            }
        })
    }

    /// Returns the first document of a kind after this id, deleted or not.
    pub(super) fn document_after(
        &self,
        kind: Subject,
        id: &str,
    ) -> Result<Option<Document>, StoreError> {
        Ok(match Kind::of(kind) {
            None => {
                let entries = self.rows.entries_from(id, 2)?;
                let mut entries = entries.into_iter().filter(|entry| entry.id != id);
                entries.next().map(Document::Definition)
            }
            Some(kind) => self.rows.record_after(kind, id)?.map(Document::Record),
        })
    }

    /// Returns the documents from this one on, APIs first, deleted ones included; at most `limit`.
    pub(super) fn documents_from(
        &self,
        of: DocumentId<'_>,
        limit: u32,
    ) -> Result<Vec<Document>, StoreError> {
        let kind = Kind::of(of.kind);
        let entries = match kind {
            None => self.rows.entries_from(of.id, limit)?,
            Some(_) => Vec::new(),
        };
        let left = u32::try_from(entries.len()).map_or(0, |found| limit.saturating_sub(found));
        let records = self
            .rows
            .records_from(kind.map(|kind| (kind, of.id)), left)?;
        let entries = entries.into_iter().map(Document::Definition);
        let records = records.into_iter().map(Document::Record);
        Ok(entries.chain(records).collect())
    }

    /// Returns the revision of an API definition that the last reload published.
    pub(super) fn published(&self, of: DocumentId<'_>) -> Option<u64> {
        match of.kind {
            Subject::Api => self.index.get(of.id)?.published,
            _ => None,
        }
    }

    /// Lists revisions of a document older than a number, at most so many, with their authors. `org` is the
    /// organisation whose audit trail includes the document.
    pub(super) fn revisions(
        &self,
        head: Head<'_>,
        org: &str,
        (before, limit): (Option<u64>, u32),
    ) -> Result<Revisions, StoreError> {
        let found = self.rows.revisions(head.of, before, limit)?;
        let newest = found.first().map_or(0, |row| row.revision);
        let oldest = found.last().map_or(0, |row| row.revision);
        let mut authors = self.rows.authors(org, head.of, (oldest, newest))?;
        let revisions = found.into_iter().map(|row| Revision {
            revision: row.revision,
            at: row.at,
            action: row.action,
            bytes: row.bytes,
            current: row.revision == head.revision,
            by: authors.remove(&row.revision).unwrap_or_default(),
        });
        Ok(Revisions {
            api_id: head.of.id.to_owned(),
            revisions: revisions.collect(),
        })
    }

    /// Notes what is known about a document from now on.
    pub(super) fn put(&mut self, document: Document) {
        match document {
            Document::Definition(entry) => self.index.put(entry),
            Document::Record(record) => self.records.put(record),
        }
    }
}

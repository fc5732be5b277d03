//! Documents of every kind: definitions, whose facts are in [`Index`](super::index::Index), and records, whose facts are
//! in [`Records`](super::records::Records).

use super::Turn;
use super::rows::{Document, DocumentId, Entry, Head, Record};
use gatewright_api::resource::Subject;
use gatewright_api::shape::{Revision, Revisions};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;

impl Turn<'_> {
    /// Returns what is known about a document, deleted or not.
    pub(super) fn head(&self, of: DocumentId<'_>) -> Option<Head<'_>> {
        match Kind::of(of.kind) {
            None => self.index.get(of.id).map(Entry::head),
            Some(kind) => self.records.of_id(kind, of.id).map(Record::head),
        }
    }

    /// Returns the first document of a kind after this id, deleted or not.
    pub(super) fn document_after(&self, kind: Subject, id: &str) -> Option<Document> {
        match Kind::of(kind) {
            None => self.index.after(id).cloned().map(Document::Definition),
            Some(kind) => {
                let record = self.records.after(kind, id).next().cloned();
                record.map(Document::Record)
            }
        }
    }

    /// Returns what is known about all documents from this one on, APIs first.
    pub(super) fn heads_from<'s>(&'s self, of: DocumentId<'s>) -> impl Iterator<Item = Head<'s>> {
        let kind = Kind::of(of.kind);
        let apis = kind.is_none().then(|| self.index.from(of.id));
        let apis = apis.into_iter().flatten().map(Entry::head);
        let records = self.records.from(kind.map(|kind| (kind, of.id)));
        apis.chain(records.map(Record::head))
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

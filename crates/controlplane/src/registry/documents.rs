//! Documents of every kind: definitions, whose facts are in [`Index`](super::index::Index), and records, whose facts are
//! in [`Records`](super::records::Records).

use super::Turn;
use super::rows::{Document, DocumentId, Entry, Head, Record};
use gatewright_api::resource::Subject;
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

    /// Notes what is known about a document from now on.
    pub(super) fn put(&mut self, document: Document) {
        match document {
            Document::Definition(entry) => self.index.put(entry),
            Document::Record(record) => self.records.put(record),
        }
    }
}

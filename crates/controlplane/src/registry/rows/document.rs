//! What is stored about documents besides their texts.

use crate::registry::index::Facts;
use crate::registry::records::RecordFacts;
use gatewright_api::resource::Subject;
use gatewright_model::shape::Root;
use gatewright_protocol::records::Kind;

/// Identifies a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentId<'a> {
    /// The kind of document.
    pub kind: Subject,
    /// The id of an API, or the internal id of a record.
    pub id: &'a str,
}

impl<'a> DocumentId<'a> {
    /// Identifies an API definition.
    #[must_use]
    pub const fn api(id: &'a str) -> Self {
        let kind = Subject::Api;
        Self { kind, id }
    }

    /// Identifies a record.
    #[must_use]
    pub const fn record(kind: Kind, id: &'a str) -> Self {
        let kind = kind.row().subject;
        Self { kind, id }
    }
}

/// Returns the shape of documents of a kind.
#[must_use]
pub fn root(kind: Subject) -> Root {
    Kind::of(kind).map_or(Root::ApiDefinition, |kind| kind.row().root)
}

/// What is stored about an API definition besides its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The API's id.
    pub id: String,
    /// The newest revision.
    pub revision: u64,
    /// Whether that revision is a deletion.
    pub deleted: bool,
    /// The revision that the last reload published, if any.
    pub published: Option<u64>,
    /// When the newest revision was stored, RFC 3339.
    pub updated_at: String,
    /// Facts about the newest text.
    pub facts: Facts,
}

/// What is stored about a document of the dashboard besides its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The kind of document.
    pub kind: Kind,
    /// The internal id: 24 hexadecimal digits.
    pub id: String,
    /// The organisation it belongs to.
    pub org: String,
    /// The newest revision.
    pub revision: u64,
    /// Whether that revision is a deletion.
    pub deleted: bool,
    /// When the first revision was stored, RFC 3339.
    pub created_at: String,
    /// When the newest revision was stored, RFC 3339.
    pub updated_at: String,
    /// Facts about the newest text.
    pub facts: RecordFacts,
}

/// A document of any kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of what is in them")]
pub enum Document {
    Definition(Entry),
    Record(Record),
}

/// What documents of every kind have.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The document.
    pub of: DocumentId<'a>,
    /// Its name.
    pub name: &'a str,
    /// The newest revision.
    pub revision: u64,
    /// Whether that revision is a deletion.
    pub deleted: bool,
    /// When the newest revision was stored, RFC 3339.
    pub updated_at: &'a str,
}

impl Head<'_> {
    /// Returns the newest revision; `None` if the document is deleted.
    #[must_use]
    pub fn live(&self) -> Option<u64> {
        (!self.deleted).then_some(self.revision)
    }

    /// Whether it is not deleted, or was deleted at this time or later.
    #[must_use]
    pub fn is_there(&self, since: &str) -> bool {
        !self.deleted || self.updated_at >= since
    }
}

impl Entry {
    /// Returns what it has in common with other kinds.
    #[must_use]
    pub fn head(&self) -> Head<'_> {
        Head {
            of: DocumentId::api(&self.id),
            name: &self.facts.name,
            revision: self.revision,
            deleted: self.deleted,
            updated_at: &self.updated_at,
        }
    }
}

impl Record {
    /// Returns what it has in common with other kinds.
    #[must_use]
    pub fn head(&self) -> Head<'_> {
        Head {
            of: DocumentId::record(self.kind, &self.id),
            name: &self.facts.name,
            revision: self.revision,
            deleted: self.deleted,
            updated_at: &self.updated_at,
        }
    }
}

impl Document {
    /// Returns what it has in common with other kinds.
    #[must_use]
    pub fn head(&self) -> Head<'_> {
        match self {
            Self::Definition(entry) => entry.head(),
            Self::Record(record) => record.head(),
        }
    }
}

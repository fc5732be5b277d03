//! The tables of the Registry as a synchronous port: SQLite in a Durable Object answers at once.

use crate::error::StoreError;
use crate::registry::index::Facts;
use gatewright_api::message::Action;
use serde::{Deserialize, Serialize};

/// What is stored about a document besides its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The API's id.
    pub id: String,
    /// The newest revision.
    pub revision: u64,
    /// True if that revision is a deletion.
    pub deleted: bool,
    /// The revision that the last reload published, if it holds any.
    pub published: Option<u64>,
    /// When the newest revision was stored, RFC 3339.
    pub updated_at: String,
    /// What the newest text says.
    pub facts: Facts,
}

/// One revision to append. The entry's revision is its number.
#[derive(Clone, Debug)]
pub struct Append<'a> {
    /// The entry after the write.
    pub entry: Entry,
    /// What the write does.
    pub action: Action,
    /// The document; `None` for a deletion.
    pub text: Option<&'a str>,
}

/// What is known about a stored revision besides its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionRow {
    /// Its number.
    pub revision: u64,
    /// What made it.
    pub action: Action,
    /// When, RFC 3339.
    pub at: String,
    /// Size of its text in bytes, 0 for a deletion.
    pub bytes: u64,
}

/// The stored rows. Every method is one statement or one transaction.
pub trait Rows {
    /// All entries, deleted ones included.
    ///
    /// # Errors
    /// If the table can't be read. The same holds for each method.
    fn entries(&self) -> Result<Vec<Entry>, StoreError>;
    /// The text of a revision; `None` for a deletion or an unknown one.
    fn text(&self, id: &str, revision: u64) -> Result<Option<String>, StoreError>;
    /// Appends revisions, all or none, and makes each the newest of its document.
    fn append(&self, appends: &[Append<'_>]) -> Result<(), StoreError>;
    /// Revisions older than `before`, newest first.
    fn revisions(
        &self,
        id: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError>;
    /// A value of the reload's bookkeeping.
    fn value(&self, name: &str) -> Result<Option<String>, StoreError>;
    /// Sets a value of the reload's bookkeeping.
    fn set_value(&self, name: &str, value: &str) -> Result<(), StoreError>;
    /// Notes which revision of which document is published now, together with a value.
    fn set_published(
        &self,
        published: &[(String, Option<u64>)],
        name: &str,
        value: &str,
    ) -> Result<(), StoreError>;
}

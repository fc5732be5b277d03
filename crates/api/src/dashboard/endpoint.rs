//! Every endpoint of the dashboard API as data: router, OpenAPI document and the tests of refused
//! callers read this one table.

mod table;

pub use table::DASHBOARD;

use super::{Access, Group};
use crate::endpoint::{Found, Parameter, find_in};
use serde::Serialize;

/// What an endpoint does. The control plane has one exhaustive match over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Operation {
    /// A page of documents.
    List(Group),
    /// Stores a new document.
    Create(Group),
    /// One document.
    Fetch(Group),
    /// Replaces a document.
    Replace(Group),
    /// Deletes a document; its revisions stay.
    Delete(Group),
    /// Brings a deleted document back.
    Restore(Group),
    /// The revisions of a document.
    Revisions(Group),
    /// The document as it was.
    Revision(Group),
    /// Stores an earlier revision as the newest one.
    RestoreRevision(Group),
    /// Merge-patches the mappings of a client identity provider.
    PatchMappings,
    /// One mapping.
    FetchMapping,
    /// Replaces one mapping.
    ReplaceMapping,
    /// Removes one mapping.
    DeleteMapping,
    /// The categories of the organisation's APIs.
    Categories,
    /// The organisation's notifications.
    Notifications,
    /// The organisation's notifications as they come.
    Stream,
    /// What was sent to a webhook.
    Deliveries,
    /// Sends a failed or pending notification to a webhook again.
    RetryDelivery,
    /// Sends a sample to a webhook.
    TestHook,
    /// Makes a new signing secret of a webhook.
    RotateSecret,
    /// The audit trail.
    Audit,
    /// One entry of the audit trail with what it changed.
    AuditEntry,
}

/// One row of the contract.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Endpoint {
    /// The HTTP method in upper case.
    pub method: &'static str,
    /// The path template; `{name}` is one segment.
    pub path: &'static str,
    /// What it does.
    pub operation: Operation,
    /// The group it belongs to; without one, reading access to any group is enough.
    pub group: Option<Group>,
    /// The access that it takes.
    pub access: Access,
    /// One sentence for the reader of the OpenAPI document.
    pub summary: &'static str,
    /// Query and header parameters.
    pub parameters: &'static [Parameter],
    /// Name of the request body's schema, empty if it takes none.
    pub body: &'static str,
    /// The status of success.
    pub status: u16,
    /// Name of the schema of that answer.
    pub answer: &'static str,
    /// The other statuses it can answer with, besides 401, 403, 405 and 503.
    pub statuses: &'static [u16],
}

/// Finds the endpoint of a request line. One trailing slash makes no difference.
#[must_use]
pub fn find<'p>(method: &str, path: &'p str) -> Found<'p, &'static Endpoint> {
    let rows = DASHBOARD.iter().map(|row| (row.method, row.path, row));
    find_in(rows, method, path)
}

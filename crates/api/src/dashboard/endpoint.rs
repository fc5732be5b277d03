//! Every endpoint of the dashboard API as data: the router, the OpenAPI document and the tests of refused callers read
//! this one table.

mod table;

pub use table::DASHBOARD;

use super::{Access, Group};
use crate::endpoint::{Found, Parameter, find_in};
use crate::resource::Resource;

/// What an endpoint does. The control plane has one exhaustive match over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Lists documents, page by page.
    List(Group),
    /// Stores a new document.
    Create(Group),
    /// Returns a document.
    Fetch(Group),
    /// Replaces a document.
    Replace(Group),
    /// Deletes a document; its revisions stay.
    Delete(Group),
    /// Restores a deleted document.
    Restore(Group),
    /// Lists the revisions of a document.
    Revisions(Group),
    /// Returns the document at a revision.
    Revision(Group),
    /// Stores an earlier revision as the newest one.
    RestoreRevision(Group),
    /// Merge-patches the mappings of a client identity provider.
    PatchMappings,
    /// Returns one mapping.
    FetchMapping,
    /// Replaces one mapping.
    ReplaceMapping,
    /// Removes one mapping.
    DeleteMapping,
    /// Lists the categories of the organisation's APIs.
    Categories,
    /// Lists the organisation's notifications.
    Notifications,
    /// Streams the organisation's notifications as they occur.
    Stream,
    /// Lists the deliveries to a webhook.
    Deliveries,
    /// Sends a notification to a webhook again, whatever came of it.
    RetryDelivery,
    /// Sends a sample to a webhook.
    TestHook,
    /// Creates a new signing secret for a webhook.
    RotateSecret,
    /// Lists the audit trail.
    Audit,
    /// Returns one entry of the audit trail with what it changed.
    AuditEntry,
}

/// One row of the contract.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// The HTTP method in upper case.
    pub method: &'static str,
    /// The path template; `{name}` is one segment.
    pub path: &'static str,
    /// What it does.
    pub operation: Operation,
    /// The required access.
    pub access: Access,
    /// One sentence for the reader of the OpenAPI document.
    pub summary: &'static str,
    /// Query and header parameters.
    pub parameters: &'static [Parameter],
    /// The name of the request body's schema, empty if there is no body.
    pub body: &'static str,
    /// The status of a success.
    pub status: u16,
    /// The name of the schema of a successful response.
    pub answer: &'static str,
    /// The other possible statuses, besides 401, 403, 405 and 503.
    pub statuses: &'static [u16],
}

impl Endpoint {
    /// Returns the group it belongs to; `None` if access to any group is enough.
    #[must_use]
    pub fn group(&self) -> Option<Group> {
        Resource::at(self.path)?.group
    }
}

/// Finds the endpoint for a method and a path. One trailing slash is ignored.
#[must_use]
pub fn find<'p>(method: &str, path: &'p str) -> Found<'p, &'static Endpoint> {
    let rows = DASHBOARD.iter().map(|row| (row.method, row.path, row));
    find_in(rows, method, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_belongs_to_all_groups_has_none() {
        let open = DASHBOARD.iter().filter(|row| row.group().is_none());
        let mut paths: Vec<_> = open.map(|row| row.path).collect();
        paths.retain(|path| {
            !path.starts_with("/api/notifications") && !path.starts_with("/api/audit")
        });
        assert!(
            paths.is_empty(),
            "{paths:?} can be called with access to any group"
        );
    }
}

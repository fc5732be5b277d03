//! Every endpoint of the dashboard API as data: router, OpenAPI document and the tests of refused
//! callers read this one table.

use super::{Access, Group};
use crate::endpoint::{Found, IF_CHANGED, IF_MATCH, IF_NONE_MATCH, Parameter, find_in, query};
use crate::told;
use Access::{Read, Write};
use Group::{Apis, ClientIdps, Hooks, Rulesets};
use serde::Serialize;

/// What an endpoint does. The engine has one exhaustive match over it.
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

const DRY_RUN: Parameter = query(
    "dry_run",
    "boolean",
    "Answer the document, the changes and the warnings, storing nothing",
);
const PAGE: Parameter = query("p", "integer", "The page, from 1; -1 for all on one");
const PER_PAGE: Parameter = query(
    "per_page",
    "integer",
    "Documents a page, 1 to 500, else 100",
);
const SEARCH: Parameter = query("q", "string", "Part of a name or id, any case");
const SORT: Parameter = query(
    "sort",
    "string",
    "`name`, `date_created` or `last_updated`; `-` in front turns it round; else `-last_updated`",
);
const DELETED: Parameter = query(
    "deleted",
    "boolean",
    "Deleted documents instead of the others",
);
const LAST_EVENT_ID: Parameter = Parameter {
    name: "Last-Event-ID",
    location: "header",
    kind: "integer",
    doc: told("The number of the last notification that arrived"),
};
const WRITES: &[Parameter] = &[DRY_RUN, IF_MATCH];
const CREATES: &[Parameter] = &[DRY_RUN, IF_NONE_MATCH];

const fn row(
    method: &'static str,
    path: &'static str,
    operation: Operation,
    (group, access): (Group, Access),
    summary: &'static str,
) -> Endpoint {
    Endpoint {
        method,
        path,
        operation,
        group: Some(group),
        access,
        summary: told(summary),
        parameters: match access {
            Write => WRITES,
            _ => &[],
        },
        body: "",
        status: 200,
        answer: "Envelope",
        statuses: match access {
            Write => &[400, 404, 412],
            _ => &[404],
        },
    }
}

/// The whole dashboard API.
pub const DASHBOARD: &[Endpoint] = &[
    Endpoint {
        parameters: &[
            PAGE,
            PER_PAGE,
            SEARCH,
            query("active", "boolean", "Only active, or only inactive ones"),
            query("is_template", "boolean", "Templates instead of the others"),
            query(
                "categories",
                "string",
                "Only with one of these, comma separated",
            ),
            query("resource_type", "string", "`oas-api` or `mcp-api`"),
            SORT,
            DELETED,
        ],
        answer: "RulesetList",
        ..row(
            "GET",
            "/api/rulesets",
            Operation::List(Rulesets),
            (Rulesets, Read),
            "List rulesets",
        )
    },
    Endpoint {
        parameters: CREATES,
        body: "Ruleset",
        status: 201,
        statuses: &[400, 409, 412, 413],
        ..row(
            "POST",
            "/api/rulesets",
            Operation::Create(Rulesets),
            (Rulesets, Write),
            "Create a ruleset",
        )
    },
    Endpoint {
        parameters: &[IF_CHANGED],
        answer: "Ruleset",
        statuses: &[304, 404],
        ..row(
            "GET",
            "/api/rulesets/{id}",
            Operation::Fetch(Rulesets),
            (Rulesets, Read),
            "Read a ruleset",
        )
    },
    Endpoint {
        body: "Ruleset",
        answer: "Ruleset",
        statuses: &[400, 404, 409, 412, 413],
        ..row(
            "PUT",
            "/api/rulesets/{id}",
            Operation::Replace(Rulesets),
            (Rulesets, Write),
            "Replace a ruleset",
        )
    },
    row(
        "DELETE",
        "/api/rulesets/{id}",
        Operation::Delete(Rulesets),
        (Rulesets, Write),
        "Delete a ruleset; it can be restored",
    ),
    Endpoint {
        answer: "Ruleset",
        statuses: &[400, 404, 409, 412],
        ..row(
            "POST",
            "/api/rulesets/{id}/restore",
            Operation::Restore(Rulesets),
            (Rulesets, Write),
            "Bring a deleted ruleset back",
        )
    },
    Endpoint {
        answer: "Revisions",
        ..row(
            "GET",
            "/api/rulesets/{id}/revisions",
            Operation::Revisions(Rulesets),
            (Rulesets, Read),
            "List the revisions of a ruleset",
        )
    },
    Endpoint {
        answer: "Ruleset",
        ..row(
            "GET",
            "/api/rulesets/{id}/revisions/{revision}",
            Operation::Revision(Rulesets),
            (Rulesets, Read),
            "Read a ruleset as it was",
        )
    },
    Endpoint {
        answer: "Ruleset",
        statuses: &[400, 404, 409, 412],
        ..row(
            "POST",
            "/api/rulesets/{id}/revisions/{revision}/restore",
            Operation::RestoreRevision(Rulesets),
            (Rulesets, Write),
            "Bring a revision of a ruleset back",
        )
    },
    Endpoint {
        parameters: &[PAGE, PER_PAGE, SEARCH, SORT, DELETED],
        answer: "ClientIdpList",
        ..row(
            "GET",
            "/api/clientidps",
            Operation::List(ClientIdps),
            (ClientIdps, Read),
            "List client identity providers",
        )
    },
    Endpoint {
        parameters: CREATES,
        body: "ClientIdentityProvider",
        status: 201,
        statuses: &[400, 409, 412, 413],
        ..row(
            "POST",
            "/api/clientidps",
            Operation::Create(ClientIdps),
            (ClientIdps, Write),
            "Create a client identity provider",
        )
    },
    Endpoint {
        parameters: &[IF_CHANGED],
        answer: "ClientIdentityProvider",
        statuses: &[304, 404],
        ..row(
            "GET",
            "/api/clientidps/{id}",
            Operation::Fetch(ClientIdps),
            (ClientIdps, Read),
            "Read a client identity provider",
        )
    },
    Endpoint {
        body: "ClientIdentityProvider",
        answer: "ClientIdentityProvider",
        statuses: &[400, 404, 409, 412, 413],
        ..row(
            "PUT",
            "/api/clientidps/{id}",
            Operation::Replace(ClientIdps),
            (ClientIdps, Write),
            "Replace a client identity provider",
        )
    },
    row(
        "DELETE",
        "/api/clientidps/{id}",
        Operation::Delete(ClientIdps),
        (ClientIdps, Write),
        "Delete a client identity provider",
    ),
    Endpoint {
        answer: "Revisions",
        ..row(
            "GET",
            "/api/clientidps/{id}/revisions",
            Operation::Revisions(ClientIdps),
            (ClientIdps, Read),
            "List the revisions of a client identity provider",
        )
    },
    Endpoint {
        answer: "ClientIdentityProvider",
        ..row(
            "GET",
            "/api/clientidps/{id}/revisions/{revision}",
            Operation::Revision(ClientIdps),
            (ClientIdps, Read),
            "Read a client identity provider as it was",
        )
    },
    Endpoint {
        answer: "ClientIdentityProvider",
        statuses: &[400, 404, 409, 412],
        ..row(
            "POST",
            "/api/clientidps/{id}/revisions/{revision}/restore",
            Operation::RestoreRevision(ClientIdps),
            (ClientIdps, Write),
            "Bring a revision of a client identity provider back",
        )
    },
    Endpoint {
        body: "MappingsPatch",
        answer: "ClientIdentityProvider",
        statuses: &[400, 404, 412, 413, 415],
        ..row(
            "PATCH",
            "/api/clientidps/{id}/mappings",
            Operation::PatchMappings,
            (ClientIdps, Write),
            "Merge-patch the mappings (RFC 7386), as one write with one notification",
        )
    },
    Endpoint {
        answer: "ScopeMapping",
        ..row(
            "GET",
            "/api/clientidps/{id}/mappings/{apiId}",
            Operation::FetchMapping,
            (ClientIdps, Read),
            "Read the mapping of one API",
        )
    },
    Endpoint {
        body: "ScopeMapping",
        answer: "ClientIdentityProvider",
        statuses: &[400, 404, 412, 413],
        ..row(
            "PUT",
            "/api/clientidps/{id}/mappings/{apiId}",
            Operation::ReplaceMapping,
            (ClientIdps, Write),
            "Replace the mapping of one API",
        )
    },
    row(
        "DELETE",
        "/api/clientidps/{id}/mappings/{apiId}",
        Operation::DeleteMapping,
        (ClientIdps, Write),
        "Remove the mapping of one API",
    ),
    Endpoint {
        parameters: &[PAGE, PER_PAGE, SEARCH, SORT, DELETED],
        answer: "HookList",
        ..row(
            "GET",
            "/api/hooks",
            Operation::List(Hooks),
            (Hooks, Read),
            "List webhooks",
        )
    },
    Endpoint {
        parameters: CREATES,
        body: "Webhook",
        statuses: &[400, 409, 412, 413, 500],
        ..row(
            "POST",
            "/api/hooks",
            Operation::Create(Hooks),
            (Hooks, Write),
            "Create a webhook",
        )
    },
    Endpoint {
        parameters: &[IF_CHANGED],
        answer: "Webhook",
        statuses: &[304, 400],
        ..row(
            "GET",
            "/api/hooks/{hookId}",
            Operation::Fetch(Hooks),
            (Hooks, Read),
            "Read a webhook",
        )
    },
    Endpoint {
        body: "Webhook",
        statuses: &[400, 409, 412, 413, 500],
        ..row(
            "PUT",
            "/api/hooks/{hookId}",
            Operation::Replace(Hooks),
            (Hooks, Write),
            "Replace a webhook completely: what is left out becomes empty",
        )
    },
    row(
        "DELETE",
        "/api/hooks/{hookId}",
        Operation::Delete(Hooks),
        (Hooks, Write),
        "Delete a webhook",
    ),
    Endpoint {
        answer: "Revisions",
        ..row(
            "GET",
            "/api/hooks/{hookId}/revisions",
            Operation::Revisions(Hooks),
            (Hooks, Read),
            "List the revisions of a webhook",
        )
    },
    Endpoint {
        answer: "Webhook",
        ..row(
            "GET",
            "/api/hooks/{hookId}/revisions/{revision}",
            Operation::Revision(Hooks),
            (Hooks, Read),
            "Read a webhook as it was",
        )
    },
    Endpoint {
        answer: "Webhook",
        statuses: &[400, 404, 409, 412],
        ..row(
            "POST",
            "/api/hooks/{hookId}/revisions/{revision}/restore",
            Operation::RestoreRevision(Hooks),
            (Hooks, Write),
            "Bring a revision of a webhook back",
        )
    },
    Endpoint {
        parameters: &[
            query("after", "integer", "The `next` of the page before"),
            query("limit", "integer", "At most so many, 1 to 500, else 100"),
        ],
        answer: "Deliveries",
        statuses: &[400],
        ..row(
            "GET",
            "/api/hooks/{hookId}/deliveries",
            Operation::Deliveries,
            (Hooks, Read),
            "List what was sent to a webhook, newest first, with every attempt",
        )
    },
    Endpoint {
        parameters: &[],
        answer: "Delivery",
        statuses: &[400, 404],
        ..row(
            "POST",
            "/api/hooks/{hookId}/deliveries/{noticeId}/retry",
            Operation::RetryDelivery,
            (Hooks, Write),
            "Send a notification to a webhook again",
        )
    },
    Endpoint {
        parameters: &[],
        answer: "Tested",
        statuses: &[400],
        ..row(
            "POST",
            "/api/hooks/{hookId}/test",
            Operation::TestHook,
            (Hooks, Write),
            "Send a signed sample to a webhook, and tell what came of it",
        )
    },
    Endpoint {
        parameters: &[],
        answer: "NewSecret",
        statuses: &[400],
        ..row(
            "POST",
            "/api/hooks/{hookId}/secret",
            Operation::RotateSecret,
            (Hooks, Write),
            "Make a new signing secret; the one before it signs too for a day",
        )
    },
    Endpoint {
        answer: "Categories",
        statuses: &[],
        ..row(
            "GET",
            "/api/apis/categories",
            Operation::Categories,
            (Apis, Read),
            "List the categories of the organisation's APIs",
        )
    },
    Endpoint {
        group: None,
        parameters: &[
            query(
                "after",
                "integer",
                "Only notifications with a larger number",
            ),
            query("limit", "integer", "At most so many, 1 to 1000, else 100"),
        ],
        answer: "Notifications",
        statuses: &[400],
        ..row(
            "GET",
            "/api/notifications",
            Operation::Notifications,
            (Apis, Read),
            "List notifications, oldest first",
        )
    },
    Endpoint {
        group: None,
        parameters: &[
            query(
                "after",
                "integer",
                "Begin behind this number; without it and `Last-Event-ID`, with what comes from now on",
            ),
            LAST_EVENT_ID,
        ],
        answer: "EventStream",
        statuses: &[400],
        ..row(
            "GET",
            "/api/notifications/stream",
            Operation::Stream,
            (Apis, Read),
            "Notifications as they come (`text/event-stream`)",
        )
    },
    Endpoint {
        group: None,
        parameters: &[
            query("actor", "string", "Only this credential's"),
            query(
                "subject",
                "string",
                "`api`, `ruleset`, `client_idp`, `webhook`, `credential` or `reload`; comma separated",
            ),
            query("id", "string", "Only this document"),
            query(
                "action",
                "string",
                "`added`, `modified`, `deleted` or `restored`",
            ),
            query("from", "string", "Not before this time, RFC 3339"),
            query("to", "string", "Before this time, RFC 3339"),
            query(
                "before",
                "integer",
                "Only entries with a smaller number: the next page",
            ),
            query("limit", "integer", "At most so many, 1 to 1000, else 100"),
            query(
                "format",
                "string",
                "`csv` or `json` for a file with all that match",
            ),
        ],
        answer: "Audit",
        statuses: &[400],
        ..row(
            "GET",
            "/api/audit",
            Operation::Audit,
            (Apis, Read),
            "List administrative writes, newest first",
        )
    },
    Endpoint {
        group: None,
        answer: "AuditDetail",
        statuses: &[400, 404],
        ..row(
            "GET",
            "/api/audit/{seq}",
            Operation::AuditEntry,
            (Apis, Read),
            "Read one administrative write with what it changed",
        )
    },
];

/// Finds the endpoint of a request line. One trailing slash makes no difference.
#[must_use]
pub fn find<'p>(method: &str, path: &'p str) -> Found<'p, &'static Endpoint> {
    let rows = DASHBOARD.iter().map(|row| (row.method, row.path, row));
    find_in(rows, method, path)
}

//! The table itself: one row per method and path.

use super::{Access, Endpoint, Group, Operation};
use crate::docs_only;
use crate::endpoint::{IF_CHANGED, IF_MATCH, IF_NONE_MATCH, Parameter, query};
use Group::{Apis, ClientIdps, Hooks, Rulesets};
use Operation::*;

const DRY_RUN: Parameter = query(
    "dry_run",
    "boolean",
    "Answer the document, the changes and the warnings, storing nothing",
);
const PAGE: Parameter = query("p", "page", "The page, from 1; -1 for all on one");
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
    required: false,
    doc: docs_only("The number of the last notification that arrived"),
};
const WRITES: &[Parameter] = &[DRY_RUN, IF_MATCH];
const CREATES: &[Parameter] = &[DRY_RUN, IF_NONE_MATCH];

/// Returns the defaults of a row, by the required access.
const fn row(access: Access) -> Endpoint {
    let writes = matches!(access, Access::Write);
    Endpoint {
        method: "",
        path: "",
        operation: Operation::Categories,
        group: None,
        access,
        summary: "",
        parameters: if writes { WRITES } else { &[] },
        body: "",
        status: 200,
        answer: "Envelope",
        statuses: if writes {
            &[400, 404, 412]
        } else {
            &[400, 404]
        },
    }
}

/// Rows as access, method, path, operation, group, summary, and any other fields.
macro_rules! endpoints {
    ($($access:ident $method:ident $path:literal $operation:expr, $group:expr, $summary:literal { $($field:ident: $value:expr),* $(,)? })*) => {
        &[$(Endpoint {
            method: stringify!($method),
            path: $path,
            operation: $operation,
            group: $group,
            summary: docs_only($summary),
            $($field: $value,)*
            ..row(Access::$access)
        }),*]
    };
}

/// The whole dashboard API.
pub const DASHBOARD: &[Endpoint] = endpoints! {
    Read GET "/api/rulesets" List(Rulesets), Some(Rulesets), "List rulesets" {
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
    }
    Write POST "/api/rulesets" Create(Rulesets), Some(Rulesets), "Create a ruleset" {
        parameters: CREATES, body: "Ruleset", status: 201, statuses: &[400, 409, 412, 413]
    }
    Read GET "/api/rulesets/{id}" Fetch(Rulesets), Some(Rulesets), "Read a ruleset" {
        parameters: &[IF_CHANGED], answer: "Ruleset", statuses: &[304, 404]
    }
    Write PUT "/api/rulesets/{id}" Replace(Rulesets), Some(Rulesets), "Replace a ruleset" {
        body: "Ruleset", answer: "Ruleset", statuses: &[400, 404, 409, 412, 413]
    }
    Write DELETE "/api/rulesets/{id}" Delete(Rulesets), Some(Rulesets), "Delete a ruleset; it can be restored" {

    }
    Write POST "/api/rulesets/{id}/restore" Restore(Rulesets), Some(Rulesets), "Bring a deleted ruleset back" {
        answer: "Ruleset", statuses: &[400, 404, 409, 412]
    }
    Read GET "/api/rulesets/{id}/revisions" Revisions(Rulesets), Some(Rulesets), "List the revisions of a ruleset" {
        answer: "Revisions"
    }
    Read GET "/api/rulesets/{id}/revisions/{revision}" Revision(Rulesets), Some(Rulesets), "Read a ruleset as it was" {
        answer: "Ruleset"
    }
    Write POST "/api/rulesets/{id}/revisions/{revision}/restore" RestoreRevision(Rulesets), Some(Rulesets), "Bring a revision of a ruleset back" {
        answer: "Ruleset", statuses: &[400, 404, 409, 412]
    }
    Read GET "/api/clientidps" List(ClientIdps), Some(ClientIdps), "List client identity providers" {
        parameters: &[PAGE, PER_PAGE, SEARCH, SORT, DELETED], answer: "ClientIdpList"
    }
    Write POST "/api/clientidps" Create(ClientIdps), Some(ClientIdps), "Create a client identity provider" {
        parameters: CREATES, body: "ClientIdentityProvider", status: 201, statuses: &[400, 409, 412, 413]
    }
    Read GET "/api/clientidps/{id}" Fetch(ClientIdps), Some(ClientIdps), "Read a client identity provider" {
        parameters: &[IF_CHANGED], answer: "ClientIdentityProvider", statuses: &[304, 404]
    }
    Write PUT "/api/clientidps/{id}" Replace(ClientIdps), Some(ClientIdps), "Replace a client identity provider" {
        body: "ClientIdentityProvider", answer: "ClientIdentityProvider", statuses: &[400, 404, 409, 412, 413]
    }
    Write DELETE "/api/clientidps/{id}" Delete(ClientIdps), Some(ClientIdps), "Delete a client identity provider" {

    }
    Read GET "/api/clientidps/{id}/revisions" Revisions(ClientIdps), Some(ClientIdps), "List the revisions of a client identity provider" {
        answer: "Revisions"
    }
    Read GET "/api/clientidps/{id}/revisions/{revision}" Revision(ClientIdps), Some(ClientIdps), "Read a client identity provider as it was" {
        answer: "ClientIdentityProvider"
    }
    Write POST "/api/clientidps/{id}/revisions/{revision}/restore" RestoreRevision(ClientIdps), Some(ClientIdps), "Bring a revision of a client identity provider back" {
        answer: "ClientIdentityProvider", statuses: &[400, 404, 409, 412]
    }
    Write PATCH "/api/clientidps/{id}/mappings" PatchMappings, Some(ClientIdps), "Merge-patch the mappings (RFC 7386), as one write with one notification" {
        body: "MappingsPatch", answer: "ClientIdentityProvider", statuses: &[400, 404, 412, 413, 415]
    }
    Read GET "/api/clientidps/{id}/mappings/{apiId}" FetchMapping, Some(ClientIdps), "Read the mapping of one API" {
        answer: "ScopeMapping"
    }
    Write PUT "/api/clientidps/{id}/mappings/{apiId}" ReplaceMapping, Some(ClientIdps), "Replace the mapping of one API" {
        body: "ScopeMapping", answer: "ClientIdentityProvider", statuses: &[400, 404, 412, 413]
    }
    Write DELETE "/api/clientidps/{id}/mappings/{apiId}" DeleteMapping, Some(ClientIdps), "Remove the mapping of one API" {

    }
    Read GET "/api/hooks" List(Hooks), Some(Hooks), "List webhooks" {
        parameters: &[PAGE, PER_PAGE, SEARCH, SORT, DELETED], answer: "HookList"
    }
    Write POST "/api/hooks" Create(Hooks), Some(Hooks), "Create a webhook" {
        parameters: CREATES, body: "Webhook", statuses: &[400, 409, 412, 413, 500]
    }
    Read GET "/api/hooks/{hookId}" Fetch(Hooks), Some(Hooks), "Read a webhook" {
        parameters: &[IF_CHANGED], answer: "Webhook", statuses: &[304, 400]
    }
    Write PUT "/api/hooks/{hookId}" Replace(Hooks), Some(Hooks), "Replace a webhook completely: what is left out becomes empty" {
        body: "Webhook", statuses: &[400, 409, 412, 413, 500]
    }
    Write DELETE "/api/hooks/{hookId}" Delete(Hooks), Some(Hooks), "Delete a webhook" {}
    Read GET "/api/hooks/{hookId}/revisions" Revisions(Hooks), Some(Hooks), "List the revisions of a webhook" {
        answer: "Revisions"
    }
    Read GET "/api/hooks/{hookId}/revisions/{revision}" Revision(Hooks), Some(Hooks), "Read a webhook as it was" {
        answer: "Webhook"
    }
    Write POST "/api/hooks/{hookId}/revisions/{revision}/restore" RestoreRevision(Hooks), Some(Hooks), "Bring a revision of a webhook back" {
        answer: "Webhook", statuses: &[400, 404, 409, 412]
    }
    Read GET "/api/hooks/{hookId}/deliveries" Deliveries, Some(Hooks), "List what was sent to a webhook, newest first, with every attempt" {
        parameters: &[
            query("after", "integer", "The `next` of the page before"),
            query("limit", "integer", "At most so many, 1 to 500, else 100"),
        ],
        answer: "Deliveries",
        statuses: &[400],
    }
    Write POST "/api/hooks/{hookId}/deliveries/{noticeId}/retry" RetryDelivery, Some(Hooks), "Send a notification to a webhook again" {
        parameters: &[], answer: "Delivery", statuses: &[400, 404]
    }
    Write POST "/api/hooks/{hookId}/test" TestHook, Some(Hooks), "Send a signed sample to a webhook, and tell what came of it" {
        parameters: &[], answer: "Tested", statuses: &[400]
    }
    Write POST "/api/hooks/{hookId}/secret" RotateSecret, Some(Hooks), "Make a new signing secret; the one before it signs too for a day" {
        parameters: &[], answer: "NewSecret", statuses: &[400]
    }
    Read GET "/api/apis/categories" Categories, Some(Apis), "List the categories of the organisation's APIs" {
        answer: "Categories", statuses: &[]
    }
    Read GET "/api/notifications" Notifications, None, "List notifications, oldest first" {
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
    }
    Read GET "/api/notifications/stream" Stream, None, "Notifications as they come (`text/event-stream`)" {
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
    }
    Read GET "/api/audit" Audit, None, "List administrative writes, newest first" {
        parameters: &[
            query("q", "string", "Part of a name, an id or an actor, any case"),
            query("actor", "string", "Only this credential's"),
            query(
                "subject",
                "string",
                "`api`, `ruleset`, `client_idp`, `webhook`, `credential`, `reload`, `key`, `organisation`, `policy`, `import`, `certificate`, `oauth_client` or `sign_in`; comma separated",
            ),
            query("id", "string", "Only this document"),
            query(
                "action",
                "added|modified|deleted|restored",
                "Only what was done so",
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
                "csv|json",
                "A file with all that match instead of a page",
            ),
        ],
        answer: "Audit",
        statuses: &[400],
    }
    Read GET "/api/audit/{seq}" AuditEntry, None, "Read one administrative write with what it changed" {
        answer: "AuditDetail", statuses: &[400, 404]
    }
};

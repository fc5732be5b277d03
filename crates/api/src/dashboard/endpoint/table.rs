//! The table itself: one row per method and path.

use super::{Access, Endpoint, Group, Operation};
use crate::docs_only;
use crate::endpoint::{IF_CHANGED, IF_MATCH, IF_NONE_MATCH, Parameter, query};
use Group::{ClientIdps, Hooks, Rulesets};
use Operation::*;

const DRY_RUN: Parameter = query(
    "dry_run",
    "boolean",
    "Return the document, the changes and the warnings without storing anything",
);
const PAGE: Parameter = query(
    "p",
    "page",
    "Page number, from 1; -1 for everything on one page",
);
const PER_PAGE: Parameter = query(
    "per_page",
    "integer",
    "Documents per page, 1 to 500, by default 100",
);
const SEARCH: Parameter = query("q", "string", "Part of a name or id, ignoring case");
const SORT: Parameter = query(
    "sort",
    "string",
    "`name`, `date_created` or `last_updated`; a leading `-` reverses the order; by default `-last_updated`",
);
const DELETED: Parameter = query(
    "deleted",
    "boolean",
    "List deleted documents instead of existing ones",
);
const LAST_EVENT_ID: Parameter = Parameter {
    name: "Last-Event-ID",
    location: "header",
    kind: "integer",
    required: false,
    doc: docs_only("Number of the last notification received"),
};
const WRITES: &[Parameter] = &[DRY_RUN, IF_MATCH];
const CREATES: &[Parameter] = &[DRY_RUN, IF_NONE_MATCH];

/// Returns the defaults of a row, by its method.
const fn row(method: &'static str) -> Endpoint {
    let writes = !matches!(method.as_bytes(), b"GET");
    Endpoint {
        method,
        path: "",
        operation: Operation::Categories,
        access: if writes { Access::Write } else { Access::Read },
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

/// Rows as method, path, operation, summary, and any other fields.
macro_rules! endpoints {
    ($($method:ident $path:literal $operation:expr, $summary:literal { $($field:ident: $value:expr),* $(,)? })*) => {
        &[$(Endpoint {
            path: $path,
            operation: $operation,
            summary: docs_only($summary),
            $($field: $value,)*
            ..row(stringify!($method))
        }),*]
    };
}

/// The whole dashboard API.
pub const DASHBOARD: &[Endpoint] = endpoints! {
    GET "/api/rulesets" List(Rulesets), "List rulesets" {
        parameters: &[
            PAGE,
            PER_PAGE,
            SEARCH,
            query("active", "boolean", "Only active or only inactive rulesets"),
            query("is_template", "boolean", "List templates instead of other rulesets"),
            query(
                "categories",
                "string",
                "Only rulesets with one of these categories, comma-separated",
            ),
            query("resource_type", "string", "`oas-api` or `mcp-api`"),
            SORT,
            DELETED,
        ],
        answer: "RulesetList", statuses: &[400, 404, 413],
    }
    POST "/api/rulesets" Create(Rulesets), "Create a ruleset" {
        parameters: CREATES, body: "Ruleset", status: 201, statuses: &[400, 409, 412, 413]
    }
    GET "/api/rulesets/{id}" Fetch(Rulesets), "Read a ruleset" {
        parameters: &[IF_CHANGED], answer: "Ruleset", statuses: &[304, 404]
    }
    PUT "/api/rulesets/{id}" Replace(Rulesets), "Replace a ruleset" {
        body: "Ruleset", answer: "Ruleset", statuses: &[400, 404, 409, 412, 413]
    }
    DELETE "/api/rulesets/{id}" Delete(Rulesets), "Delete a ruleset; it can be restored" {}
    POST "/api/rulesets/{id}/restore" Restore(Rulesets), "Restore a deleted ruleset" {
        answer: "Ruleset", statuses: &[400, 404, 409, 412]
    }
    GET "/api/rulesets/{id}/revisions" Revisions(Rulesets), "List the revisions of a ruleset" {
        answer: "Revisions"
    }
    GET "/api/rulesets/{id}/revisions/{revision}" Revision(Rulesets), "Read a revision of a ruleset" {
        answer: "Ruleset"
    }
    POST "/api/rulesets/{id}/revisions/{revision}/restore" RestoreRevision(Rulesets), "Restore a revision of a ruleset" {
        answer: "Ruleset", statuses: &[400, 404, 409, 412]
    }
    GET "/api/clientidps" List(ClientIdps), "List client identity providers" {
        parameters: &[PAGE, PER_PAGE, SEARCH, SORT, DELETED], answer: "ClientIdpList", statuses: &[400, 404, 413]
    }
    POST "/api/clientidps" Create(ClientIdps), "Create a client identity provider" {
        parameters: CREATES, body: "ClientIdentityProvider", status: 201, statuses: &[400, 409, 412, 413]
    }
    GET "/api/clientidps/{id}" Fetch(ClientIdps), "Read a client identity provider" {
        parameters: &[IF_CHANGED], answer: "ClientIdentityProvider", statuses: &[304, 404]
    }
    PUT "/api/clientidps/{id}" Replace(ClientIdps), "Replace a client identity provider" {
        body: "ClientIdentityProvider", answer: "ClientIdentityProvider", statuses: &[400, 404, 409, 412, 413]
    }
    DELETE "/api/clientidps/{id}" Delete(ClientIdps), "Delete a client identity provider" {}
    GET "/api/clientidps/{id}/revisions" Revisions(ClientIdps), "List the revisions of a client identity provider" {
        answer: "Revisions"
    }
    GET "/api/clientidps/{id}/revisions/{revision}" Revision(ClientIdps), "Read a revision of a client identity provider" {
        answer: "ClientIdentityProvider"
    }
    POST "/api/clientidps/{id}/revisions/{revision}/restore" RestoreRevision(ClientIdps), "Restore a revision of a client identity provider" {
        answer: "ClientIdentityProvider", statuses: &[400, 404, 409, 412]
    }
    PATCH "/api/clientidps/{id}/mappings" PatchMappings, "Merge-patch the mappings (RFC 7386) in one write with one notification" {
        body: "MappingsPatch", answer: "ClientIdentityProvider", statuses: &[400, 404, 412, 413, 415]
    }
    GET "/api/clientidps/{id}/mappings/{apiId}" FetchMapping, "Read the mapping of an API" {
        answer: "ScopeMapping"
    }
    PUT "/api/clientidps/{id}/mappings/{apiId}" ReplaceMapping, "Replace the mapping of an API" {
        body: "ScopeMapping", answer: "ClientIdentityProvider", statuses: &[400, 404, 412, 413]
    }
    DELETE "/api/clientidps/{id}/mappings/{apiId}" DeleteMapping, "Remove the mapping of an API" {}
    GET "/api/hooks" List(Hooks), "List webhooks" {
        parameters: &[PAGE, PER_PAGE, SEARCH, SORT, DELETED], answer: "HookList", statuses: &[400, 404, 413]
    }
    POST "/api/hooks" Create(Hooks), "Create a webhook" {
        parameters: CREATES, body: "Webhook", statuses: &[400, 409, 412, 413, 500]
    }
    GET "/api/hooks/{hookId}" Fetch(Hooks), "Read a webhook" {
        parameters: &[IF_CHANGED], answer: "Webhook", statuses: &[304, 400]
    }
    PUT "/api/hooks/{hookId}" Replace(Hooks), "Replace a webhook completely; omitted members become empty" {
        body: "Webhook", statuses: &[400, 409, 412, 413, 500]
    }
    DELETE "/api/hooks/{hookId}" Delete(Hooks), "Delete a webhook" {}
    GET "/api/hooks/{hookId}/revisions" Revisions(Hooks), "List the revisions of a webhook" {
        answer: "Revisions"
    }
    GET "/api/hooks/{hookId}/revisions/{revision}" Revision(Hooks), "Read a revision of a webhook" {
        answer: "Webhook"
    }
    POST "/api/hooks/{hookId}/revisions/{revision}/restore" RestoreRevision(Hooks), "Restore a revision of a webhook" {
        answer: "Webhook", statuses: &[400, 404, 409, 412]
    }
    GET "/api/hooks/{hookId}/deliveries" Deliveries, "List the deliveries to a webhook with their attempts, newest first" {
        parameters: &[
            query("after", "integer", "`next` of the previous page"),
            query("limit", "integer", "Maximum number of results, 1 to 500, by default 100"),
        ],
        answer: "Deliveries",
        statuses: &[400],
    }
    POST "/api/hooks/{hookId}/deliveries/{noticeId}/retry" RetryDelivery, "Resend a notification to a webhook" {
        parameters: &[], answer: "Delivery", statuses: &[400, 404]
    }
    POST "/api/hooks/{hookId}/test" TestHook, "Send a signed sample to a webhook and report the outcome" {
        parameters: &[], answer: "Tested", statuses: &[400]
    }
    POST "/api/hooks/{hookId}/secret" RotateSecret, "Create a new signing secret; the previous one also signs for one more day" {
        parameters: &[], answer: "NewSecret", statuses: &[400]
    }
    GET "/api/apis/categories" Categories, "List the categories of the organisation's APIs" {
        answer: "Categories", statuses: &[]
    }
    GET "/api/notifications" Notifications, "List notifications, oldest first" {
        parameters: &[
            query(
                "after",
                "integer",
                "Only notifications with a higher number",
            ),
            query("limit", "integer", "Maximum number of results, 1 to 1000, by default 100"),
        ],
        answer: "Notifications",
        statuses: &[400],
    }
    GET "/api/notifications/stream" Stream, "Stream notifications as they occur (`text/event-stream`)" {
        parameters: &[
            query(
                "after",
                "integer",
                "Start after this number; without it and `Last-Event-ID`, only new notifications are sent",
            ),
            LAST_EVENT_ID,
        ],
        answer: "EventStream",
        statuses: &[400],
    }
    GET "/api/audit" Audit, "List administrative writes, newest first" {
        parameters: &[
            query("q", "string", "Part of a name, an id, an actor, an address or a request id, ignoring case"),
            query("actor", "string", "Only writes by this credential"),
            query(
                "subject",
                "string",
                "`api`, `ruleset`, `client_idp`, `webhook`, `credential`, `reload`, `key`, `organisation`, `policy`, `import`, `certificate`, `oauth_client` or `sign_in`; comma-separated",
            ),
            query("id", "string", "Only the document with this id"),
            query("ip_address", "string", "Only writes from this address"),
            query("request_id", "string", "Only what the request with this id has written"),
            query(
                "action",
                "added|modified|deleted|restored",
                "Only writes of this kind",
            ),
            query("from", "string", "From this time on (RFC 3339)"),
            query("to", "string", "Before this time (RFC 3339)"),
            query(
                "before",
                "integer",
                "Only entries with a lower number, for the next page",
            ),
            query("limit", "integer", "Maximum number of results, 1 to 1000, by default 100"),
            query(
                "format",
                "csv|json",
                "Return a file with all matching entries instead of a page",
            ),
        ],
        answer: "Audit",
        statuses: &[400],
    }
    GET "/api/audit/{seq}" AuditEntry, "Read an administrative write and what it changed" {
        answer: "AuditDetail", statuses: &[400, 404]
    }
};

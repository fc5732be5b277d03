//! The table itself: one row per method and path.

use super::{Auth, Endpoint, Operation, Parameter};
use crate::told;

pub(crate) const fn query(name: &'static str, kind: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        name,
        location: "query",
        kind,
        doc: told(doc),
    }
}

const fn header(name: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        name,
        location: "header",
        kind: "string",
        doc: told(doc),
    }
}

const DRY_RUN: Parameter = query(
    "dry_run",
    "boolean",
    "Validate and answer what would happen, storing nothing",
);
pub(crate) const IF_MATCH: Parameter = header(
    "If-Match",
    "Go on only if the current revision has this ETag, else 412 (RFC 9110)",
);
pub(crate) const IF_NONE_MATCH: Parameter = header(
    "If-None-Match",
    "`*`: create only, 412 if the id exists (RFC 9110)",
);
pub(crate) const IF_CHANGED: Parameter = header(
    "If-None-Match",
    "304 if the document still has this ETag (RFC 9110)",
);
const BLOCK: Parameter = query("block", "boolean", "Answer after the reload is done");
const LIST: &[Parameter] = &[
    query(
        "view",
        "string",
        "`summary`: a page of summaries instead of the documents",
    ),
    query(
        "q",
        "string",
        "Part of the name, id, listen path, domain, tag or target, any case",
    ),
    query(
        "state",
        "string",
        "`live`, `pending`, `inactive`, `internal`, `invalid` or `deleted`",
    ),
    query("tag", "string", "Only APIs with this tag"),
    query(
        "sort",
        "string",
        "`name`, `api_id`, `listen_path`, `domain`, `state` or `updated_at`; `-` in front turns it round",
    ),
    query("p", "integer", "The page, from 1"),
    query("per_page", "integer", "Rows a page, 1 to 500, else 50"),
];
const IMPORT: &[Parameter] = &[
    query("name", "string", "The name, else the title"),
    query(
        "api_id",
        "string",
        "The id, else the gateway gives one on storing",
    ),
    query(
        "listen_path",
        "string",
        "The listen path, else one made from the title",
    ),
    query(
        "upstream_url",
        "string",
        "The upstream, else a server of the document",
    ),
    query("server", "integer", "Which server of the document, from 0"),
    query(
        "document_url",
        "string",
        "Where the document was found; relative servers need it",
    ),
    query("domain", "string", "The host name the API is served on"),
    query(
        "allow_list",
        "boolean",
        "Allow the operations of the document only",
    ),
    query(
        "validate_requests",
        "boolean",
        "Check requests against the document",
    ),
    query(
        "mock_responses",
        "boolean",
        "Answer with the examples of the document",
    ),
];
const CREATE: &[Parameter] = &[
    DRY_RUN,
    IF_MATCH,
    IF_NONE_MATCH,
    query(
        "base_api_id",
        "string",
        "Store the document as a version of this API",
    ),
    query(
        "base_api_version_name",
        "string",
        "Name of the base's own version, needed the first time",
    ),
    query("new_version_name", "string", "Name of the new version"),
    query(
        "set_default",
        "boolean",
        "Make the new version the default one",
    ),
];

const FIND_KEY: &[Parameter] = &[
    query(
        "hashed",
        "string",
        "Any text: the path has the hash instead of the key",
    ),
    query(
        "org_id",
        "string",
        "The organisation of a custom id or user name",
    ),
    IF_MATCH,
];
const READ_KEY: &[Parameter] = &[
    query(
        "hashed",
        "string",
        "Any text: the path has the hash instead of the key",
    ),
    query(
        "username",
        "boolean",
        "The path has the user name of basic authentication",
    ),
    query(
        "org_id",
        "string",
        "The organisation of a custom id or user name",
    ),
    IF_CHANGED,
];
const WRITE_KEY: &[Parameter] = &[
    query(
        "hashed",
        "string",
        "Any text: the path has the hash instead of the key",
    ),
    query(
        "suppress_reset",
        "string",
        "`1`: rates and quotas go on as they are",
    ),
    DRY_RUN,
    IF_MATCH,
    IF_NONE_MATCH,
];
const WRITE_ORG: &[Parameter] = &[
    query("reset_quota", "string", "`1`: the quota begins anew"),
    DRY_RUN,
    IF_MATCH,
];
const LIST_KEYS: &[Parameter] = &[
    query(
        "filter",
        "string",
        "An organisation, or the beginning of a hash",
    ),
    query(
        "api_id",
        "string",
        "Only keys whose own access rights name this API",
    ),
    query(
        "view",
        "string",
        "`summary`: a page of summaries instead of the hashes",
    ),
    query(
        "q",
        "string",
        "Part of the alias, the hash or a tag, any case",
    ),
    query("policy", "string", "Only keys with this policy"),
    query("tag", "string", "Only keys with this tag"),
    query("state", "string", "`active`, `inactive` or `expired`"),
    query(
        "sort",
        "string",
        "`alias`, `created_at`, `updated_at` or `expires`; `-` in front turns it round",
    ),
    query("p", "integer", "The page, from 1"),
    query("per_page", "integer", "Rows a page, 1 to 500, else 50"),
];

const fn row(
    method: &'static str,
    path: &'static str,
    operation: Operation,
    summary: &'static str,
) -> Endpoint {
    Endpoint {
        method,
        path,
        operation,
        auth: Auth::Secret,
        summary: told(summary),
        parameters: &[],
        body: "",
        answer: "StatusMessage",
        statuses: &[],
    }
}

/// Reloads come as GET for the clients of this family, and as POST because they change something.
const fn reload(method: &'static str, path: &'static str, summary: &'static str) -> Endpoint {
    Endpoint {
        parameters: &[BLOCK],
        statuses: &[503],
        ..row(method, path, Operation::Reload, summary)
    }
}

/// The whole administration API.
pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        parameters: LIST,
        answer: "ApiList",
        ..row(
            "GET",
            "/gateway/apis",
            Operation::ListApis,
            "List API definitions",
        )
    },
    Endpoint {
        parameters: CREATE,
        body: "ApiDefinition",
        answer: "ModifySuccess",
        statuses: &[400, 409, 412, 413, 422],
        ..row(
            "POST",
            "/gateway/apis",
            Operation::CreateApi,
            "Create or replace an API definition",
        )
    },
    Endpoint {
        parameters: &[IF_CHANGED],
        answer: "ApiDefinition",
        statuses: &[304, 400, 404],
        ..row(
            "GET",
            "/gateway/apis/{apiID}",
            Operation::ReadApi,
            "Read an API definition",
        )
    },
    Endpoint {
        parameters: CREATE,
        body: "ApiDefinition",
        answer: "ModifySuccess",
        statuses: &[400, 409, 412, 413, 422],
        ..row(
            "POST",
            "/gateway/apis/{apiID}",
            Operation::CreateApi,
            "Create or replace an API definition",
        )
    },
    Endpoint {
        parameters: &[DRY_RUN, IF_MATCH],
        body: "ApiDefinition",
        answer: "ModifySuccess",
        statuses: &[400, 404, 409, 412, 413],
        ..row(
            "PUT",
            "/gateway/apis/{apiID}",
            Operation::UpdateApi,
            "Replace an API definition",
        )
    },
    Endpoint {
        parameters: &[DRY_RUN, IF_MATCH],
        answer: "ModifySuccess",
        statuses: &[400, 404, 412],
        ..row(
            "DELETE",
            "/gateway/apis/{apiID}",
            Operation::DeleteApi,
            "Delete an API definition",
        )
    },
    Endpoint {
        parameters: &[
            query("searchText", "string", "Part of a version's name or id"),
            query("accessType", "string", "`internal` or `external`"),
        ],
        answer: "Versions",
        statuses: &[400, 404],
        ..row(
            "GET",
            "/gateway/apis/{apiID}/versions",
            Operation::ListVersions,
            "List the versions of a base API",
        )
    },
    Endpoint {
        parameters: &[
            query("before", "integer", "Only revisions older than this one"),
            query("limit", "integer", "At most so many, 1 to 500, else 100"),
        ],
        answer: "Revisions",
        statuses: &[400, 404],
        ..row(
            "GET",
            "/gateway/apis/{apiID}/revisions",
            Operation::ListRevisions,
            "List the revisions of an API, also of a deleted one",
        )
    },
    Endpoint {
        answer: "ApiDefinition",
        statuses: &[400, 404],
        ..row(
            "GET",
            "/gateway/apis/{apiID}/revisions/{revision}",
            Operation::ReadRevision,
            "Read an API definition as it was",
        )
    },
    Endpoint {
        parameters: &[DRY_RUN, IF_MATCH],
        answer: "ModifySuccess",
        statuses: &[400, 404, 409, 412],
        ..row(
            "POST",
            "/gateway/apis/{apiID}/revisions/{revision}/restore",
            Operation::RestoreRevision,
            "Bring a revision back, also of a deleted API",
        )
    },
    Endpoint {
        body: "BatchRequest",
        answer: "BatchReply",
        statuses: &[400, 404, 413],
        ..row(
            "POST",
            "/gateway/apis/{apiID}/batch",
            Operation::RunBatch,
            "Run a batch through a loaded API",
        )
    },
    Endpoint {
        body: "DebugRequest",
        answer: "DebugReply",
        statuses: &[400, 404, 413, 503],
        ..row(
            "POST",
            "/gateway/debug",
            Operation::Debug,
            "Send one request through the chain and tell its steps; it is real and counts against the limits",
        )
    },
    Endpoint {
        body: "Document",
        answer: "Validated",
        statuses: &[400, 404, 413],
        ..row(
            "POST",
            "/gateway/validate/{root}",
            Operation::Validate,
            "Check a document without storing it; 200 also where there are errors",
        )
    },
    Endpoint {
        body: "DiffRequest",
        answer: "Difference",
        statuses: &[400, 413],
        ..row(
            "POST",
            "/gateway/diff",
            Operation::Diff,
            "Compare two documents: merge patch and list of changes",
        )
    },
    Endpoint {
        body: "MergeRequest",
        answer: "Merged",
        statuses: &[400, 413],
        ..row(
            "POST",
            "/gateway/merge",
            Operation::Merge,
            "Apply a merge patch to a document without storing it",
        )
    },
    Endpoint {
        parameters: IMPORT,
        body: "OpenApi",
        answer: "Imported",
        statuses: &[400, 413],
        ..row(
            "POST",
            "/gateway/openapi/import",
            Operation::ImportOpenApi,
            "Make an API definition of an OpenAPI document without storing it",
        )
    },
    Endpoint {
        body: "FetchRequest",
        answer: "Fetched",
        statuses: &[400, 413, 502, 504],
        ..row(
            "POST",
            "/gateway/openapi/fetch",
            Operation::FetchOpenApi,
            "Fetch an OpenAPI document from its address",
        )
    },
    reload("GET", "/gateway/reload", "Load what is stored"),
    reload("POST", "/gateway/reload", "Load what is stored"),
    reload(
        "GET",
        "/gateway/reload/group",
        "Load what is stored, everywhere",
    ),
    reload(
        "POST",
        "/gateway/reload/group",
        "Load what is stored, everywhere",
    ),
    Endpoint {
        answer: "ReloadStatus",
        ..row(
            "GET",
            "/gateway/reload/status",
            Operation::ReloadStatus,
            "What is loaded, what was skipped, what waits",
        )
    },
    Endpoint {
        answer: "Credentials",
        ..row(
            "GET",
            "/gateway/dashboard/credentials",
            Operation::ListCredentials,
            "List dashboard credentials, revoked ones included",
        )
    },
    Endpoint {
        body: "CredentialRequest",
        answer: "IssuedCredential",
        statuses: &[400, 413],
        ..row(
            "POST",
            "/gateway/dashboard/credentials",
            Operation::IssueCredential,
            "Issue a dashboard credential; its token is shown only here",
        )
    },
    Endpoint {
        answer: "ModifySuccess",
        statuses: &[400, 404],
        ..row(
            "DELETE",
            "/gateway/dashboard/credentials/{id}",
            Operation::RevokeCredential,
            "Revoke a dashboard credential, at once",
        )
    },
    Endpoint {
        parameters: LIST_KEYS,
        answer: "KeyList",
        statuses: &[400],
        ..row("GET", "/gateway/keys", Operation::ListKeys, "List keys")
    },
    Endpoint {
        parameters: WRITE_KEY,
        body: "Session",
        answer: "KeyWritten",
        statuses: &[400, 412, 413],
        ..row("POST", "/gateway/keys", Operation::AddKey, "Make a key")
    },
    Endpoint {
        body: "Session",
        answer: "KeyWritten",
        statuses: &[400, 413],
        ..row(
            "POST",
            "/gateway/keys/create",
            Operation::CreateKey,
            "Make a key",
        )
    },
    Endpoint {
        body: "Session",
        answer: "Session",
        statuses: &[400, 413],
        ..row(
            "POST",
            "/gateway/keys/preview",
            Operation::PreviewKey,
            "A session with its policies applied",
        )
    },
    Endpoint {
        parameters: &[IF_MATCH],
        body: "KeyPolicies",
        answer: "KeyWritten",
        statuses: &[400, 404, 412],
        ..row(
            "POST",
            "/gateway/keys/policy/{keyHash}",
            Operation::SetKeyPolicies,
            "Set the policies of a key",
        )
    },
    Endpoint {
        parameters: WRITE_KEY,
        body: "Session",
        answer: "KeyWritten",
        statuses: &[400, 412, 413],
        ..row(
            "POST",
            "/gateway/keys/{keyID}",
            Operation::AddKey,
            "Make a key with a custom id",
        )
    },
    Endpoint {
        parameters: READ_KEY,
        answer: "Session",
        statuses: &[304, 404],
        ..row(
            "GET",
            "/gateway/keys/{keyID}",
            Operation::ReadKey,
            "Read a key",
        )
    },
    Endpoint {
        parameters: WRITE_KEY,
        body: "Session",
        answer: "KeyWritten",
        statuses: &[400, 404, 412, 413],
        ..row(
            "PUT",
            "/gateway/keys/{keyID}",
            Operation::UpdateKey,
            "Replace a key",
        )
    },
    Endpoint {
        parameters: FIND_KEY,
        answer: "KeyWritten",
        statuses: &[404, 412],
        ..row(
            "DELETE",
            "/gateway/keys/{keyID}",
            Operation::DeleteKey,
            "Delete a key",
        )
    },
    Endpoint {
        answer: "PolicyList",
        ..row(
            "GET",
            "/gateway/policies",
            Operation::ListPolicies,
            "List policies",
        )
    },
    Endpoint {
        parameters: &[DRY_RUN, IF_MATCH, IF_NONE_MATCH],
        body: "Policy",
        answer: "ModifySuccess",
        statuses: &[400, 412, 413],
        ..row(
            "POST",
            "/gateway/policies",
            Operation::AddPolicy,
            "Create or replace a policy",
        )
    },
    Endpoint {
        parameters: &[IF_CHANGED],
        answer: "Policy",
        statuses: &[304, 404],
        ..row(
            "GET",
            "/gateway/policies/{polID}",
            Operation::ReadPolicy,
            "Read a policy",
        )
    },
    Endpoint {
        parameters: &[DRY_RUN, IF_MATCH],
        body: "Policy",
        answer: "ModifySuccess",
        statuses: &[400, 404, 412, 413],
        ..row(
            "PUT",
            "/gateway/policies/{polID}",
            Operation::UpdatePolicy,
            "Replace a policy",
        )
    },
    Endpoint {
        parameters: &[DRY_RUN, IF_MATCH],
        answer: "ModifySuccess",
        statuses: &[412],
        ..row(
            "DELETE",
            "/gateway/policies/{polID}",
            Operation::DeletePolicy,
            "Delete a policy",
        )
    },
    Endpoint {
        parameters: &[query(
            "filter",
            "string",
            "The beginning of an organisation's id",
        )],
        answer: "KeyList",
        statuses: &[404],
        ..row(
            "GET",
            "/gateway/org/keys",
            Operation::ListOrgs,
            "List organisations that have a session",
        )
    },
    Endpoint {
        parameters: &[IF_CHANGED],
        answer: "Session",
        statuses: &[304, 404],
        ..row(
            "GET",
            "/gateway/org/keys/{orgID}",
            Operation::ReadOrg,
            "Read the session of an organisation",
        )
    },
    Endpoint {
        parameters: WRITE_ORG,
        body: "Session",
        answer: "KeyWritten",
        statuses: &[400, 404, 412, 413],
        ..row(
            "POST",
            "/gateway/org/keys/{orgID}",
            Operation::AddOrg,
            "Create or replace the session of an organisation",
        )
    },
    Endpoint {
        parameters: WRITE_ORG,
        body: "Session",
        answer: "KeyWritten",
        statuses: &[400, 404, 412, 413],
        ..row(
            "PUT",
            "/gateway/org/keys/{orgID}",
            Operation::UpdateOrg,
            "Replace the session of an organisation",
        )
    },
    Endpoint {
        parameters: &[IF_MATCH],
        answer: "KeyWritten",
        statuses: &[404, 412],
        ..row(
            "DELETE",
            "/gateway/org/keys/{orgID}",
            Operation::DeleteOrg,
            "Delete the session of an organisation",
        )
    },
    Endpoint {
        auth: Auth::Public,
        answer: "Health",
        ..row("GET", "/hello", Operation::Hello, "Liveness")
    },
    Endpoint {
        auth: Auth::Public,
        answer: "Health",
        statuses: &[503],
        ..row("GET", "/ready", Operation::Ready, "Readiness")
    },
    Endpoint {
        parameters: &[query("api_id", "string", "A loaded API")],
        answer: "ApiHealth",
        statuses: &[400, 404],
        ..row(
            "GET",
            "/gateway/health",
            Operation::ApiHealth,
            "Requests, refusals and latency of an API in the last seconds",
        )
    },
    Endpoint {
        parameters: &[
            query("api_id", "string", "Only this API"),
            query("window", "string", "`15m`, `1h`, `24h` or `7d`, else `1h`"),
        ],
        answer: "Figures",
        statuses: &[400],
        ..row(
            "GET",
            "/gateway/health/figures",
            Operation::Figures,
            "What was served over time, and the keys close to their limit (beyond the specification)",
        )
    },
    Endpoint {
        parameters: &[
            query(
                "oasVersion",
                "string",
                "`3.0` or `3.1`, else `3.0`; the schema is the same for both",
            ),
            IF_CHANGED,
        ],
        answer: "Schema",
        statuses: &[304, 404],
        ..row(
            "GET",
            "/gateway/schema",
            Operation::Schema,
            "The JSON Schema of an API definition",
        )
    },
    Endpoint {
        auth: Auth::Public,
        parameters: &[IF_CHANGED],
        answer: "JsonSchema",
        statuses: &[304, 404],
        ..row(
            "GET",
            "/openapi/schemas/{root}.json",
            Operation::DocumentSchema,
            "The JSON Schema of a kind of document",
        )
    },
    Endpoint {
        auth: Auth::Public,
        parameters: &[IF_CHANGED],
        answer: "OpenApi",
        statuses: &[304],
        ..row(
            "GET",
            "/openapi/gateway.json",
            Operation::OpenApi,
            "This document",
        )
    },
    Endpoint {
        auth: Auth::Public,
        parameters: &[IF_CHANGED],
        answer: "OpenApi",
        statuses: &[304],
        ..row(
            "GET",
            "/openapi/dashboard.json",
            Operation::DashboardOpenApi,
            "The OpenAPI document of the dashboard API",
        )
    },
];

//! Query and header parameters of the endpoints.

use super::Parameter;
use crate::docs_only;

pub(crate) const fn query(name: &'static str, kind: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        name,
        location: "query",
        kind,
        required: false,
        doc: docs_only(doc),
    }
}

/// Creates a required query parameter.
pub(crate) const fn required(
    name: &'static str,
    kind: &'static str,
    doc: &'static str,
) -> Parameter {
    Parameter {
        required: true,
        ..query(name, kind, doc)
    }
}

const fn header(name: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        name,
        location: "header",
        kind: "string",
        required: false,
        doc: docs_only(doc),
    }
}

pub(super) const DRY_RUN: Parameter = query(
    "dry_run",
    "boolean",
    "Validate and return what would happen, without storing anything",
);
/// A parameter of every write whose response has warnings.
pub(super) const STRICT: Parameter = query(
    "strict",
    "boolean",
    "Refuse with 400, storing nothing, if anything would have no effect here or not be served",
);
pub(super) const FAILURES: &[Parameter] = &[
    query("api_id", "string", "Only failures of this API"),
    query(
        "version",
        "string",
        "Only failures of this version of an API",
    ),
    query(
        "status",
        "string",
        "Only failures with this status, or `4xx` or `5xx`",
    ),
    query("reason", "string", "Only failures with this reason"),
    query(
        "path",
        "string",
        "Only where the path of the example request contains this text",
    ),
    query(
        "key",
        "string",
        "Only where the example request has the key with this hash",
    ),
    query(
        "window",
        "15m|1h|24h|7d",
        "Period up to now, by default `1h`",
    ),
    query(
        "since",
        "integer",
        "From this time on, in Unix seconds; replaces `window`",
    ),
    query("until", "integer", "Before this time, in Unix seconds"),
];
pub(super) const RELOAD: &[Parameter] = &[
    query(
        "block",
        "boolean",
        "Respond when the reload has finished, with its counts",
    ),
    query(
        "strict",
        "boolean",
        "Publish nothing and respond with 409 if an API would be skipped or a member would have no effect",
    ),
];
pub(crate) const IF_MATCH: Parameter = header(
    "If-Match",
    "Proceed only if the current revision has this ETag, otherwise 412 (RFC 9110)",
);
pub(crate) const IF_NONE_MATCH: Parameter = header(
    "If-None-Match",
    "`*`: only create, 412 if the id exists (RFC 9110)",
);
pub(crate) const IF_CHANGED: Parameter = header(
    "If-None-Match",
    "Respond with 304 if the document still has this ETag (RFC 9110)",
);
pub(super) const PASSPHRASE: Parameter = header(
    "X-Gateway-Passphrase",
    "Passphrase that encrypts the secrets of an export, at least 16 characters; without it they are left out",
);
pub(super) const EXPORT: &[Parameter] = &[
    query(
        "revisions",
        "boolean",
        "Include older revisions and deleted documents",
    ),
    query(
        "counters",
        "boolean",
        "`false`: leave out what keys and organisations have used of their limits",
    ),
    PASSPHRASE,
];
pub(super) const LIST: &[Parameter] = &[
    query(
        "view",
        "string",
        "`summary`: return a page of summaries instead of the documents",
    ),
    query(
        "q",
        "string",
        "Part of the name, id, listen path, domain, tag or target, ignoring case",
    ),
    query(
        "state",
        "live|pending|inactive|internal|invalid|deleted",
        "Only APIs in this state",
    ),
    query("tag", "string", "Only APIs with this tag"),
    query(
        "document",
        "oas|mcp",
        "Only APIs administered as an OpenAPI document of this kind",
    ),
    query(
        "sort",
        "string",
        "`name`, `api_id`, `listen_path`, `domain`, `state` or `updated_at`; a leading `-` reverses the order",
    ),
    query("p", "integer", "Page number, from 1"),
    query(
        "per_page",
        "integer",
        "Rows per page, 1 to 500, by default 50",
    ),
    query("include_types", "string", "`mcp`: include MCP proxies"),
];
pub(super) const IMPORT: &[Parameter] = &[
    query(
        "name",
        "string",
        "Name, by default the title of the document",
    ),
    query(
        "api_id",
        "string",
        "Id, by default assigned by the gateway on storing",
    ),
    query(
        "listen_path",
        "string",
        "Listen path, by default derived from the title",
    ),
    query(
        "upstream_url",
        "string",
        "Upstream URL, by default a server of the document",
    ),
    query(
        "server",
        "integer",
        "Index of the document's server to use, from 0",
    ),
    query(
        "document_url",
        "string",
        "URL of the document, needed to resolve relative servers",
    ),
    query("domain", "string", "The host name the API is served on"),
    query(
        "allow_list",
        "boolean",
        "Allow only the operations of the document",
    ),
    query(
        "validate_requests",
        "boolean",
        "Validate requests against the document",
    ),
    query(
        "mock_responses",
        "boolean",
        "Respond with the examples in the document",
    ),
];
const BASE_API: Parameter = query(
    "base_api_id",
    "string",
    "Store the document as a version of this API",
);
const BASE_VERSION: Parameter = query(
    "base_api_version_name",
    "string",
    "Version name of the base API itself, required if it has none yet",
);
const NEW_VERSION: Parameter = query("new_version_name", "string", "Name of the new version");
const SET_DEFAULT: Parameter = query("set_default", "boolean", "Make the new version the default");
pub(super) const CREATE: &[Parameter] = &[
    DRY_RUN,
    STRICT,
    IF_MATCH,
    IF_NONE_MATCH,
    BASE_API,
    BASE_VERSION,
    NEW_VERSION,
    SET_DEFAULT,
];
pub(super) const VERSIONS: &[Parameter] = &[
    query("searchText", "string", "Part of a version's name or id"),
    query("accessType", "string", "`internal` or `external`"),
];
pub(super) const MODE: Parameter = query("mode", "string", "`public`: leave out the extension");
pub(super) const EXPAND: Parameter = query(
    "expand",
    "boolean",
    "Include the tools that a proxy derives from an OpenAPI API",
);

/// The parameters for what PATCH and import change in a document, after the endpoint's own.
macro_rules! made {
    ($($more:expr),* $(,)?) => {
        &[
            $($more,)*
            query("upstreamURL", "string", "Upstream, as an absolute URL"),
            query("listenPath", "string", "The listen path"),
            query("customDomain", "string", "The host name the API is served on"),
            query("allowList", "boolean", "`true`: allow every operation, and no other path"),
            query("validateRequest", "boolean", "Validate requests against the document"),
            query("mockResponse", "boolean", "Respond with the examples in the document"),
            query("authentication", "boolean", "Require credentials as `security` specifies"),
            query("securityProcessingMode", "string", "`legacy` or `compliant`"),
        ]
    };
}
pub(super) const PATCH_OAS: &[Parameter] = made!(DRY_RUN, STRICT, IF_MATCH);
pub(super) const IMPORT_OAS: &[Parameter] = made!(
    DRY_RUN,
    STRICT,
    IF_MATCH,
    IF_NONE_MATCH,
    query("apiID", "string", "Id, by default assigned by the gateway"),
    BASE_API,
    BASE_VERSION,
    NEW_VERSION,
    SET_DEFAULT,
);
pub(super) const CREATE_MCP: &[Parameter] = &[
    query(
        "dryRun",
        "boolean",
        "Return the document that would be stored, without storing it",
    ),
    EXPAND,
    DRY_RUN,
    STRICT,
    IF_MATCH,
    IF_NONE_MATCH,
    BASE_API,
    BASE_VERSION,
    NEW_VERSION,
    SET_DEFAULT,
];

pub(super) const CERTIFICATE_ORG: Parameter = query(
    "org_id",
    "string",
    "Organisation, which is the prefix of the id; with it, an id in the path may be the fingerprint alone",
);
pub(super) const LIST_CERTIFICATES: &[Parameter] = &[
    query("org_id", "string", "Only certificates of this organisation"),
    query("mode", "string", "`detailed`: return details, not only ids"),
];

pub(super) const REVISIONS: &[Parameter] = &[
    query("before", "integer", "Only revisions older than this one"),
    query(
        "limit",
        "integer",
        "Maximum number of results, 1 to 500, by default 100",
    ),
];

const HASHED: Parameter = query(
    "hashed",
    "string",
    "Any non-empty value: the path contains the hash instead of the key",
);
pub(super) const DELETE_KEY: &[Parameter] = &[
    HASHED,
    query(
        "org_id",
        "string",
        "Organisation of a custom id or user name",
    ),
    DRY_RUN,
    IF_MATCH,
];
pub(super) const READ_KEY: &[Parameter] = &[
    HASHED,
    query(
        "username",
        "boolean",
        "The path contains the user name of basic authentication",
    ),
    query(
        "org_id",
        "string",
        "Organisation of a custom id or user name",
    ),
    query(
        "api_id",
        "string",
        "API whose organisation applies to the custom id, unless org_id is given",
    ),
    query(
        "applied",
        "boolean",
        "`false`: return the session as written, without what policies and counters add",
    ),
    IF_CHANGED,
];
pub(super) const READ_API: &[Parameter] = &[
    query(
        "complete",
        "boolean",
        "`false`: return the definition as written, without the members that it lacks",
    ),
    IF_CHANGED,
];
pub(super) const LOADED: Parameter = query(
    "loaded",
    "boolean",
    "`false`: leave out the list of loaded APIs, but not their number",
);
pub(super) const READ_POLICY: &[Parameter] = &[
    query(
        "complete",
        "boolean",
        "`false`: return the policy as written, without the members that it lacks",
    ),
    IF_CHANGED,
];
pub(super) const ROTATE_KEY: &[Parameter] = &[
    HASHED,
    query("org_id", "string", "Organisation of a custom id"),
    DRY_RUN,
    IF_MATCH,
];
pub(super) const WRITE_KEY: &[Parameter] = &[
    HASHED,
    query(
        "suppress_reset",
        "string",
        "`1`: don't reset rates and quotas",
    ),
    DRY_RUN,
    STRICT,
    IF_MATCH,
    IF_NONE_MATCH,
];
pub(super) const WRITE_ORG: &[Parameter] = &[
    query("reset_quota", "string", "`1`: restart the quota"),
    DRY_RUN,
    STRICT,
    IF_MATCH,
];
pub(super) const LIST_KEYS: &[Parameter] = &[
    query("filter", "string", "Organisation, or the start of a hash"),
    query(
        "api_id",
        "string",
        "Only keys with access to this API, through their own rights or a policy",
    ),
    query(
        "view",
        "string",
        "`summary`: return a page of summaries instead of the hashes",
    ),
    query(
        "q",
        "string",
        "Part of the alias, the hash or a tag, ignoring case",
    ),
    query("policy", "string", "Only keys with this policy"),
    query("tag", "string", "Only keys with this tag"),
    query(
        "certificate",
        "string",
        "Only keys bound to this certificate",
    ),
    query(
        "state",
        "active|inactive|expired",
        "Only keys in this state",
    ),
    query(
        "sort",
        "string",
        "`alias`, `created_at`, `updated_at` or `expires`; a leading `-` reverses the order. The list is then paged",
    ),
    query(
        "p",
        "integer",
        "Page number, from 1; without it and without `sort`, all hashes are returned in order",
    ),
    query(
        "per_page",
        "integer",
        "Rows per page, 1 to 500, by default 50",
    ),
];

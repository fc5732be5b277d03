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
    "Validate and answer what would happen, storing nothing",
);
/// A parameter of every write whose response has warnings.
pub(super) const STRICT: Parameter = query(
    "strict",
    "boolean",
    "Refuse what would have no effect here, or not be served: 400, and nothing is stored",
);
pub(super) const FAILURES: &[Parameter] = &[
    query("api_id", "string", "Only of this API"),
    query("version", "string", "Only of this version of an API"),
    query(
        "status",
        "string",
        "Only with this status, or `4xx`, or `5xx`",
    ),
    query("reason", "string", "Only with this reason"),
    query(
        "path",
        "string",
        "Only where the path of the request that is shown has this in it",
    ),
    query(
        "key",
        "string",
        "Only where the request that is shown has the key with this hash",
    ),
    query("window", "15m|1h|24h|7d", "How much of the past, else `1h`"),
    query(
        "since",
        "integer",
        "From this time on, Unix seconds, instead of `window`",
    ),
    query("until", "integer", "Before this time, Unix seconds"),
];
pub(super) const RELOAD: &[Parameter] = &[
    query(
        "block",
        "boolean",
        "Answer after the reload is done, with its counts",
    ),
    query(
        "strict",
        "boolean",
        "Publish nothing if an API would be skipped, or a member would have no effect: 409",
    ),
];
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
pub(super) const PASSPHRASE: Parameter = header(
    "X-Gateway-Passphrase",
    "What seals the secrets of an export, 16 characters or more; without one they are left out",
);
pub(super) const EXPORT: &[Parameter] = &[
    query(
        "revisions",
        "boolean",
        "Older revisions and deleted documents too",
    ),
    query(
        "counters",
        "boolean",
        "`false`: without what keys and organisations have used of their limits",
    ),
    PASSPHRASE,
];
pub(super) const LIST: &[Parameter] = &[
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
        "live|pending|inactive|internal|invalid|deleted",
        "Only APIs in this state",
    ),
    query("tag", "string", "Only APIs with this tag"),
    query(
        "document",
        "oas|mcp",
        "Only what is administered as an OpenAPI document of this kind",
    ),
    query(
        "sort",
        "string",
        "`name`, `api_id`, `listen_path`, `domain`, `state` or `updated_at`; `-` in front turns it round",
    ),
    query("p", "integer", "The page, from 1"),
    query("per_page", "integer", "Rows a page, 1 to 500, else 50"),
    query("include_types", "string", "`mcp`: MCP proxies too"),
];
pub(super) const IMPORT: &[Parameter] = &[
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
const BASE_API: Parameter = query(
    "base_api_id",
    "string",
    "Store the document as a version of this API",
);
const BASE_VERSION: Parameter = query(
    "base_api_version_name",
    "string",
    "Name of the base's own version, needed the first time",
);
const NEW_VERSION: Parameter = query("new_version_name", "string", "Name of the new version");
const SET_DEFAULT: Parameter = query(
    "set_default",
    "boolean",
    "Make the new version the default one",
);
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
pub(super) const MODE: Parameter = query("mode", "string", "`public`: without the extension");
pub(super) const EXPAND: Parameter = query(
    "expand",
    "boolean",
    "With every tool of a proxy that has them from an OpenAPI API",
);

/// The parameters for what PATCH and import change in a document, after the endpoint's own.
macro_rules! made {
    ($($more:expr),* $(,)?) => {
        &[
            $($more,)*
            query("upstreamURL", "string", "The upstream, an absolute address"),
            query("listenPath", "string", "The listen path"),
            query("customDomain", "string", "The host name the API is served on"),
            query("allowList", "boolean", "`true` allows every operation, and no other path"),
            query("validateRequest", "boolean", "Check requests against the document"),
            query("mockResponse", "boolean", "Answer with the examples of the document"),
            query("authentication", "boolean", "Ask for credentials as `security` says"),
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
    query("apiID", "string", "The id, else the gateway gives one"),
    BASE_API,
    BASE_VERSION,
    NEW_VERSION,
    SET_DEFAULT,
);
pub(super) const CREATE_MCP: &[Parameter] = &[
    query(
        "dryRun",
        "boolean",
        "Answer the document that would be stored, and store nothing",
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
    "The organisation, with which the id begins; an id in the path may then be the fingerprint alone",
);
pub(super) const LIST_CERTIFICATES: &[Parameter] = &[
    query("org_id", "string", "Only those of this organisation"),
    query("mode", "string", "`detailed`: more than the ids"),
];

pub(super) const REVISIONS: &[Parameter] = &[
    query("before", "integer", "Only revisions older than this one"),
    query("limit", "integer", "At most so many, 1 to 500, else 100"),
];

pub(super) const FIND_KEY: &[Parameter] = &[
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
pub(super) const READ_KEY: &[Parameter] = &[
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
    query(
        "api_id",
        "string",
        "An API whose organisation is that of the custom id, unless org_id names it",
    ),
    query(
        "applied",
        "boolean",
        "`false`: the session as it was written, without what policies and counters say",
    ),
    IF_CHANGED,
];
pub(super) const ROTATE_KEY: &[Parameter] = &[
    query(
        "hashed",
        "string",
        "Any text: the path has the hash instead of the key",
    ),
    query("org_id", "string", "The organisation of a custom id"),
    DRY_RUN,
    IF_MATCH,
];
pub(super) const WRITE_KEY: &[Parameter] = &[
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
    STRICT,
    IF_MATCH,
    IF_NONE_MATCH,
];
pub(super) const WRITE_ORG: &[Parameter] = &[
    query("reset_quota", "string", "`1`: the quota begins anew"),
    DRY_RUN,
    STRICT,
    IF_MATCH,
];
pub(super) const LIST_KEYS: &[Parameter] = &[
    query(
        "filter",
        "string",
        "An organisation, or the beginning of a hash",
    ),
    query(
        "api_id",
        "string",
        "Only keys that may use this API, by their own rights or by a policy",
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
    query(
        "certificate",
        "string",
        "Only keys that are bound to this certificate",
    ),
    query(
        "state",
        "active|inactive|expired",
        "Only keys in this state",
    ),
    query(
        "sort",
        "string",
        "`alias`, `created_at`, `updated_at` or `expires`; `-` in front turns it round. Then the list has pages",
    ),
    query(
        "p",
        "integer",
        "The page, from 1; without it, and without `sort`, all hashes come in their order",
    ),
    query("per_page", "integer", "Rows a page, 1 to 500, else 50"),
];

//! Every endpoint of the administration API as data.
//!
//! Router, OpenAPI document and the tests that call each route without a credential read this one
//! table, so a route can't be forgotten in any of them.

use serde::Serialize;

/// What an endpoint does. The engine has one exhaustive match over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Operation {
    /// The full array, or with `view=summary` a page of summaries.
    ListApis,
    /// Creates or replaces by the id in the body.
    CreateApi,
    /// The stored document, byte by byte.
    ReadApi,
    /// Replaces an existing document.
    UpdateApi,
    /// Deletes; the revisions stay.
    DeleteApi,
    /// The versions of a base API.
    ListVersions,
    /// The revisions of a document.
    ListRevisions,
    /// The document as it was at a revision.
    ReadRevision,
    /// Stores an earlier revision as the newest one.
    RestoreRevision,
    /// A batch through a loaded API, for the console, which has no data plane on its origin.
    RunBatch,
    /// The issues of a document of any kind, which is not stored.
    Validate,
    /// The API definition that an OpenAPI document becomes; nothing is stored.
    ImportOpenApi,
    /// What differs between two documents.
    Diff,
    /// A document with a merge patch applied.
    Merge,
    /// A document from another server, for the console's import, whose origin may call no other.
    FetchOpenApi,
    /// Publishes what is stored and loads it.
    Reload,
    /// What the last reload did and what the next one would change.
    ReloadStatus,
    /// Liveness; always 200.
    Hello,
    /// Readiness.
    Ready,
    /// The JSON Schema of an API definition, in the envelope of the reference.
    Schema,
    /// The JSON Schema of any kind of document.
    DocumentSchema,
    /// The dashboard credentials, without their tokens.
    ListCredentials,
    /// Issues a dashboard credential; its token is shown once.
    IssueCredential,
    /// Revokes a dashboard credential.
    RevokeCredential,
    /// This API's OpenAPI document.
    OpenApi,
}

/// Who may call an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Auth {
    /// Whoever holds the gateway secret (specification, *Authentication*).
    Secret,
    /// Everybody; nothing in the answer is worth hiding.
    Public,
}

/// A query or header parameter.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// `query` or `header`.
    pub location: &'static str,
    /// JSON Schema type.
    pub kind: &'static str,
    /// What it does.
    pub doc: &'static str,
}

pub(crate) const fn query(name: &'static str, kind: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        name,
        location: "query",
        kind,
        doc,
    }
}

const fn header(name: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        name,
        location: "header",
        kind: "string",
        doc,
    }
}

/// One row of the contract.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Endpoint {
    /// The HTTP method in upper case.
    pub method: &'static str,
    /// The path template; `{name}` is one segment, or one up to the ending behind it.
    pub path: &'static str,
    /// What it does.
    pub operation: Operation,
    /// Who may call it.
    pub auth: Auth,
    /// One sentence for the reader of the OpenAPI document.
    pub summary: &'static str,
    /// Query and header parameters.
    pub parameters: &'static [Parameter],
    /// Name of the request body's schema, empty if it takes none.
    pub body: &'static str,
    /// Name of the schema of the 200 answer.
    pub answer: &'static str,
    /// The other statuses it can answer with, besides 403, 405 and 500.
    pub statuses: &'static [u16],
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
        summary,
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
];

/// What was found out about a request line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'p, T = Operation> {
    /// The endpoint and the path's variables in template order.
    Endpoint(T, Vec<&'p str>),
    /// The path exists, with these methods.
    OtherMethods(Vec<&'static str>),
    /// No such path.
    Nothing,
}

/// Finds the endpoint of a request line. One trailing slash makes no difference (reference 1.0).
#[must_use]
pub fn find<'p>(method: &str, path: &'p str) -> Found<'p> {
    let rows = ENDPOINTS
        .iter()
        .map(|row| (row.method, row.path, row.operation));
    find_in(rows, method, path)
}

/// Finds a request line in a table of methods and path templates.
pub(crate) fn find_in<'p, T>(
    rows: impl Iterator<Item = (&'static str, &'static str, T)>,
    method: &str,
    path: &'p str,
) -> Found<'p, T> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let mut others = Vec::new();
    for (allowed, template, endpoint) in rows {
        let Some(variables) = match_template(template, path) else {
            continue;
        };
        if allowed == method {
            return Found::Endpoint(endpoint, variables);
        }
        if !others.contains(&allowed) {
            others.push(allowed);
        }
    }
    if others.is_empty() {
        Found::Nothing
    } else {
        Found::OtherMethods(others)
    }
}

/// The name of the variable that a segment of a template is, and the text behind it.
pub(crate) fn variable(segment: &str) -> Option<(&str, &str)> {
    segment.strip_prefix('{')?.split_once('}')
}

fn match_template<'p>(template: &str, path: &'p str) -> Option<Vec<&'p str>> {
    let mut variables = Vec::new();
    let mut segments = path.split('/');
    for expected in template.split('/') {
        let segment = segments.next()?;
        if let Some((_, ending)) = variable(expected) {
            let value = segment.strip_suffix(ending)?;
            if value.is_empty() {
                return None;
            }
            variables.push(value);
        } else if expected != segment {
            return None;
        }
    }
    segments.next().is_none().then_some(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailing_slash_makes_no_difference() {
        let expected = Found::Endpoint(Operation::ReadApi, vec!["a1"]);
        assert_eq!(find("GET", "/gateway/apis/a1"), expected);
        assert_eq!(find("GET", "/gateway/apis/a1/"), expected);
        assert_eq!(
            find("GET", "/gateway/apis/"),
            Found::Endpoint(Operation::ListApis, vec![])
        );
    }

    #[test]
    fn literal_segments_and_variables_do_not_mix_up() {
        let restore = Found::Endpoint(Operation::RestoreRevision, vec!["a", "3"]);
        assert_eq!(find("POST", "/gateway/apis/a/revisions/3/restore"), restore);
        assert_eq!(
            find("GET", "/gateway/reload/status"),
            Found::Endpoint(Operation::ReloadStatus, vec![])
        );
        assert_eq!(find("GET", "/gateway/apis//revisions"), Found::Nothing);
    }

    #[test]
    fn an_ending_is_no_part_of_its_variable() {
        let schema = |path| find("GET", path);
        let expected = Found::Endpoint(Operation::DocumentSchema, vec!["policy"]);
        assert_eq!(schema("/openapi/schemas/policy.json"), expected);
        for path in [
            "/openapi/schemas/policy",
            "/openapi/schemas/.json",
            "/openapi/schemas/a/b.json",
        ] {
            assert_eq!(schema(path), Found::Nothing, "{path}");
        }
    }

    #[test]
    fn another_method_names_the_right_ones() {
        assert_eq!(
            find("PATCH", "/gateway/apis"),
            Found::OtherMethods(vec!["GET", "POST"])
        );
        assert_eq!(find("GET", "/gateway/nothing"), Found::Nothing);
    }
}

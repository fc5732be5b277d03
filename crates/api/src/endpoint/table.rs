//! The table itself: one row per method and path. Fields that a row doesn't set are those of [`row`].

use super::parameters::{
    CERTIFICATE_ORG, CREATE, CREATE_MCP, DELETE_KEY, DRY_RUN, EXPAND, EXPORT, FAILURES, IF_CHANGED,
    IF_MATCH, IF_NONE_MATCH, IMPORT, IMPORT_OAS, LIST, LIST_CERTIFICATES, LIST_KEYS, LOADED, MODE,
    PASSPHRASE, PATCH_OAS, READ_API, READ_KEY, READ_POLICY, RELOAD, REVISIONS, ROTATE_KEY, STRICT,
    VERSIONS, WRITE_KEY, WRITE_ORG, query, required,
};
use super::{Endpoint, Operation, Right};
use crate::dashboard::{Access, Part};
use crate::docs_only;

const PUBLIC: Option<Right> = Some(Right::Public);
const ANY: Option<Right> = Some(Right::Any);
/// To call upstreams, and other servers.
const CALLS: Option<Right> = Some(Right::To(Part::Tools, Access::Write));
const FIGURES: Option<Right> = Some(Right::To(Part::Figures, Access::Read));
const READS_KEYS: Option<Right> = Some(Right::To(Part::Keys, Access::Read));
const RELOADS: Option<Right> = Some(Right::To(Part::Reload, Access::Write));
/// Reading a client shows its secret.
const READS_CLIENTS: Option<Right> = Some(Right::To(Part::Oauth, Access::Write));

/// Returns the defaults of a row.
const fn row(method: &'static str) -> Endpoint {
    Endpoint {
        method,
        path: "",
        operation: Operation::Hello,
        right: None,
        summary: "",
        parameters: &[],
        body: "",
        answer: "StatusMessage",
        statuses: &[],
    }
}

/// Rows as method, path, operation, summary, and any other fields.
macro_rules! endpoints {
    ($($method:ident $path:literal $operation:ident $summary:literal { $($field:ident: $value:expr),* $(,)? })*) => {
        &[$(Endpoint {
            path: $path,
            operation: Operation::$operation,
            summary: docs_only($summary),
            $($field: $value,)*
            ..row(stringify!($method))
        }),*]
    };
}

/// The whole administration API. Reloads are GET for the clients of this family, and also POST because they change
/// something.
pub const ENDPOINTS: &[Endpoint] = endpoints! {
    GET "/gateway/apis" ListApis "List API definitions" { parameters: LIST, answer: "ApiList", statuses: &[400] }
    POST "/gateway/apis" CreateApi "Create or replace an API definition" {
        parameters: CREATE, body: "ApiDefinition", answer: "ModifySuccess", statuses: &[400, 409, 412, 413, 422]
    }
    GET "/gateway/apis/oas" ListOasApis "List OpenAPI APIs" { answer: "OpenApiList" }
    POST "/gateway/apis/oas" CreateOasApi "Create or replace an OpenAPI API" {
        parameters: CREATE, body: "OpenApi", answer: "ModifySuccess", statuses: &[400, 409, 412, 413, 415, 422]
    }
    POST "/gateway/apis/oas/import" ImportOasApi "Create an OpenAPI API from a plain OpenAPI document" {
        parameters: IMPORT_OAS, body: "OpenApi", answer: "ModifySuccess", statuses: &[400, 409, 412, 413, 415, 422]
    }
    GET "/gateway/apis/oas/export" ExportOasApis "Export the documents of all OpenAPI APIs as a file" {
        parameters: &[MODE], answer: "OpenApiFile", statuses: &[400]
    }
    GET "/gateway/apis/oas/{apiID}" ReadOasApi "Read the document of an OpenAPI API or MCP proxy" {
        parameters: &[IF_CHANGED], answer: "OpenApi", statuses: &[304, 400, 404]
    }
    PUT "/gateway/apis/oas/{apiID}" UpdateOasApi "Replace an OpenAPI API" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH],
        body: "OpenApi",
        answer: "ModifySuccess",
        statuses: &[400, 404, 409, 412, 413, 415],
    }
    PATCH "/gateway/apis/oas/{apiID}" PatchOasApi "Replace an OpenAPI API except for its extension" {
        parameters: PATCH_OAS, body: "OpenApi", answer: "ModifySuccess", statuses: &[400, 404, 409, 412, 413, 415]
    }
    DELETE "/gateway/apis/oas/{apiID}" DeleteOasApi "Delete an OpenAPI API" {
        parameters: &[DRY_RUN, IF_MATCH], answer: "ModifySuccess", statuses: &[400, 404, 409, 412]
    }
    GET "/gateway/apis/oas/{apiID}/versions" ListOasVersions "List the versions of a base API" {
        parameters: VERSIONS, answer: "Versions", statuses: &[400, 404]
    }
    GET "/gateway/apis/oas/{apiID}/export" ExportOasApi "Export the document of an OpenAPI API as a file" {
        parameters: &[MODE], answer: "OpenApiFile", statuses: &[400, 404]
    }
    GET "/gateway/mcps" ListMcpProxies "List MCP proxies" { answer: "OpenApiList" }
    POST "/gateway/mcps" CreateMcpProxy "Create or replace an MCP proxy" {
        parameters: CREATE_MCP, body: "OpenApi", answer: "McpWritten", statuses: &[400, 403, 409, 412, 413, 415, 422]
    }
    GET "/gateway/mcps/{apiID}" ReadMcpProxy "Read an MCP proxy" {
        parameters: &[EXPAND, IF_CHANGED], answer: "OpenApi", statuses: &[304, 400, 404]
    }
    PUT "/gateway/mcps/{apiID}" UpdateMcpProxy "Replace an MCP proxy" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH],
        body: "OpenApi",
        answer: "ModifySuccess",
        statuses: &[400, 404, 409, 412, 413, 415],
    }
    DELETE "/gateway/mcps/{apiID}" DeleteMcpProxy "Delete an MCP proxy" {
        parameters: &[DRY_RUN, IF_MATCH], answer: "ModifySuccess", statuses: &[400, 404, 412]
    }
    GET "/gateway/apis/{apiID}" ReadApi "Read an API definition" {
        parameters: READ_API, answer: "ApiDefinition", statuses: &[304, 400, 404]
    }
    POST "/gateway/apis/{apiID}" CreateApi "Create or replace an API definition" {
        parameters: CREATE, body: "ApiDefinition", answer: "ModifySuccess", statuses: &[400, 409, 412, 413, 422]
    }
    PUT "/gateway/apis/{apiID}" UpdateApi "Replace an API definition" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH],
        body: "ApiDefinition",
        answer: "ModifySuccess",
        statuses: &[400, 404, 409, 412, 413],
    }
    DELETE "/gateway/apis/{apiID}" DeleteApi "Delete an API definition" {
        parameters: &[DRY_RUN, IF_MATCH], answer: "ModifySuccess", statuses: &[400, 404, 409, 412]
    }
    GET "/gateway/apis/{apiID}/versions" ListVersions "List the versions of a base API" {
        parameters: VERSIONS, answer: "Versions", statuses: &[400, 404]
    }
    GET "/gateway/apis/{apiID}/chain" GetApiChain "List the links of a loaded API's chain in order, with the members that require them (beyond the specification)" {
        answer: "ApiChain", statuses: &[400, 404]
    }
    GET "/gateway/apis/{apiID}/revisions" ListRevisions "List the revisions of an API, even a deleted one" {
        parameters: REVISIONS, answer: "Revisions", statuses: &[400, 404]
    }
    GET "/gateway/apis/{apiID}/revisions/{revision}" ReadRevision "Read a revision of an API definition" {
        answer: "ApiDefinition", statuses: &[400, 404]
    }
    POST "/gateway/apis/{apiID}/revisions/{revision}/restore" RestoreRevision "Restore a revision of an API, even a deleted one" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH], answer: "ModifySuccess", statuses: &[400, 404, 409, 412]
    }
    POST "/gateway/apis/{apiID}/batch" RunBatch "Send a batch of requests through a loaded API" {
        right: CALLS, body: "BatchRequest", answer: "BatchReply", statuses: &[400, 404, 413]
    }
    POST "/gateway/debug" Debug "Send a request through the chain and trace its steps; it is real and counts against the limits" {
        right: CALLS, body: "DebugRequest", answer: "DebugReply", statuses: &[400, 404, 413]
    }
    POST "/gateway/validate/{root}" Validate "Validate a document without storing it; returns 200 even if there are errors" {
        right: ANY, body: "Document", answer: "Validated", statuses: &[400, 404, 413]
    }
    POST "/gateway/diff" Diff "Compare two documents: merge patch and list of changes" {
        right: ANY, body: "DiffRequest", answer: "Difference", statuses: &[400, 413]
    }
    POST "/gateway/merge" Merge "Apply a merge patch to a document without storing it" {
        right: ANY, body: "MergeRequest", answer: "Merged", statuses: &[400, 413]
    }
    POST "/gateway/openapi/import" ImportOpenApi "Create an API definition from an OpenAPI document without storing it" {
        right: ANY, parameters: IMPORT, body: "OpenApi", answer: "Imported", statuses: &[400, 413]
    }
    POST "/gateway/openapi/fetch" FetchOpenApi "Fetch an OpenAPI document from its URL" {
        right: CALLS, body: "FetchRequest", answer: "Fetched", statuses: &[400, 413, 502, 504]
    }
    GET "/gateway/reload" Reload "Publish and load everything that is stored" {
        right: RELOADS, parameters: RELOAD, answer: "ReloadMessage", statuses: &[400, 409]
    }
    POST "/gateway/reload" Reload "Publish and load everything that is stored, or a selection of it" {
        parameters: RELOAD, body: "ReloadSelection", answer: "ReloadMessage", statuses: &[400, 404, 409, 413]
    }
    GET "/gateway/reload/group" Reload "Publish and load everything that is stored, everywhere" {
        right: RELOADS, parameters: RELOAD, answer: "ReloadMessage", statuses: &[400, 409]
    }
    POST "/gateway/reload/group" Reload "Publish and load everything that is stored, or a selection of it, everywhere" {
        parameters: RELOAD, body: "ReloadSelection", answer: "ReloadMessage", statuses: &[400, 404, 409, 413]
    }
    GET "/gateway/reload/status" ReloadStatus "Show what is loaded, what was skipped and what is pending" {
        parameters: &[LOADED], answer: "ReloadStatus"
    }
    GET "/gateway/reload/generations" Generations "List the generations that can be published again" {
        answer: "PastGenerations"
    }
    GET "/gateway/reload/generations/{generation}" PlanGeneration "Preview what publishing a generation again would change" {
        answer: "GenerationPlan", statuses: &[400, 404]
    }
    GET "/gateway/dashboard/credentials" ListCredentials "List dashboard credentials, including revoked ones" {
        answer: "Credentials"
    }
    POST "/gateway/dashboard/credentials" IssueCredential "Issue a dashboard credential; its token is shown only once" {
        body: "CredentialRequest", answer: "IssuedCredential", statuses: &[400, 413]
    }
    DELETE "/gateway/dashboard/credentials/{id}" RevokeCredential "Revoke a dashboard credential with immediate effect" {
        answer: "ModifySuccess", statuses: &[400, 404]
    }
    DELETE "/gateway/cache/jwks" ForgetAllKeys "Clear the cached key sets (JWKS) of all APIs" {
        statuses: &[500]
    }
    DELETE "/gateway/cache/jwks/{apiID}" ForgetKeys "Clear the cached key sets (JWKS) of an API" {
        statuses: &[400, 500]
    }
    DELETE "/gateway/cache/{apiID}" ForgetCache "Clear an API's cached responses everywhere; requests that arrive after this call has returned get none of them" {
        statuses: &[400, 500]
    }
    GET "/gateway/certs" ListCertificates "List certificates" { parameters: LIST_CERTIFICATES, answer: "CertificateList" }
    POST "/gateway/certs" AddCertificate "Store a certificate, with or without its private key, or a public key, with immediate effect; duplicates are refused" {
        parameters: &[CERTIFICATE_ORG], body: "CertificateText", answer: "CertificateAdded", statuses: &[400, 413]
    }
    GET "/gateway/certs/{certID}" ReadCertificates "Read the details of one certificate, or of several with comma-separated ids" {
        parameters: &[CERTIFICATE_ORG], answer: "CertificateDetails", statuses: &[400, 404]
    }
    DELETE "/gateway/certs/{certID}" RemoveCertificate "Remove a certificate with immediate effect" {
        parameters: &[CERTIFICATE_ORG], statuses: &[400]
    }
    GET "/gateway/keys" ListKeys "List keys" { parameters: LIST_KEYS, answer: "KeyList", statuses: &[400] }
    POST "/gateway/keys" AddKey "Create a key" {
        parameters: WRITE_KEY, body: "Session", answer: "KeyWritten", statuses: &[400, 412, 413]
    }
    POST "/gateway/keys/create" CreateKey "Create a key" {
        parameters: WRITE_KEY, body: "Session", answer: "KeyWritten", statuses: &[400, 412, 413]
    }
    POST "/gateway/keys/preview" PreviewKey "Preview a session with its policies applied" {
        right: READS_KEYS, body: "Session", answer: "Session", statuses: &[400, 413]
    }
    POST "/gateway/keys/policy/{keyHash}" SetKeyPolicies "Set the policies of a key" {
        parameters: &[DRY_RUN, IF_MATCH], body: "KeyPolicies", answer: "KeyWritten", statuses: &[400, 404, 412, 413]
    }
    POST "/gateway/keys/{keyID}" AddKey "Create a key with a custom id" {
        parameters: WRITE_KEY, body: "Session", answer: "KeyWritten", statuses: &[400, 404, 412, 413]
    }
    GET "/gateway/keys/{keyID}" ReadKey "Read a key" {
        parameters: READ_KEY, answer: "Session", statuses: &[304, 400, 404]
    }
    PUT "/gateway/keys/{keyID}" UpdateKey "Replace a key" {
        parameters: WRITE_KEY, body: "Session", answer: "KeyWritten", statuses: &[400, 404, 412, 413]
    }
    DELETE "/gateway/keys/{keyID}" DeleteKey "Delete a key" {
        parameters: DELETE_KEY, answer: "KeyWritten", statuses: &[400, 404, 412]
    }
    POST "/gateway/keys/{keyID}/rotate" RotateKey "Give a key a new token; the old one becomes invalid, limits and counters are kept (beyond the specification)" {
        parameters: ROTATE_KEY, answer: "KeyWritten", statuses: &[400, 404, 412]
    }
    POST "/gateway/oauth/clients/create" CreateOauthClient "Create or replace an OAuth 2.0 client for one API or for all APIs of a policy" {
        body: "OauthClientRequest", answer: "OauthClient", statuses: &[400, 413, 500]
    }
    GET "/gateway/oauth/clients/apis/{appID}" ListOauthApis "List the APIs of an OAuth 2.0 client" {
        parameters: &[query("orgID", "string", "Organisation of the client; without it, the path means a client of an API with the id `apis`")],
        answer: "OauthApis",
        statuses: &[404],
    }
    GET "/gateway/oauth/clients/{apiID}" ListOauthClients "List the OAuth 2.0 clients of an API" {
        right: READS_CLIENTS, answer: "OauthClients", statuses: &[404]
    }
    GET "/gateway/oauth/clients/{apiID}/{clientID}" ReadOauthClient "Read an OAuth 2.0 client" {
        right: READS_CLIENTS, answer: "OauthClient", statuses: &[404]
    }
    PUT "/gateway/oauth/clients/{apiID}/{clientID}" UpdateOauthClient "Update an OAuth 2.0 client; a different policy invalidates its access tokens" {
        body: "OauthClientRequest", answer: "OauthClient", statuses: &[400, 404, 413, 500]
    }
    DELETE "/gateway/oauth/clients/{apiID}/{clientID}" DeleteOauthClient "Remove an OAuth 2.0 client from an API" {
        answer: "ModifySuccess", statuses: &[404]
    }
    PUT "/gateway/oauth/clients/{apiID}/{clientID}/rotate" RotateOauthClient "Give an OAuth 2.0 client a new secret; its tokens stay valid" {
        answer: "OauthClient", statuses: &[404]
    }
    GET "/gateway/oauth/clients/{apiID}/{clientID}/tokens" ListOauthTokens "List the access tokens of an OAuth 2.0 client by their hashes" {
        parameters: &[query("page", "string", "Page number, from 1; any other value means the first page. Without it, all tokens are returned")],
        answer: "OauthTokens",
        statuses: &[404],
    }
    DELETE "/gateway/oauth/refresh/{token}" EndRefreshToken "Revoke a refresh token; its access token stays valid" {
        parameters: &[required("api_id", "string", "API that issued the token")],
        answer: "ModifySuccess",
        statuses: &[400, 404],
    }
    POST "/gateway/oauth/revoke" RevokeToken "Revoke an access or refresh token of an OAuth 2.0 client" {
        body: "OauthRevocation", statuses: &[400]
    }
    POST "/gateway/oauth/revoke_all" RevokeTokens "Revoke all tokens of an OAuth 2.0 client" {
        body: "OauthRevocation", statuses: &[400, 401, 404]
    }
    DELETE "/gateway/oauth/tokens" PurgeTokens "Remove the records of expired OAuth 2.0 tokens" {
        parameters: &[required("scope", "string", "`lapsed`")], statuses: &[400, 422]
    }
    GET "/gateway/policies" ListPolicies "List policies" { answer: "PolicyList" }
    POST "/gateway/policies" AddPolicy "Create or replace a policy" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH, IF_NONE_MATCH],
        body: "Policy",
        answer: "ModifySuccess",
        statuses: &[400, 409, 412, 413],
    }
    POST "/gateway/policies/{polID}" AddPolicy "Create or replace the policy named in the body" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH, IF_NONE_MATCH],
        body: "Policy",
        answer: "ModifySuccess",
        statuses: &[400, 409, 412, 413],
    }
    GET "/gateway/policies/{polID}" ReadPolicy "Read a policy" {
        parameters: READ_POLICY, answer: "Policy", statuses: &[304, 400, 404]
    }
    PUT "/gateway/policies/{polID}" UpdatePolicy "Replace a policy, or create one with this id" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH],
        body: "Policy",
        answer: "ModifySuccess",
        statuses: &[400, 409, 412, 413],
    }
    DELETE "/gateway/policies/{polID}" DeletePolicy "Delete a policy" {
        parameters: &[DRY_RUN, IF_MATCH], answer: "ModifySuccess", statuses: &[400, 404, 412]
    }
    GET "/gateway/policies/{polID}/revisions" ListPolicyRevisions "List the revisions of a policy, even a deleted one (beyond the specification)" {
        parameters: REVISIONS, answer: "Revisions", statuses: &[400, 404]
    }
    GET "/gateway/policies/{polID}/revisions/{revision}" ReadPolicyRevision "Read a revision of a policy (beyond the specification)" {
        answer: "Policy", statuses: &[400, 404]
    }
    POST "/gateway/policies/{polID}/revisions/{revision}/restore" RestorePolicyRevision "Restore a revision of a policy, even a deleted one (beyond the specification)" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH], answer: "ModifySuccess", statuses: &[400, 404, 409, 412]
    }
    GET "/gateway/org/keys" ListOrgs "List organisations that have a session" {
        parameters: &[query(
            "filter",
            "string",
            "Start of an organisation's id",
        )],
        answer: "KeyList",
    }
    GET "/gateway/org/keys/{orgID}" ReadOrg "Read the session of an organisation" {
        parameters: &[IF_CHANGED], answer: "Organisation", statuses: &[304, 404]
    }
    POST "/gateway/org/keys/{orgID}" AddOrg "Create or replace the session of an organisation" {
        parameters: WRITE_ORG, body: "Organisation", answer: "KeyWritten", statuses: &[400, 404, 412, 413]
    }
    PUT "/gateway/org/keys/{orgID}" UpdateOrg "Replace or create the session of an organisation" {
        parameters: WRITE_ORG, body: "Organisation", answer: "KeyWritten", statuses: &[400, 404, 412, 413]
    }
    DELETE "/gateway/org/keys/{orgID}" DeleteOrg "Delete the session of an organisation" {
        parameters: &[DRY_RUN, IF_MATCH], answer: "KeyWritten", statuses: &[400, 404, 412]
    }
    GET "/gateway/export" Export "Export everything that is administered, one JSON object per line (beyond the specification)" {
        parameters: EXPORT, answer: "Backup", statuses: &[400]
    }
    POST "/gateway/import" Import "Import the export of another gateway into an empty one (beyond the specification)" {
        parameters: &[DRY_RUN, STRICT, PASSPHRASE], body: "Backup", answer: "BackupStored", statuses: &[400, 409, 413]
    }
    DELETE "/gateway/import" GiveUpImport "Abort an unfinished import and remove what it has stored" {
        answer: "ImportRemoved", statuses: &[404]
    }
    GET "/hello" Hello "Check liveness" { right: PUBLIC, answer: "Health" }
    HEAD "/hello" Hello "Check liveness, without a response body" { right: PUBLIC, answer: "Health" }
    GET "/ready" Ready "Check readiness" { right: PUBLIC, answer: "Health", statuses: &[503] }
    HEAD "/ready" Ready "Check readiness, without a response body" { right: PUBLIC, answer: "Health", statuses: &[503] }
    GET "/gateway/health" ApiHealth "Show an API's requests, refusals and latency over the last seconds" {
        right: FIGURES, parameters: &[required("api_id", "string", "Id of a loaded API")], answer: "ApiHealth", statuses: &[400, 404]
    }
    GET "/gateway/health/figures" Figures "Show traffic over time, and the keys close to their limit (beyond the specification)" {
        right: FIGURES,
        parameters: &[
            query("api_id", "string", "Only figures of this API"),
            query("window", "15m|1h|24h|7d", "Period up to now, by default `1h`"),
        ],
        answer: "Figures",
        statuses: &[400],
    }
    GET "/gateway/health/failures" Failures "List failed requests by cause, with one example per kind and minute (beyond the specification)" {
        right: FIGURES, parameters: FAILURES, answer: "Failures", statuses: &[400]
    }
    GET "/gateway/health/upstreams/{apiID}" UpstreamHealth "Show the upstream targets of an API, its circuit breakers, and the results of its uptime tests (beyond the specification)" {
        right: FIGURES, answer: "UpstreamHealth", statuses: &[400, 404]
    }
    GET "/gateway/health/storage" Storage "Show how much is stored, by kind (beyond the specification)" {
        right: FIGURES, answer: "Storage"
    }
    GET "/gateway/schema" Schema "Read the JSON Schema of OpenAPI documents with the vendor extension" {
        right: ANY,
        parameters: &[
            query(
                "oasVersion",
                "string",
                "`3.0` or `3.1`, optionally with a patch number; by default `3.0`",
            ),
            IF_CHANGED,
        ],
        answer: "Schema",
        statuses: &[304, 404],
    }
    GET "/openapi/schemas/{root}.json" DocumentSchema "Read the JSON Schema of a kind of document" {
        right: PUBLIC, parameters: &[IF_CHANGED], answer: "JsonSchema", statuses: &[304, 404]
    }
    GET "/openapi/gateway.json" OpenApi "Read this document" {
        right: PUBLIC, parameters: &[IF_CHANGED], answer: "OpenApi", statuses: &[304]
    }
    GET "/openapi/dashboard.json" DashboardOpenApi "Read the OpenAPI document of the dashboard API" {
        right: PUBLIC, parameters: &[IF_CHANGED], answer: "OpenApi", statuses: &[304]
    }
};

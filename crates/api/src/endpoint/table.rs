//! The table itself: one row per method and path. Fields that a row doesn't set are those of [`ROW`].

use super::parameters::{
    CERTIFICATE_ORG, CREATE, CREATE_MCP, DRY_RUN, EXPAND, EXPORT, FAILURES, FIND_KEY, IF_CHANGED,
    IF_MATCH, IF_NONE_MATCH, IMPORT, IMPORT_OAS, LIST, LIST_CERTIFICATES, LIST_KEYS, MODE,
    PASSPHRASE, PATCH_OAS, READ_KEY, RELOAD, REVISIONS, ROTATE_KEY, STRICT, VERSIONS, WRITE_KEY,
    WRITE_ORG, query, required,
};
use super::{Auth, Endpoint, Operation};
use crate::docs_only;

const ROW: Endpoint = Endpoint {
    method: "",
    path: "",
    operation: Operation::Hello,
    auth: Auth::Secret,
    summary: "",
    parameters: &[],
    body: "",
    answer: "StatusMessage",
    statuses: &[],
};

/// Rows as method, path, operation, summary, and any other fields.
macro_rules! endpoints {
    ($($method:ident $path:literal $operation:ident $summary:literal { $($field:ident: $value:expr),* $(,)? })*) => {
        &[$(Endpoint {
            method: stringify!($method),
            path: $path,
            operation: Operation::$operation,
            summary: docs_only($summary),
            $($field: $value,)*
            ..ROW
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
    POST "/gateway/apis/oas/import" ImportOasApi "Make an OpenAPI API of a plain OpenAPI document" {
        parameters: IMPORT_OAS, body: "OpenApi", answer: "ModifySuccess", statuses: &[400, 409, 412, 413, 415, 422]
    }
    GET "/gateway/apis/oas/export" ExportOasApis "The documents of all OpenAPI APIs as a file" {
        parameters: &[MODE], answer: "OpenApiFile", statuses: &[400]
    }
    GET "/gateway/apis/oas/{apiID}" ReadOasApi "Read the document of an OpenAPI API, or of an MCP proxy" {
        parameters: &[IF_CHANGED], answer: "OpenApi", statuses: &[304, 400, 404]
    }
    PUT "/gateway/apis/oas/{apiID}" UpdateOasApi "Replace an OpenAPI API" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH],
        body: "OpenApi",
        answer: "ModifySuccess",
        statuses: &[400, 404, 409, 412, 413, 415],
    }
    PATCH "/gateway/apis/oas/{apiID}" PatchOasApi "Replace all of an OpenAPI API but its extension" {
        parameters: PATCH_OAS, body: "OpenApi", answer: "ModifySuccess", statuses: &[400, 404, 409, 412, 413, 415]
    }
    DELETE "/gateway/apis/oas/{apiID}" DeleteOasApi "Delete an OpenAPI API" {
        parameters: &[DRY_RUN, IF_MATCH], answer: "ModifySuccess", statuses: &[400, 404, 409, 412]
    }
    GET "/gateway/apis/oas/{apiID}/versions" ListOasVersions "List the versions of a base API" {
        parameters: VERSIONS, answer: "Versions", statuses: &[400, 404]
    }
    GET "/gateway/apis/oas/{apiID}/export" ExportOasApi "The document of an OpenAPI API as a file" {
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
        parameters: &[IF_CHANGED], answer: "ApiDefinition", statuses: &[304, 400, 404]
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
    GET "/gateway/apis/{apiID}/chain" GetApiChain "The links of a loaded API's chain in order, and the members that made them (beyond the specification)" {
        answer: "ApiChain", statuses: &[400, 404]
    }
    GET "/gateway/apis/{apiID}/revisions" ListRevisions "List the revisions of an API, also of a deleted one" {
        parameters: REVISIONS, answer: "Revisions", statuses: &[400, 404]
    }
    GET "/gateway/apis/{apiID}/revisions/{revision}" ReadRevision "Read an API definition as it was" {
        answer: "ApiDefinition", statuses: &[400, 404]
    }
    POST "/gateway/apis/{apiID}/revisions/{revision}/restore" RestoreRevision "Bring a revision back, also of a deleted API" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH], answer: "ModifySuccess", statuses: &[400, 404, 409, 412]
    }
    POST "/gateway/apis/{apiID}/batch" RunBatch "Run a batch through a loaded API" {
        body: "BatchRequest", answer: "BatchReply", statuses: &[400, 404, 413]
    }
    POST "/gateway/debug" Debug "Send one request through the chain and tell its steps; it is real and counts against the limits" {
        body: "DebugRequest", answer: "DebugReply", statuses: &[400, 404, 413, 503]
    }
    POST "/gateway/validate/{root}" Validate "Check a document without storing it; 200 also where there are errors" {
        body: "Document", answer: "Validated", statuses: &[400, 404, 413]
    }
    POST "/gateway/diff" Diff "Compare two documents: merge patch and list of changes" {
        body: "DiffRequest", answer: "Difference", statuses: &[400, 413]
    }
    POST "/gateway/merge" Merge "Apply a merge patch to a document without storing it" {
        body: "MergeRequest", answer: "Merged", statuses: &[400, 413]
    }
    POST "/gateway/openapi/import" ImportOpenApi "Make an API definition of an OpenAPI document without storing it" {
        parameters: IMPORT, body: "OpenApi", answer: "Imported", statuses: &[400, 413]
    }
    POST "/gateway/openapi/fetch" FetchOpenApi "Fetch an OpenAPI document from its address" {
        body: "FetchRequest", answer: "Fetched", statuses: &[400, 413, 502, 504]
    }
    GET "/gateway/reload" Reload "Load what is stored" {
        parameters: RELOAD, answer: "ReloadMessage", statuses: &[400, 409, 503]
    }
    POST "/gateway/reload" Reload "Load what is stored, or what is selected of it" {
        parameters: RELOAD, body: "ReloadSelection", answer: "ReloadMessage", statuses: &[400, 404, 409, 413, 503]
    }
    GET "/gateway/reload/group" Reload "Load what is stored, everywhere" {
        parameters: RELOAD, answer: "ReloadMessage", statuses: &[400, 409, 503]
    }
    POST "/gateway/reload/group" Reload "Load what is stored, everywhere, or what is selected of it" {
        parameters: RELOAD, body: "ReloadSelection", answer: "ReloadMessage", statuses: &[400, 404, 409, 413, 503]
    }
    GET "/gateway/reload/status" ReloadStatus "What is loaded, what was skipped, what waits" {
        answer: "ReloadStatus"
    }
    GET "/gateway/reload/generations" Generations "The generations that can be published again" {
        answer: "PastGenerations"
    }
    GET "/gateway/reload/generations/{generation}" PlanGeneration "What publishing a generation again would change" {
        answer: "GenerationPlan", statuses: &[400, 404]
    }
    GET "/gateway/dashboard/credentials" ListCredentials "List dashboard credentials, revoked ones included" {
        answer: "Credentials"
    }
    POST "/gateway/dashboard/credentials" IssueCredential "Issue a dashboard credential; its token is shown only here" {
        body: "CredentialRequest", answer: "IssuedCredential", statuses: &[400, 413]
    }
    DELETE "/gateway/dashboard/credentials/{id}" RevokeCredential "Revoke a dashboard credential, at once" {
        answer: "ModifySuccess", statuses: &[400, 404]
    }
    DELETE "/gateway/cache/jwks" ForgetAllKeys "Forget the key sets that tokens are checked with, of every API" {
        statuses: &[500]
    }
    DELETE "/gateway/cache/jwks/{apiID}" ForgetKeys "Forget the key sets that tokens of an API are checked with" {
        statuses: &[400, 500]
    }
    DELETE "/gateway/cache/{apiID}" ForgetCache "Forget the kept answers of an API, everywhere; nothing of before is answered once this is" {
        statuses: &[400, 500]
    }
    GET "/gateway/certs" ListCertificates "List certificates" { parameters: LIST_CERTIFICATES, answer: "CertificateList" }
    POST "/gateway/certs" AddCertificate "Store a certificate, with its private key or without, or a public key; at once, and once" {
        parameters: &[CERTIFICATE_ORG], body: "CertificateText", answer: "CertificateAdded", statuses: &[400, 413]
    }
    GET "/gateway/certs/{certID}" ReadCertificates "The details of a certificate, or of several with commas between their ids" {
        parameters: &[CERTIFICATE_ORG], answer: "CertificateDetails", statuses: &[400, 404]
    }
    DELETE "/gateway/certs/{certID}" RemoveCertificate "Remove a certificate, at once" {
        parameters: &[CERTIFICATE_ORG], statuses: &[400]
    }
    GET "/gateway/keys" ListKeys "List keys" { parameters: LIST_KEYS, answer: "KeyList", statuses: &[400] }
    POST "/gateway/keys" AddKey "Make a key" {
        parameters: WRITE_KEY, body: "Session", answer: "KeyWritten", statuses: &[400, 412, 413]
    }
    POST "/gateway/keys/create" CreateKey "Make a key" {
        parameters: WRITE_KEY, body: "Session", answer: "KeyWritten", statuses: &[400, 412, 413]
    }
    POST "/gateway/keys/preview" PreviewKey "A session with its policies applied" {
        body: "Session", answer: "Session", statuses: &[400, 413]
    }
    POST "/gateway/keys/policy/{keyHash}" SetKeyPolicies "Set the policies of a key" {
        parameters: &[DRY_RUN, IF_MATCH], body: "KeyPolicies", answer: "KeyWritten", statuses: &[400, 404, 412, 413]
    }
    POST "/gateway/keys/{keyID}" AddKey "Make a key with a custom id" {
        parameters: WRITE_KEY, body: "Session", answer: "KeyWritten", statuses: &[400, 404, 412, 413]
    }
    GET "/gateway/keys/{keyID}" ReadKey "Read a key" {
        parameters: READ_KEY, answer: "Session", statuses: &[304, 400, 404]
    }
    PUT "/gateway/keys/{keyID}" UpdateKey "Replace a key" {
        parameters: WRITE_KEY, body: "Session", answer: "KeyWritten", statuses: &[400, 404, 412, 413]
    }
    DELETE "/gateway/keys/{keyID}" DeleteKey "Delete a key" {
        parameters: FIND_KEY, answer: "KeyWritten", statuses: &[404, 412]
    }
    POST "/gateway/keys/{keyID}/rotate" RotateKey "Give a key a new token; the old one ends, limits and counters go on (beyond the specification)" {
        parameters: ROTATE_KEY, answer: "KeyWritten", statuses: &[400, 404, 412]
    }
    POST "/gateway/oauth/clients/create" CreateOauthClient "Create or replace an OAuth 2.0 client, of an API or of all APIs of a policy" {
        body: "OauthClientRequest", answer: "OauthClient", statuses: &[400, 413, 500]
    }
    GET "/gateway/oauth/clients/apis/{appID}" ListOauthApis "List the APIs that know an OAuth 2.0 client" {
        parameters: &[query("orgID", "string", "The organisation of the client; without it the path is that of a client of an API called `apis`")],
        answer: "OauthApis",
        statuses: &[404],
    }
    GET "/gateway/oauth/clients/{apiID}" ListOauthClients "List the OAuth 2.0 clients of an API" {
        answer: "OauthClients", statuses: &[404]
    }
    GET "/gateway/oauth/clients/{apiID}/{clientID}" ReadOauthClient "Read an OAuth 2.0 client" {
        answer: "OauthClient", statuses: &[404]
    }
    PUT "/gateway/oauth/clients/{apiID}/{clientID}" UpdateOauthClient "Change an OAuth 2.0 client; another policy ends its access tokens" {
        body: "OauthClientRequest", answer: "OauthClient", statuses: &[400, 404, 413, 500]
    }
    DELETE "/gateway/oauth/clients/{apiID}/{clientID}" DeleteOauthClient "Remove an OAuth 2.0 client from an API" {
        answer: "ModifySuccess", statuses: &[404]
    }
    PUT "/gateway/oauth/clients/{apiID}/{clientID}/rotate" RotateOauthClient "Give an OAuth 2.0 client a new secret; its tokens go on" {
        answer: "OauthClient", statuses: &[404]
    }
    GET "/gateway/oauth/clients/{apiID}/{clientID}/tokens" ListOauthTokens "List the access tokens of an OAuth 2.0 client, by their hashes" {
        parameters: &[query("page", "string", "The number of a page from 1, anything else being the first; without it all tokens are answered")],
        answer: "OauthTokens",
        statuses: &[404],
    }
    DELETE "/gateway/oauth/refresh/{token}" EndRefreshToken "End a refresh token; its access token goes on" {
        parameters: &[required("api_id", "string", "The API that it was issued at")],
        answer: "ModifySuccess",
        statuses: &[400, 404],
    }
    POST "/gateway/oauth/revoke" RevokeToken "End an access or refresh token of an OAuth 2.0 client" {
        body: "OauthRevocation", statuses: &[400]
    }
    POST "/gateway/oauth/revoke_all" RevokeTokens "End all tokens of an OAuth 2.0 client" {
        body: "OauthRevocation", statuses: &[401, 404]
    }
    DELETE "/gateway/oauth/tokens" PurgeTokens "Remove what is known of OAuth 2.0 tokens that have ended" {
        parameters: &[required("scope", "string", "`lapsed`")], statuses: &[400, 422]
    }
    GET "/gateway/policies" ListPolicies "List policies" { answer: "PolicyList" }
    POST "/gateway/policies" AddPolicy "Create or replace a policy" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH, IF_NONE_MATCH],
        body: "Policy",
        answer: "ModifySuccess",
        statuses: &[400, 409, 412, 413],
    }
    POST "/gateway/policies/{polID}" AddPolicy "Create or replace the policy that the body names" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH, IF_NONE_MATCH],
        body: "Policy",
        answer: "ModifySuccess",
        statuses: &[400, 409, 412, 413],
    }
    GET "/gateway/policies/{polID}" ReadPolicy "Read a policy" {
        parameters: &[IF_CHANGED], answer: "Policy", statuses: &[304, 400, 404]
    }
    PUT "/gateway/policies/{polID}" UpdatePolicy "Replace a policy, or store a new one under this id" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH],
        body: "Policy",
        answer: "ModifySuccess",
        statuses: &[400, 409, 412, 413],
    }
    DELETE "/gateway/policies/{polID}" DeletePolicy "Delete a policy" {
        parameters: &[DRY_RUN, IF_MATCH], answer: "ModifySuccess", statuses: &[400, 404, 412]
    }
    GET "/gateway/policies/{polID}/revisions" ListPolicyRevisions "List the revisions of a policy, also of a deleted one (beyond the specification)" {
        parameters: REVISIONS, answer: "Revisions", statuses: &[400, 404]
    }
    GET "/gateway/policies/{polID}/revisions/{revision}" ReadPolicyRevision "Read a policy as it was (beyond the specification)" {
        answer: "Policy", statuses: &[400, 404]
    }
    POST "/gateway/policies/{polID}/revisions/{revision}/restore" RestorePolicyRevision "Bring a revision of a policy back, also of a deleted one (beyond the specification)" {
        parameters: &[DRY_RUN, STRICT, IF_MATCH], answer: "ModifySuccess", statuses: &[400, 404, 409, 412]
    }
    GET "/gateway/org/keys" ListOrgs "List organisations that have a session" {
        parameters: &[query(
            "filter",
            "string",
            "The beginning of an organisation's id",
        )],
        answer: "KeyList",
    }
    GET "/gateway/org/keys/{orgID}" ReadOrg "Read the session of an organisation" {
        parameters: &[IF_CHANGED], answer: "Organisation", statuses: &[304, 404]
    }
    POST "/gateway/org/keys/{orgID}" AddOrg "Create or replace the session of an organisation" {
        parameters: WRITE_ORG, body: "Organisation", answer: "KeyWritten", statuses: &[400, 404, 412, 413]
    }
    PUT "/gateway/org/keys/{orgID}" UpdateOrg "Replace the session of an organisation, or make one" {
        parameters: WRITE_ORG, body: "Organisation", answer: "KeyWritten", statuses: &[400, 404, 412, 413]
    }
    DELETE "/gateway/org/keys/{orgID}" DeleteOrg "Delete the session of an organisation" {
        parameters: &[IF_MATCH], answer: "KeyWritten", statuses: &[400, 404, 412]
    }
    GET "/gateway/export" Export "Everything that is administered, a JSON object a line (beyond the specification)" {
        parameters: EXPORT, answer: "Backup", statuses: &[400, 503]
    }
    POST "/gateway/import" Import "Store on an empty gateway what another one has exported (beyond the specification)" {
        parameters: &[DRY_RUN, STRICT, PASSPHRASE], body: "Backup", answer: "BackupStored", statuses: &[400, 409, 413, 503]
    }
    DELETE "/gateway/import" GiveUpImport "Remove what an import has stored that has not ended" {
        answer: "ModifySuccess", statuses: &[404, 503]
    }
    GET "/hello" Hello "Liveness" { auth: Auth::Public, answer: "Health" }
    HEAD "/hello" Hello "Liveness, without the body" { auth: Auth::Public, answer: "Health" }
    GET "/ready" Ready "Readiness" { auth: Auth::Public, answer: "Health", statuses: &[503] }
    HEAD "/ready" Ready "Readiness, without the body" { auth: Auth::Public, answer: "Health", statuses: &[503] }
    GET "/gateway/health" ApiHealth "Requests, refusals and latency of an API in the last seconds" {
        parameters: &[required("api_id", "string", "A loaded API")], answer: "ApiHealth", statuses: &[400, 404]
    }
    GET "/gateway/health/figures" Figures "What was served over time, and the keys close to their limit (beyond the specification)" {
        parameters: &[
            query("api_id", "string", "Only this API"),
            query("window", "15m|1h|24h|7d", "How much of the past, else `1h`"),
        ],
        answer: "Figures",
        statuses: &[400],
    }
    GET "/gateway/health/failures" Failures "Requests that have failed, by what they have failed of, with one of each kind and minute (beyond the specification)" {
        parameters: FAILURES, answer: "Failures", statuses: &[400]
    }
    GET "/gateway/health/upstreams/{apiID}" UpstreamHealth "Where the requests of an API go, which of its circuit breakers are open, and what its uptime tests say (beyond the specification)" {
        answer: "UpstreamHealth", statuses: &[400, 404]
    }
    GET "/gateway/health/storage" Storage "How much is stored, by what it is (beyond the specification)" {
        answer: "Storage"
    }
    GET "/gateway/schema" Schema "The JSON Schema of OpenAPI documents with the vendor extension" {
        parameters: &[
            query(
                "oasVersion",
                "string",
                "`3.0` or `3.1`, also with a patch number, else `3.0`",
            ),
            IF_CHANGED,
        ],
        answer: "Schema",
        statuses: &[304, 404],
    }
    GET "/openapi/schemas/{root}.json" DocumentSchema "The JSON Schema of a kind of document" {
        auth: Auth::Public, parameters: &[IF_CHANGED], answer: "JsonSchema", statuses: &[304, 404]
    }
    GET "/openapi/gateway.json" OpenApi "This document" {
        auth: Auth::Public, parameters: &[IF_CHANGED], answer: "OpenApi", statuses: &[304]
    }
    GET "/openapi/dashboard.json" DashboardOpenApi "The OpenAPI document of the dashboard API" {
        auth: Auth::Public, parameters: &[IF_CHANGED], answer: "OpenApi", statuses: &[304]
    }
};

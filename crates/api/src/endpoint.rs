//! Every endpoint of the administration API as data.
//!
//! Router, OpenAPI document and the tests that call each route without a credential read this one
//! table, so a route can't be forgotten in any of them.

mod parameters;
mod rights;
mod table;

pub(crate) use parameters::{IF_CHANGED, IF_MATCH, IF_NONE_MATCH, query};
pub use rights::Right;
pub use table::ENDPOINTS;

use serde::Serialize;

/// What an endpoint does. The control plane has one exhaustive match over it.
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
    /// The documents of all OpenAPI APIs.
    ListOasApis,
    /// Creates or replaces an OpenAPI API by the id in its document.
    CreateOasApi,
    /// Makes an OpenAPI API of a plain OpenAPI document.
    ImportOasApi,
    /// The documents of all OpenAPI APIs as a file.
    ExportOasApis,
    /// The document of an OpenAPI API, or of an MCP proxy.
    ReadOasApi,
    /// Replaces the document of an OpenAPI API.
    UpdateOasApi,
    /// Replaces all of it but the extension.
    PatchOasApi,
    /// Deletes an OpenAPI API.
    DeleteOasApi,
    /// The versions of an OpenAPI API.
    ListOasVersions,
    /// The document of an OpenAPI API as a file.
    ExportOasApi,
    /// The documents of all MCP proxies.
    ListMcpProxies,
    /// Creates or replaces an MCP proxy by the id in its document.
    CreateMcpProxy,
    /// The document of an MCP proxy.
    ReadMcpProxy,
    /// Replaces the document of an MCP proxy.
    UpdateMcpProxy,
    /// Deletes an MCP proxy.
    DeleteMcpProxy,
    /// The links between a client and the upstream of an API.
    GetApiChain,
    /// The revisions of a document.
    ListRevisions,
    /// The document as it was at a revision.
    ReadRevision,
    /// Stores an earlier revision as the newest one.
    RestoreRevision,
    /// A batch through a loaded API, for the console, which has no data plane on its origin.
    RunBatch,
    /// One request through the chain, step by step.
    Debug,
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
    /// The generations that can be published again.
    Generations,
    /// What publishing a generation again would change.
    PlanGeneration,
    /// Liveness; always 200.
    Hello,
    /// Readiness.
    Ready,
    /// The figures of an API (reference 1.1).
    ApiHealth,
    /// What was served over time, and which keys are close to their limit.
    Figures,
    /// Requests that have failed, by what they have failed of.
    Failures,
    /// Where the requests of an API go, and how its upstreams are.
    UpstreamHealth,
    /// How much is stored.
    Storage,
    /// The JSON Schema of OpenAPI documents, in the envelope of the reference.
    Schema,
    /// The JSON Schema of any kind of document.
    DocumentSchema,
    /// The dashboard credentials, without their tokens.
    ListCredentials,
    /// Issues a dashboard credential; its token is shown once.
    IssueCredential,
    /// Revokes a dashboard credential.
    RevokeCredential,
    /// Forgets the kept answers of an API.
    ForgetCache,
    /// Key sets of every API.
    ForgetAllKeys,
    /// Key sets of an API.
    ForgetKeys,
    /// The hashes of keys, or with `view=summary` a page of summaries.
    ListKeys,
    /// Makes a key, with a custom id where the path has one.
    AddKey,
    /// Makes a key; reference 1.6 has other messages for it.
    CreateKey,
    /// A session with its policies applied; nothing is stored.
    PreviewKey,
    /// Sets the policies of a key.
    SetKeyPolicies,
    /// The session of a key, policies applied.
    ReadKey,
    /// Replaces the session of a key.
    UpdateKey,
    /// Deletes a key.
    DeleteKey,
    /// Gives the session of a key a new token.
    RotateKey,
    /// Stores a client of the OAuth 2.0 server.
    CreateOauthClient,
    /// Lists the clients of an API.
    ListOauthClients,
    /// Reads a client.
    ReadOauthClient,
    /// Changes a client.
    UpdateOauthClient,
    /// Gives a client a new secret.
    RotateOauthClient,
    /// Removes a client from an API.
    DeleteOauthClient,
    /// Lists the access tokens of a client.
    ListOauthTokens,
    /// Lists the APIs that know a client.
    ListOauthApis,
    /// Ends a refresh token.
    EndRefreshToken,
    /// Ends a token.
    RevokeToken,
    /// Ends all tokens of a client.
    RevokeTokens,
    /// Removes what is known of tokens that have ended.
    PurgeTokens,
    /// All policies.
    ListPolicies,
    /// Creates or replaces a policy.
    AddPolicy,
    /// A policy.
    ReadPolicy,
    /// Replaces a policy.
    UpdatePolicy,
    /// Deletes a policy; its revisions stay.
    DeletePolicy,
    /// The revisions of a policy.
    ListPolicyRevisions,
    /// A policy as it was.
    ReadPolicyRevision,
    /// Brings a revision of a policy back.
    RestorePolicyRevision,
    /// The organisations that have a session.
    ListOrgs,
    /// The session of an organisation.
    ReadOrg,
    /// Creates or replaces the session of an organisation.
    AddOrg,
    /// Replaces the session of an organisation.
    UpdateOrg,
    /// Deletes the session of an organisation.
    DeleteOrg,
    /// The certificates of an organisation, or all.
    ListCertificates,
    /// Stores a certificate.
    AddCertificate,
    /// The details of certificates.
    ReadCertificates,
    /// Removes a certificate.
    RemoveCertificate,
    /// Everything that is administered, as lines.
    Export,
    /// Stores what another gateway has exported.
    Import,
    /// Removes what an import that has not ended has stored.
    GiveUpImport,
    /// This API's OpenAPI document.
    OpenApi,
    /// The OpenAPI document of the dashboard API.
    DashboardOpenApi,
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
    /// JSON Schema type, `page` for a page that may be -1, or the words that it takes with `|` between.
    pub kind: &'static str,
    /// True if it has to be there, and not empty.
    pub required: bool,
    /// What it does.
    pub doc: &'static str,
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

/// The template of a path, for who must not see its variables: one of them can be a token. `None` for a path
/// that no endpoint has.
#[must_use]
pub fn template(method: &str, path: &str) -> Option<&'static str> {
    let rows = ENDPOINTS.iter().map(|row| (row.method, row.path, row.path));
    match find_in(rows, method, path) {
        Found::Endpoint(template, _) => Some(template),
        Found::OtherMethods(_) | Found::Nothing => None,
    }
}

/// Finds a request line in a table of methods and path templates. A path that stands in the table
/// as it is, before any template that it fits too, is no value of a variable, whatever the method.
pub(crate) fn find_in<'p, T>(
    rows: impl Iterator<Item = (&'static str, &'static str, T)>,
    method: &str,
    path: &'p str,
) -> Found<'p, T> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let mut others = Vec::new();
    let mut literal = false;
    for (allowed, template, endpoint) in rows {
        let Some(variables) = match_template(template, path) else {
            continue;
        };
        if literal && !variables.is_empty() {
            continue;
        }
        literal |= variables.is_empty();
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
    fn a_template_has_no_variables() {
        for (method, path, expected) in [
            ("GET", "/gateway/keys/secret", Some("/gateway/keys/{keyID}")),
            ("POST", "/gateway/keys/create", Some("/gateway/keys/create")),
            ("PATCH", "/gateway/keys/secret", None),
            ("GET", "/secret", None),
        ] {
            assert_eq!(template(method, path), expected, "{method} {path}");
        }
    }

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
        assert_eq!(
            find("GET", "/gateway/keys/create"),
            Found::OtherMethods(vec!["POST"])
        );
    }
}

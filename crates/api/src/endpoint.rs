//! Every endpoint of the administration API as data.
//!
//! The router, the OpenAPI document and the tests that call each route without a credential read this one table, so
//! none of them can miss a route.

mod parameters;
mod rights;
mod table;

pub(crate) use parameters::{IF_CHANGED, IF_MATCH, IF_NONE_MATCH, query};
pub use rights::Right;
pub use table::ENDPOINTS;

/// What an endpoint does. The control plane has one exhaustive match over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Returns all definitions, or with `view=summary` a page of summaries.
    ListApis,
    /// Creates or replaces a definition by the id in the body.
    CreateApi,
    /// Returns the stored document, byte for byte.
    ReadApi,
    /// Replaces an existing definition.
    UpdateApi,
    /// Deletes a definition; its revisions stay.
    DeleteApi,
    /// Lists the versions of a base API.
    ListVersions,
    /// Lists the documents of all OpenAPI APIs.
    ListOasApis,
    /// Creates or replaces an OpenAPI API by the id in its document.
    CreateOasApi,
    /// Creates an OpenAPI API from a plain OpenAPI document.
    ImportOasApi,
    /// Returns the documents of all OpenAPI APIs as a file.
    ExportOasApis,
    /// Returns the document of an OpenAPI API, or of an MCP proxy.
    ReadOasApi,
    /// Replaces the document of an OpenAPI API.
    UpdateOasApi,
    /// Replaces the document of an OpenAPI API except for its extension.
    PatchOasApi,
    /// Deletes an OpenAPI API.
    DeleteOasApi,
    /// Lists the versions of an OpenAPI API.
    ListOasVersions,
    /// Returns the document of an OpenAPI API as a file.
    ExportOasApi,
    /// Lists the documents of all MCP proxies.
    ListMcpProxies,
    /// Creates or replaces an MCP proxy by the id in its document.
    CreateMcpProxy,
    /// Returns the document of an MCP proxy.
    ReadMcpProxy,
    /// Replaces the document of an MCP proxy.
    UpdateMcpProxy,
    /// Deletes an MCP proxy.
    DeleteMcpProxy,
    /// Lists the links between a client and the upstream of an API.
    GetApiChain,
    /// Lists the revisions of a document.
    ListRevisions,
    /// Returns the document at a revision.
    ReadRevision,
    /// Stores an earlier revision as the newest one.
    RestoreRevision,
    /// Runs a batch through a loaded API, for the console, whose origin has no data plane.
    RunBatch,
    /// Sends one request through the chain, step by step.
    Debug,
    /// Returns the issues of a document of any kind; nothing is stored.
    Validate,
    /// Converts an OpenAPI document to an API definition; nothing is stored.
    ImportOpenApi,
    /// Compares two documents.
    Diff,
    /// Applies a merge patch to a document.
    Merge,
    /// Fetches a document from another server, for the console's import, whose origin may call no other.
    FetchOpenApi,
    /// Publishes what is stored and loads it.
    Reload,
    /// Returns what the last reload did and what the next one would change.
    ReloadStatus,
    /// Lists the generations that can be published again.
    Generations,
    /// Returns what publishing a generation again would change.
    PlanGeneration,
    /// Liveness; always 200.
    Hello,
    /// Readiness.
    Ready,
    /// Returns the figures of an API (reference 1.1).
    ApiHealth,
    /// Returns what was served over time, and which keys are close to their limit.
    Figures,
    /// Returns failed requests, by their reason.
    Failures,
    /// Returns the upstreams of an API and their state.
    UpstreamHealth,
    /// Returns how much is stored.
    Storage,
    /// Returns the JSON Schema of OpenAPI documents, in the envelope of the reference.
    Schema,
    /// Returns the JSON Schema of any kind of document.
    DocumentSchema,
    /// Lists the dashboard credentials, without their tokens.
    ListCredentials,
    /// Issues a dashboard credential; its token is shown once.
    IssueCredential,
    /// Revokes a dashboard credential.
    RevokeCredential,
    /// Clears the response cache of an API.
    ForgetCache,
    /// Discards the key sets of every API.
    ForgetAllKeys,
    /// Discards the key sets of an API.
    ForgetKeys,
    /// Lists the hashes of keys, or with `view=summary` a page of summaries.
    ListKeys,
    /// Creates a key, with a custom id if the path has one.
    AddKey,
    /// Creates a key; its messages in reference 1.6 differ from those of [`Self::AddKey`].
    CreateKey,
    /// Returns a session with its policies applied; nothing is stored.
    PreviewKey,
    /// Sets the policies of a key.
    SetKeyPolicies,
    /// Returns the session of a key, policies applied.
    ReadKey,
    /// Replaces the session of a key.
    UpdateKey,
    /// Deletes a key.
    DeleteKey,
    /// Gives the session of a key a new token.
    RotateKey,
    /// Creates a client of the OAuth 2.0 server.
    CreateOauthClient,
    /// Lists the clients of an API.
    ListOauthClients,
    /// Returns a client.
    ReadOauthClient,
    /// Updates a client.
    UpdateOauthClient,
    /// Gives a client a new secret.
    RotateOauthClient,
    /// Removes a client from an API.
    DeleteOauthClient,
    /// Lists the access tokens of a client.
    ListOauthTokens,
    /// Lists the APIs that a client is registered at.
    ListOauthApis,
    /// Ends a refresh token.
    EndRefreshToken,
    /// Revokes a token.
    RevokeToken,
    /// Revokes all tokens of a client.
    RevokeTokens,
    /// Removes tokens that have expired.
    PurgeTokens,
    /// Lists all policies.
    ListPolicies,
    /// Creates or replaces a policy.
    AddPolicy,
    /// Returns a policy.
    ReadPolicy,
    /// Replaces a policy.
    UpdatePolicy,
    /// Deletes a policy; its revisions stay.
    DeletePolicy,
    /// Lists the revisions of a policy.
    ListPolicyRevisions,
    /// Returns a policy at a revision.
    ReadPolicyRevision,
    /// Restores a revision of a policy.
    RestorePolicyRevision,
    /// Lists the organisations that have a session.
    ListOrgs,
    /// Returns the session of an organisation.
    ReadOrg,
    /// Creates or replaces the session of an organisation.
    AddOrg,
    /// Replaces the session of an organisation.
    UpdateOrg,
    /// Deletes the session of an organisation.
    DeleteOrg,
    /// Lists the certificates of an organisation, or of all.
    ListCertificates,
    /// Stores a certificate.
    AddCertificate,
    /// Returns the details of certificates.
    ReadCertificates,
    /// Removes a certificate.
    RemoveCertificate,
    /// Exports everything that is administered, as lines.
    Export,
    /// Imports an export of another gateway.
    Import,
    /// Removes what an unfinished import has stored.
    GiveUpImport,
    /// Returns this API's OpenAPI document.
    OpenApi,
    /// Returns the OpenAPI document of the dashboard API.
    DashboardOpenApi,
}

/// A query or header parameter.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// `query` or `header`.
    pub location: &'static str,
    /// JSON Schema type, `page` for a page that may be -1, or the allowed words separated by `|`.
    pub kind: &'static str,
    /// Whether it must be present, and not empty.
    pub required: bool,
    /// A description.
    pub doc: &'static str,
}

/// One row of the contract.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// The HTTP method in upper case.
    pub method: &'static str,
    /// The path template; `{name}` is one segment, or the part of one before the suffix that follows.
    pub path: &'static str,
    /// What it does.
    pub operation: Operation,
    /// What a caller needs, if that doesn't follow from its method and path ([`Endpoint::right`]).
    right: Option<Right>,
    /// One sentence for the reader of the OpenAPI document.
    pub summary: &'static str,
    /// Query and header parameters.
    pub parameters: &'static [Parameter],
    /// The name of the request body's schema, empty if there is no body.
    pub body: &'static str,
    /// The name of the schema of the 200 response.
    pub answer: &'static str,
    /// The other possible statuses, besides 403, 405, 500 and 503.
    pub statuses: &'static [u16],
}

/// The result of looking up a method and a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'p, T> {
    /// The endpoint and the path's variables in template order.
    Endpoint(T, Vec<&'p str>),
    /// The path exists, with these methods.
    OtherMethods(Vec<&'static str>),
    /// No such path.
    Nothing,
}

/// Finds the endpoint for a method and a path. One trailing slash is ignored (reference 1.0).
#[must_use]
pub fn find<'p>(method: &str, path: &'p str) -> Found<'p, &'static Endpoint> {
    let rows = ENDPOINTS.iter().map(|row| (row.method, row.path, row));
    find_in(rows, method, path)
}

/// Returns the template of a path, for those who must not see its variables: one of them can be a token. `None` if no
/// endpoint has the path.
#[must_use]
pub fn template(method: &str, path: &str) -> Option<&'static str> {
    match find(method, path) {
        Found::Endpoint(row, _) => Some(row.path),
        Found::OtherMethods(_) | Found::Nothing => None,
    }
}

/// Finds a method and a path in a table of methods and path templates. A path that is in the table literally, before
/// any template that also matches it, is never taken for a variable's value, whatever the method.
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

/// Returns the name of the variable in a segment of a template, and the text after it.
pub(crate) fn variable(segment: &str) -> Option<(&str, &str)> {
    segment.strip_prefix('{')?.split_once('}')
}

fn match_template<'p>(template: &str, path: &'p str) -> Option<Vec<&'p str>> {
    // Most templates differ from the path before their first variable.
    let literal = template.bytes().take_while(|byte| *byte != b'{');
    if literal.zip(path.bytes()).any(|(one, other)| one != other) {
        return None;
    }
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

    fn find<'p>(method: &str, path: &'p str) -> Found<'p, Operation> {
        let rows = ENDPOINTS.iter();
        find_in(
            rows.map(|row| (row.method, row.path, row.operation)),
            method,
            path,
        )
    }

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
    fn a_path_that_only_begins_like_a_template_does_not_match() {
        for path in [
            "/gateway",
            "/gateway/ap",
            "/gateway/apisx",
            "/gateway/apis/a/b/c/d",
        ] {
            assert_eq!(find("GET", path), Found::Nothing, "{path}");
        }
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
    fn a_suffix_is_not_part_of_its_variable() {
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

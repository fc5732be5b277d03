//! The administration API: from a request to a response.
//!
//! The promise: nothing under `/gateway` is even looked up before the secret has been compared, in constant time; and
//! every operation of the endpoint table has its arm here, or the crate does not compile.

mod apis;
pub mod backup;
mod cache;
mod certificates;
mod chain;
mod complete;
pub(crate) mod condition;
mod credentials;
mod debug;
mod descriptions;
mod expressions;
mod fetch;
mod figures;
mod health;
mod keys;
mod listeners;
mod media;
mod oas;
pub mod oauth;
mod orgs;
mod passwords;
mod policies;
mod preview;
mod reload;
mod replies;
mod sessions;
mod strict;
mod upstreams;
mod webhooks;

use crate::config::{DEFINITION_MAX_BYTES, OPENAPI_MAX_BYTES, SECRET_MIN_LENGTH};
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::dashboard::{Access, Part, Parts};
use gatewright_api::endpoint::{self, Found, Operation, Right};
use gatewright_api::message::{
    self, DELETE_WITHOUT_ID, REQUEST_ID_HEADER, SECRET_HEADER, UPDATE_WITHOUT_ID,
};
use gatewright_model::openapi::DocumentKind;
use gatewright_model::text::percent::percent_decode;
use gatewright_protocol::http::{Request, Response};
use subtle::ConstantTimeEq;

/// The largest body of an administrative request, in bytes: a definition, with room for a batch.
pub const BODY_MAX_BYTES: usize = DEFINITION_MAX_BYTES;

/// Returns how many bytes are read at most of the body of a request to this path.
#[must_use]
pub fn body_max(path: &str) -> usize {
    let is_openapi = |folder| {
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match is_openapi("/gateway/apis/oas") || is_openapi("/gateway/mcps") {
        true => OPENAPI_MAX_BYTES,
        false => BODY_MAX_BYTES,
    }
}

/// Handles an administrative request. Also returns the storage error, if there was one, for the log.
pub async fn handle<P: Platform>(platform: &P, request: &Request) -> (Response, Option<Error>) {
    settle(request, answer(platform, request).await)
}

/// Turns the outcome of a request into a response and an error for the log: the last step of [`handle`].
#[must_use]
pub fn settle(request: &Request, answer: Result<Response, Error>) -> (Response, Option<Error>) {
    let (response, error) = match answer {
        Ok(response) => (response, None),
        Err(error) => (error.clone().into_response(request), Some(error)),
    };
    (confine(response, request), error)
}

/// Adds headers that keep a response private to the caller and from being shown as a page (ASVS 3.2.1). A response that
/// is the same for everybody sets its own. A response to HEAD has no body.
pub(crate) fn confine(mut response: Response, request: &Request) -> Response {
    if request.method == "HEAD" {
        // RFC 9110 section 9.3.2.
        response.body.clear();
        response.stream = None;
    }
    let kept = response.header("cache-control").is_some();
    let response = if kept {
        response
    } else {
        response.with("cache-control", "no-store")
    };
    response
        .with(REQUEST_ID_HEADER, request.request_id.clone())
        .with("x-content-type-options", "nosniff")
        .with(
            "content-security-policy",
            "default-src 'none'; frame-ancestors 'none'",
        )
}

async fn answer<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    let by = match is_inside(request) {
        true => Some(authorise(platform, request)?),
        false => None,
    };
    match endpoint::find(&request.method, &request.path) {
        Found::Endpoint(endpoint, variables) => {
            let operation = endpoint.operation;
            if let Some(by) = by {
                by.permits(endpoint.right())?;
            }
            if let Some(text) = condition::invalid_flag(request) {
                return Err(Error::Refused(400, text));
            }
            let mut rehearsal = strict::rehearsal(request, operation);
            loop {
                let rehearsed = rehearsal.take();
                let sent = rehearsed.as_ref().unwrap_or(request);
                let response = run(platform, sent, operation, &variables).await?;
                if rehearsed.is_none() {
                    return Ok(response);
                }
                strict::passes(&response)?;
            }
        }
        Found::OtherMethods(allowed) => match without_id(request) {
            Some((status, text)) => Err(Error::refused(status, text)),
            None => Err(Error::Method(allowed)),
        },
        Found::Nothing => Err(Error::NoEndpoint),
    }
}

/// Returns the response for requests that would otherwise have a wrong method: a PUT or DELETE of a collection, where
/// the id was forgotten (reference 1.7 and 1.6, item 13), and words that are routes only for POST and are ids of keys
/// otherwise.
fn without_id(request: &Request) -> Option<(u16, &'static str)> {
    let method = request.method.as_str();
    let path = request.path.trim_end_matches('/');
    if let Some(found) = oas::without_id(path, method) {
        return Some(found);
    }
    match (path, method) {
        ("/gateway/policies", "PUT") => Some((400, UPDATE_WITHOUT_ID)),
        ("/gateway/policies", "DELETE") => Some((400, DELETE_WITHOUT_ID)),
        ("/gateway/keys" | "/gateway/keys/create" | "/gateway/keys/preview", "PUT") => {
            Some((404, message::KEY_IS_NOT_FOUND))
        }
        ("/gateway/keys" | "/gateway/keys/create" | "/gateway/keys/preview", "DELETE") => {
            Some((404, message::NO_SUCH_KEY))
        }
        ("/gateway/keys/create" | "/gateway/keys/preview", "GET" | "HEAD") => {
            Some((404, message::KEY_NOT_FOUND))
        }
        // The clients of an API.
        (path, "DELETE")
            if path
                .strip_prefix("/gateway/oauth/clients/")
                .is_some_and(|api| !api.contains('/')) =>
        {
            Some((404, message::CLIENT_NOT_FOUND))
        }
        _ => None,
    }
}

/// Returns a variable of the path, decoded once.
fn decoded(variables: &[&str], at: usize) -> String {
    percent_decode(variables.get(at).copied().unwrap_or_default())
}

/// Returns the body as text.
fn body(request: &Request) -> Result<&str, Error> {
    if request.body.len() > BODY_MAX_BYTES {
        return Err(Error::TooLarge(BODY_MAX_BYTES));
    }
    std::str::from_utf8(&request.body).map_err(|_| Error::Malformed(Vec::new()))
}

/// Whether the client of a request may call any operation of this API.
#[must_use]
pub fn is_authorised<P: Platform>(platform: &P, request: &Request) -> bool {
    authorise(platform, request).is_ok()
}

/// Whether the client of a request holds the secret.
pub(crate) fn has_secret<P: Platform>(platform: &P, request: &Request) -> bool {
    matches!(authorise(platform, request), Ok(Authorised::Secret))
}

/// Whether a path is under `/gateway`, which is not public.
pub(crate) fn is_inside(request: &Request) -> bool {
    request.path == "/gateway" || request.path.starts_with("/gateway/")
}

/// The authorised caller.
enum Authorised {
    /// A holder of the gateway secret.
    Secret,
    /// A holder of a credential, with its rights here.
    Credential(Parts),
}

impl Authorised {
    /// Checks that the caller has what an endpoint needs; the error names the missing right.
    fn permits(&self, needed: Right) -> Result<(), Error> {
        let Self::Credential(parts) = self else {
            return Ok(());
        };
        let (part, access) = match needed {
            Right::Public | Right::Any => return Ok(()),
            Right::To(part, access) if parts.of(part) >= access => return Ok(()),
            Right::To(part, access) => (part, access),
            Right::Secret => {
                let text = "This credential may not do that: only the gateway secret may";
                return Err(Error::refused(403, text));
            }
        };
        Err(lacking(part, access, ""))
    }
}

/// Builds the error for a missing right; `why` is the end of its sentence.
fn lacking(part: Part, access: Access, why: &str) -> Error {
    let access = match access {
        Access::Write => "write",
        _ => "read",
    };
    let text = format!(
        "This credential may not do that: it needs the right to {access} the gateway's {}{why}",
        part.word()
    );
    Error::Refused(403, text)
}

/// Whether the caller has this access to a part, beyond what the operation requires. Secrets in documents are shown
/// only to callers who may write the documents.
fn may(request: &Request, part: Part, access: Access) -> bool {
    request
        .signed_in
        .as_ref()
        .is_none_or(|by| by.gateway || by.permissions.gateway.of(part) >= access)
}

/// Returns the secret that requests are compared with, if it is long enough to count.
pub(crate) fn secret<P: Platform>(platform: &P) -> Option<&str> {
    let secret = platform.secret();
    secret.filter(|secret| secret.len() >= SECRET_MIN_LENGTH)
}

/// Authorises a caller that is signed in, or compares the secret that was sent in constant time. A request from a
/// foreign page is refused even with the right secret: no such page can know it, so it was leaked (attack A13). Tokens
/// sent by such pages count nowhere: [`dashboard`](crate::dashboard) does not read them.
fn authorise<P: Platform>(platform: &P, request: &Request) -> Result<Authorised, Error> {
    if let Some(by) = &request.signed_in {
        let parts = by.permissions.gateway;
        return match by.gateway {
            true => Ok(Authorised::Secret),
            false if parts != Parts::default() => Ok(Authorised::Credential(parts)),
            false => Err(Error::Forbidden),
        };
    }
    let expected = secret(platform);
    let sent = request.header(SECRET_HEADER);
    let (Some(expected), Some(sent)) = (expected, sent) else {
        return Err(Error::Forbidden);
    };
    let foreign = request.header("sec-fetch-site") == Some("cross-site");
    if foreign || !bool::from(expected.as_bytes().ct_eq(sent.as_bytes())) {
        return Err(Error::Forbidden);
    }
    Ok(Authorised::Secret)
}

async fn run<P: Platform>(
    platform: &P,
    request: &Request,
    operation: Operation,
    variables: &[&str],
) -> Result<Response, Error> {
    let id = || apis::id(variables);
    let known_id = || apis::known_id(variables);
    match operation {
        Operation::ListApis => apis::list(platform, request).await,
        Operation::CreateApi => {
            // In the older form of this path the id must be valid, but the body's id is used.
            if !variables.is_empty() {
                id()?;
            }
            apis::create(platform, request).await
        }
        Operation::ReadApi => apis::read(platform, request, known_id()?).await,
        Operation::UpdateApi => apis::update(platform, request, id()?).await,
        Operation::DeleteApi | Operation::DeleteOasApi => {
            apis::delete(platform, request, id()?).await
        }
        Operation::ListVersions | Operation::ListOasVersions => {
            apis::versions(platform, request, known_id()?).await
        }
        Operation::ListOasApis => oas::list(platform, request, DocumentKind::Oas).await,
        Operation::CreateOasApi => oas::create(platform, request, DocumentKind::Oas).await,
        Operation::ImportOasApi => oas::import(platform, request).await,
        Operation::ExportOasApis => oas::export_all(platform, request).await,
        Operation::ReadOasApi => oas::read(platform, request, variables, DocumentKind::Oas).await,
        Operation::UpdateOasApi => {
            oas::update(platform, request, variables, DocumentKind::Oas).await
        }
        Operation::PatchOasApi => oas::patch(platform, request, variables).await,
        Operation::ExportOasApi => oas::export(platform, request, variables).await,
        Operation::ListMcpProxies => oas::list(platform, request, DocumentKind::Mcp).await,
        Operation::CreateMcpProxy => oas::create(platform, request, DocumentKind::Mcp).await,
        Operation::ReadMcpProxy => oas::read(platform, request, variables, DocumentKind::Mcp).await,
        Operation::UpdateMcpProxy => {
            oas::update(platform, request, variables, DocumentKind::Mcp).await
        }
        Operation::DeleteMcpProxy => oas::delete_proxy(platform, request, variables).await,
        Operation::GetApiChain => chain::chain(platform, id()?).await,
        Operation::ListRevisions => apis::revisions(platform, request, id()?).await,
        Operation::ReadRevision => {
            apis::read_revision(platform, request, id()?, apis::revision(variables)?).await
        }
        Operation::RestoreRevision => {
            apis::restore(platform, request, id()?, apis::revision(variables)?).await
        }
        Operation::RunBatch => match platform.batch(id()?, &request.body).await {
            Some(response) => Ok(response),
            None => Err(Error::refused(404, message::API_NOT_FOUND)),
        },
        Operation::Debug => debug::debug(platform, request).await,
        Operation::Validate => preview::validate(platform, request, variables),
        Operation::ImportOpenApi => preview::import(platform, request),
        Operation::Diff => preview::diff(request),
        Operation::Merge => preview::merge(request),
        Operation::FetchOpenApi => fetch::openapi(platform, request).await,
        Operation::Reload => reload::reload(platform, request).await,
        Operation::ReloadStatus => reload::status(platform, request).await,
        Operation::Generations => reload::generations(platform).await,
        Operation::PlanGeneration => reload::generation(platform, variables).await,
        Operation::ListCredentials => credentials::list(platform).await,
        Operation::IssueCredential => credentials::issue(platform, request).await,
        Operation::RevokeCredential => {
            let id = variables.first().copied().unwrap_or_default();
            credentials::revoke(platform, id).await
        }
        Operation::ForgetAllKeys => cache::forget_keys(platform, "").await,
        Operation::ForgetKeys => cache::forget_keys(platform, id()?).await,
        Operation::ForgetCache => cache::forget(platform, id()?).await,
        Operation::ListCertificates => certificates::list(platform, request).await,
        Operation::AddCertificate => certificates::add(platform, request).await,
        Operation::ReadCertificates => certificates::read(platform, request, variables).await,
        Operation::RemoveCertificate => certificates::remove(platform, request, variables).await,
        Operation::ListKeys => keys::list(platform, request).await,
        Operation::AddKey => keys::add(platform, request, variables).await,
        Operation::CreateKey => keys::create(platform, request).await,
        Operation::PreviewKey => keys::preview(platform, request).await,
        Operation::SetKeyPolicies => keys::set_policies(platform, request, variables).await,
        Operation::ReadKey => keys::read(platform, request, variables).await,
        Operation::UpdateKey => keys::update(platform, request, variables).await,
        Operation::DeleteKey => keys::delete(platform, request, variables).await,
        Operation::RotateKey => keys::rotate(platform, request, variables).await,
        Operation::CreateOauthClient => oauth::clients::create(platform, request).await,
        Operation::ListOauthClients => oauth::clients::list(platform, variables).await,
        Operation::ReadOauthClient => oauth::clients::read(platform, variables).await,
        Operation::UpdateOauthClient => oauth::clients::update(platform, request, variables).await,
        Operation::RotateOauthClient => oauth::clients::rotate(platform, variables).await,
        Operation::DeleteOauthClient => oauth::clients::delete(platform, variables).await,
        Operation::ListOauthTokens => oauth::tokens::list(platform, request, variables).await,
        Operation::ListOauthApis => oauth::clients::apis_of(platform, request, variables).await,
        Operation::EndRefreshToken => {
            oauth::tokens::end_refresh(platform, request, variables).await
        }
        Operation::RevokeToken => oauth::tokens::revoke(platform, request).await,
        Operation::RevokeTokens => oauth::tokens::revoke_all(platform, request).await,
        Operation::PurgeTokens => oauth::tokens::lapse(platform, request).await,
        Operation::ListPolicies => policies::list(platform).await,
        Operation::AddPolicy => policies::add(platform, request).await,
        Operation::ReadPolicy => policies::read(platform, request, variables).await,
        Operation::UpdatePolicy => policies::update(platform, request, variables).await,
        Operation::DeletePolicy => policies::delete(platform, request, variables).await,
        Operation::ListPolicyRevisions => policies::revisions(platform, request, variables).await,
        Operation::ReadPolicyRevision => policies::revision(platform, variables).await,
        Operation::RestorePolicyRevision => policies::restore(platform, request, variables).await,
        Operation::ListOrgs => orgs::list(platform, request).await,
        Operation::ReadOrg => orgs::read(platform, request, variables).await,
        Operation::AddOrg => orgs::store(platform, request, variables, false).await,
        Operation::UpdateOrg => orgs::store(platform, request, variables, true).await,
        Operation::DeleteOrg => orgs::delete(platform, request, variables).await,
        // Request handlers call [`backup::streams`] first.
        Operation::Export | Operation::Import => Err(replies::unexpected()),
        Operation::GiveUpImport => backup::give_up(platform).await,
        Operation::Hello => Ok(health::hello(platform).await),
        Operation::Ready => health::ready(platform).await,
        Operation::ApiHealth => figures::health(platform, request).await,
        Operation::Storage => figures::storage(platform).await,
        Operation::Figures => figures::figures(platform, request).await,
        Operation::Failures => figures::failures::failures(platform, request).await,
        Operation::UpstreamHealth => upstreams::health(platform, id()?).await,
        Operation::Schema => descriptions::openapi_schema(platform, request).await,
        Operation::DocumentSchema => descriptions::schema(platform, request, variables).await,
        Operation::OpenApi => descriptions::openapi(platform, request, "gateway").await,
        Operation::DashboardOpenApi => descriptions::openapi(platform, request, "dashboard").await,
    }
}

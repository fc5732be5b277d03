//! The dashboard API: from a request to a response.
//!
//! The promise: the Registry authorises the caller in the same turn as it carries out the command, so a revoked
//! credential is refused at once; everything is confined to the credential's organisation; and every operation of the
//! endpoint table has its arm here, or the crate does not compile.

mod error;
mod export;
mod form;
mod hooks;
mod mappings;
mod records;
mod stream;
mod trail;

use crate::admin::confine;
use crate::ports::Platform;
use crate::registry::credentials::hash;
use error::Error;
use gatewright_api::dashboard::Group;
use gatewright_api::dashboard::endpoint::{self, Endpoint, Operation};
use gatewright_api::endpoint::Found;
use gatewright_api::message::BROKEN_OFF;
use gatewright_protocol::caller::{Caller, Need};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::records::{Answer, Ask, Kind, RecordCommand, RecordRefusal};
use gatewright_protocol::registry::{Command, Reply};
use subtle::ConstantTimeEq;

/// Whether a request carries something that may be a credential; the Registry decides whether it is one. Without one,
/// the body is not read.
#[must_use]
pub fn has_credential(request: &Request) -> bool {
    token(request).is_some() || signed_in(request).is_some()
}

/// Returns the response to a request for a stream when as many are open as `limit`, a setting with its value, allows.
#[must_use]
pub fn no_more_streams(request: &Request, limit: &str) -> Response {
    confine(stream::full(request, limit), request)
}

/// Returns the response to a request whose body breaks off. The fault is the client's, so nothing is logged.
#[must_use]
pub fn broken_off(request: &Request) -> Response {
    confine(
        error::refused(400, BROKEN_OFF).into_response(request),
        request,
    )
}

/// Whether the platform has to read the body of a request as a form, provided its length is acceptable.
#[must_use]
pub fn is_form(request: &Request) -> bool {
    form::is_form(request) && request.body.len() <= crate::config::DEFINITION_MAX_BYTES
}

/// Handles a request to the dashboard API. Also returns the storage error, if there was one, for the log.
pub async fn handle<P: Platform>(
    platform: &P,
    request: &Request,
) -> (Response, Option<gatewright_protocol::error::StoreError>) {
    let (response, trouble) = match answer(platform, request).await {
        Ok(response) => (response, None),
        Err(Error::Store(error)) => {
            let response = Error::Store(error.clone()).into_response(request);
            (response, Some(error))
        }
        Err(error) => (error.into_response(request), None),
    };
    (confine(response, request), trouble)
}

/// A request with its caller and its endpoint.
struct Call<'a, P> {
    platform: &'a P,
    request: &'a Request,
    caller: Caller,
    endpoint: &'static Endpoint,
}

impl<P: Platform> Call<'_, P> {
    /// Sends a command to the Registry on behalf of the caller.
    async fn ask(&self, command: RecordCommand, text: &str) -> Result<(Answer, String), Error> {
        let tells = changes_providers(&command);
        let ask = Ask {
            caller: self.caller.clone(),
            need: Need {
                group: self.endpoint.group(),
                access: self.endpoint.access,
            },
            command,
        };
        match self.platform.call(&Command::Dashboard(ask), text).await? {
            (Reply::Dashboard(Answer::Refused(RecordRefusal::NotAuthorised)), _) => {
                Err(Error::NotAuthorised)
            }
            (Reply::Dashboard(Answer::Refused(RecordRefusal::NotPermitted)), _) => {
                Err(Error::NotPermitted)
            }
            (Reply::Dashboard(answer), text) => {
                if tells && matches!(answer, Answer::Written { .. }) {
                    self.platform.orgs_changed().await;
                }
                Ok((answer, text))
            }
            _ => Err(error::unexpected()),
        }
    }
}

/// Whether a command changes a client identity provider, which affects how isolates check tokens.
const fn changes_providers(command: &RecordCommand) -> bool {
    match command {
        RecordCommand::PatchMappings { .. }
        | RecordCommand::SetMapping { .. }
        | RecordCommand::RemoveMapping { .. } => true,
        RecordCommand::Create { kind, .. }
        | RecordCommand::Replace { kind, .. }
        | RecordCommand::Amend { kind, .. }
        | RecordCommand::Delete { kind, .. }
        | RecordCommand::Restore { kind, .. } => matches!(kind, Kind::ClientIdp),
        _ => false,
    }
}

impl<P: Platform> Call<'_, P> {
    /// Returns the error for a request that was found invalid before the Registry was asked: only an authorised caller
    /// gets to see it.
    async fn refusal(&self, error: Error) -> Error {
        if self.caller == Caller::Root {
            return error;
        }
        match self.ask(RecordCommand::Admit, "").await {
            Ok(_) => error,
            Err(denied) => denied,
        }
    }
}

async fn answer<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    let Some(caller) = caller(platform, request) else {
        return Err(Error::NotAuthorised);
    };
    // What has a GET has a HEAD (RFC 9110 section 9.1).
    let method = match request.method.as_str() {
        "HEAD" => "GET",
        method => method,
    };
    match endpoint::find(method, &request.path) {
        Found::Endpoint(endpoint, variables) => {
            let call = Call {
                platform,
                request,
                caller,
                endpoint,
            };
            let outcome = match crate::admin::condition::invalid_flag(request) {
                Some(text) => Err(error::refused(400, text)),
                None => run(&call, &variables).await,
            };
            match outcome {
                Err(error @ Error::Refused(..)) => Err(call.refusal(error).await),
                outcome => outcome,
            }
        }
        Found::OtherMethods(allowed) => Err(Error::Method(allowed)),
        Found::Nothing => Err(Error::NoEndpoint),
    }
}

/// Returns the bearer token of a request (RFC 6750 section 2.1). A token sent by a foreign page does not count, even if
/// it is right: no such page can know it, so it was leaked (attack A13).
fn token(request: &Request) -> Option<&str> {
    if request.header("sec-fetch-site") == Some("cross-site") {
        return None;
    }
    let (scheme, token) = request.header("authorization")?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// Returns the `DASHBOARD_TOKEN` that requests are compared with, if it is long enough to count.
pub(crate) fn root_token<P: Platform>(platform: &P) -> Option<&str> {
    let root = platform.dashboard_token();
    root.filter(|root| root.len() >= crate::config::SECRET_MIN_LENGTH)
}

/// Returns the caller that a request's sign-in acts as.
fn signed_in(request: &Request) -> Option<&Caller> {
    request.signed_in.as_ref()?.dashboard.as_ref()
}

/// Returns the caller a request claims to be. `DASHBOARD_TOKEN` is compared in constant time; every other token is
/// looked up by its hash, which reveals nothing about it.
pub(crate) fn caller<P: Platform>(platform: &P, request: &Request) -> Option<Caller> {
    let Some(token) = token(request) else {
        return signed_in(request).cloned();
    };
    let root = root_token(platform)
        .is_some_and(|root| bool::from(root.as_bytes().ct_eq(token.as_bytes())));
    Some(if root {
        Caller::Root
    } else {
        Caller::Hash(hash(token))
    })
}

async fn run<P: Platform>(call: &Call<'_, P>, variables: &[&str]) -> Result<Response, Error> {
    let id = || variables.first().copied().unwrap_or_default().to_owned();
    let second = || variables.get(1).copied().unwrap_or_default();
    match call.endpoint.operation {
        Operation::List(group) => records::list(call, kind(group)?).await,
        Operation::Create(group) => records::create(call, kind(group)?).await,
        Operation::Fetch(group) => records::fetch(call, kind(group)?, id()).await,
        Operation::Replace(group) => records::replace(call, kind(group)?, id()).await,
        Operation::Delete(group) => records::delete(call, kind(group)?, id()).await,
        Operation::Restore(group) => records::restore(call, kind(group)?, id(), None).await,
        Operation::Revisions(group) => records::revisions(call, kind(group)?, id()).await,
        Operation::Revision(group) => {
            records::revision(call, kind(group)?, id(), records::number(second())?).await
        }
        Operation::RestoreRevision(group) => {
            let revision = records::number(second())?;
            records::restore(call, kind(group)?, id(), Some(revision)).await
        }
        Operation::PatchMappings => mappings::patch(call, id()).await,
        Operation::FetchMapping => mappings::fetch(call, id(), second()).await,
        Operation::ReplaceMapping => mappings::replace(call, id(), second()).await,
        Operation::DeleteMapping => mappings::delete(call, id(), second()).await,
        Operation::Categories => trail::categories(call).await,
        Operation::Notifications => trail::notifications(call).await,
        Operation::Stream => stream::open(call).await,
        Operation::Deliveries => hooks::deliveries(call, id()).await,
        Operation::RetryDelivery => hooks::retry(call, id(), second().to_owned()).await,
        Operation::TestHook => hooks::test(call, id()).await,
        Operation::RotateSecret => hooks::rotate(call, id()).await,
        Operation::Audit => trail::audit(call).await,
        Operation::AuditEntry => trail::audit_entry(call, records::number(&id())?).await,
    }
}

/// Returns the kind of documents that a group is about.
fn kind(group: Group) -> Result<Kind, Error> {
    Kind::of_group(group).ok_or(Error::NoEndpoint)
}

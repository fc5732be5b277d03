//! Shared by the endpoints of keys and of organisations: reading a session, storing it, and notifying the Ledger that
//! caches it.

use super::listeners::Listeners;
use super::replies::unexpected;
use super::{body, condition, expressions, may};
use crate::error::{Error, etag};
use crate::ports::{LedgerCall, Platform};
use gatewright_api::dashboard::{Access, Part};
use gatewright_api::message::{KEY_NOT_CREATED, MALFORMED, PENDING_POLICIES_HEADER};
use gatewright_api::session::KeyWritten;
use gatewright_model::document;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json::{self, Value};
use gatewright_model::mask;
use gatewright_model::merge;
use gatewright_model::policy;
use gatewright_model::session::Session;
use gatewright_model::shape::Root;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::ledger::{Consume, LEASE_MS, Standing, Verdict};
use gatewright_protocol::limits;
use gatewright_protocol::registry::{Aside, Command, Refusal, Reply};
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};
use gatewright_protocol::token::HashFunction;
use serde_json::json;

/// Returns the session in a request's body and the warnings about it, as far as it can be checked on its own.
/// `malformed` is the message for a body that is not a session: a value of a wrong type makes it none, just as broken
/// JSON does (reference 1.0).
pub(super) fn document<'r, P: Platform>(
    platform: &P,
    root: Root,
    request: &'r Request,
    malformed: (u16, &str),
) -> Result<(&'r str, Vec<Issue>), Error> {
    let text = body(request)?;
    let mut issues = document::validate(root, text);
    let wrong = issues.iter().any(|issue| issue.severity == Severity::Error);
    match json::parse(text) {
        Ok(value) if !wrong => expressions::warn(platform, text, &value, &mut issues),
        _ => {
            return Err(match malformed {
                (400, MALFORMED) => Error::Malformed(issues),
                (status, text) => Error::Unreadable(status, text.to_owned(), issues),
            });
        }
    }
    Ok((text, issues))
}

/// Adds issues, in document order.
pub(super) fn merge_issues(issues: &mut Vec<Issue>, more: Vec<Issue>) {
    for issue in more {
        let at = issues.partition_point(|other| other.start <= issue.start);
        issues.insert(at, issue);
    }
}

/// A session that was found or stored.
pub(super) struct Found {
    pub(super) id: String,
    pub(super) revision: u64,
    pub(super) text: String,
    pub(super) aside: Aside,
}

/// Carries out a command on one session. The inner `Err` is the Registry's refusal.
pub(super) async fn ask<P: Platform>(
    platform: &P,
    mut ask: SessionAsk,
    text: &str,
) -> Result<Result<Found, Refusal>, Error> {
    let listeners = Listeners::of(platform, &ask, text).await;
    if let Some(listeners) = &listeners {
        ask.receivers = listeners.receivers();
    }
    match platform.call(&Command::Session(ask), text).await? {
        (
            Reply::Session {
                id,
                revision,
                aside,
                ..
            },
            text,
        ) => {
            if let Some(listeners) = &listeners {
                listeners.log(platform, &id);
            }
            Ok(Ok(Found {
                id,
                revision,
                text,
                aside,
            }))
        }
        (Reply::Refused(refusal), _) => Ok(Err(refusal)),
        _ => Err(unexpected()),
    }
}

/// Stores a session, or removes the one with this text, under a hold that keeps its Ledger from caching it, so that the
/// next request sees the write wherever it is served. If the Ledger can't be notified, nothing is written.
pub(super) async fn write<P: Platform>(
    platform: &P,
    mut command: SessionAsk,
    text: &str,
) -> Result<Result<Found, Refusal>, Error> {
    let id = command.ids.first().map(String::as_str).unwrap_or_default();
    let name = command.owner.ledger(id);
    let removes = command.act == Act::Remove;
    if command.guard.dry_run {
        return ask(platform, command, text).await;
    }
    command.hold = platform.random_id();
    let hold = command.hold.clone();
    platform
        .ledger(&name, LedgerCall::Hold(hold.clone()))
        .await?;
    let mut written = ask(platform, command, text).await;
    release(platform, &name, hold, written.is_ok()).await;
    if let Ok(Ok(found)) = &mut written {
        clear(platform, text, &mut found.aside).await;
    }
    if removes {
        // Makes the Ledger drop its counters: if nobody asks for the key again, they would stay stored for ever.
        let _ = platform
            .ledger(&name, LedgerCall::Ask(Consume::look()))
            .await;
    }
    written
}

/// Ends the hold of a write. A Ledger that is not notified caches nothing until it has made the Registry abandon the
/// write; the same goes for a write without a reply, because it may still be stored.
async fn release<P: Platform>(platform: &P, ledger: &str, hold: String, is_answered: bool) {
    if !is_answered {
        return;
    }
    if platform
        .ledger(ledger, LedgerCall::Release(hold))
        .await
        .is_err()
    {
        // Every lease granted before the write has ended by then.
        platform.wait(LEASE_MS).await;
    }
}

/// Resets the counters that a key shares with others. The session is stored already, so a Ledger that can't be reached
/// yields a warning.
async fn clear<P: Platform>(platform: &P, text: &str, aside: &mut Aside) {
    if aside.clears.is_empty() {
        return;
    }
    let ask = LedgerCall::Ask(Consume::clear());
    if platform.ledger(&aside.clears, ask).await.is_err() {
        aside.issues.extend(document::issue_at(
            text,
            "/meta_data/rate_limit_pattern",
            (Severity::Warning, IssueCode::Conflict),
            "the key is stored, but what is counted under this text could not be reached and goes on; \
             send the same once more"
                .to_owned(),
        ));
    }
}

/// Moves the session with this text to another hash ([`Act::Rotate`]), together with its key's counters. Requests with
/// the old token are meanwhile admitted by the old Ledger or not at all.
pub(super) async fn rotate<P: Platform>(
    platform: &P,
    command: SessionAsk,
    text: &str,
) -> Result<Result<Found, Refusal>, Error> {
    let [old, new] = command.ids.as_slice() else {
        return Err(unexpected());
    };
    let ledgers = (command.owner.ledger(old), command.owner.ledger(new));
    succeed(platform, ledgers, command, text).await
}

/// Carries out a command that ends the session of the first Ledger and starts that of the second, which continues with
/// the first one's counters.
pub(super) async fn succeed<P: Platform>(
    platform: &P,
    (old, new): (String, String),
    mut command: SessionAsk,
    text: &str,
) -> Result<Result<Found, Refusal>, Error> {
    if command.guard.dry_run {
        return ask(platform, command, text).await;
    }
    command.hold = platform.random_id();
    let hold = command.hold.clone();
    platform
        .ledger(&old, LedgerCall::Hold(hold.clone()))
        .await?;
    let (moved, is_answered) = match carry(platform, &old, &new).await {
        Ok(()) => {
            let moved = ask(platform, command, text).await;
            let is_answered = moved.is_ok();
            (moved, is_answered)
        }
        // The Registry has not been asked to do anything.
        Err(error) => (Err(error.into()), true),
    };
    if matches!(moved, Ok(Ok(_)))
        // Carries over what was counted since; the old Ledger counts nothing any more.
        && let Err(error) = carry(platform, &old, &new).await
    {
        platform.log(&format!("rotate: {error}"));
    }
    release(platform, &old, hold, is_answered).await;
    for name in [old, new] {
        // The Ledger without a session drops its counters.
        let look = LedgerCall::Ask(Consume::look());
        let _ = platform.ledger(&name, look).await;
    }
    moved
}

/// Makes one Ledger continue with the counters of another.
async fn carry<P: Platform>(platform: &P, from: &str, to: &str) -> Result<(), StoreError> {
    let taken = platform.take_counters(&[from.to_owned()]).await?;
    let counters = taken.into_iter().filter(|counters| !counters.is_empty());
    let counters: Vec<_> = counters.map(|counters| (to.to_owned(), counters)).collect();
    if counters.is_empty() {
        return Ok(());
    }
    platform.put_counters(&counters).await
}

/// Checks that the rights of a policy fit their APIs, as those of a key have to, and adds warnings about versions that
/// these APIs do not have.
pub(super) async fn check<P: Platform>(
    platform: &P,
    text: &str,
    issues: &mut Vec<Issue>,
) -> Result<(), Error> {
    let found = unknown_versions(platform, text).await?;
    merge_issues(issues, found.map_err(refused)?);
    Ok(())
}

/// Returns warnings about rights for versions that their APIs do not have. The inner `Err` means that rights do not fit
/// their API at all.
async fn unknown_versions<P: Platform>(
    platform: &P,
    text: &str,
) -> Result<Result<Vec<Issue>, Refusal>, Error> {
    let ask = SessionAsk {
        act: Act::Check,
        ..SessionAsk::default()
    };
    match platform.call(&Command::Session(ask), text).await? {
        (Reply::Refused(refusal), _) => Ok(Err(refusal)),
        (Reply::Json, list) => Ok(Ok(serde_json::from_str(&list).unwrap_or_default())),
        _ => Err(unexpected()),
    }
}

/// Builds the response to a write. A dry run has no tag, because its result can't be read.
pub(super) fn written(request: &Request, body: KeyWritten, mut found: Found) -> Response {
    let dry_run = request.flag("dry_run");
    let mut body = KeyWritten { dry_run, ..body };
    merge_issues(&mut body.issues, std::mem::take(&mut found.aside.issues));
    let response = with_pending(Response::json(200, &body), &found.aside);
    if dry_run {
        return response;
    }
    response.with("etag", etag(found.revision))
}

/// Returns the first of these sessions that exists.
pub(super) async fn find<P: Platform>(
    platform: &P,
    owner: Owner,
    ids: Vec<String>,
) -> Result<Option<Found>, Error> {
    match ask(platform, SessionAsk::find(owner, ids), "").await? {
        Ok(found) => Ok(Some(found)),
        Err(Refusal::NotFound) => Ok(None),
        Err(refusal) => Err(refused(refusal)),
    }
}

/// Maps a refusal of a session to an error with the messages of reference 1.6.
pub(super) fn refused(refusal: Refusal) -> Error {
    match refusal {
        Refusal::Precondition { current } => Error::Precondition(current),
        Refusal::Policies { reason } => Error::Explained(500, KEY_NOT_CREATED.to_owned(), reason),
        Refusal::Rights { reason } => Error::Refused(400, reason),
        Refusal::NoRights => Error::Explained(
            500,
            KEY_NOT_CREATED.to_owned(),
            "The key has no access rights, so it would open every API: name APIs in \
             /access_rights or policies in /apply_policies"
                .to_owned(),
        ),
        _ => unexpected(),
    }
}

/// Responds with a session as clients read it: with its policies applied, the remaining quotas, and without the
/// password of basic authentication (reference 1.6).
pub(super) async fn shown<P: Platform>(
    platform: &P,
    request: &Request,
    owner: Owner,
    found: &Found,
) -> Result<Response, Error> {
    let preview = SessionAsk {
        owner,
        act: Act::Apply,
        ..SessionAsk::default()
    };
    // If its policies can't be applied, a session is shown as stored.
    let applied = ask(platform, preview, &found.text).await?;
    let (applied, aside) = applied.map_or_else(
        |_| (policy::shown(&found.text, &[]), Aside::default()),
        |applied| (applied.text, applied.aside),
    );
    let counted = with_counters(platform, owner, found, &applied).await?;
    let counted = match owner {
        Owner::Key => counted,
        // The family does not record it for organisations.
        Owner::Organisation => patched(&counted, &json!({ "date_created": null }))?,
    };
    let response = tagged(request, owner, found.revision, &counted)?;
    Ok(with_pending(response, &aside))
}

/// Responds with a session at this revision, without its password, and with its secrets masked for callers who may only
/// read.
pub(super) fn tagged(
    request: &Request,
    owner: Owner,
    revision: u64,
    text: &str,
) -> Result<Response, Error> {
    let mut body = without_password(text)?;
    let (part, root) = match owner {
        Owner::Key => (Part::Keys, Root::Session),
        Owner::Organisation => (Part::Organisations, Root::Organisation),
    };
    if !may(request, part, Access::Write) {
        body = mask::masked(root, &body).map_err(Error::Malformed)?;
    }
    let tag = shown_etag(revision, &body);
    let response = Response::text(200, body);
    Ok(condition::tagged(request, response, tag))
}

/// Names the policies whose revision in use differs from the one shown.
fn with_pending(response: Response, aside: &Aside) -> Response {
    match aside.pending.as_slice() {
        [] => response,
        pending => response.with(PENDING_POLICIES_HEADER, pending.join(", ")),
    }
}

/// Returns the tag of a session as it is shown: policies and counters change it without a write. A write with this tag
/// is compared by the revision only.
fn shown_etag(revision: u64, body: &str) -> String {
    let content = HashFunction::Murmur64.hash(body);
    format!("\"{revision}-{content}\"")
}

fn patched(text: &str, patch: &serde_json::Value) -> Result<String, Error> {
    merge::merge(text, &patch.to_string()).map_err(|_| unexpected())
}

/// Returns a session without its password.
pub(super) fn without_password(text: &str) -> Result<String, Error> {
    let has = json::parse(text).is_ok_and(|value| has_password(&value));
    if !has {
        return Ok(text.to_owned());
    }
    patched(text, &json!({ "basic_auth_data": { "password": null } }))
}

/// Whether a session has a password.
pub(super) fn has_password(session: &Value<'_>) -> bool {
    let data = session.get("basic_auth_data");
    data.and_then(|data| data.str("password"))
        .is_some_and(|password| !password.is_empty())
}

/// Adds the current state of the quotas.
async fn with_counters<P: Platform>(
    platform: &P,
    owner: Owner,
    found: &Found,
    text: &str,
) -> Result<String, Error> {
    let session = Session::parse(text).map_err(Error::Malformed)?;
    let quotas = limits::quotas(&session);
    if quotas.is_empty() {
        return Ok(text.to_owned());
    }
    let ask = Consume {
        revision: Some(found.revision),
        counts: quotas.iter().map(|(_, count)| count.clone()).collect(),
        show: (0..).take(quotas.len()).collect(),
        peek: true,
        ..Consume::default()
    };
    let name = owner.ledger(&found.id);
    let Some(Verdict::Admitted(standings)) = platform.ledger(&name, LedgerCall::Ask(ask)).await?
    else {
        // A write is in progress: the document shows the values it was stored with.
        return Ok(text.to_owned());
    };
    let mut patch = json!({});
    for ((api, _), standing) in quotas.iter().zip(standings) {
        let limit = match api {
            None => Some(&session.limit),
            Some(api) => session.access(api).and_then(|access| access.limit.as_ref()),
        };
        let max = limit.map_or(0, |limit| {
            u64::try_from(limit.quota_max).unwrap_or_default()
        });
        let is_used = standing.remaining < max;
        let counters = counters(&session, *api, is_used.then_some(standing));
        let at = match api {
            None => counters,
            Some(api) => json!({ "access_rights": { *api: { "limit": counters } } }),
        };
        patch = merged(patch, at);
    }
    patched(text, &patch)
}

/// Returns the quota members to add to a session, or to one of its APIs (reference 1.6, item 12): the state of its
/// counter, if it is in use. Until then an API shows its full quota. Zeros are left out.
fn counters(session: &Session, api: Option<&str>, standing: Option<Standing>) -> serde_json::Value {
    let some = |number: u64| (number > 0).then_some(number);
    let Some(standing) = standing.filter(|_| api.is_some() || shares(session)) else {
        return match api {
            Some(api) => {
                let limit = session.access(api).and_then(|access| access.limit.as_ref());
                json!({ "quota_remaining": limit.map(|limit| limit.quota_max) })
            }
            None => json!({}),
        };
    };
    if standing.at == u64::MAX {
        // Nothing else would show that such a quota is used up.
        return json!({ "quota_remaining": standing.remaining });
    }
    json!({ "quota_remaining": some(standing.remaining), "quota_renews": some(standing.at / 1000) })
}

/// Whether requests count under the key itself: those to an API without a counter of its own.
fn shares(session: &Session) -> bool {
    let mut rights = session.access_rights.iter();
    session.access_rights.is_empty()
        || rights.any(|(_, access)| access.limit.is_none() || access.allowance_scope.is_empty())
}

fn merged(mut into: serde_json::Value, from: serde_json::Value) -> serde_json::Value {
    match (into.as_object_mut(), from) {
        (Some(object), serde_json::Value::Object(members)) => {
            for (name, value) in members {
                let old = object.remove(&name).unwrap_or(json!({}));
                object.insert(name, merged(old, value));
            }
            into
        }
        (_, from) => from,
    }
}

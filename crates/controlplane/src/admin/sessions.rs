//! What the endpoints of keys and of organisations share: reading a session, storing it, and
//! telling the Ledger that keeps it.

use super::apis::{call, unexpected};
use super::listeners::Listeners;
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

/// The session in a request's body, and the warnings about it, as far as it can be checked by itself.
/// `malformed` is the message for what is no session: a value of a wrong type makes it none, as broken JSON
/// does (reference 1.0).
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

/// Adds issues in the order of the document.
fn merge_issues(issues: &mut Vec<Issue>, more: Vec<Issue>) {
    for issue in more {
        let at = issues.partition_point(|other| other.start <= issue.start);
        issues.insert(at, issue);
    }
}

/// A session that was found, or stored.
pub(super) struct Found {
    pub(super) id: String,
    pub(super) revision: u64,
    pub(super) text: String,
    pub(super) aside: Aside,
}

/// Carries out a command about one session. `Err` is why the Registry has refused it.
pub(super) async fn ask<P: Platform>(
    platform: &P,
    mut ask: SessionAsk,
    text: &str,
) -> Result<Result<Found, Refusal>, Error> {
    let listeners = Listeners::of(platform, &ask, text).await;
    if let Some(listeners) = &listeners {
        ask.receivers = listeners.receivers();
    }
    match call(platform, &Command::Session(ask), text).await? {
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

/// Stores a session, or removes the one whose text this is, while its Ledger keeps none, so that the next request sees what was
/// written, wherever it is served. A Ledger that can't be notified stops the write.
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
        // Nobody may ask for it again, and then its counters would stay stored for ever.
        let _ = platform
            .ledger(&name, LedgerCall::Ask(Consume::look()))
            .await;
    }
    written
}

/// Ends the hold of a write. A Ledger that does not hear of it keeps nothing until it has had the Registry give
/// the write up; so must one whose write has no answer, because it may be stored still.
async fn release<P: Platform>(platform: &P, ledger: &str, hold: String, is_answered: bool) {
    if !is_answered {
        return;
    }
    if platform
        .ledger(ledger, LedgerCall::Release(hold))
        .await
        .is_err()
    {
        // Whatever was leased before the write has ended then.
        platform.wait(LEASE_MS).await;
    }
}

/// Lets the counters that a key shares with others start anew. The session is stored, so a Ledger that
/// can't be asked is a warning.
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

/// Moves the session with this text to another hash ([`Act::Rotate`]) with what its key has counted. Whoever sends
/// the old token meanwhile is let through on the old Ledger or not at all.
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

/// Carries out a command that ends the session of the first of these Ledgers and begins that of the second, which
/// counts on.
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
        // Nobody has asked the Registry for anything.
        Err(error) => (Err(error.into()), true),
    };
    if matches!(moved, Ok(Ok(_)))
        // What was counted since then; nothing is counted there any more.
        && let Err(error) = carry(platform, &old, &new).await
    {
        platform.log(&format!("rotate: {error}"));
    }
    release(platform, &old, hold, is_answered).await;
    for name in [old, new] {
        // The one that has no session forgets what it has counted.
        let look = LedgerCall::Ask(Consume::look());
        let _ = platform.ledger(&name, look).await;
    }
    moved
}

/// Lets one Ledger count on from what another one has counted.
async fn carry<P: Platform>(platform: &P, from: &str, to: &str) -> Result<(), StoreError> {
    let taken = platform.take_counters(&[from.to_owned()]).await?;
    let counters = taken.into_iter().filter(|counters| !counters.is_empty());
    let counters: Vec<_> = counters.map(|counters| (to.to_owned(), counters)).collect();
    if counters.is_empty() {
        return Ok(());
    }
    platform.put_counters(&counters).await
}

/// Looks whether the rights of a policy fit their APIs, as those of a key have to, and warns of versions
/// that these do not have.
pub(super) async fn check<P: Platform>(
    platform: &P,
    text: &str,
    issues: &mut Vec<Issue>,
) -> Result<(), Error> {
    let found = unknown_versions(platform, text).await?;
    merge_issues(issues, found.map_err(refused)?);
    Ok(())
}

/// The rights for versions that their APIs do not have. `Err` if rights do not fit their API at all.
async fn unknown_versions<P: Platform>(
    platform: &P,
    text: &str,
) -> Result<Result<Vec<Issue>, Refusal>, Error> {
    let ask = SessionAsk {
        act: Act::Check,
        ..SessionAsk::default()
    };
    match call(platform, &Command::Session(ask), text).await? {
        (Reply::Refused(refusal), _) => Ok(Err(refusal)),
        (Reply::Json, list) => Ok(Ok(serde_json::from_str(&list).unwrap_or_default())),
        _ => Err(unexpected()),
    }
}

/// The answer to a write. What a dry run would have made has no tag: nobody can ask for it.
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

/// Asks for the first of these sessions.
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

/// Why a session was not stored, in the words of reference 1.6.
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

/// A session as it is read: with its policies applied, what is left of its quotas, and without the
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
    // A session whose policies can't be applied is shown as it is stored.
    let applied = ask(platform, preview, &found.text).await?;
    let (applied, aside) = applied.map_or_else(
        |_| (policy::shown(&found.text, &[]), Aside::default()),
        |applied| (applied.text, applied.aside),
    );
    let counted = with_counters(platform, owner, found, &applied).await?;
    let counted = match owner {
        Owner::Key => counted,
        // The family does not note it there.
        Owner::Organisation => patched(&counted, &json!({ "date_created": null }))?,
    };
    let response = tagged(request, owner, found.revision, &counted)?;
    Ok(with_pending(response, &aside))
}

/// The answer with a session of this revision, but for its password, and to who only reads without its secrets.
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
    let response = if condition::not_modified(request, &tag) {
        Response::not_modified()
    } else {
        Response::text(200, body)
    };
    Ok(response.with("etag", tag))
}

/// Names the policies that requests use in another revision than what is shown.
fn with_pending(response: Response, aside: &Aside) -> Response {
    match aside.pending.as_slice() {
        [] => response,
        pending => response.with(PENDING_POLICIES_HEADER, pending.join(", ")),
    }
}

/// The tag of a session as it is shown: policies and counters change it without a write. A write that names
/// it is held against the revision alone.
fn shown_etag(revision: u64, body: &str) -> String {
    let content = HashFunction::Murmur64.hash(body);
    format!("\"{revision}-{content}\"")
}

fn patched(text: &str, patch: &serde_json::Value) -> Result<String, Error> {
    merge::merge(text, &patch.to_string()).map_err(|_| unexpected())
}

/// A session without its password.
pub(super) fn without_password(text: &str) -> Result<String, Error> {
    let has = json::parse(text).is_ok_and(|value| has_password(&value));
    if !has {
        return Ok(text.to_owned());
    }
    patched(text, &json!({ "basic_auth_data": { "password": null } }))
}

/// True if a session has a password.
pub(super) fn has_password(session: &Value<'_>) -> bool {
    let data = session.get("basic_auth_data");
    data.and_then(|data| data.str("password"))
        .is_some_and(|password| !password.is_empty())
}

/// Puts in how the quotas stand.
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
        // Somebody writes it right now: the document says what it said when it was stored.
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

/// What is put in for the quota of a session, or of one of its APIs (reference 1.6, item 12): how a counter stands
/// that is used. Before that an API shows its whole quota. What is 0 is not shown.
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
        // Nothing else says that such a quota is used up.
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

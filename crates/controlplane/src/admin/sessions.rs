//! Shared by the endpoints of keys and of organisations: reading a session and storing it.

mod shown;

pub(super) use shown::{has_password, previewed, shown, tagged};

use super::listeners::Listeners;
use super::replies::unexpected;
use super::{body, expressions};
use crate::error::{Error, etag};
use crate::ports::{LedgerCall, Platform};
use gatewright_api::message::{KEY_NOT_CREATED, MALFORMED};
use gatewright_api::session::KeyWritten;
use gatewright_model::document;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::shape::Root;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::ledger::{Consume, LEASE_MS};
use gatewright_protocol::registry::{Aside, Command, Refusal, Reply};
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};
use shown::with_pending;

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
    let issues = expressions::validated(platform, root, text);
    let issues = issues.map_err(|issues| match malformed {
        (400, MALFORMED) => Error::Malformed(issues),
        (status, text) => Error::Unreadable(status, text.to_owned(), issues),
    })?;
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

/// Stores a session, or removes the one with this text. The reply comes once its Ledger keeps that, so the next request
/// sees the write wherever it is served.
pub(super) async fn write<P: Platform>(
    platform: &P,
    command: SessionAsk,
    text: &str,
) -> Result<Result<Found, Refusal>, Error> {
    let id = command.ids.first().map(String::as_str).unwrap_or_default();
    let name = command.owner.ledger(id);
    let is_dry_run = command.guard.dry_run;
    let mut written = ask(platform, command, text).await;
    if let Ok(Ok(found)) = &mut written
        && !is_dry_run
    {
        notify(platform, &name, &found.aside).await;
        clear(platform, text, &mut found.aside).await;
    }
    written
}

/// Notifies a Ledger of a write by a Registry of the previous release, which leaves that to isolates.
async fn notify<P: Platform>(platform: &P, ledger: &str, aside: &Aside) {
    if aside.kept {
        return;
    }
    if platform.ledger(ledger, LedgerCall::Release).await.is_err() {
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
    command: SessionAsk,
    text: &str,
) -> Result<Result<Found, Refusal>, Error> {
    let is_dry_run = command.guard.dry_run;
    let moved = ask(platform, command, text).await;
    if let Ok(Ok(found)) = &moved
        && !found.aside.kept
        && !is_dry_run
    {
        notify(platform, &old, &found.aside).await;
        if let Err(error) = carry(platform, &old, &new).await {
            platform.log(&format!("rotate: {error}"));
        }
    }
    moved
}

/// Makes one Ledger continue with the counters of another, where the Registry is one of the previous release.
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
    let ask = SessionAsk {
        act: Act::Check,
        ..SessionAsk::default()
    };
    match platform.call(&Command::Session(ask), text).await? {
        (Reply::Json, list) => {
            let found = serde_json::from_str(&list).map_err(|_| unexpected())?;
            merge_issues(issues, found);
            Ok(())
        }
        (Reply::Refused(refusal), _) => Err(refused(refusal)),
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

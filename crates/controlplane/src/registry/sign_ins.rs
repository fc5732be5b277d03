//! Sign-ins of the console: whom a cookie belongs to, and until when.
//!
//! The promise: neither the cookie's value nor a secret is stored, only hashes; a sign-in has the rights that its
//! secret and its token have at this moment, so one that is changed, revoked or expired grants nothing any more; and a
//! reply takes effect from the next request on, wherever that is handled. Signing in or out adds an entry to the audit
//! trail. A wrong secret does not: anybody can send one, and could flood the trail. Nor does a sign-in that expires:
//! nobody has done anything.

use super::{Replied, Turn, done, refuse};
use crate::config::SignInConfig;
use crate::registry::credentials::{Actor, DASHBOARD_ACTOR};
use crate::registry::journal::AuditedWrite;
use crate::registry::rows::{Change, SignInRow};
use gatewright_api::dashboard::Access;
use gatewright_api::dashboard::shape::Subject;
use gatewright_api::message::Action;
use gatewright_protocol::caller::{Caller, GATEWAY_ACTOR, Need};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Refusal, Reply};
use gatewright_protocol::sign_in::{Shown, SignInAct, SignInAsk, SignedIn};
use gatewright_protocol::time::rfc3339;

/// The maximum number of sign-ins; the least recently used one is removed for a new one.
const KEPT: u32 = 10_000;
/// The same for one credential, which must not sign everybody else out.
const KEPT_EACH: u32 = 100;
/// The minimum interval in milliseconds at which a use is recorded.
const NOTED_MS: u64 = 60_000;

/// The id of the audit entry of a caller who has ended all sign-ins with the same credentials.
const EVERYWHERE: &str = "everywhere";

/// The right that every valid credential has.
const ANYBODY: Need = Need {
    group: None,
    access: Access::Deny,
};

/// Carries out a command.
pub(super) fn carry_out(turn: &mut Turn<'_>, ask: &SignInAsk) -> Replied {
    match ask.act {
        SignInAct::Begin => begin(turn, ask),
        SignInAct::Look => look(turn, ask),
        SignInAct::Admit => {
            let row = SignInRow {
                shown: ask.shown.clone(),
                ..SignInRow::default()
            };
            is_signed_in(whose(turn, &row, &ask.shown))
        }
        SignInAct::End | SignInAct::EndAll => end(turn, ask),
    }
}

/// Replies whose sign-in it is.
fn is_signed_in(signed_in: Option<SignedIn>) -> Replied {
    match signed_in {
        Some(signed_in) => Ok((Reply::SignedIn(signed_in), String::new())),
        None => refuse(Refusal::NotFound),
    }
}

fn begin(turn: &mut Turn<'_>, ask: &SignInAsk) -> Replied {
    let now = turn.now_ms();
    let row = SignInRow {
        hash: ask.hash.clone(),
        shown: ask.shown.clone(),
        begun: now,
        seen: now,
    };
    let has_token = row.shown.root.is_some() || row.shown.token.is_some();
    // An invalid token signs nobody in, not even together with the right secret.
    let signed_in = whose(turn, &row, &ask.shown);
    let Some(signed_in) = signed_in.filter(|by| by.dashboard.is_some() || !has_token) else {
        return refuse(Refusal::NotFound);
    };
    let config = turn.sign_ins;
    let trim = Change::TrimSignIns {
        seen: now.saturating_sub(config.idle_seconds.saturating_mul(1000)),
        begun: now.saturating_sub(config.most_seconds.saturating_mul(1000)),
        keep: KEPT.saturating_sub(1),
        of: row
            .shown
            .token
            .as_deref()
            .map(|token| (token, KEPT_EACH.saturating_sub(1))),
    };
    let noted = audit_entry(turn, Action::Added, &signed_in, &ask.console, "");
    let mut changes = vec![trim, Change::SignIn(&row)];
    changes.extend(noted);
    turn.rows.commit(&changes)?;
    is_signed_in(Some(signed_in))
}

fn look(turn: &mut Turn<'_>, ask: &SignInAsk) -> Replied {
    let now = turn.now_ms();
    let Some(mut row) = lasting(turn, &ask.hash)? else {
        return refuse(Refusal::NotFound);
    };
    let signed_in = whose(turn, &row, &ask.shown);
    let noted_ms = NOTED_MS.min(turn.sign_ins.idle_seconds.saturating_mul(100));
    if signed_in.is_some() && now.saturating_sub(row.seen) >= noted_ms {
        row.seen = now;
        turn.rows.commit(&[Change::SignIn(&row)])?;
    }
    is_signed_in(signed_in)
}

fn end(turn: &mut Turn<'_>, ask: &SignInAsk) -> Replied {
    if turn.rows.sign_in(&ask.hash)?.is_none() {
        return refuse(Refusal::NotFound);
    }
    // Only a caller who is still signed in may end other sign-ins, and a secret that is no longer right ends nothing.
    let row = lasting(turn, &ask.hash)?;
    let signed_in = row.as_ref().and_then(|row| whose(turn, row, &ask.shown));
    let row = row.filter(|_| ask.act == SignInAct::EndAll && signed_in.is_some());
    let still =
        |own: Option<String>, right: &Option<String>| own.filter(|own| right.as_ref() == Some(own));
    let shown = row.map(|SignInRow { shown, .. }| Shown {
        gateway: still(shown.gateway, &ask.shown.gateway),
        root: still(shown.root, &ask.shown.root),
        token: shown.token,
    });
    let which = if shown.is_some() { EVERYWHERE } else { "" };
    let noted =
        signed_in.and_then(|by| audit_entry(turn, Action::Deleted, &by, &ask.console, which));
    let mut changes = vec![match &shown {
        Some(shown) => Change::SignInsEnded(shown),
        None => Change::SignInEnded(&ask.hash),
    }];
    changes.extend(noted);
    turn.rows.commit(&changes)?;
    // Streams that depend on it check again, and end.
    turn.journal.note_news();
    done()
}

/// Creates the audit entry for signing in or out at a console; `None` without a console. `which` is the id:
/// [`EVERYWHERE`], or empty.
fn audit_entry<'a>(
    turn: &mut Turn<'_>,
    action: Action,
    signed_in: &SignedIn,
    console: &str,
    which: &str,
) -> Option<Change<'a>> {
    let actor = match &signed_in.dashboard {
        Some(Caller::Hash(_)) => signed_in.name.as_str(),
        _ if signed_in.gateway => GATEWAY_ACTOR,
        _ => DASHBOARD_ACTOR,
    };
    let org = turn.org_or_default(&signed_in.org).to_owned();
    let audited = AuditedWrite {
        org: &org,
        actor,
        id: which,
        name: console,
        ..AuditedWrite::new(Subject::SignIn, action)
    };
    (!console.is_empty()).then(|| turn.journal.audit(&audited, turn.now))
}

/// Returns the caller that a stream acts as while this sign-in lasts. This does not count as a use: a page that only
/// listens does not extend the sign-in.
pub(super) fn caller(turn: &Turn<'_>, hash: &str) -> Result<Option<Caller>, StoreError> {
    let row = lasting(turn, hash)?;
    Ok(row.and_then(|row| dashboard(&row.shown, &row.shown)))
}

/// Returns the sign-in with this hash, unless it has ended.
fn lasting(turn: &Turn<'_>, hash: &str) -> Result<Option<SignInRow>, StoreError> {
    let now = turn.now_ms();
    let SignInConfig {
        idle_seconds,
        most_seconds,
    } = turn.sign_ins;
    let within =
        |since: u64, seconds: u64| now < since.saturating_add(seconds.saturating_mul(1000));
    let found = turn.rows.sign_in(hash)?;
    Ok(found.filter(|row| within(row.seen, idle_seconds) && within(row.begun, most_seconds)))
}

/// Returns the dashboard API's caller for the credentials shown, if they match the current ones.
fn dashboard(shown: &Shown, right: &Shown) -> Option<Caller> {
    match (&shown.root, &shown.token) {
        (Some(_), _) if shown.root == right.root => Some(Caller::Root),
        (_, Some(token)) => Some(Caller::Hash(token.clone())),
        _ => None,
    }
}

/// Returns whom a sign-in belongs to, given the current secrets in `right`; `None` if none of its credentials is valid
/// any more.
fn whose(turn: &Turn<'_>, row: &SignInRow, right: &Shown) -> Option<SignedIn> {
    let gateway = row.shown.gateway.is_some() && row.shown.gateway == right.gateway;
    let admitted = dashboard(&row.shown, right).and_then(|caller| {
        let actor = turn
            .credentials
            .admit(&caller, ANYBODY, turn.default_org, turn.now);
        actor.ok().map(|actor| (caller, actor))
    });
    if !gateway && admitted.is_none() {
        return None;
    }
    let config = turn.sign_ins;
    let (dashboard, actor) = admitted.unzip();
    let Actor {
        name,
        org,
        permissions,
    } = actor.unwrap_or_default();
    Some(SignedIn {
        hash: row.hash.clone(),
        gateway,
        dashboard,
        name,
        org,
        permissions,
        begun_at: rfc3339(row.begun),
        ends_at: rfc3339(
            row.begun
                .saturating_add(config.most_seconds.saturating_mul(1000)),
        ),
        idle_seconds: config.idle_seconds,
    })
}

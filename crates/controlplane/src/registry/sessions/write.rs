//! The decisions about writes of sessions. Each stores either everything that belongs to it or nothing.

use super::compose::{self, Writing};
use super::{Sent, SessionFacts, SessionRow, applied, aside, ends, rights, rotate};
use crate::registry::commit::{self, Draft, commit};
use crate::registry::deliveries::signal;
use crate::registry::handover::Origin;
use crate::registry::journal::{AuditedWrite, LIFETIME_ACTOR};
use crate::registry::oauth;
use crate::registry::rows::Change;
use crate::registry::{Replied, Turn, certificates, refuse};
use gatewright_api::message::Action;
use gatewright_model::session::Session;
use gatewright_protocol::caller::GATEWAY_ACTOR;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::{Event, EventKind};
use gatewright_protocol::registry::{Aside, Refusal};
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};
use gatewright_protocol::signal::{Receiver, Signal};
use serde_json::json;

/// Carries out a writing command.
pub(crate) fn write(turn: &mut Turn<'_>, ask: &SessionAsk, text: &str) -> Replied {
    match ask.act {
        Act::Remove => remove(turn, ask),
        Act::Rotate => rotate::rotate(turn, ask),
        _ => put(turn, ask, text),
    }
}

fn put(turn: &mut Turn<'_>, ask: &SessionAsk, text: &str) -> Replied {
    let id = ask.ids.first().map(String::as_str).unwrap_or_default();
    let sent = Sent::read(text)?;
    if let Some(refusal) = rights::misfit(turn, &sent)? {
        return refuse(refusal);
    }
    let known = match ask.generated {
        true => None,
        false => turn.replaced(ask.owner, id, ask.guard.dry_run)?,
    };
    let current = known.as_ref().map(|(row, _)| row.revision);
    if let Some(refusal) = refusal(turn, ask, &sent, known.as_ref())? {
        return refuse(refusal);
    }
    let (applied, session) = match applied::allowed(turn, ask, &sent)? {
        Ok(allowed) => allowed,
        Err(refusal) => return refuse(refusal),
    };
    let rules = ends::rules(turn, &session)?;
    let renews = ask.reset && !ends::keeps_quota(&rules);
    let reset = current.is_none() || renews;
    let writing = Writing {
        owner: ask.owner,
        old: known.as_ref().map(|(_, text)| text.as_str()),
        applied: &applied.text,
        reset,
        renews,
        wants_reset: ask.reset,
        suppressed: ask.owner == Owner::Key && !ask.update && !ask.reset,
        // An OAuth token expires when its client was told it would.
        expires_in: applied.expires_in.filter(|_| ask.grant.is_empty()),
        now: turn.now,
        seconds: turn.now_seconds(),
    };
    let text = compose::compose((text, &sent.value), &writing)?;
    let mut facts = facts(turn, ask.owner, &text);
    let stored = aside::Stored {
        sent: &sent,
        session: &session,
        id,
        org: &facts.org_id,
        replaces: current.is_some(),
        is_reset: reset,
    };
    let aside = aside::of(turn, ask, &stored)?;
    let grant = match oauth::grant(turn, &ask.grant)? {
        Ok(grant) => grant,
        Err(refusal) => return refuse(refusal),
    };
    let session = Session {
        expires: facts.expires,
        ..session
    };
    facts.ends = ends::ends(turn, ask.owner, &session, &rules);
    let revision = turn.journal.next_audit();
    let before = known.as_ref().map(|(row, _)| row);
    let row = SessionRow {
        owner: ask.owner,
        id: id.to_owned(),
        revision,
        reset: match grant.as_ref().and_then(|grant| grant.replaced.as_ref()) {
            // A refreshed token continues the counters of its predecessor.
            Some(predecessor) => predecessor.reset,
            None => before.filter(|_| !reset).map_or(revision, |row| row.reset),
        },
        created_at: before
            .map_or(turn.now, |row| row.created_at.as_str())
            .to_owned(),
        updated_at: turn.now.to_owned(),
        facts,
    };
    if !ask.guard.dry_run {
        store_granted(turn, &row, (current, Some(&text)), ask, grant.as_ref())?;
    }
    Ok((row.reply_with(aside), text))
}

/// Returns why a session can't take the place of the stored one, if it can't.
fn refusal(
    turn: &Turn<'_>,
    ask: &SessionAsk,
    sent: &Sent<'_>,
    known: Option<&(SessionRow, String)>,
) -> Result<Option<Refusal>, StoreError> {
    if ask.checks {
        let replaced = known.filter(|_| ask.update);
        let replaced = replaced.map(|(_, text)| text.as_str());
        if let Some(refusal) = certificates::misfit(turn, sent, replaced)? {
            return Ok(Some(refusal));
        }
    }
    let current = known.map(|(row, _)| row.revision);
    Ok(
        if ask.update && ask.owner == Owner::Key && current.is_none() {
            Some(Refusal::NotFound)
        } else if ask.guard.allows(current) {
            None
        } else {
            Some(Refusal::Precondition { current })
        },
    )
}

/// Says that the session's Ledger keeps what was written.
pub(super) fn kept() -> Aside {
    Aside {
        kept: true,
        ..Aside::default()
    }
}

/// Returns the indexed facts of a session. A key that names no organisation belongs to the default one.
fn facts(turn: &Turn<'_>, owner: Owner, text: &str) -> SessionFacts {
    let mut facts = SessionFacts::of(Session::parse(text).unwrap_or_default());
    if owner == Owner::Key && facts.org_id.is_empty() {
        turn.default_org.clone_into(&mut facts.org_id);
    }
    facts
}

fn remove(turn: &mut Turn<'_>, ask: &SessionAsk) -> Replied {
    for id in &ask.ids {
        let row = turn.ending(ask.owner, id)?;
        let Some(row) = row.filter(|row| !row.is_over(turn.now_ms())) else {
            continue;
        };
        let current = Some(row.revision);
        if !ask.guard.allows(current) {
            return refuse(Refusal::Precondition { current });
        }
        if !ask.guard.dry_run {
            store(turn, &row, current, None, ask)?;
        }
        return Ok((row.reply_with(kept()), String::new()));
    }
    refuse(Refusal::NotFound)
}

/// Stores a session, or deletes it if there is no text.
pub(super) fn store(
    turn: &mut Turn<'_>,
    row: &SessionRow,
    before: Option<u64>,
    text: Option<&str>,
    ask: &SessionAsk,
) -> Result<(), StoreError> {
    store_granted(turn, row, (before, text), ask, None)
}

/// Stores a session together with its OAuth token, and ends the code or token that this was issued for.
fn store_granted(
    turn: &mut Turn<'_>,
    row: &SessionRow,
    (before, text): (Option<u64>, Option<&str>),
    ask: &SessionAsk,
    grant: Option<&oauth::Granted>,
) -> Result<(), StoreError> {
    let predecessor = grant.and_then(|granted| granted.replaced.as_ref());
    let origin = match predecessor {
        Some(old) => Origin::Following(&old.id),
        None if ask.generated => Origin::Generated,
        None => Origin::Written,
    };
    let mut draft = draft(turn, row, (before, text), ask, origin)?;
    let mut replaced = None;
    if let Some(granted) = grant {
        if let Some(old) = predecessor {
            turn.rows.hand_over_last(old, turn.journal.last_audit())?;
            let ask = SessionAsk::default();
            replaced = Some(self::draft(
                turn,
                old,
                (Some(old.revision), None),
                &ask,
                Origin::Written,
            )?);
        }
        draft.changes.extend(granted.changes());
    } else if text.is_none() && row.owner == Owner::Key {
        draft.changes.push(Change::OauthAccessEnded(&row.id));
    }
    draft.lists = row.owner == Owner::Organisation && before.is_some() != text.is_some();
    let drafts = [draft].into_iter().chain(replaced).collect();
    commit(turn, drafts)?;
    if text.is_some() {
        turn.ends.note(row.facts.ends);
    }
    Ok(())
}

/// Drafts the write or deletion of a session, with its notification.
fn draft<'a>(
    turn: &Turn<'_>,
    row: &'a SessionRow,
    (before, text): (Option<u64>, Option<&'a str>),
    ask: &SessionAsk,
    origin: Origin<'a>,
) -> Result<Draft<'a>, StoreError> {
    let action = match (text, ask.update) {
        (None, _) => Action::Deleted,
        (Some(_), true) => Action::Modified,
        (Some(_), false) => Action::Added,
    };
    let audited = AuditedWrite {
        org: match row.owner {
            Owner::Organisation => &row.id,
            Owner::Key => &row.facts.org_id,
        },
        actor: match text {
            None if row.is_over(turn.now_ms()) => LIFETIME_ACTOR,
            _ => GATEWAY_ACTOR,
        },
        id: &row.id,
        name: &row.facts.alias,
        before,
        after: text.map(|_| row.revision),
        ..AuditedWrite::new(row.owner.subject(), action)
    };
    let stored = match text {
        Some(text) => Change::Session {
            row: row.clone(),
            text,
            is_new: before.is_none(),
            origin,
        },
        None => Change::SessionRemoved {
            owner: row.owner,
            id: &row.id,
            revision: turn.journal.next_audit(),
        },
    };
    let mut draft = Draft::new(audited, vec![stored]);
    if row.owner == Owner::Key {
        add_notification(turn, &mut draft, row, action, None, &ask.receivers)?;
    }
    Ok(draft)
}

/// Adds the notification of a write to a key: for everyone who subscribes to it, and for the handlers in `receivers`. If
/// the key replaces another one, `replaces` is the hash of that.
pub(super) fn add_notification(
    turn: &Turn<'_>,
    draft: &mut Draft<'_>,
    row: &SessionRow,
    action: Action,
    replaces: Option<&str>,
    receivers: &[Receiver],
) -> Result<(), StoreError> {
    let kind = match action {
        Action::Added => EventKind::TokenCreated,
        Action::Deleted => EventKind::TokenDeleted,
        _ => EventKind::TokenUpdated,
    };
    let org = row.facts.org_id.as_str();
    let key = turn.pseudonyms.of(&row.id);
    let mut data = json!({
        "key_hash": key,
        "alias": row.facts.alias,
        "action": action,
        "revision": row.revision,
    });
    if let (Some(old), Some(data)) = (replaces, data.as_object_mut()) {
        data.insert("replaces".to_owned(), turn.pseudonyms.of(old).into());
    }
    let mut event = commit::Event::new(kind.name(), data);
    if !receivers.is_empty() {
        let signal = Signal {
            org: org.to_owned(),
            kind: String::new(),
            data: Event::of_token(kind, org, &key).data(),
            receivers: receivers.to_vec(),
        };
        let (hooks, quiet) = signal::hooks(turn, &signal)?;
        event.hooks = hooks;
        draft.changes.extend(quiet);
    }
    draft.event = Some(event);
    Ok(())
}

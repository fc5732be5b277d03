//! A new token for a session: what is stored moves from one hash to another.

use super::SessionRow;
use super::write::{Answer, notice};
use crate::registry::journal::{Deed, GATEWAY_ACTOR};
use crate::registry::rows::Change;
use crate::registry::{Turn, refuse};
use gatewright_api::message::Action;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::Refusal;
use gatewright_protocol::sessions::SessionAsk;

/// Moves a session: from one moment to the next the hash it was stored under is unknown and the other one known.
/// When its record ends and when its counters began stays as it was.
pub(super) fn rotate(turn: &mut Turn<'_>, ask: &SessionAsk) -> Answer {
    let [old, new] = ask.ids.as_slice() else {
        return Err(StoreError::new("rotate", "needs two hashes"));
    };
    let Some((row, text)) = turn.session(ask.owner, old)? else {
        return refuse(Refusal::NotFound);
    };
    let current = Some(row.revision);
    if !ask.guard.allows(current) {
        return refuse(Refusal::Precondition { current });
    }
    if turn.rows.session(ask.owner, new)?.is_some() {
        // With hashes of 32 bits it can happen; another random token has another one.
        return Err(StoreError::new("rotate", "another key has the new hash"));
    }
    let mut deed = Deed {
        org: &row.facts.org_id,
        actor: GATEWAY_ACTOR,
        action: Action::Deleted,
        subject: ask.owner.subject(),
        id: old,
        name: &row.facts.alias,
        before: current,
        after: None,
    };
    if ask.guard.dry_run {
        return Ok((row.clone().reply(), text));
    }
    let ended = turn.journal.audit(&deed, turn.now);
    let revision = turn.journal.next_audit();
    (deed.action, deed.id, deed.before, deed.after) = (Action::Added, new, None, Some(revision));
    let begun = turn.journal.audit(&deed, turn.now);
    let moved = SessionRow {
        id: new.clone(),
        revision,
        updated_at: turn.now.to_owned(),
        ..row.clone()
    };
    let mut changes = vec![
        Change::SessionRemoved {
            owner: row.owner,
            id: old,
        },
        Change::Session {
            row: moved.clone(),
            text: &text,
            is_new: true,
        },
        ended,
        begun,
    ];
    let told = notice(turn, &moved, Action::Modified, Some(old), &ask.receivers)?;
    changes.extend(told);
    turn.rows.commit(&changes)?;
    drop(changes);
    Ok((moved.reply(), text))
}

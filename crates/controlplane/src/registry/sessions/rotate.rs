//! A new token for a session: what is stored moves from one hash to another.

use super::SessionRow;
use super::write::{self, add_notification};
use crate::registry::commit::{Draft, commit};
use crate::registry::handover::Origin;
use crate::registry::journal::AuditedWrite;
use crate::registry::rows::Change;
use crate::registry::{Replied, Turn, refuse};
use gatewright_api::message::Action;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::Refusal;
use gatewright_protocol::sessions::SessionAsk;

/// Moves a session atomically: the hash it was stored under becomes unknown and the new one known. The end of its
/// record and the start of its counters remain.
pub(super) fn rotate(turn: &mut Turn<'_>, ask: &SessionAsk) -> Replied {
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
    if turn.rows.session_row(ask.owner, new)?.is_some() {
        // Possible with hashes of 32 bits; another random token has another hash.
        return Err(StoreError::new("rotate", "another key has the new hash"));
    }
    if ask.guard.dry_run {
        return Ok((row.reply(), text));
    }
    // The entry about the old hash comes first.
    let revision = turn.journal.next_audit().saturating_add(1);
    let moved = SessionRow {
        id: new.clone(),
        revision,
        updated_at: turn.now.to_owned(),
        ..row.clone()
    };
    let ended = AuditedWrite {
        org: &row.facts.org_id,
        id: old,
        name: &row.facts.alias,
        before: current,
        ..AuditedWrite::new(ask.owner.subject(), Action::Deleted)
    };
    let begun = AuditedWrite {
        action: Action::Added,
        id: new,
        before: None,
        after: Some(revision),
        ..ended.clone()
    };
    let removed = Change::SessionRemoved {
        owner: row.owner,
        id: old,
        revision: turn.journal.next_audit(),
    };
    let stored = Change::Session {
        row: moved.clone(),
        text: &text,
        is_new: true,
        origin: Origin::Following(old),
    };
    let mut begun = Draft::new(begun, vec![stored]);
    let (action, receivers) = (Action::Modified, ask.receivers.as_slice());
    add_notification(turn, &mut begun, &moved, action, Some(old), receivers)?;
    turn.rows.hand_over_last(&row, turn.journal.last_audit())?;
    commit(turn, vec![Draft::new(ended, vec![removed]), begun])?;
    Ok((moved.reply_with(write::kept()), text))
}

//! Deletes a session whose time is over, and notifies handlers. No isolate is involved, so the handlers are those of
//! the published definitions.

use super::SessionRow;
use super::applied::applied;
use super::write::store;
use crate::registry::Turn;
use gatewright_model::json;
use gatewright_model::session::Session;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::{Event, EventKind, Handler, Handlers};
use gatewright_protocol::sessions::{Owner, SessionAsk};

/// Deletes a session and notifies handlers.
pub(super) fn end(turn: &mut Turn<'_>, row: &SessionRow) -> Result<(), StoreError> {
    let mut lines = Vec::new();
    let mut ask = SessionAsk::default();
    let kind = EventKind::TokenDeleted;
    for handler in handlers(turn, row, kind)? {
        match handler {
            Handler::Hook(receiver) => ask.receivers.push(receiver),
            Handler::Log(prefix) => {
                let key = turn.pseudonyms.of(&row.id);
                let event = Event::of_token(kind, &row.facts.org_id, &key);
                lines.push(event.line(&prefix, turn.now));
            }
        }
    }
    store(turn, row, Some(row.revision), None, &ask)?;
    turn.journal.log(lines);
    Ok(())
}

/// Returns the handlers of the APIs that a key may use.
fn handlers(
    turn: &Turn<'_>,
    row: &SessionRow,
    kind: EventKind,
) -> Result<Vec<Handler>, StoreError> {
    let stored = match row.owner {
        Owner::Key => turn.rows.session(row.owner, &row.id)?,
        Owner::Organisation => None,
    };
    let Some((_, text)) = stored else {
        return Ok(Vec::new());
    };
    // A key whose policies can't be applied has access to nothing.
    let session = match applied(turn, row.owner, &text)? {
        Ok(applied) => Session::parse(&applied.text).unwrap_or_default(),
        Err(_) => Session::default(),
    };
    let mut found = Vec::new();
    for (id, _) in &session.access_rights {
        let entry = turn.index.live(id);
        let entry = entry.filter(|entry| turn.org_of(entry) == row.facts.org_id);
        let Some((entry, revision)) = entry.and_then(|entry| Some((entry, entry.published?)))
        else {
            continue;
        };
        let text = turn.rows.text(&entry.id, revision)?.unwrap_or_default();
        if let Ok(definition) = json::parse(&text) {
            found.extend(Handlers::read(&definition, revision).of(kind).cloned());
        }
    }
    Ok(found)
}

//! Events of requests, which an isolate tells the Registry of: each becomes a notification of its
//! organisation and is delivered to the handlers of the definition that hear of it.
//!
//! A handler that says itself what is called has deliveries under a name of its own, which leads
//! back to its settings in that revision of the definition; one that names a stored webhook has
//! deliveries of that webhook.

use super::announce_to;
use super::message::{self, Signing};
use crate::ports::Outgoing;
use crate::registry::Turn;
use crate::registry::index::Index;
use crate::registry::records::Records;
use crate::registry::rows::{Change, Rows};
use gatewright_api::dashboard::shape::Notice;
use gatewright_model::json;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::{Event, EventKind};
use gatewright_protocol::records::Kind;
use gatewright_protocol::registry::Reply;
use gatewright_protocol::signal::{PREFIX, Receiver, Signal};
use std::collections::BTreeMap;

/// Deliveries that may wait for one handler. While its server does not answer, more are not stored.
const WAITING_MAX: u64 = 1000;

/// Makes notifications of events, with their deliveries, in one commit. Answers how many deliveries
/// were not stored because too many wait already.
pub(in crate::registry) fn raise(
    turn: &mut Turn<'_>,
    signals: &[Signal],
) -> Result<(Reply, String), StoreError> {
    let mut changes = Vec::new();
    let mut rounds = Round::default();
    for signal in signals {
        let hooks = rounds.hooks(turn, signal)?;
        if hooks.is_empty() {
            continue;
        }
        let data = serde_json::from_str(&signal.data)
            .map_err(|error| StoreError::new("read event", error.to_string()))?;
        let parts = (&mut *turn.journal, &mut *turn.deliveries, &*turn.records);
        let kind = &signal.kind;
        changes.extend(announce_to(
            parts,
            &signal.org,
            kind,
            data,
            turn.now,
            &hooks,
        ));
    }
    changes.extend(rounds.quiet(turn.now_ms()));
    turn.rows.commit(&changes)?;
    Ok((Reply::Json, rounds.refused.to_string()))
}

/// What a command has decided so far.
#[derive(Default)]
struct Round {
    /// Who is quiet about what from now on, and until when.
    quiet: BTreeMap<String, u64>,
    /// How many deliveries wait for each handler.
    waiting: BTreeMap<String, u64>,
    refused: u64,
}

impl Round {
    /// The webhooks that get an event.
    fn hooks(&mut self, turn: &Turn<'_>, signal: &Signal) -> Result<Vec<String>, StoreError> {
        let now = turn.now_ms();
        let mut hooks = Vec::new();
        for receiver in &signal.receivers {
            if let Some(until) = receiver.quiet_until(now) {
                let name = receiver.identity(&signal.data);
                let is_quiet = self.quiet.contains_key(&name) || turn.rows.quiet(&name)? > now;
                if is_quiet {
                    continue;
                }
                self.quiet.insert(name, until);
            }
            let hook = resolve(turn.records, &signal.org, receiver);
            if self.has_room(turn, &hook)? {
                hooks.push(hook);
            }
        }
        Ok(hooks)
    }

    fn has_room(&mut self, turn: &Turn<'_>, hook: &str) -> Result<bool, StoreError> {
        let known = match self.waiting.get(hook) {
            Some(waiting) => *waiting,
            None => turn.rows.waiting(hook)?,
        };
        let room = known < WAITING_MAX;
        self.refused = self.refused.saturating_add(u64::from(!room));
        let waiting = known.saturating_add(u64::from(room));
        self.waiting.insert(hook.to_owned(), waiting);
        Ok(room)
    }

    fn quiet<'a>(&mut self, now: u64) -> impl Iterator<Item = Change<'a>> {
        let quiet = std::mem::take(&mut self.quiet).into_iter();
        quiet.map(move |(name, until)| Change::Quiet { name, until, now })
    }
}

/// The webhooks that get an event, with what is to be stored about that.
pub(in crate::registry) fn hooks(
    turn: &Turn<'_>,
    signal: &Signal,
) -> Result<(Vec<String>, Vec<Change<'static>>), StoreError> {
    let mut round = Round::default();
    let hooks = round.hooks(turn, signal)?;
    Ok((hooks, round.quiet(turn.now_ms()).collect()))
}

/// The stored webhook that a handler stands for, else the handler itself.
fn resolve(records: &Records, org: &str, receiver: &Receiver) -> String {
    let stored = records.live(Kind::Webhook, org, &receiver.id);
    let stored = stored.filter(|_| !receiver.id.is_empty());
    stored.map_or_else(|| receiver.hook.clone(), |record| record.id.clone())
}

/// True for the name of a handler.
pub(super) fn is_handler(hook: &str) -> bool {
    hook.starts_with(PREFIX)
}

/// The API, the revision and the pointer to the settings that the name of a handler stands for.
fn settings_of(name: &str) -> Option<(&str, u64, String)> {
    let mut parts = name.strip_prefix(PREFIX)?.rsplitn(4, '/');
    let (index, event) = (parts.next()?, parts.next()?);
    let revision = parts.next()?.parse().ok()?;
    let settings = format!("/event_handlers/events/{event}/{index}/handler_meta");
    Some((parts.next()?, revision, settings))
}

/// The request for a handler, or why it can't be made.
pub(super) fn outgoing(
    rows: &Rows,
    index: &Index,
    hook: &str,
    (org, notice): (&str, &Notice),
    now: u64,
) -> Result<Result<Outgoing, &'static str>, StoreError> {
    let Some((api_id, revision, pointer)) = settings_of(hook) else {
        return Ok(Err("The handler has no name"));
    };
    if index.live(api_id).is_none() {
        return Ok(Err("The API is deleted, or a file that nobody has stored"));
    }
    let text = rows.text(api_id, revision)?.unwrap_or_default();
    let definition = json::parse(&text).ok();
    let settings = definition
        .as_ref()
        .and_then(|value| value.pointer(&pointer));
    Ok(match settings {
        Some(settings) => {
            let body = message_body(org, notice);
            message::outgoing(settings, &notice.id, body, Signing::None, now)
        }
        None => Err("The definition has no such handler"),
    })
}

/// The body that a handler is sent: the reference's object (reference 7.3), not our own envelope.
fn message_body(org: &str, notice: &Notice) -> String {
    let key = notice.data.get("key_hash").and_then(|key| key.as_str());
    match (EventKind::named(&notice.kind), key) {
        (Some(kind), Some(key)) => Event::of_token(kind, org, key).data(),
        _ => notice.data.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_protocol::signal::handler_name;

    #[test]
    fn a_name_leads_back_to_the_settings() {
        let name = handler_name("an/api", 7, "AuthFailure", 2);
        let settings = "/event_handlers/events/AuthFailure/2/handler_meta".to_owned();
        assert_eq!(settings_of(&name), Some(("an/api", 7, settings)));
        assert!(is_handler(&name));
        for name in ["0123456789abcdef01234567", "api/a/x/AuthFailure/0", "api/0"] {
            assert_eq!(settings_of(name), None, "{name}");
        }
    }
}

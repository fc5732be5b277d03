//! Events of requests, which an isolate tells the Registry of: each becomes a notification of its
//! organisation and is delivered to the handlers of the definition that hear of it.
//!
//! A handler that says itself what is called has deliveries under a name of its own, which leads
//! back to its settings in that revision of the definition; one that names a stored webhook has
//! deliveries of that webhook.

use super::announce_only;
use super::message::{self, Signing};
use crate::ports::Outgoing;
use crate::registry::index::Index;
use crate::registry::journal::share;
use crate::registry::records::Records;
use crate::registry::rows::{Change, Rows};
use crate::registry::{Registry, Turn};
use gatewright_api::dashboard::shape::Notice;
use gatewright_model::json;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::{Event, EventKind};
use gatewright_protocol::records::Kind;
use gatewright_protocol::registry::Reply;
use gatewright_protocol::signal::{Count, PREFIX, Receiver, Signal};
use gatewright_protocol::time::millis;
use serde_json::Value;
use std::collections::BTreeMap;

/// Deliveries that may wait for one handler. While its server does not answer, more are not stored.
const WAITING_MAX: u64 = 1000;
/// The same of one kind of event for a stored webhook, which waits for other things too.
const SHARE_MAX: u64 = 100;

/// Events of a second that has told of one of that organisation, API and kind already: they are counted until it
/// is over. What the object remembers only as long as it lives, as an isolate does with what it has not sent.
#[derive(Debug, Default)]
pub(in crate::registry) struct Counting(BTreeMap<ApiAndKind, Second>);

/// The organisation, the API and the kind of event.
type ApiAndKind = (String, String, String);

#[derive(Debug, Default)]
struct Second {
    /// Unix seconds.
    at: u64,
    /// One for all that wait for the same handlers.
    held: Vec<Counted>,
}

/// An event, and those that are counted into it.
#[derive(Debug)]
struct Counted {
    /// The one event; its data says nothing of the others.
    signal: Signal,
    count: Count,
}

impl Counted {
    fn of(signal: &Signal) -> Self {
        let (data, count) = Count::split(&signal.data);
        let signal = Signal {
            data,
            ..signal.clone()
        };
        Self { signal, count }
    }

    fn join(&mut self, other: &Self) {
        let key = member(&other.signal.data, "key");
        let own = member(&self.signal.data, "key");
        let key = key.filter(|key| own.as_ref() != Some(key));
        self.count.join(key.as_deref(), &other.count);
    }

    /// What is told of it.
    fn data(&self) -> Result<Value, StoreError> {
        serde_json::from_str(&self.count.write(&self.signal.data))
            .map_err(|error| StoreError::new("read event", error.to_string()))
    }
}

/// A member of an event's data.
fn member(data: &str, name: &str) -> Option<String> {
    Some(json::parse(data).ok()?.str(name)?.to_owned())
}

impl Counting {
    /// When the next of them are told of, Unix milliseconds.
    pub(in crate::registry) fn due(&self) -> Option<u64> {
        let held = self.0.values().filter(|second| !second.held.is_empty());
        let at = held.map(|second| second.at).min()?;
        Some(at.saturating_add(1).saturating_mul(1000))
    }

    /// What is to be told of now, because its second is over.
    fn over(&mut self, now: u64) -> Vec<Counted> {
        let mut over = Vec::new();
        self.0.retain(|_, second| {
            if second.at == now {
                return true;
            }
            over.append(&mut second.held);
            false
        });
        over
    }

    /// Counts an event into those of this second; gives it back if none was told of yet.
    fn count(&mut self, key: &ApiAndKind, event: Counted, now: u64) -> Option<Counted> {
        let second = self.0.get_mut(key).filter(|second| second.at == now);
        let Some(second) = second else {
            return Some(event);
        };
        let receivers = &event.signal.receivers;
        let same = |held: &&mut Counted| held.signal.receivers == *receivers;
        match second.held.iter_mut().find(same) {
            Some(held) => held.join(&event),
            None => second.held.push(event),
        }
        None
    }
}

/// Makes notifications of events, with their deliveries, in one commit. Answers how many deliveries
/// were not stored because too many wait already.
pub(in crate::registry) fn raise(
    turn: &mut Turn<'_>,
    signals: &[Signal],
) -> Result<(Reply, String), StoreError> {
    let second = turn.now_ms() / 1000;
    let mut events = turn.counting.over(second);
    events.extend(signals.iter().map(Counted::of));
    let mut told = Vec::new();
    let mut rounds = Round::default();
    for event in events {
        let api_id = member(&event.signal.data, "api_id").unwrap_or_default();
        let key = (event.signal.org.clone(), api_id, event.signal.kind.clone());
        // Each host is told of, and none counted into another one.
        let is_of_host = EventKind::named(&event.signal.kind).is_some_and(EventKind::is_of_host);
        let event = match is_of_host {
            true => Some(event),
            false => turn.counting.count(&key, event, second),
        };
        let Some(event) = event else {
            continue;
        };
        let hooks = rounds.hooks(turn, &event.signal)?;
        if is_of_host || !hooks.is_empty() {
            let hooks = rounds.with_subscribed(turn, &event.signal, hooks)?;
            if !is_of_host {
                let (at, held) = (second, Vec::new());
                turn.counting.0.insert(key, Second { at, held });
            }
            told.push((event, hooks));
        }
    }
    let mut changes = Vec::new();
    for (event, hooks) in &told {
        let parts = (&mut *turn.journal, &mut *turn.deliveries);
        let (org, kind) = (&event.signal.org, &event.signal.kind);
        changes.extend(announce_only(
            parts,
            org,
            kind,
            event.data()?,
            turn.now,
            hooks,
        ));
    }
    changes.extend(rounds.quiet(turn.now_ms()));
    turn.rows.commit(&changes)?;
    if turn.counting.due().is_some() {
        turn.journal.tell();
    }
    Ok((Reply::Json, rounds.refused.to_string()))
}

impl Registry {
    /// When events that were counted are told of, in milliseconds since 1970.
    #[must_use]
    pub fn next_count(&self) -> Option<u64> {
        self.counting.due()
    }

    /// Tells of events that were counted in a second that is over. `now` is RFC 3339 in UTC.
    ///
    /// # Errors
    /// If the rows can't be read or written.
    pub fn tell_counts(&mut self, now: &str) -> Result<(), StoreError> {
        let due = self.counting.due();
        if due.is_some_and(|due| millis(now).is_some_and(|now| due <= now)) {
            self.in_turn(now, |turn| raise(turn, &[]))?;
        }
        Ok(())
    }
}

/// What a command has decided so far.
#[derive(Default)]
struct Round {
    /// Who is quiet about what from now on, and until when.
    quiet: BTreeMap<String, u64>,
    /// How many deliveries wait: for each handler, or of a kind for each stored webhook.
    waiting: BTreeMap<(String, String), u64>,
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
            if !hooks.contains(&hook) && self.has_room(turn, &hook, &signal.kind)? {
                hooks.push(hook);
            }
        }
        Ok(hooks)
    }

    /// The same with the webhooks that have subscribed.
    fn with_subscribed(
        &mut self,
        turn: &Turn<'_>,
        signal: &Signal,
        mut hooks: Vec<String>,
    ) -> Result<Vec<String>, StoreError> {
        for hook in turn.records.subscribed(&signal.org, &signal.kind) {
            let known = hooks.iter().any(|known| known == hook);
            if !known && self.has_room(turn, hook, &signal.kind)? {
                hooks.push(hook.to_owned());
            }
        }
        Ok(hooks)
    }

    fn has_room(&mut self, turn: &Turn<'_>, hook: &str, kind: &str) -> Result<bool, StoreError> {
        let shared = !is_handler(hook) && !share(kind).is_empty();
        let max = if shared { SHARE_MAX } else { WAITING_MAX };
        let key = (hook.to_owned(), kind.to_owned());
        let known = match self.waiting.get(&key) {
            Some(waiting) => *waiting,
            None if shared => turn.rows.waiting_of(hook, kind)?,
            None => turn.rows.waiting(hook)?,
        };
        let room = known < max;
        self.refused = self.refused.saturating_add(u64::from(!room));
        let waiting = known.saturating_add(u64::from(room));
        self.waiting.insert(key, waiting);
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

//! Events of requests, reported to the Registry by isolates: each becomes a notification of its organisation and is
//! delivered to the definition's handlers for it.
//!
//! Deliveries to a handler with a target of its own are stored under a name that leads back to the handler's settings
//! in that revision of the definition; those to a handler that names a stored webhook belong to that webhook.

use super::announce_only;
use super::message::{self, Signing};
use crate::ports::Outgoing;
use crate::registry::encoding::from_json;
use crate::registry::index::Index;
use crate::registry::journal::share;
use crate::registry::records::Records;
use crate::registry::rows::{Change, Rows};
use crate::registry::{Registry, Replied, Turn};
use gatewright_api::dashboard::shape::Notice;
use gatewright_model::json;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::{Event, EventKind, timeout};
use gatewright_protocol::records::Kind;
use gatewright_protocol::registry::Reply;
use gatewright_protocol::signal::{Count, PREFIX, Receiver, Signal};
use gatewright_protocol::time::millis;
use serde_json::Value;
use std::collections::BTreeMap;

/// The maximum number of pending deliveries per handler. While its server does not respond, no more are stored.
const WAITING_MAX: u64 = 1000;
/// The same for one kind of event of a stored webhook, which has other deliveries, too.
const SHARE_MAX: u64 = 100;

/// Events in a second in which a notification of the same organisation, API and kind has been sent: they are counted
/// until the second is over. Held only in memory, as an isolate holds events it has not sent yet.
#[derive(Debug, Default)]
pub(in crate::registry) struct Counting(BTreeMap<ApiAndKind, Second>);

/// The organisation, the API and the kind of event.
type ApiAndKind = (String, String, String);

#[derive(Debug, Default)]
struct Second {
    /// The second, in Unix seconds.
    at: u64,
    /// The counted events, one for each set of handlers.
    held: Vec<Counted>,
}

/// An event, and the number of events counted into it.
#[derive(Debug)]
struct Counted {
    /// The first event; its data does not include the count.
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

    /// Returns the data of the notification, with the count.
    fn data(&self) -> Result<Value, StoreError> {
        from_json("read event", &self.count.write(&self.signal.data))
    }
}

/// Returns a member of an event's data.
fn member(data: &str, name: &str) -> Option<String> {
    Some(json::parse(data).ok()?.str(name)?.to_owned())
}

impl Counting {
    /// Returns when the next counted events are to be sent, in Unix milliseconds.
    pub(in crate::registry) fn due(&self) -> Option<u64> {
        let held = self.0.values().filter(|second| !second.held.is_empty());
        let at = held.map(|second| second.at).min()?;
        Some(at.saturating_add(1).saturating_mul(1000))
    }

    /// Removes and returns the events to send now, because their second is over.
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

    /// Counts an event into those of this second; returns it if no notification has been sent in this second.
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

/// Turns events into notifications with their deliveries, in one commit. The reply is the number of deliveries that
/// were not stored because too many are pending.
pub(in crate::registry) fn raise(turn: &mut Turn<'_>, signals: &[Signal]) -> Replied {
    let second = turn.now_ms() / 1000;
    let mut events = turn.counting.over(second);
    events.extend(signals.iter().map(Counted::of));
    let mut raised = Vec::new();
    let mut rounds = Round::default();
    for event in events {
        let api_id = member(&event.signal.data, "api_id").unwrap_or_default();
        let key = (event.signal.org.clone(), api_id, event.signal.kind.clone());
        // Each host gets its own notification and is never counted into another one's.
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
            raised.push((event, hooks));
        }
    }
    let mut changes = Vec::new();
    for (event, hooks) in &raised {
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
        turn.journal.note_news();
    }
    Ok((Reply::Json, rounds.refused.to_string()))
}

impl Registry {
    /// Returns when counted events are to be sent, in Unix milliseconds.
    #[must_use]
    pub fn next_count(&self) -> Option<u64> {
        self.counting.due()
    }

    /// Sends the events counted in a second that is over. `now` is RFC 3339 in UTC.
    ///
    /// # Errors
    /// If the rows can't be read or written.
    pub fn send_counts(&mut self, now: &str) -> Result<(), StoreError> {
        let due = self.counting.due();
        if due.is_some_and(|due| millis(now).is_some_and(|now| due <= now)) {
            self.in_turn(now, |turn| raise(turn, &[]))?;
        }
        Ok(())
    }
}

/// The decisions of one command so far.
#[derive(Default)]
struct Round {
    /// Receivers and events that are muted from now on, with the end of the cooldown.
    quiet: BTreeMap<String, u64>,
    /// The number of pending deliveries, by handler or stored webhook, and kind of event.
    waiting: BTreeMap<(String, String), u64>,
    refused: u64,
}

impl Round {
    /// Returns the webhooks of an event's receivers that get it.
    fn hooks(&mut self, turn: &Turn<'_>, signal: &Signal) -> Result<Vec<String>, StoreError> {
        let mut hooks = Vec::new();
        for receiver in &signal.receivers {
            let hook = resolve(turn.records, &signal.org, receiver);
            if self.is_quiet(turn, &[receiver, &stored(turn, &hook)?], &signal.data)? {
                continue;
            }
            if !hooks.contains(&hook) && self.has_room(turn, &hook, &signal.kind)? {
                hooks.push(hook);
            }
        }
        Ok(hooks)
    }

    /// Whether one of these has been sent this data within its timeout; if none has, all are muted from now on.
    fn is_quiet(
        &mut self,
        turn: &Turn<'_>,
        receivers: &[&Receiver],
        data: &str,
    ) -> Result<bool, StoreError> {
        let now = turn.now_ms();
        let mut muted = Vec::new();
        for receiver in receivers {
            if let Some(until) = receiver.quiet_until(now) {
                let name = receiver.identity(data);
                if self.quiet.contains_key(&name) || turn.rows.quiet(&name)? > now {
                    return Ok(true);
                }
                muted.push((name, until));
            }
        }
        self.quiet.extend(muted);
        Ok(false)
    }

    /// Adds the webhooks that have subscribed.
    fn with_subscribed(
        &mut self,
        turn: &Turn<'_>,
        signal: &Signal,
        mut hooks: Vec<String>,
    ) -> Result<Vec<String>, StoreError> {
        for hook in turn.records.subscribed(&signal.org, &signal.kind) {
            let known = hooks.iter().any(|known| known == hook);
            if !known
                && !self.is_quiet(turn, &[&stored(turn, hook)?], &signal.data)?
                && self.has_room(turn, hook, &signal.kind)?
            {
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

/// Returns the webhooks that get an event, and the changes to store with that.
pub(in crate::registry) fn hooks(
    turn: &Turn<'_>,
    signal: &Signal,
) -> Result<(Vec<String>, Vec<Change<'static>>), StoreError> {
    let mut round = Round::default();
    let hooks = round.hooks(turn, signal)?;
    Ok((hooks, round.quiet(turn.now_ms()).collect()))
}

/// Returns the stored webhook that a handler refers to, else the handler itself.
fn resolve(records: &Records, org: &str, receiver: &Receiver) -> String {
    let stored = records.live(Kind::Webhook, org, &receiver.id);
    let stored = stored.filter(|_| !receiver.id.is_empty());
    stored.map_or_else(|| receiver.hook.clone(), |record| record.id.clone())
}

/// Returns a stored webhook as a receiver, which has the timeout of its document; anything else has none.
fn stored(turn: &Turn<'_>, hook: &str) -> Result<Receiver, StoreError> {
    let text = match turn.records.of_id(Kind::Webhook, hook) {
        Some(record) => turn.records.text(turn.rows, record, record.revision)?,
        None => None,
    };
    let document = text.as_ref().and_then(|text| json::parse(text).ok());
    Ok(Receiver {
        hook: hook.to_owned(),
        id: String::new(),
        quiet_seconds: document.as_ref().map_or(0, timeout),
    })
}

/// Whether a name is that of a handler.
pub(super) fn is_handler(hook: &str) -> bool {
    hook.starts_with(PREFIX)
}

/// Parses the name of a handler: the API, the revision, and the pointer to its settings.
fn settings_of(name: &str) -> Option<(&str, u64, String)> {
    let mut parts = name.strip_prefix(PREFIX)?.rsplitn(4, '/');
    let (index, event) = (parts.next()?, parts.next()?);
    let revision = parts.next()?.parse().ok()?;
    let settings = format!("/event_handlers/events/{event}/{index}/handler_meta");
    Some((parts.next()?, revision, settings))
}

/// Builds the request for a handler, or returns why it can't be made.
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

/// Returns the body for a handler: the reference's object (reference 7.3), not our own envelope.
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
    fn handler_name_resolves_to_its_settings() {
        let name = handler_name("an/api", 7, "AuthFailure", 2);
        let settings = "/event_handlers/events/AuthFailure/2/handler_meta".to_owned();
        assert_eq!(settings_of(&name), Some(("an/api", 7, settings)));
        assert!(is_handler(&name));
        for name in ["0123456789abcdef01234567", "api/a/x/AuthFailure/0", "api/0"] {
            assert_eq!(settings_of(name), None, "{name}");
        }
    }
}

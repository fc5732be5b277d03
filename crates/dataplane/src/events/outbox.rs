//! Events on their way to the Registry; their number is always bounded. Events of the same kind and API that wait for
//! the same handlers are merged into the first one as a count.

use gatewright_protocol::events::{Event, EventKind, Handler, Handlers};
use gatewright_protocol::signal::{Count, Receiver, Signal};
use std::collections::HashMap;

/// How many APIs can have waiting events of one kind, so that a flood of one kind leaves room for others. Further
/// events until the next send are dropped and counted.
pub const ROOM: usize = 50;
/// How many recently sent events are remembered.
const KNOWN: usize = 1000;
/// After this many milliseconds without activity a sender counts as gone: the runtime cancels work that runs long after
/// a response.
const GONE_MS: u64 = 15_000;

/// The waiting events. Times are Unix milliseconds.
#[derive(Debug, Default)]
pub struct Outbox {
    waiting: Vec<Waiting>,
    dropped: u32,
    quiet: Quiet,
    /// When the sender last fetched events; 0 if there is no sender.
    sender: u64,
}

/// A waiting event.
#[derive(Debug)]
struct Waiting {
    kind: EventKind,
    api_id: String,
    key: String,
    signal: Signal,
    count: Count,
}

impl Waiting {
    fn counted(self) -> Signal {
        let data = self.count.write(&self.signal.data);
        Signal {
            data,
            ..self.signal
        }
    }
}

impl Outbox {
    /// Queues an event for the webhooks that subscribe to it.
    pub fn put(&mut self, handlers: &Handlers, event: &Event, now: u64) {
        let data = event.data();
        let mut receivers = Vec::new();
        for handler in handlers.of(event.kind) {
            if let Handler::Hook(receiver) = handler
                && self.quiet.allows(receiver, &data, now)
            {
                receivers.push(receiver.clone());
            }
        }
        if receivers.is_empty() {
            return;
        }
        let of_kind = self.waiting.iter_mut().filter(|one| one.kind == event.kind);
        let mut others = 0_usize;
        for one in of_kind {
            if one.api_id == event.api_id && one.signal.receivers == receivers {
                let other = Some(event.key.as_str()).filter(|key| *key != one.key);
                one.count.add(other);
                return;
            }
            others = others.saturating_add(1);
        }
        if others >= ROOM {
            self.dropped = self.dropped.saturating_add(1);
            return;
        }
        let signal = Signal {
            org: event.org.clone(),
            kind: event.kind.name().to_owned(),
            data,
            receivers,
        };
        self.waiting.push(Waiting {
            kind: event.kind,
            api_id: event.api_id.clone(),
            key: event.key.clone(),
            signal,
            count: Count::default(),
        });
    }

    /// Whether there are events to send and no sender is active.
    #[must_use]
    pub fn is_waiting(&self, now: u64) -> bool {
        !self.waiting.is_empty() && now.saturating_sub(self.sender) >= GONE_MS
    }

    /// Like [`Self::is_waiting`], but true only once: the caller becomes the sender.
    pub fn wants_sender(&mut self, now: u64) -> bool {
        let wanted = self.is_waiting(now);
        if wanted {
            self.sender = now;
        }
        wanted
    }

    /// Takes the events to send, and the number dropped since the last call. If there are none, the sender is done.
    pub fn take(&mut self, now: u64) -> (Vec<Signal>, u32) {
        self.sender = if self.waiting.is_empty() { 0 } else { now };
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        (
            waiting.map(Waiting::counted).collect(),
            std::mem::take(&mut self.dropped),
        )
    }

    /// Records that the last fetched events were not delivered: none of them suppresses repeats any more.
    pub fn lost(&mut self) {
        self.quiet = Quiet::default();
    }
}

/// Until when a handler is not sent the same event again (`event_timeout`). This only saves the Registry work, which
/// keeps the exact state.
#[derive(Debug, Default)]
struct Quiet(HashMap<String, u64>);

impl Quiet {
    /// Whether to send an event to a handler; if so, repeats are suppressed for its timeout.
    fn allows(&mut self, receiver: &Receiver, data: &str, now: u64) -> bool {
        let Some(until) = receiver.quiet_until(now) else {
            return true;
        };
        let name = receiver.identity(data);
        if self.0.get(&name).is_some_and(|until| now < *until) {
            return false;
        }
        if self.0.len() >= KNOWN {
            self.0.clear();
        }
        self.0.insert(name, until);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::json::parse;

    fn handlers(timeout: u64) -> Handlers {
        let text = format!(
            r#"{{"api_id":"a","event_handlers":{{"events":{{"AuthFailure":[
                {{"handler_name":"eh_log_handler","handler_meta":{{}}}},
                {{"handler_name":"eh_web_hook_handler",
                  "handler_meta":{{"id":"h","event_timeout":{timeout}}}}}],
                "KeyExpired":[{{"handler_name":"eh_web_hook_handler","handler_meta":{{"id":"h"}}}}]}}}}}}"#
        );
        Handlers::read(&parse(&text).unwrap(), 1)
    }

    fn event(key: &str) -> Event {
        Event::of_token(EventKind::AuthFailure, "o", key)
    }

    #[test]
    fn repeats_are_suppressed_only_within_the_timeout() {
        let mut outbox = Outbox::default();
        for (timeout, more) in [(0, 2), (5, 1)] {
            for at in [1_000, 5_999, 6_000] {
                outbox.put(&handlers(timeout), &event("k"), at);
            }
            let (signals, dropped) = outbox.take(1);
            assert_eq!((signals.len(), dropped), (1, 0), "{timeout}");
            let (_, count) = Count::split(&signals[0].data);
            assert_eq!((signals[0].receivers.len(), count.more()), (1, more));
            assert!(!signals[0].data.contains("keys"));
        }
        outbox.put(&handlers(5), &event("other"), 6_001);
        assert_eq!(outbox.take(1).0.len(), 1);
        outbox.put(&handlers(5), &event("other"), 6_002);
        assert!(outbox.take(1).0.is_empty());
        outbox.lost();
        outbox.put(&handlers(5), &event("other"), 6_003);
        assert_eq!(outbox.take(1).0.len(), 1);
    }

    #[test]
    fn events_without_subscribers_are_not_queued() {
        let mut outbox = Outbox::default();
        let event = Event::of_token(EventKind::QuotaExceeded, "o", "k");
        outbox.put(&handlers(0), &event, 1);
        assert!(!outbox.wants_sender(20_000));
    }

    #[test]
    fn floods_are_coalesced_by_api_and_kind() {
        let mut outbox = Outbox::default();
        for number in 0..500 {
            outbox.put(&handlers(9), &event(&number.to_string()), 1);
        }
        let other = Event {
            api_id: "b".to_owned(),
            ..event("k")
        };
        outbox.put(&handlers(9), &other, 1);
        // Others subscribe to it.
        outbox.put(&handlers(0), &event("0"), 1);
        let (signals, dropped) = outbox.take(1);
        let more = |signal: &Signal| Count::split(&signal.data).1.more();
        let counts: Vec<u64> = signals.iter().map(more).collect();
        assert_eq!((counts, dropped), (vec![499, 0, 0], 0));
        assert!(signals[0].data.contains(r#""key":"0""#));
        assert!(signals[0].data.contains(r#""count":500,"keys":["1","2","#));
    }

    #[test]
    fn outbox_is_bounded_by_kind_and_counts_drops() {
        let mut outbox = Outbox::default();
        let of_api = |kind, number: usize| Event {
            api_id: number.to_string(),
            kind,
            ..event("k")
        };
        for number in 0..ROOM * 3 {
            outbox.put(&handlers(0), &of_api(EventKind::AuthFailure, number), 1);
        }
        outbox.put(&handlers(0), &of_api(EventKind::KeyExpired, 1), 1);
        let (signals, dropped) = outbox.take(1);
        assert_eq!((signals.len(), dropped), (ROOM + 1, 100));
        assert_eq!(outbox.take(1), (Vec::new(), 0));
        for number in 0..KNOWN * 3 {
            outbox.put(&handlers(9), &event(&number.to_string()), 1);
            assert!(outbox.quiet.0.len() <= KNOWN);
        }
    }

    #[test]
    fn one_sender_at_a_time_and_a_dead_one_is_replaced() {
        let mut outbox = Outbox::default();
        let begun = 1_000_000;
        assert!(!outbox.wants_sender(begun));
        outbox.put(&handlers(0), &event("k"), begun);
        assert!(outbox.wants_sender(begun));
        assert!(!outbox.wants_sender(begun + 1));
        assert_eq!(outbox.take(begun + 2).0.len(), 1);
        outbox.put(&handlers(0), &event("k"), begun + 3);
        assert!(!outbox.wants_sender(begun + 3), "it looks again");
        assert!(outbox.wants_sender(begun + 2 + GONE_MS));
        assert_eq!(outbox.take(begun + 2 + GONE_MS).0.len(), 1);
        assert!(outbox.take(begun + 3 + GONE_MS).0.is_empty());
        outbox.put(&handlers(0), &event("k"), begun + 4 + GONE_MS);
        assert!(outbox.wants_sender(begun + 4 + GONE_MS));
    }
}

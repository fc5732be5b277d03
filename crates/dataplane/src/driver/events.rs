//! The events that a request raises (reference 7.1).

use super::Run;
use crate::counters::{Scope, State};
use crate::events::{crossed, of_failure};
use crate::exchange::Exchange;
use crate::failure::FailureReply;
use crate::upstreams::Change;
use gatewright_protocol::events::{Event, EventKind};
use gatewright_protocol::ledger::{Limit, Step};

/// The maximum length of a path in an event, in bytes.
const PATH_MAX: usize = 1024;

impl Run {
    /// Raises the event that a refusal corresponds to, if anyone subscribes to it.
    pub(super) fn raise(&self, refusal: &FailureReply) {
        let exchange = &self.exchange;
        let heard =
            of_failure(refusal.failure).filter(|(kind, _)| exchange.api.handlers.hear(*kind));
        if let Some((kind, message)) = heard {
            let mut event = event(exchange, kind, message);
            if kind == EventKind::VersionFailure {
                event.reason = refusal.failure.message();
            }
            exchange.isolate.raise(&exchange.api, event);
        }
    }

    /// Raises an event for each threshold of a quota that the request has reached.
    pub(super) fn raise_triggers(&self) {
        let exchange = &self.exchange;
        if !exchange.api.handlers.hear(EventKind::TriggerExceeded) {
            return;
        }
        let Ok(session) = exchange.session() else {
            return;
        };
        let of_key = exchange.counters.iter();
        let of_key = of_key.filter(|counter| matches!(counter.scope, Scope::Key | Scope::Pattern));
        for counter in of_key {
            let State::Admitted(standings) = &counter.state else {
                continue;
            };
            for (count, standing) in counter.ask.counts.iter().zip(standings) {
                let Limit::Quota(quota) = count.limit else {
                    continue;
                };
                for limit in crossed(&session.trigger_limits, quota.max, standing.remaining) {
                    let event = event(
                        exchange,
                        EventKind::TriggerExceeded,
                        "Quota trigger reached",
                    );
                    let event = Event {
                        trigger_limit: Some(limit),
                        ..event
                    };
                    exchange.isolate.raise(&exchange.api, event);
                }
            }
        }
    }
}

impl Run {
    /// Raises an event for each smoothed rate that the request has raised or lowered.
    pub(super) fn raise_smoothing(&self) {
        let exchange = &self.exchange;
        for counter in &exchange.counters {
            let standings = match &counter.state {
                State::Admitted(standings) => standings,
                State::Refused(refused) => &refused.standings,
                State::Pending => continue,
            };
            for standing in standings {
                let (kind, message) = match standing.step {
                    Step::None => continue,
                    Step::Up => (
                        EventKind::RateLimitSmoothingUp,
                        "Rate limit raised by a step",
                    ),
                    Step::Down => (
                        EventKind::RateLimitSmoothingDown,
                        "Rate limit lowered by a step",
                    ),
                };
                if exchange.api.handlers.hear(kind) {
                    exchange
                        .isolate
                        .raise(&exchange.api, event(exchange, kind, message));
                }
            }
        }
    }
}

/// Raises the events of a circuit breaker that has opened or closed; `path` is the path of its rule.
pub(crate) fn of_breaker(exchange: &Exchange, path: &str, change: Change) {
    let (kind, message, status) = match change {
        Change::None => return,
        Change::Opened => (EventKind::BreakerTripped, "Breaker Tripped", 0),
        Change::Closed => (EventKind::BreakerReset, "Breaker Reset", 1),
    };
    for kind in [EventKind::BreakerTriggered, kind] {
        if exchange.api.handlers.hear(kind) {
            let event = Event {
                path: path.to_owned(),
                status: Some(status),
                ..event(exchange, kind, message)
            };
            exchange.isolate.raise(&exchange.api, event);
        }
    }
}

fn event(exchange: &Exchange, kind: EventKind, message: &'static str) -> Event {
    let mut path = exchange.request.path.decoded().to_owned();
    path.truncate(path.floor_char_boundary(PATH_MAX));
    let origin = exchange.client_address();
    let key = exchange
        .isolate
        .config()
        .pseudonyms
        .of(&exchange.key_hash());
    Event {
        message,
        path,
        origin: origin.map_or_else(String::new, |address| address.to_string()),
        api_id: exchange.api.definition.api_id.clone(),
        ..Event::of_token(kind, exchange.org(), &key)
    }
}

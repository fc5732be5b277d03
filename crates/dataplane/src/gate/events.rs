//! The events of a request at the gate (reference section 7), for APIs that have handlers.

use super::config::GateConfig;
use super::sessions::Sessions;
use super::{Gatekeeper, Incoming, Passed, Refusal, known, org};
use crate::events::{crossed, of_failure};
use crate::failure::Failure;
use crate::snapshot::Api;
use gatewright_model::session::Session;
use gatewright_protocol::events::{Event, EventKind};
use gatewright_protocol::ledger::Limit;
use gatewright_protocol::token;
use std::cell::RefCell;

/// So much of a path is told, in bytes.
const PATH_MAX: usize = 1024;

/// Raises what a request at the gate is an event of, whether it passes or not. What only looks counts
/// nothing, so it crosses no limit.
pub(super) fn raise<G: Gatekeeper>(
    gate: &G,
    generation: u64,
    api: &Api,
    incoming: &Incoming<'_>,
    (passed, peek): (&Result<Passed, Refusal>, bool),
) {
    let place = (gate.config(), gate.sessions(), generation);
    let raise = |event| {
        let origin = gate.client_address();
        gate.raise(api, Event { origin, ..event });
    };
    match passed {
        Err(refusal) => {
            if let Some(event) = refused(place, api, incoming, refusal.failure) {
                raise(event);
            }
        }
        Ok(passed) if !peek && api.handlers.hear(EventKind::TriggerExceeded) => {
            triggers(place, api, incoming, passed, raise);
        }
        Ok(_) => {}
    }
}

/// The event that a refusal is, if somebody hears of it. Where the request came from is not known here
/// and has to be put in.
#[must_use]
pub fn refused(
    place: (&GateConfig, &RefCell<Sessions>, u64),
    api: &Api,
    incoming: &Incoming<'_>,
    failure: Failure,
) -> Option<Event> {
    let (kind, message) = of_failure(failure).filter(|(kind, _)| api.handlers.hear(*kind))?;
    let mut event = event(place, api, incoming, (kind, message));
    if kind == EventKind::VersionFailure {
        event.reason = failure.message();
    }
    Some(event)
}

/// True if a request with this session may reach a part of its quota that somebody hears of. Who only
/// knows what the Ledger has answered can't tell.
pub(super) fn is_monitored(api: &Api, session: &Session) -> bool {
    !session.trigger_limits.is_empty() && api.handlers.hear(EventKind::TriggerExceeded)
}

fn triggers(
    place: (&GateConfig, &RefCell<Sessions>, u64),
    api: &Api,
    incoming: &Incoming<'_>,
    passed: &Passed,
    raise: impl Fn(Event),
) {
    let known = passed.known.as_ref();
    let Some(session) = known.and_then(|known| known.session.as_ref()) else {
        return;
    };
    for (count, standing) in &passed.counts {
        let Limit::Quota(quota) = count.limit else {
            continue;
        };
        for limit in crossed(&session.trigger_limits, quota.max, standing.remaining) {
            let what = (EventKind::TriggerExceeded, "Quota trigger reached");
            raise(Event {
                trigger_limit: Some(limit),
                ..event(place, api, incoming, what)
            });
        }
    }
}

fn event(
    place: (&GateConfig, &RefCell<Sessions>, u64),
    api: &Api,
    incoming: &Incoming<'_>,
    (kind, message): (EventKind, &'static str),
) -> Event {
    let mut path = incoming.path.to_owned();
    path.truncate(path.floor_char_boundary(PATH_MAX));
    Event {
        message,
        path,
        api_id: api.definition.api_id.clone(),
        ..Event::of_token(kind, org(api, place.0), &hash(place, api, incoming))
    }
}

/// The hash of a request's token: the one it is stored under, or would be. An API without
/// keys has no use for the header that would hold one, so nothing is told about it.
fn hash(
    (config, sessions, generation): (&GateConfig, &RefCell<Sessions>, u64),
    api: &Api,
    incoming: &Incoming<'_>,
) -> String {
    if let Some(hash) = incoming.sent_as {
        return hash.to_owned();
    }
    let carrier = &incoming.carrier;
    let token = api.source.find(carrier).filter(|_| !api.definition.keyless);
    let Some(token) = token else {
        return String::new();
    };
    if let Some(known) = known(sessions, config, (api, generation), &token) {
        return known.hash.clone();
    }
    // A custom id would be stored in the default form, which is the second one that is looked for.
    let hashes = token::candidates(&token, &api.definition.org_id, config.hash);
    let hash = hashes.into_iter().take(2).next_back();
    hash.unwrap_or_default()
}

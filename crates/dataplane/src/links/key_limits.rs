//! Link 20: rate and quota of the key; they are counted together with the other limits. A message is read here at the
//! latest, if the key has rules for messages: its rates depend on it.

use crate::chain::{Compiler, Middleware, Step};
use crate::counters::{Counter, Scope};
use crate::exchange::{Entry, Exchange};
use crate::limits;
use crate::mcp;
use crate::sessions::{Known, Rules};
use gatewright_protocol::ledger::Count;
use gatewright_protocol::sessions::Owner;
use gatewright_protocol::variables::Values;
use std::rc::Rc;

/// The limits of the key.
#[derive(Debug)]
pub struct KeyLimits {
    is_mcp: bool,
}

impl Middleware for KeyLimits {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let on = |name| from.definition.bool(name).unwrap_or_default();
        if on("use_keyless") {
            return None;
        }
        for name in ["disable_rate_limit", "disable_quota"] {
            if on(name) {
                from.origin(format!("/{name}"), "");
            }
        }
        let is_mcp = from.is_mcp();
        Some(Self { is_mcp })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let Some(identity) = exchange.identity.as_ref().filter(|_| !exchange.ignored) else {
            return Step::Next;
        };
        let known = Rc::clone(&identity.known);
        // The message was not read because the proxy has no rules, but the key has some.
        if self.is_mcp
            && rules(exchange, &known).mcp.written.is_some()
            && let Err(step) = mcp::ask_ruled(exchange)
        {
            return step;
        }
        exchange.confirm_others();
        let counts = match exchange.request.entry {
            // A loop only asks whether the session is still valid.
            Entry::Loop { counts: false } => Vec::new(),
            _ => counts(exchange, &known),
        };
        // A request that provides nothing to count under is counted for the key.
        let pattern = known.pattern.as_ref().filter(|_| !counts.is_empty());
        let place = pattern.and_then(|pattern| pattern.place(exchange.org(), &Sent(exchange)));
        let own = Owner::Key.ledger(&known.hash);
        let (own_counts, by_pattern) = match place {
            Some(place) => (Vec::new(), Some((place, counts))),
            None => (counts, None),
        };
        let is_leasable = by_pattern.is_none() && is_leasable(exchange, &known);
        // A derived session is not stored, so nobody could confirm it.
        if !known.is_derived || !own_counts.is_empty() {
            let mut counter = Counter::new(Scope::Key, own, known.revision(), own_counts);
            counter.is_leasable &= is_leasable;
            exchange.count(counter);
        }
        if let Some((place, counts)) = by_pattern {
            let counts = counts.iter().map(|count| place.count(count)).collect();
            let mut counter = Counter::new(Scope::Pattern, place.ledger, None, counts);
            counter.is_leasable = false;
            exchange.count(counter);
        }
        Step::Next
    }
}

/// Whether a lease may admit requests: not for a throttled key, or one whose quota has event thresholds.
fn is_leasable(exchange: &Exchange, known: &Known) -> bool {
    known.session.as_ref().is_none_or(|session| {
        let limit = session.applied(&exchange.api.definition.api_id).limit;
        session.trigger_limits.is_empty() && !limit.is_throttled()
    })
}

fn counts(exchange: &Exchange, known: &Known) -> Vec<Count> {
    let Some(session) = &known.session else {
        return Vec::new();
    };
    let rules = rules(exchange, known);
    let own = match &exchange.rpc {
        Some(message) => message.rates(&rules.mcp),
        None => {
            // Unlike rules of the API, endpoints of a key match behind the listen path only.
            let mut paths = exchange.rule_paths();
            paths.pop();
            let rate = rules.endpoints.rate(&exchange.request.method, &paths);
            rate.into_iter().collect()
        }
    };
    let api_id = &exchange.api.definition.api_id;
    limits::counts(session, api_id, &own, &exchange.api.limits)
}

/// The rules of the key for the API.
fn rules(exchange: &Exchange, known: &Known) -> Rc<Rules> {
    known.rules(
        &exchange.api.definition.api_id,
        exchange.chain.settings.anchors,
    )
}

/// The request values for a pattern. The pattern belongs to the key, so `enable_context_vars` of the API doesn't apply.
struct Sent<'a>(&'a Exchange);

impl Values for Sent<'_> {
    fn context(&self, name: &str) -> Option<String> {
        self.0.request_value(name)
    }

    fn meta(&self, _: &str) -> Option<String> {
        None
    }
}

//! Link 20: rate and quota of the key; they are counted together with the other limits.

use crate::chain::{Compiler, Middleware, Step};
use crate::counters::{Counter, Scope};
use crate::exchange::{Entry, Exchange};
use crate::limits;
use crate::sessions::Known;
use crate::variables::{Escape, Template, Values};
use gatewright_protocol::ledger::{Count, Limit};
use gatewright_protocol::sessions::Owner;
use gatewright_protocol::token::HashFunction;
use std::rc::Rc;

/// The limits of the key.
#[derive(Debug)]
pub struct KeyLimits;

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
        Some(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let Some(identity) = exchange.identity.as_ref().filter(|_| !exchange.ignored) else {
            return Step::Next;
        };
        let known = Rc::clone(&identity.known);
        let counts = match exchange.request.entry {
            // A loop asks only whether the session still holds.
            Entry::Loop { counts: false } => Vec::new(),
            _ => counts(exchange, &known),
        };
        let pattern = pattern_ledger(exchange, &known, &counts);
        let own = Owner::Key.ledger(&known.hash);
        let (own_counts, by_pattern) = match pattern {
            Some(ledger) => (Vec::new(), Some((ledger, counts))),
            None => (counts, None),
        };
        let is_leasable = by_pattern.is_none() && is_leasable(exchange, &known);
        let mut counter = Counter::new(Scope::Key, own, Some(known.revision), own_counts);
        counter.is_leasable = is_leasable;
        exchange.counters.push(counter);
        if let Some((ledger, counts)) = by_pattern {
            let mut counter = Counter::new(Scope::Pattern, ledger, None, counts);
            counter.is_leasable = false;
            exchange.counters.push(counter);
        }
        Step::Next
    }
}

/// False for a key that waits for room, or whose quota raises events on its way.
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
    let api_id = &exchange.api.definition.api_id;
    let rules = known.rules(api_id, exchange.chain.settings.anchors);
    let paths = exchange.rule_paths();
    let endpoint = rules.endpoints.rate(&exchange.request.method, &paths);
    limits::counts(session, api_id, endpoint.as_ref(), &exchange.api.limits)
}

/// The Ledger that counts for a request, where it is not the key's own. Its name is a hash, because the
/// text may be anything that a client sends. Limits with other windows count apart: one must not forget
/// what another has to remember. Whoever sends nothing to count under is counted as the key.
fn pattern_ledger(exchange: &Exchange, known: &Known, counts: &[Count]) -> Option<String> {
    let pattern = known.pattern.as_ref().filter(|_| !counts.is_empty())?;
    let text = Template::parse(pattern).fill(&OfKey(exchange, known), Escape::None);
    if text.is_empty() {
        return None;
    }
    let mut name = exchange.org().to_owned();
    for count in counts {
        let window = match count.limit {
            Limit::Rate(limit) => limit.window_ms,
            Limit::Quota(limit) => limit.window_ms,
        };
        name.push('\n');
        name.push_str(&window.to_string());
    }
    name.push('\n');
    name.push_str(&text);
    Some(format!("pattern:{}", HashFunction::Sha256.hash(&name)))
}

/// The variables of a pattern: it is the key's, so `enable_context_vars` of the API has no say in it.
struct OfKey<'a>(&'a Exchange, &'a Known);

impl Values for OfKey<'_> {
    fn context(&self, name: &str) -> Option<String> {
        match name {
            // Of a token the hash alone.
            "token" => Some(self.1.hash.clone()),
            name => self.0.request_value(name),
        }
    }

    fn meta(&self, name: &str) -> Option<String> {
        self.1.session.as_ref()?.meta(name)
    }
}

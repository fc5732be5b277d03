//! Link 9: the session of the organisation, which applies to all its keys. Its Ledger is asked together with those of
//! other limits, and before any later refusal is sent.

use crate::chain::{Compiler, Middleware, Step};
use crate::counters::{Counter, Scope};
use crate::exchange::{Entry, Exchange};
use crate::failure::{Failure, Reply};
use gatewright_protocol::ledger::Count;
use gatewright_protocol::limits::{quota, rate};
use gatewright_protocol::sessions::Owner;

/// The organisation's session, if it has one.
#[derive(Debug)]
pub struct Organisation;

impl Middleware for Organisation {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        Some(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let counts_here = exchange.request.entry != Entry::Loop { counts: false };
        let is_there = exchange
            .counters
            .iter()
            .any(|counter| counter.scope == Scope::Organisation);
        let org = exchange.org().to_owned();
        if counts_here && !is_there && exchange.isolate.has_session(&org) {
            let counter = counter(exchange, &org);
            exchange.count(counter);
            exchange.note(|| format!("The organisation {org} has a session"));
        }
        Step::Next
    }

    // Whether an organisation has a session doesn't follow from the definition: the driver checks.
    fn is_plain(&self) -> bool {
        true
    }
}

/// The counter for an organisation, with its session as this isolate knows it.
pub(crate) fn counter(exchange: &Exchange, org: &str) -> Counter {
    let known = exchange
        .isolate
        .sessions()
        .borrow_mut()
        .get(&cached(org), 0);
    let session = known.as_ref().and_then(|known| known.session.as_ref());
    let is_inactive = session.is_some_and(|session| session.is_inactive);
    let counts: Vec<Count> = match session {
        Some(session) if !is_inactive => {
            let limit = &session.limit;
            rate(limit.rate, "rate", "")
                .into_iter()
                .chain(quota(limit, ""))
                .collect()
        }
        _ => Vec::new(),
    };
    let revision = known.as_ref().map_or(0, |known| known.revision);
    let ledger = Owner::Organisation.ledger(org);
    let mut counter = Counter::new(Scope::Organisation, ledger, Some(revision), counts);
    counter.refuses = is_inactive.then(|| Reply::from(Failure::OrgInactive));
    counter
}

/// The cache key of an organisation's session.
pub(crate) fn cached(org: &str) -> String {
    format!("org:{org}")
}

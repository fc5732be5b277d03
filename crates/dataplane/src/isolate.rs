//! What a chain asks of the isolate that it runs in; none of it waits.

use crate::config::IdentityConfig;
use crate::leases::Leases;
use crate::proofs::Proofs;
use crate::sessions::Sessions;
use crate::snapshot::Api;
use crate::upstreams::{Answers, Upstreams};
use gatewright_protocol::events::Event;
use gatewright_protocol::ledger::{Consume, Verdict};
use std::cell::RefCell;
use std::rc::Rc;

/// How a counter was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By a call of its Ledger.
    Call,
    /// Directly: the Ledger's object lives in this isolate.
    Direct,
    /// Not at all: by a lease, or as a request a moment ago.
    Lease,
}

/// What counting without a call comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Direct {
    /// The object that lives here has answered.
    Answered(Verdict),
    /// It lives here and has to be called this time.
    Call,
    /// It lives elsewhere, as far as is known here.
    Elsewhere,
}

/// What a Ledger was asked.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Its name.
    pub ledger: &'a str,
    /// The question.
    pub ask: &'a Consume,
    /// How.
    pub way: Way,
}

/// An isolate, as its chains see it.
pub trait Isolate {
    /// Unix milliseconds.
    fn now_ms(&self) -> u64;
    /// The sessions that this isolate has met.
    fn sessions(&self) -> &RefCell<Sessions>;
    /// The credentials that were proved in this isolate.
    fn proofs(&self) -> &RefCell<Proofs>;
    /// What tokens are checked by besides definitions ([`crate::publication::Publication::trust`]).
    fn trust(&self) -> (u64, Rc<str>);
    /// True if an organisation has a session.
    fn has_session(&self, org: &str) -> bool;
    /// How keys are recognised.
    fn config(&self) -> &IdentityConfig;
    /// What this isolate may admit without asking.
    fn leases(&self) -> &RefCell<Leases>;
    /// What is known of upstreams from one request to the next.
    fn upstreams(&self) -> &RefCell<Upstreams>;
    /// What others have answered about upstreams.
    fn answers(&self) -> &RefCell<Answers>;
    /// Counts at the Ledger of this name without a call, if its object lives in this isolate and may be
    /// counted on directly.
    fn count_directly(&self, ledger: &str, ask: &Consume) -> Direct;
    /// Hears how a Ledger has answered about a request to an API, and how it was asked.
    fn counted(&self, api_id: &str, asked: Asked<'_>, verdict: &Verdict);
    /// Hears that a request to an API, which the cache is for, goes to the upstream.
    fn missed(&self, api_id: &str);
    /// Tells the handlers of an API of an event; nobody waits for that.
    fn raise(&self, api: &Api, event: Event);
}

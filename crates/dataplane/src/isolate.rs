//! The isolate as a chain sees it; no call waits.

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
pub enum AskedVia {
    /// By a call to its Ledger.
    Call,
    /// Directly: the Ledger's object lives in this isolate.
    Direct,
    /// Without asking: by a lease, or by the answer to a request moments ago.
    Lease,
}

/// The result of trying to count without a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Direct {
    /// The object lives here and has answered.
    Answered(Verdict),
    /// It lives here but has to be called this time.
    Call,
    /// It lives elsewhere, as far as this isolate knows.
    Elsewhere,
}

/// A question to a Ledger.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The Ledger's name.
    pub ledger: &'a str,
    /// The question.
    pub ask: &'a Consume,
    /// How it was asked.
    pub via: AskedVia,
}

/// The port through which chains use their isolate.
pub trait Isolate {
    /// The current time in Unix milliseconds.
    fn now_ms(&self) -> u64;
    /// The sessions that this isolate knows.
    fn sessions(&self) -> &RefCell<Sessions>;
    /// The credentials that were verified in this isolate.
    fn proofs(&self) -> &RefCell<Proofs>;
    /// The published settings that tokens are checked against besides definitions, with the version of their list
    /// ([`crate::publication::Publication::trust`]).
    fn trust(&self) -> (u64, Rc<str>);
    /// Whether an organisation has a session.
    fn has_session(&self, org: &str) -> bool;
    /// The settings for recognising keys.
    fn config(&self) -> &IdentityConfig;
    /// The leases by which this isolate admits requests without asking.
    fn leases(&self) -> &RefCell<Leases>;
    /// What is known about upstreams across requests.
    fn upstreams(&self) -> &RefCell<Upstreams>;
    /// Answers of other servers about upstreams: targets and tokens.
    fn answers(&self) -> &RefCell<Answers>;
    /// Counts without a call at the Ledger with this name, if its object lives in this isolate and allows it.
    fn count_directly(&self, ledger: &str, ask: &Consume) -> Direct;
    /// Records a Ledger's answer for a request to an API, and how it was asked.
    fn counted(&self, api_id: &str, asked: Asked<'_>, verdict: &Verdict);
    /// Records that a cacheable request to an API goes to the upstream.
    fn missed(&self, api_id: &str);
    /// Notifies the handlers of an API about an event, without waiting.
    fn raise(&self, api: &Api, event: Event);
}

//! What a chain asks of the isolate that it runs in; none of it waits.

use crate::config::IdentityConfig;
use crate::sessions::Sessions;
use crate::snapshot::Api;
use gatewright_protocol::events::Event;
use gatewright_protocol::ledger::{Consume, Verdict};
use std::cell::RefCell;

/// What a Ledger was asked.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Its name.
    pub ledger: &'a str,
    /// The question.
    pub ask: &'a Consume,
    /// Whether that took a call.
    pub is_call: bool,
}

/// An isolate, as its chains see it.
pub trait Isolate {
    /// Unix milliseconds.
    fn now_ms(&self) -> u64;
    /// The sessions that this isolate has met.
    fn sessions(&self) -> &RefCell<Sessions>;
    /// True if an organisation has a session.
    fn has_session(&self, org: &str) -> bool;
    /// How keys are recognised.
    fn config(&self) -> &IdentityConfig;
    /// Counts at the Ledger of this name without a call, if its object lives in this isolate and may be
    /// counted on directly; `None` if it has to be called.
    fn count_directly(&self, ledger: &str, ask: &Consume) -> Option<Verdict>;
    /// Hears how a Ledger has answered about a request to an API, and how it was asked.
    fn counted(&self, api_id: &str, asked: Asked<'_>, verdict: &Verdict);
    /// Tells the handlers of an API of an event; nobody waits for that.
    fn raise(&self, api: &Api, event: Event);
}

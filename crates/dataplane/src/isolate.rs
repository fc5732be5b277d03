//! What a chain asks of the isolate that it runs in; none of it waits.

use crate::config::IdentityConfig;
use crate::sessions::Sessions;
use crate::snapshot::Api;
use gatewright_protocol::events::Event;
use std::cell::RefCell;

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
    /// Tells the handlers of an API of an event; nobody waits for that.
    fn raise(&self, api: &Api, event: Event);
}

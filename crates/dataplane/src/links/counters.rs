//! The end of the limits: all Ledgers that a request has to ask are asked here, together.

use crate::chain::{Compiler, Middleware, Need, Step};
use crate::counters::State;
use crate::exchange::Exchange;

/// Asks the Ledgers.
#[derive(Debug)]
pub struct Counters;

impl Middleware for Counters {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        Some(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let is_pending = exchange
            .counters
            .iter()
            .any(|counter| counter.state == State::Pending);
        if is_pending {
            Step::Need(Need::Counters)
        } else {
            Step::Next
        }
    }

    // Without a counter there is nobody to ask.
    fn is_plain(&self) -> bool {
        true
    }
}

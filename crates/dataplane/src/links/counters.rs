//! The last of the limits: asks all Ledgers that a request depends on, together.

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

    // Without counters nothing is asked.
    fn is_plain(&self) -> bool {
        true
    }
}

//! How a request that a circuit breaker let through has ended, and what that makes of the breaker.

use super::events::of_breaker;
use super::{Next, Run, Wanted};
use crate::exchange::Passed;
use crate::upstreams::{Change, End, Known};

impl Run {
    /// Reports the end of the request to its breaker, if it has passed one; the answer has to wait for what is
    /// asked for.
    pub(super) fn report(&mut self, failed: bool) -> Option<Next> {
        let exchange = &mut self.exchange;
        let passed = exchange.breaker.take()?;
        let end = match (failed, passed.is_trial) {
            (true, _) => End::Failed,
            (false, true) => End::Tried,
            (false, false) => End::Passed,
        };
        let (isolate, Passed { key, rule, .. }) = (&exchange.isolate, &passed);
        let now = isolate.now_ms();
        let known = isolate.upstreams().borrow_mut().ended(key, *rule, end, now);
        match known {
            Known::Now(change) => {
                self.breaker_changed(&passed, change);
                None
            }
            Known::Ask(message) => {
                exchange.breaker = Some(passed);
                Some(Next::Need(Wanted::Upstreams(message)))
            }
        }
    }

    /// The same with the answer.
    pub(super) fn reported(&mut self, answer: Option<&str>) {
        let exchange = &mut self.exchange;
        if let Some(passed) = exchange.breaker.take() {
            let mut upstreams = exchange.isolate.upstreams().borrow_mut();
            let change = upstreams.ended_answered(&passed.key, answer);
            drop(upstreams);
            self.breaker_changed(&passed, change);
        }
    }

    fn breaker_changed(&mut self, passed: &Passed, change: Change) {
        let words = match change {
            Change::None => return,
            Change::Opened => "The circuit breaker has opened",
            Change::Closed => "The circuit breaker has closed",
        };
        self.exchange.note(|| words.to_owned());
        of_breaker(&self.exchange, &passed.path, change);
    }
}

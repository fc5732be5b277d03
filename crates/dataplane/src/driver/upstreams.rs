//! Reports how a request admitted by circuit breakers ended.

use super::events::of_breaker;
use super::{Next, Run, Wanted};
use crate::exchange::Passed;
use crate::upstreams::{Change, End, Known};

impl Run {
    /// Reports the end of the request to the breakers it passed. If one has to be asked by message, returns that
    /// request; it and the remaining breakers stay queued until the reply.
    pub(super) fn report(&mut self, failed: bool) -> Option<Next> {
        while let Some(passed) = self.exchange.breakers.pop() {
            let end = match (failed, passed.is_trial) {
                (true, _) => End::Failed,
                (false, true) => End::Tried,
                (false, false) => End::Passed,
            };
            let (isolate, Passed { key, rule, .. }) = (&self.exchange.isolate, &passed);
            let now = isolate.now_ms();
            let known = isolate.upstreams().borrow_mut().ended(key, *rule, end, now);
            match known {
                Known::Now(change) => self.breaker_changed(&passed, change),
                Known::Ask(message) => {
                    self.exchange.breakers.push(passed);
                    return Some(Next::Need(Wanted::Upstreams(message)));
                }
            }
        }
        None
    }

    /// Takes the reply about the breaker that was asked.
    pub(super) fn reported(&mut self, answer: Option<&str>) {
        let exchange = &mut self.exchange;
        if let Some(passed) = exchange.breakers.pop() {
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
        self.exchange.remark(words);
        of_breaker(&self.exchange, &passed.path, change);
    }
}

#[cfg(test)]
mod tests;

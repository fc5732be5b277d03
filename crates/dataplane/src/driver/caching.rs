//! Answers served from and stored in the cache.

use super::{Next, Run, Waiting, Wanted};
use crate::caching::{self, Aim, Caching, Keep, Place, Reuse, Then};
use crate::chain::Link;
use crate::chain::trace::{Outcome as Ended, Phase};
use crate::headers::HeaderSource;

impl Run {
    /// Requests the cache lookup that the current link needs.
    pub(super) fn look_up(&self) -> Next {
        let place = match &self.exchange.caching {
            Some(Caching {
                place,
                aim: Aim::Answer(asking),
                ..
            }) => Place {
                key: asking.key.clone(),
                ..place.clone()
            },
            _ => Place::default(),
        };
        Next::Need(Wanted::Cached(place))
    }

    /// Answers from the cache. Limit headers show the current request's standing, and edits that apply to every answer
    /// are made (reference 3.13).
    pub(super) fn reuse(&mut self, link: &Link, mut reuse: Reuse) -> Next {
        let status = reuse.status;
        self.exchange.note(|| format!("out of the cache, {status}"));
        self.end(link, Ended::Answered);
        reuse.answer.append(&mut self.exchange.own_edits());
        if reuse.then == Some(Then::Renew) {
            self.waiting = Waiting::Renewal;
        }
        Next::Reuse(Box::new(reuse))
    }

    /// Continues after a cached answer was sent, to fetch a fresh one.
    pub(super) fn renew(&mut self) -> Next {
        self.renews = true;
        self.at = self.at.saturating_add(1);
        self.links()
    }

    /// The hashed cache address ([`Place::url`]) of a URL that an answer refers to; `None` if its answers can't be
    /// cached.
    #[must_use]
    pub fn cache_address(&self, path: &str, query: &str) -> Option<String> {
        caching::address_of(&self.exchange, path, query)
    }

    /// The cached answer to use in place of an upstream response with this status; `None` as the status means that the
    /// upstream didn't respond.
    pub(super) fn instead(&mut self, status: Option<u16>) -> Option<Next> {
        let mut reuse = caching::instead(&self.exchange, status)?;
        self.exchange.remark("the answer that is kept");
        self.end_step("cache", Phase::Response, Ended::Passed);
        reuse.answer.append(&mut self.exchange.own_edits());
        Some(Next::Reuse(Box::new(reuse)))
    }

    /// Decides how the cache treats the upstream's answer after all rules, given its status and headers. `asked_ms` is
    /// when it was requested, in Unix milliseconds. With `of_get` it answers the GET that corresponds to a HEAD.
    #[must_use]
    pub fn keep(
        &self,
        (status, headers): (u16, &dyn HeaderSource),
        asked_ms: u64,
        of_get: bool,
    ) -> Option<Keep> {
        let now = self.exchange.isolate.now_ms();
        caching::keep(&self.exchange, (status, headers), (asked_ms, now), of_get)
    }

    /// Checks with the answer to a HEAD whether the cached answer to the GET is still valid (RFC 9111 section 4.3.5).
    /// Returns `holds` if it is, so that its headers are updated, and `forget` if not. If several answers are cached
    /// for the address, it returns the key of the one to check instead.
    #[must_use]
    pub fn check_get(&self, noted: &str, answer: (u16, &dyn HeaderSource)) -> Option<String> {
        caching::check_get(&self.exchange, noted, answer)
    }
}

#[cfg(test)]
mod tests;

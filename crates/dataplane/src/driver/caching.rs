//! Answers out of the cache, and into it.

use super::{Next, Run, Waiting, Wanted};
use crate::caching::{self, Aim, Caching, Keep, Place, Reuse, Then};
use crate::chain::Link;
use crate::chain::trace::{Outcome as Ended, Phase};
use crate::headers::HeaderSource;

impl Run {
    /// Looks for what the link at hand asks for.
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

    /// Answers with what the cache has. The limits that have counted the request are those of now, and so is
    /// what is changed about every answer (reference 3.13).
    pub(super) fn reuse(&mut self, link: &Link, mut reuse: Reuse) -> Next {
        let status = reuse.status;
        self.exchange.note(|| format!("out of the cache, {status}"));
        self.end(link, Ended::Answered);
        let exchange = &self.exchange;
        let own = exchange.limits_answer.iter().chain(&exchange.every_answer);
        reuse.answer.extend(own.cloned());
        if reuse.then == Some(Then::Renew) {
            self.waiting = Waiting::Renewal;
        }
        Next::Reuse(Box::new(reuse))
    }

    /// Goes on behind the answer, which came out of the cache, to get another one for it.
    pub(super) fn renew(&mut self) -> Next {
        self.renews = true;
        self.at = self.at.saturating_add(1);
        self.links()
    }

    /// The address that an answer to the request names beside its own, hashed as one of those that are kept
    /// ([`Place::url`]); `None` for one that can't be kept.
    #[must_use]
    pub fn named(&self, path: &str, query: &str) -> Option<String> {
        caching::named(&self.exchange, path, query)
    }

    /// What is kept, if it is the answer instead of what the upstream says with this status; none stands for
    /// an upstream that says nothing.
    pub(super) fn instead(&mut self, status: Option<u16>) -> Option<Next> {
        let mut reuse = caching::instead(&self.exchange, status)?;
        self.exchange.note(|| "the answer that is kept".to_owned());
        self.end_step("cache", Phase::Response, Ended::Passed);
        let exchange = &self.exchange;
        let own = exchange.limits_answer.iter().chain(&exchange.every_answer);
        reuse.answer.extend(own.cloned());
        Some(Next::Reuse(Box::new(reuse)))
    }

    /// What becomes of the upstream's answer behind all rules, with this status and these headers. It was
    /// asked for at this time, Unix milliseconds. With `of_get` it is the answer to the GET beside a HEAD.
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

    /// What the answer to a HEAD says about the answer to a GET that is kept ([`caching::said_of_get`]).
    #[must_use]
    pub fn said_of_get(&self, noted: &str, answer: (u16, &dyn HeaderSource)) -> Option<String> {
        caching::said_of_get(&self.exchange, noted, answer)
    }
}

#[cfg(test)]
mod tests;

//! What extras make of the upstream's answer, one after the other, before the rules for errors see it.

use super::{Next, Run, UpstreamAnswer, Waiting, Wanted};
use crate::chain::trace::{Outcome as Ended, Phase};
use crate::extras::{AnswerCall, Extracted};
use std::rc::Rc;

/// A call about the answer that has been made.
#[derive(Debug)]
pub(super) struct Extracting {
    /// The index of the link that has asked.
    link: usize,
    /// The index of its rule.
    rule: usize,
    /// The status of the answer.
    status: u16,
}

impl Run {
    /// The next call about the answer of this status; none if all have been made, or if it has no body
    /// (RFC 9110 section 6.4.1).
    pub(super) fn ask_of_answer(&mut self, status: u16) -> Option<Next> {
        let has_body = self.exchange.sent_method() != "HEAD"
            && status >= 200
            && !matches!(status, 204 | 205 | 304);
        if !has_body {
            self.answer_calls.clear();
        }
        let next = self.answer_calls.pop_front()?;
        self.waiting = Waiting::Answer(Extracting {
            link: next.link,
            rule: next.call.rule,
            status,
        });
        Some(Next::Need(Wanted::Extra(Box::new(next.call))))
    }

    /// Gives a link what came of its call, and goes on with the next.
    pub(super) fn extracted(&mut self, about: &Extracting, extracted: Extracted) -> Next {
        let chain = Rc::clone(&self.exchange.chain);
        if let Some(link) = chain.links.get(about.link) {
            self.exchange.asked_rule = about.rule;
            let taken = link.answered(&mut self.exchange, extracted);
            let outcome = match taken {
                Ok(()) => Ended::Passed,
                Err(_) => Ended::Refused,
            };
            self.end_step(link.name(), Phase::Response, outcome);
            if let Err(failure) = taken {
                return self.failed(failure);
            }
        }
        // What a link has asked instead comes before the calls of the links behind it.
        let again = std::mem::take(&mut self.exchange.answer_calls);
        for call in again.into_iter().rev() {
            let link = about.link;
            self.answer_calls.push_front(AnswerCall { link, call });
        }
        let status = about.status;
        self.ask_of_answer(status)
            .unwrap_or_else(|| self.passed(&UpstreamAnswer { status, body: None }))
    }
}

//! Runs extras over the upstream's answer, one after the other, before the error rules see it.

use super::{Next, Run, UpstreamAnswer, Waiting, Wanted};
use crate::chain::trace::{Outcome as Ended, Phase};
use crate::extras::{AnswerCall, Extracted};
use std::rc::Rc;

/// A call about the answer that is under way.
#[derive(Debug)]
pub(super) struct Extracting {
    /// The index of the calling link.
    link: usize,
    /// The index of its rule.
    rule: usize,
    /// The status of the answer.
    status: u16,
}

impl Run {
    /// The next call about an answer with this status; `None` if all have been made or it has no body (RFC 9110 section
    /// 6.4.1).
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

    /// Hands the result of a call to its link and continues with the next call.
    pub(super) fn extracted(&mut self, about: &Extracting, extracted: Extracted) -> Next {
        let chain = Rc::clone(&self.exchange.chain);
        if let Some(link) = chain.links.get(about.link) {
            self.exchange.extra_rule = about.rule;
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
        // Calls made in its place precede those of later links.
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

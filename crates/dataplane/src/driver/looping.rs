//! Requests that go from one chain to another, or again to the beginning of their own (reference 3.12).

use super::{Next, Run};
use crate::chain::{Loop, trace};
use crate::exchange::{Entry, Exchange, Place, Request, Route};
use crate::failure::Reply;
use crate::loops;
use std::rc::Rc;

impl Run {
    /// Sends the request to the chain that a link names.
    pub(super) fn enter_loop(&mut self, to: &Loop) -> Next {
        if let Err(reply) = self.depth.enter(to) {
            return self.lost(reply);
        }
        let old = &mut self.exchange;
        let api = match to.api.as_str() {
            "self" => Some(Rc::clone(&old.api)),
            name => old.snapshot.loop_target(name).cloned(),
        };
        let Some(api) = api.filter(|api| api.definition.active) else {
            return self.lost(Reply::from(to.missing));
        };
        let path = match loops::request_path(to) {
            Ok(path) => path,
            Err(failure) => return self.lost(Reply::from(failure)),
        };
        let request = Request {
            method: to
                .method
                .clone()
                .unwrap_or_else(|| old.sent_method().to_owned()),
            path,
            query: to.query.clone(),
            headers: old.request.headers.with(old.headers().clone()),
            entry: Entry::Loop { counts: to.counts },
            ..old.request.clone()
        };
        let place = Place {
            snapshot: Rc::clone(&old.snapshot),
            isolate: Rc::clone(&old.isolate),
            api,
            chain: 0,
        };
        let mut exchange = Exchange::new(request, Route::default(), place);
        exchange.trace = old.trace.take();
        exchange.body = std::mem::take(&mut old.body);
        exchange.every_answer = std::mem::take(&mut old.every_answer);
        // Of the answer's rules those of the inner chain alone are in force; how the limits stand that
        // have counted the request is no rule.
        exchange.limits_answer = std::mem::take(&mut old.limits_answer);
        let words = format!("To {}, {}", exchange.api.definition.name, to.address());
        exchange.note(|| words);
        self.exchange = exchange;
        self.end_step("loop", trace::Phase::Request, trace::Outcome::Passed);
        self.at = 0;
        match self.enter() {
            Ok(()) => self.links(),
            Err(failure) => self.finish(Reply::from(failure)),
        }
    }

    /// Answers a request that can't go on at the end of a loop.
    fn lost(&mut self, reply: Reply) -> Next {
        if let Reply::Failure(refusal) = &reply {
            self.exchange.note(|| refusal.message.to_string());
        }
        self.end_step("loop", trace::Phase::Request, trace::Outcome::Refused);
        self.finish(reply)
    }
}

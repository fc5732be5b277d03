//! The driver of the chain: one state machine for single requests, batch items, debugged requests and loops.
//!
//! The promise: decisions follow the order of the chain, and the driver itself never waits. [`Run::advance`] returns
//! what is needed next ([`Wanted`]) and is called again with the result ([`Given`]), until the request is sent or
//! answered. A link's refusal takes effect only if the Ledger confirms the session it was based on, and after the
//! limits of the preceding links have been counted; both are asked for at once.

mod caching;
mod counting;
pub mod directive;
mod events;
mod extracting;
mod failed;
mod looping;
mod routing;
mod sending;
mod sessions;
mod steps;
#[cfg(test)]
mod tests;
mod upstreams;
mod versions;
mod wanted;

pub(crate) use events::of_breaker;
pub use failed::Failed;
pub use routing::{
    METADATA, OwnRoute, Routed, is_batch, is_plain, metadata_of, own_route, plain, plain_url,
    resource_metadata_of, route,
};
pub use sending::{Inspect, Override, Sending, UpstreamAnswer};
pub use wanted::{Counted, Given, Next, Purpose, Wanted};

use crate::chain::trace::{Outcome as Ended, Phase, Trace};
use crate::chain::{Link, Need, Step};
use crate::counters::{Counter, Scope, State};
use crate::exchange::{Body, Exchange, Request, Route, RunContext};
use crate::extras::{AnswerCall, Extracted};
use crate::failure::{Failure, Reply};
use crate::isolate::Isolate;
use crate::links::cors;
use crate::links::resource_metadata::ResourceMetadata;
use crate::loops::Depth;
use crate::router::Match;
use crate::snapshot::{Api, Snapshot};
use crate::versions::TRACE_NAME;
use extracting::Extracting;
use std::collections::VecDeque;
use std::rc::Rc;

/// What the driver is waiting for.
#[derive(Debug)]
enum Waiting {
    /// Nothing.
    No,
    /// Input that the current link needs.
    Link,
    /// Counters; if none of them refuses, this reply follows.
    Counters(Option<Reply>),
    /// Counters that take back what they counted; then this reply, or if `None`, another decision.
    GivenBack(Option<Reply>),
    /// The end of a throttled key's pause.
    Throttle,
    /// The upstream.
    Upstream,
    /// A breaker's answer to how the request ended; the payload is that end.
    Reported(Result<UpstreamAnswer, Failure>),
    /// An extra's result for the upstream's answer.
    Answer(Extracting),
    /// The client to be sent the cached answer; then a fresh one is fetched.
    Renewal,
}

/// A request passing through the driver.
#[derive(Debug)]
pub struct Run {
    /// The request's state as the chain sees it.
    pub exchange: Exchange,
    /// Why the request runs through the chain.
    purpose: Purpose,
    /// The index of the current link.
    at: usize,
    waiting: Waiting,
    /// How many times a session turned out to be out of date, each time because of a concurrent write.
    attempts: u32,
    /// How many times a throttled key has waited.
    retries: i64,
    /// The nesting depth of loops.
    depth: Depth,
    /// The id of the API that the request first reached; figures are recorded under it.
    pub counted_as: String,
    /// The method sent by the client.
    asked_method: String,
    /// The link that has answered, until the session behind its decision is confirmed.
    ending: Option<(&'static str, Ended)>,
    /// The error the request was answered with.
    pub failure: Option<Failure>,
    /// Calls to extras about the upstream's answer that are still to be made.
    answer_calls: VecDeque<AnswerCall>,
    /// Whether the client already has an answer from the cache and this run fetches the next one, which is not counted.
    renews: bool,
}

impl Run {
    /// Starts a run for a request to an API, at the head of its chain.
    #[must_use]
    pub fn new(
        snapshot: &Rc<Snapshot>,
        isolate: &Rc<dyn Isolate>,
        found: &Match<Api>,
        request: Request,
        trace: Option<Trace>,
    ) -> Self {
        let context = RunContext {
            snapshot: Rc::clone(snapshot),
            isolate: Rc::clone(isolate),
            api: Rc::clone(&found.api),
            chain: 0,
        };
        let route = Route {
            listen: found.listen,
            by_id: found.by_id,
            ..Route::default()
        };
        let asked_method = request.method.clone();
        let mut exchange = Exchange::new(request, route, context);
        exchange.trace = trace;
        Self {
            counted_as: found.api.definition.api_id.clone(),
            exchange,
            purpose: Purpose::Serve,
            at: 0,
            waiting: Waiting::No,
            attempts: 0,
            retries: 0,
            depth: Depth::default(),
            asked_method,
            ending: None,
            failure: None,
            answer_calls: VecDeque::new(),
            renews: false,
        }
    }

    /// Sets the purpose of the run.
    #[must_use]
    pub fn for_purpose(mut self, purpose: Purpose) -> Self {
        self.purpose = purpose;
        self
    }

    /// Continues with the result of what was wanted.
    pub fn advance(&mut self, given: Given) -> Next {
        match (std::mem::replace(&mut self.waiting, Waiting::No), given) {
            (Waiting::No, Given::Start) => self.start(),
            (Waiting::Link, Given::Body(body)) => {
                self.exchange.body = body.map_or(Body::TooLarge, Body::Read);
                self.links()
            }
            (Waiting::Link, Given::Extra(extracted)) => {
                let replaced = matches!(&extracted, Extracted::Report { replaced: true, .. });
                self.exchange.body_replaced |= replaced;
                self.exchange.extracted = Some(extracted);
                self.links()
            }
            (Waiting::Link, Given::Proof(report)) => {
                self.exchange.proof = Some(report);
                self.links()
            }
            (Waiting::Answer(calls), Given::Extra(extracted)) => self.extracted(&calls, extracted),
            (Waiting::Link, Given::Session(found)) => self.found(found),
            (Waiting::Link, Given::Cached(noted)) => {
                self.exchange.found(noted.as_deref());
                self.links()
            }
            (Waiting::Counters(reply), Given::Counters(answers)) => self.counted(answers, reply),
            (Waiting::GivenBack(Some(reply)), Given::Counters(_)) => self.finish(reply),
            (Waiting::GivenBack(None), Given::Counters(_)) => self.links(),
            (Waiting::Renewal, Given::Time) => self.renew(),
            (Waiting::Throttle, Given::Time) => self.ask_counters(None),
            (Waiting::Link, Given::Upstreams(answer)) => {
                self.exchange.upstreams_answer = Some(answer);
                self.links()
            }
            (Waiting::Reported(end), Given::Upstreams(answer)) => {
                self.reported(answer.as_deref());
                match end {
                    Ok(answer) => self.upstream(answer),
                    Err(failure) => self.failed(failure),
                }
            }
            (Waiting::Upstream, Given::Upstream(answer)) => self.upstream(answer),
            (Waiting::Upstream, Given::Failed(failure)) => self.failed(failure),
            // The adapter always gives what was wanted; anything else is a bug in it, and the request is refused.
            (_, Given::Failed(failure)) => self.finish(Reply::from(failure)),
            _ => self.finish(Reply::from(Failure::LimitsUnavailable)),
        }
    }

    /// Runs the links, starting with the current one.
    fn links(&mut self) -> Next {
        let chain = Rc::clone(&self.exchange.chain);
        if self.at == 0 {
            let left = cors::left_from(&chain, &self.exchange.request.method);
            self.at = left.unwrap_or_default();
        }
        while let Some(link) = chain.links.get(self.at) {
            if !self.concerns(link) {
                self.at = self.at.saturating_add(1);
                continue;
            }
            let is_choice = !chain.alternatives.is_empty() && link.is_auth();
            let step = match is_choice {
                true => chain.alternatives.request(&chain.links, &mut self.exchange),
                false => link.request(&mut self.exchange),
            };
            match step {
                Step::Next => {
                    self.end(link, Ended::Passed);
                    self.at = self.at.saturating_add(1);
                    // The alternatives have run all auth links.
                    while is_choice && chain.links.get(self.at).is_some_and(Link::is_auth) {
                        self.at = self.at.saturating_add(1);
                    }
                }
                Step::Send => {
                    self.end(link, Ended::Passed);
                    let proxy = chain.links.iter().position(Link::is_proxy);
                    self.at = proxy
                        .unwrap_or(chain.links.len())
                        .max(self.at.saturating_add(1));
                }
                Step::Need(need) => return self.need(need),
                Step::Reuse(reuse) => return self.reuse(link, reuse),
                Step::Loop(to) => {
                    self.end(link, Ended::Passed);
                    return self.enter_loop(&to);
                }
                Step::Reply(reply) => return self.replied(link, reply),
            }
        }
        self.after_links()
    }

    /// Asks for what the current link needs.
    fn need(&mut self, need: Need) -> Next {
        let wanted = match need {
            Need::Counters => return self.ask_counters(None),
            Need::Cached => {
                self.waiting = Waiting::Link;
                return self.look_up();
            }
            Need::Body { max } => Wanted::Body { max },
            Need::Session { hashes } => Wanted::Session { hashes },
            Need::Upstreams(message) => Wanted::Upstreams(message),
            Need::Extra(call) => Wanted::Extra(call),
            Need::Proof(call) => Wanted::Proof(call),
        };
        self.waiting = Waiting::Link;
        Next::Need(wanted)
    }

    /// Ends the chain with the reply of a link.
    fn replied(&mut self, link: &Link, mut reply: Reply) -> Next {
        let outcome = match &mut reply {
            Reply::Failure(refusal) => {
                if link.is_auth()
                    && let Some(metadata) = ResourceMetadata::of(&self.exchange.chain)
                {
                    metadata.challenge(&self.exchange, refusal);
                }
                self.exchange.remark(&refusal.message);
                Ended::Refused
            }
            Reply::Answer(_) => Ended::Answered,
        };
        self.ending = Some((link.name(), outcome));
        self.reply(reply)
    }

    /// Does what the run is for, once all links have passed.
    fn after_links(&mut self) -> Next {
        match self.purpose {
            Purpose::Serve => self.send(),
            Purpose::Standing => self.show_standing(),
            Purpose::Refuse(failure) => {
                self.exchange.remark(failure.message());
                self.end_step(TRACE_NAME, Phase::Request, Ended::Refused);
                self.finish(Reply::from(failure))
            }
        }
    }

    /// Whether a link takes part, given the purpose of the run.
    fn concerns(&self, link: &Link) -> bool {
        match self.purpose {
            Purpose::Serve => true,
            Purpose::Standing => link.concerns_standing(),
            // A message gets its answer as a message.
            Purpose::Refuse(_) => matches!(link, Link::McpMessage(_)),
        }
    }

    /// Answers, once the counters of the preceding links have been asked and the session is confirmed.
    fn reply(&mut self, reply: Reply) -> Next {
        let exchange = &mut self.exchange;
        let counters = &exchange.counters;
        let confirmed = counters.iter().any(|counter| counter.scope == Scope::Key);
        if !confirmed
            && matches!(reply, Reply::Failure(_))
            && let Some((_, known)) = exchange.decided_with()
            && let revision @ Some(_) = known.revision()
        {
            let ledger = gatewright_protocol::sessions::Owner::Key.ledger(&known.hash);
            let mut counter = Counter::new(Scope::Key, ledger, revision, Vec::new());
            counter.refuses = Some(reply.clone());
            exchange.count(counter);
        }
        if matches!(reply, Reply::Failure(_)) {
            exchange.confirm_others();
        }
        let pending = |counter: &Counter| counter.state == State::Pending;
        if exchange.counters.iter().any(pending) {
            return self.ask_counters(Some(reply));
        }
        self.end_reply(None);
        self.finish(reply)
    }
}

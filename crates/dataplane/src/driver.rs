//! The driver of the chain: one state machine for a single request, an item of a batch, a debugged
//! request and a loop.
//!
//! The promise: it decides in the order of the chain and waits for nothing itself. [`Run::advance`] says
//! what is needed ([`Wanted`]) and is called again with what came of it ([`Given`]), until the request is
//! sent or answered. A refusal of a link holds only if the Ledger confirms the session it was decided with,
//! and after the limits of the links before it have been counted; both are asked at once.

mod counting;
pub mod directive;
mod looping;
mod routing;
mod sending;
#[cfg(test)]
mod tests;

pub use routing::{OwnRoute, Routed, is_batch, is_plain, own_route, plain, plain_url, route};
pub use sending::{Inspect, Override, Sending, UpstreamAnswer};

use crate::chain::trace::{Outcome as Ended, Phase, Trace};
use crate::chain::{Link, Need, Step};
use crate::counters::{Counter, Scope, State};
use crate::exchange::{Body, Exchange, Lookup, Place, Request, Route};
use crate::failure::{Answer, Failure, Reply};
use crate::identity::{Identity, Stored};
use crate::isolate::Isolate;
use crate::loops::Depth;
use crate::router::Match;
use crate::sessions::Known;
use crate::snapshot::{Api, Snapshot};
use crate::versions::{Choice, Serves, Strip, TRACE_NAME};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::{Consume, Verdict};
use std::rc::Rc;

/// What the adapter has to do next.
#[derive(Debug)]
pub enum Next {
    /// Get this and call again.
    Need(Wanted),
    /// Send the request.
    Send(Box<Sending>),
    /// Answer the client.
    Answer(Answer),
    /// Pass the upstream's answer on as it is.
    Pass,
    /// Pass the upstream's answer on with these changes.
    Override(Box<Override>),
}

/// What a request needs before it can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Its body, if it has no more than so many bytes.
    Body {
        /// The most bytes.
        max: usize,
    },
    /// The answers of these Ledgers, asked at once.
    Counters(Vec<(String, Consume)>),
    /// The session that is stored under the first of these hashes that there is.
    Session {
        /// The hashes.
        hashes: Vec<String>,
    },
    /// That so many milliseconds pass.
    Time {
        /// Milliseconds.
        ms: u64,
    },
    /// The beginning of the upstream's body, as a text.
    UpstreamBody {
        /// The most bytes.
        max: usize,
    },
}

/// What a Ledger has answered: its verdict, and the text of a newer session; nothing if it can't be asked.
pub type Counted = Option<(Verdict, String)>;

/// What has come of what was wanted.
#[derive(Debug)]
pub enum Given {
    /// The beginning.
    Start,
    /// The body; `None` if it is longer than was asked for.
    Body(Option<Vec<u8>>),
    /// The Ledgers' answers, in the order of the questions.
    Counters(Vec<Counted>),
    /// The session, if there is one.
    Session(Result<Option<Stored>, StoreError>),
    /// The time has passed.
    Time,
    /// The upstream has answered.
    Upstream(UpstreamAnswer),
    /// The upstream could not be reached.
    Failed(Failure),
}

/// What the request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be served.
    Serve,
    /// To see how the limits of its key stand (reference 1.8); it counts nothing and is sent nowhere.
    Standing,
}

/// What the driver waits for.
#[derive(Debug)]
enum Waiting {
    /// For nothing.
    No,
    /// For what the link at hand needs.
    Link,
    /// For counters; then this reply, if none of them refuses.
    Counters(Option<Reply>),
    /// For counters to be given back; then this reply, or without one to decide again.
    GivenBack(Option<Reply>),
    /// For the time of a throttled key.
    Throttle,
    /// For the upstream.
    Upstream,
}

/// A request on its way.
#[derive(Debug)]
pub struct Run {
    /// What the chain knows of it.
    pub exchange: Exchange,
    /// What it is for.
    purpose: Purpose,
    /// The place of the link at hand.
    at: usize,
    waiting: Waiting,
    /// How often a session has turned out to be out of date. Each time somebody has written it meanwhile.
    attempts: u32,
    /// How often a throttled key has waited.
    retries: i64,
    /// How deep the request is in loops.
    depth: Depth,
    /// The id of the API that it came to first, under which it is counted.
    pub counted_as: String,
    /// The method that the client has sent.
    asked_method: String,
    /// The link that has answered, until the session it has decided with is confirmed.
    ending: Option<(&'static str, Ended)>,
    /// The error that it was answered with.
    pub failure: Option<Failure>,
}

/// The links of row 40, the proxy: what is sent at once passes them too.
const PROXY: [&str; 2] = ["hard_timeouts", "loop_target"];

impl Run {
    /// A request that belongs to an API, at the beginning of its chain.
    #[must_use]
    pub fn new(
        snapshot: &Rc<Snapshot>,
        isolate: &Rc<dyn Isolate>,
        found: &Match<Api>,
        request: Request,
        trace: Option<Trace>,
    ) -> Self {
        let place = Place {
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
        let mut exchange = Exchange::new(request, route, place);
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
        }
    }

    /// The same for this purpose.
    #[must_use]
    pub fn for_purpose(mut self, purpose: Purpose) -> Self {
        self.purpose = purpose;
        self
    }

    /// The counters that are asked now, in the order of the questions.
    pub fn pending_counters(&self) -> impl Iterator<Item = &Counter> {
        let counters = self.exchange.counters.iter();
        counters.filter(|counter| counter.state == State::Pending)
    }

    /// Goes on with what has come of what was wanted.
    pub fn advance(&mut self, given: Given) -> Next {
        match (std::mem::replace(&mut self.waiting, Waiting::No), given) {
            (Waiting::No, Given::Start) => match self.enter() {
                Ok(()) => self.links(),
                Err(failure) => self.finish(Reply::from(failure)),
            },
            (Waiting::Link, Given::Body(body)) => {
                self.exchange.body = body.map_or(Body::TooLarge, Body::Read);
                self.links()
            }
            (Waiting::Link, Given::Session(found)) => self.found(found),
            (Waiting::Counters(reply), Given::Counters(answers)) => self.counted(answers, reply),
            (Waiting::GivenBack(Some(reply)), Given::Counters(_)) => self.finish(reply),
            (Waiting::GivenBack(None), Given::Counters(_)) => self.links(),
            (Waiting::Throttle, Given::Time) => self.ask_counters(None),
            (Waiting::Upstream, Given::Upstream(answer)) => self.upstream(&answer),
            (Waiting::Upstream, Given::Failed(failure)) => self.failed(failure),
            // The adapter gives what was wanted; anything else is its fault, and nobody passes by it.
            (_, Given::Failed(failure)) => self.finish(Reply::from(failure)),
            _ => self.finish(Reply::from(Failure::LimitsUnavailable)),
        }
    }

    /// Chooses the version, and with it the chain (reference 5.2).
    fn enter(&mut self) -> Result<(), Failure> {
        let exchange = &self.exchange;
        let snapshot = Rc::clone(&exchange.snapshot);
        let loaded = |id: &str| {
            let api = snapshot.router.get(id);
            api.is_some_and(|api| api.definition.active)
        };
        let chosen =
            exchange
                .api
                .versions
                .choose(&exchange.request, exchange.route.listen, &loaded);
        let now = exchange.isolate.now_ms();
        if let (Some(trace), Err(failure)) = (&mut self.exchange.trace, &chosen) {
            trace.note(failure.message().to_owned());
            trace.end(TRACE_NAME, Phase::Request, Ended::Refused, now);
        }
        let choice = chosen?;
        if !self.exchange.api.versions.is_plain() || self.exchange.version.is_empty() {
            self.choose(choice)?;
            let words = format!(
                "Version {} of {}",
                self.exchange.version, self.exchange.api.definition.name
            );
            if let Some(trace) = &mut self.exchange.trace {
                trace.note(words);
                trace.end(TRACE_NAME, Phase::Request, Ended::Passed, now);
            }
        }
        Ok(())
    }

    /// Begins anew in the chain of a version.
    fn choose(&mut self, choice: Choice) -> Result<(), Failure> {
        let old = &mut self.exchange;
        let is_child = matches!(choice.serves, Serves::Child(_));
        let (api, entry, name) = match choice.serves {
            Serves::Own(entry) => (Rc::clone(&old.api), entry, choice.name),
            Serves::Child(id) => {
                let child = old.snapshot.router.get(&id).cloned();
                let child = child.ok_or(Failure::FallbackBroken)?;
                // Of its own versions the one for all requests: its base has chosen it.
                let entry = child.versions.unversioned()?;
                let own = entry.and_then(|entry| child.versions.own.get(entry));
                let name = own.map_or_else(|| "Default".to_owned(), |own| own.name.clone());
                (child, entry, name)
            }
        };
        let route = Route {
            taken_off: is_child && old.api.definition.proxy.strip_listen_path,
            version: choice.segment,
            strips_version: choice.strips == Strip::Segment,
            ..old.route.clone()
        };
        let place = Place {
            snapshot: Rc::clone(&old.snapshot),
            isolate: Rc::clone(&old.isolate),
            api,
            chain: entry.unwrap_or_default(),
        };
        let mut exchange = Exchange::new(old.request.clone(), route, place);
        exchange.trace = old.trace.take();
        exchange.body = std::mem::take(&mut old.body);
        exchange.every_answer = std::mem::take(&mut old.every_answer);
        exchange.version = name;
        if let Strip::Header(header) = &choice.strips {
            exchange.remove_header(header);
        }
        exchange.query = choice.strips.query(&exchange.request.query);
        *old = exchange;
        Ok(())
    }

    /// Asks the links from the one at hand on.
    fn links(&mut self) -> Next {
        let chain = Rc::clone(&self.exchange.chain);
        while let Some(link) = chain.links.get(self.at) {
            if !self.concerns(link) {
                self.at = self.at.saturating_add(1);
                continue;
            }
            let step = link.request(&mut self.exchange);
            match step {
                Step::Next => {
                    self.end(link, Ended::Passed);
                    self.at = self.at.saturating_add(1);
                }
                Step::Send => {
                    self.end(link, Ended::Passed);
                    let proxies = |link: &Link| PROXY.contains(&link.name());
                    let proxy = chain.links.iter().position(proxies);
                    self.at = proxy
                        .unwrap_or(chain.links.len())
                        .max(self.at.saturating_add(1));
                }
                Step::Need(Need::Body { max }) => {
                    self.waiting = Waiting::Link;
                    return Next::Need(Wanted::Body { max });
                }
                Step::Need(Need::Session { hashes }) => {
                    self.waiting = Waiting::Link;
                    return Next::Need(Wanted::Session { hashes });
                }
                Step::Need(Need::Counters) => return self.ask_counters(None),
                Step::Loop(to) => {
                    self.end(link, Ended::Passed);
                    return self.enter_loop(&to);
                }
                Step::Reply(reply) => {
                    let outcome = match &reply {
                        Reply::Failure(refusal) => {
                            self.exchange.note(|| refusal.message.to_string());
                            Ended::Refused
                        }
                        Reply::Answer(_) => Ended::Answered,
                    };
                    self.ending = Some((link.name(), outcome));
                    return self.reply(reply);
                }
            }
        }
        match self.purpose {
            Purpose::Serve => self.send(),
            Purpose::Standing => self.show_standing(),
        }
    }

    /// Whether a link has a say in what the request is for (reference 3.1, *simple sub-chain*).
    fn concerns(&self, link: &Link) -> bool {
        const STANDING: [&str; 7] = [
            "expiry",
            "address_lists",
            "organisation",
            "auth_token",
            "key_state",
            "access_rights",
            "key_limits",
        ];
        self.purpose == Purpose::Serve
            || STANDING.contains(&link.name())
            || link.name() == "counters"
    }

    fn end(&mut self, link: &Link, outcome: Ended) {
        self.end_step(link.name(), Phase::Request, outcome);
    }

    fn end_step(&mut self, name: &'static str, phase: Phase, outcome: Ended) {
        let now = self.exchange.isolate.now_ms();
        if let Some(trace) = &mut self.exchange.trace {
            trace.end(name, phase, outcome, now);
        }
    }

    /// Takes the session that was looked for.
    fn found(&mut self, found: Result<Option<Stored>, StoreError>) -> Next {
        match found {
            Err(_) => {
                self.exchange
                    .note(|| "The Registry can't be asked for its session".to_owned());
                self.end_step("auth_token", Phase::Request, Ended::Refused);
                self.finish(Reply::from(Failure::LimitsUnavailable))
            }
            Ok(None) => {
                self.exchange.lookup = Lookup::Missing;
                self.links()
            }
            Ok(Some(stored)) => {
                self.remember(stored);
                self.links()
            }
        }
    }

    /// Keeps a session in the isolate, and takes it as the request's identity.
    fn remember(&mut self, stored: Stored) {
        let exchange = &mut self.exchange;
        let Some(credential) = exchange.credential.clone() else {
            return;
        };
        let policies = (exchange.snapshot.generation, &exchange.snapshot.policies);
        let known = Known::new(stored.hash, stored.revision, stored.text, policies);
        let known = Rc::new(known);
        let name = credential.cached(exchange.org());
        exchange
            .isolate
            .sessions()
            .borrow_mut()
            .put(&name, Rc::clone(&known));
        exchange.note(|| format!("Its session: {}, revision {}", known.hash, known.revision));
        exchange.identify(Identity { credential, known });
    }

    /// Answers, once the counters of the links before have been asked and the session is confirmed.
    fn reply(&mut self, reply: Reply) -> Next {
        let exchange = &mut self.exchange;
        let counters = &exchange.counters;
        let confirmed = counters.iter().any(|counter| counter.scope == Scope::Key);
        if let (Some(identity), false) = (&exchange.identity, confirmed)
            && matches!(reply, Reply::Failure(_))
        {
            let ledger = gatewright_protocol::sessions::Owner::Key.ledger(&identity.known.hash);
            let revision = Some(identity.known.revision);
            let mut counter = Counter::new(Scope::Key, ledger, revision, Vec::new());
            counter.refuses = Some(reply.clone());
            exchange.counters.push(counter);
        }
        let pending = |counter: &Counter| counter.state == State::Pending;
        if exchange.counters.iter().any(pending) {
            return self.ask_counters(Some(reply));
        }
        self.end_reply(None);
        self.finish(reply)
    }

    /// Ends the step of the link that has answered: as it has, or otherwise because something came before
    /// it.
    fn end_reply(&mut self, instead: Option<Ended>) {
        if let Some((name, outcome)) = self.ending.take() {
            self.end_step(name, Phase::Request, instead.unwrap_or(outcome));
        }
    }
}

//! The end of a chain: what is sent to the upstream, and what is answered.

use super::{Next, Run, Waiting, Wanted};
use crate::caching::{self, Aim, Place};
use crate::chain::Link;
use crate::chain::trace::{Change, Outcome as Ended, Phase};
use crate::errors::{Client, Inspect as Looks};
use crate::exchange::{Body, Exchange, Target};
use crate::extras::AnswerCall;
use crate::failure::{Answer, Failure, FailureReply, Reply};
use crate::headers::{AnswerEdit, HeaderEdits};
use crate::links::request_signing::Sign;
use crate::mcp::sessions;
use crate::snapshot::VersionTarget;
use crate::standing::standing;
use std::rc::Rc;

/// A request as it is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sending {
    /// Where to.
    pub url: String,
    /// Its method, if another than it came with.
    pub method: Option<String>,
    /// Its headers, where they are others than they came.
    pub headers: HeaderEdits,
    /// True if a session that is begun gets an id of the gateway's ([`Run::session`]).
    pub pins: bool,
    /// What it is signed with.
    pub sign: Option<Sign>,
    /// Its body, if it has been read; else it is streamed.
    pub body: Option<Vec<u8>>,
    /// True if it makes a difference whether the upstream fails or the client, whose body is streamed.
    pub watches: bool,
    /// How long the upstream may take, milliseconds; 0 for ever.
    pub timeout_ms: u64,
    /// What is changed about the headers of the upstream's answer, in this order.
    pub answer: Vec<AnswerEdit>,
    /// Where the answer may be kept as it is then ([`Run::keep`]), and the key of the GET about which it says something
    /// ([`Run::said_of_get`]).
    pub cache: Option<(Place, Option<String>)>,
    /// What is changed about its headers after that.
    pub after: Vec<AnswerEdit>,
    /// Which answers of the upstream have to be looked at.
    pub inspect: Inspect,
}

/// Which answers of an upstream are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inspect {
    /// None: they pass as they are.
    #[default]
    None,
    /// Errors, from status 400 on.
    Errors,
    /// All of them.
    All,
}

impl Inspect {
    /// From which status on.
    #[must_use]
    pub const fn from_status(self) -> Option<u16> {
        match self {
            Self::None => None,
            Self::Errors => Some(400),
            Self::All => Some(0),
        }
    }
}

/// What a rule makes of the upstream's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Override {
    /// The status.
    pub status: u16,
    /// Headers that it gets instead of those of the same name.
    pub headers: Vec<(String, String)>,
    /// Another body; `None` for its own.
    pub body: Option<String>,
    /// What is changed about its headers before all rules.
    pub first: Vec<AnswerEdit>,
    /// What is changed about its headers after that, in this order.
    pub answer: Vec<AnswerEdit>,
}

/// What an upstream has answered, as far as it is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamAnswer {
    /// The status.
    pub status: u16,
    /// The beginning of the body, if it was asked for.
    pub body: Option<String>,
}

impl Run {
    /// Sends the request.
    pub(super) fn send(&mut self) -> Next {
        let chain = Rc::clone(&self.exchange.chain);
        for (index, link) in chain.links.iter().enumerate() {
            link.response(&mut self.exchange);
            let asked = std::mem::take(&mut self.exchange.answer_calls).into_iter();
            self.answer_calls
                .extend(asked.map(|call| AnswerCall { link: index, call }));
            let changed = self
                .exchange
                .trace
                .as_ref()
                .is_some_and(|trace| !trace.is_silent());
            if changed {
                self.end_step(link.name(), Phase::Response, Ended::Passed);
            }
        }
        let Some(url) = url(&self.exchange) else {
            self.exchange.note(|| Failure::Target.message().to_owned());
            self.end_step("forward", Phase::Request, Ended::Refused);
            return self.finish(Reply::from(Failure::Target));
        };
        let exchange = &mut self.exchange;
        let words = format!("{} {url}", exchange.sent_method());
        exchange.note(|| words);
        let sign = exchange
            .signing
            .take()
            .map(|signing| signing.sign(exchange, &url));
        let mut headers = exchange.headers().clone();
        if let Some(credential) = &exchange.upstream_credential {
            headers.set(&credential.0, credential.1.clone());
        }
        if let Some(id) = exchange.request_id.get() {
            headers.set("x-request-id", id.clone());
        }
        if self.renews {
            // The whole answer is kept, whatever of it the client wanted.
            headers.remove("range");
            headers.remove("if-range");
        }
        let may_reuse = caching::is_waiting(exchange);
        if let Some((etag, modified)) = caching::validators(exchange) {
            let validators = [("if-none-match", etag), ("if-modified-since", modified)];
            for (name, value) in validators {
                if value.is_empty() {
                    headers.remove(name);
                } else {
                    headers.set(name, value.to_owned());
                }
            }
        }
        let mut answer = exchange.upstream_answer.clone();
        let cache = exchange.caching.as_ref().map(|caching| {
            if matches!(caching.aim, Aim::Answer(_)) && !self.renews {
                exchange.isolate.missed(&self.counted_as);
            }
            let get = caching.get.as_ref().map(|get| get.key.clone());
            (caching.place.clone(), get)
        });
        let after_rules = exchange.limits_answer.iter().chain(&exchange.every_answer);
        let mut after: Vec<_> = after_rules.cloned().collect();
        if cache.is_none() {
            answer.append(&mut after);
        }
        let inspects = !exchange.chain.errors.is_plain();
        let sending = Sending {
            url,
            // A loop may have given it another method too.
            method: (exchange.sent_method() != self.asked_method)
                .then(|| exchange.sent_method().to_owned()),
            headers,
            pins: exchange.pins,
            sign,
            body: match &exchange.body {
                Body::Read(bytes) => Some(bytes.clone()),
                Body::Streamed | Body::TooLarge => None,
            },
            watches: !exchange.breakers.is_empty(),
            timeout_ms: exchange.time_limit_ms().unwrap_or_default(),
            answer,
            cache,
            after,
            inspect: if may_reuse || !exchange.breakers.is_empty() || !self.answer_calls.is_empty()
            {
                Inspect::All
            } else if inspects {
                Inspect::Errors
            } else {
                Inspect::None
            },
        };
        self.end_step("forward", Phase::Request, Ended::Passed);
        self.waiting = Waiting::Upstream;
        Next::Send(Box::new(sending))
    }

    /// The upstream has answered, and somebody has to look at that.
    pub(super) fn upstream(&mut self, answer: UpstreamAnswer) -> Next {
        let failed = answer.status >= 500;
        if let Some(asks) = self.report(failed) {
            self.waiting = Waiting::Reported(Ok(answer));
            return asks;
        }
        self.upstream_rules(&answer)
    }

    /// The upstream has answered: with a body that extras are asked about, or an error that a rule may
    /// change.
    pub(super) fn upstream_rules(&mut self, answer: &UpstreamAnswer) -> Next {
        if let Some(kept) = self.instead(Some(answer.status)) {
            return kept;
        }
        if answer.body.is_none()
            && let Some(next) = self.ask_of_answer(answer.status)
        {
            return next;
        }
        self.passed(answer)
    }

    /// What rules for errors make of an answer that extras have done with.
    pub(super) fn passed(&mut self, answer: &UpstreamAnswer) -> Next {
        let chain = Rc::clone(&self.exchange.chain);
        let client = || Client::of(&self.exchange);
        if answer.body.is_none() {
            match chain.errors.inspects(answer.status, client()) {
                Looks::No => return Next::Pass(std::mem::take(&mut self.exchange.first_edits)),
                Looks::Head => {}
                Looks::Body { max } => {
                    self.waiting = Waiting::Upstream;
                    return Next::Need(Wanted::UpstreamBody { max });
                }
            }
        }
        let changed = chain
            .errors
            .upstream(answer.status, answer.body.as_deref(), client());
        let Some(changed) = changed else {
            return Next::Pass(std::mem::take(&mut self.exchange.first_edits));
        };
        if let Some(trace) = &mut self.exchange.trace {
            trace.note(format!("By {}", changed.rule));
            trace.change(Change::status(answer.status, changed.status));
        }
        self.end_step("error_overrides", Phase::Response, Ended::Passed);
        let first = std::mem::take(&mut self.exchange.first_edits);
        let exchange = &self.exchange;
        let limits = exchange.limits_answer.iter();
        Next::Override(Box::new(Override {
            status: changed.status,
            headers: changed.headers,
            body: changed.body,
            first,
            answer: limits.chain(&exchange.every_answer).cloned().collect(),
        }))
    }

    /// The upstream could not be reached.
    pub(super) fn failed(&mut self, failure: Failure) -> Next {
        if failure.is_of_upstream()
            && let Some(asks) = self.report(true)
        {
            self.waiting = Waiting::Reported(Err(failure));
            return asks;
        }
        let words = format!(
            "{}: {}, API {}, request {}",
            failure.message(),
            failure.cause(),
            self.exchange.api.definition.api_id,
            self.exchange.request_id()
        );
        self.exchange.note(|| words);
        self.end_step("upstream", Phase::Response, Ended::Refused);
        if failure.is_of_upstream()
            && let Some(kept) = self.instead(None)
        {
            return kept;
        }
        self.finish(Reply::from(failure))
    }

    /// Answers the client.
    pub(super) fn finish(&mut self, reply: Reply) -> Next {
        self.waiting = Waiting::No;
        let mut answer = match reply {
            Reply::Answer(answer) if self.exchange.is_mocked => self.as_of_upstream(answer),
            Reply::Answer(answer) => answer,
            Reply::Failure(refusal) => self.error(&refusal),
        };
        for edit in &self.exchange.every_answer {
            edit.apply(&mut answer.headers);
        }
        Next::Answer(answer)
    }

    /// What rules for headers make of an answer in the upstream's place, and how the limits stand.
    fn as_of_upstream(&mut self, mut answer: Answer) -> Answer {
        let chain = Rc::clone(&self.exchange.chain);
        let is_rule = |link: &&Link| link.name() == "response_headers";
        for link in chain.links.iter().filter(is_rule) {
            link.response(&mut self.exchange);
        }
        let exchange = &self.exchange;
        let edits = exchange
            .upstream_answer
            .iter()
            .chain(&exchange.limits_answer);
        edits.for_each(|edit| edit.apply(&mut answer.headers));
        answer
    }

    fn error(&mut self, refusal: &FailureReply) -> Answer {
        // Behind an answer nobody is refused.
        if !self.renews {
            self.failure = Some(refusal.failure);
            self.raise(refusal);
        }
        let chain = Rc::clone(&self.exchange.chain);
        let id = self
            .exchange
            .rpc
            .as_ref()
            .map(|message| message.id.as_str());
        let client = Client::of(&self.exchange);
        let answered = chain.errors.answer_to(id, refusal, client);
        if let Some(rule) = answered.rule
            && let Some(trace) = &mut self.exchange.trace
        {
            trace.note(format!("By {rule}"));
            trace.change(Change::status(refusal.status(), answered.answer.status));
            let now = self.exchange.isolate.now_ms();
            trace.end("error_overrides", Phase::Response, Ended::Passed, now);
        }
        let mut answer = answered.answer;
        let own = [
            ("x-request-id", self.exchange.request_id()),
            ("x-content-type-options", "nosniff".to_owned()),
        ];
        answer
            .headers
            .extend(own.map(|(name, value)| (name.to_owned(), value)));
        answer
    }

    /// What the client gets to know a session by, which the upstream calls so.
    #[must_use]
    pub fn session(&self, id: &str) -> Option<String> {
        sessions::shown(&self.exchange, id)
    }

    /// How the limits of the key stand.
    pub(super) fn show_standing(&mut self) -> Next {
        let exchange = &self.exchange;
        let Ok(session) = exchange.session() else {
            return self.finish(Reply::from(Failure::CredentialMissing));
        };
        let api = &exchange.api;
        let body = standing(session, &api.definition.api_id, &exchange.counters);
        self.finish(Reply::Answer(Answer {
            status: 200,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body,
        }))
    }
}

/// The address that a request is sent to; `None` for one whose API has no target.
fn url(exchange: &Exchange) -> Option<String> {
    let proxy = &exchange.api.definition.proxy;
    let chain = exchange.api.chains.iter();
    let version = chain
        .clone()
        .find(|version| Rc::ptr_eq(&version.chain, &exchange.chain));
    let target = match version.map(|version| &version.target) {
        _ if exchange.turn.is_some() => exchange.turn.as_deref(),
        None | Some(VersionTarget::OfApi) => exchange.api.target.as_ref(),
        Some(VersionTarget::Own(target)) => Some(target),
        Some(VersionTarget::NoUpstream) => None,
    };
    let query = exchange.asked_query();
    match &exchange.target {
        Target::Absolute(url) => Some(url.clone()),
        Target::Path { path, query } => Some(target?.join(path, query, proxy.disable_strip_slash)),
        Target::Asked => {
            let path = exchange.asked_path(proxy.strip_listen_path);
            Some(target?.join(&path, query, proxy.disable_strip_slash))
        }
        // The last link has sent it there.
        Target::Loop(_) => None,
    }
}

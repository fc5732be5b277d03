//! The end of a chain: what is sent to the upstream, and what is answered.

use super::directive::asked;
use super::{Next, Run, Waiting, Wanted};
use crate::caching::{self, Aim, Place};
use crate::chain::Link;
use crate::chain::trace::{Change, Outcome as Ended, Phase};
use crate::errors::{Client, Inspect as Looks};
use crate::exchange::{Exchange, Target};
use crate::extras::AnswerCall;
use crate::extras::ExtraCall;
use crate::failure::{Answer, Failure, FailureReply, Reply};
use crate::headers::{AnswerEdit, HeaderEdits};
use crate::links::request_signing::{Sign, Signature};
use crate::mcp::sessions;
use crate::path::leaves;
use crate::sessions::Known;
use crate::snapshot::VersionTarget;
use crate::standing::standing;
use gatewright_model::definition::ApplicationProtocol;
use std::rc::Rc;

/// A request as sent to the upstream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sending {
    /// The URL the request is sent to.
    pub url: String,
    /// The method to send, if it differs from the client's.
    pub method: Option<String>,
    /// Changes to the request's headers.
    pub headers: HeaderEdits,
    /// Whether the gateway replaces the id of a new session with its own ([`Run::session`]).
    pub pins: bool,
    /// The call to an extra for each event of the answer, if that is a stream of events.
    pub event_call: Option<ExtraCall>,
    /// The signature that the platform makes.
    pub sign: Option<Sign>,
    /// Whether a stream of events ends when the key's session changes.
    pub watches_session: bool,
    /// The body, if it has been read; otherwise it is streamed.
    pub body: Option<Vec<u8>>,
    /// Whether failures of the upstream and of the client, whose body is streamed, have to be distinguished.
    pub watches: bool,
    /// How long the upstream may take to answer, in milliseconds; 0 means no limit.
    pub timeout_ms: u64,
    /// Header changes for the upstream's answer, in order.
    pub answer: Vec<AnswerEdit>,
    /// The cache address of the answer after `answer` was applied ([`Run::keep`]), and the key of the GET whose cached
    /// answer it updates ([`Run::check_get`]).
    pub cache: Option<(Place, Option<String>)>,
    /// Header changes made after the answer is cached.
    pub after: Vec<AnswerEdit>,
    /// Which of the upstream's answers the driver inspects.
    pub inspect: Inspect,
}

/// Which of an upstream's answers the driver inspects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inspect {
    /// None: all are passed on.
    #[default]
    None,
    /// Errors: status 400 and above.
    Errors,
    /// All of them.
    All,
}

impl Inspect {
    /// The lowest status that is inspected; `None` if none is.
    #[must_use]
    pub const fn from_status(self) -> Option<u16> {
        match self {
            Self::None => None,
            Self::Errors => Some(400),
            Self::All => Some(0),
        }
    }
}

/// Changes that a rule makes to the upstream's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Override {
    /// The new status.
    pub status: u16,
    /// Headers that replace those of the same name.
    pub headers: Vec<(String, String)>,
    /// The new body; `None` keeps the upstream's.
    pub body: Option<String>,
    /// Header changes made before all rules.
    pub first: Vec<AnswerEdit>,
    /// Header changes made after that, in order.
    pub answer: Vec<AnswerEdit>,
}

/// An upstream's answer, as far as the driver inspects it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The start of the body, if it was asked for.
    pub body: Option<String>,
}

impl Run {
    /// Sends the request to the upstream.
    pub(super) fn send(&mut self) -> Next {
        self.specify_response();
        let url = match url(&self.exchange) {
            Ok(url) => url,
            Err(failure) => {
                self.exchange.remark(failure.message());
                self.end_step("forward", Phase::Request, Ended::Refused);
                return self.finish(Reply::from(failure));
            }
        };
        let exchange = &mut self.exchange;
        exchange.note_of(|exchange| format!("{} {url}", exchange.sent_method()));
        let signing = exchange.signing.take();
        let signature = signing.map(|signing| signing.sign(exchange, &url));
        let mut answer = exchange.upstream_answer.clone();
        let cache = exchange.caching.as_ref().map(|caching| {
            if matches!(caching.aim, Aim::Answer(_)) && !self.renews {
                exchange.isolate.missed(&self.counted_as);
            }
            let get = caching.get.as_ref().map(|get| get.key.clone());
            (caching.place.clone(), get)
        });
        let mut after = exchange.own_edits();
        if cache.is_none() {
            answer.append(&mut after);
        }
        let event_call = exchange.event_call.take();
        let mut headers = self.sent_headers();
        let sign = match signature {
            Some(Signature::Made(name, value)) => {
                headers.set(&name, value);
                None
            }
            Some(Signature::Asked(sign)) => Some(sign),
            None => None,
        };
        let exchange = &self.exchange;
        let has_body = !matches!(self.asked_method.as_str(), "GET" | "HEAD");
        let sending = Sending {
            url,
            // A loop may also have changed the method.
            method: (exchange.sent_method() != self.asked_method)
                .then(|| exchange.sent_method().to_owned()),
            headers,
            pins: exchange.pins,
            event_call,
            sign,
            body: caching::body(exchange).map(<[u8]>::to_vec),
            watches: has_body && !exchange.breakers.is_empty(),
            watches_session: self.watched_session().is_some(),
            timeout_ms: exchange.time_limit_ms().unwrap_or_default(),
            answer,
            cache,
            after,
            inspect: self.inspects(),
        };
        self.end_step("forward", Phase::Request, Ended::Passed);
        self.waiting = Waiting::Upstream;
        Next::Send(Box::new(sending))
    }

    /// Lets every link specify its changes to the upstream's answer.
    fn specify_response(&mut self) {
        let chain = Rc::clone(&self.exchange.chain);
        for (index, link) in chain.links.iter().enumerate() {
            link.response(&mut self.exchange);
            let asked = self.exchange.answer_calls.drain(..);
            self.answer_calls
                .extend(asked.map(|call| AnswerCall { link: index, call }));
            let trace = self.exchange.trace.as_ref();
            if trace.is_some_and(|trace| !trace.is_silent()) {
                self.end_step(link.name(), Phase::Response, Ended::Passed);
            }
        }
    }

    /// The changes to the request's headers: those of the links, then those that no rule can change.
    fn sent_headers(&self) -> HeaderEdits {
        let exchange = &self.exchange;
        let mut headers = exchange.headers().clone();
        if let Some(credential) = &exchange.upstream_credential {
            headers.set(&credential.0, credential.1.clone());
        }
        if let Some(id) = exchange.request_id.get() {
            headers.set("x-request-id", id.clone());
        }
        if self.renews {
            // The complete answer is cached, whatever the client asked for or has.
            for name in ["range", "if-range", "if-none-match", "if-modified-since"] {
                headers.remove(name);
            }
        }
        if let Some((etag, modified)) = caching::validators(exchange) {
            for (name, value) in [("if-none-match", etag), ("if-modified-since", modified)] {
                if value.is_empty() {
                    headers.remove(name);
                } else {
                    headers.set(name, value.to_owned());
                }
            }
        }
        headers
    }

    /// Which of the upstream's answers this run has to see.
    fn inspects(&self) -> Inspect {
        let exchange = &self.exchange;
        let may_reuse = caching::is_waiting(exchange);
        if may_reuse || !exchange.breakers.is_empty() || !self.answer_calls.is_empty() {
            Inspect::All
        } else if !exchange.chain.errors.is_plain() {
            Inspect::Errors
        } else {
            Inspect::None
        }
    }

    /// Handles an upstream's answer that has to be inspected.
    pub(super) fn upstream(&mut self, answer: UpstreamAnswer) -> Next {
        let failed = answer.status >= 500;
        if let Some(asks) = self.report(failed) {
            self.waiting = Waiting::Reported(Ok(answer));
            return asks;
        }
        self.upstream_rules(&answer)
    }

    /// Applies the cache, extras and error rules to the upstream's answer.
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

    /// Applies the error rules to an answer that extras are done with.
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
        Next::Override(Box::new(Override {
            status: changed.status,
            headers: changed.headers,
            body: changed.body,
            first: std::mem::take(&mut self.exchange.first_edits),
            answer: self.exchange.own_edits(),
        }))
    }

    /// Handles an upstream that could not be reached.
    pub(super) fn failed(&mut self, failure: Failure) -> Next {
        if failure.is_of_upstream()
            && let Some(asks) = self.report(true)
        {
            self.waiting = Waiting::Reported(Err(failure));
            return asks;
        }
        self.exchange.note_of(|exchange| {
            let (message, cause) = (failure.message(), failure.cause());
            let (api, id) = (&exchange.api.definition.api_id, exchange.request_id());
            format!("{message}: {cause}, API {api}, request {id}")
        });
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

    /// Applies header rules and limit headers to an answer that stands in for the upstream's.
    fn as_of_upstream(&mut self, mut answer: Answer) -> Answer {
        let chain = Rc::clone(&self.exchange.chain);
        let is_rule = |link: &&Link| matches!(link, Link::ResponseHeaders(_));
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
        // After the client has been answered, nothing is refused.
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
        let answer = answered
            .answer
            .with("x-request-id", self.exchange.request_id());
        answer.with("x-content-type-options", "nosniff")
    }

    /// The session id shown to the client for the id that the upstream uses.
    #[must_use]
    pub fn session(&self, id: &str) -> Option<String> {
        sessions::shown(&self.exchange, id)
    }

    /// The session that a stream of an MCP proxy depends on, one per line: its Ledger, its revision, and the question
    /// about it. `None` if there is none, or it is derived from a credential.
    #[must_use]
    pub fn stream_session(&self) -> Option<String> {
        let (known, revision) = self.watched_session()?;
        let [ledger, question] = asked(vec![known.hash.clone()]).ok()?;
        Some(format!("{ledger}\n{revision}\n{question}"))
    }

    fn watched_session(&self) -> Option<(Rc<Known>, u64)> {
        let definition = &self.exchange.api.definition;
        if definition.application_protocol != ApplicationProtocol::Mcp {
            return None;
        }
        let (_, known) = self.exchange.decided_with()?;
        let revision = known.revision()?;
        Some((known, revision))
    }

    /// Answers with the standing of the key's limits.
    pub(super) fn show_standing(&mut self) -> Next {
        let exchange = &self.exchange;
        let Ok(session) = exchange.session() else {
            return self.finish(Reply::from(Failure::CredentialMissing));
        };
        let api = &exchange.api;
        let body = standing(session, &api.definition.api_id, &exchange.counters);
        self.finish(Reply::Answer(Answer::of_type(
            200,
            "application/json",
            body,
        )))
    }
}

/// The URL that a request is sent to.
///
/// # Errors
/// If its API has no target, or the path could be read as one outside it.
fn url(exchange: &Exchange) -> Result<String, Failure> {
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
    let target = || target.ok_or(Failure::Target);
    let inside = |path: &str| match leaves(path) {
        true => Err(Failure::BrokenPath),
        false => Ok(()),
    };
    match &exchange.target {
        Target::Absolute(url) => Ok(url.clone()),
        Target::Path { path, query } => {
            inside(path)?;
            Ok(target()?.join(path, query, proxy.disable_strip_slash))
        }
        Target::Asked => {
            inside(exchange.unprotected(proxy.strip_listen_path))?;
            let path = exchange.asked_path(proxy.strip_listen_path);
            let query = exchange.asked_query();
            Ok(target()?.join(&path, query, proxy.disable_strip_slash))
        }
        // The last link has already moved the request to that chain.
        Target::Loop(_) => Err(Failure::Target),
    }
}

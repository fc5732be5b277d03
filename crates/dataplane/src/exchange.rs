//! What a chain knows of one request and changes about it.

mod address;
mod asked;
mod request;
mod values;

pub use address::{ConnectionAddress, XffDepth, client_address};
pub use request::{Body, Entry, Lookup, Passed, Request, Route, RunContext, Target};
pub(crate) use values::canonical;
pub use values::{TriggerVariables, form_pairs};

use crate::caching::Caching;
use crate::chain::Chain;
use crate::chain::trace::{Change, Trace};
use crate::counters::Counter;
use crate::extras::{ExtraCall, Extracted};
use crate::headers::{AnswerEdit, HeaderEdits};
use crate::identity::{Credential, Identity};
use crate::isolate::Isolate;
use crate::links::request_signing::Signing;
use crate::mcp::Message;
use crate::rules::{Matches, PatternId};
use crate::sessions::Known;
use crate::snapshot::{Api, Snapshot};
use crate::token_source::Carrier;
use crate::upstreams::Answer;
use gatewright_protocol::target::Target as ApiTarget;
use gatewright_protocol::variables::{Escape, Template, Values};
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// What a chain knows of a request and changes about it.
#[derive(Debug)]
pub struct Exchange {
    /// The request as it arrived. Rules are chosen by it, whatever is changed later.
    pub request: Request,
    /// What of its path named its API.
    pub route: Route,
    /// The set of APIs it began with.
    pub snapshot: Rc<Snapshot>,
    /// The isolate it runs in.
    pub isolate: Rc<dyn Isolate>,
    /// The API it belongs to.
    pub api: Rc<Api>,
    /// The name of the version it asks for.
    pub version: String,
    /// The chain it passes.
    pub chain: Rc<Chain>,
    /// What an auth link has found in it.
    pub credential: Option<Credential>,
    /// Who it comes from.
    pub identity: Option<Identity>,
    /// Who it comes from by each method that it has passed.
    pub(crate) passed: Vec<Identity>,
    /// Which of the ways to say who it comes from is tried.
    pub(crate) alternative: usize,
    /// What came of looking for its key.
    pub lookup: Lookup,
    /// The session that was looked for, and with which credential.
    pub(crate) found: Option<(Credential, Rc<Known>)>,
    /// What is said about a credential, for the link that has asked; `Some(None)` if nobody could say it.
    pub proof: Option<Option<String>>,
    /// What the credential at hand is remembered by, under what it is checked by now.
    pub(crate) proving: String,
    /// What it counts against, in the order in which they refuse.
    pub counters: Vec<Counter>,
    /// The method it is sent with, if another than it came with.
    pub method: Option<String>,
    /// Where it is sent.
    pub target: Target,
    /// The query that is sent, if another than it came with.
    pub query: Option<String>,
    /// Its body.
    pub body: Body,
    /// What the upstream gets to know the gateway by: a header and its value, whatever rules say of it.
    pub upstream_credential: Option<Rc<(String, String)>>,
    /// How it is signed for the upstream.
    pub signing: Option<Rc<Signing>>,
    /// The targets that a service registry has named.
    pub discovered: Option<Rc<Answer>>,
    /// The target whose turn it is, instead of the API's.
    pub turn: Option<Rc<ApiTarget>>,
    /// True if a session that the upstream begins stays with that target.
    pub pins: bool,
    /// The breakers that it has passed, until the upstream has answered.
    pub breakers: Vec<Passed>,
    /// What came of asking about upstreams, for the link that has asked; `Some(None)` if nobody could be asked.
    pub upstreams_answer: Option<Option<String>>,
    /// True if an extra has put another body in its place.
    pub body_replaced: bool,
    /// The rule of the link at hand that an extra has been asked for.
    pub asked_rule: usize,
    /// What an extra has made of a body, for the link that has asked.
    pub extracted: Option<Extracted>,
    /// What extras are asked about the answer of the upstream, in this order.
    pub(crate) answer_calls: VecDeque<ExtraCall>,
    /// What is changed about the answer's headers before all rules for headers.
    pub first_edits: Vec<AnswerEdit>,
    /// How long the upstream may take by the rules, milliseconds; 0 for ever.
    pub timeout_ms: Option<u64>,
    /// True on an *ignored* path: neither credential nor key is looked at.
    pub ignored: bool,
    /// What is changed about every answer from here on, the gateway's own errors too.
    pub every_answer: Vec<AnswerEdit>,
    /// What is changed about an answer of the upstream.
    pub upstream_answer: Vec<AnswerEdit>,
    /// What an answer of the upstream says about the limits that have counted the request. It comes after
    /// the rules: none of them can hide or forge it (reference 3.4).
    pub limits_answer: Vec<AnswerEdit>,
    /// True if the document answers it, in the upstream's place.
    pub is_mocked: bool,
    /// Variables that the triggers of a rewrite have set.
    pub triggers: TriggerVariables,
    /// The metadata of its key, and the token it brought.
    pub key: KeyFacts,
    /// The request id that was made for it, if a variable asked for one.
    pub request_id: OnceCell<String>,
    /// What it has to do with the cache, if anything.
    pub caching: Option<Caching>,
    /// The hash of the key that a chain before this one was entered with (a request that loops).
    pub caller: Option<String>,
    /// The message that its body is, at an MCP proxy: where there is one, rules are chosen by it instead of the path.
    pub rpc: Option<Message>,
    /// Who listens to its steps, if somebody does.
    pub trace: Option<Trace>,
    headers: HeaderEdits,
    matches: Matches,
    stripped: String,
    /// The path without a version that is taken out, without and with the listen path.
    unversioned: Option<[String; 2]>,
}

/// What variables and conditions know of the key of a request.
#[derive(Clone, Debug, Default)]
pub struct KeyFacts {
    /// Members of its metadata by name, as texts.
    pub session: Option<Rc<gatewright_model::session::Session>>,
    /// What `$gateway_context.token` says.
    pub token: String,
    /// The variables that its token has: a JSON object of names and texts; empty for none.
    pub claims: Rc<str>,
}

impl Exchange {
    /// A request at the beginning of a chain.
    #[must_use]
    pub fn new(request: Request, route: Route, context: RunContext) -> Self {
        let version = context.api.chains.get(context.chain);
        let (version, chain) = version.map_or_else(Default::default, |version| {
            (version.name.clone(), Rc::clone(&version.chain))
        });
        let decoded = request.path.decoded();
        let behind = |length: usize| {
            let rest = decoded.get(length..).unwrap_or_default();
            format!("/{}", rest.trim_start_matches('/'))
        };
        let listen = if route.by_id { 0 } else { route.listen };
        let stripped = behind(listen);
        let without = route.listen.saturating_add(route.version);
        let unversioned = route.strips_version.then(|| behind(without));
        let mut exchange = Self {
            headers: request.headers.changed().clone(),
            request,
            route,
            snapshot: context.snapshot,
            isolate: context.isolate,
            api: context.api,
            version,
            chain,
            credential: None,
            identity: None,
            passed: Vec::new(),
            alternative: 0,
            lookup: Lookup::NotNeeded,
            found: None,
            proof: None,
            proving: String::new(),
            counters: Vec::new(),
            method: None,
            target: Target::Asked,
            query: None,
            body: Body::Streamed,
            upstream_credential: None,
            signing: None,
            discovered: None,
            turn: None,
            pins: false,
            breakers: Vec::new(),
            upstreams_answer: None,
            body_replaced: false,
            asked_rule: 0,
            extracted: None,
            answer_calls: VecDeque::new(),
            first_edits: Vec::new(),
            timeout_ms: None,
            ignored: false,
            every_answer: Vec::new(),
            upstream_answer: Vec::new(),
            limits_answer: Vec::new(),
            is_mocked: false,
            triggers: TriggerVariables::default(),
            key: KeyFacts::default(),
            request_id: OnceCell::new(),
            caching: None,
            caller: None,
            rpc: None,
            trace: None,
            matches: Matches::default(),
            stripped,
            unversioned: None,
        };
        exchange.unversioned = unversioned.map(|path| [path, exchange.decoded_path()]);
        exchange
    }

    /// The decoded path without the listen path, with one slash at its beginning.
    #[must_use]
    pub fn stripped(&self) -> &str {
        &self.stripped
    }

    /// The forms of the path that rules are compared with (reference 5.2).
    #[must_use]
    pub fn rule_paths(&self) -> Vec<&str> {
        if let Some(message) = &self.rpc {
            return message.paths.iter().map(String::as_str).collect();
        }
        let mut paths = vec![self.stripped.as_str()];
        paths.extend(self.unversioned.iter().flatten().map(String::as_str));
        paths.push(self.request.path.decoded());
        paths
    }

    /// The name of something of its API's version among what is known of upstreams: the same until the
    /// definition changes.
    #[must_use]
    pub fn upstream_key(&self, part: usize) -> String {
        let mut chains = self.api.chains.iter();
        let version = chains.position(|version| Rc::ptr_eq(&version.chain, &self.chain));
        let version = version.unwrap_or_default();
        format!("{:x} {version} {part}", self.api.checksum)
    }

    /// Whether the path that was asked for fits a rule.
    pub fn is_match(&mut self, rule: PatternId) -> bool {
        let full = self.request.path.decoded();
        let chain = Rc::clone(&self.chain);
        if let Some(message) = &self.rpc {
            return chain.paths.is_match(rule, &message.paths);
        }
        match &self.unversioned {
            Some([unversioned, bare]) => {
                let paths = [self.stripped.as_str(), unversioned, bare, full];
                self.matches.is_match(&chain.paths, rule, &paths)
            }
            None => {
                let paths = [self.stripped.as_str(), full];
                self.matches.is_match(&chain.paths, rule, &paths)
            }
        }
    }

    /// The rules of a list that a request is meant by: the first that fits. A message has two that both apply: the
    /// first for its method, and the first for the tool, resource or prompt that it names (reference 6.4).
    ///
    /// `others` are more forms of the path, which a message does not have.
    pub fn meant<'r, R>(
        &mut self,
        rules: &'r [R],
        others: &[String],
        of: fn(&R) -> (PatternId, &str),
    ) -> impl Iterator<Item = &'r R> + use<'r, R> {
        let found = match &self.rpc {
            None => {
                let fits = |rule: &&R| {
                    let (path, method) = of(rule);
                    method == self.request.method
                        && (self.is_match(path) || self.chain.paths.is_match(path, others))
                };
                [rules.iter().find(fits), None]
            }
            Some(message) => {
                let first = |path: Option<&String>| {
                    let path = std::slice::from_ref(path?);
                    rules.iter().find(|rule| {
                        let (rule, method) = of(rule);
                        method == self.request.method && self.chain.paths.is_match(rule, path)
                    })
                };
                [first(message.paths.first()), first(message.paths.get(1))]
            }
        };
        found.into_iter().flatten()
    }

    /// A header as it would be sent now.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        match self.headers.get(name) {
            Some(value) => value.map(str::to_owned),
            None => self.request.headers.get(name),
        }
    }

    /// What is changed about the headers that are sent.
    #[must_use]
    pub const fn headers(&self) -> &HeaderEdits {
        &self.headers
    }

    /// Sends one value of a header instead of all that came.
    pub fn set_header(&mut self, name: &str, value: &str) {
        let value = value.trim_matches([' ', '\t']);
        self.change(|exchange| Change::header(name, exchange.header(name), Some(value)));
        self.headers.set(name, value.to_owned());
    }

    /// Sends none of a header.
    pub fn remove_header(&mut self, name: &str) {
        self.change(|exchange| Change::header(name, exchange.header(name), None));
        self.headers.remove(name);
    }

    /// Changes something about the answer of the upstream.
    pub fn edit_answer(&mut self, edit: AnswerEdit) {
        self.change(|_| Change::answer_header(edit.name(), edit.value()));
        self.upstream_answer.push(edit);
    }

    /// Asks an extra about the body of the upstream's answer, in the response phase of a link; its
    /// `answered` takes what comes of it.
    pub fn ask_of_answer(&mut self, call: ExtraCall) {
        self.answer_calls.push_back(call);
    }

    /// Changes something about every answer from here on.
    pub fn edit_every_answer(&mut self, edit: AnswerEdit) {
        self.change(|_| Change::answer_header(edit.name(), edit.value()));
        self.every_answer.push(edit);
    }

    /// Says something about the limits that have counted the request.
    pub fn edit_limits(&mut self, edit: AnswerEdit) {
        self.change(|_| Change::answer_header(edit.name(), edit.value()));
        self.limits_answer.push(edit);
    }

    /// Sends the request with another method.
    pub fn set_method(&mut self, method: &str) {
        self.change(|exchange| Change::method(exchange.sent_method(), method));
        self.method = Some(method.to_owned());
    }

    /// The method it is sent with.
    #[must_use]
    pub fn sent_method(&self) -> &str {
        self.method.as_deref().unwrap_or(&self.request.method)
    }

    /// How long the upstream may take, milliseconds: by a rule, else by the gateway's own limit. `None`
    /// for ever.
    #[must_use]
    pub fn time_limit_ms(&self) -> Option<u64> {
        let default = self.chain.settings.default_timeout_ms;
        Some(self.timeout_ms.unwrap_or(default)).filter(|limit| *limit > 0)
    }

    /// Sends the request somewhere else.
    pub fn set_target(&mut self, target: Target) {
        self.change(|_| Change::target(&target));
        self.target = target;
    }

    /// The same as it came, whatever links have changed since.
    pub fn sent_carrier<T>(&self, look: impl FnOnce(&Carrier<'_>) -> T) -> T {
        let header = |name: &str| self.request.headers.get(name);
        look(&Carrier {
            query: &self.request.query,
            header: &header,
        })
    }

    /// What of the request an auth link looks at.
    pub fn carrier<T>(&self, look: impl FnOnce(&Carrier<'_>) -> T) -> T {
        let header = |name: &str| self.header(name);
        look(&Carrier {
            query: &self.request.query,
            header: &header,
        })
    }

    /// Notes a change, if somebody listens.
    fn change(&mut self, change: impl FnOnce(&Self) -> Change) {
        if self.trace.is_some() {
            let change = change(self);
            if let Some(trace) = &mut self.trace {
                trace.change(change);
            }
        }
    }

    /// Adds a counter, behind those that refuse before it.
    pub fn count(&mut self, counter: Counter) {
        let scope = counter.scope;
        let at = self.counters.partition_point(|known| known.scope <= scope);
        self.counters.insert(at, counter);
    }

    /// Says in words what a link has done, if somebody listens.
    pub fn note(&mut self, words: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.note(words());
        }
    }

    /// A text of the definition with the values of its variables.
    #[must_use]
    pub fn fill(&self, template: &Template, escape: Escape) -> String {
        template.fill(self, escape)
    }

    /// The value of a context variable.
    #[must_use]
    pub fn context_variable(&self, name: &str) -> Option<String> {
        self.context_value(name)
    }

    /// Whether a context variable has a value at all: `enable_context_vars`.
    #[must_use]
    pub fn has_context(&self) -> bool {
        self.chain.context_variables
    }
}

impl Values for Exchange {
    fn context(&self, name: &str) -> Option<String> {
        self.context_value(name)
    }

    fn meta(&self, name: &str) -> Option<String> {
        self.key.session.as_ref()?.meta(name)
    }
}

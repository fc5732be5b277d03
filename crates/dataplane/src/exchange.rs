//! What a chain knows about one request and the changes it makes to it.

mod address;
mod asked;
mod request;
mod values;

pub use address::{ConnectionAddress, XffDepth, client_address};
pub use request::{Body, Entry, Lookup, Passed, Request, Route, RunContext, Target};
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
use gatewright_protocol::digest::digest;
use gatewright_protocol::target::Target as ApiTarget;
use gatewright_protocol::variables::{Escape, Template, Values};
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// What a chain knows about a request and the changes it makes to it.
#[derive(Debug)]
pub struct Exchange {
    /// The request as it arrived. Rules are matched against it, whatever is changed later.
    pub request: Request,
    /// Which part of the path named the API.
    pub route: Route,
    /// The set of APIs the request started with.
    pub snapshot: Rc<Snapshot>,
    /// The isolate the request runs in.
    pub isolate: Rc<dyn Isolate>,
    /// The API the request belongs to.
    pub api: Rc<Api>,
    /// The name of the API version that serves the request.
    pub version: String,
    /// The chain the request passes through.
    pub chain: Rc<Chain>,
    /// The credential that an auth link found in the request.
    pub credential: Option<Credential>,
    /// The identity the request acts with.
    pub identity: Option<Identity>,
    /// The identities from all methods that the request has passed.
    pub(crate) passed: Vec<Identity>,
    /// Who passed the chain that the request loops from, if no token is needed because of that.
    pub(crate) outer: Option<Identity>,
    /// The index of the authentication alternative being tried.
    pub(crate) alternative: usize,
    /// The result of looking up the key.
    pub lookup: Lookup,
    /// The session that was looked up, with the credential it belongs to.
    pub(crate) found: Option<(Credential, Rc<Known>)>,
    /// The verdict on a credential, for the link that asked; `Some(None)` if none could be obtained.
    pub proof: Option<Option<String>>,
    /// The key under which the proof of the current credential is remembered.
    pub(crate) proving: String,
    /// The counters of the request, in the order in which they refuse.
    pub counters: Vec<Counter>,
    /// The method to send, if it differs from the one received.
    pub method: Option<String>,
    /// Where the request is sent.
    pub target: Target,
    /// The query to send, if it differs from the one received.
    pub query: Option<String>,
    /// The request body.
    pub body: Body,
    /// The header and value that authenticate the gateway to the upstream; header rules can't change them.
    pub upstream_credential: Option<Rc<(String, String)>>,
    /// How the request is signed for the upstream.
    pub signing: Option<Rc<Signing>>,
    /// The targets named by a service registry.
    pub discovered: Option<Rc<Answer>>,
    /// The target selected by load balancing, instead of the API's.
    pub turn: Option<Rc<ApiTarget>>,
    /// Whether a session that the upstream starts is pinned to that target.
    pub pins: bool,
    /// The breakers the request has passed, until the upstream has answered.
    pub breakers: Vec<Passed>,
    /// The reply to a message about upstreams, for the link that asked; `Some(None)` if nobody could be asked.
    pub upstreams_answer: Option<Option<String>>,
    /// Whether an extra has replaced the body.
    pub body_replaced: bool,
    /// The index of the current link's rule that an extra has been called for.
    pub extra_rule: usize,
    /// The result of an extra's call, for the link that asked.
    pub extracted: Option<Extracted>,
    /// Calls to extras about the upstream's answer, in order.
    pub(crate) answer_calls: VecDeque<ExtraCall>,
    /// The call to an extra for each event of the upstream's answer, if that is a stream of events.
    pub(crate) event_call: Option<ExtraCall>,
    /// Header changes for the answer that precede all header rules.
    pub first_edits: Vec<AnswerEdit>,
    /// The upstream's time limit set by a rule, in milliseconds; 0 means no limit.
    pub timeout_ms: Option<u64>,
    /// Whether the path is *ignored*: neither credential nor key is checked.
    pub ignored: bool,
    /// Changes to every answer from here on, including the gateway's own errors.
    pub every_answer: Vec<AnswerEdit>,
    /// Changes to an answer of the upstream.
    pub upstream_answer: Vec<AnswerEdit>,
    /// Headers of the upstream's answer that report the limits that counted the request. They are set after the header
    /// rules, so no rule can hide or forge them (reference 3.4).
    pub limits_answer: Vec<AnswerEdit>,
    /// Whether the OpenAPI document answers in the upstream's place.
    pub is_mocked: bool,
    /// Variables set by the triggers of a rewrite.
    pub triggers: TriggerVariables,
    /// The metadata of the key, and the token that was sent.
    pub key: KeyFacts,
    /// The request id, generated once something asks for it.
    pub request_id: OnceCell<String>,
    /// How the request uses the cache; `None` if it doesn't.
    pub caching: Option<Caching>,
    /// Who sent the request, as far as the chains that it looped from know ([`Self::callers`]); empty if nobody did.
    pub caller: String,
    /// The JSON-RPC message in the body, at an MCP proxy. If present, rules are matched against it instead of the path.
    pub rpc: Option<Message>,
    /// The trace to record steps in, if the request is debugged.
    pub trace: Option<Trace>,
    headers: HeaderEdits,
    matches: Matches,
    stripped: String,
    /// The path with a removable version taken out, without and with the listen path.
    unversioned: Option<[String; 2]>,
}

/// What variables and conditions can read of a request's key.
#[derive(Clone, Debug, Default)]
pub struct KeyFacts {
    /// The session that metadata is read from.
    pub session: Option<Rc<gatewright_model::session::Session>>,
    /// The variables defined by the token: a JSON object of texts by name; empty if there are none.
    pub claims: Rc<str>,
}

impl Exchange {
    /// Starts the exchange of a request that enters a chain.
    #[must_use]
    pub fn new(request: Request, route: Route, context: RunContext) -> Self {
        let version = context.api.chains.get(context.chain);
        let (version, chain) = version.map_or_else(Default::default, |version| {
            (version.name.clone(), Rc::clone(&version.chain))
        });
        let decoded = request.path.decoded();
        let behind = |length: usize| {
            let rest = decoded.get(length..).unwrap_or_default();
            ["/", rest.trim_start_matches('/')].concat()
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
            outer: None,
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
            extra_rule: 0,
            extracted: None,
            answer_calls: VecDeque::new(),
            event_call: None,
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
            caller: String::new(),
            rpc: None,
            trace: None,
            matches: Matches::default(),
            stripped,
            unversioned: None,
        };
        exchange.unversioned = unversioned.map(|path| [path, exchange.decoded_path()]);
        exchange
    }

    /// Takes over what a request keeps when it moves from one chain to another: its trace, the key it came with, and
    /// changes to the answer apart from the header rules of the chain that it leaves. The standing of limits that have
    /// counted it is not a rule, and an API that requires no key still knows the key's metadata.
    pub(crate) fn succeed(&mut self, old: &mut Self) {
        self.caller = old.callers();
        self.outer = old.outer.take();
        self.key.session = old.key.session.take();
        self.trace = old.trace.take();
        self.every_answer = std::mem::take(&mut old.every_answer);
        self.limits_answer = std::mem::take(&mut old.limits_answer);
    }

    /// Names everybody that the request has been authenticated as, in this chain and in those it looped from: rules may
    /// tell the upstream about each of them, and about what a token claims. Empty if nobody was.
    #[must_use]
    pub(crate) fn callers(&self) -> String {
        let mut callers = self.caller.clone();
        let hashes = self.passed.iter().map(|passed| passed.known.hash.as_str());
        for part in hashes.chain([&*self.key.claims]) {
            if !part.is_empty() {
                callers = digest(&[callers.as_bytes(), part.as_bytes()]);
            }
        }
        callers
    }

    /// The decoded path without the listen path, starting with a single slash.
    #[must_use]
    pub fn stripped(&self) -> &str {
        &self.stripped
    }

    /// The forms of the path that rules are matched against (reference 5.2).
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

    /// The key, in the shared state of upstreams, of part `part` of the request's API version. It changes whenever the
    /// definition does.
    #[must_use]
    pub fn upstream_key(&self, part: usize) -> String {
        let mut chains = self.api.chains.iter();
        let version = chains.position(|version| Rc::ptr_eq(&version.chain, &self.chain));
        let version = version.unwrap_or_default();
        format!("{:x} {version} {part}", self.api.checksum)
    }

    /// Whether the requested path matches a rule.
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

    /// Selects the rules of a list that apply to the request: the first that matches. A message can have two, which
    /// both apply: the first for its method, and the first for the tool, resource or prompt that it names (reference
    /// 6.4).
    ///
    /// `others` are additional forms of the path, which a message does not have.
    pub fn applicable<'r, R>(
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

    /// The current value of a header, with the changes made so far.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        match self.headers.get(name) {
            Some(value) => value.map(str::to_owned),
            None => self.request.headers.get(name),
        }
    }

    /// The changes to the request's headers.
    #[must_use]
    pub const fn headers(&self) -> &HeaderEdits {
        &self.headers
    }

    /// Sets a header to one value, replacing all values received.
    pub fn set_header(&mut self, name: &str, value: &str) {
        let value = value.trim_matches([' ', '\t']);
        self.change(|exchange| Change::header(name, exchange.header(name), Some(value)));
        self.headers.set(name, value.to_owned());
    }

    /// Removes a header.
    pub fn remove_header(&mut self, name: &str) {
        self.change(|exchange| Change::header(name, exchange.header(name), None));
        self.headers.remove(name);
    }

    /// Adds a change to the upstream's answer.
    pub fn edit_answer(&mut self, edit: AnswerEdit) {
        self.change(|_| Change::answer_header(edit.name(), edit.value()));
        self.upstream_answer.push(edit);
    }

    /// Queues a call to an extra about the upstream's answer body. Called in the response phase of a link, whose
    /// `answered` receives the result.
    pub fn ask_of_answer(&mut self, call: ExtraCall) {
        self.answer_calls.push_back(call);
    }

    /// Adds a change to every answer from here on.
    pub fn edit_every_answer(&mut self, edit: AnswerEdit) {
        self.change(|_| Change::answer_header(edit.name(), edit.value()));
        self.every_answer.push(edit);
    }

    /// The changes to every answer of the upstream or the cache that are no rules of the chain; they follow those.
    pub(crate) fn own_edits(&self) -> Vec<AnswerEdit> {
        let limits = self.limits_answer.iter();
        limits.chain(&self.every_answer).cloned().collect()
    }

    /// Adds a header that reports the limits that counted the request.
    pub fn edit_limits(&mut self, edit: AnswerEdit) {
        self.change(|_| Change::answer_header(edit.name(), edit.value()));
        self.limits_answer.push(edit);
    }

    /// Changes the method of the request.
    pub fn set_method(&mut self, method: &str) {
        self.change(|exchange| Change::method(exchange.sent_method(), method));
        self.method = Some(method.to_owned());
    }

    /// The method that is sent to the upstream.
    #[must_use]
    pub fn sent_method(&self) -> &str {
        self.method.as_deref().unwrap_or(&self.request.method)
    }

    /// The upstream's time limit in milliseconds, from a rule or else the gateway's own; `None` if there is no limit.
    #[must_use]
    pub fn time_limit_ms(&self) -> Option<u64> {
        let default = self.chain.settings.default_timeout_ms;
        Some(self.timeout_ms.unwrap_or(default)).filter(|limit| *limit > 0)
    }

    /// Changes where the request is sent.
    pub fn set_target(&mut self, target: Target) {
        self.change(|_| Change::target(&target));
        self.target = target;
    }

    /// Like [`Self::carrier`], but with the headers as received, before any changes.
    pub fn sent_carrier<T>(&self, look: impl FnOnce(&Carrier<'_>) -> T) -> T {
        let header = |name: &str| self.request.headers.get(name);
        look(&Carrier {
            query: &self.request.query,
            header: &header,
        })
    }

    /// Calls `look` with the parts of the request that may carry a credential.
    pub fn carrier<T>(&self, look: impl FnOnce(&Carrier<'_>) -> T) -> T {
        let header = |name: &str| self.header(name);
        look(&Carrier {
            query: &self.request.query,
            header: &header,
        })
    }

    /// Records a change, if the request is traced.
    fn change(&mut self, change: impl FnOnce(&Self) -> Change) {
        if self.trace.is_some() {
            let change = change(self);
            if let Some(trace) = &mut self.trace {
                trace.change(change);
            }
        }
    }

    /// Adds a counter, after those that refuse before it.
    pub fn count(&mut self, counter: Counter) {
        let scope = counter.scope;
        let at = self.counters.partition_point(|known| known.scope <= scope);
        self.counters.insert(at, counter);
    }

    /// Records a link's remark, if the request is traced.
    pub fn remark(&mut self, words: &str) {
        self.note(|| words.to_owned());
    }

    /// Records a remark that has to be composed, if the request is traced.
    pub fn note(&mut self, words: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.note(words());
        }
    }

    /// Does the same for a remark that is composed from the exchange.
    pub fn note_of(&mut self, words: impl FnOnce(&Self) -> String) {
        if self.trace.is_some() {
            let words = words(self);
            self.note(|| words);
        }
    }

    /// Fills a template of the definition with the values of its variables.
    #[must_use]
    pub fn fill(&self, template: &Template, escape: Escape) -> String {
        template.fill(self, escape)
    }

    /// Whether context variables have values at all (`enable_context_vars`).
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

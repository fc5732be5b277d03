//! What a chain knows of one request and changes about it.

mod address;
mod asked;
mod values;

pub use address::{XffDepth, parse as parse_address};
pub(crate) use values::canonical;
pub use values::{TriggerVariables, form_pairs};

use crate::chain::trace::{Change, Trace};
use crate::chain::{Chain, Loop};
use crate::headers::{AnswerEdit, HeaderEdits, Headers};
use crate::path::RequestPath;
use crate::rules::{Matches, PatternId};
use crate::variables::{Escape, Template, Values};
use std::cell::OnceCell;
use std::rc::Rc;

/// A request as it arrives at a chain.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method.
    pub method: String,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// `host[:port]` in lower case.
    pub authority: String,
    /// The path.
    pub path: RequestPath,
    /// The query without `?`, as it was sent.
    pub query: String,
    /// Its headers.
    pub headers: Headers,
    /// The address of the connection it came over.
    pub connection_address: Rc<str>,
    /// The client's address, where it is known otherwise than by this request's headers: an item of a
    /// batch comes from where its batch came from.
    pub client_address: Option<Rc<str>>,
    /// How it came to this chain.
    pub entry: Entry,
    /// When it arrived, Unix milliseconds.
    pub now_ms: u64,
}

/// How a request comes to a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// From outside.
    Client,
    /// From another chain, or again from its own (`gateway://`).
    Loop {
        /// Whether rates and quotas of the key count again (`check_limits=true`).
        counts: bool,
    },
}

/// The part of a request's path that named its API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// How many bytes of the decoded path named the API.
    pub listen: usize,
    /// True if that was its id in the place of its listen path.
    pub by_id: bool,
    /// How many bytes of the decoded path behind that named the version, with the slash before it.
    pub version: usize,
    /// Whether the version is taken out of what is sent.
    pub strips_version: bool,
}

/// Where a request goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// To the API's target, with the path and query that the client asked for.
    #[default]
    Asked,
    /// To the API's target, with this path (encoded, with a slash at its beginning) and query.
    Path {
        /// The path.
        path: String,
        /// The query without `?`.
        query: String,
    },
    /// To this address.
    Absolute(String),
    /// To the beginning of a chain. The last link sends it there, so that those in between see it.
    Loop(Box<Loop>),
}

/// The body of a request, if a link has asked for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// Nobody has asked for it: it is streamed.
    #[default]
    Streamed,
    /// All of it.
    Read(Vec<u8>),
    /// It is longer than what was asked for.
    TooLarge,
}

/// What a chain knows of a request and changes about it.
#[derive(Debug)]
pub struct Exchange {
    /// The request as it arrived. Rules are chosen by it, whatever is changed later.
    pub request: Request,
    /// What of its path named its API.
    pub route: Route,
    /// The chain it passes.
    pub chain: Rc<Chain>,
    /// The method it is sent with, if another than it came with.
    pub method: Option<String>,
    /// Where it is sent.
    pub target: Target,
    /// The query that is sent, if another than it came with.
    pub query: Option<String>,
    /// Its body.
    pub body: Body,
    /// How long the upstream may take, milliseconds.
    pub timeout_ms: Option<u64>,
    /// True on an *ignored* path: neither credential nor key is looked at.
    pub ignored: bool,
    /// What is changed about every answer from here on, the gateway's own errors too.
    pub every_answer: Vec<AnswerEdit>,
    /// What is changed about an answer of the upstream.
    pub upstream_answer: Vec<AnswerEdit>,
    /// Variables that the triggers of a rewrite have set.
    pub triggers: TriggerVariables,
    /// The metadata of its key, and the token it brought.
    pub key: KeyFacts,
    /// The request id that was made for it, if a variable asked for one.
    pub request_id: OnceCell<String>,
    /// Who listens to its steps, if somebody does.
    pub trace: Option<Trace>,
    headers: HeaderEdits,
    matches: Matches,
    stripped: String,
    unversioned: Option<String>,
}

/// What variables and conditions know of the key of a request.
#[derive(Clone, Debug, Default)]
pub struct KeyFacts {
    /// Members of its metadata by name, as texts.
    pub session: Option<Rc<gatewright_model::session::Session>>,
    /// What `$gateway_context.token` says.
    pub token: String,
}

impl Exchange {
    /// A request at the beginning of a chain.
    #[must_use]
    pub fn new(request: Request, route: Route, chain: Rc<Chain>) -> Self {
        let decoded = request.path.decoded();
        let behind = |taken: usize| {
            let rest = decoded.get(taken..).unwrap_or_default();
            format!("/{}", rest.trim_start_matches('/'))
        };
        let listen = if route.by_id { 0 } else { route.listen };
        let stripped = behind(listen);
        let unversioned =
            (route.version > 0).then(|| behind(route.listen.saturating_add(route.version)));
        Self {
            headers: request.headers.changed().clone(),
            request,
            route,
            chain,
            method: None,
            target: Target::Asked,
            query: None,
            body: Body::Streamed,
            timeout_ms: None,
            ignored: false,
            every_answer: Vec::new(),
            upstream_answer: Vec::new(),
            triggers: TriggerVariables::default(),
            key: KeyFacts::default(),
            request_id: OnceCell::new(),
            trace: None,
            matches: Matches::default(),
            stripped,
            unversioned,
        }
    }

    /// The decoded path without the listen path, with one slash at its beginning.
    #[must_use]
    pub fn stripped(&self) -> &str {
        &self.stripped
    }

    /// The forms of the path that rules are compared with (reference 5.2).
    #[must_use]
    pub fn rule_paths(&self) -> Vec<&str> {
        let mut paths = vec![self.stripped.as_str()];
        paths.extend(self.unversioned.as_deref());
        paths.push(self.request.path.decoded());
        paths
    }

    /// Whether the path that was asked for fits a rule.
    pub fn is_match(&mut self, rule: PatternId) -> bool {
        let full = self.request.path.decoded();
        let chain = Rc::clone(&self.chain);
        match &self.unversioned {
            Some(unversioned) => {
                let paths = [self.stripped.as_str(), unversioned, full];
                self.matches.is_match(&chain.paths, rule, &paths)
            }
            None => {
                let paths = [self.stripped.as_str(), full];
                self.matches.is_match(&chain.paths, rule, &paths)
            }
        }
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

    /// Sends one value of a header in the place of all that came.
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

    /// Changes something about every answer from here on.
    pub fn edit_every_answer(&mut self, edit: AnswerEdit) {
        self.change(|_| Change::answer_header(edit.name(), edit.value()));
        self.every_answer.push(edit);
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

    /// Sends the request somewhere else.
    pub fn set_target(&mut self, target: Target) {
        self.change(|_| Change::target(&target));
        self.target = target;
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

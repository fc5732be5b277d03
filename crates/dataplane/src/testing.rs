//! Runs requests through the links of a definition, for unit tests of links. What needs the platform (identity,
//! counters) is left to the driver's tests.

use crate::caching::Reuse;
use crate::chain::{Chain, Compiler, Loop, Need, Settings, Step};
use crate::config::IdentityConfig;
use crate::exchange::{Body, Entry, Exchange, Request, Route, RunContext};
use crate::failure::{Answer, FailureReply, Reply};
use crate::headers::{AnswerEdit, Fields, Headers};
use crate::isolate::{Asked, Direct, Isolate};
use crate::leases::Leases;
use crate::path::RequestPath;
use crate::proofs::Proofs;
use crate::sessions::Sessions;
use crate::snapshot::{Api, Snapshot, VersionChain, VersionTarget};
use crate::upstreams::{Answers, Upstreams};
use gatewright_protocol::events::Event;
use gatewright_protocol::ledger::{Consume, Verdict};
use std::cell::RefCell;
use std::rc::Rc;

/// When every request arrives: 2026-01-01 00:00.
pub(crate) const NOW_MS: u64 = 1_767_225_600_000;

/// The result of a request.
pub(crate) struct Sent {
    pub(crate) exchange: Exchange,
    pub(crate) end: End,
}

/// How the request ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Sent,
    Reply(Reply),
    Loop(Loop),
    Reuse(Reuse),
}

impl Sent {
    /// The new value of a request header, if it is changed.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.exchange.headers().get(name).flatten()
    }

    pub(crate) fn removes(&self, name: &str) -> bool {
        self.exchange.headers().get(name) == Some(None)
    }

    /// The status of the gateway's own answer.
    pub(crate) fn status(&self) -> Option<u16> {
        match &self.end {
            End::Reply(Reply::Failure(FailureReply { failure, .. })) => Some(failure.status()),
            End::Reply(Reply::Answer(Answer { status, .. })) => Some(*status),
            _ => None,
        }
    }

    /// The gateway's own answer, unless it is an error.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        match &self.end {
            End::Reply(Reply::Answer(answer)) => Some(answer),
            _ => None,
        }
    }

    /// The headers of an upstream's answer after the changes.
    pub(crate) fn answered(&self, headers: &[(&str, &str)]) -> Vec<(String, String)> {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let mut headers: Vec<(String, String)> = headers.iter().map(own).collect();
        let edits = self
            .exchange
            .upstream_answer
            .iter()
            .chain(&self.exchange.every_answer);
        edits.for_each(|edit: &AnswerEdit| edit.apply(&mut headers));
        headers
    }
}

/// The chain of a definition: of its first version, if it has versions.
pub(crate) fn chain(definition: &str, settings: &Settings) -> Rc<Chain> {
    let value = gatewright_model::json::parse(definition).unwrap();
    let versions = value
        .pointer("/version_data/versions")
        .map(|versions| versions.members());
    let first = versions.and_then(<[_]>::first);
    let version = first.map(|member| (&*member.name, &member.value));
    let mut chain = Compiler::chain(&value, version, settings);
    // Identity and counting are left to the driver's tests.
    chain.links.retain(|link| !DRIVERS.contains(&link.name()));
    Rc::new(chain)
}

/// Links that need the platform.
const DRIVERS: [&str; 11] = [
    "external_oauth",
    "jwt",
    "openid",
    "organisation",
    "auth_token",
    "key_state",
    "access_rights",
    "granular_access",
    "key_limits",
    "api_rate_limit",
    "counters",
];

/// An isolate that knows no one.
#[derive(Default)]
struct EmptyIsolate {
    sessions: RefCell<Sessions>,
    proofs: RefCell<Proofs>,
    leases: RefCell<Leases>,
    upstreams: RefCell<Upstreams>,
    answers: RefCell<Answers>,
    config: IdentityConfig,
}

impl Isolate for EmptyIsolate {
    fn now_ms(&self) -> u64 {
        NOW_MS
    }

    fn sessions(&self) -> &RefCell<Sessions> {
        &self.sessions
    }

    fn proofs(&self) -> &RefCell<Proofs> {
        &self.proofs
    }

    fn trust(&self) -> (u64, Rc<str>) {
        (0, "".into())
    }

    fn has_session(&self, _: &str) -> bool {
        false
    }

    fn config(&self) -> &IdentityConfig {
        &self.config
    }

    fn leases(&self) -> &RefCell<Leases> {
        &self.leases
    }

    fn upstreams(&self) -> &RefCell<Upstreams> {
        &self.upstreams
    }

    fn answers(&self) -> &RefCell<Answers> {
        &self.answers
    }

    fn count_directly(&self, _: &str, _: &Consume) -> Direct {
        Direct::Elsewhere
    }

    fn counted(&self, _: &str, _: Asked<'_>, _: &Verdict) {}

    fn missed(&self, _: &str) {}

    fn raise(&self, _: &Api, _: Event) {}
}

/// The exchange of a request entering a chain.
pub(crate) fn exchange(request: Request, route: Route, chain: Rc<Chain>) -> Exchange {
    let settings = Settings::default();
    let nothing =
        gatewright_model::json::parse(r#"{"proxy":{"target_url":"http://up/"}}"#).unwrap();
    let mut api = Api::read(&nothing, 1, &settings);
    api.chains = vec![VersionChain {
        name: "v".to_owned(),
        chain,
        target: VersionTarget::OfApi,
    }];
    let context = RunContext {
        snapshot: Rc::new(Snapshot::empty(1, settings)),
        isolate: Rc::new(EmptyIsolate::default()),
        api: Rc::new(api),
        chain: 0,
    };
    Exchange::new(request, route, context)
}

/// A request to an API that listens on `/`; `path` may include a query.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)]) -> Request {
    let has_bare_query = path.ends_with('?');
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let own = |(name, value): &(&str, &str)| (name.to_ascii_lowercase(), (*value).to_owned());
    Request {
        method: method.to_owned(),
        scheme: "http",
        authority: "api.example".to_owned(),
        path: RequestPath::parse(path).unwrap(),
        query: query.to_owned(),
        has_bare_query,
        headers: Headers::new(Rc::new(Fields(headers.iter().map(own).collect()))),
        connection_address: "127.0.0.1".into(),
        client_address: None,
        entry: Entry::Client,
        sent_as: None,
        now_ms: NOW_MS,
    }
}

/// Sends a request without a body.
pub(crate) fn send(definition: &str, method: &str, path: &str, headers: &[(&str, &str)]) -> Sent {
    send_body(definition, request(method, path, headers), "")
}

/// Sends a request with a body through a chain with default settings.
pub(crate) fn send_body(definition: &str, request: Request, body: &str) -> Sent {
    let settings = Settings {
        max_body_bytes: 1024 * 1024,
        random_id: Some(|| "made-up".to_owned()),
        ..Settings::default()
    };
    run(chain(definition, &settings), request, body)
}

/// Sends a request through a chain.
pub(crate) fn run(chain: Rc<Chain>, request: Request, body: &str) -> Sent {
    let route = Route {
        listen: 1,
        ..Route::default()
    };
    pass(exchange(request, route, chain), body)
}

/// Runs an exchange through its chain.
pub(crate) fn pass(mut exchange: Exchange, body: &str) -> Sent {
    let chain = Rc::clone(&exchange.chain);
    for link in &chain.links {
        let mut step = link.request(&mut exchange);
        if let Step::Need(Need::Body { max }) = step {
            exchange.body = if body.len() > max {
                Body::TooLarge
            } else {
                Body::Read(body.into())
            };
            step = link.request(&mut exchange);
        }
        while step == Step::Need(Need::Cached) {
            exchange.found(None);
            step = link.request(&mut exchange);
        }
        let end = match step {
            Step::Next => continue,
            Step::Send => break,
            Step::Reply(reply) => End::Reply(reply),
            Step::Loop(to) => End::Loop(to),
            Step::Reuse(reuse) => End::Reuse(reuse),
            Step::Need(need) => unreachable!("{need:?}"),
        };
        return Sent { exchange, end };
    }
    chain
        .links
        .iter()
        .for_each(|link| link.response(&mut exchange));
    Sent {
        exchange,
        end: End::Sent,
    }
}

//! A request as it arrives at a chain, its destination, and related state.

use super::ConnectionAddress;
use crate::chain::Loop;
use crate::headers::Headers;
use crate::isolate::Isolate;
use crate::path::RequestPath;
use crate::snapshot::{Api, Snapshot};
use crate::upstreams::Rule;
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
    /// The query as received, without `?`.
    pub query: String,
    /// Whether the URL ended in a bare `?`.
    pub has_bare_query: bool,
    /// The headers.
    pub headers: Headers,
    /// The address of the connection.
    pub connection_address: ConnectionAddress,
    /// The client's address, if it is known from elsewhere than this request's headers: batch items use that of their
    /// batch.
    pub client_address: Option<Rc<str>>,
    /// How the request got to this chain.
    pub entry: Entry,
    /// The hash of the key to use instead of a token, if an administrator sends the request on a key's behalf.
    pub sent_as: Option<String>,
    /// When the request arrived, in Unix milliseconds.
    pub now_ms: u64,
}

/// How a request gets to a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// From outside, or through an API whose target is this one.
    Client,
    /// From another chain, or from its own again (`gateway://`).
    Loop {
        /// Whether the key's rates and quotas count again (`check_limits=true`).
        counts: bool,
    },
}

/// The part of a request's path that named its API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// The number of bytes of the decoded path that name the API.
    pub listen: usize,
    /// Whether that was its id instead of its listen path.
    pub by_id: bool,
    /// For a version reached by its base's listen path: whether the base has already stripped that. If true, it appears
    /// in none of the paths that the version sends or shows, if false in all of them.
    pub base_stripped: Option<bool>,
    /// The number of bytes after the API's name that name the version, including the slash before it.
    pub version: usize,
    /// Whether the version is stripped from the path that is sent.
    pub strips_version: bool,
}

/// The destination of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// The API's target, with the path and query requested by the client.
    #[default]
    Asked,
    /// The API's target, with this path and query.
    Path {
        /// The encoded path, with a leading slash.
        path: String,
        /// The query without `?`.
        query: String,
    },
    /// This URL.
    Absolute(String),
    /// The head of a chain. The last link sends it there, so that the links in between still run.
    Loop(Box<Loop>),
}

/// The body of a request, as far as links have asked for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// No link has asked for it: it is streamed.
    #[default]
    Streamed,
    /// The complete body.
    Read(Vec<u8>),
    /// It exceeds the limit that was asked for.
    TooLarge,
}

/// A circuit breaker that let a request through.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Its key in the machine's shared state.
    pub key: String,
    /// Its configuration.
    pub rule: Rule,
    /// The path of its rule, as events name it.
    pub path: Rc<str>,
    /// Whether the request is a trial.
    pub is_trial: bool,
}

/// The state of a session lookup for a credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lookup {
    /// No lookup was made, or the session is known.
    #[default]
    NotNeeded,
    /// The Registry has been asked, at this time (Unix milliseconds).
    Asked(u64),
    /// There is no session.
    Missing,
}

/// The context in which a request runs.
#[derive(Clone)]
pub struct RunContext {
    /// The set of APIs the request started with.
    pub snapshot: Rc<Snapshot>,
    /// The isolate the request runs in.
    pub isolate: Rc<dyn Isolate>,
    /// The API the request belongs to.
    pub api: Rc<Api>,
    /// The index of the version's chain among those of the API.
    pub chain: usize,
}

impl std::fmt::Debug for dyn Isolate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Isolate")
    }
}

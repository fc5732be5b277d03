//! A request as it comes to a chain, where it goes, and what is known of it besides.

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
    /// The query without `?`, as it was sent.
    pub query: String,
    /// True if there was a `?` without anything behind it.
    pub has_bare_query: bool,
    /// Its headers.
    pub headers: Headers,
    /// The address of the connection it came over.
    pub connection_address: ConnectionAddress,
    /// The client's address, where it is known otherwise than by this request's headers: an item of a
    /// batch comes from where its batch came from.
    pub client_address: Option<Rc<str>>,
    /// How it came to this chain.
    pub entry: Entry,
    /// The hash of the key that it is sent as, instead of a token: an administrator may.
    pub sent_as: Option<String>,
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
    /// True if that was its id instead of its listen path.
    pub by_id: bool,
    /// For a version of a base, which has come by the base's listen path: whether the base has taken that
    /// off before. Then it is in no path that the version sends or shows, else in all of them.
    pub taken_off: Option<bool>,
    /// How many bytes of the decoded path behind that named the version, with the slash before it.
    pub version: usize,
    /// Whether the version is removed from what is sent.
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

/// A circuit breaker that let a request through.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Its name among those of the machine.
    pub key: String,
    /// How it is set up.
    pub rule: Rule,
    /// The path of its row, as events name it.
    pub path: Rc<str>,
    /// Whether the request is a trial.
    pub is_trial: bool,
}

/// What came of looking for the session of a credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lookup {
    /// Nobody has looked, or it is known.
    #[default]
    NotNeeded,
    /// The Registry is asked, since this time (Unix milliseconds).
    Asked(u64),
    /// There is no session.
    Missing,
}

/// What a request is run with.
#[derive(Clone)]
pub struct RunContext {
    /// The set of APIs it began with.
    pub snapshot: Rc<Snapshot>,
    /// The isolate it runs in.
    pub isolate: Rc<dyn Isolate>,
    /// The API it belongs to.
    pub api: Rc<Api>,
    /// The index of its version's chain among those of the API.
    pub chain: usize,
}

impl std::fmt::Debug for dyn Isolate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Isolate")
    }
}

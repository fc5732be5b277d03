//! The cache's rules: which requests are answered from the cache, with what, and for how long (reference 3.13; RFC 9111
//! where a definition leaves it open).
//!
//! The promise: an answer cached for one caller is never sent to another. A key is a hash over everything that makes a
//! request distinct: API and revision, version, method, address, chosen headers, every key it came with and the claims
//! of its token, or the addresses of a client without one and what it claims about its request, `Authorization`, and
//! the body of a method that has one. Answers marked as personal (`private`, `no-store`, `Set-Cookie`) are never
//! cached. Where answers are stored is up to the adapter (`worker/src/cache.js`), which decides nothing.

mod control;
mod date;
mod entry;
mod keeping;
mod reuse;

pub use control::Control;
pub use entry::{Entry, Noted};
pub(crate) use keeping::keep;
pub use keeping::{Keep, Kept};
pub(crate) use reuse::{CacheDecision, check_get, decide, instead, is_waiting, validators};
pub use reuse::{Range, Reuse, Then};

use crate::exchange::{Body, Exchange};
use crate::path::RequestPath;
use crate::token_source::bare;
use gatewright_protocol::digest::digest;
use std::rc::Rc;

/// Request headers that reach upstreams, and from which some build addresses. They are part of
/// the key of a client without a key, because addresses may be shared or claimed.
const CLAIMS: [&str; 5] = [
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-forwarded-scheme",
    "x-forwarded-server",
    "x-host",
];

/// Which answers are cached, and for how long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The lifetime in seconds; 0 caches nothing.
    pub seconds: u64,
    /// The cacheable statuses; empty for all.
    pub statuses: Vec<u16>,
    /// The header in which the upstream may set the lifetime in seconds, if it controls caching
    /// (`enable_upstream_cache_control`), in lower case.
    pub control: Option<Rc<str>>,
}

impl Policy {
    /// Whether anything is cached at all.
    #[must_use]
    pub const fn keeps(&self) -> bool {
        self.seconds > 0 || self.control.is_some()
    }
}

/// The location of an answer in the cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The API's id: an administrator can empty the cache of an API.
    pub api: String,
    /// The requested address, hashed: a write to it invalidates what is cached for it.
    pub url: String,
    /// Everything that makes the request distinct, hashed.
    pub key: String,
}

/// How a request uses the cache.
#[derive(Clone, Debug)]
pub struct Caching {
    /// The location of its answer.
    pub place: Place,
    /// What it uses the cache for.
    pub aim: Aim,
    /// The GET that corresponds to a HEAD, whose response shows whether the cached answer is still valid (RFC 9111
    /// section 4.3.5).
    pub get: Option<Box<Asking>>,
}

/// What a request uses the cache for.
#[derive(Clone, Debug)]
pub enum Aim {
    /// To get an answer, and to store one.
    Answer(Box<Asking>),
    /// To invalidate: if the request succeeds, it has changed the resource at its address (RFC 9111 section 4.4).
    Forget,
    /// Only to update the answer to its GET.
    UpdateGet,
}

/// A request whose answer may be cached.
#[derive(Clone, Debug)]
pub struct Asking {
    /// What may be cached.
    pub policy: Rc<Policy>,
    /// The client's cache directives.
    pub control: Control,
    /// Whether it came with an `Authorization` that is not a key of this gateway.
    pub is_authorized: bool,
    /// The next key to look up: that of the place, or of one of several answers.
    pub key: String,
    /// Whether that is the key of one of several answers.
    pub is_variant: bool,
    /// The result of the lookup.
    pub found: Found,
}

/// The state of a lookup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Found {
    /// It has not been made.
    #[default]
    Unasked,
    /// There is no entry, or none that can be parsed.
    Nothing,
    /// There is this entry.
    Entry(Entry),
}

/// The hash of an address of an API (RFC 9110 section 7.1): host, path, and query as written; `None` if there is no
/// query.
fn address(exchange: &Exchange, path: &str, query: Option<&str>) -> String {
    digest(&[
        exchange.api.definition.api_id.as_bytes(),
        exchange.request.authority.as_bytes(),
        path.as_bytes(),
        if query.is_none() { b"" } else { b"?" },
        query.unwrap_or_default().as_bytes(),
    ])
}

/// The hash of another address on the request's host, which its answer refers to.
pub(crate) fn address_of(exchange: &Exchange, path: &str, query: &str) -> Option<String> {
    let path = RequestPath::parse(path).ok()?;
    let query = Some(query).filter(|query| !query.is_empty());
    Some(address(exchange, path.sent(), query))
}

/// The cache location of the answer to a request with this method; `headers` are those chosen by the definition, `body`
/// is the relevant part of the body.
pub(crate) fn place(exchange: &Exchange, method: &str, headers: &[String], body: &[u8]) -> Place {
    let api = &exchange.api;
    let id = api.definition.api_id.as_str();
    let header = |name: &str| exchange.request.headers.get(name).unwrap_or_default();
    let request = &exchange.request;
    let has_query = !request.query.is_empty() || request.has_bare_query;
    let query = Some(request.query.as_str()).filter(|_| has_query);
    let url = address(exchange, request.path.sent(), query);
    let identity = exchange.identity.as_ref();
    let addresses = match identity {
        Some(_) => [String::new(), String::new()],
        None => addresses(exchange),
    };
    let caller = exchange.callers();
    let authorization = header("authorization");
    // A key is the same with `Bearer` before it (reference 3.13).
    let authorization = match identity {
        Some(_) => bare(&authorization),
        None => &authorization,
    };
    let mut chosen: Vec<String> = headers.iter().map(|name| header(name)).collect();
    if identity.is_none() {
        chosen.extend(CLAIMS.iter().map(|name| header(name)));
    }
    let revision = api.revision.to_string();
    let mut parts: Vec<&[u8]> = vec![
        url.as_bytes(),
        revision.as_bytes(),
        exchange.version.as_bytes(),
        method.as_bytes(),
        caller.as_bytes(),
        addresses[0].as_bytes(),
        addresses[1].as_bytes(),
        authorization.as_bytes(),
        body,
    ];
    parts.extend(chosen.iter().map(String::as_bytes));
    Place {
        api: id.to_owned(),
        key: digest(&parts),
        url,
    }
}

/// The addresses of a client without a key: the one its headers state and its connection's, so that no header can get
/// at answers cached for someone else.
fn addresses(exchange: &Exchange) -> [String; 2] {
    let text = |address: Option<std::net::IpAddr>| {
        address.map_or_else(String::new, |address| address.to_string())
    };
    [
        text(exchange.client_address()),
        text(exchange.counted_address()),
    ]
}

/// The key of one of several answers: the common key, with the values of the selecting headers.
pub(crate) fn variant(exchange: &Exchange, key: &str, names: &[String]) -> String {
    let values = names.iter().map(|name| {
        let value = exchange.request.headers.get(name);
        // An absent header differs from an empty one.
        value.map_or_else(|| "-".to_owned(), |value| normal(name, &value))
    });
    let values: Vec<String> = values.collect();
    let mut parts = vec![key.as_bytes()];
    parts.extend(names.iter().map(String::as_bytes));
    parts.extend(values.iter().map(String::as_bytes));
    digest(&parts)
}

/// Normalises equivalent values: trims list members, and lowercases `Accept*` headers (RFC 9111 section 4.1).
fn normal(name: &str, value: &str) -> String {
    let mut text = "=".to_owned();
    for member in control::split(value, ',') {
        if name.starts_with("accept") {
            text.extend(member.chars().map(|letter| letter.to_ascii_lowercase()));
        } else {
            text.push_str(member);
        }
        text.push(',');
    }
    text
}

/// The body, if it has been read.
pub(crate) fn body(exchange: &Exchange) -> Option<&[u8]> {
    match &exchange.body {
        Body::Read(bytes) => Some(bytes),
        Body::Streamed | Body::TooLarge => None,
    }
}

impl Exchange {
    /// Takes the result of a lookup; `None` if there is no entry or the cache couldn't be reached.
    pub fn found(&mut self, noted: Option<&str>) {
        if let Some(Caching {
            aim: Aim::Answer(asking),
            ..
        }) = &mut self.caching
        {
            let entry = noted.and_then(Entry::read);
            asking.found = entry.map_or(Found::Nothing, Found::Entry);
        }
    }
}

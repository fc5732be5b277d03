//! The cache's rules: what may be answered again, from what, and for how long (reference 3.13; RFC 9111 where
//! a definition leaves it open).
//!
//! The promise: what was kept for one caller is never another's. A key is a hash over everything that makes a
//! request its own: API and revision, version, method, address, chosen headers, the key that it came with or
//! the addresses of a client without one, `Authorization`, and the body of a method that has one. Whatever
//! says that an answer is for one person (`private`, `no-store`, `Set-Cookie`) is never kept. Where answers
//! are stored is the adapter's (`worker/src/cache.js`); it decides nothing.

mod control;
mod date;
mod entry;
mod keeping;
mod reuse;

pub use control::Control;
pub use entry::{Entry, Noted};
pub(crate) use keeping::keep;
pub use keeping::{Keep, Kept};
pub(crate) use reuse::{Looked, instead, is_waiting, look, said_of_get, validators};
pub use reuse::{Range, Reuse, Then};

use crate::exchange::{Body, Exchange};
use crate::path::RequestPath;
use crate::token_source::bare;
use gatewright_protocol::digest::digest;
use std::rc::Rc;

/// Which answers are kept, and for how long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Seconds; 0 keeps nothing.
    pub seconds: u64,
    /// The statuses; empty for all.
    pub statuses: Vec<u16>,
    /// The header in which the upstream may say how many seconds, if it has a say
    /// (`enable_upstream_cache_control`), in lower case.
    pub control: Option<Rc<str>>,
}

impl Policy {
    /// Whether anything is kept at all.
    #[must_use]
    pub const fn keeps(&self) -> bool {
        self.seconds > 0 || self.control.is_some()
    }
}

/// Where an answer is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The API's id: an administrator empties the cache of an API.
    pub api: String,
    /// The address that was asked for, hashed: a write to it makes what is kept of it old.
    pub url: String,
    /// Everything that makes the request its own, hashed.
    pub key: String,
}

/// What a request has to do with the cache.
#[derive(Clone, Debug)]
pub struct Caching {
    /// Where its answer is.
    pub place: Place,
    /// What it is for.
    pub aim: Aim,
    /// The GET beside a HEAD, whose answer says whether what is kept still holds (RFC 9111 section 4.3.5).
    pub get: Option<Box<Asking>>,
}

/// What the cache is asked for.
#[derive(Clone, Debug)]
pub enum Aim {
    /// An answer, and to keep one.
    Answer(Box<Asking>),
    /// Nothing: the request changes what is at its address, if it succeeds (RFC 9111 section 4.4).
    Forget,
    /// Nothing of its own.
    Tell,
}

/// A request whose answer may be kept.
#[derive(Clone, Debug)]
pub struct Asking {
    /// What may be kept.
    pub policy: Rc<Policy>,
    /// What the client asks of caches.
    pub control: Control,
    /// True if it came with `Authorization` that is no key of this gateway.
    pub is_authorized: bool,
    /// Where the answer is looked for next: the key of the place, and of several answers the key of one.
    pub key: String,
    /// True for the key of one of several.
    pub is_variant: bool,
    /// What has been found there.
    pub found: Found,
}

/// What has come of looking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Found {
    /// Nobody has looked.
    #[default]
    Unasked,
    /// Nothing, or nothing that can be read.
    Nothing,
    /// This.
    Entry(Entry),
}

/// An address of an API (RFC 9110 section 7.1), hashed: host, path, and query as it was written; `None` for no
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

/// The same of another address with the host of a request, which an answer to it names.
pub(crate) fn named(exchange: &Exchange, path: &str, query: &str) -> Option<String> {
    let path = RequestPath::parse(path).ok()?;
    let query = Some(query).filter(|query| !query.is_empty());
    Some(address(exchange, path.sent(), query))
}

/// Where the answer to a request with this method is kept; `headers` are those that the definition chooses, `body`
/// is what of the body counts.
pub(crate) fn place(exchange: &Exchange, method: &str, headers: &[String], body: &[u8]) -> Place {
    let api = &exchange.api;
    let id = api.definition.api_id.as_str();
    let header = |name: &str| exchange.request.headers.get(name).unwrap_or_default();
    let request = &exchange.request;
    let has_query = !request.query.is_empty() || request.has_bare_query;
    let query = Some(request.query.as_str()).filter(|_| has_query);
    let url = address(exchange, request.path.sent(), query);
    let identity = exchange.identity.as_ref();
    let (key, addresses) = match identity {
        Some(identity) => (identity.known.hash.as_str(), [String::new(), String::new()]),
        None => ("", addresses(exchange)),
    };
    let authorization = header("authorization");
    // A key is the same with `Bearer` before it (reference 3.13).
    let authorization = match identity {
        Some(_) => bare(&authorization),
        None => &authorization,
    };
    let chosen: Vec<String> = headers.iter().map(|name| header(name)).collect();
    let revision = api.revision.to_string();
    let mut parts: Vec<&[u8]> = vec![
        url.as_bytes(),
        revision.as_bytes(),
        exchange.version.as_bytes(),
        method.as_bytes(),
        key.as_bytes(),
        exchange.caller.as_deref().unwrap_or_default().as_bytes(),
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

/// The addresses of a client without a key: what its headers say, and that of its connection, so that nobody
/// gets what is kept for another by a header.
fn addresses(exchange: &Exchange) -> [String; 2] {
    let text = |address: Option<std::net::IpAddr>| {
        address.map_or_else(String::new, |address| address.to_string())
    };
    [
        text(exchange.client_address()),
        text(exchange.counted_address()),
    ]
}

/// The key of one of several answers: that of all, and the values of the headers that choose.
pub(crate) fn variant(exchange: &Exchange, key: &str, names: &[String]) -> String {
    let values = names.iter().map(|name| {
        let value = exchange.request.headers.get(name);
        // No header is another request than an empty one.
        value.map_or_else(|| "-".to_owned(), |value| normal(name, &value))
    });
    let values: Vec<String> = values.collect();
    let mut parts = vec![key.as_bytes()];
    parts.extend(names.iter().map(String::as_bytes));
    parts.extend(values.iter().map(String::as_bytes));
    digest(&parts)
}

/// A value as all that mean the same: without blanks around the members of a list, and of what a client accepts
/// in lower case (RFC 9111 section 4.1).
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

/// What has been read of the body.
pub(crate) fn body(exchange: &Exchange) -> Option<&[u8]> {
    match &exchange.body {
        Body::Read(bytes) => Some(bytes),
        Body::Streamed | Body::TooLarge => None,
    }
}

impl Exchange {
    /// Takes what has been found in the cache; nothing if that is not there or could not be asked.
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

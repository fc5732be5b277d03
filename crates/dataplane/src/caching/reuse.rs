//! Whether a kept answer may be used, and how.

use super::control::split;
use super::{Asking, Entry, Found, Noted, date, variant};
use crate::exchange::Exchange;
use crate::headers::AnswerEdit;

/// Says that an answer comes from the cache (reference 3.13).
const CACHED: &str = "x-gateway-cached-response";

/// A kept answer as it is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reuse {
    /// The status that it is counted with.
    pub status: u16,
    /// True if the client has it already: 304, without a body.
    pub is_known: bool,
    /// What is changed about its headers, in this order.
    pub answer: Vec<AnswerEdit>,
}

/// What comes of looking into the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Looked {
    /// It has to be looked for, under this key.
    Ask,
    /// This answer.
    Reuse(Reuse),
    /// There is none that may be used.
    Miss,
}

/// Decides by what has been found so far.
pub(crate) fn look(exchange: &Exchange, asking: &mut Asking) -> Looked {
    match &asking.found {
        Found::Unasked if asking.control.no_cache => Looked::Miss,
        Found::Unasked => Looked::Ask,
        Found::Nothing => Looked::Miss,
        Found::Entry(Entry::Varies(names)) => {
            let key = variant(exchange, &asking.key, names);
            if asking.is_variant {
                return Looked::Miss;
            }
            asking.key = key;
            asking.is_variant = true;
            asking.found = Found::Unasked;
            Looked::Ask
        }
        Found::Entry(Entry::Answer(noted)) => {
            if is_usable(noted, asking, exchange.request.now_ms) {
                Looked::Reuse(reuse(exchange, noted))
            } else {
                Looked::Miss
            }
        }
    }
}

/// Whether an answer is fresh, and as fresh as the client wants it (RFC 9111 sections 4.2 and 5.2.1).
fn is_usable(noted: &Noted, asking: &Asking, now_ms: u64) -> bool {
    let left_ms = noted.until_ms.saturating_sub(now_ms);
    let is_fresh = left_ms > 0;
    let is_young = asking
        .control
        .max_age
        .is_none_or(|most| noted.age(now_ms) <= most);
    let stays = asking
        .control
        .min_fresh
        .is_none_or(|least| left_ms / 1000 >= least);
    is_fresh && is_young && stays
}

fn reuse(exchange: &Exchange, noted: &Noted) -> Reuse {
    let is_known = (200..300).contains(&noted.status) && is_known(exchange, noted);
    let mut answer = vec![AnswerEdit::Set(CACHED.to_owned(), "1".to_owned())];
    if noted.tells_age {
        let age = noted.age(exchange.request.now_ms).to_string();
        answer.push(AnswerEdit::Set("age".to_owned(), age));
    }
    if is_known {
        for name in ["content-type", "content-length", "content-encoding"] {
            answer.push(AnswerEdit::Remove(name.to_owned()));
        }
    }
    Reuse {
        status: if is_known { 304 } else { noted.status },
        is_known,
        answer,
    }
}

/// Whether the client has the answer already (RFC 9110 sections 13.1.2, 13.1.3 and 13.2.2).
fn is_known(exchange: &Exchange, noted: &Noted) -> bool {
    let header = |name: &str| exchange.request.headers.get(name);
    if !matches!(exchange.request.method.as_str(), "GET" | "HEAD") {
        return false;
    }
    if let Some(tags) = header("if-none-match") {
        let own = opaque(&noted.etag);
        return tags.trim() == "*"
            || (!own.is_empty() && split(&tags, ',').any(|tag| opaque(tag) == own));
    }
    let since = header("if-modified-since").and_then(|since| date::parse(since.trim()));
    let modified = date::parse(&noted.modified);
    matches!((since, modified), (Some(since), Some(modified)) if modified <= since)
}

/// An entity tag as a weak comparison sees it.
fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

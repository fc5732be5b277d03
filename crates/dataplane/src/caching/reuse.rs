//! Whether a cached answer may be used, and how.

use super::control::split;
use super::keeping::length;
use super::{Aim, Asking, Entry, Found, Noted, date, variant};
use crate::exchange::Exchange;
use crate::headers::{AnswerEdit, HeaderSource};

/// The header that marks an answer from the cache (reference 3.13).
const CACHED: &str = "x-gateway-cached-response";

/// A cached answer to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reuse {
    /// The status, which is also counted.
    pub status: u16,
    /// Whether the client already has it: 304, without a body.
    pub is_known: bool,
    /// The requested bytes, if that is a single range.
    pub range: Option<Range>,
    /// Changes to its headers, in order.
    pub answer: Vec<AnswerEdit>,
    /// What to do in addition.
    pub then: Option<Then>,
}

/// A byte range (RFC 9110 section 14.1.2): first and last position from 0, or to the end without a last one. Without a
/// first one, the second number is the length of the suffix. Only the adapter knows the total length, so it cuts the
/// range or answers that there is nothing (416).
pub type Range = (Option<u64>, Option<u64>);

/// What to do in addition when a cached answer is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Fetch a new one after the response is sent: this one is stale (RFC 5861 section 3).
    Renew,
    /// Update its headers to those the upstream has just sent with an unchanged body (RFC 9111 section 4.3.4).
    Refresh,
}

/// The result of consulting the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CacheDecision {
    /// An entry has to be looked up, under this key.
    Ask,
    /// Use this answer.
    Reuse(Reuse),
    /// No answer may be used as it is.
    Miss,
}

/// Decides from what has been found so far.
pub(crate) fn decide(exchange: &Exchange, asking: &mut Asking) -> CacheDecision {
    match &asking.found {
        Found::Unasked => CacheDecision::Ask,
        Found::Nothing => CacheDecision::Miss,
        Found::Entry(Entry::Varies(names)) => {
            let key = variant(exchange, &asking.key, names);
            if asking.is_variant {
                return CacheDecision::Miss;
            }
            asking.key = key;
            asking.is_variant = true;
            asking.found = Found::Unasked;
            CacheDecision::Ask
        }
        Found::Entry(Entry::Answer(noted)) => {
            let now_ms = exchange.request.now_ms;
            match usable(noted, asking, now_ms) {
                Some(then) => {
                    let mut reuse = reuse(exchange, noted, now_ms);
                    reuse.then = then;
                    CacheDecision::Reuse(reuse)
                }
                None => CacheDecision::Miss,
            }
        }
    }
}

/// Whether an answer may be used as it is: it is fresh, and as fresh as the client demands, or stale and both sides
/// allow that (RFC 9111 sections 4.2 and 5.2.1, RFC 5861 section 3).
fn usable(noted: &Noted, asking: &Asking, now_ms: u64) -> Option<Option<Then>> {
    let control = &asking.control;
    let is_young = control.max_age.is_none_or(|most| noted.age(now_ms) <= most);
    if control.no_cache || !is_young {
        return None;
    }
    let left_ms = noted.until_ms.saturating_sub(now_ms);
    let stays = |least: u64| left_ms / 1000 >= least;
    if left_ms > 0 {
        return control.min_fresh.is_none_or(stays).then_some(None);
    }
    if control.min_fresh.is_some() {
        return None;
    }
    if control
        .max_stale
        .is_some_and(|most| noted.may_be_used(most, now_ms))
    {
        return Some(None);
    }
    let renews = noted.while_seconds > 0 && noted.may_be_used(noted.while_seconds, now_ms);
    renews.then_some(Some(Then::Renew))
}

/// The cached answer, if it may not be used as it is.
fn kept(exchange: &Exchange) -> Option<(&Asking, &Noted)> {
    match &exchange.caching.as_ref()?.aim {
        Aim::Answer(asking) => match &asking.found {
            Found::Entry(Entry::Answer(noted)) => Some((asking, noted)),
            _ => None,
        },
        Aim::Forget | Aim::UpdateGet => None,
    }
}

/// Checks with the answer to a HEAD whether the cached answer to the same GET, with these notes, is still valid (RFC
/// 9111 section 4.3.5). Returns `holds`, so that its headers are updated, `forget`, or the key of one of several, to be
/// looked up first; `None` if the answer doesn't show it.
pub(crate) fn check_get(
    exchange: &Exchange,
    noted: &str,
    (status, headers): (u16, &dyn HeaderSource),
) -> Option<String> {
    let get = exchange.caching.as_ref()?.get.as_ref()?;
    if status != 200 {
        return None;
    }
    let noted = match Entry::read(noted)? {
        Entry::Varies(names) => return Some(variant(exchange, &get.key, &names)),
        Entry::Answer(noted) => noted,
    };
    let is = |name: &str, own: &str| headers.get(name).is_none_or(|value| value.trim() == own);
    let length = length(headers);
    let holds = noted.status == 200
        && is("etag", &noted.etag)
        && is("last-modified", &noted.modified)
        && (length == 0 || noted.length == 0 || length == noted.length);
    Some(if holds { "holds" } else { "forget" }.to_owned())
}

/// The cached answer's `ETag` and `Last-Modified`, with which the upstream can validate it; empty where absent.
pub(crate) fn validators(exchange: &Exchange) -> Option<(&str, &str)> {
    let (_, noted) = kept(exchange)?;
    let is_read = matches!(exchange.sent_method(), "GET" | "HEAD");
    (is_read && noted.has_validator()).then_some((noted.etag.as_str(), noted.modified.as_str()))
}

/// Whether a cached answer may be used in place of the upstream's.
pub(crate) fn is_waiting(exchange: &Exchange) -> bool {
    kept(exchange).is_some()
}

/// The cached answer to use in place of the upstream's with this status: a confirmation that it is valid, or an error.
/// `None` as the status means that the upstream didn't respond.
pub(crate) fn instead(exchange: &Exchange, status: Option<u16>) -> Option<Reuse> {
    let (asking, noted) = kept(exchange)?;
    let now_ms = exchange.isolate.now_ms();
    let then = match status {
        Some(304) if validators(exchange).is_some() => Some(Then::Refresh),
        None | Some(500 | 502..=504) => {
            let asked = asking.control.stale_error.unwrap_or_default();
            let most = noted.error_seconds.max(asked);
            let may = most > 0 && !asking.control.no_cache && noted.may_be_used(most, now_ms);
            may.then_some(())?;
            None
        }
        Some(_) => return None,
    };
    let mut reuse = reuse(exchange, noted, now_ms);
    if then.is_some() {
        // The upstream has just stated its age.
        reuse.answer.retain(|edit| edit.name() != "age");
    }
    reuse.then = then;
    Some(reuse)
}

fn reuse(exchange: &Exchange, noted: &Noted, now_ms: u64) -> Reuse {
    let is_known = (200..300).contains(&noted.status) && is_known(exchange, noted);
    let mut answer = vec![AnswerEdit::Set(CACHED.to_owned(), "1".to_owned())];
    if noted.tells_age {
        let age = noted.age(now_ms).to_string();
        answer.push(AnswerEdit::Set("age".to_owned(), age));
    }
    if is_known {
        for name in ["content-type", "content-length", "content-encoding"] {
            answer.push(AnswerEdit::Remove(name.to_owned()));
        }
    }
    let is_part = !is_known && noted.status == 200 && is_current(exchange, noted);
    Reuse {
        status: if is_known { 304 } else { noted.status },
        is_known,
        range: is_part.then(|| range(exchange)).flatten(),
        answer,
        then: None,
    }
}

/// The byte range that a request asks for. Any other form of `Range` asks for the complete answer (RFC 9110 section
/// 14.2).
fn range(exchange: &Exchange) -> Option<Range> {
    let value = exchange.request.headers.get("range")?;
    let (unit, bytes) = value.split_once('=')?;
    let (first, last) = bytes.trim().split_once('-')?;
    // Signs and spaces are not digits, and nobody sends numbers that overflow.
    let is_number = |text: &str| text.len() < 19 && text.bytes().all(|byte| byte.is_ascii_digit());
    if exchange.request.method != "GET"
        || !unit.trim().eq_ignore_ascii_case("bytes")
        || !is_number(first)
        || !is_number(last)
    {
        return None;
    }
    let range = (first.parse().ok(), last.parse().ok());
    match range {
        (None, None) => None,
        (Some(first), Some(last)) if first > last => None,
        range => Some(range),
    }
}

/// Whether the client's part belongs to the cached answer, if it makes that a condition (`If-Range`, RFC 9110 section
/// 13.1.5): by the same strong tag, or by the same date if the answer was created at least a second after it.
fn is_current(exchange: &Exchange, noted: &Noted) -> bool {
    let Some(asked) = exchange.request.headers.get("if-range") else {
        return true;
    };
    let asked = asked.trim();
    if asked.starts_with('"') {
        return asked == noted.etag;
    }
    let modified = date::parse(&noted.modified).filter(|_| asked == noted.modified);
    modified.is_some_and(|modified| modified.saturating_add(1000) <= noted.made_ms())
}

/// Whether the client already has the answer (RFC 9110 sections 13.1.2, 13.1.3 and 13.2.2).
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
    // Without it, the answer's creation time is used (RFC 9111 section 4.3.2).
    let modified = date::parse(&noted.modified).unwrap_or(noted.made_ms());
    since.is_some_and(|since| modified / 1000 <= since / 1000)
}

/// An entity tag as weak comparison sees it.
fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

//! Whether an answer is cached, under which keys, and for how long.

use super::control::seconds;
use super::{Aim, Asking, Caching, Control, Entry, Noted, Policy, date, variant};
use crate::exchange::Exchange;
use crate::headers::HeaderSource;
use gatewright_model::order::sorted;

/// How long a stale answer that the upstream can validate is kept, in seconds.
const VALIDATED_SECONDS: u64 = 3600;
/// How long a stale answer is kept for clients that accept it, in seconds.
const STALE_SECONDS: u64 = 60;
/// The header that makes an answer cacheable whatever its status (reference 3.13).
const ACTION: &str = "x-gateway-cache-action-set";

/// The cache's treatment of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Store it.
    Kept(Box<Kept>),
    /// Invalidate what is cached for its address.
    Forget,
}

/// How an answer is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// When it is dropped, in Unix milliseconds: after it becomes stale, it may still be useful for a while.
    pub until_ms: u64,
    /// Its key, and its notes.
    pub answer: (String, String),
    /// The request's key and a note on how to choose, if that key alone doesn't identify the answer.
    pub choice: Option<(String, String)>,
    /// Whether an older one may be stored, including by other isolates.
    pub replaces: bool,
}

/// Decides how the cache treats an answer with this status and these headers, after all rules. It was requested at
/// `asked_ms` and received at `now_ms`. With `of_get` it answers the GET that corresponds to a HEAD.
pub(crate) fn keep(
    exchange: &Exchange,
    (status, headers): (u16, &dyn HeaderSource),
    (asked_ms, now_ms): (u64, u64),
    of_get: bool,
) -> Option<Keep> {
    let Caching { place, aim, get } = exchange.caching.as_ref()?;
    let (asking, key) = match (aim, get) {
        (_, Some(asking)) if of_get => (asking, &asking.key),
        (Aim::Answer(asking), _) => (asking, &place.key),
        // RFC 9111 section 4.4: the answer is not an error.
        (Aim::Forget, _) => return (200..400).contains(&status).then_some(Keep::Forget),
        (Aim::UpdateGet, _) => return None,
    };
    let has_say = asking.policy.control.is_some();
    let targeted = headers.get("cdn-cache-control").filter(|_| has_say);
    let targeted = targeted.and_then(|value| Control::targeted(&value));
    let is_targeted = targeted.is_some();
    let control =
        targeted.unwrap_or_else(|| Control::read(headers.get("cache-control").as_deref()));
    let delay = now_ms.saturating_sub(asked_ms) / 1000;
    let age = age(headers, (now_ms, delay));
    let stated = stated(
        &asking.policy,
        &control,
        headers,
        (now_ms, age, is_targeted),
    );
    if !may_be_kept(asking, &control, status, headers)
        || (has_say && stated.is_none() && !may_be_guessed(asking, &control, status, headers))
    {
        return None;
    }
    let text = |name| headers.get(name).unwrap_or_default().trim().to_owned();
    let left = if has_say && control.no_cache {
        0
    } else {
        stated.unwrap_or(asking.policy.seconds)
    };
    let may_be_stale = has_say && !control.forbids_stale();
    let mut noted = Noted {
        stored_ms: now_ms,
        until_ms: now_ms.saturating_add(left.saturating_mul(1000)),
        status,
        age_seconds: age,
        tells_age: ["cache-control", "expires", "age"]
            .iter()
            .any(|name| headers.get(name).is_some()),
        may_be_stale,
        while_seconds: 0,
        error_seconds: 0,
        length: length(headers),
        etag: text("etag"),
        modified: text("last-modified"),
    };
    let mut longer = 0;
    if may_be_stale {
        noted.while_seconds = control.stale_while.unwrap_or_default();
        noted.error_seconds = control.stale_error.unwrap_or_default();
        longer = noted.while_seconds.max(noted.error_seconds);
        if left > 0 {
            longer = longer.max(STALE_SECONDS);
        }
    }
    if has_say && noted.has_validator() {
        longer = longer.max(VALIDATED_SECONDS);
    }
    let seconds = left.saturating_add(longer);
    if seconds == 0 {
        return None;
    }
    let until_ms = now_ms.saturating_add(seconds.saturating_mul(1000));
    let varies = varies(headers)?;
    let (key, choice) = if varies.is_empty() {
        (key.clone(), None)
    } else {
        let choice = (key.clone(), Entry::Varies(varies.clone()).write());
        (variant(exchange, key, &varies), Some(choice))
    };
    Some(Keep::Kept(Box::new(Kept {
        until_ms,
        answer: (key, Entry::Answer(noted).write()),
        choice,
        // What was found but not used is older, and so may be what was never looked for.
        replaces: asking.found != super::Found::Nothing,
    })))
}

/// The `Content-Length`; 0 if there is none.
pub(super) fn length(headers: &dyn HeaderSource) -> u64 {
    let length = headers.get("content-length").unwrap_or_default();
    length.trim().parse().unwrap_or_default()
}

/// The request headers that select among several answers, in order; `None` for `Vary: *`.
fn varies(headers: &dyn HeaderSource) -> Option<Vec<String>> {
    let vary = headers.get("vary").unwrap_or_default();
    let names = vary.split(',').map(|name| name.trim().to_ascii_lowercase());
    let names = names.filter(|name| !name.is_empty()).collect();
    let mut names = sorted(names, String::clone);
    names.dedup();
    (!names.iter().any(|name| name == "*")).then_some(names)
}

fn may_be_kept(
    asking: &Asking,
    control: &Control,
    status: u16,
    headers: &dyn HeaderSource,
) -> bool {
    let has_say = asking.policy.control.is_some();
    let statuses = &asking.policy.statuses;
    let is_wanted = statuses.is_empty()
        || statuses.contains(&status)
        || (has_say && headers.get(ACTION).is_some_and(|value| !value.is_empty()));
    let is_whole = status >= 200 && !matches!(status, 206 | 304);
    let is_understood = control.must_understand && is_known(status);
    let is_personal = control.private || headers.get("set-cookie").is_some();
    let is_refused =
        (control.no_store && !is_understood) || (control.must_understand && !is_known(status));
    let is_shared = !asking.is_authorized || control.public || control.must_revalidate;
    is_wanted
        && is_whole
        && !is_personal
        && !is_refused
        && is_shared
        && !asking.control.no_store
        && varies(headers).is_some()
}

/// Whether the meaning of a status for caches is known (RFC 9110 section 15).
const fn is_known(status: u16) -> bool {
    matches!(status, 200..=206 | 300..=308 | 400..=417 | 421 | 422 | 426 | 428 | 429 | 431 | 451 | 500..=505 | 511)
}

/// Whether the definition's lifetime may apply if the upstream controls caching but states none (RFC 9111 section
/// 4.2.2): only if the definition or the upstream marks the answer as cacheable, or its status allows it.
fn may_be_guessed(
    asking: &Asking,
    control: &Control,
    status: u16,
    headers: &dyn HeaderSource,
) -> bool {
    let is_named = !asking.policy.statuses.is_empty() || headers.get(ACTION).is_some();
    let is_open = matches!(
        status,
        200 | 203 | 204 | 300 | 301 | 308 | 404 | 405 | 410 | 414 | 501
    );
    is_named || is_open || control.public
}

/// The age of an answer in seconds (RFC 9111 section 4.2.3).
fn age(headers: &dyn HeaderSource, (now_ms, delay): (u64, u64)) -> u64 {
    // The first of several counts (RFC 9111 section 5.1).
    let age = headers.get("age").unwrap_or_default();
    let age = seconds(age.split(',').next().unwrap_or_default()).saturating_add(delay);
    let date = headers
        .get("date")
        .and_then(|date| date::parse(date.trim()));
    age.max(date.map_or(0, |date| now_ms.saturating_sub(date) / 1000))
}

/// How long an answer stays fresh from now, in seconds, as stated by an upstream that controls caching (RFC 9111
/// section 4.2.1). `is_targeted` means that `control` targets caches like this one, so that `Expires` doesn't apply
/// (RFC 9213).
fn stated(
    policy: &Policy,
    control: &Control,
    headers: &dyn HeaderSource,
    (now_ms, age, is_targeted): (u64, u64, bool),
) -> Option<u64> {
    let own = policy.control.as_ref()?;
    if let Some(text) = headers.get(own) {
        let seconds = text.trim().parse::<i64>();
        return Some(seconds.map_or(policy.seconds, |seconds| {
            u64::try_from(seconds).unwrap_or_default()
        }));
    }
    let expires = || {
        let expires = headers.get("expires").filter(|_| !is_targeted)?;
        let date = headers
            .get("date")
            .and_then(|date| date::parse(date.trim()));
        let until = date::parse(expires.trim()).unwrap_or_default();
        Some(until.saturating_sub(date.unwrap_or(now_ms)) / 1000)
    };
    let stated = control.s_maxage.or(control.max_age).or_else(expires)?;
    Some(stated.saturating_sub(age))
}

//! Whether an answer is cached, under which keys, and for how long.

use super::control::seconds;
use super::{Aim, Asking, Caching, Control, Entry, Found, Noted, date, variant};
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
    let received = Received::read(asking, (status, headers), (asked_ms, now_ms));
    let fresh_seconds = received.fresh_seconds()?;
    let varies = varies(headers)?;
    let noted = received.noted(fresh_seconds);
    let seconds = fresh_seconds.saturating_add(received.stale_seconds(&noted, fresh_seconds));
    if seconds == 0 {
        return None;
    }
    let until_ms = now_ms.saturating_add(seconds.saturating_mul(1000));
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
        replaces: asking.found != Found::Nothing,
    })))
}

/// An answer that the cache decides about.
struct Received<'a> {
    asking: &'a Asking,
    /// Whether the upstream decides about caching, too.
    has_say: bool,
    status: u16,
    headers: &'a dyn HeaderSource,
    /// The upstream's cache directives.
    control: Control,
    /// Whether they are for caches like this one, so that `Expires` doesn't apply (RFC 9213).
    is_targeted: bool,
    /// The age when it was received, in seconds (RFC 9111 section 4.2.3).
    age: u64,
    /// When it was received, in Unix milliseconds.
    now_ms: u64,
}

impl<'a> Received<'a> {
    fn read(
        asking: &'a Asking,
        (status, headers): (u16, &'a dyn HeaderSource),
        (asked_ms, now_ms): (u64, u64),
    ) -> Self {
        let has_say = asking.policy.control.is_some();
        let targeted = headers.get("cdn-cache-control").filter(|_| has_say);
        let targeted = targeted.and_then(|value| Control::targeted(&value));
        let control = || Control::read(headers.get("cache-control").as_deref());
        Self {
            asking,
            has_say,
            status,
            headers,
            is_targeted: targeted.is_some(),
            control: targeted.unwrap_or_else(control),
            age: age(headers, (asked_ms, now_ms)),
            now_ms,
        }
    }

    /// How long it stays fresh, in seconds; `None` if it may not be kept.
    fn fresh_seconds(&self) -> Option<u64> {
        let stated = self.stated();
        let is_guess = self.has_say && stated.is_none();
        if !self.may_be_kept() || (is_guess && !self.may_be_guessed()) {
            return None;
        }
        Some(match self.has_say && self.control.no_cache {
            true => 0,
            false => stated.unwrap_or(self.asking.policy.seconds),
        })
    }

    /// What is noted about it.
    fn noted(&self, fresh_seconds: u64) -> Noted {
        let has = |name: &&str| self.headers.get(name).is_some();
        let text = |name| self.headers.get(name).unwrap_or_default().trim().to_owned();
        let may_be_stale = self.has_say && !self.control.forbids_stale();
        let stale = |seconds: Option<u64>| seconds.filter(|_| may_be_stale).unwrap_or_default();
        let fresh_ms = fresh_seconds.saturating_mul(1000);
        Noted {
            stored_ms: self.now_ms,
            until_ms: self.now_ms.saturating_add(fresh_ms),
            status: self.status,
            age_seconds: self.age,
            tells_age: ["cache-control", "expires", "age"].iter().any(has),
            may_be_stale,
            while_seconds: stale(self.control.stale_while),
            error_seconds: stale(self.control.stale_error),
            length: length(self.headers),
            etag: text("etag"),
            modified: text("last-modified"),
        }
    }

    /// How much longer than it is fresh it is kept, in seconds.
    fn stale_seconds(&self, noted: &Noted, fresh_seconds: u64) -> u64 {
        let stated = noted.while_seconds.max(noted.error_seconds);
        let accepted = match noted.may_be_stale && fresh_seconds > 0 {
            true => STALE_SECONDS,
            false => 0,
        };
        let validated = match self.has_say && noted.has_validator() {
            true => VALIDATED_SECONDS,
            false => 0,
        };
        stated.max(accepted).max(validated)
    }

    fn may_be_kept(&self) -> bool {
        let control = &self.control;
        let statuses = &self.asking.policy.statuses;
        let has_action = || {
            self.headers
                .get(ACTION)
                .is_some_and(|value| !value.is_empty())
        };
        let is_wanted = statuses.is_empty()
            || statuses.contains(&self.status)
            || (self.has_say && has_action());
        let is_whole = self.status >= 200 && !matches!(self.status, 206 | 304);
        let is_personal = control.private || self.headers.get("set-cookie").is_some();
        let is_refused = match control.must_understand {
            true => !is_known(self.status),
            false => control.no_store,
        };
        let is_shared = !self.asking.is_authorized || control.public || control.must_revalidate;
        is_wanted
            && is_whole
            && !is_personal
            && !is_refused
            && is_shared
            && !self.asking.control.no_store
    }

    /// Whether the definition's lifetime may apply if the upstream controls caching but states none (RFC 9111 section
    /// 4.2.2): only if the definition or the upstream marks the answer as cacheable, or its status allows it.
    fn may_be_guessed(&self) -> bool {
        let is_named =
            !self.asking.policy.statuses.is_empty() || self.headers.get(ACTION).is_some();
        let is_open = matches!(
            self.status,
            200 | 203 | 204 | 300 | 301 | 308 | 404 | 405 | 410 | 414 | 501
        );
        is_named || is_open || self.control.public
    }

    /// How long it stays fresh from now, in seconds, as stated by an upstream that controls caching (RFC 9111 section
    /// 4.2.1).
    fn stated(&self) -> Option<u64> {
        let policy = &self.asking.policy;
        let own = policy.control.as_ref()?;
        if let Some(text) = self.headers.get(own) {
            let seconds = text.trim().parse::<i64>();
            return Some(seconds.map_or(policy.seconds, |seconds| {
                u64::try_from(seconds).unwrap_or_default()
            }));
        }
        let expires = || {
            let expires = self.headers.get("expires").filter(|_| !self.is_targeted)?;
            let until = date::parse(expires.trim()).unwrap_or_default();
            let from = dated(self.headers).unwrap_or(self.now_ms);
            Some(until.saturating_sub(from) / 1000)
        };
        let control = &self.control;
        let stated = control.s_maxage.or(control.max_age).or_else(expires)?;
        Some(stated.saturating_sub(self.age))
    }
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

/// Whether the meaning of a status for caches is known (RFC 9110 section 15).
const fn is_known(status: u16) -> bool {
    matches!(status, 200..=206 | 300..=308 | 400..=417 | 421 | 422 | 426 | 428 | 429 | 431 | 451 | 500..=505 | 511)
}

/// The age of an answer in seconds (RFC 9111 section 4.2.3).
fn age(headers: &dyn HeaderSource, (asked_ms, now_ms): (u64, u64)) -> u64 {
    // The first of several counts (RFC 9111 section 5.1).
    let age = headers.get("age").unwrap_or_default();
    let age = seconds(age.split(',').next().unwrap_or_default());
    let delay = now_ms.saturating_sub(asked_ms) / 1000;
    let apparent = dated(headers).map_or(0, |date| now_ms.saturating_sub(date) / 1000);
    age.saturating_add(delay).max(apparent)
}

/// The `Date`, in Unix milliseconds.
fn dated(headers: &dyn HeaderSource) -> Option<u64> {
    date::parse(headers.get("date")?.trim())
}

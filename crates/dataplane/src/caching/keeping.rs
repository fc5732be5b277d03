//! Whether an answer is kept, under which keys and until when.

use super::control::seconds;
use super::{Aim, Asking, Caching, Control, Entry, Noted, Policy, date, variant};
use crate::exchange::Exchange;
use crate::headers::HeaderSource;
use gatewright_model::order::sorted;

/// Tells that an answer is kept whatever its status (reference 3.13).
const ACTION: &str = "x-gateway-cache-action-set";

/// What becomes of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// It is kept.
    Kept(Box<Kept>),
    /// What is kept of its address is old now.
    Forget,
}

/// How an answer is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Until when, Unix milliseconds.
    pub until_ms: u64,
    /// Its key, and what is noted about it.
    pub answer: (String, String),
    /// What is noted under the key of the request where that alone does not name the answer.
    pub choice: Option<(String, String)>,
    /// True if there may be an older one, which other isolates have.
    pub replaces: bool,
}

/// What becomes of an answer with this status and these headers, those of the rules included. It was asked for
/// at `asked_ms` and has come at `now_ms`.
pub(crate) fn keep(
    exchange: &Exchange,
    (status, headers): (u16, &dyn HeaderSource),
    (asked_ms, now_ms): (u64, u64),
) -> Option<Keep> {
    let Caching { place, aim } = exchange.caching.as_ref()?;
    let asking = match aim {
        Aim::Answer(asking) => asking,
        // RFC 9111 section 4.4: the answer is no error.
        Aim::Forget => return (200..400).contains(&status).then_some(Keep::Forget),
    };
    let control = Control::read(headers.get("cache-control").as_deref());
    if !may_be_kept(asking, &control, status, headers) {
        return None;
    }
    let delay = now_ms.saturating_sub(asked_ms) / 1000;
    let age = age(headers, (now_ms, delay));
    let left = left(&asking.policy, &control, headers, (now_ms, age));
    if left == 0 {
        return None;
    }
    let until_ms = now_ms.saturating_add(left.saturating_mul(1000));
    let tells_age = ["cache-control", "expires", "age"]
        .iter()
        .any(|name| headers.get(name).is_some());
    let noted = Noted {
        stored_ms: now_ms,
        until_ms,
        status,
        age_seconds: age,
        tells_age,
        etag: headers.get("etag").unwrap_or_default().trim().to_owned(),
        modified: headers
            .get("last-modified")
            .unwrap_or_default()
            .trim()
            .to_owned(),
    };
    let varies = varies(headers)?;
    let (key, choice) = if varies.is_empty() {
        (place.key.clone(), None)
    } else {
        let key = variant(exchange, &place.key, &varies);
        let choice = (place.key.clone(), Entry::Varies(varies).write());
        (key, Some(choice))
    };
    Some(Keep::Kept(Box::new(Kept {
        until_ms,
        answer: (key, Entry::Answer(noted).write()),
        choice,
        // What was found and not used is older, and so may be what nobody has looked for.
        replaces: asking.found != super::Found::Nothing,
    })))
}

/// The headers of a request that choose among several answers, in order; `None` if everything does.
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
    let is_personal = control.no_store || control.private || headers.get("set-cookie").is_some();
    let is_refused = has_say && control.no_cache;
    let is_shared = !asking.is_authorized || control.shares;
    is_wanted
        && is_whole
        && !is_personal
        && !is_refused
        && is_shared
        && !asking.control.no_store
        && varies(headers).is_some()
}

/// How old an answer is, seconds (RFC 9111 section 4.2.3).
fn age(headers: &dyn HeaderSource, (now_ms, delay): (u64, u64)) -> u64 {
    // The first of several counts (RFC 9111 section 5.1).
    let age = headers.get("age").unwrap_or_default();
    let age = seconds(age.split(',').next().unwrap_or_default()).saturating_add(delay);
    let date = headers
        .get("date")
        .and_then(|date| date::parse(date.trim()));
    age.max(date.map_or(0, |date| now_ms.saturating_sub(date) / 1000))
}

/// For how many seconds an answer is fresh from now on (RFC 9111 section 4.2.1); without a word of an upstream
/// that has a say, as long as the definition says.
fn left(
    policy: &Policy,
    control: &Control,
    headers: &dyn HeaderSource,
    (now_ms, age): (u64, u64),
) -> u64 {
    let Some(own) = &policy.control else {
        return policy.seconds;
    };
    if let Some(text) = headers.get(own) {
        let seconds = text.trim().parse::<i64>();
        return seconds.map_or(policy.seconds, |seconds| {
            u64::try_from(seconds).unwrap_or_default()
        });
    }
    let expires = || {
        let expires = headers.get("expires")?;
        let date = headers
            .get("date")
            .and_then(|date| date::parse(date.trim()));
        let until = date::parse(expires.trim()).unwrap_or_default();
        Some(until.saturating_sub(date.unwrap_or(now_ms)) / 1000)
    };
    let stated = control.s_maxage.or(control.max_age).or_else(expires);
    stated.map_or(policy.seconds, |stated| stated.saturating_sub(age))
}

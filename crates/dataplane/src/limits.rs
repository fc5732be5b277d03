//! The limits that count a request, and the response headers that report them.

use gatewright_model::json::Value;
use gatewright_model::session::{self, Applied, Session};
use gatewright_protocol::access::EndpointRate;
use gatewright_protocol::ledger::{Count, Limit, Standing};
use gatewright_protocol::limits::{quota, rate};
use gatewright_protocol::pattern;

/// The limits of an API itself, regardless of the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiLimits {
    /// `disable_rate_limit`: rates of keys are ignored.
    pub ignores_rates: bool,
    /// `disable_quota`: quotas of keys are ignored.
    pub ignores_quotas: bool,
}

impl ApiLimits {
    /// Reads the limits of a definition.
    #[must_use]
    pub fn read(definition: &Value<'_>) -> Self {
        let on = |name| definition.bool(name).unwrap_or_default();
        Self {
            ignores_rates: on("disable_rate_limit"),
            ignores_quotas: on("disable_quota"),
        }
    }
}

/// The counts for a request with a session, in the order in which the limits refuse: the endpoint's rate, the key's
/// rate, the quota.
#[must_use]
pub fn counts(
    session: &Session,
    api_id: &str,
    own: &[EndpointRate],
    limits: &ApiLimits,
) -> Vec<Count> {
    let Applied { limit, scope } = session.applied(api_id);
    let mut counts = Vec::with_capacity(2);
    if !limits.ignores_rates {
        // The rate of an endpoint replaces that of the key.
        for own in own {
            counts.extend(rate(
                own.rate,
                "endpoint",
                &format!("{api_id} {}", own.name),
            ));
        }
        if own.is_empty() {
            counts.extend(rate(limit.rate, "rate", scope));
        }
    }
    if !limits.ignores_quotas {
        counts.extend(quota(limit, scope));
    }
    counts
}

/// Which limit `X-RateLimit-*` report (reference 3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// The quota, despite the name.
    #[default]
    Quotas,
    /// The rate.
    RateLimits,
}

/// A response header.
pub type Header = (&'static str, String);

/// The `X-RateLimit-*` headers of a response. They are 0 without a limit of the selected kind.
#[must_use]
pub fn headers(shown: Shown, counts: &[Count], standings: &[Standing], now_ms: u64) -> Vec<Header> {
    let wanted = |count: &Count| match shown {
        Shown::Quotas => matches!(count.limit, Limit::Quota(_)),
        Shown::RateLimits => matches!(count.limit, Limit::Rate(_)),
    };
    let found = counts
        .iter()
        .zip(standings)
        .find(|(count, _)| wanted(count));
    let (limit, remaining, reset) = found.map_or((0, 0, 0), |(count, standing)| {
        let at = reset_ms(count, standing, now_ms);
        (size(count, standing), standing.remaining, at.div_ceil(1000))
    });
    vec![
        ("x-ratelimit-limit", limit.to_string()),
        ("x-ratelimit-remaining", remaining.to_string()),
        ("x-ratelimit-reset", reset.to_string()),
    ]
}

/// The `X-RateLimit-*` headers if no quota is counted, from the session. The remainder is the session's only if quotas
/// are ignored (`disable_quota`); a session without a quota has 0 left.
#[must_use]
pub fn uncounted_quota(limit: &session::Limit, ignores_quotas: bool) -> Vec<Header> {
    let remaining = if ignores_quotas {
        limit.quota_remaining
    } else {
        0
    };
    vec![
        ("x-ratelimit-limit", limit.quota_max.to_string()),
        ("x-ratelimit-remaining", remaining.max(0).to_string()),
        ("x-ratelimit-reset", "0".to_owned()),
    ]
}

/// The `RateLimit-Policy` and `RateLimit` headers of a response, with an item for each limit
/// (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4).
#[must_use]
pub fn fields(counts: &[Count], standings: &[Standing], now_ms: u64) -> Vec<Header> {
    let (mut policies, mut states) = (String::new(), String::new());
    for (count, standing) in counts.iter().zip(standings) {
        let kind = match count.limit {
            Limit::Rate(_) => "rate",
            Limit::Quota(_) => "quota",
        };
        let window = window_ms(count).div_ceil(1000);
        let seconds = reset_ms(count, standing, now_ms)
            .saturating_sub(now_ms)
            .div_ceil(1000);
        for list in [&mut policies, &mut states] {
            let before = if list.is_empty() { "\"" } else { ", \"" };
            list.extend([before, kind, "\";"]);
        }
        number(&mut policies, "q=", size(count, standing));
        number(&mut states, "r=", standing.remaining);
        if window > 0 {
            number(&mut policies, ";w=", window);
        }
        if standing.at != u64::MAX {
            // The Ledger's extra slot beyond the window is not shown to clients.
            let most = if window > 0 { window } else { u64::MAX };
            number(&mut states, ";t=", seconds.min(most));
        }
    }
    if policies.is_empty() {
        return Vec::new();
    }
    vec![("ratelimit-policy", policies), ("ratelimit", states)]
}

/// Adds a parameter to a header's value.
fn number(list: &mut String, name: &str, number: u64) {
    list.push_str(name);
    list.push_str(&number.to_string());
}

/// The `Retry-After` header of a refusal, in whole seconds: at least one and at most the limit's period, which a Ledger
/// may exceed by a slot. `None` if the refusal is permanent.
#[must_use]
pub fn retry_after(retry_ms: u64, count: Option<&Count>) -> Option<Header> {
    let period = count.map(window_ms).filter(|period| *period > 0);
    let most = period.map_or(u64::MAX, |period| period / 1000);
    let seconds = retry_ms.div_ceil(1000).min(most).max(1);
    (retry_ms != u64::MAX).then(|| ("retry-after", seconds.to_string()))
}

/// Describes the standing of a limit, as the end of a sentence about its owner.
#[must_use]
pub fn describe(now_ms: u64, count: &Count, standing: &Standing) -> String {
    let left = standing.remaining;
    match count.limit {
        Limit::Rate(limit) => {
            let (most, window) = (size(count, standing), decimal(limit.window_ms));
            let endpoint = ["endpoint-", "api-rate-"];
            let mut endpoint = endpoint
                .iter()
                .filter_map(|kind| pattern::bare(&count.name).strip_prefix(kind));
            let of = match endpoint.next() {
                Some(endpoint) => format!(" on {endpoint}"),
                None => String::new(),
            };
            format!("{left} of {most} requests left in {window} s{of}")
        }
        Limit::Quota(limit) => {
            let renewed = match standing.at {
                u64::MAX => "is never renewed".to_owned(),
                at => format!(
                    "is renewed in {} s",
                    at.saturating_sub(now_ms).div_ceil(1000)
                ),
            };
            format!(
                "{left} of {} requests left of its quota, which {renewed}",
                limit.max
            )
        }
    }
}

/// Formats milliseconds as seconds, with decimals only if needed.
fn decimal(ms: u64) -> String {
    match (ms / 1000, ms % 1000) {
        (seconds, 0) => seconds.to_string(),
        (seconds, rest) => {
            let text = format!("{seconds}.{rest:03}");
            text.trim_end_matches('0').to_owned()
        }
    }
}

/// The number of requests a limit admits; for a smoothed rate, its current value.
const fn size(count: &Count, standing: &Standing) -> u64 {
    match count.limit {
        Limit::Rate(_) if standing.allowance > 0 => standing.allowance as u64,
        Limit::Rate(limit) => limit.limit as u64,
        Limit::Quota(limit) => limit.max,
    }
}

const fn window_ms(count: &Count) -> u64 {
    match count.limit {
        Limit::Rate(limit) => limit.window_ms,
        Limit::Quota(limit) => limit.window_ms,
    }
}

/// When the limit is replenished, in Unix milliseconds; 0 for never.
const fn reset_ms(count: &Count, standing: &Standing, now_ms: u64) -> u64 {
    match count.limit {
        Limit::Quota(_) if standing.at == u64::MAX => 0,
        Limit::Quota(_) => standing.at,
        Limit::Rate(_) => now_ms.saturating_add(standing.at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_protocol::limits::RateLimit;

    fn rate(window_ms: u64) -> Count {
        Count {
            name: "rate".to_owned(),
            limit: Limit::Rate(RateLimit {
                limit: 5,
                window_ms,
            }),
            smoothing: None,
        }
    }

    /// A Ledger counts in slots of a thousandth of the window, so it waits for one slot more.
    #[test]
    fn nobody_has_to_wait_longer_than_the_period_of_the_limit() {
        for (retry_ms, window_ms, seconds) in [
            (60_060, 60_000, Some("60")),
            (59_001, 60_000, Some("60")),
            (58_000, 60_000, Some("58")),
            (1_001, 1_000, Some("1")),
            (1_502, 1_500, Some("1")),
            (500, 500, Some("1")),
            (0, 60_000, Some("1")),
            (u64::MAX, 60_000, None),
            (u64::MAX, 0, None),
        ] {
            let header = retry_after(retry_ms, Some(&rate(window_ms)));
            let seconds_shown = header.as_ref().map(|(_, text)| text.as_str());
            assert_eq!(seconds_shown, seconds, "{retry_ms} of {window_ms}");
        }
        let unknown = retry_after(60_060, None);
        assert_eq!(unknown.map(|(_, text)| text).as_deref(), Some("61"));
        let standing = Standing {
            remaining: 0,
            at: 60_060,
            counted_at: 0,
            ..Standing::default()
        };
        let shown = fields(&[rate(60_000)], &[standing], 0);
        assert_eq!(
            shown,
            [
                ("ratelimit-policy", "\"rate\";q=5;w=60".to_owned()),
                ("ratelimit", "\"rate\";r=0;t=60".to_owned())
            ]
        );
    }
}

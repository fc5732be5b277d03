//! What a request counts against, and what its answer says about that.

use gatewright_model::json::Value;
use gatewright_model::session::{self, Applied, Session};
use gatewright_protocol::access::EndpointRate;
use gatewright_protocol::ledger::{Count, Limit, Standing};
use gatewright_protocol::limits::{quota, rate};
use gatewright_protocol::pattern;

/// The limits of an API itself, whoever calls it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiLimits {
    /// `disable_rate_limit`: rates of keys are not looked at.
    pub ignores_rates: bool,
    /// `disable_quota`: quotas of keys are not looked at.
    pub ignores_quotas: bool,
}

impl ApiLimits {
    /// Reads a definition.
    #[must_use]
    pub fn read(definition: &Value<'_>) -> Self {
        let on = |name| definition.bool(name).unwrap_or_default();
        Self {
            ignores_rates: on("disable_rate_limit"),
            ignores_quotas: on("disable_quota"),
        }
    }
}

/// What a request with a session counts against, in the order in which the limits refuse: the rate
/// of its endpoint, its rate, its quota.
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
        // The rate of an endpoint takes the place of that of the key.
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

/// Which numbers `X-RateLimit-*` carry (reference 3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Those of the quota, despite the name.
    #[default]
    Quotas,
    /// Those of the rate.
    RateLimits,
}

/// A header of an answer.
pub type Header = (&'static str, String);

/// `X-RateLimit-*` of an answer. Without a limit of the kind that is shown they are 0.
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

/// `X-RateLimit-*` where no quota is counted: what the session says of it. What is left of it is named only
/// where nobody looks at quotas (`disable_quota`); a session without one has nothing left.
#[must_use]
pub fn uncounted_quota(limit: &session::Limit, is_unlooked: bool) -> Vec<Header> {
    let remaining = if is_unlooked {
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

/// `RateLimit-Policy` and `RateLimit` of an answer, one item for each limit
/// (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4).
#[must_use]
pub fn fields(counts: &[Count], standings: &[Standing], now_ms: u64) -> Vec<Header> {
    let (mut policies, mut states) = (Vec::new(), Vec::new());
    for (count, standing) in counts.iter().zip(standings) {
        let kind = match count.limit {
            Limit::Rate(_) => "rate",
            Limit::Quota(_) => "quota",
        };
        let window = window_ms(count).div_ceil(1000);
        let seconds = reset_ms(count, standing, now_ms)
            .saturating_sub(now_ms)
            .div_ceil(1000);
        let (period, seconds) = match window {
            0 => (String::new(), seconds),
            // A slot more than the window (see the Ledger) is nothing that a client should hear of.
            window => (format!(";w={window}"), seconds.min(window)),
        };
        policies.push(format!("\"{kind}\";q={}{period}", size(count, standing)));
        let reset = match standing.at {
            u64::MAX => String::new(),
            _ => format!(";t={seconds}"),
        };
        states.push(format!("\"{kind}\";r={}{reset}", standing.remaining));
    }
    if policies.is_empty() {
        return Vec::new();
    }
    vec![
        ("ratelimit-policy", policies.join(", ")),
        ("ratelimit", states.join(", ")),
    ]
}

/// `Retry-After` of a refusal by a limit in whole seconds, at least one and never more than the limit's
/// own period, which a Ledger exceeds by a slot; none if it is refused for ever.
#[must_use]
pub fn retry_after(retry_ms: u64, count: Option<&Count>) -> Option<Header> {
    let period = count.map(window_ms).filter(|period| *period > 0);
    let most = period.map_or(u64::MAX, |period| period / 1000);
    let seconds = retry_ms.div_ceil(1000).min(most).max(1);
    (retry_ms != u64::MAX).then(|| ("retry-after", seconds.to_string()))
}

/// How a limit stands, as the end of a sentence: what somebody has.
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

/// Milliseconds as seconds, with a point only where it takes one.
fn decimal(ms: u64) -> String {
    match (ms / 1000, ms % 1000) {
        (seconds, 0) => seconds.to_string(),
        (seconds, rest) => {
            let text = format!("{seconds}.{rest:03}");
            text.trim_end_matches('0').to_owned()
        }
    }
}

/// How many requests a limit lets through: of a smoothed rate those of now.
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

/// When there is more of a limit, Unix milliseconds; 0 for never.
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

    /// A Ledger counts in slots of a thousandth of the window, so what it waits for is a slot more.
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

//! Limits as a Ledger knows them, and the names of their counters.

use crate::ledger::{Count, Limit, Smoothing};
use gatewright_model::session::{self, Rate, Session};
use serde::{Deserialize, Serialize};

/// A quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaLimit {
    /// How many requests.
    pub max: u64,
    /// The length of the window in milliseconds; 0 for a quota that never renews.
    pub window_ms: u64,
}

impl QuotaLimit {
    /// Reads a session's `quota_max` and `quota_renewal_rate` (seconds). `None` for a quota that isn't above 0, which
    /// limits nothing (reference 2.1).
    #[must_use]
    pub fn read(max: i64, renewal_rate: i64) -> Option<Self> {
        let max = u64::try_from(max).ok().filter(|max| *max > 0)?;
        let seconds = u64::try_from(renewal_rate).unwrap_or(0);
        Some(Self {
            max,
            window_ms: seconds.saturating_mul(1000),
        })
    }
}

/// A rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateLimit {
    /// How many requests.
    pub limit: u32,
    /// The length of the window in milliseconds.
    pub window_ms: u64,
}

impl RateLimit {
    /// Converts a session's `rate` and `per`. `None` if they limit nothing: a rate or a period that isn't above 0
    /// (reference 2.1). A rate below one request per period becomes one request in a longer period.
    #[must_use]
    pub fn of(rate: Rate) -> Option<Self> {
        const ONE: u128 = 1_000_000;
        if !rate.is_limited() {
            return None;
        }
        let requests = u128::try_from(rate.rate.micros()).ok()?;
        let period = u128::try_from(rate.per.micros()).ok()?;
        let (limit, micros) = if requests < ONE {
            (1, period.saturating_mul(ONE).div_ceil(requests.max(1)))
        } else {
            (requests / ONE, period)
        };
        Some(Self {
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
            window_ms: u64::try_from(micros.div_ceil(1000)).unwrap_or(u64::MAX),
        })
    }
}

/// Converts the smoothing of a rate; `None` if the threshold isn't below the rate.
fn smoothed(smoothing: &session::Smoothing, limit: RateLimit) -> Option<Smoothing> {
    let to_u32 = |number: i64| u32::try_from(number.max(0)).unwrap_or(u32::MAX);
    let threshold = to_u32(smoothing.threshold);
    let part = i128::from(smoothing.trigger.micros().max(0));
    let margin = part.saturating_mul(i128::from(smoothing.step)) / 1_000_000;
    let seconds = u64::try_from(smoothing.delay).unwrap_or(0);
    (threshold < limit.limit).then(|| Smoothing {
        threshold,
        step: to_u32(smoothing.step),
        margin: u32::try_from(margin).unwrap_or(u32::MAX),
        delay_ms: seconds.saturating_mul(1000),
    })
}

/// Returns the name of a counter: its kind, and the scope that distinguishes it from others of this kind in one Ledger.
fn named(kind: &str, scope: &str) -> String {
    if scope.is_empty() {
        return kind.to_owned();
    }
    format!("{kind}-{scope}")
}

/// Returns the counter of a session's quota, with its scope.
#[must_use]
pub fn quota(limit: &session::Limit, scope: &str) -> Option<Count> {
    let quota = QuotaLimit::read(limit.quota_max, limit.quota_renewal_rate)?;
    Some(Count {
        name: named("quota", scope),
        limit: Limit::Quota(quota),
        smoothing: None,
    })
}

/// Returns the counter of a rate, with its scope.
#[must_use]
pub fn rate(rate: Rate, kind: &str, scope: &str) -> Option<Count> {
    let limit = RateLimit::of(rate)?;
    Some(Count {
        name: named(kind, scope),
        limit: Limit::Rate(limit),
        smoothing: rate
            .smoothing
            .and_then(|smoothing| smoothed(&smoothing, limit)),
    })
}

/// Returns every quota of a session: its own, and those of APIs with their own limits, each with the API it applies to.
#[must_use]
pub fn quotas(session: &Session) -> Vec<(Option<&str>, Count)> {
    let own = quota(&session.limit, "").map(|count| (None, count));
    let apis = session.access_rights.iter().filter_map(|(api, access)| {
        let limit = access.limit.as_ref()?;
        let count = quota(limit, &access.allowance_scope)?;
        Some((Some(api.as_str()), count))
    });
    own.into_iter().chain(apis).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_smoothed_below_itself() {
        let read = |smoothing: &str| {
            let text = format!(r#"{{"rate":9,"per":1,"smoothing":{smoothing}}}"#);
            let session = Session::parse(&text).unwrap();
            rate(session.limit.rate, "rate", "").unwrap().smoothing
        };
        let expected = Smoothing {
            threshold: 4,
            step: 3,
            margin: 1,
            delay_ms: 2000,
        };
        let complete = r#"{"enabled":true,"threshold":4,"trigger":0.5,"step":3,"delay":2}"#;
        assert_eq!(read(complete), Some(expected));
        for nothing in [
            "null",
            r#"{"threshold":4,"step":3}"#,
            r#"{"enabled":false,"threshold":4,"step":3}"#,
            r#"{"enabled":true,"threshold":0,"step":3}"#,
            r#"{"enabled":true,"threshold":4,"step":0}"#,
            r#"{"enabled":true,"threshold":9,"step":3}"#,
        ] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
        let least = read(r#"{"enabled":true,"threshold":4,"trigger":-1,"step":3,"delay":-5}"#);
        assert_eq!(least.map(|read| (read.margin, read.delay_ms)), Some((0, 0)));
    }
}

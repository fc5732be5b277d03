//! Limits of a session, of one API and of one endpoint (reference sections 2.1 and 2.2).

use crate::amount::Amount;
use crate::json::{Kind, Value, decimal};

/// Requests per period: `rate` requests in any window of `per` seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rate {
    /// Requests allowed per period; 0 or less for no limit.
    pub rate: Amount,
    /// The period in seconds.
    pub per: Amount,
    /// Smoothing, if the allowed part of the rate changes with demand.
    pub smoothing: Option<Smoothing>,
}

/// `smoothing` of a rate: initially `threshold` requests are allowed per period, and with growing demand more of them
/// in steps, up to the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Smoothing {
    /// The number of requests that are always allowed.
    pub threshold: i64,
    /// How near demand has to come to the current allowance for the next step, as a fraction of a step.
    pub trigger: Amount,
    /// The number of requests per step.
    pub step: i64,
    /// The number of seconds between two steps.
    pub delay: i64,
}

impl Smoothing {
    /// Reads `smoothing`; `None` if it is off, or if its threshold or its step is not above 0, which has no meaning.
    fn read(value: &Value<'_>) -> Option<Self> {
        let value = value.get("smoothing")?;
        let smoothing = Self {
            threshold: integer(value, "threshold"),
            trigger: amount(value, "trigger"),
            step: integer(value, "step"),
            delay: integer(value, "delay"),
        };
        let is_on = value.bool("enabled") == Some(true);
        (is_on && smoothing.threshold > 0 && smoothing.step > 0).then_some(smoothing)
    }
}

impl Rate {
    /// Reads `rate`, `per` and `smoothing` of an object; absent numbers and other types are 0.
    #[must_use]
    pub fn read(value: &Value<'_>) -> Self {
        Self {
            rate: amount(value, "rate"),
            per: amount(value, "per"),
            smoothing: Smoothing::read(value),
        }
    }

    /// Whether it limits anything: both numbers have to be above 0.
    #[must_use]
    pub const fn is_limited(self) -> bool {
        self.rate.is_positive() && self.per.is_positive()
    }

    /// Whether the time per request (`per / rate`) is strictly shorter than the other's. No limit counts as no time
    /// (reference section 2.4, row 8).
    #[must_use]
    pub fn is_faster_than(self, other: Self) -> bool {
        match (self.is_limited(), other.is_limited()) {
            (_, false) => false,
            (false, true) => true,
            (true, true) => cross(self.per, other.rate) < cross(other.per, self.rate),
        }
    }
}

fn cross(a: Amount, b: Amount) -> i128 {
    // The product of two 64-bit numbers fits 128 bits.
    i128::from(a.micros()).saturating_mul(i128::from(b.micros()))
}

/// The limits of a session, or those of one API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Limit {
    /// `rate` and `per`.
    pub rate: Rate,
    /// Seconds that a request over the rate waits before it is retried; 0 or less for no retries.
    pub throttle_interval: Amount,
    /// The maximum number of retries; 0 or less for none.
    pub throttle_retry_limit: i64,
    /// Requests per quota window; 0 or less for no quota.
    pub quota_max: i64,
    /// `quota_remaining` as stored; the Ledger knows the actual remainder.
    pub quota_remaining: i64,
    /// The length of the quota window in seconds.
    pub quota_renewal_rate: i64,
    /// The maximum depth of a GraphQL query; 0 or less for any depth.
    pub max_query_depth: i64,
}

impl Limit {
    /// Reads the limits of an object; absent numbers and other types are 0.
    #[must_use]
    pub fn read(value: &Value<'_>) -> Self {
        Self {
            rate: Rate::read(value),
            throttle_interval: amount(value, "throttle_interval"),
            throttle_retry_limit: integer(value, "throttle_retry_limit"),
            quota_max: integer(value, "quota_max"),
            quota_remaining: integer(value, "quota_remaining"),
            quota_renewal_rate: integer(value, "quota_renewal_rate"),
            max_query_depth: integer(value, "max_query_depth"),
        }
    }

    /// Reads the `limit` of an API: one whose numbers are all 0 sets no limit (reference section 1.6). The values that
    /// the gateway writes itself, `quota_renews` and `quota_remaining`, limit nothing.
    #[must_use]
    pub fn of_api(access: &Value<'_>) -> Option<Self> {
        let limit = Self::read(access.get("limit")?);
        let rate = Rate {
            smoothing: None,
            ..limit.rate
        };
        let limits = Self {
            rate,
            quota_remaining: 0,
            ..limit
        };
        (limits != Self::default()).then_some(limit)
    }

    /// Whether requests are counted against a quota.
    #[must_use]
    pub const fn has_quota(&self) -> bool {
        self.quota_max > 0
    }

    /// Whether a request over the rate waits and is retried: both numbers have to be above 0.
    #[must_use]
    pub const fn is_throttled(&self) -> bool {
        self.throttle_interval.is_positive() && self.throttle_retry_limit > 0
    }
}

/// A path whose methods have rates of their own: an entry of `endpoints`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// The path, in the syntax of rules.
    pub path: String,
    /// Its methods and their rates, in order.
    pub methods: Vec<(String, Rate)>,
}

impl Endpoint {
    pub(super) fn read(value: &Value<'_>) -> Self {
        let methods = value.get("methods").map(Value::items).unwrap_or_default();
        let method = |method: &Value<'_>| {
            let rate = method.get("limit").map(Rate::read).unwrap_or_default();
            Some((method.str("name")?.to_owned(), rate))
        };
        Self {
            path: value.str("path").unwrap_or_default().to_owned(),
            methods: methods.iter().filter_map(method).collect(),
        }
    }

    /// Returns the rate of a method, comparing names without regard to case.
    #[must_use]
    pub fn rate(&self, method: &str) -> Option<Rate> {
        let mut methods = self.methods.iter();
        let found = methods.find(|(name, _)| name.eq_ignore_ascii_case(method));
        found.map(|(_, rate)| *rate)
    }
}

pub(crate) fn amount(value: &Value<'_>, name: &str) -> Amount {
    value.get(name).map(Amount::read).unwrap_or_default()
}

/// Reads an integer member. Other numbers are rounded to the nearest integer, so that a limit remains a limit; other
/// types are 0.
pub(crate) fn integer(value: &Value<'_>, name: &str) -> i64 {
    match value.get(name).map(|value| &value.kind) {
        Some(Kind::Number(text)) => decimal::scaled(text, 0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn rate(rate: i64, per: i64) -> Rate {
        Rate {
            smoothing: None,
            rate: Amount::whole(rate),
            per: Amount::whole(per),
        }
    }

    #[test]
    fn rates_compare_by_the_time_per_request() {
        for (a, b, faster) in [
            (rate(20, 1), rate(200, 10), false),
            (rate(200, 10), rate(20, 1), false),
            (rate(200, 10), rate(400, 25), true),
            (rate(400, 25), rate(200, 10), false),
            (rate(-1, 60), rate(1_000_000, 1), true),
            (rate(1, 1), rate(0, 0), false),
            (rate(0, 0), rate(-1, 1), false),
            (
                rate(i64::MAX, 1),
                rate(i64::MAX.saturating_sub(1), 1),
                false,
            ),
        ] {
            assert_eq!(a.is_faster_than(b), faster, "{a:?} {b:?}");
        }
    }

    #[test]
    fn zero_limit_is_absent() {
        let of = |text: &str| Limit::of_api(&parse(text).unwrap());
        for none in [
            "{}",
            r#"{"limit":null}"#,
            r#"{"limit":{}}"#,
            r#"{"limit":{"rate":0,"per":0.0,"quota_max":0,"quota_renews":5,"quota_remaining":9}}"#,
            r#"{"limit":{"rate":"5"}}"#,
        ] {
            assert_eq!(of(none), None, "{none}");
        }
        assert_eq!(of(r#"{"limit":{"quota_max":0.4}}"#).unwrap().quota_max, 1);
        assert!(!of(r#"{"limit":{"quota_max":-1}}"#).unwrap().has_quota());
    }

    #[test]
    fn methods_are_compared_without_regard_to_case() {
        let text = r#"{"path":"/a","methods":[{"name":"get","limit":{"rate":2,"per":1}},{"limit":{}},{"name":"PUT"}]}"#;
        let endpoint = Endpoint::read(&parse(text).unwrap());
        assert_eq!(endpoint.rate("GET"), Some(rate(2, 1)));
        assert_eq!(endpoint.rate("put"), Some(Rate::default()));
        assert_eq!(endpoint.rate("POST"), None);
    }
}

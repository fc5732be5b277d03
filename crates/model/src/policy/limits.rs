//! Merges the limits of several policies (reference section 2.4, rows 7 and 8). Numbers keep the text they have in
//! their policy.

use std::cmp::Ordering;

use super::part::{Object, Part};
use crate::amount::Amount;
use crate::json::{Kind, decimal};
use crate::session::Rate;

/// A number with its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number<'a>(pub(super) &'a str);

impl<'a> Number<'a> {
    fn read(part: Part<'a>, name: &str) -> Option<Self> {
        match part.get(name)?.value.kind {
            Kind::Number(text) => Some(Self(text)),
            _ => None,
        }
    }

    pub(super) fn is_zero(self) -> bool {
        decimal::sign(self.0).is_eq()
    }

    fn is_positive(self) -> bool {
        decimal::sign(self.0).is_gt()
    }

    /// Compares the values: integers exactly, others by millionths.
    fn compare(self, other: Self) -> Ordering {
        let at = |places| decimal::scaled(self.0, places).cmp(&decimal::scaled(other.0, places));
        at(0).then_with(|| at(6))
    }

    fn is_unlimited(self) -> bool {
        decimal::integer(self.0) == Some(-1)
    }
}

/// Returns the larger number, or the first of two equal ones.
fn larger<'a>(first: Option<Number<'a>>, then: Option<Number<'a>>) -> Option<Number<'a>> {
    match (first, then) {
        (Some(a), Some(b)) if b.compare(a).is_gt() => then,
        (Some(_), _) => first,
        (None, _) => then,
    }
}

/// Returns the larger number, -1 being the largest.
fn larger_or_unlimited<'a>(
    first: Option<Number<'a>>,
    then: Option<Number<'a>>,
) -> Option<Number<'a>> {
    let unlimited = |number: Option<Number<'_>>| number.is_some_and(Number::is_unlimited);
    if unlimited(first) {
        first
    } else if unlimited(then) {
        then
    } else {
        larger(first, then)
    }
}

/// Returns the larger throttle value or renewal rate. One below 0 provides nothing, and one that an API has from a
/// `per_api` policy gives way to 0.
fn raised<'a>(first: Option<Number<'a>>, then: Option<Number<'a>>) -> Option<Number<'a>> {
    match (first, then.filter(|number| number.is_positive())) {
        (Some(first), None) if decimal::sign(first.0).is_lt() => Some(Number("0")),
        (_, given) => larger(first, given),
    }
}

/// `rate`, `per` and `smoothing`, which are always used together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace<'a> {
    rate: Option<Number<'a>>,
    per: Option<Number<'a>>,
    smoothing: Option<Part<'a>>,
}

impl<'a> Pace<'a> {
    pub(super) fn read(part: Part<'a>) -> Self {
        Self {
            rate: Number::read(part, "rate"),
            per: Number::read(part, "per"),
            smoothing: part.get("smoothing"),
        }
    }

    fn rate(self) -> Rate {
        let amount =
            |number: Option<Number<'_>>| number.map_or(Amount::ZERO, |number| Amount::of(number.0));
        Rate {
            rate: amount(self.rate),
            per: amount(self.per),
            smoothing: None,
        }
    }

    /// Whether both `rate` and `per` are given.
    fn is_set(self) -> bool {
        let given = |number: Option<Number<'_>>| number.is_some_and(|number| !number.is_zero());
        given(self.rate) && given(self.per)
    }

    /// Row 8: the later rate replaces one that isn't set, or that has a strictly longer time per request.
    fn or_faster(self, then: Self) -> Self {
        let wins = then.is_set() && (!self.is_set() || then.rate().is_faster_than(self.rate()));
        if wins { then } else { self }
    }

    /// Rows 10 and 12, limits of endpoints, methods and primitives: -1 wins, then the higher rate. If the time per
    /// request is equal, the greater number of requests wins; an unset limit never wins.
    pub(super) fn is_higher_than(self, other: Self) -> bool {
        let rank = |pace: Self| match pace.rate() {
            rate if rate.rate < Amount::ZERO => 2,
            rate if rate.is_limited() => 1,
            _ => 0,
        };
        match rank(self).cmp(&rank(other)) {
            Ordering::Equal if rank(self) == 1 => {
                let (a, b) = (self.rate(), other.rate());
                a.is_faster_than(b) || (!b.is_faster_than(a) && a.rate > b.rate)
            }
            ordering => ordering.is_gt(),
        }
    }
}

/// The limits of a policy, an API or a session while policies are combined.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits<'a> {
    pub(super) pace: Pace<'a>,
    pub(super) throttle_interval: Option<Number<'a>>,
    pub(super) throttle_retry_limit: Option<Number<'a>>,
    pub(super) quota_max: Option<Number<'a>>,
    pub(super) quota_renewal_rate: Option<Number<'a>>,
    pub(super) max_query_depth: Option<Number<'a>>,
}

impl<'a> Limits<'a> {
    pub(super) fn read(part: Part<'a>) -> Self {
        let number = |name| Number::read(part, name);
        Self {
            pace: Pace::read(part),
            throttle_interval: number("throttle_interval"),
            throttle_retry_limit: number("throttle_retry_limit"),
            quota_max: number("quota_max"),
            quota_renewal_rate: number("quota_renewal_rate"),
            max_query_depth: number("max_query_depth"),
        }
    }

    /// Returns its numbers with their member names.
    pub(super) fn numbers(&self) -> [(&'static str, Option<Number<'a>>); 7] {
        [
            ("rate", self.pace.rate),
            ("per", self.pace.per),
            ("throttle_interval", self.throttle_interval),
            ("throttle_retry_limit", self.throttle_retry_limit),
            ("max_query_depth", self.max_query_depth),
            ("quota_max", self.quota_max),
            ("quota_renewal_rate", self.quota_renewal_rate),
        ]
    }

    /// Returns the smoothing of the rate.
    pub(super) fn smoothing(&self) -> Option<Part<'a>> {
        self.pace.smoothing
    }

    /// Whether all numbers are 0: such a `limit` of an API sets no limit (reference section 1.6).
    pub(super) fn is_empty(&self) -> bool {
        let mut numbers = self.numbers().into_iter();
        numbers.all(|(_, number)| number.is_none_or(Number::is_zero))
    }

    /// Copies the rate dimension of another one.
    pub(super) fn set_rate(&mut self, from: &Self) {
        self.pace = from.pace;
        self.throttle_interval = from.throttle_interval;
        self.throttle_retry_limit = from.throttle_retry_limit;
    }

    /// Copies the quota dimension of another one.
    pub(super) fn set_quota(&mut self, from: &Self) {
        self.quota_max = from.quota_max;
        self.quota_renewal_rate = from.quota_renewal_rate;
    }

    /// Rows 7 and 8 for the rate dimension of a plain or partitioned policy.
    pub(super) fn add_rate(&mut self, policy: &Self) {
        self.pace = self.pace.or_faster(policy.pace);
        self.throttle_interval = raised(self.throttle_interval, policy.throttle_interval);
        self.throttle_retry_limit = raised(self.throttle_retry_limit, policy.throttle_retry_limit);
    }

    /// Row 7 for the quota dimension.
    pub(super) fn add_quota(&mut self, policy: &Self) {
        self.quota_max = larger_or_unlimited(self.quota_max, policy.quota_max);
        self.quota_renewal_rate = raised(self.quota_renewal_rate, policy.quota_renewal_rate);
    }

    /// Takes over the renewal rate of the session, if it is larger: the reference doesn't clear it with the quota.
    pub(super) fn keep_renewal(&mut self, session: &Self) {
        self.quota_renewal_rate = larger(self.quota_renewal_rate, session.quota_renewal_rate);
    }

    /// Row 7 for the complexity dimension.
    pub(super) fn add_complexity(&mut self, policy: &Self) {
        self.max_query_depth = larger_or_unlimited(self.max_query_depth, policy.max_query_depth);
    }

    /// Row 8 for `per_api`: this later limit is the base, and a better rate or quota of the earlier one replaces its own.
    /// Returns whether one did.
    pub(super) fn yield_to(&mut self, earlier: &Self) -> bool {
        let faster = earlier.pace.rate().is_faster_than(self.pace.rate());
        if faster {
            self.pace = earlier.pace;
        }
        // The later one comes first, so that it wins a tie.
        let quota = larger_or_unlimited(self.quota_max, earlier.quota_max);
        let number = |quota: Option<Number<'a>>| quota.unwrap_or(Number("0"));
        let more = number(quota).compare(number(self.quota_max)).is_ne();
        self.quota_max = quota;
        self.quota_renewal_rate = match quota {
            Some(quota) if quota.is_unlimited() => Some(Number("0")),
            _ => larger_or_unlimited(self.quota_renewal_rate, earlier.quota_renewal_rate),
        };
        faster || more
    }

    /// Writes the `limit` of an API without zeros; `None` if nothing remains.
    pub(super) fn json(&self, quota_renews: Option<Part<'a>>) -> Option<String> {
        let mut object = Object::default();
        for (name, number) in self.numbers() {
            if let Some(number) = number.filter(|number| !number.is_zero()) {
                object.put(name, number.0);
            }
        }
        for (name, part) in [
            ("smoothing", self.smoothing()),
            ("quota_renews", quota_renews),
        ] {
            if let Some(part) = part.filter(|part| !part.is_empty()) {
                object.put(name, part.json());
            }
        }
        object.end()
    }
}

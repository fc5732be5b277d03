//! Rates that are raised and lowered in steps (`smoothing` of a limit).
//!
//! The promise: any window lets through at least the threshold and never more than the rate; at least the delay passes
//! between two steps; and a restart continues from the last step.

use crate::Ledger;
use crate::stored::number;
use gatewright_model::json::Value;
use gatewright_protocol::ledger::{Count, Limit, Smoothing, Step};
use gatewright_protocol::limits::RateLimit;

/// How many requests of a rate are currently let through; 0 if it was never changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Allowance {
    /// How many requests.
    requests: u32,
    /// When it was last changed, in Unix milliseconds.
    changed_at: u64,
}

impl Allowance {
    /// Reads a stored allowance; `None` for anything else.
    pub(crate) fn read(value: &Value<'_>) -> Option<Self> {
        Some(Self {
            requests: number(value, "requests")?,
            changed_at: number(value, "changed_at")?,
        })
    }

    /// Returns its JSON.
    pub(crate) fn to_json(self) -> String {
        let Self {
            requests,
            changed_at,
        } = self;
        format!("{{\"requests\":{requests},\"changed_at\":{changed_at}}}")
    }

    /// Whether it was never changed.
    #[must_use]
    pub(crate) const fn is_unchanged(&self) -> bool {
        self.requests == 0
    }

    /// Returns how many requests are let through, between the current threshold and rate.
    fn requests(self, smoothing: &Smoothing, limit: u32) -> u32 {
        self.requests
            .clamp(smoothing.threshold, limit.max(smoothing.threshold))
    }

    /// Takes a step up or down if needed for this usage of the window, which includes the current request.
    fn adjust(&mut self, smoothing: &Smoothing, limit: u32, usage: u64, now: u64) -> Step {
        let current = self.requests(smoothing, limit);
        let is_soon = now < self.changed_at.saturating_add(smoothing.delay_ms);
        if is_soon && !self.is_unchanged() {
            return Step::None;
        }
        let up = u64::from(current).saturating_sub(u64::from(smoothing.margin));
        let down = up.saturating_sub(u64::from(smoothing.step));
        let (next, step) = if usage > up && current < limit {
            (current.saturating_add(smoothing.step).min(limit), Step::Up)
        } else if usage < down && current > smoothing.threshold {
            (
                current
                    .saturating_sub(smoothing.step)
                    .max(smoothing.threshold),
                Step::Down,
            )
        } else {
            return Step::None;
        };
        *self = Self {
            requests: next,
            changed_at: now,
        };
        step
    }
}

impl Ledger {
    /// Returns the currently effective limit of a rate.
    pub(crate) fn effective_limit(&self, count: &Count, limit: RateLimit) -> RateLimit {
        let Some(smoothing) = &count.smoothing else {
            return limit;
        };
        let known = self.rates.get(&count.name);
        let allowance = known.map(|(_, rate)| rate.allowance).unwrap_or_default();
        RateLimit {
            limit: allowance.requests(smoothing, limit.limit).min(limit.limit),
            ..limit
        }
    }

    /// Raises or lowers a smoothed rate according to demand.
    pub(crate) fn smooth(&mut self, count: &Count, now: u64) -> Step {
        let (Some(smoothing), Limit::Rate(limit)) = (&count.smoothing, count.limit) else {
            return Step::None;
        };
        let window = self.rate(&count.name, limit, now);
        let usage = window.usage(limit.window_ms, now).saturating_add(1);
        let step = window.allowance.adjust(smoothing, limit.limit, usage, now);
        self.unsaved |= step != Step::None;
        step
    }
}

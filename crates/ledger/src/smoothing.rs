//! Rates that are raised and lowered in steps (`smoothing` of a limit).
//!
//! The promise: at least the threshold is let through in any window and never more than the rate; between two
//! steps passes at least the delay; and after a restart it goes on where it was.

use crate::Ledger;
use crate::stored::number;
use gatewright_model::json::Value;
use gatewright_protocol::ledger::{Count, Limit, Smoothing, Step};
use gatewright_protocol::limits::RateLimit;

/// How many requests of a rate are let through for now. Nothing was changed yet if it is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Allowance {
    /// How many.
    requests: u32,
    /// When that was changed last, Unix milliseconds.
    changed_at: u64,
}

impl Allowance {
    /// Reads one; `None` for anything else.
    pub(crate) fn read(value: &Value<'_>) -> Option<Self> {
        Some(Self {
            requests: number(value, "requests")?,
            changed_at: number(value, "changed_at")?,
        })
    }

    /// Writes it.
    pub(crate) fn written(self) -> String {
        let Self {
            requests,
            changed_at,
        } = self;
        format!("{{\"requests\":{requests},\"changed_at\":{changed_at}}}")
    }

    /// True if it was never changed.
    #[must_use]
    pub(crate) const fn is_none(&self) -> bool {
        self.requests == 0
    }

    /// How many, between the threshold and the rate as they are now.
    fn requests(self, smoothing: &Smoothing, limit: u32) -> u32 {
        self.requests
            .clamp(smoothing.threshold, limit.max(smoothing.threshold))
    }

    /// Goes a step up or down if so many requests are in the window, the one at hand among them.
    fn follow(&mut self, smoothing: &Smoothing, limit: u32, usage: u64, now: u64) -> Step {
        let current = self.requests(smoothing, limit);
        let is_soon = now < self.changed_at.saturating_add(smoothing.delay_ms);
        if is_soon && !self.is_none() {
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
    /// The limit of a rate as it is for now.
    pub(crate) fn for_now(&self, count: &Count, limit: RateLimit) -> RateLimit {
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

    /// Raises or lowers a smoothed rate by what is asked for.
    pub(crate) fn smooth(&mut self, count: &Count, now: u64) -> Step {
        let (Some(smoothing), Limit::Rate(limit)) = (&count.smoothing, count.limit) else {
            return Step::None;
        };
        let window = self.rate(&count.name, limit, now);
        let usage = window.usage(limit.window_ms, now).saturating_add(1);
        let step = window.allowance.follow(smoothing, limit.limit, usage, now);
        self.unsaved |= step != Step::None;
        step
    }
}

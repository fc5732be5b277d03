//! The history of an uptime test: as the bars of a strip, and as periods without a change.

use crate::api::upstreams::Check;

/// The maximum number of bars in a strip.
pub const BARS: usize = 90;

/// Consecutive checks: one bar, or a period without a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The time of the first check, Unix seconds.
    pub from: i64,
    /// The time of the last check, Unix seconds.
    pub to: i64,
    /// The number of checks.
    pub checks: u64,
    /// The number of checks that failed.
    pub failures: u64,
    /// The average time of good responses in milliseconds; `None` if there were none.
    pub average: Option<u64>,
    /// The reason of the last failure.
    pub why: String,
}

impl Span {
    fn of(checks: &[Check]) -> Self {
        let good = || checks.iter().filter(|check| check.up);
        let sum: u64 = good().map(|check| check.ms).fold(0, u64::saturating_add);
        let count = wide(good().count());
        let last = checks.iter().rev().find(|check| !check.up);
        Self {
            from: checks.first().map_or(0, |check| check.at),
            to: checks.last().map_or(0, |check| check.at),
            checks: wide(checks.len()),
            failures: wide(checks.len()).saturating_sub(count),
            average: sum.checked_div(count),
            why: last.map(why).unwrap_or_default(),
        }
    }

    /// Returns `up`, `down`, or `mixed` for a bar with both.
    #[must_use]
    pub const fn state(&self) -> &'static str {
        match self.failures {
            0 => "up",
            failures if failures == self.checks => "down",
            _ => "mixed",
        }
    }

    /// Describes it, to be shown after its time.
    #[must_use]
    pub fn says(&self) -> String {
        let took = self
            .average
            .map_or(String::new(), |ms| format!(", {ms} ms"));
        match self.state() {
            "up" => format!("up{took}"),
            "down" => format!("down: {}", self.why),
            _ => format!(
                "{} of {} failed: {}{took}",
                self.failures, self.checks, self.why
            ),
        }
    }
}

fn wide(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn why(check: &Check) -> String {
    match (check.error.as_str(), check.status) {
        ("", 0) => "no answer".to_owned(),
        ("", status) => format!("status {status}"),
        (error, _) => error.to_owned(),
    }
}

/// Returns the bars of a strip, each for the same number of checks.
#[must_use]
pub fn bars(checks: &[Check]) -> Vec<Span> {
    let wide = checks.len().div_ceil(BARS).max(1);
    // The newest bar is always full, so that only the leftmost one changes width.
    let mut bars: Vec<Span> = checks.rchunks(wide).map(Span::of).collect();
    bars.reverse();
    bars
}

/// Returns the periods without a change, newest first.
#[must_use]
pub fn runs(checks: &[Check]) -> Vec<Span> {
    let mut runs: Vec<Span> = checks
        .chunk_by(|one, next| one.up == next.up)
        .map(Span::of)
        .collect();
    runs.reverse();
    runs
}

/// Returns how many checks per thousand were good; `None` without checks.
#[must_use]
pub fn up_permille(checks: &[Check]) -> Option<u64> {
    let up = wide(checks.iter().filter(|check| check.up).count());
    up.saturating_mul(1000).checked_div(wide(checks.len()))
}

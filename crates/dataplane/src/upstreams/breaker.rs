//! A circuit breaker: when it opens and how it closes (reference 3.4, *Circuit breaker*).
//!
//! Requests are counted over the last ten seconds. A failure opens the breaker if a minimum number of requests was
//! counted and a given share of them failed. While open it admits nothing for its rest period or, unless disabled, a
//! trial request at intervals; the first trial that succeeds closes it. A trial that is never reported back is
//! abandoned when the next one is due.

use gatewright_model::amount::Amount;
use gatewright_model::json::Value;

/// The number of slots that requests are counted in.
const SLOTS: usize = 10;
/// The length of a slot, in milliseconds.
const SLOT_MS: u64 = 1000;
/// When the first trial is due after opening, in milliseconds. Each later interval is half as long again.
const FIRST_TRIAL_MS: u64 = 700;
/// A share of one, in millionths (as in an [`Amount`]).
const WHOLE: u64 = 1_000_000;

/// The configuration of a breaker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// The minimum number of requests for it to open.
    pub samples: u64,
    /// The share of failed requests that opens it, in millionths.
    pub threshold: u64,
    /// How long it stays open, in milliseconds.
    pub rest_ms: u64,
    /// Whether it admits trials meanwhile.
    pub tries: bool,
}

impl Rule {
    /// Reads an entry of `circuit_breakers`.
    #[must_use]
    pub fn read(row: &Value<'_>) -> Self {
        let number = |name: &str| {
            let micros = row
                .get(name)
                .map_or(0, |value| Amount::read(value).micros());
            u64::try_from(micros).unwrap_or_default()
        };
        Self {
            samples: number("samples").div_ceil(WHOLE),
            threshold: number("threshold_percent"),
            rest_ms: number("return_to_service_after").div_ceil(1000),
            tries: row.bool("disable_half_open_state") != Some(true),
        }
    }
}

/// Whether a request may pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Yes: the breaker is closed.
    Closed,
    /// Yes, as a trial of whether the upstream is back.
    Trial,
    /// No, and no request may before `until`.
    Open {
        /// When to ask again, in Unix milliseconds.
        until: u64,
    },
}

/// A change of a breaker's state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Change {
    /// It is unchanged.
    #[default]
    None,
    /// It has opened.
    Opened,
    /// It has closed.
    Closed,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    number: u64,
    passed: u64,
    failed: u64,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    until: u64,
    next_trial: u64,
    interval: u64,
}

/// The state of a breaker. Times are Unix milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Breaker {
    slots: [Slot; SLOTS],
    open: Option<Open>,
}

impl Breaker {
    /// Whether a request may pass now, and how that changes the state.
    pub fn ask(&mut self, rule: Rule, now: u64) -> (Gate, Change) {
        let Some(open) = &mut self.open else {
            return (Gate::Closed, Change::None);
        };
        if now >= open.until {
            *self = Self::default();
            return (Gate::Closed, Change::Closed);
        }
        if rule.tries && now >= open.next_trial {
            open.delay_trial(now);
            return (Gate::Trial, Change::None);
        }
        (self.gate(rule), Change::None)
    }

    /// Whether the breaker is open, and until when; doesn't admit a trial.
    #[must_use]
    pub fn gate(&self, rule: Rule) -> Gate {
        self.open.map_or(Gate::Closed, |open| {
            let until = if rule.tries {
                open.next_trial
            } else {
                open.until
            };
            let until = until.min(open.until);
            Gate::Open { until }
        })
    }

    /// Records successful requests, or a successful trial.
    pub fn passed(&mut self, count: u64, is_trial: bool, now: u64) -> Change {
        match (self.open.is_some(), is_trial) {
            (true, true) => {
                *self = Self::default();
                Change::Closed
            }
            // They started before it opened and say nothing about the time after.
            (true, false) => Change::None,
            (false, _) => {
                let slot = self.slot(now);
                slot.passed = slot.passed.saturating_add(count);
                Change::None
            }
        }
    }

    /// Records a failed request.
    pub fn failed(&mut self, rule: Rule, now: u64) -> Change {
        if self.open.is_some() {
            return Change::None;
        }
        let slot = self.slot(now);
        slot.failed = slot.failed.saturating_add(1);
        let (passed, failed) = self.counted(now);
        let all = passed.saturating_add(failed);
        let reached = failed.saturating_mul(WHOLE) >= all.saturating_mul(rule.threshold);
        if all < rule.samples || !reached {
            return Change::None;
        }
        self.open = Some(Open {
            until: now.saturating_add(rule.rest_ms),
            next_trial: now.saturating_add(FIRST_TRIAL_MS),
            interval: FIRST_TRIAL_MS,
        });
        Change::Opened
    }

    /// The numbers of successful and failed requests in the last ten seconds.
    #[must_use]
    pub fn counted(&self, now: u64) -> (u64, u64) {
        let oldest = (now / SLOT_MS)
            .saturating_add(1)
            .saturating_sub(SLOTS as u64);
        let counted = self.slots.iter().filter(|slot| slot.number >= oldest);
        counted.fold((0_u64, 0_u64), |(passed, failed), slot| {
            (
                passed.saturating_add(slot.passed),
                failed.saturating_add(slot.failed),
            )
        })
    }

    /// When it closes by itself; `None` if it is closed.
    #[must_use]
    pub fn closes_at(&self, now: u64) -> Option<u64> {
        self.open
            .map(|open| open.until)
            .filter(|until| now < *until)
    }

    /// Whether the next request is admitted as a trial.
    #[must_use]
    pub fn is_half_open(&self, rule: Rule, now: u64) -> bool {
        self.open
            .is_some_and(|open| rule.tries && now >= open.next_trial && now < open.until)
    }

    /// The current slot.
    fn slot(&mut self, now: u64) -> &mut Slot {
        let number = now / SLOT_MS;
        let [first, rest @ ..] = &mut self.slots;
        let at = usize::try_from(number).unwrap_or_default() % SLOTS;
        let slot = at
            .checked_sub(1)
            .and_then(|at| rest.get_mut(at))
            .unwrap_or(first);
        if slot.number != number {
            *slot = Slot {
                number,
                ..Slot::default()
            };
        }
        slot
    }
}

impl Open {
    fn delay_trial(&mut self, now: u64) {
        self.interval = self.interval.saturating_add(self.interval / 2);
        self.next_trial = now.saturating_add(self.interval);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::json::parse;

    const RULE: Rule = Rule {
        samples: 4,
        threshold: 500_000,
        rest_ms: 30_000,
        tries: true,
    };
    const AT: u64 = 1_000_000;

    /// Whether the last of these results, one letter each, opens the breaker.
    fn opens(rule: Rule, results: &str) -> bool {
        let mut breaker = Breaker::default();
        let mut last = Change::None;
        for result in results.chars() {
            last = match result {
                'p' => breaker.passed(1, false, AT),
                _ => breaker.failed(rule, AT),
            };
        }
        last == Change::Opened
    }

    #[test]
    fn opens_after_enough_samples_and_failures() {
        for (results, expected) in [
            ("fff", false),
            ("ffff", true),
            ("ppff", true),
            ("pppf", false),
            ("pppff", false),
            ("pppfff", true),
            // A success never opens it.
            ("fffp", false),
        ] {
            assert_eq!(opens(RULE, results), expected, "{results}");
        }
        let never = Rule {
            threshold: 1_000_001,
            ..RULE
        };
        assert!(!opens(never, "ffffffff"));
        let at_once = Rule {
            samples: 0,
            threshold: 0,
            ..RULE
        };
        assert!(opens(at_once, "f"));
    }

    #[test]
    fn samples_expire_after_ten_seconds() {
        let mut breaker = Breaker::default();
        for at in [AT, AT, AT] {
            assert_eq!(breaker.failed(RULE, at), Change::None);
        }
        assert_eq!(breaker.failed(RULE, AT + 10_000), Change::None);
        let mut breaker = Breaker::default();
        breaker.passed(100, false, AT);
        for at in [1, 2, 3] {
            assert_eq!(breaker.failed(RULE, AT + 10_000 + at), Change::None);
        }
        assert_eq!(breaker.failed(RULE, AT + 10_004), Change::Opened);
    }

    #[test]
    fn closes_after_rest_without_trials() {
        let rule = Rule {
            tries: false,
            samples: 1,
            ..RULE
        };
        let mut breaker = Breaker::default();
        assert_eq!(breaker.failed(rule, AT), Change::Opened);
        let until = AT + 30_000;
        for now in [AT, AT + 2000, until - 1] {
            assert_eq!(breaker.ask(rule, now), (Gate::Open { until }, Change::None));
        }
        assert_eq!(breaker.ask(rule, until), (Gate::Closed, Change::Closed));
        assert_eq!(breaker.ask(rule, until), (Gate::Closed, Change::None));
        // Nothing counted before is left.
        assert!(breaker.slots.iter().all(|slot| slot.failed == 0));
    }

    #[test]
    fn successful_trial_closes_the_breaker() {
        let rule = Rule { samples: 1, ..RULE };
        let mut breaker = Breaker::default();
        breaker.failed(rule, AT);
        let first = AT + FIRST_TRIAL_MS;
        assert_eq!(breaker.counted(AT), (0, 1));
        assert_eq!(breaker.closes_at(AT), Some(AT + RULE.rest_ms));
        let half_open = [first - 1, first].map(|now| breaker.is_half_open(rule, now));
        assert_eq!(half_open, [false, true]);
        assert_eq!(
            breaker.ask(rule, AT),
            (Gate::Open { until: first }, Change::None)
        );
        assert_eq!(breaker.ask(rule, first), (Gate::Trial, Change::None));
        let second = first + 1050;
        assert_eq!(
            breaker.ask(rule, first),
            (Gate::Open { until: second }, Change::None)
        );
        // The trial fails, and a request already under way succeeds.
        assert_eq!(breaker.failed(rule, first + 5), Change::None);
        assert_eq!(breaker.passed(3, false, first + 6), Change::None);
        assert_eq!(
            breaker.ask(rule, second - 1).0,
            Gate::Open { until: second }
        );
        assert_eq!(breaker.ask(rule, second), (Gate::Trial, Change::None));
        assert_eq!(breaker.passed(1, true, second + 5), Change::Closed);
        assert_eq!(breaker.ask(rule, second + 5), (Gate::Closed, Change::None));
    }

    #[test]
    fn rest_closes_the_breaker_even_if_trials_fail() {
        let rule = Rule {
            samples: 1,
            rest_ms: 1000,
            ..RULE
        };
        let mut breaker = Breaker::default();
        breaker.failed(rule, AT);
        assert_eq!(breaker.ask(rule, AT + 700).0, Gate::Trial);
        breaker.failed(rule, AT + 701);
        assert_eq!(
            breaker.ask(rule, AT + 702).0,
            Gate::Open { until: AT + 1000 }
        );
        assert_eq!(breaker.ask(rule, AT + 1000), (Gate::Closed, Change::Closed));
    }

    #[test]
    fn a_row_is_read() {
        let row = r#"{"threshold_percent":0.5,"samples":2,"return_to_service_after":1,"disable_half_open_state":true}"#;
        let rule = Rule::read(&parse(row).unwrap());
        let expected = Rule {
            samples: 2,
            threshold: 500_000,
            rest_ms: 1000,
            tries: false,
        };
        assert_eq!(rule, expected);
        let odd = Rule::read(&parse(r#"{"threshold_percent":-1,"samples":"x"}"#).unwrap());
        assert_eq!(
            odd,
            Rule {
                tries: true,
                ..Rule::default()
            }
        );
    }
}

//! A circuit breaker: when it opens, and how it closes (reference 3.4, *Circuit breaker*).
//!
//! Requests are counted over the last ten seconds. A failure opens it if at least so many requests were counted
//! and so much of them has failed. Open, it lets nothing through for its rest, or, unless that is
//! disabled, a trial now and then, and the first trial that succeeds closes it. A trial that nobody reports back is
//! given up when the next one is due.

use gatewright_model::amount::Amount;
use gatewright_model::json::Value;

/// Requests are counted in so many parts.
const SLOTS: usize = 10;
/// How long a part is, milliseconds.
const SLOT_MS: u64 = 1000;
/// When the first trial is due after the opening, milliseconds. Each later one takes half as long again.
const FIRST_TRIAL_MS: u64 = 700;
/// An [`Amount`] of one.
const WHOLE: u64 = 1_000_000;

/// How a breaker is set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// Below so many requests it does not open.
    pub samples: u64,
    /// The part of failed requests that opens it, in millionths.
    pub threshold: u64,
    /// How long it is open, milliseconds.
    pub rest_ms: u64,
    /// Whether it lets a trial through meanwhile.
    pub tries: bool,
}

impl Rule {
    /// Reads a row of `circuit_breakers`.
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
    /// It may: the breaker is closed.
    Closed,
    /// It may, to find out whether the upstream is back.
    Trial,
    /// It may not; before this time (Unix milliseconds) nobody may.
    Open {
        /// When it is worth asking again.
        until: u64,
    },
}

/// What has become of a breaker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Change {
    /// It is as it was.
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
    /// Whether a request may pass now.
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

    /// Whether it is open, and until when; a trial is not let through by this.
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

    /// Requests have succeeded, or the trial has.
    pub fn passed(&mut self, count: u64, is_trial: bool, now: u64) -> Change {
        match (self.open.is_some(), is_trial) {
            (true, true) => {
                *self = Self::default();
                Change::Closed
            }
            // They began before it opened and say nothing about what came after.
            (true, false) => Change::None,
            (false, _) => {
                let slot = self.slot(now);
                slot.passed = slot.passed.saturating_add(count);
                Change::None
            }
        }
    }

    /// A request has failed.
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

    /// How many requests of the last ten seconds have succeeded, and how many have failed.
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

    /// When it closes by itself; `None` for one that is closed.
    #[must_use]
    pub fn closes_at(&self, now: u64) -> Option<u64> {
        self.open
            .map(|open| open.until)
            .filter(|until| now < *until)
    }

    /// Whether the next request is let through to find out whether the upstream is back.
    #[must_use]
    pub fn is_half_open(&self, rule: Rule, now: u64) -> bool {
        self.open
            .is_some_and(|open| rule.tries && now >= open.next_trial && now < open.until)
    }

    /// The part of the count that is going on.
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

    /// After these results, a letter each: whether the last one has opened it.
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
    fn it_opens_by_a_failure_when_enough_were_counted_and_enough_of_them_failed() {
        for (results, expected) in [
            ("fff", false),
            ("ffff", true),
            ("ppff", true),
            ("pppf", false),
            ("pppff", false),
            ("pppfff", true),
            // A success opens nothing.
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
    fn what_was_counted_ten_seconds_ago_counts_no_more() {
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
    fn it_closes_after_its_rest_where_no_trial_is_made() {
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
        // Nothing that was counted before is left.
        assert!(breaker.slots.iter().all(|slot| slot.failed == 0));
    }

    #[test]
    fn one_trial_at_a_time_is_let_through_and_closes_it_if_it_succeeds() {
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
        // The trial fails, and what was on its way before succeeds.
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
    fn its_rest_ends_it_also_where_trials_fail() {
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

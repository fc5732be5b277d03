//! The state of upstreams that the processes of a machine share, as a service that answers messages.
//!
//! A message is one line: `turns <count> <key>` or `breaker <verb> <passed> <samples> <threshold> <rest> <tries>
//! <key>`. Keys may contain spaces, but no line breaks.

use super::breaker::{Breaker, Change, Gate, Rule};
use std::collections::HashMap;

/// How many keys are stored; beyond that, those not used lately are dropped.
const MOST: usize = 20_000;
/// How long a key must be unused before it may be dropped, in milliseconds.
const IDLE_MS: u64 = 600_000;

/// The state under one key.
#[derive(Debug, Default)]
struct Entry {
    used: u64,
    turns: u64,
    breaker: Breaker,
    /// The value of [`Common::epoch`] at the breaker's last change.
    epoch: u64,
}

/// Turns and breakers by key. Times are Unix milliseconds.
#[derive(Debug, Default)]
pub struct Common {
    entries: HashMap<String, Entry>,
    /// Counts the changes of all breakers.
    epoch: u64,
}

/// An operation on a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    /// Asks whether a request may pass.
    Ask,
    /// Reports successful requests.
    Passed,
    /// Reports a successful trial.
    Tried,
    /// Reports a failed request.
    Failed,
}

impl Verb {
    const ALL: [(Self, &str); 4] = [
        (Self::Ask, "ask"),
        (Self::Passed, "passed"),
        (Self::Tried, "tried"),
        (Self::Failed, "failed"),
    ];

    fn name(self) -> &'static str {
        let named = Self::ALL.into_iter().find(|(verb, _)| *verb == self);
        named.map_or("", |(_, name)| name)
    }
}

/// A message about a breaker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask<'a> {
    pub(super) verb: Verb,
    /// The number of successful requests before this one.
    pub(super) passed: u64,
    pub(super) rule: Rule,
    pub(super) key: &'a str,
}

impl Ask<'_> {
    /// Writes the message.
    pub(super) fn write(self) -> String {
        let Rule {
            samples,
            threshold,
            rest_ms,
            tries,
        } = self.rule;
        let (verb, passed, tries) = (self.verb.name(), self.passed, u8::from(tries));
        let key = self.key;
        format!("breaker {verb} {passed} {samples} {threshold} {rest_ms} {tries} {key}")
    }
}

/// The state of a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) gate: Gate,
    pub(super) change: Change,
    pub(super) epoch: u64,
}

impl Standing {
    fn write(self) -> String {
        let (gate, until) = match self.gate {
            Gate::Closed => (0, 0),
            Gate::Trial => (1, 0),
            Gate::Open { until } => (2, until),
        };
        let change = match self.change {
            Change::None => 0,
            Change::Opened => 1,
            Change::Closed => 2,
        };
        format!("{} {gate} {until} {change}", self.epoch)
    }

    /// Parses a reply of [`Common::answer`].
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut numbers = text.split(' ').map(|number| number.parse::<u64>().ok());
        let mut next = || numbers.next().flatten();
        let (epoch, gate, until, change) = (next()?, next()?, next()?, next()?);
        Some(Self {
            epoch,
            gate: match gate {
                0 => Gate::Closed,
                1 => Gate::Trial,
                _ => Gate::Open { until },
            },
            change: match change {
                1 => Change::Opened,
                2 => Change::Closed,
                _ => Change::None,
            },
        })
    }
}

impl Common {
    /// Takes `count` turns and returns the number of the first.
    pub(super) fn turns(&mut self, key: &str, count: u64, now: u64) -> u64 {
        let entry = self.entry(key, now);
        let first = entry.turns;
        entry.turns = first.wrapping_add(count);
        first
    }

    /// Carries out an operation on a breaker.
    pub(super) fn breaker(&mut self, ask: Ask<'_>, now: u64) -> Standing {
        let Ask {
            verb,
            passed,
            rule,
            key,
        } = ask;
        let epoch = self.epoch.saturating_add(1);
        let entry = self.entry(key, now);
        let breaker = &mut entry.breaker;
        if passed > 0 {
            breaker.passed(passed, false, now);
        }
        let change = match verb {
            Verb::Ask | Verb::Passed => Change::None,
            Verb::Tried => breaker.passed(1, true, now),
            Verb::Failed => breaker.failed(rule, now),
        };
        let (gate, change) = match verb {
            Verb::Ask => breaker.ask(rule, now),
            _ => (breaker.gate(rule), change),
        };
        if change != Change::None {
            entry.epoch = epoch;
        }
        let standing = Standing {
            gate,
            change,
            epoch: entry.epoch,
        };
        if change != Change::None {
            self.epoch = epoch;
        }
        standing
    }

    /// The breaker with this key, if it exists.
    pub(super) fn known(&self, key: &str) -> Option<&Breaker> {
        self.entries.get(key).map(|entry| &entry.breaker)
    }

    /// Answers a message. Returns the reply, and a notice that every process must get before the reply is delivered;
    /// empty for none. The reply to a malformed message is empty.
    pub fn answer(&mut self, message: &str, now: u64) -> (String, String) {
        self.try_answer(message, now).unwrap_or_default()
    }

    fn try_answer(&mut self, message: &str, now: u64) -> Option<(String, String)> {
        let (kind, rest) = message.split_once(' ')?;
        if kind == "turns" {
            let (count, key) = rest.split_once(' ')?;
            let first = self.turns(key, count.parse().ok()?, now);
            return Some((format!("{first} {count}"), String::new()));
        }
        let mut parts = rest.splitn(7, ' ');
        let verb = parts.next()?;
        let verb = Verb::ALL.into_iter().find(|(_, name)| *name == verb)?.0;
        let mut number = || parts.next()?.parse::<u64>().ok();
        let passed = number()?;
        let rule = Rule {
            samples: number()?,
            threshold: number()?,
            rest_ms: number()?,
            tries: number()? == 1,
        };
        let key = parts.next()?;
        let standing = self.breaker(
            Ask {
                verb,
                passed,
                rule,
                key,
            },
            now,
        );
        let news = match (standing.change, standing.gate) {
            (Change::Opened, Gate::Open { until }) => format!("{} {until} {key}", standing.epoch),
            _ => String::new(),
        };
        Some((standing.write(), news))
    }

    fn entry(&mut self, key: &str, now: u64) -> &mut Entry {
        if self.entries.len() >= MOST && !self.entries.contains_key(key) {
            let lately = now.saturating_sub(IDLE_MS);
            self.entries.retain(|_, entry| entry.used >= lately);
            if self.entries.len() >= MOST {
                self.entries.clear();
            }
        }
        let entry = self.entries.entry(key.to_owned()).or_default();
        entry.used = now;
        entry
    }
}

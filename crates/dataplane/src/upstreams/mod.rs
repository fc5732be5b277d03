//! What is known about upstreams across requests: whose turn it is, and which breakers are open.
//!
//! The promise: clients see a single gateway, however many processes of a machine serve them. If there are several, the
//! process with the objects holds the shared state ([`Common`]), and each isolate has a copy ([`struct@Copy`]) that
//! knows when it has to ask. Turns are taken one by one, or in blocks if an isolate uses hundreds per second. A failure
//! is reported before its response is sent, and by then every process knows about a breaker it opened; successes are
//! reported one by one, or summed up at hundreds per second. A single process, and an isolate at the edge, asks nobody,
//! just as each node of the reference has its own state.
//!
//! All of this is in memory and starts empty with its process. Keys contain the checksum of a definition, so a reload
//! keeps the state of APIs that it does not change.

mod answers;
mod breaker;
mod common;

pub use answers::{Answer, Answers, Fetched, Lifetime, Look, Question};
pub use breaker::{Breaker, Change, Gate, Rule};
pub use common::Common;

use common::{Ask, Standing, Verb};
use std::collections::HashMap;

/// The number of uses per second above which turns are taken and successes reported in blocks.
const MANY: u32 = 400;
/// The size of a block.
const BLOCK: u64 = 32;
/// How long turns of a block stay usable, and successes unreported, in milliseconds.
const BLOCK_MS: u64 = 250;
/// How many keys are known; beyond that all are dropped and asked for again.
const MOST: usize = 20_000;

/// A result, or the message needed to obtain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known<T> {
    /// The result.
    Now(T),
    /// A message to the process with the objects, whose reply has the result.
    Ask(String),
}

/// How a request through a breaker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The upstream answered without a server error.
    Passed,
    /// The same for a trial.
    Tried,
    /// The upstream failed.
    Failed,
}

/// The rate at which something is used.
#[derive(Debug, Default)]
struct Pace {
    second: u64,
    count: u32,
}

impl Pace {
    /// Counts a use; true if there are many per second.
    fn is_many(&mut self, now: u64) -> bool {
        let second = now / 1000;
        if self.second != second {
            // At its start, a second counts as being like the one before.
            let continues = self.second.saturating_add(1) == second && self.count >= MANY;
            *self = Self {
                second,
                count: if continues { MANY } else { 0 },
            };
        }
        self.count = self.count.saturating_add(1);
        self.count > MANY
    }
}

/// What an isolate knows about one key.
#[derive(Debug, Default)]
struct Entry {
    pace: Pace,
    /// Turns taken but not used: the next one's number, how many, and since when.
    next: u64,
    left: u64,
    since: u64,
    /// When a block was asked for that has not arrived; 0 if none was.
    asked: u64,
    /// The change count at which the breaker's state was learnt; `None` if it is unknown.
    epoch: Option<u64>,
    /// Until when no request may pass and none need ask; 0 if the breaker is closed.
    until: u64,
    /// Unreported successes, and since when.
    passed: u64,
    passed_since: u64,
}

/// The copy held by a process that asks another one.
#[derive(Debug, Default)]
pub struct Copy {
    entries: HashMap<String, Entry>,
}

/// An isolate's knowledge of upstreams. Times are Unix milliseconds.
#[derive(Debug)]
pub enum Upstreams {
    /// The authoritative state.
    Own(Common),
    /// A copy of the state in the process with the objects.
    Copy(Copy),
}

impl Default for Upstreams {
    fn default() -> Self {
        Self::Own(Common::default())
    }
}

impl Upstreams {
    /// Creates the copy for a process that asks another one.
    #[must_use]
    pub fn copy() -> Self {
        Self::Copy(Copy::default())
    }

    /// The number of the next turn.
    pub fn turn(&mut self, key: &str, now: u64) -> Known<u64> {
        match self {
            Self::Own(common) => Known::Now(common.turns(key, 1, now)),
            Self::Copy(copy) => copy.turn(key, now),
        }
    }

    /// The number of the next turn from the reply; without one, that after the last known.
    pub fn turn_answered(&mut self, key: &str, answer: Option<&str>, now: u64) -> u64 {
        let Self::Copy(copy) = self else {
            return 0;
        };
        let entry = copy.entry(key);
        let read = |answer: &str| {
            let (first, count) = answer.split_once(' ')?;
            Some((first.parse::<u64>().ok()?, count.parse::<u64>().ok()?))
        };
        let (first, count) = answer.and_then(read).unwrap_or((entry.next, 1));
        if count > 1 || entry.left == 0 {
            entry.next = first.wrapping_add(1);
            entry.left = count.saturating_sub(1);
            entry.since = now;
            entry.asked = 0;
        }
        first
    }

    /// Whether a request may pass a breaker.
    pub fn gate(&mut self, key: &str, rule: Rule, now: u64) -> Known<(Gate, Change)> {
        let ask = Ask {
            verb: Verb::Ask,
            passed: 0,
            rule,
            key,
        };
        match self {
            Self::Own(common) => {
                let standing = common.breaker(ask, now);
                Known::Now((standing.gate, standing.change))
            }
            Self::Copy(copy) => {
                let entry = copy.entry(key);
                match entry.epoch {
                    Some(_) if entry.until == 0 => Known::Now((Gate::Closed, Change::None)),
                    Some(_) if now < entry.until => {
                        let until = entry.until;
                        Known::Now((Gate::Open { until }, Change::None))
                    }
                    _ => Known::Ask(ask.write()),
                }
            }
        }
    }

    /// The same from the reply. Without one the request may pass.
    pub fn gate_answered(&mut self, key: &str, answer: Option<&str>) -> (Gate, Change) {
        let standing = self.answered(key, answer);
        standing.map_or((Gate::Closed, Change::None), |standing| {
            (standing.gate, standing.change)
        })
    }

    /// Records the end of a request through a breaker and returns the resulting change.
    pub fn ended(&mut self, key: &str, rule: Rule, end: End, now: u64) -> Known<Change> {
        let (verb, count) = match end {
            End::Passed => (Verb::Passed, 1),
            End::Tried => (Verb::Tried, 0),
            End::Failed => (Verb::Failed, 0),
        };
        let mut ask = Ask {
            verb,
            passed: count,
            rule,
            key,
        };
        match self {
            Self::Own(common) => Known::Now(common.breaker(ask, now).change),
            Self::Copy(copy) => {
                let entry = copy.entry(key);
                let waits = end == End::Passed && entry.pace.is_many(now);
                if entry.passed == 0 {
                    entry.passed_since = now;
                }
                ask.passed = entry.passed.saturating_add(count);
                let is_late = now.saturating_sub(entry.passed_since) >= BLOCK_MS;
                if waits && ask.passed < BLOCK && !is_late {
                    entry.passed = ask.passed;
                    return Known::Now(Change::None);
                }
                entry.passed = 0;
                Known::Ask(ask.write())
            }
        }
    }

    /// The same from the reply.
    pub fn ended_answered(&mut self, key: &str, answer: Option<&str>) -> Change {
        let standing = self.answered(key, answer);
        standing.map_or(Change::None, |standing| standing.change)
    }

    fn answered(&mut self, key: &str, answer: Option<&str>) -> Option<Standing> {
        let Self::Copy(copy) = self else {
            return None;
        };
        let standing = Standing::read(answer?)?;
        let until = match standing.gate {
            Gate::Open { until } => until,
            // The next request has to ask again.
            Gate::Trial => 1,
            Gate::Closed => 0,
        };
        copy.learn(key, standing.epoch, until);
        Some(standing)
    }

    /// Answers a message from another process ([`Common::answer`]).
    pub fn answer(&mut self, message: &str, now: u64) -> (String, String) {
        match self {
            Self::Own(common) => common.answer(message, now),
            Self::Copy(_) => Default::default(),
        }
    }

    /// A breaker's state for display: requests in the last ten seconds, failures among them, when it closes by itself
    /// (0 if it is closed), and 1 if the next request is a trial. Zeros unless this process holds the authoritative
    /// state.
    #[must_use]
    pub fn shown(&self, key: &str, rule: Rule, now: u64) -> [u64; 4] {
        let breaker = match self {
            Self::Own(common) => common.known(key),
            Self::Copy(_) => None,
        };
        breaker.map_or([0; 4], |breaker| {
            let (passed, failed) = breaker.counted(now);
            let until = breaker.closes_at(now).unwrap_or_default();
            let tries = u64::from(breaker.is_half_open(rule, now));
            [passed.saturating_add(failed), failed, until, tries]
        })
    }

    /// Takes a notice sent to every process: a breaker has opened.
    pub fn learn(&mut self, text: &str) {
        let mut parts = text.splitn(3, ' ');
        let mut number = || parts.next()?.parse::<u64>().ok();
        if let (Self::Copy(copy), Some(epoch), Some(until)) = (self, number(), number())
            && let Some(key) = parts.next()
        {
            copy.learn(key, epoch, until);
        }
    }
}

impl Copy {
    fn turn(&mut self, key: &str, now: u64) -> Known<u64> {
        let entry = self.entry(key);
        let is_many = entry.pace.is_many(now);
        if entry.left > 0 && now.saturating_sub(entry.since) < BLOCK_MS {
            entry.left = entry.left.saturating_sub(1);
            let turn = entry.next;
            entry.next = turn.wrapping_add(1);
            return Known::Now(turn);
        }
        // Only one request at a time asks for a block, or most of another one would be wasted.
        let asks = is_many && now.saturating_sub(entry.asked) >= BLOCK_MS;
        if asks {
            entry.asked = now;
        }
        let count = if asks { BLOCK } else { 1 };
        Known::Ask(format!("turns {count} {key}"))
    }

    /// Takes a breaker's state, unless a newer one is known: a reply may be older than a notice received meanwhile.
    fn learn(&mut self, key: &str, epoch: u64, until: u64) {
        let entry = self.entry(key);
        if entry.epoch.is_none_or(|known| known <= epoch) {
            entry.epoch = Some(epoch);
            entry.until = until;
        }
    }

    fn entry(&mut self, key: &str) -> &mut Entry {
        if self.entries.len() >= MOST && !self.entries.contains_key(key) {
            self.entries.clear();
        }
        self.entries.entry(key.to_owned()).or_default()
    }
}

#[cfg(test)]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "the numbers of a test are small"
)]
mod tests;

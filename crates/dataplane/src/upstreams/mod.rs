//! What is known of upstreams from one request to the next: whose turn it is, and which breakers are open.
//!
//! The promise: a client sees one gateway, however many processes of a machine serve it. Where several do,
//! what they share is in the process with the objects ([`Common`]), and an isolate keeps a copy ([`Copy`]) that says
//! when it has to ask: a turn is taken one by one, and in blocks where an isolate uses hundreds a second; a failure is
//! reported before its answer goes out, and a breaker that opens has been told to every process by then;
//! successes are reported one by one, and in sums where there are hundreds a second. A single process, and an isolate
//! at the edge, ask nobody, as each node of the reference has a state of its own.
//!
//! All of it is in memory and begins anew with its process. Keys hold the checksum of a definition, so a
//! reload keeps what is known of the APIs that it leaves as they were.

mod answers;
mod breaker;
mod common;

pub use answers::{Answer, Answers, Fetched, Lifetime, Look, Question};
pub use breaker::{Breaker, Change, Gate, Rule};
pub use common::Common;

use common::{Ask, Standing, Verb};
use std::collections::HashMap;

/// So many uses within a second are many: then turns are taken and successes reported in blocks.
const MANY: u32 = 400;
/// How many are in a block.
const BLOCK: u64 = 32;
/// How long turns of a block may be used, and successes wait, milliseconds.
const BLOCK_MS: u64 = 250;
/// So many keys are known at once; then all are forgotten, and asked for again.
const MOST: usize = 20_000;

/// What is known, or what has to be asked before it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known<T> {
    /// This.
    Now(T),
    /// The answer to this message, from the process with the objects.
    Ask(String),
}

/// How a request through a breaker has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The upstream has answered, with no error of its own.
    Passed,
    /// The same, of a request that was a trial.
    Tried,
    /// The upstream has failed.
    Failed,
}

/// How fast something is used.
#[derive(Debug, Default)]
struct Pace {
    second: u64,
    count: u32,
}

impl Pace {
    /// Counts a use; true where there are many.
    fn is_many(&mut self, now: u64) -> bool {
        let second = now / 1000;
        if self.second != second {
            // A second that begins is as the one before until it is known.
            let goes_on = self.second.saturating_add(1) == second && self.count >= MANY;
            *self = Self {
                second,
                count: if goes_on { MANY } else { 0 },
            };
        }
        self.count = self.count.saturating_add(1);
        self.count > MANY
    }
}

/// What an isolate knows under one key.
#[derive(Debug, Default)]
struct Entry {
    pace: Pace,
    /// Turns that are taken and not used: the next one, how many, and since when.
    next: u64,
    left: u64,
    since: u64,
    /// When a block was asked for that has not come yet; 0 for none.
    asked: u64,
    /// Since when the breaker is known, by its count of changes; `None` before it was asked for.
    epoch: Option<u64>,
    /// Before this time nobody may pass and nobody need be asked; 0 for a breaker that is closed.
    until: u64,
    /// Successes that were not reported, and since when.
    passed: u64,
    passed_since: u64,
}

/// The copy of a process that asks another one.
#[derive(Debug, Default)]
pub struct Copy {
    entries: HashMap<String, Entry>,
}

/// What an isolate knows of upstreams. Times are Unix milliseconds.
#[derive(Debug)]
pub enum Upstreams {
    /// All there is.
    Own(Common),
    /// A copy of what the process with the objects knows.
    Copy(Copy),
}

impl Default for Upstreams {
    fn default() -> Self {
        Self::Own(Common::default())
    }
}

impl Upstreams {
    /// Of a process that asks another one.
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

    /// The number of the next turn by the answer; where nobody could be asked, the one after the last.
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

    /// The same by the answer. Where nobody could be asked it may.
    pub fn gate_answered(&mut self, key: &str, answer: Option<&str>) -> (Gate, Change) {
        let standing = self.answered(key, answer);
        standing.map_or((Gate::Closed, Change::None), |standing| {
            (standing.gate, standing.change)
        })
    }

    /// A request through a breaker has ended; what that makes of it.
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

    /// The same by the answer.
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
            // The next one has to ask again.
            Gate::Trial => 1,
            Gate::Closed => 0,
        };
        copy.learn(key, standing.epoch, until);
        Some(standing)
    }

    /// Answers a message of another process ([`Common::answer`]).
    pub fn answer(&mut self, message: &str, now: u64) -> (String, String) {
        match self {
            Self::Own(common) => common.answer(message, now),
            Self::Copy(_) => Default::default(),
        }
    }

    /// How a breaker is, for people: requests of the last ten seconds, failures among them, when it closes by itself
    /// (0 for one that is closed), and 1 if the next request is a trial. Only who knows all there is can say it.
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

    /// Takes what every process is told: a breaker has opened.
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
        // One request at a time asks for a block, or most of another one would be lost.
        let asks = is_many && now.saturating_sub(entry.asked) >= BLOCK_MS;
        if asks {
            entry.asked = now;
        }
        let count = if asks { BLOCK } else { 1 };
        Known::Ask(format!("turns {count} {key}"))
    }

    /// Takes how a breaker is, unless something newer is known. What came as an answer may be older than what was
    /// told meanwhile.
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

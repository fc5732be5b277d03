//! The simulation: a Ledger, its isolates and the messages between them, in the order of their times.

use gatewright_dataplane::leases::{Admission, Leases};
use gatewright_ledger::Ledger;
use gatewright_protocol::ledger::{Consume, Count, Keep, Limit, Standing, Verdict};
use std::collections::BTreeMap;

const START: u64 = 1_700_000_000_000;
const NAME: &str = "key:k";

/// Deterministic pseudo-random numbers (xorshift64*).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    /// Returns a number below `most`.
    fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }

    /// Returns true once in this many times.
    fn once_in(&mut self, times: u64) -> bool {
        times > 0 && self.below(times) == 0
    }
}

#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) seed: u64,
    pub(super) counts: Vec<Count>,
    pub(super) isolates: usize,
    pub(super) per_second: u64,
    /// Whether requests come in bursts.
    pub(super) bursts: bool,
    pub(super) ms: u64,
    /// The maximum latency of a message, in milliseconds.
    pub(super) delay: u64,
    /// One in this many answers is lost; 0 for none.
    pub(super) lost: u64,
    /// One in this many requests is refused elsewhere and gives back what it has counted.
    pub(super) refused: u64,
    /// Milliseconds between two crashes; 0 for none.
    pub(super) crashes: u64,
    /// Milliseconds between two writes of the session; 0 for none.
    pub(super) writes: u64,
    /// One in this many revisions is late and handed over repeatedly; 0 for none.
    pub(super) repeats: u64,
}

enum Event {
    Request(usize),
    /// A query arrives at the Ledger: the isolate, the query, when it was sent by the isolate's clock, and whether a
    /// request waits.
    Asked(usize, Consume, u64, bool),
    Answered(usize, Consume, u64, Verdict),
    Crash,
    /// The Registry stores a write.
    Commit,
    /// A revision arrives at the Ledger.
    Keep(u64),
    /// A write is answered: nobody uses an earlier session any more.
    Written(u64),
}

struct Isolate {
    leases: Leases,
    /// How far its clock is ahead.
    ahead: u64,
    revision: u64,
}

pub(super) struct World {
    plan: Plan,
    dice: Dice,
    events: BTreeMap<(u64, u64), Event>,
    number: u64,
    pub(super) ledger: Ledger,
    disk: String,
    /// The stored session.
    session: String,
    isolates: Vec<Isolate>,
    /// The session that the Registry has stored, and the oldest one that may still be used.
    committed: u64,
    valid: u64,
    pub(super) admitted: Vec<u64>,
    pub(super) requests: u64,
    pub(super) calls: u64,
    pub(super) refused: u64,
}

impl World {
    pub(super) fn new(plan: Plan) -> Self {
        let mut dice = Dice(plan.seed | 1);
        let isolates = (0..plan.isolates).map(|number| Isolate {
            leases: Leases::new(number.to_string()),
            ahead: dice.below(100_000),
            revision: 1,
        });
        let isolates = isolates.collect();
        Self {
            isolates,
            dice,
            plan,
            events: BTreeMap::new(),
            number: 0,
            ledger: Ledger::default(),
            disk: String::new(),
            session: String::new(),
            committed: 1,
            valid: 1,
            admitted: Vec::new(),
            requests: 0,
            calls: 0,
            refused: 0,
        }
    }

    fn at(&mut self, at: u64, event: Event) {
        self.number += 1;
        self.events.insert((at, self.number), event);
    }

    fn later(&mut self, now: u64, event: Event) {
        let at = now + self.dice.below(self.plan.delay + 1);
        self.at(at, event);
    }

    fn plan_requests(&mut self) {
        let all = self.plan.ms * self.plan.per_second / 1000;
        for _ in 0..all {
            let mut at = START + self.dice.below(self.plan.ms);
            if self.plan.bursts {
                at -= (at - START) % 300;
            }
            let isolate = self.dice.below(self.plan.isolates as u64) as usize;
            self.at(at, Event::Request(isolate));
        }
        let every = |ms: u64| {
            (1..)
                .map(move |n| START + n * ms)
                .take_while(move |_| ms > 0)
        };
        let end = START + self.plan.ms;
        let crashes: Vec<u64> = every(self.plan.crashes)
            .take_while(|at| *at < end)
            .collect();
        let writes: Vec<u64> = every(self.plan.writes).take_while(|at| *at < end).collect();
        crashes.into_iter().for_each(|at| self.at(at, Event::Crash));
        writes.into_iter().for_each(|at| self.at(at, Event::Commit));
    }

    pub(super) fn run(mut self) -> Self {
        self.plan_requests();
        self.keep(self.committed, START);
        while let Some(((now, _), event)) = self.events.pop_first() {
            match event {
                Event::Request(isolate) => {
                    self.requests += 1;
                    self.request(isolate, now);
                }
                Event::Asked(isolate, ask, asked_at, waits) => {
                    self.asked(isolate, ask, (asked_at, now), waits);
                }
                Event::Answered(isolate, ask, asked_at, verdict) => {
                    let isolate = &mut self.isolates[isolate];
                    let times = (asked_at, now + isolate.ahead);
                    isolate.leases.answered(NAME, &ask, &verdict, times);
                }
                Event::Crash => {
                    self.ledger = Ledger::restore(&self.disk, now).unwrap();
                    self.ledger.recall(&self.session);
                }
                Event::Commit => {
                    self.committed += 1;
                    self.hand_over(self.committed, now);
                }
                Event::Keep(revision) => {
                    let answered = now + self.keep(revision, now);
                    self.at(answered, Event::Written(revision));
                }
                Event::Written(revision) => self.valid = self.valid.max(revision),
            }
        }
        self.admitted.sort_unstable();
        self
    }

    /// Hands a revision over to the Ledger, perhaps late, and again.
    fn hand_over(&mut self, revision: u64, now: u64) {
        if !self.dice.once_in(self.plan.repeats) {
            return self.later(now, Event::Keep(revision));
        }
        for _ in 0..=self.dice.below(3) {
            let late = now + self.dice.below(5_000);
            self.at(late, Event::Keep(revision));
        }
    }

    /// Returns for how many milliseconds the write has to wait.
    fn keep(&mut self, revision: u64, now: u64) -> u64 {
        let keep = Keep {
            revision,
            ..Keep::default()
        };
        let (_, ms) = self.ledger.keep(keep, "", "", now).unwrap();
        self.save(now);
        ms
    }

    fn save(&mut self, now: u64) {
        if let Some(text) = self.ledger.to_store(now) {
            self.disk = text;
            let session = self.ledger.session_to_store();
            self.session = session.unwrap_or(std::mem::take(&mut self.session));
        }
    }

    fn request(&mut self, number: usize, now: u64) {
        let isolate = &mut self.isolates[number];
        let own = now + isolate.ahead;
        let mut ask = Consume {
            revision: Some(isolate.revision),
            counts: self.plan.counts.clone(),
            show: (0..).take(self.plan.counts.len()).collect(),
            ..Consume::default()
        };
        let admission = isolate.leases.take(NAME, &ask, "", own);
        for question in isolate.leases.questions() {
            self.later(now, Event::Asked(number, question.ask, own, false));
        }
        match admission {
            Some(Admission::Leased(lease, standings)) => {
                let revision = self.isolates[number].revision;
                assert!(revision >= self.valid, "admitted by a session of before");
                assert_eq!(standings.len(), self.plan.counts.len());
                if self.dice.once_in(self.plan.refused) {
                    self.isolates[number].leases.give_back(NAME, lease);
                } else {
                    self.admitted.push(now);
                }
            }
            Some(Admission::Refused(_)) => {
                let revision = self.isolates[number].revision;
                assert!(revision >= self.valid, "refused by a session of before");
                self.refused += 1;
            }
            None => {
                ask.lease = self.isolates[number].leases.ask(NAME, &ask, own);
                self.later(now, Event::Asked(number, ask, own, true));
            }
        }
    }

    fn asked(&mut self, number: usize, ask: Consume, (asked_at, now): (u64, u64), waits: bool) {
        self.calls += 1;
        let verdict = self.consume(&ask, now);
        if waits && !verdict.standings().is_empty() && ask.back.is_empty() {
            let valid = Some(self.valid);
            assert!(ask.revision >= valid, "decided by a session of before");
        }
        match &verdict {
            Verdict::Admitted(standings) | Verdict::Leased(standings, _)
                if waits && ask.back.is_empty() =>
            {
                self.passed(number, &ask, standings, now);
            }
            Verdict::Refused { .. } if waits => self.refused += 1,
            Verdict::Stale { revision } => {
                self.isolates[number].revision = *revision;
                if waits {
                    self.request(number, now);
                }
            }
            _ => {}
        }
        if self.dice.once_in(self.plan.lost) {
            if self.dice.once_in(2) {
                self.isolates[number].leases.failed(NAME, &ask);
            }
            return;
        }
        self.later(now, Event::Answered(number, ask, asked_at, verdict));
    }

    /// Handles a request that the Ledger has counted.
    fn passed(&mut self, number: usize, ask: &Consume, standings: &[Standing], now: u64) {
        if !self.dice.once_in(self.plan.refused) {
            self.admitted.push(now);
            return;
        }
        let back = ask.counts.iter().zip(standings);
        let back = Consume {
            back: back
                .map(|(count, standing)| match count.limit {
                    Limit::Rate(_) => standing.counted_at,
                    Limit::Quota(_) => standing.at,
                })
                .collect(),
            lease: None,
            ..ask.clone()
        };
        self.later(now, Event::Asked(number, back, 0, true));
    }

    fn consume(&mut self, ask: &Consume, now: u64) -> Verdict {
        let (verdict, _) = self.ledger.consume(ask, false, now).unwrap();
        self.save(now);
        verdict
    }
}

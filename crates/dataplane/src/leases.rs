//! What this isolate may admit without asking the counting Ledgers.
//!
//! The promise: as exact as asking. A [lease](gatewright_protocol::ledger::Lease) is counted at its Ledger before it is
//! used here, and its use ends here earlier than at the Ledger, regardless of clocks: its time runs from when this
//! isolate asked. It applies to one revision of a session and one set of counters, and writes of the session wait for
//! it to end.
//!
//! Clients with few requests never lease, so most keys' counters are asked each time; the unused part of a lease is
//! returned with the next question. A request that finds no lease asks for itself and waits for no other; a lease that
//! ends soon is renewed after a response, so no request waits for that.

use gatewright_protocol::ledger::{
    Consume, Count, EndedLease, LeaseAsk, Limit, Standing, Verdict, lease_ms,
};
use std::collections::HashMap;

/// How many sets of counters are watched at once.
const MAX: usize = 4096;
/// When there are too many, sets unused for this many milliseconds are dropped.
const IDLE_MS: u64 = 1000;
/// The minimum interval over which the request rate is measured, in milliseconds.
const PART_MS: u64 = 50;
/// The number of expected requests per lease below which none is asked for; Ledgers grant no smaller ones.
const FEWEST: u64 = 4;
/// The time after which a question counts as lost, in milliseconds.
const LOST_MS: u64 = 5000;
/// How far an isolate's clock may lag while it computes, in milliseconds.
const LAG_MS: u64 = 2;

/// A decision made in this isolate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Admitted by the lease with this id, with the standings as far as known here.
    Leased(u64, Vec<Standing>),
    /// Refused, like another request moments ago.
    Refused(Verdict),
}

/// A lease in use. Times are Unix milliseconds.
#[derive(Debug)]
struct Held {
    id: u64,
    count: u32,
    used: u32,
    until: u64,
}

impl Held {
    const fn left(&self) -> u32 {
        self.count.saturating_sub(self.used)
    }
}

/// The state of one set of counters for one revision of a session.
#[derive(Debug)]
struct Signature {
    revision: Option<u64>,
    counts: Vec<Count>,
    /// The duration of its leases at the Ledger, in milliseconds.
    ms: u64,
    /// Ordered by when they end.
    leases: Vec<Held>,
    /// Leases whose end has not been reported to the Ledger.
    ended: Vec<EndedLease>,
    /// A refusal, when it arrived, and how long it is repeated.
    refused: Option<(Verdict, u64, u64)>,
    /// The standings when the Ledger last answered.
    standings: Vec<Standing>,
    /// When a lease was asked for that has not been answered yet.
    asked_at: Option<u64>,
    /// The duration of the last round trip, in milliseconds.
    round_trip: u64,
    per_second: u64,
    seen: u64,
    since: u64,
    last: u64,
}

impl Signature {
    fn new(ask: &Consume, now: u64) -> Option<Self> {
        Some(Self {
            revision: ask.revision,
            counts: ask.counts.clone(),
            ms: lease_ms(&ask.counts)?,
            leases: Vec::new(),
            ended: Vec::new(),
            refused: None,
            standings: Vec::new(),
            asked_at: None,
            round_trip: 0,
            per_second: 0,
            seen: 0,
            since: now,
            last: now,
        })
    }

    fn is_of(&self, ask: &Consume) -> bool {
        self.revision == ask.revision && self.counts == ask.counts
    }

    /// Records a request.
    fn see(&mut self, now: u64) {
        self.last = now;
        self.seen = self.seen.saturating_add(1);
        let passed = now.saturating_sub(self.since);
        if passed >= PART_MS {
            let measured = self.seen.saturating_mul(1000).checked_div(passed);
            self.per_second = self.per_second.midpoint(measured.unwrap_or(0));
            (self.seen, self.since) = (0, now);
        }
    }

    /// Moves leases that are used up or over to `ended`.
    fn expire(&mut self, now: u64) {
        let ended = &mut self.ended;
        self.leases.retain(|held| {
            let is_alive = held.until > now && held.left() > 0;
            if !is_alive {
                ended.push(EndedLease {
                    id: held.id,
                    used: held.used,
                });
            }
            is_alive
        });
    }

    /// The number of requests expected during a lease.
    const fn expected(&self) -> u64 {
        self.per_second.saturating_mul(self.ms) / 1000
    }

    const fn is_asking(&self, now: u64) -> bool {
        match self.asked_at {
            Some(at) => now < at.saturating_add(LOST_MS),
            None => false,
        }
    }

    fn left(&self) -> u64 {
        self.leases.iter().map(|held| u64::from(held.left())).sum()
    }

    /// Whether to ask for another lease after the response.
    fn is_low(&self, now: u64) -> bool {
        let until = self.leases.last().map_or(0, |held| held.until);
        let early = (self.ms / 2).max(self.round_trip.saturating_mul(3) / 2);
        self.left() < self.expected() / 2 || until.saturating_sub(now) < early
    }

    /// What to add to a question to the Ledger; `None` if there is nothing to say. With `want` 0 it still announces
    /// that the isolate repeats a refusal by itself for a while.
    fn ask(&mut self, holder: &str, is_ahead: bool, now: u64) -> Option<LeaseAsk> {
        let wanted = self.expected().saturating_add(1);
        if wanted < FEWEST && self.ended.is_empty() {
            return None;
        }
        let is_free = wanted >= FEWEST && !self.is_asking(now);
        let want = if is_free { wanted } else { 0 };
        if is_free {
            self.asked_at = Some(now);
        }
        Some(LeaseAsk {
            holder: holder.to_owned(),
            want: u32::try_from(want).unwrap_or(u32::MAX),
            ended: std::mem::take(&mut self.ended),
            is_ahead,
        })
    }

    /// The same as a separate question.
    fn consume(&mut self, holder: &str, now: u64) -> Option<Consume> {
        Some(Consume {
            revision: self.revision,
            counts: self.counts.clone(),
            show: (0..).take(self.counts.len()).collect(),
            lease: Some(self.ask(holder, true, now)?),
            ..Consume::default()
        })
    }

    /// When a lease asked for at this time ends here: earlier than at its Ledger, by the possible difference between
    /// the Ledger's clock, which counts in slots, and this one.
    fn end(&self, asked_at: u64) -> u64 {
        let windows = self.counts.iter().filter_map(|count| match count.limit {
            Limit::Rate(limit) => Some(limit.window_ms),
            Limit::Quota(_) => None,
        });
        let slot = windows.max().unwrap_or(0) / 1000;
        let early = slot.max(1).saturating_add(LAG_MS);
        asked_at.saturating_add(self.ms).saturating_sub(early)
    }

    fn take(&mut self, now: u64) -> Option<Admission> {
        self.see(now);
        self.expire(now);
        if let Some((verdict, at, until)) = &self.refused {
            if now < *until {
                return Some(Admission::Refused(later(verdict, now.saturating_sub(*at))));
            }
            self.refused = None;
        }
        let held = self.leases.first_mut()?;
        held.used = held.used.saturating_add(1);
        let id = held.id;
        Some(Admission::Leased(id, self.shown()))
    }

    /// The current standings: the Ledger's latest, minus what was used of its lease since. The Ledger counts earlier
    /// leases as used.
    fn shown(&self) -> Vec<Standing> {
        let (newest, before) = match self.leases.split_last() {
            Some((newest, before)) => (u64::from(newest.used), before),
            None => (0, [].as_slice()),
        };
        let unused: u64 = before.iter().map(|held| u64::from(held.left())).sum();
        let standings = self.standings.iter();
        let shown = standings.map(|standing| Standing {
            remaining: standing
                .remaining
                .saturating_add(unused)
                .saturating_sub(newest),
            ..*standing
        });
        shown.collect()
    }

    fn answered(&mut self, verdict: &Verdict, asked_at: u64, now: u64) {
        if self.asked_at == Some(asked_at) {
            self.asked_at = None;
        }
        self.round_trip = now.saturating_sub(asked_at);
        match verdict {
            Verdict::Leased(standings, lease) => {
                self.standings.clone_from(standings);
                let until = self.end(asked_at);
                let at = self.leases.partition_point(|held| held.until <= until);
                let held = Held {
                    id: lease.id,
                    count: lease.count,
                    used: 0,
                    until,
                };
                self.leases.insert(at, held);
                self.expire(now);
            }
            Verdict::Refused { retry_ms, .. } => {
                let until = asked_at.saturating_add(self.ms.min(*retry_ms));
                self.refused = Some((verdict.clone(), now, until));
            }
            Verdict::Admitted(_) => {}
            // The session has changed: its requests will have another revision.
            Verdict::Stale { .. } | Verdict::Unknown => {
                self.leases.iter_mut().for_each(|held| held.until = 0);
                self.expire(now);
            }
        }
    }
}

/// The refusal as it reads some milliseconds later.
fn later(verdict: &Verdict, passed: u64) -> Verdict {
    let mut verdict = verdict.clone();
    if let Verdict::Refused { retry_ms, .. } = &mut verdict
        && *retry_ms != u64::MAX
    {
        *retry_ms = retry_ms.saturating_sub(passed);
    }
    verdict
}

/// The leases of an isolate.
#[derive(Debug, Default)]
pub struct Leases {
    holder: String,
    /// Keyed by the Ledger's name.
    known: HashMap<String, Vec<Signature>>,
    size: usize,
    swept_at: u64,
    /// Questions to be asked after the response.
    questions: Vec<Question>,
}

/// A question that no request waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The name of the Ledger.
    pub ledger: String,
    /// The question.
    pub ask: Consume,
    /// When it was asked, in Unix milliseconds; the lease's time runs from then.
    pub asked_at: u64,
    /// The API that the call and its lease are counted for; empty for none.
    pub counted_as: String,
}

impl Leases {
    /// Creates a store without leases. `holder` is unique to this isolate.
    #[must_use]
    pub fn new(holder: String) -> Self {
        Self {
            holder,
            ..Self::default()
        }
    }

    /// Decides about a request; `None` if its Ledger has to be asked, with what [`Self::ask`] adds. A resulting
    /// question is counted for the API `counted_as`.
    pub fn take(
        &mut self,
        ledger: &str,
        ask: &Consume,
        counted_as: &str,
        now: u64,
    ) -> Option<Admission> {
        let holder = std::mem::take(&mut self.holder);
        let taken = self.watch(ledger, ask, now).and_then(|signature| {
            let admission = signature.take(now)?;
            let is_leased = matches!(admission, Admission::Leased(..));
            let asks = is_leased && !signature.is_asking(now) && signature.is_low(now);
            let question = asks.then(|| signature.consume(&holder, now));
            Some((admission, question.flatten()))
        });
        self.holder = holder;
        let (admission, question) = taken?;
        self.questions.extend(question.map(|ask| Question {
            ledger: ledger.to_owned(),
            ask,
            asked_at: now,
            counted_as: counted_as.to_owned(),
        }));
        Some(admission)
    }

    /// What to say about leases when a request asks its Ledger.
    pub fn ask(&mut self, ledger: &str, ask: &Consume, now: u64) -> Option<LeaseAsk> {
        let holder = std::mem::take(&mut self.holder);
        let signature = self.find(ledger, ask);
        let asked = signature.and_then(|signature| signature.ask(&holder, false, now));
        self.holder = holder;
        asked
    }

    /// Takes a Ledger's answer to a question; the times are when it was asked and now.
    pub fn answered(
        &mut self,
        ledger: &str,
        ask: &Consume,
        verdict: &Verdict,
        (asked_at, now): (u64, u64),
    ) {
        if ask.lease.is_some()
            && let Some(signature) = self.find(ledger, ask)
        {
            signature.answered(verdict, asked_at, now);
        }
    }

    /// Handles a lost question: what it returned is reported again.
    pub fn failed(&mut self, ledger: &str, ask: &Consume) {
        if let Some(lease) = &ask.lease
            && let Some(signature) = self.find(ledger, ask)
        {
            signature.ended.extend(&lease.ended);
            signature.asked_at = None;
        }
    }

    /// Takes back an admission whose request was refused elsewhere.
    pub fn give_back(&mut self, ledger: &str, lease: u64) {
        let signatures = self.known.get_mut(ledger).into_iter().flatten();
        for signature in signatures {
            let held = signature.leases.iter_mut();
            let held = held.filter(|held| held.id == lease);
            held.for_each(|held| held.used = held.used.saturating_sub(1));
            let ended = signature.ended.iter_mut();
            let ended = ended.filter(|ended| ended.id == lease);
            ended.for_each(|ended| ended.used = ended.used.saturating_sub(1));
        }
    }

    /// Whether there are questions to ask after the response.
    #[must_use]
    pub const fn has_questions(&self) -> bool {
        !self.questions.is_empty()
    }

    /// Takes the questions to ask after the response.
    pub fn questions(&mut self) -> Vec<Question> {
        std::mem::take(&mut self.questions)
    }

    /// Queues reports of ended leases for [`Self::questions`].
    pub fn report_ended(&mut self, now: u64) {
        for (ledger, signatures) in &mut self.known {
            for signature in signatures {
                signature.expire(now);
                if !signature.ended.is_empty() && !signature.is_asking(now) {
                    // Only a report: no request needs another lease.
                    signature.per_second = 0;
                    let question = signature.consume(&self.holder, now);
                    self.questions.extend(question.map(|ask| Question {
                        ledger: ledger.clone(),
                        ask,
                        asked_at: now,
                        counted_as: String::new(),
                    }));
                }
            }
        }
    }

    fn find(&mut self, ledger: &str, ask: &Consume) -> Option<&mut Signature> {
        let mut signatures = self.known.get_mut(ledger)?.iter_mut();
        signatures.find(|signature| signature.is_of(ask))
    }

    /// The state of a question's counters, watched from now on; `None` if too many are watched.
    fn watch(&mut self, ledger: &str, ask: &Consume, now: u64) -> Option<&mut Signature> {
        let known = self.known.get(ledger).into_iter().flatten();
        if !known.into_iter().any(|signature| signature.is_of(ask)) {
            if self.size >= MAX {
                self.sweep(now);
            }
            if self.size >= MAX {
                return None;
            }
            let signature = Signature::new(ask, now)?;
            let signatures = self.known.entry(ledger.to_owned()).or_default();
            signatures.push(signature);
            self.size = self.size.saturating_add(1);
        }
        self.find(ledger, ask)
    }

    /// Drops unused sets of counters at intervals.
    fn sweep(&mut self, now: u64) {
        if now < self.swept_at.saturating_add(IDLE_MS) {
            return;
        }
        self.swept_at = now;
        let mut size: usize = 0;
        self.known.retain(|_, signatures| {
            signatures.retain(|signature| {
                let is_idle = signature.last.saturating_add(IDLE_MS) <= now;
                !is_idle || !signature.leases.is_empty() || !signature.ended.is_empty()
            });
            size = size.saturating_add(signatures.len());
            !signatures.is_empty()
        });
        self.size = size;
    }
}

//! What this isolate may admit without asking the Ledgers that count.
//!
//! The promise: as exact as asking. A [lease](gatewright_protocol::ledger::Lease) is counted at its Ledger
//! before it is used here, and it is used only until a moment that comes earlier than the one it is counted at,
//! whatever the clocks say: its time runs from when this isolate asked. It speaks for one revision of a session
//! and one set of counters, and a write of the session waits for its end.
//!
//! Who has few requests never leases, so the counters of most keys are asked each time; what is left of a
//! lease is given back with the next question. A request that finds nothing asks for itself and waits for
//! nobody; a lease that ends soon is renewed behind a request, which does not wait for it.

use gatewright_protocol::ledger::{
    Consume, Count, EndedLease, LeaseAsk, Limit, Standing, Verdict, lease_ms,
};
use std::collections::HashMap;

/// So many sets of counters are watched at once.
const MAX: usize = 4096;
/// Those that nobody has asked for in so many milliseconds go when there are too many.
const IDLE_MS: u64 = 1000;
/// The rate of requests is measured in parts of at least so many milliseconds.
const PART_MS: u64 = 50;
/// Fewer requests than that in the time of a lease are not worth one; a Ledger gives no smaller ones.
const FEWEST: u64 = 4;
/// After so many milliseconds a question counts as lost.
const LOST_MS: u64 = 5000;
/// By so many milliseconds an isolate's time may lag while it computes.
const LAG_MS: u64 = 2;

/// What a request gets here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is admitted by the lease with this id; so the counters stand, as far as is known here.
    Leased(u64, Vec<Standing>),
    /// It is refused as another one was a moment ago.
    Refused(Verdict),
}

/// A lease. Times are Unix milliseconds.
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

/// What is known of one set of counters, with one revision of a session.
#[derive(Debug)]
struct Signature {
    revision: Option<u64>,
    counts: Vec<Count>,
    /// For how many milliseconds its leases last at their Ledger.
    ms: u64,
    /// In the order in which they end.
    leases: Vec<Held>,
    /// Those that the Ledger has not heard of yet.
    ended: Vec<EndedLease>,
    /// A refusal, when it came, and until when it is repeated.
    refused: Option<(Verdict, u64, u64)>,
    /// How the counters stood when the Ledger answered last.
    standings: Vec<Standing>,
    /// When a lease was asked for, if the answer is not here yet.
    asked_at: Option<u64>,
    /// How many milliseconds the last answer took.
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

    /// Sees a request.
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

    /// Sets leases aside that are used up or have ended.
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

    /// How many requests come in the time of a lease.
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

    /// True if it is time to ask for more behind a request.
    fn is_low(&self, now: u64) -> bool {
        let until = self.leases.last().map_or(0, |held| held.until);
        let early = (self.ms / 2).max(self.round_trip.saturating_mul(3) / 2);
        self.left() < self.expected() / 2 || until.saturating_sub(now) < early
    }

    /// What to ask the Ledger for; `None` if there is nothing to say. Who asks for nothing still says that it
    /// refuses by itself for a while if it is refused.
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

    /// The same as a question of its own.
    fn consume(&mut self, holder: &str, now: u64) -> Option<Consume> {
        Some(Consume {
            revision: self.revision,
            counts: self.counts.clone(),
            show: (0..).take(self.counts.len()).collect(),
            lease: Some(self.ask(holder, true, now)?),
            ..Consume::default()
        })
    }

    /// When a lease ends here that was asked for then: earlier than at its Ledger, by what its clock of whole
    /// slots and this one may differ.
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

    /// How the counters stand: what the Ledger has said last, and what was used of its lease since. It counts
    /// leases from before as used.
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
            // The session is another one: its requests come with another revision.
            Verdict::Stale { .. } | Verdict::Unknown => {
                self.leases.iter_mut().for_each(|held| held.until = 0);
                self.expire(now);
            }
        }
    }
}

/// A refusal some milliseconds later.
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
    /// By the names of the Ledgers.
    known: HashMap<String, Vec<Signature>>,
    size: usize,
    swept_at: u64,
    /// Questions that no request waits for.
    questions: Vec<Question>,
}

/// A question that no request waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The name of the Ledger.
    pub ledger: String,
    /// What it is asked.
    pub ask: Consume,
    /// When it was made, Unix milliseconds: the time of its lease runs from then.
    pub asked_at: u64,
    /// The API that the call is counted for; an empty text for none.
    pub counted_as: String,
}

impl Leases {
    /// No leases yet. `holder` is a text that no other isolate has.
    #[must_use]
    pub fn new(holder: String) -> Self {
        Self {
            holder,
            ..Self::default()
        }
    }

    /// Decides about a request here; `None` if its Ledger has to be asked, with what [`Self::ask`] adds.
    /// A question that this leads to is counted for the API `counted_as`.
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

    /// Takes a Ledger's answer to a question that was asked then.
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

    /// A question has no answer: what it gave back is said again.
    pub fn failed(&mut self, ledger: &str, ask: &Consume) {
        if let Some(lease) = &ask.lease
            && let Some(signature) = self.find(ledger, ask)
        {
            signature.ended.extend(&lease.ended);
            signature.asked_at = None;
        }
    }

    /// Gives an admission back whose request was refused elsewhere.
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

    /// True if there are questions to be asked behind a request.
    #[must_use]
    pub const fn has_questions(&self) -> bool {
        !self.questions.is_empty()
    }

    /// The questions to be asked behind a request.
    pub fn questions(&mut self) -> Vec<Question> {
        std::mem::take(&mut self.questions)
    }

    /// Lets what has ended and nobody has said wait for [`Self::questions`].
    pub fn report_ended(&mut self, now: u64) {
        for (ledger, signatures) in &mut self.known {
            for signature in signatures {
                signature.expire(now);
                if !signature.ended.is_empty() && !signature.is_asking(now) {
                    // Only to say it: there is no request that wants more.
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

    /// The signature of a question, watched from now on; `None` if there are too many.
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

    /// Forgets what nobody asks for, once in a while.
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

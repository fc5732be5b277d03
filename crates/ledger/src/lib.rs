//! The Ledger of a key, an organisation or an API: its counters, and for the first two whether the
//! session that an isolate has decided with is still the right one.
//!
//! The promise: limits are exact whatever the number of isolates, because one object counts; a
//! session that was changed or deleted is so at the next request, because every request asks here, by a
//! call or [directly](Ledger::count_directly), or has a [lease](leases), whose end the write waits for;
//! and a crash can only make it admit fewer requests, never more: what may be admitted before the
//! next write to the storage is stored in advance.
//!
//! Nothing here waits or writes. The Durable Object hands in the time, stores what
//! [`Ledger::to_store`] gives before its answer leaves, and gets the session from the Registry
//! when [`Ledger::consume`] answers that it has none.

mod carry;
mod counting;
pub mod direct;
mod holds;
mod leases;
pub mod object;
pub mod pulled;
pub mod quota;
pub mod rate;
mod smoothing;
mod stored;
pub mod upkeep;

use direct::Direct;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::{Consume, Count, Limit, Standing, Verdict};
use gatewright_protocol::limits::{QuotaLimit, RateLimit};
use holds::Holds;
use leases::Leases;
use pulled::Pulled;
use quota::Quota;
use rate::Window;
use std::collections::HashMap;
use stored::Stored;

/// Counters of one Ledger: those of a key for every API it may use, and their endpoints.
const MAX_COUNTERS: usize = 4096;

/// The state of one Ledger. Times are Unix milliseconds.
#[derive(Debug, Default)]
pub struct Ledger {
    rates: HashMap<String, (RateLimit, Window)>,
    quotas: HashMap<String, (QuotaLimit, Quota)>,
    /// The revision of the session's write that cleared the counters last.
    reset: u64,
    session: Option<Pulled>,
    /// Counts the beginnings and ends of writes, so that a session which was asked for before one is
    /// not kept after it.
    epoch: u64,
    /// The writes that are under way.
    holds: Holds,
    unsaved: bool,
    unsettled: bool,
    /// Whether anything is stored.
    stored: bool,
    direct: Direct,
    leases: Leases,
}

impl Ledger {
    /// The state after a start.
    ///
    /// # Errors
    /// If it can't be read, or was written by a release after this one. Nobody counts then: limits that begin
    /// anew without a word would be none.
    pub fn restore(stored: &str, now: u64) -> Result<Self, StoreError> {
        let stored = Stored::read(stored)?;
        let rates = stored.rates.into_iter();
        let quotas = stored.quotas.into_iter();
        Ok(Self {
            stored: true,
            leases: match stored.leased {
                true => Leases::restore(now),
                false => Leases::default(),
            },
            reset: stored.reset,
            holds: stored.holds,
            rates: rates
                .map(|(name, (limit, rate))| (name, (limit, rate.restore(now))))
                .collect(),
            quotas: quotas
                .map(|(name, (limit, quota))| (name, (limit, quota.restore())))
                .collect(),
            ..Self::default()
        })
    }

    /// Decides about a request. `None` if the session has to be asked for first: then
    /// [`Self::epoch`], the Registry's answer, [`Self::learn`], and this once more.
    pub fn consume(&mut self, ask: &Consume, now: u64) -> Option<(Verdict, &str)> {
        if self
            .session
            .as_ref()
            .is_some_and(|known| known.is_over(now))
        {
            // The Registry says that it is gone.
            self.session = None;
        }
        self.direct.reached(now);
        if let Some(lease) = &ask.lease {
            lease
                .ended
                .iter()
                .for_each(|ended| self.end_lease(*ended, now));
        }
        self.decide(ask, now)
    }

    /// Decides about a request of the isolate that this object lives in, which no call has brought
    /// ([`direct`]). `None` if the object has to be called: for what nothing on the disk covers, for a session
    /// that it does not know or that is another one by now, and during a write.
    pub fn count_directly(&mut self, ask: &Consume, now: u64) -> Option<Verdict> {
        if !self.direct.is_open(now) || self.holds.any(now) || ask.clear {
            return None;
        }
        // What is let through of a smoothed rate may have to be stored before it counts.
        if ask.counts.iter().any(|count| count.smoothing.is_some()) {
            return None;
        }
        if let Some(revision) = ask.revision {
            let known = self.session.as_ref()?;
            if known.revision != revision || known.is_over(now) {
                return None;
            }
        }
        let counts = !ask.peek && ask.back.is_empty();
        if counts && self.refusing(ask, now).is_none() {
            let mut asked = ask.counts.iter();
            if !asked.all(|count| self.is_confirmed(count, now)) {
                return None;
            }
        }
        Some(self.count(ask, now))
    }

    /// True if the platform has reached this object lately: else another one may have taken its place.
    #[must_use]
    pub const fn lives_here(&self, now: u64) -> bool {
        self.direct.was_reached(now)
    }

    /// True if it was reached lately, a write of its session is under way, or an isolate has a lease of it.
    pub(crate) fn is_needed(&self, now: u64) -> bool {
        self.direct.was_reached(now) || self.holds.any(now) || now < self.leases.until()
    }

    /// The number of the state that [`Self::to_store`] has given last, for [`Self::confirm`].
    #[must_use]
    pub const fn stored_number(&self) -> u64 {
        self.direct.number()
    }

    /// Says that the state of this number is on the disk; it says nothing if another was given since.
    pub fn confirm(&mut self, number: u64, now: u64) {
        if number != self.direct.number() {
            return;
        }
        self.direct.reached(now);
        for (_, rate) in self.rates.values_mut() {
            rate.confirm();
        }
        for (_, quota) in self.quotas.values_mut() {
            quota.confirm();
        }
    }

    fn is_confirmed(&self, count: &Count, now: u64) -> bool {
        match count.limit {
            Limit::Rate(limit) => {
                let known = self.rates.get(&count.name);
                known.is_some_and(|(known, rate)| *known == limit && rate.is_confirmed(now))
            }
            Limit::Quota(limit) => {
                let known = self.quotas.get(&count.name);
                known.is_some_and(|(known, quota)| *known == limit && quota.is_confirmed(now))
            }
        }
    }

    fn decide(&mut self, ask: &Consume, now: u64) -> Option<(Verdict, &str)> {
        if let Some(revision) = ask.revision {
            let current = self.session.as_ref()?.revision;
            if current != revision {
                let text = self.session.as_ref().map_or("", |known| &known.text);
                return Some((Verdict::Stale { revision: current }, text));
            }
        }
        let verdict = self.count(ask, now);
        if self.holds.any(now) {
            self.session = None;
        }
        Some((verdict, ""))
    }

    /// The number that [`Self::learn`] wants back.
    #[must_use]
    pub const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The writes that the Registry has to refuse from now on, with the next question for the session: they
    /// have taken so long that whoever began them is taken for gone.
    #[must_use]
    pub fn given_up(&self, now: u64) -> Vec<String> {
        self.holds.given_up(now)
    }

    /// The Registry has answered a question of this epoch, and refuses these writes from then on: what they
    /// have stored is in the answer, or they never store anything. Answers the epoch to learn it with.
    pub fn end_given_up(&mut self, epoch: u64, writes: &[String]) -> u64 {
        if epoch != self.epoch {
            return epoch;
        }
        for write in writes {
            self.end_hold(write);
        }
        self.epoch
    }

    /// Takes a session from the Registry, asked for in this epoch, and decides with it. A session
    /// that may be older than a write is not taken: `None`, and the caller asks once more.
    pub fn learn(
        &mut self,
        epoch: u64,
        pulled: Option<Pulled>,
        ask: &Consume,
        now: u64,
    ) -> Option<(Verdict, String)> {
        if epoch != self.epoch {
            return None;
        }
        // During a write, what was asked for before it can arrive after what was asked for later:
        // only a newer session touches the counters then.
        let held = self.holds.any(now);
        let Some(pulled) = pulled else {
            if !held {
                self.forget();
            }
            return Some((Verdict::Unknown, String::new()));
        };
        if pulled.reset > self.reset || (pulled.reset < self.reset && !held) {
            self.reset = pulled.reset;
            self.clear(now);
        }
        self.session = Some(pulled);
        // Whether its time is over is what the Registry's clock says, which may be another one.
        let decided = self.decide(ask, now);
        let decided = decided.map(|(verdict, text)| (verdict, text.to_owned()));
        if held {
            self.session = None;
        }
        decided
    }

    /// A write of the session begins, under a name that no other one has: what is known of the session is
    /// dropped, and nothing kept until [`Self::release`], so that each request sees what is committed. It has
    /// to be stored before the write goes on.
    pub fn hold(&mut self, write: &str, now: u64) {
        self.epoch = self.epoch.saturating_add(1);
        self.session = None;
        self.holds.begin(write, now);
        self.unsaved = true;
    }

    /// The write has ended. Others may still be under way. Answers for how many milliseconds isolates may
    /// still act on the session before it: the write must not be answered earlier.
    pub fn release(&mut self, write: &str, now: u64) -> u64 {
        self.epoch = self.epoch.saturating_add(1);
        self.session = None;
        self.end_hold(write);
        self.leases.until().saturating_sub(now)
    }

    fn end_hold(&mut self, write: &str) {
        if self.holds.end(write) {
            // What was asked for during the write may be older than what was asked for last.
            self.epoch = self.epoch.saturating_add(1);
            self.unsaved = true;
        }
    }

    /// Whether a state has to be stored at all.
    fn is_worth_storing(&self) -> bool {
        let counts = !self.rates.is_empty() || !self.quotas.is_empty();
        counts || self.reset > 0 || !self.holds.is_empty()
    }

    /// How counters stand, without counting.
    pub fn standings(&mut self, counts: &[Count], now: u64) -> Vec<Standing> {
        counts
            .iter()
            .map(|count| self.standing(count, now))
            .collect()
    }

    /// The state to store before an answer leaves, an empty text for none at all; `None` if what is
    /// stored covers it.
    pub fn to_store(&mut self, now: u64) -> Option<String> {
        if !std::mem::take(&mut self.unsaved) {
            return None;
        }
        self.direct.stores();
        let leased = self.leases.store(now);
        self.stored = leased || self.is_worth_storing();
        self.unsettled = self.stored;
        if !self.stored {
            return Some(String::new());
        }
        let rates = self.rates.iter_mut();
        let quotas = self.quotas.iter_mut();
        let stored = Stored {
            reset: self.reset,
            rates: rates
                .map(|(name, (limit, rate))| (name.clone(), (*limit, rate.store(*limit, now))))
                .collect(),
            quotas: quotas
                .map(|(name, (limit, quota))| (name.clone(), (*limit, quota.store(*limit))))
                .collect(),
            leased,
            holds: self.holds.clone(),
        };
        Some(stored.written())
    }

    /// The exact state, to be stored when no request has come for a while, so that a restart then
    /// loses nothing, an empty text for none at all; `None` if that is what is stored. No lease lasts as long
    /// as that.
    pub fn settle(&mut self) -> Option<String> {
        if !std::mem::take(&mut self.unsettled) {
            return None;
        }
        self.direct.stores();
        self.leases.settle();
        self.stored = self.is_worth_storing();
        if !self.stored {
            return Some(String::new());
        }
        for (_, rate) in self.rates.values_mut() {
            rate.uncover();
        }
        for (_, quota) in self.quotas.values_mut() {
            quota.uncover();
        }
        Some(self.exact(|_| true).written())
    }

    /// The exact state of the counters that are kept, by when they count nothing any more.
    fn exact(&self, keeps: impl Fn(u64) -> bool) -> Stored {
        let rates = self.rates.iter();
        let rates = rates.filter(|(_, (limit, rate))| keeps(rate.empty_at(*limit)));
        let quotas = self.quotas.iter();
        let quotas = quotas.filter(|(_, (_, quota))| keeps(quota.empty_at()));
        Stored {
            reset: self.reset,
            rates: rates
                .map(|(name, (limit, rate))| (name.clone(), (*limit, rate.settle())))
                .collect(),
            quotas: quotas
                .map(|(name, (limit, quota))| (name.clone(), (*limit, quota.settle())))
                .collect(),
            leased: false,
            holds: self.holds.clone(),
        }
    }

    /// From when on it counts nothing any more, if nothing comes; `u64::MAX` for never.
    #[must_use]
    pub fn empty_at(&self) -> u64 {
        let rates = self
            .rates
            .values()
            .map(|(limit, rate)| rate.empty_at(*limit));
        let quotas = self.quotas.values().map(|(_, quota)| quota.empty_at());
        rates.chain(quotas).max().unwrap_or(0)
    }

    fn forget(&mut self) {
        self.session = None;
        self.reset = 0;
        self.leases.forget();
        self.rates.clear();
        self.quotas.clear();
        // Nobody will ask for its counters again.
        self.unsaved = self.stored;
    }
}

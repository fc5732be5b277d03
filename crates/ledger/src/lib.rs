//! The Ledger of a key, an organisation or an API: its counters, and for the first two whether the session that an
//! isolate has decided with is still current.
//!
//! The promise: limits are exact whatever the number of isolates, because one object counts; a change or a deletion of
//! a session takes effect at the next request, because every request asks here, by a call or
//! [directly](Ledger::count_directly), or has a lease (`leases.rs`), whose end the write waits for; and a crash can
//! only make it admit fewer requests, never more: what may be admitted before the next write to the storage is stored
//! in advance.
//!
//! Nothing here waits or writes. The Durable Object passes the time in, stores what [`Ledger::to_store`] returns before
//! its reply leaves, and fetches the session from the Registry when [`Ledger::consume`] says that it has none. A copy of
//! the session is stored with the state (`copy.rs`), so this happens once, and again after each write.

mod carry;
mod copy;
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

use copy::StoredCopy;
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

/// The most counters in one Ledger: those of a key for every API it may use, and their endpoints.
const MAX_COUNTERS: usize = 4096;

/// The state of one Ledger. Times are Unix milliseconds.
#[derive(Debug, Default)]
pub struct Ledger {
    rates: HashMap<String, (RateLimit, Window)>,
    quotas: HashMap<String, (QuotaLimit, Quota)>,
    /// The revision of the session's write that last reset the counters.
    reset: u64,
    session: Option<Pulled>,
    copy: StoredCopy,
    /// Increased when a write starts and when it ends, so that a session fetched from before is not kept after it.
    epoch: u64,
    /// The writes in progress.
    holds: Holds,
    unsaved: bool,
    unsettled: bool,
    /// Whether anything is stored.
    stored: bool,
    direct: Direct,
    leases: Leases,
}

impl Ledger {
    /// Restores the state after a start.
    ///
    /// # Errors
    /// If it can't be read, or was written by a later release. Nothing is counted then: limits that silently start from
    /// zero would be no limits.
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
            copy: StoredCopy::named(stored.copy),
            rates: rates
                .map(|(name, (limit, rate))| (name, (limit, rate.restore(now))))
                .collect(),
            quotas: quotas
                .map(|(name, (limit, quota))| (name, (limit, quota.restore())))
                .collect(),
            ..Self::default()
        })
    }

    /// Decides about a request. `None` if the session has to be fetched first: then call [`Self::epoch`], ask the
    /// Registry, call [`Self::learn`], and this again.
    pub fn consume(&mut self, ask: &Consume, now: u64) -> Option<(Verdict, &str)> {
        if self.current(now).is_none() {
            self.session = None;
        }
        self.direct.record_reached(now);
        if let Some(lease) = &ask.lease {
            lease
                .ended
                .iter()
                .for_each(|ended| self.end_lease(*ended, now));
        }
        self.decide(ask, now)
    }

    /// Decides about a request of the isolate that this object lives in, without a call ([`direct`]). `None` if the
    /// object has to be called: if no state on disk covers the request, if the session is unknown or has changed, and
    /// during a write.
    pub fn count_directly(&mut self, ask: &Consume, now: u64) -> Option<Verdict> {
        if !self.direct.is_open(now) || self.holds.any(now) || ask.clear {
            return None;
        }
        // A change of a smoothed rate's allowance may have to be stored before it counts.
        if ask.counts.iter().any(|count| count.smoothing.is_some()) {
            return None;
        }
        if let Some(revision) = ask.revision
            && self.current(now)?.revision != revision
        {
            return None;
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

    /// Whether the platform has reached this object recently; if not, another one may have replaced it.
    #[must_use]
    pub const fn lives_here(&self, now: u64) -> bool {
        self.direct.was_reached(now)
    }

    /// Whether it was reached recently, a write of its session is in progress, or an isolate has a lease from it.
    pub(crate) fn is_needed(&self, now: u64) -> bool {
        self.direct.was_reached(now) || self.holds.any(now) || now < self.leases.until()
    }

    /// Returns the number of the state that [`Self::to_store`] has returned last, for [`Self::confirm`].
    #[must_use]
    pub const fn stored_number(&self) -> u64 {
        self.direct.number()
    }

    /// Records that the state with this number is on disk; ignored if a later one was returned since.
    pub fn confirm(&mut self, number: u64, now: u64) {
        if number != self.direct.number() {
            return;
        }
        self.direct.record_reached(now);
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

    /// Returns the number to pass to [`Self::learn`].
    #[must_use]
    pub const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the writes that the Registry has to refuse from now on, sent with the next query for the session: they
    /// have taken so long that their author is presumed gone.
    #[must_use]
    pub fn given_up(&self, now: u64) -> Vec<String> {
        self.holds.given_up(now)
    }

    /// Ends holds: the Registry has answered a query of this epoch and refuses these writes from then on. Whatever they
    /// have stored is in the answer; otherwise they never store anything. Returns the epoch to learn the answer with.
    pub fn end_given_up(&mut self, epoch: u64, writes: &[String]) -> u64 {
        if epoch != self.epoch {
            return epoch;
        }
        for write in writes {
            self.end_hold(write);
        }
        self.epoch
    }

    /// Learns a session that was fetched from the Registry in this epoch, and decides with it. Returns `None` for a
    /// session that may be older than a write: the caller has to fetch it again.
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
        // During a write, the answer to an earlier query can arrive after that to a later one: then only a newer
        // session resets the counters.
        let held = self.holds.any(now);
        let Some(pulled) = pulled else {
            if !held {
                self.forget();
            }
            return Some((Verdict::Unknown, String::new()));
        };
        self.accept(pulled, held, now);
        // Whether the session has expired is up to the Registry's clock, which may differ.
        let decided = self.decide(ask, now);
        let decided = decided.map(|(verdict, text)| (verdict, text.to_owned()));
        if held {
            self.session = None;
        }
        decided
    }

    /// Answers a lookup of the session, without counting; `None` if the Registry has to be asked, whose answer goes to
    /// [`Self::learn_found`].
    pub fn find(&mut self, now: u64) -> Option<&Pulled> {
        self.direct.record_reached(now);
        self.current(now)
    }

    /// Learns a session that the Registry has found in this epoch, unless there was a write since.
    pub fn learn_found(&mut self, epoch: u64, pulled: Pulled, now: u64) {
        if epoch == self.epoch && !self.holds.any(now) {
            self.accept(pulled, false, now);
        }
    }

    fn accept(&mut self, pulled: Pulled, held: bool, now: u64) {
        if pulled.reset > self.reset || (pulled.reset < self.reset && !held) {
            self.reset = pulled.reset;
            self.clear(now);
        }
        match held {
            true => self.session = Some(pulled),
            false => self.keep_session(pulled, now),
        }
    }

    /// Starts a write of the session, under a unique name: the known session is dropped, and none is kept until
    /// [`Self::release`], so that each request sees what is committed. The hold must be stored before the write
    /// continues.
    pub fn hold(&mut self, write: &str, now: u64) {
        self.epoch = self.epoch.saturating_add(1);
        self.drop_session();
        self.holds.begin(write, now);
        self.unsaved = true;
    }

    /// Ends a write; others may still be in progress. Returns for how many milliseconds isolates may still use the
    /// previous session: the write must not be answered earlier.
    pub fn release(&mut self, write: &str, now: u64) -> u64 {
        self.epoch = self.epoch.saturating_add(1);
        self.drop_session();
        self.end_hold(write);
        self.leases.until().saturating_sub(now)
    }

    fn end_hold(&mut self, write: &str) {
        if self.holds.end(write) {
            // An answer to a query made during the write may be older than the last answer.
            self.epoch = self.epoch.saturating_add(1);
            self.unsaved = true;
        }
    }

    /// Whether a state has to be stored at all.
    fn is_worth_storing(&self) -> bool {
        let counts = !self.rates.is_empty() || !self.quotas.is_empty();
        counts || self.reset > 0 || !self.holds.is_empty() || self.copy.revision.is_some()
    }

    /// Returns the state of counters, without counting.
    pub fn standings(&mut self, counts: &[Count], now: u64) -> Vec<Standing> {
        counts
            .iter()
            .map(|count| self.standing(count, now))
            .collect()
    }

    /// Returns the state to store before a reply leaves, an empty text to delete it; `None` if the stored state covers
    /// it.
    pub fn to_store(&mut self, now: u64) -> Option<String> {
        if !std::mem::take(&mut self.unsaved) {
            return None;
        }
        self.direct.record_handed_out();
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
            copy: self.copy.revision,
        };
        Some(stored.to_json())
    }

    /// Returns the exact state, an empty text for none, to be stored when no request has come for a while, so that a
    /// restart then loses nothing; `None` if it is stored already. No lease lasts that long.
    pub fn settle(&mut self) -> Option<String> {
        if !std::mem::take(&mut self.unsettled) {
            return None;
        }
        self.direct.record_handed_out();
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
        Some(self.exact(|_| true).to_json())
    }

    /// Returns the exact state of the counters that `keeps` accepts, given when they stop counting anything.
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
            copy: self.copy.revision,
        }
    }

    /// Returns when it stops counting anything if no request comes; `u64::MAX` for never.
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
        self.drop_session();
        self.reset = 0;
        self.leases.forget();
        self.rates.clear();
        self.quotas.clear();
        // Nobody will ask for its counters again.
        self.unsaved = self.stored;
    }
}

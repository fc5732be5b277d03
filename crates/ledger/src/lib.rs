//! The Ledger of a key, an organisation or an API: its counters, and for the first two whether the session that an
//! isolate has decided with is still current.
//!
//! The promise: limits are exact whatever the number of isolates, because one object counts; a change or a deletion of
//! a session takes effect at the next request, because the session lives here and every request asks here, by a call or
//! [directly](Ledger::count_directly), or has a lease (`leases.rs`), whose end the write waits for; and a crash can
//! only make it admit fewer requests, never more: what may be admitted before the next write to the storage is stored
//! in advance.
//!
//! Nothing here waits or writes. The Durable Object passes the time in and stores what [`Ledger::to_store`] returns
//! before its reply leaves. The Registry hands sessions over (`keep.rs`). Until it has done so with all of them, the
//! object asks it when [`Ledger::consume`] says that the session isn't here.

mod carry;
mod counting;
pub mod direct;
mod keep;
mod leases;
pub mod object;
pub mod quota;
pub mod rate;
pub mod session;
mod smoothing;
mod stored;
pub mod upkeep;

use direct::Direct;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::{Consume, Count, Limit, Standing, Verdict};
use gatewright_protocol::limits::{QuotaLimit, RateLimit};
use leases::Leases;
use quota::Quota;
use rate::Window;
use session::{Known, Session};
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
    known: Known,
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
            known: Known::restore(stored.kept, stored.copy, stored.gone),
            rates: rates
                .map(|(name, (limit, rate))| (name, (limit, rate.restore(now))))
                .collect(),
            quotas: quotas
                .map(|(name, (limit, quota))| (name, (limit, quota.restore())))
                .collect(),
            ..Self::default()
        })
    }

    /// Takes the stored session, if the restored state names it.
    pub fn recall(&mut self, row: &str) {
        self.known.recall(row);
    }

    /// Decides about a request. `None` if the Registry has to be asked for the session: then call [`Self::learn`] if it
    /// has it, and this again as `settled`, which means that the Registry knows no session that isn't here.
    pub fn consume(&mut self, ask: &Consume, settled: bool, now: u64) -> Option<(Verdict, &str)> {
        self.direct.record_reached(now);
        if let Some(lease) = &ask.lease {
            lease
                .ended
                .iter()
                .for_each(|ended| self.end_lease(*ended, now));
        }
        let Some(revision) = ask.revision else {
            return Some((self.count(ask, now), ""));
        };
        let current = self.known.current(now).map(|session| session.revision);
        let Some(current) = current else {
            return self.deny(settled, now).then(|| {
                self.forget_stray();
                (Verdict::Unknown, "")
            });
        };
        if current == revision {
            return Some((self.count(ask, now), ""));
        }
        let text = self.known.session.as_ref();
        let text = text.map_or("", |session| &session.text);
        Some((Verdict::Stale { revision: current }, text))
    }

    /// Returns whether there is a session, without counting. `None` if the Registry has to be asked, as for
    /// [`Self::consume`].
    pub fn find(&mut self, settled: bool, now: u64) -> Option<bool> {
        self.direct.record_reached(now);
        let is_there = self.known.current(now).is_some();
        (is_there || self.deny(settled, now)).then_some(is_there)
    }

    /// Returns the session, even if its time has passed.
    #[must_use]
    pub const fn session(&self) -> Option<&Session> {
        self.known.session.as_ref()
    }

    /// Whether nothing is known of a session, and nothing of its end.
    pub(crate) fn is_missing(&self) -> bool {
        self.known.revision().is_none()
    }

    /// Returns until when the end of the session is remembered.
    pub(crate) fn gone_until(&self) -> Option<u64> {
        self.known.gone.map(|gone| gone.until)
    }

    /// Whether it can be said that there is no session; remembers that clients are told so. Where one has ended, another
    /// may have begun in the object for another `LEDGER_SHARDS`.
    fn deny(&mut self, settled: bool, now: u64) -> bool {
        let is_known = settled || self.session().is_some();
        if is_known {
            self.known.deny(now);
        }
        is_known
    }

    /// Forgets counters that belong to no session: nobody will ask for them again.
    fn forget_stray(&mut self) {
        if self.is_missing() {
            self.reset = 0;
            self.leases.forget();
            self.rates.clear();
            self.quotas.clear();
            self.unsaved |= self.stored;
        }
    }

    /// Decides about a request of the isolate that this object lives in, without a call ([`direct`]). `None` if the
    /// object has to be called: if no state on disk covers the request, and if the session is unknown or has changed.
    pub fn count_directly(&mut self, ask: &Consume, now: u64) -> Option<Verdict> {
        if !self.direct.is_open(now) || ask.clear {
            return None;
        }
        // A change of a smoothed rate's allowance may have to be stored before it counts.
        if ask.counts.iter().any(|count| count.smoothing.is_some()) {
            return None;
        }
        if let Some(revision) = ask.revision
            && self.known.current(now)?.revision != revision
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

    /// Whether it was reached recently, an isolate has a lease from it, or clients remember that there is no session.
    pub(crate) fn is_needed(&self, now: u64) -> bool {
        let depends_until = self.leases.until().max(self.known.denied_until);
        self.direct.was_reached(now) || now < depends_until
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

    /// Whether a state has to be stored at all.
    fn is_worth_storing(&self) -> bool {
        let counts = !self.rates.is_empty() || !self.quotas.is_empty();
        counts || self.reset > 0 || !self.is_missing()
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
        // Without counters, what is stored is exact.
        let counts = leased || !self.rates.is_empty() || !self.quotas.is_empty();
        self.unsettled = counts && self.known.gone.is_none();
        if !self.stored {
            return Some(String::new());
        }
        if self.known.gone.is_some() {
            // Nothing is admitted any more, and the counters are asked for exactly.
            let mut stored = self.exact(|_| true);
            stored.leased = leased;
            return Some(stored.to_json());
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
            kept: self.known.named(true),
            copy: self.known.named(false),
            gone: self.known.gone,
        };
        Some(stored.to_json())
    }

    /// Whether what is stored is less exact than the counts.
    pub(crate) const fn is_unsettled(&self) -> bool {
        self.unsettled
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
            kept: self.known.named(true),
            copy: self.known.named(false),
            gone: self.known.gone,
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

    /// Returns the stored form of the session to store together with a state, an empty text to delete it; `None` if it
    /// is stored already.
    pub fn session_to_store(&mut self) -> Option<String> {
        self.known.row_to_store()
    }
}

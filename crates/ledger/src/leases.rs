//! Leases: the right of an isolate to admit some requests without asking.
//!
//! The promise: no window ever holds one admission too many, and a session that was written is the old one
//! nowhere once the write is answered. What is leased is counted when it is given, at the latest moment it can
//! be used; what was not used is given back when the isolate says so; and a write waits until everything that
//! was leased before it has ended.

use crate::Ledger;
use crate::rate::EndedBooking;
use gatewright_protocol::ledger::{
    Consume, Count, EndedLease, LEASE_MS, Lease, LeaseAsk, Limit, Standing, lease_ms,
};

/// Fewer than so many requests are not worth a lease.
const FEWEST: u64 = 4;
/// For how many times as long as a lease lasts an isolate that asked is reckoned with.
const HOLDER_LEASES: u64 = 3;
/// For how many milliseconds after its end a lease is remembered, to give back what was not used.
const REMEMBERED_MS: u64 = 60_000;
/// Leases that are remembered before those are looked for which nobody reports any more.
const REMEMBERED: usize = 64;

/// A lease that was given. Times are Unix milliseconds.
#[derive(Debug)]
struct Given {
    /// When it ends.
    until: u64,
    /// How many requests it is for.
    count: u32,
    /// What it is counted in: the end of the slot of a rate, the end of the window of a quota.
    booked: Vec<(Count, u64)>,
}

/// The leases of one Ledger.
#[derive(Debug, Default)]
pub(crate) struct Leases {
    /// By their ids, which rise.
    given: Vec<(u64, Given)>,
    newest: u64,
    /// When each isolate has asked last.
    holders: Vec<(String, u64)>,
    /// When the last of them ends.
    until: u64,
    /// Whether the disk says that there are any.
    is_stored: bool,
}

impl Leases {
    /// After a restart: an object before this one may have given some until now.
    pub(crate) fn restore(now: u64) -> Self {
        Self {
            until: now.saturating_add(LEASE_MS),
            is_stored: true,
            ..Self::default()
        }
    }

    /// When the last of them ends, Unix milliseconds.
    pub(crate) const fn until(&self) -> u64 {
        self.until
    }

    /// Says that an isolate acts without asking until then.
    pub(crate) fn lasts(&mut self, until: u64) {
        self.until = self.until.max(until);
    }

    /// Whether a state that is stored now has to say that there are leases; remembers that it does.
    pub(crate) fn store(&mut self, now: u64) -> bool {
        self.is_stored = self.until > now;
        self.is_stored
    }

    /// Says that the stored state knows of no leases.
    pub(crate) const fn settle(&mut self) {
        self.is_stored = false;
    }

    /// True if the disk does not say yet that there are leases.
    pub(crate) const fn is_unstored(&self) -> bool {
        !self.is_stored
    }

    /// How many isolates ask, with this one.
    fn holders(&mut self, holder: &str, ms: u64, now: u64) -> u64 {
        let since = now.saturating_sub(ms.saturating_mul(HOLDER_LEASES));
        let others = |(known, asked): &(String, u64)| *asked >= since && known != holder;
        self.holders.retain(others);
        self.holders.push((holder.to_owned(), now));
        u64::try_from(self.holders.len()).unwrap_or(u64::MAX)
    }

    /// Keeps a lease; answers its id. Ids go on behind a restart: one of before means nothing then.
    fn give(&mut self, given: Given, now: u64) -> u64 {
        if self.given.len() >= REMEMBERED {
            self.given
                .retain(|(_, given)| given.until.saturating_add(REMEMBERED_MS) > now);
        }
        self.newest = self.newest.saturating_add(1).max(now.saturating_mul(1000));
        self.lasts(given.until);
        self.given.push((self.newest, given));
        self.newest
    }

    /// Takes a lease that has ended.
    fn take(&mut self, id: u64) -> Option<Given> {
        let at = self.given.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(self.given.remove(at).1)
    }

    /// Those that have not ended, to be counted anew.
    fn current(&mut self, now: u64) -> impl Iterator<Item = &mut Given> {
        let given = self.given.iter_mut().map(|(_, given)| given);
        given.filter(move |given| given.until > now)
    }

    /// Forgets all that were given; what was said about their end stays true.
    pub(crate) fn forget(&mut self) {
        self.given.clear();
    }
}

/// How many requests of those that are left may be leased to one of so many isolates, for `ms` milliseconds.
/// The last quarter of a rate never is: near its limit the Ledger is exact and fair. Of a quota, which may be
/// lost with an isolate, it is a thousandth at most; and none outlives its window.
fn room(count: &Count, standing: &Standing, holders: u64, until: u64) -> u64 {
    let of_each = |left: u64| left.checked_div(holders).unwrap_or(0);
    match count.limit {
        Limit::Rate(limit) => of_each(
            standing
                .remaining
                .saturating_sub(u64::from(limit.limit) / 4),
        ),
        Limit::Quota(_) if standing.at < until => 0,
        Limit::Quota(limit) => of_each(standing.remaining / 2).min(limit.max / 1000),
    }
}

impl Ledger {
    /// Begins all counters anew, but for what is leased.
    pub(crate) fn clear(&mut self, now: u64) {
        if !self.rates.is_empty() || !self.quotas.is_empty() {
            self.unsaved = true;
        }
        self.rates.clear();
        self.quotas.clear();
        let mut leases = std::mem::take(&mut self.leases);
        for given in leases.current(now) {
            for (count, at) in &mut given.booked {
                *at = self.book(count, given.count, given.until, now);
            }
        }
        self.leases = leases;
    }

    /// Counts a lease of so many requests until then. Answers where, for [`Self::end_lease`].
    fn book(&mut self, count: &Count, requests: u32, until: u64, now: u64) -> u64 {
        match count.limit {
            Limit::Rate(limit) => {
                let (end, store) = self
                    .rate(&count.name, limit, now)
                    .lease(limit, requests, until, now);
                self.unsaved |= store;
                end
            }
            Limit::Quota(limit) => {
                let quota = self.quota(&count.name, limit);
                let store = quota.admit(limit, u64::from(requests), now);
                let at = quota.renews_at(limit, now);
                self.unsaved |= store;
                at
            }
        }
    }

    pub(crate) fn end_lease(&mut self, ended: EndedLease, now: u64) {
        let Some(given) = self.leases.take(ended.id) else {
            return;
        };
        let used = ended.used.min(given.count);
        for (count, at) in &given.booked {
            match count.limit {
                Limit::Rate(limit) => {
                    if let Some((_, rate)) = self.rates.get_mut(&count.name) {
                        let ended = EndedBooking {
                            count: given.count,
                            used,
                            is_over: given.until <= now,
                        };
                        rate.end_lease(limit, *at, ended, now);
                    }
                }
                Limit::Quota(_) => {
                    if let Some((_, quota)) = self.quotas.get_mut(&count.name) {
                        quota.give_back(*at, u64::from(given.count.saturating_sub(used)));
                    }
                }
            }
        }
    }

    /// Leases as many requests of these counters as an isolate wants and may have; `None` for none.
    pub(crate) fn lease(&mut self, ask: &Consume, want: &LeaseAsk, now: u64) -> Option<Lease> {
        let ms = lease_ms(&ask.counts)?;
        if ask.counts.iter().any(|count| count.smoothing.is_some()) {
            return None;
        }
        let until = now.saturating_add(ms);
        let holders = self.leases.holders(&want.holder, ms, now);
        let ends = self.session.as_ref().map_or(0, |known| known.ends);
        if self.holds.any(now) || (ends > 0 && ends < until) {
            return None;
        }
        let mut requests = u64::from(want.want);
        for count in &ask.counts {
            let standing = self.standing(count, now);
            requests = requests.min(room(count, &standing, holders, until));
        }
        if requests < FEWEST {
            return None;
        }
        let requests = u32::try_from(requests).unwrap_or(u32::MAX);
        let booked = ask.counts.iter().map(|count| {
            let at = self.book(count, requests, until, now);
            (count.clone(), at)
        });
        let given = Given {
            until,
            count: requests,
            booked: booked.collect(),
        };
        self.unsaved |= self.leases.is_unstored();
        let id = self.leases.give(given, now);
        Some(Lease {
            id,
            count: requests,
        })
    }
}

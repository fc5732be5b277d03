//! Leases: the right of an isolate to admit some requests without asking.
//!
//! The promise: no window ever holds one admission too many, and once a write of a session is answered, the old session
//! is used nowhere. Leased requests are counted when the lease is granted, at the latest time at which they can be
//! used; unused ones are given back when the isolate reports them; and a write waits until every lease granted before
//! it has ended.

use crate::Ledger;
use crate::rate::EndedBooking;
use gatewright_protocol::ledger::{
    Consume, Count, EndedLease, LEASE_MS, Lease, LeaseAsk, Limit, Standing, lease_ms,
};

/// The fewest requests that are worth a lease.
const MIN_REQUESTS: u64 = 4;
/// How long an isolate that has asked counts as a holder, as a multiple of a lease's duration.
const HOLDER_LEASES: u64 = 3;
/// How long a lease is remembered after its end, to give back what was not used, in milliseconds.
const REMEMBERED_MS: u64 = 60_000;
/// How many leases are remembered before those that nobody reports any more are dropped.
const MAX_REMEMBERED: usize = 64;

/// A granted lease. Times are Unix milliseconds.
#[derive(Debug)]
struct Granted {
    /// When it ends.
    until: u64,
    /// How many requests it admits.
    count: u32,
    /// What it is counted in: the end of a rate's slot, the end of a quota's window.
    booked: Vec<(Count, u64)>,
}

/// The leases of one Ledger.
#[derive(Debug, Default)]
pub(crate) struct Leases {
    /// By ascending id.
    granted: Vec<(u64, Granted)>,
    newest: u64,
    /// When each isolate last asked.
    holders: Vec<(String, u64)>,
    /// When the last lease ends.
    until: u64,
    /// Whether the state on disk says that there are leases.
    is_stored: bool,
}

impl Leases {
    /// Creates the state after a restart: an earlier object may have granted leases until now.
    pub(crate) fn restore(now: u64) -> Self {
        Self {
            until: now.saturating_add(LEASE_MS),
            is_stored: true,
            ..Self::default()
        }
    }

    /// Returns when the last lease ends, in Unix milliseconds.
    pub(crate) const fn until(&self) -> u64 {
        self.until
    }

    /// Records that an isolate acts without asking until then.
    pub(crate) fn extend_until(&mut self, until: u64) {
        self.until = self.until.max(until);
    }

    /// Whether a state stored now has to say that there are leases; remembers the answer.
    pub(crate) fn store(&mut self, now: u64) -> bool {
        self.is_stored = self.until > now;
        self.is_stored
    }

    /// Records that the stored state says there are no leases.
    pub(crate) const fn settle(&mut self) {
        self.is_stored = false;
    }

    /// Whether the state on disk does not say yet that there are leases.
    pub(crate) const fn is_unstored(&self) -> bool {
        !self.is_stored
    }

    /// Returns the number of isolates that ask, including this one.
    fn holders(&mut self, holder: &str, ms: u64, now: u64) -> u64 {
        let since = now.saturating_sub(ms.saturating_mul(HOLDER_LEASES));
        let others = |(known, asked): &(String, u64)| *asked >= since && known != holder;
        self.holders.retain(others);
        self.holders.push((holder.to_owned(), now));
        u64::try_from(self.holders.len()).unwrap_or(u64::MAX)
    }

    /// Stores a lease and returns its id. Ids keep rising across a restart, so an earlier one means nothing then.
    fn grant(&mut self, granted: Granted, now: u64) -> u64 {
        if self.granted.len() >= MAX_REMEMBERED {
            self.granted
                .retain(|(_, granted)| granted.until.saturating_add(REMEMBERED_MS) > now);
        }
        self.newest = self.newest.saturating_add(1).max(now.saturating_mul(1000));
        self.extend_until(granted.until);
        self.granted.push((self.newest, granted));
        self.newest
    }

    /// Removes a lease that has ended.
    fn remove(&mut self, id: u64) -> Option<Granted> {
        let at = self.granted.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(self.granted.remove(at).1)
    }

    /// Returns the leases that have not ended, to be counted again.
    fn active(&mut self, now: u64) -> impl Iterator<Item = &mut Granted> {
        let granted = self.granted.iter_mut().map(|(_, granted)| granted);
        granted.filter(move |granted| granted.until > now)
    }

    /// Forgets all granted leases; when they end is still known.
    pub(crate) fn forget(&mut self) {
        self.granted.clear();
    }
}

/// Returns how many of the remaining requests may be leased until `until` to one of this many isolates. The last
/// quarter of a rate is never leased: near its limit the Ledger is exact and fair. Of a quota, which may be lost with
/// an isolate, at most a thousandth is; and no lease outlives its window.
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
    /// Resets all counters, except for leased requests.
    pub(crate) fn clear(&mut self, now: u64) {
        if !self.rates.is_empty() || !self.quotas.is_empty() {
            self.unsaved = true;
        }
        self.rates.clear();
        self.quotas.clear();
        let mut leases = std::mem::take(&mut self.leases);
        for granted in leases.active(now) {
            for (count, at) in &mut granted.booked {
                *at = self.book(count, granted.count, granted.until, now);
            }
        }
        self.leases = leases;
    }

    /// Counts a lease of this many requests until then. Returns where it is counted, for [`Self::end_lease`].
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
        let Some(granted) = self.leases.remove(ended.id) else {
            return;
        };
        let used = ended.used.min(granted.count);
        for (count, at) in &granted.booked {
            match count.limit {
                Limit::Rate(limit) => {
                    if let Some((_, rate)) = self.rates.get_mut(&count.name) {
                        let ended = EndedBooking {
                            count: granted.count,
                            used,
                            is_over: granted.until <= now,
                        };
                        rate.end_lease(limit, *at, ended, now);
                    }
                }
                Limit::Quota(_) => {
                    if let Some((_, quota)) = self.quotas.get_mut(&count.name) {
                        quota.give_back(*at, u64::from(granted.count.saturating_sub(used)));
                    }
                }
            }
        }
    }

    /// Grants a lease of as many requests as an isolate wants and may have; `None` for none.
    pub(crate) fn lease(&mut self, ask: &Consume, want: &LeaseAsk, now: u64) -> Option<Lease> {
        let ms = lease_ms(&ask.counts)?;
        if ask.counts.iter().any(|count| count.smoothing.is_some()) {
            return None;
        }
        let until = now.saturating_add(ms);
        let holders = self.leases.holders(&want.holder, ms, now);
        let ends = self.session().map_or(0, |known| known.ends);
        if ends > 0 && ends < until {
            return None;
        }
        let mut requests = u64::from(want.want);
        for count in &ask.counts {
            let standing = self.standing(count, now);
            requests = requests.min(room(count, &standing, holders, until));
        }
        if requests < MIN_REQUESTS {
            return None;
        }
        let requests = u32::try_from(requests).unwrap_or(u32::MAX);
        let booked = ask.counts.iter().map(|count| {
            let at = self.book(count, requests, until, now);
            (count.clone(), at)
        });
        let granted = Granted {
            until,
            count: requests,
            booked: booked.collect(),
        };
        self.unsaved |= self.leases.is_unstored();
        let id = self.leases.grant(granted, now);
        Some(Lease {
            id,
            count: requests,
        })
    }
}

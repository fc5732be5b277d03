//! What a Ledger counts, carried to another one: to that of the key that takes a key's place, or to another
//! gateway.
//!
//! The promise: nothing that was counted is forgotten on the way. What is carried is the exact state, in the
//! form in which it is stored, so that whatever reads the one reads the other.

use super::Ledger;
use crate::holds::Holds;
use gatewright_protocol::error::StoreError;

impl Ledger {
    /// The counters as they stand, without those that count nothing any more; `None` if none is left.
    ///
    /// A session that was asked for before this is asked for once more: during a write nothing is counted
    /// behind it with what was true before it.
    pub fn take_counters(&mut self, now: u64) -> Option<String> {
        self.epoch = self.epoch.saturating_add(1);
        // What is leased is counted, and who has leased it has nothing to do with the other Ledger.
        let mut stored = self.exact(|empty_at| empty_at > now);
        stored.holds = Holds::default();
        if stored.rates.is_empty() && stored.quotas.is_empty() {
            return None;
        }
        Some(stored.written())
    }

    /// The whole state, to be stored where it lives from now on; `None` if there is none. What is leased stays
    /// so, and a session that was asked for before this is asked for once more.
    pub fn give_up(&mut self, now: u64) -> Option<String> {
        self.epoch = self.epoch.saturating_add(1);
        self.session = None;
        let mut stored = self.exact(|_| true);
        stored.leased = self.leases.until() > now;
        if !stored.leased && !self.is_worth_storing() {
            return None;
        }
        Some(stored.written())
    }

    /// Counts on from the counters that another one has given, instead of its own.
    ///
    /// # Errors
    /// As [`Ledger::restore`]; nothing has changed then.
    pub fn put_counters(&mut self, counters: &str, now: u64) -> Result<(), StoreError> {
        let Self {
            rates,
            quotas,
            reset,
            ..
        } = Self::restore(counters, now)?;
        self.epoch = self.epoch.saturating_add(1);
        self.session = None;
        (self.rates, self.quotas, self.reset) = (rates, quotas, reset);
        self.unsaved = true;
        Ok(())
    }
}

//! Moves the counters of a Ledger to another one: to that of the key that replaces a key, or to another gateway.
//!
//! The promise: no count is lost on the way. What is moved is the exact state in its stored form, so whatever reads the
//! one reads the other.

use super::Ledger;
use crate::holds::Holds;
use gatewright_protocol::error::StoreError;

impl Ledger {
    /// Returns the counters, without those that no longer count anything; `None` if none is left.
    ///
    /// A session that was being fetched from the Registry has to be fetched again: during a write nothing may be
    /// counted afterwards on the basis of an earlier answer.
    pub fn take_counters(&mut self, now: u64) -> Option<String> {
        self.epoch = self.epoch.saturating_add(1);
        // Leased requests are counted already, and the lease holders don't concern the other Ledger.
        let mut stored = self.exact(|empty_at| empty_at > now);
        stored.holds = Holds::default();
        stored.copy = None;
        if stored.rates.is_empty() && stored.quotas.is_empty() {
            return None;
        }
        Some(stored.to_json())
    }

    /// Returns the full state, to be stored where the Ledger lives from now on; `None` if there is none. Leases stay
    /// counted, and a session that was being fetched has to be fetched again.
    pub fn give_up(&mut self, now: u64) -> Option<String> {
        self.epoch = self.epoch.saturating_add(1);
        self.drop_session();
        let mut stored = self.exact(|_| true);
        stored.leased = self.leases.until() > now;
        if !stored.leased && !self.is_worth_storing() {
            return None;
        }
        Some(stored.to_json())
    }

    /// Continues from the counters of another Ledger, instead of its own.
    ///
    /// # Errors
    /// As [`Ledger::restore`]; nothing is changed then.
    pub fn put_counters(&mut self, counters: &str, now: u64) -> Result<(), StoreError> {
        let Self {
            rates,
            quotas,
            reset,
            ..
        } = Self::restore(counters, now)?;
        self.epoch = self.epoch.saturating_add(1);
        self.drop_session();
        (self.rates, self.quotas, self.reset) = (rates, quotas, reset);
        self.unsaved = true;
        Ok(())
    }
}

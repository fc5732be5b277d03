//! Moves the counters of a Ledger to another one: to that of the key that replaces a key, or to another gateway.
//!
//! The promise: no count is lost on the way. What is moved is the exact state in its stored form, so whatever reads the
//! one reads the other.

use super::Ledger;
use gatewright_protocol::error::StoreError;

impl Ledger {
    /// Returns the counters, without those that no longer count anything; `None` if none is left.
    pub fn take_counters(&self, now: u64) -> Option<String> {
        // Leased requests are counted already, and the lease holders don't concern the other Ledger.
        let mut stored = self.exact(|empty_at| empty_at > now);
        (stored.kept, stored.copy, stored.gone) = (None, None, None);
        if stored.rates.is_empty() && stored.quotas.is_empty() {
            return None;
        }
        Some(stored.to_json())
    }

    /// Returns the full state and the session, to be stored where the Ledger lives from now on; `None` if there is
    /// none. Leases stay counted.
    pub fn give_up(&mut self, now: u64) -> Option<(String, String)> {
        let mut stored = self.exact(|_| true);
        stored.leased = self.leases.until() > now;
        if !stored.leased && !self.is_worth_storing() {
            return None;
        }
        Some((stored.to_json(), self.known.row()))
    }

    /// Continues from the counters of another Ledger, instead of its own, unless the session has been reset since.
    ///
    /// # Errors
    /// As [`Ledger::restore`]; nothing is changed then.
    pub fn put_counters(&mut self, counters: &str, now: u64) -> Result<(), StoreError> {
        let other = Self::restore(counters, now)?;
        let reset = other.reset;
        self.go_on_from(other);
        match self.known.session.as_ref().map(|session| session.reset) {
            Some(own) if own > reset => self.clear(now),
            Some(_) => {}
            None => self.reset = reset,
        }
        Ok(())
    }

    /// Continues from the counters of another Ledger.
    pub(crate) fn go_on_from(&mut self, other: Self) {
        (self.rates, self.quotas) = (other.rates, other.quotas);
        // They are counted in what was here before.
        self.leases.forget();
        self.unsaved = true;
    }
}

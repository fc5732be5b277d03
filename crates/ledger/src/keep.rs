//! How a session comes to its Ledger, changes there and ends.
//!
//! The promise: once a write of a session is answered, no isolate uses what was before it. The Registry hands each
//! revision over ([`Ledger::keep`]), and its reply to the author waits until what is kept is stored, until the leases
//! have ended that were granted before, and for a new session until clients have forgotten that they were told there is
//! none. A Ledger that was restarted doesn't know what the previous one has told clients.

use crate::Ledger;
use crate::session::Session;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::Keep;

impl Ledger {
    /// Keeps a revision of the session, which must be stored before the reply. `counters` are those of another Ledger,
    /// which a session that starts continues with, in the form of [`Self::take_counters`]; empty for none.
    ///
    /// Returns the counters of a session that has ended, empty for none, the same each time it is told, and for how many
    /// milliseconds the author of the write has to wait.
    ///
    /// # Errors
    /// If the counters can't be read; nothing is changed then.
    pub fn keep(
        &mut self,
        keep: Keep,
        text: &str,
        counters: &str,
        now: u64,
    ) -> Result<(String, u64), StoreError> {
        if keep.gone {
            let counters = self.end(keep.revision, now);
            return Ok((counters, self.leased_ms(now)));
        }
        let known = match self.known.gone {
            Some(gone) if gone.revision <= keep.over => None,
            _ => self.known.revision(),
        };
        let is_new = known.is_none_or(|known| known < keep.revision);
        let becomes_kept = known == Some(keep.revision) && self.known.named(false).is_some();
        if is_new || becomes_kept {
            let other = match counters {
                "" => None,
                text => Some(Self::restore(text, now)?),
            };
            self.begin(Session::of(keep, text), true, now);
            if let Some(other) = other {
                self.go_on_from(other);
            }
            self.unsaved = true;
        }
        let denied_ms = self.known.denied_until.saturating_sub(now);
        Ok((String::new(), denied_ms.max(self.leased_ms(now))))
    }

    /// Learns a session that the Registry has, unless what is known is as new.
    pub fn learn(&mut self, session: Session, now: u64) {
        let known = self.known.revision();
        if known.is_none_or(|known| known < session.revision) {
            self.begin(session, false, now);
        }
    }

    /// Takes a newer session, with counters that start anew if one of its writes says so, or after the end of another;
    /// those that an import has put here since that end are its own.
    /// A copy of a session of which nothing was known is stored with the next state. Only a Ledger that counts nothing
    /// has no reason of its own to store one: another would store more admissions in advance.
    fn begin(&mut self, session: Session, is_kept: bool, now: u64) {
        self.unsaved |= !self.is_missing();
        if session.reset != self.reset {
            self.clear(now);
        }
        self.reset = session.reset;
        self.known.begin(session, is_kept);
        self.unsaved |= self.rates.is_empty() && self.quotas.is_empty();
    }

    /// Ends the session, unless a later revision is known, and returns its counters.
    fn end(&mut self, revision: u64, now: u64) -> String {
        if self.known.revision().is_some_and(|known| known > revision) {
            return String::new();
        }
        let known = self.known.gone.map(|gone| gone.revision);
        if known != Some(revision) {
            self.known.end(revision, now);
            self.reset = 0;
            self.unsaved = true;
        }
        self.take_counters(now).unwrap_or_default()
    }

    /// Drops a copy, because a Registry of the previous release has written the session. Returns for how many
    /// milliseconds isolates may still use the previous session: the write must not be answered earlier.
    pub fn release(&mut self, now: u64) -> u64 {
        if !self.known.is_kept && self.known.drop_session() {
            self.unsaved = true;
        }
        self.leased_ms(now)
    }

    /// Forgets a session whose end has been remembered for long enough, with its counters.
    pub(crate) fn bury(&mut self) {
        let denied_until = self.known.denied_until;
        *self = Self::default();
        self.known.denied_until = denied_until;
    }

    fn leased_ms(&self, now: u64) -> u64 {
        self.leases.until().saturating_sub(now)
    }
}

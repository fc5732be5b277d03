//! Counting without a call: an isolate that hosts a Ledger's object counts on it directly.
//!
//! The promise: this is as exact as a call. What is counted directly is covered by a state known to be on disk, in
//! which it already counts as admitted: an object that starts from that state admits nothing in its place. And the
//! right expires a second after the platform last reached the object, so an object that was replaced without noticing
//! counts no longer than that.

/// How long after a call an object may be counted on directly, in milliseconds.
pub const DIRECT_MS: u64 = 1000;

/// How much longer an object is assumed to live where it was reached, in milliseconds.
const HERE_MS: u64 = 10_000;

/// The right to be counted on directly. Times are Unix milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Direct {
    /// The number of states handed out to be stored.
    stored: u64,
    until: u64,
}

impl Direct {
    /// Records that the platform has reached the object: it is the current one.
    pub(crate) fn record_reached(&mut self, now: u64) {
        self.until = now.saturating_add(DIRECT_MS);
    }

    /// Whether the object may be counted on directly.
    pub(crate) const fn is_open(self, now: u64) -> bool {
        now < self.until
    }

    /// Whether the platform has reached the object recently.
    pub(crate) const fn was_reached(self, now: u64) -> bool {
        now < self.until.saturating_add(HERE_MS)
    }

    /// Records that a state is handed out to be stored.
    pub(crate) fn record_handed_out(&mut self) {
        self.stored = self.stored.saturating_add(1);
    }

    /// Returns the number of the state handed out last.
    pub(crate) const fn number(self) -> u64 {
        self.stored
    }
}

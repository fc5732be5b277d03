//! Counting without a call: an isolate that hosts a Ledger's object counts on it directly.
//!
//! The promise: as exact as a call. What is counted directly is covered by a state that is known to be on the
//! disk, which counts it as admitted already: whoever starts from that state admits nothing in its place. And
//! the right ends a second after the platform has last reached the object, so that one whose place another has
//! taken meanwhile, unheard of, counts no longer than that.

/// For how long (milliseconds) after a call an object may be counted on directly.
pub const DIRECT_MS: u64 = 1000;

/// For so many milliseconds more it counts as living where it was reached.
const HERE_MS: u64 = 10_000;

/// The right to be counted on directly. Times are Unix milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Direct {
    /// How many states have been given to be stored.
    stored: u64,
    until: u64,
}

impl Direct {
    /// The platform has reached the object: it is the one there is.
    pub(crate) fn reached(&mut self, now: u64) {
        self.until = now.saturating_add(DIRECT_MS);
    }

    /// True if the object may be counted on.
    pub(crate) const fn is_open(self, now: u64) -> bool {
        now < self.until
    }

    /// True if the platform has reached the object lately.
    pub(crate) const fn was_reached(self, now: u64) -> bool {
        now < self.until.saturating_add(HERE_MS)
    }

    /// A state is given to be stored.
    pub(crate) fn stores(&mut self) {
        self.stored = self.stored.saturating_add(1);
    }

    /// The number of the state that was given last.
    pub(crate) const fn number(self) -> u64 {
        self.stored
    }
}

//! What a Ledger learns from the Registry.

/// A session that a Ledger has fetched from the Registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// Its revision.
    pub revision: u64,
    /// The revision of the last write that reset its counters.
    pub reset: u64,
    /// When the session stops existing, in Unix milliseconds; 0 means never.
    pub ends: u64,
    /// Its text.
    pub text: String,
}

impl Pulled {
    /// Whether its record has expired at a time in Unix milliseconds.
    #[must_use]
    pub const fn is_over(&self, now: u64) -> bool {
        self.ends > 0 && self.ends <= now
    }
}

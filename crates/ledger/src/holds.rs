//! The writes of a session that are in progress.
//!
//! The promise: while there is one, nothing of the session is kept, whatever crashes; and one whose author is gone ends
//! only after the Registry has confirmed that it refuses it from then on. So no request is admitted by an earlier
//! session once a write was answered, and the Registry isn't asked on every request for ever.

/// How long to wait for the author of a write before asking the Registry to refuse it, in milliseconds.
const AUTHOR_TIMEOUT_MS: u64 = 10_000;
/// How long a hold without a name lasts, from a release that did not name them, in milliseconds.
const NAMELESS_TIMEOUT_MS: u64 = 30_000;

/// The names of the writes, and when they started, in Unix milliseconds. There are few at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holds(Vec<(String, u64)>);

impl Holds {
    /// Restores the stored holds.
    pub(crate) fn of(stored: Vec<(String, u64)>) -> Self {
        Self(stored)
    }

    /// Returns all of them, oldest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &(String, u64)> {
        self.0.iter()
    }

    /// Adds a write that starts.
    pub(crate) fn begin(&mut self, write: &str, now: u64) {
        self.end(write);
        self.0.push((write.to_owned(), now));
    }

    /// Removes a write that has ended. Returns whether it was in progress.
    pub(crate) fn end(&mut self, write: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|(known, _)| known != write);
        self.0.len() < before
    }

    /// Whether a write is in progress.
    pub(crate) fn any(&self, now: u64) -> bool {
        let mut holds = self.0.iter();
        holds.any(|(write, since)| {
            !write.is_empty() || now < since.saturating_add(NAMELESS_TIMEOUT_MS)
        })
    }

    /// Whether there is nothing to store.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the writes whose author is presumed gone.
    pub(crate) fn given_up(&self, now: u64) -> Vec<String> {
        let late = |since: &u64| since.saturating_add(AUTHOR_TIMEOUT_MS) <= now;
        let holds = self.0.iter();
        holds
            .filter(|(write, since)| !write.is_empty() && late(since))
            .map(|(write, _)| write.clone())
            .collect()
    }
}

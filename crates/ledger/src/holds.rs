//! The writes of a session that are under way.
//!
//! The promise: while one is, nothing is kept of the session, whatever crashes; and one whose author is gone ends
//! only when the Registry has said that it refuses it from then on. So no request is admitted by a session of
//! before once a write was answered, and none asks the Registry for ever.

/// For how long (milliseconds) the author of a write is waited for before the Registry is asked to refuse it.
const PATIENCE: u64 = 10_000;
/// For how long one without a name holds, whose author is of a release that gave none.
const NAMELESS: u64 = 30_000;

/// The names of the writes, with when they have begun, Unix milliseconds. There are few at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Holds(Vec<(String, u64)>);

impl Holds {
    /// Those that were stored.
    pub(crate) fn of(stored: Vec<(String, u64)>) -> Self {
        Self(stored)
    }

    /// All of them, the first that has begun first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &(String, u64)> {
        self.0.iter()
    }

    /// One begins.
    pub(crate) fn begin(&mut self, write: &str, now: u64) {
        self.end(write);
        self.0.push((write.to_owned(), now));
    }

    /// It has ended. True if it was under way.
    pub(crate) fn end(&mut self, write: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|(known, _)| known != write);
        self.0.len() < before
    }

    /// True if any is under way.
    pub(crate) fn any(&self, now: u64) -> bool {
        let mut holds = self.0.iter();
        holds.any(|(write, since)| !write.is_empty() || now < since.saturating_add(NAMELESS))
    }

    /// True if none is stored.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those whose author is taken for gone.
    pub(crate) fn given_up(&self, now: u64) -> Vec<String> {
        let late = |since: &u64| since.saturating_add(PATIENCE) <= now;
        let holds = self.0.iter();
        holds
            .filter(|(write, since)| !write.is_empty() && late(since))
            .map(|(write, _)| write.clone())
            .collect()
    }
}

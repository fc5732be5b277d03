//! Batching of what arrives together: calls for a reload, and writes.

/// Serves all calls that wait for a run in progress with one further run.
#[derive(Clone, Debug)]
pub struct Coalescer<T> {
    /// The number of calls so far.
    asked: u64,
    /// The last call that the latest run covers, and the result of that run.
    done: Option<(u64, T)>,
}

impl<T> Default for Coalescer<T> {
    fn default() -> Self {
        Self {
            asked: 0,
            done: None,
        }
    }
}

impl<T: Clone> Coalescer<T> {
    /// Registers a call and returns its number.
    pub const fn ask(&mut self) -> u64 {
        self.asked = self.asked.saturating_add(1);
        self.asked
    }

    /// Returns the result of a run that started after the call arrived; `None` if the call has to start a run itself.
    #[must_use]
    pub fn answered(&self, call: u64) -> Option<T> {
        let (covered, ended) = self.done.as_ref()?;
        (*covered >= call).then(|| ended.clone())
    }

    /// Starts a run and returns the number of the last call it covers.
    #[must_use]
    pub const fn begin(&self) -> u64 {
        self.asked
    }

    /// Records the result of a run.
    pub fn end(&mut self, covers: u64, ended: T) {
        self.done = Some((covers, ended));
    }
}

/// The most turns of the event loop (each far shorter than a commit) for which writes are collected.
const TURNS: u32 = 16;

/// Decides how long writes are collected into one commit. Everything stored in one event is one commit, and a commit
/// waits for the disk, so writes that arrive together are carried out in one event. Clients that were answered together
/// come back one by one: as long as each turn of the event loop brings another write, up to a maximum number of turns,
/// the commit waits for it. A lone write does not wait.
#[derive(Clone, Copy, Debug, Default)]
pub struct Collector {
    known: u32,
    turns: u32,
}

impl Collector {
    /// Called each turn after the first write arrived, with the number of waiting writes. Returns whether to wait for
    /// another turn rather than carry them out.
    pub const fn waits(&mut self, waiting: u32) -> bool {
        // The first write is the one that started the waiting.
        let known = if self.turns == 0 { 1 } else { self.known };
        if waiting > known && self.turns < TURNS {
            self.known = waiting;
            self.turns = self.turns.saturating_add(1);
            return true;
        }
        self.turns = 0;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_calls_need_a_run_started_after_them() {
        let mut runs = Coalescer::default();
        let first = runs.ask();
        assert_eq!(runs.answered(first), None);
        let covers = runs.begin();
        // They arrive during a run, so they may want something newer than it has read.
        let (second, third) = (runs.ask(), runs.ask());
        runs.end(covers, "one");
        assert_eq!(runs.answered(first), Some("one"));
        assert_eq!(runs.answered(second), None);
        let covers = runs.begin();
        runs.end(covers, "two");
        assert_eq!(runs.answered(third), Some("two"));
    }

    #[test]
    fn a_lone_write_does_not_wait() {
        let mut collector = Collector::default();
        assert!(!collector.waits(1));
        assert!(!collector.waits(1));
    }

    #[test]
    fn writes_are_collected_while_each_turn_brings_another() {
        let mut collector = Collector::default();
        assert!(collector.waits(2) && collector.waits(3));
        assert!(!collector.waits(3));
        // The next batch starts afresh.
        assert!(collector.waits(2));
        assert!(!collector.waits(2));
    }

    #[test]
    fn collecting_writes_is_bounded() {
        let mut collector = Collector::default();
        let waited = (2..).take_while(|waiting| collector.waits(*waiting));
        assert_eq!(waited.count(), 16);
    }
}

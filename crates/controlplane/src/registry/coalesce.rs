//! What comes together is carried out together: calls for a reload, and writes.

/// Calls that wait for one that is under way are served by the next one together.
#[derive(Clone, Debug)]
pub struct Coalescer<T> {
    /// Counts the calls.
    asked: u64,
    /// Up to which call the last run counts, and how it ended.
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
    /// A call comes. It keeps its number until its turn.
    pub const fn ask(&mut self) -> u64 {
        self.asked = self.asked.saturating_add(1);
        self.asked
    }

    /// How a run ended that began after the call came; `None` if the call has to run itself.
    #[must_use]
    pub fn answered(&self, call: u64) -> Option<T> {
        let (covered, ended) = self.done.as_ref()?;
        (*covered >= call).then(|| ended.clone())
    }

    /// A run begins: the number of the last call that it counts for.
    #[must_use]
    pub const fn begin(&self) -> u64 {
        self.asked
    }

    /// It has ended.
    pub fn end(&mut self, covers: u64, ended: T) {
        self.done = Some((covers, ended));
    }
}

/// Turns of the event loop (each far shorter than a commit) that writes are collected for.
const TURNS: u32 = 16;

/// What is stored in one event is one commit, and a commit waits for the disk; so writes that come together
/// are carried out in one event. Clients that were answered together come back one by one: as long as each
/// turn of the event loop brings another write, and for so many turns at most, the commit waits for it. A
/// lone one does not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Collector {
    known: u32,
    turns: u32,
}

impl Collector {
    /// A turn has passed since the first write came, or since this was asked last; so many are waiting. True
    /// to wait for another turn, false to carry them out.
    pub const fn waits(&mut self, waiting: u32) -> bool {
        // The first one is what the turn was waited for.
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
    fn calls_that_wait_are_answered_by_the_next_run_and_by_no_earlier_one() {
        let mut runs = Coalescer::default();
        let first = runs.ask();
        assert_eq!(runs.answered(first), None);
        let covers = runs.begin();
        // They come while it runs, so what they want may be newer than what it has read.
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
        // The next ones begin anew.
        assert!(collector.waits(2));
        assert!(!collector.waits(2));
    }

    #[test]
    fn they_are_not_collected_for_ever() {
        let mut collector = Collector::default();
        let waited = (2..).take_while(|waiting| collector.waits(*waiting));
        assert_eq!(waited.count(), 16);
    }
}

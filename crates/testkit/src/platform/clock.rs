//! The clock of a platform in memory.

use crate::kv::Time;
use gatewright_protocol::time::{millis, rfc3339};
use std::cell::Cell;
use std::rc::Rc;

/// 2026-01-01T00:00:00Z, Unix seconds.
const START: u64 = 1_767_225_600;

/// A clock that advances a second at each reading, until it is stopped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    seconds: Rc<Cell<u64>>,
    pub(super) is_still: Rc<Cell<bool>>,
    /// How many numbers were created while it was stopped.
    created: Rc<Cell<u64>>,
}

impl Clock {
    /// Advances and returns the clock, in seconds since the start.
    pub(super) fn tick(&self) -> u64 {
        if !self.is_still.get() {
            self.wait(1);
        }
        self.seconds.get()
    }

    /// Returns a unique number, even while the clock is stopped.
    pub(super) fn number(&self) -> u128 {
        if self.is_still.get() {
            self.created.set(self.created.get().checked_add(1).unwrap());
        }
        u128::from(self.created.get())
            .checked_shl(32)
            .unwrap()
            .checked_add(u128::from(self.tick()))
            .unwrap()
    }

    pub(super) fn now(&self) -> String {
        text(self.tick())
    }

    /// Returns the time without advancing it.
    pub(crate) fn at_ms(&self) -> u64 {
        millis(&text(self.seconds.get())).unwrap()
    }

    pub(crate) fn now_ms(&self) -> u64 {
        millis(&self.now()).unwrap()
    }

    pub(crate) fn wait(&self, seconds: u64) {
        let later = self.seconds.get().checked_add(seconds);
        self.seconds.set(later.unwrap());
    }
}

impl Time for Clock {
    fn now_ms(&self) -> u64 {
        self.at_ms()
    }

    fn pass(&self, ms: u32) {
        self.wait(u64::from(ms).div_ceil(1000));
    }
}

/// Returns the time this many seconds after the start of 2026, RFC 3339.
fn text(tick: u64) -> String {
    let seconds = START.checked_add(tick).unwrap();
    rfc3339(seconds.checked_mul(1000).unwrap())
}

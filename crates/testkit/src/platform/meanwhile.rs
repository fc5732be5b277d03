//! What somebody else does between two commands of one request.

use super::Memory;
use std::cell::RefCell;
use std::fmt;

/// An act, and how many writes come before it.
#[derive(Default)]
pub(super) struct Meanwhile(RefCell<Option<(usize, Act)>>);

type Act = Box<dyn FnOnce(&Memory)>;

impl fmt::Debug for Meanwhile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meanwhile")
    }
}

impl Memory {
    /// Carries out an act just before a write reaches the Registry: after `writes` others, of whichever requests.
    pub fn before_write(&self, writes: usize, act: impl FnOnce(&Self) + 'static) {
        self.meanwhile.0.replace(Some((writes, Box::new(act))));
    }

    /// Carries out the act if it is time to.
    pub(super) fn act_before_write(&self) {
        let due = self.meanwhile.0.take();
        match due {
            None => {}
            Some((0, act)) => act(self),
            Some((writes, act)) => {
                self.meanwhile
                    .0
                    .replace(Some((writes.saturating_sub(1), act)));
            }
        }
    }
}

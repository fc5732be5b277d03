//! The Durable Object's one alarm, for everything that is due at some time.

use gatewright_worker_platform::glue;
use std::cell::Cell;
use worker::Storage;

/// Times are in milliseconds since 1970.
pub(crate) struct Alarm {
    storage: Storage,
    /// When it rings, as far as this object knows.
    at: Cell<Option<u64>>,
    /// When the reload has something to do.
    reload: Cell<Option<u64>>,
    /// When deliveries, and the ends of keys, go on after trouble with the storage.
    pause: Cell<u64>,
    /// True until it has rung once: what the object before this one has set it for is not known.
    inherited: Cell<bool>,
}

impl Alarm {
    pub(crate) fn new(storage: Storage) -> Self {
        Self {
            storage,
            at: Cell::new(None),
            reload: Cell::new(None),
            pause: Cell::new(0),
            inherited: Cell::new(true),
        }
    }

    /// It rings. True if the reload may have something to do.
    pub(crate) fn rung(&self, now: u64) -> bool {
        self.at.set(None);
        let due = self.reload.get().is_some_and(|at| at <= now);
        let reload = self.inherited.replace(false) || due;
        if reload {
            self.reload.set(None);
        }
        reload
    }

    /// When the reload has something to do next; [`Alarm::set`] has to follow.
    pub(crate) fn reload_at(&self, at: Option<u64>) {
        self.reload.set(at);
    }

    /// They wait until then.
    pub(crate) fn pause_until(&self, at: u64) {
        self.pause.set(at);
    }

    /// Sets it for what is due first, in the same turn as what was written before.
    pub(crate) fn set(&self, due: Option<u64>, now: u64) {
        let due = due.map(|at| at.max(self.pause.get()));
        let wanted = self.reload.get().into_iter().chain(due).min();
        let storage = self.storage.as_raw();
        match wanted {
            Some(at) if self.inherited.get() && at > now => {
                glue::set_alarm_by(storage, number(at));
            }
            None if self.inherited.get() => {}
            wanted if wanted != self.at.get() => {
                glue::set_alarm(storage, wanted.map(number));
                self.at.set(wanted);
            }
            _ => {}
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "times are far below 2^53")]
fn number(at: u64) -> f64 {
    at as f64
}

//! The single alarm of the Durable Object.

use gatewright_controlplane::registry::alarm::{Alarm as Times, Setting};
use gatewright_worker_platform::glue;
use std::cell::Cell;
use worker::Storage;

/// The object's alarm. Times are in Unix milliseconds.
pub(crate) struct Alarm {
    storage: Storage,
    times: Cell<Times>,
}

impl Alarm {
    pub(crate) fn new(storage: Storage) -> Self {
        Self {
            storage,
            times: Cell::default(),
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut Times) -> T) -> T {
        let mut times = self.times.get();
        let answer = change(&mut times);
        self.times.set(times);
        answer
    }

    /// See [`Times::rung`].
    pub(crate) fn rung(&self, now: u64) -> bool {
        self.change(|times| times.rung(now))
    }

    /// See [`Times::reload_at`].
    pub(crate) fn reload_at(&self, at: Option<u64>) {
        self.change(|times| times.reload_at(at));
    }

    /// See [`Times::pause_until`].
    pub(crate) fn pause_until(&self, at: u64) {
        self.change(|times| times.pause_until(at));
    }

    /// Sets the alarm for whatever is due first, in the same turn as the preceding writes.
    pub(crate) fn set(&self, due: Option<u64>, now: u64) {
        let storage = self.storage.as_raw();
        match self.change(|times| times.set(due, now)) {
            Setting::Unchanged => {}
            Setting::At(at) => glue::set_alarm(storage, Some(number(at))),
            Setting::NoLaterThan(at) => glue::set_alarm_by(storage, number(at)),
            Setting::Off => glue::set_alarm(storage, None),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "times are far below 2^53")]
fn number(at: u64) -> f64 {
    at as f64
}

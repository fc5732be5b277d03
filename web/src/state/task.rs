//! An action started by a button, one at a time.

use std::future::Future;
use std::pin::Pin;

use js_sys::Promise;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;

/// Whether the action is running, and a way to start it. Leaving the page doesn't stop it: a write that was sent has to
/// be followed through.
#[derive(Clone, Copy)]
pub struct Task {
    busy: RwSignal<bool>,
}

impl Task {
    /// Creates a task that isn't running.
    #[must_use]
    pub fn new() -> Self {
        Self {
            busy: RwSignal::new(false),
        }
    }

    /// Whether the action is running.
    #[must_use]
    pub fn busy(self) -> bool {
        self.busy.get()
    }

    /// Like [`Self::busy`], without making the caller depend on it.
    #[must_use]
    pub fn busy_untracked(self) -> bool {
        self.busy.get_untracked()
    }

    /// Starts the action unless it is already running.
    pub fn run(self, work: impl Future<Output = ()> + 'static) {
        self.begin(Box::pin(work));
    }

    fn begin(self, work: Pin<Box<dyn Future<Output = ()>>>) {
        if self.busy.get_untracked() {
            return;
        }
        self.busy.set(true);
        spawn_local(async move {
            work.await;
            self.busy.try_set(false);
        });
    }
}

impl Default for Task {
    fn default() -> Self {
        Self::new()
    }
}

/// Waits for a number of milliseconds.
pub fn pause(ms: i32) -> JsFuture {
    let timer = Promise::new(&mut |resolve, _| {
        // Fails only without a window, where none of this runs.
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
    });
    JsFuture::from(timer)
}

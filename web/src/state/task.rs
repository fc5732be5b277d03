//! Something that is done at the press of a button, one at a time.

use std::future::Future;
use std::pin::Pin;

use js_sys::Promise;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;

/// Whether something is under way, and how to begin it. Leaving the page doesn't stop it: a write that
/// was sent has to be followed to its end.
#[derive(Clone, Copy)]
pub struct Task {
    busy: RwSignal<bool>,
}

impl Task {
    /// Nothing is under way.
    #[must_use]
    pub fn new() -> Self {
        Self {
            busy: RwSignal::new(false),
        }
    }

    /// Whether something is under way.
    #[must_use]
    pub fn busy(self) -> bool {
        self.busy.get()
    }

    /// The same without becoming a dependency of the caller.
    #[must_use]
    pub fn busy_untracked(self) -> bool {
        self.busy.get_untracked()
    }

    /// Begins, unless something is under way.
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

/// Waits.
pub fn pause(ms: i32) -> JsFuture {
    let timer = Promise::new(&mut |resolve, _| {
        // Fails only without a window, and then nothing of this is here.
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
    });
    JsFuture::from(timer)
}

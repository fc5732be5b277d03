//! Reading from the gateway: what came, whether something is under way, and how to ask again.
//!
//! Unlike a `LocalResource`, which finishes one request before it starts the next, a newer question
//! here aborts the older one at once; that is what search while typing needs.

use std::future::Future;

use futures_util::future::{AbortHandle, abortable};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::session::Session;
use crate::api::ApiError;

/// A value that is read from the gateway.
pub struct Load<T: Send + Sync + 'static> {
    value: RwSignal<Option<Result<T, ApiError>>>,
    busy: RwSignal<bool>,
    again: Trigger,
}

impl<T: Send + Sync + 'static> Clone for Load<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Load<T> {}

impl<T: Clone + Send + Sync + 'static> Load<T> {
    /// Asks now, and again whenever a signal that `ask` reads changes. Leaving the page aborts.
    #[must_use]
    pub fn new<Fut>(ask: impl Fn() -> Fut + 'static) -> Self
    where
        Fut: Future<Output = Result<T, ApiError>> + 'static,
    {
        let load = Self {
            value: RwSignal::new(None),
            busy: RwSignal::new(true),
            again: Trigger::new(),
        };
        let session = use_context::<Session>();
        Effect::new(move |_| {
            load.again.track();
            // A new secret may get what the old one was refused.
            session.inspect(|session| session.track());
            let (answer, handle) = abortable(ask());
            on_cleanup(move || AbortHandle::abort(&handle));
            load.busy.set(true);
            spawn_local(async move {
                if let Ok(outcome) = answer.await {
                    load.value.try_set(Some(outcome));
                    load.busy.try_set(false);
                }
            });
        });
        load
    }

    /// What came last; it stays while something newer is under way.
    #[must_use]
    pub fn get(self) -> Option<Result<T, ApiError>> {
        self.value.get()
    }

    /// What came last, if it was good.
    #[must_use]
    pub fn good(self) -> Option<T> {
        self.value.with(|value| {
            value
                .as_ref()
                .and_then(|outcome| outcome.as_ref().ok())
                .cloned()
        })
    }

    /// The same without becoming a dependency of the caller.
    #[must_use]
    pub fn good_untracked(self) -> Option<T> {
        untrack(|| self.good())
    }

    /// What went wrong last.
    #[must_use]
    pub fn failed(self) -> Option<ApiError> {
        self.value.with(|value| {
            value
                .as_ref()
                .and_then(|outcome| outcome.as_ref().err())
                .cloned()
        })
    }

    /// Whether a request is under way.
    #[must_use]
    pub fn busy(self) -> bool {
        self.busy.get()
    }

    /// Asks again.
    pub fn again(self) {
        self.again.notify();
    }
}

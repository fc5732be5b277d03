//! Reading from the gateway: the last result, whether a request is running, and reloading.
//!
//! Unlike a `LocalResource`, which finishes one request before it starts the next, a newer request here aborts the
//! older one at once, as search-as-you-type needs.

use std::any::Any;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::future::{AbortHandle, abortable};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::session::Session;
use crate::api::ApiError;

/// A value with its type erased: the machinery below is compiled once instead of once per type.
type Erased = Arc<dyn Any + Send + Sync>;
type Outcome = Result<Erased, ApiError>;

/// A value that is read from the gateway.
pub struct Load<T> {
    raw: Raw,
    of: PhantomData<fn() -> T>,
}

#[derive(Clone, Copy)]
struct Raw {
    value: RwSignal<Option<Outcome>>,
    busy: RwSignal<bool>,
    again: Trigger,
}

impl<T> Clone for Load<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Load<T> {}

impl<T: Clone + Send + Sync + 'static> Load<T> {
    /// Loads now, and again whenever a signal that `ask` reads changes. Leaving the page aborts the request.
    #[must_use]
    pub fn new<Fut>(ask: impl Fn() -> Fut + 'static) -> Self
    where
        Fut: Future<Output = Result<T, ApiError>> + 'static,
    {
        let ask = move || -> Pin<Box<dyn Future<Output = Outcome>>> {
            let answer = ask();
            Box::pin(async move { answer.await.map(|value| Arc::new(value) as Erased) })
        };
        Self {
            raw: Raw::new(Box::new(ask)),
            of: PhantomData,
        }
    }

    fn value(outcome: &Outcome) -> Result<T, ApiError> {
        let unreadable = || ApiError::Unreadable {
            what: "another type".to_owned(),
            request_id: None,
        };
        let value = outcome.as_ref().map_err(Clone::clone)?;
        value.downcast_ref::<T>().cloned().ok_or_else(unreadable)
    }

    /// Returns the last result, which is kept while a newer request is running.
    #[must_use]
    pub fn get(self) -> Option<Result<T, ApiError>> {
        self.raw.value.with(|value| value.as_ref().map(Self::value))
    }

    /// Returns the last result if it was a success.
    #[must_use]
    pub fn good(self) -> Option<T> {
        self.get().and_then(Result::ok)
    }

    /// Like [`Self::good`], without making the caller depend on it.
    #[must_use]
    pub fn good_untracked(self) -> Option<T> {
        untrack(|| self.good())
    }

    /// Returns the error, if the last result was one.
    #[must_use]
    pub fn failed(self) -> Option<ApiError> {
        self.raw
            .value
            .with(|value| value.as_ref().and_then(|outcome| outcome.clone().err()))
    }

    /// Whether a request is running.
    #[must_use]
    pub fn busy(self) -> bool {
        self.raw.busy.get()
    }

    /// Loads again.
    pub fn again(self) {
        self.raw.again.notify();
    }
}

impl Raw {
    fn new(ask: Box<dyn Fn() -> Pin<Box<dyn Future<Output = Outcome>>>>) -> Self {
        let raw = Self {
            value: RwSignal::new(None),
            busy: RwSignal::new(true),
            again: Trigger::new(),
        };
        let session = use_context::<Session>();
        Effect::new(move |_| {
            raw.again.track();
            // Another secret may get access to what the previous one was refused.
            session.inspect(|session| session.track());
            let (answer, handle) = abortable(ask());
            on_cleanup(move || AbortHandle::abort(&handle));
            raw.busy.set(true);
            spawn_local(async move {
                if let Ok(outcome) = answer.await {
                    raw.value.try_set(Some(outcome));
                    raw.busy.try_set(false);
                }
            });
        });
        raw
    }
}

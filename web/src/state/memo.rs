//! Memos that share one compiled copy, whatever they hold: one kind of leptos' own for each type of value would be most
//! of what reacts in a module.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use leptos::prelude::{Get, GetUntracked, Memo as Raw, Signal};

/// A value computed from signals; what reads it runs again only when the value changes.
pub struct Memo<T> {
    raw: Raw<Erased>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Memo<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Memo<T> {}

/// Computes a value from the previous one.
type Compute = Box<dyn Fn(Option<&Erased>) -> Erased + Send + Sync>;

/// A value without its type, and how to compare it with another one of that type.
#[derive(Clone)]
struct Erased {
    value: Arc<dyn Any + Send + Sync>,
    same: fn(&dyn Any, &dyn Any) -> bool,
}

impl PartialEq for Erased {
    fn eq(&self, other: &Self) -> bool {
        (self.same)(&*self.value, &*other.value)
    }
}

impl Erased {
    fn new<T: PartialEq + Send + Sync + 'static>(value: T) -> Self {
        let same = |one: &dyn Any, other: &dyn Any| one.downcast_ref::<T>() == other.downcast_ref();
        Self {
            value: Arc::new(value),
            same,
        }
    }

    fn get<T: 'static>(&self) -> &T {
        match self.value.downcast_ref() {
            Some(value) => value,
            None => unreachable!("only a Memo<T> makes and reads its value"),
        }
    }
}

impl<T: PartialEq + Send + Sync + 'static> Memo<T> {
    /// Creates it; `compute` gets the previous value.
    #[must_use]
    pub fn new(compute: impl Fn(Option<&T>) -> T + Send + Sync + 'static) -> Self {
        let compute: Compute =
            Box::new(move |before| Erased::new(compute(before.map(Erased::get))));
        Self {
            raw: Raw::new(compute),
            of: PhantomData,
        }
    }

    /// Reads the value, and makes the caller depend on it.
    pub fn with<U>(self, read: impl FnOnce(&T) -> U) -> U {
        read(self.raw.get().get())
    }

    /// Reads the value without making the caller depend on it.
    pub fn with_untracked<U>(self, read: impl FnOnce(&T) -> U) -> U {
        read(self.raw.get_untracked().get())
    }
}

impl<T: PartialEq + Clone + Send + Sync + 'static> Memo<T> {
    /// Returns the value, and makes the caller depend on it.
    #[must_use]
    pub fn get(self) -> T {
        self.with(T::clone)
    }

    /// Returns the value without making the caller depend on it.
    #[must_use]
    pub fn get_untracked(self) -> T {
        self.with_untracked(T::clone)
    }

    /// Like [`Self::get_untracked`]; `None` once the page is gone.
    #[must_use]
    pub fn try_get_untracked(self) -> Option<T> {
        let erased = self.raw.try_get_untracked()?;
        Some(erased.get::<T>().clone())
    }
}

impl<T: PartialEq + Clone + Send + Sync + 'static> From<Memo<T>> for Signal<T> {
    fn from(memo: Memo<T>) -> Self {
        Self::derive(move || memo.get())
    }
}

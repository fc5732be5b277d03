//! What the chain tells of one request, if somebody listens (reference 1.8, *debug*).
//!
//! The promise: listening changes nothing about what is decided, and where nobody does, no text is
//! made. No text holds a token: of a key it has the hash.

use gatewright_api::debug::{Decision, Phase, Step};
use std::cell::{Cell, RefCell};

/// The steps of one request so far.
pub struct Trace<'a> {
    clock: &'a dyn Fn() -> u64,
    began: u64,
    last: Cell<u64>,
    steps: RefCell<Vec<Step>>,
}

impl<'a> Trace<'a> {
    /// Begins with the time that `clock` tells, Unix milliseconds.
    #[must_use]
    pub fn new(clock: &'a dyn Fn() -> u64) -> Self {
        let now = clock();
        Self {
            clock,
            began: now,
            last: Cell::new(now),
            steps: RefCell::default(),
        }
    }

    /// Notes a step that ends now; it began when the one before it ended.
    pub fn note(&self, name: &str, decision: Decision, detail: String) {
        let now = self.now();
        let before = self.last.replace(now);
        self.steps.borrow_mut().push(Step {
            name: name.to_owned(),
            phase: Phase::Request,
            decision,
            detail,
            at_ms: now.saturating_sub(self.began),
            ms: now.saturating_sub(before),
            changes: Vec::new(),
        });
    }

    /// When the request began, Unix milliseconds.
    #[must_use]
    pub const fn began(&self) -> u64 {
        self.began
    }

    /// The time, Unix milliseconds.
    #[must_use]
    pub fn now(&self) -> u64 {
        (self.clock)()
    }

    /// True if a step has ended the request.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        let steps = self.steps.borrow();
        steps.iter().any(|step| step.decision == Decision::Refused)
    }

    /// The steps, in their order; none are left.
    #[must_use]
    pub fn take(&self) -> Vec<Step> {
        self.steps.take()
    }
}

//! Other people's servers in memory.

use gatewright_controlplane::ports::{Egress, Fetched, Outgoing, Unfetched};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Servers that answer what a test says; all others can't be reached.
#[derive(Debug, Default)]
pub struct MemoryWeb {
    answers: RefCell<HashMap<String, Result<Fetched, Unfetched>>>,
    calls: RefCell<Vec<String>>,
    sent: RefCell<Vec<Outgoing>>,
    allows_private: Cell<bool>,
}

impl MemoryWeb {
    /// Sets what a URL answers.
    pub fn answer(&self, url: &str, answer: Result<Fetched, Unfetched>) {
        self.answers.borrow_mut().insert(url.to_owned(), answer);
    }

    /// Allows or forbids private networks.
    pub fn allow_private(&self, allow: bool) {
        self.allows_private.set(allow);
    }

    /// The requests that were sent since this was last asked.
    pub fn take_sent(&self) -> Vec<Outgoing> {
        self.sent.take()
    }

    /// The URLs that were called since this was last asked.
    pub fn take_calls(&self) -> Vec<String> {
        self.calls.take()
    }
}

impl Egress for MemoryWeb {
    fn allows_private(&self) -> bool {
        self.allows_private.get()
    }

    async fn get(&self, url: &str, max: usize) -> Result<Fetched, Unfetched> {
        self.calls.borrow_mut().push(url.to_owned());
        let answers = self.answers.borrow();
        let answer = answers.get(url).cloned();
        match answer.unwrap_or(Err(Unfetched::Unreachable)) {
            Ok(fetched) if fetched.body.len() > max => Err(Unfetched::TooLarge),
            answer => answer,
        }
    }

    async fn send(&self, outgoing: &Outgoing) -> Result<u16, Unfetched> {
        self.sent.borrow_mut().push(outgoing.clone());
        let answers = self.answers.borrow();
        let answer = answers.get(&outgoing.url).cloned();
        let answer = answer.unwrap_or(Err(Unfetched::Unreachable))?;
        Ok(answer.status)
    }
}

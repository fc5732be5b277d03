//! All Ledgers in memory, each with its storage.

use gatewright_dataplane::isolate::Direct;
use gatewright_ledger::object::{Learnt, Object};
use gatewright_ledger::upkeep::Stored;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::Consume;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// The value of `LEDGER_SHARDS`: as if they all lived in one object.
const SHARDS: u32 = 1;

/// The Ledgers by name.
#[derive(Debug, Default)]
pub struct Ledgers {
    objects: RefCell<BTreeMap<String, Object>>,
    stored: RefCell<BTreeMap<String, String>>,
    sessions: RefCell<BTreeMap<String, String>>,
    /// Whether the Registry has said that it knows no session that isn't here.
    settled: Cell<bool>,
}

impl Ledgers {
    fn with<T>(&self, name: &str, now: u64, run: impl FnOnce(&mut Object) -> T) -> T {
        let mut objects = self.objects.borrow_mut();
        let mut stored = self.stored.borrow_mut();
        let mut sessions = self.sessions.borrow_mut();
        let object = objects.entry(name.to_owned()).or_insert_with(|| {
            let text = stored.get(name).map(String::as_str);
            let session = sessions.get(name).map(String::as_str);
            Object::new(name, (text, session), now).expect("a state that was stored here")
        });
        let answer = run(object);
        let chores = object.chores(now);
        match chores.session {
            Some(session) if session.is_empty() => sessions.remove(name),
            Some(session) => sessions.insert(name.to_owned(), session),
            None => None,
        };
        match chores.store {
            Some(Stored::Nothing) => {
                stored.remove(name);
                sessions.remove(name);
            }
            Some(Stored::Text(text)) => {
                stored.insert(name.to_owned(), text);
                let number = object.stored_number();
                object.confirm(number, now);
            }
            None => {}
        }
        answer
    }

    /// Calls a Ledger; `registry` answers its queries.
    ///
    /// # Errors
    /// If the Registry fails.
    pub fn consume(
        &self,
        name: &str,
        message: &str,
        now: u64,
        registry: impl Fn(&str) -> Result<String, StoreError>,
    ) -> Result<String, StoreError> {
        self.settle(name, now, &registry, |object, settled| {
            object.consume(message, settled, now)
        })
    }

    /// Runs `event` on a Ledger, once it knows whether there is a session if it needs to.
    fn settle(
        &self,
        name: &str,
        now: u64,
        registry: &impl Fn(&str) -> Result<String, StoreError>,
        event: impl Fn(&mut Object, bool) -> Result<Option<String>, StoreError>,
    ) -> Result<String, StoreError> {
        let mut settled = self.settled.get();
        loop {
            let answer = self.with(name, now, |object| event(object, settled))?;
            if let Some(answer) = answer {
                return Ok(answer);
            }
            let question = self.with(name, now, |object| object.question(SHARDS))?;
            let answer = registry(&question)?;
            let learnt = self.with(name, now, |object| object.learn(&answer, now))?;
            assert!(
                !matches!(learnt, Learnt::Elsewhere(_)),
                "a session that is kept is here"
            );
            self.settled
                .set(self.settled.get() || learnt == Learnt::Settled);
            settled = true;
        }
    }

    /// Looks up a session at a Ledger, and at those of the message's other ids if it has none; `registry` answers
    /// their queries.
    ///
    /// # Errors
    /// If the Registry fails.
    pub fn find(
        &self,
        name: &str,
        message: &str,
        now: u64,
        registry: impl Fn(&str) -> Result<String, StoreError>,
    ) -> Result<String, StoreError> {
        let find = |name: &str| {
            self.settle(name, now, &registry, |object, settled| {
                Ok(object.find(settled, now))
            })
        };
        let own = find(name)?;
        if !own.is_empty() {
            return Ok(own);
        }
        for other in message.lines().skip(1).filter(|other| *other != name) {
            let answer = find(other)?;
            if !answer.is_empty() {
                return Ok(answer);
            }
        }
        Ok(own)
    }

    /// Keeps a revision of a session, or its end ([`Object::keep`]). Returns the counters of a session that has ended,
    /// and for how many milliseconds the response to the write has to wait.
    ///
    /// # Errors
    /// If the message or the counters can't be read.
    pub fn keep(
        &self,
        name: &str,
        message: &str,
        counters: &str,
        now: u64,
    ) -> Result<(String, u64), StoreError> {
        self.with(name, now, |object| object.keep(message, counters, now))
    }

    /// Returns the session of a Ledger as a reply of the Registry, if it has one.
    pub fn kept(&self, name: &str, now: u64) -> Option<String> {
        self.with(name, now, |object| object.kept())
    }

    /// Counts on a Ledger's object without a call, if it exists and allows it ([`Object::count_directly`]).
    pub fn count_directly(&self, name: &str, ask: &Consume, now: u64) -> Direct {
        let mut objects = self.objects.borrow_mut();
        let Some(object) = objects.get_mut(name) else {
            return Direct::Elsewhere;
        };
        let verdict = object.count_directly(ask, now);
        verdict.map_or(Direct::Call, Direct::Answered)
    }

    /// Drops the copy of a session, as a Registry of the previous release asks after a write. Returns for how many
    /// milliseconds its response has to wait.
    pub fn release(&self, name: &str, now: u64) -> u64 {
        self.with(name, now, |object| object.release(now))
    }

    /// Returns the counters of a Ledger; an empty text for none.
    pub fn take_counters(&self, name: &str, now: u64) -> String {
        let taken = self.with(name, now, |object| object.take_counters(now));
        taken.unwrap_or_default()
    }

    /// Replaces the counters of a Ledger by those of another one.
    ///
    /// # Errors
    /// If they can't be read.
    pub fn put_counters(&self, name: &str, counters: &str, now: u64) -> Result<(), StoreError> {
        self.with(name, now, |object| object.put_counters(counters, now))
    }

    /// Returns the names of the Ledgers that have anything stored, other than the end of a session.
    #[must_use]
    pub fn stored(&self) -> Vec<String> {
        let stored = self.stored.borrow();
        let stored = stored.iter();
        let stored = stored.filter(|(_, state)| !state.contains(",\"gone\":"));
        stored.map(|(name, _)| name.clone()).collect()
    }

    /// Returns the sessions that they have stored, one after the other.
    #[must_use]
    pub fn sessions(&self) -> String {
        let sessions = self.sessions.borrow();
        sessions.values().map(String::as_str).collect()
    }

    /// Ends all of them; each restarts from what it has stored.
    pub fn restart(&self) {
        self.objects.borrow_mut().clear();
    }
}

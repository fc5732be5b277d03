//! All Ledgers in memory, each with its storage.

use gatewright_dataplane::isolate::Direct;
use gatewright_ledger::object::Object;
use gatewright_ledger::upkeep::Stored;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::Consume;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The Ledgers by name.
#[derive(Debug, Default)]
pub struct Ledgers {
    objects: RefCell<BTreeMap<String, Object>>,
    stored: RefCell<BTreeMap<String, String>>,
    copies: RefCell<BTreeMap<String, String>>,
}

impl Ledgers {
    fn with<T>(&self, name: &str, now: u64, run: impl FnOnce(&mut Object) -> T) -> T {
        let mut objects = self.objects.borrow_mut();
        let mut stored = self.stored.borrow_mut();
        let mut copies = self.copies.borrow_mut();
        let object = objects.entry(name.to_owned()).or_insert_with(|| {
            let text = stored.get(name).map(String::as_str);
            let copy = copies.get(name).map(String::as_str);
            Object::new(name, (text, copy), now).expect("a state that was stored here")
        });
        let answer = run(object);
        let chores = object.keep(now);
        match chores.copy {
            Some(copy) if copy.is_empty() => copies.remove(name),
            Some(copy) => copies.insert(name.to_owned(), copy),
            None => None,
        };
        match chores.store {
            Some(Stored::Nothing) => {
                stored.remove(name);
                copies.remove(name);
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
        if let Some(answer) = self.with(name, now, |object| object.consume(message, now))? {
            return Ok(answer);
        }
        loop {
            let epoch = self.with(name, now, |object| object.epoch());
            let given_up = self.with(name, now, |object| object.given_up(now));
            let question = self.with(name, now, |object| object.question(&given_up))?;
            let answer = registry(&question)?;
            let both = (given_up.as_str(), answer.as_str());
            let learnt = |object: &mut Object| object.learn(epoch, both, message, now);
            if let Some(answer) = self.with(name, now, learnt)? {
                return Ok(answer);
            }
        }
    }

    /// Looks up a key's session at a Ledger; `registry` answers the message if it does not know the session.
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
        let find = |object: &mut Object| (object.epoch(), object.find(now));
        let (epoch, known) = self.with(name, now, find);
        if let Some(answer) = known {
            return Ok(answer);
        }
        let answer = registry(message)?;
        self.with(name, now, |object| object.learn_found(epoch, &answer, now));
        Ok(answer)
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

    /// Starts a write of a session.
    pub fn hold(&self, name: &str, write: &str, now: u64) {
        self.with(name, now, |object| object.hold(write, now));
    }

    /// Ends a write. Returns for how many milliseconds its response has to wait.
    pub fn release(&self, name: &str, write: &str, now: u64) -> u64 {
        self.with(name, now, |object| object.release(write, now))
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

    /// Returns the names of the Ledgers that have anything stored.
    #[must_use]
    pub fn stored(&self) -> Vec<String> {
        self.stored.borrow().keys().cloned().collect()
    }

    /// Ends all of them; each restarts from what it has stored.
    pub fn restart(&self) {
        self.objects.borrow_mut().clear();
    }
}

//! What counts for a key, an organisation or an API: the [`Object`](gatewright_ledger::object::Object), one of
//! many owners in a Durable Object of `objects/ledger.js`, which stores what this says and asks the Registry
//! what this asks.
//!
//! One that lives in the isolate of a request is counted on directly ([`count_directly`]): on one machine
//! all do, and a call costs more than everything else that is done for a request.

use gatewright_dataplane::isolate::Direct;
use gatewright_ledger::object::Object;
use gatewright_ledger::upkeep::{self, Stored};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::Consume;
use gatewright_worker_platform::time::now_ms;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use wasm_bindgen::prelude::*;
use worker::console_error;

thread_local! {
    /// The objects of this isolate by their names, the last one that was made of each. One that is gone is
    /// only no longer held.
    static OBJECTS: RefCell<HashMap<String, Weak<RefCell<Object>>>> = RefCell::default();
}

/// Objects that are remembered before those that are gone are looked for.
const REMEMBERED: usize = 1024;

fn remember(name: &str, object: &Rc<RefCell<Object>>) {
    OBJECTS.with_borrow_mut(|objects| {
        // At powers of two: looking through all costs no more than they have cost to make.
        if objects.len() >= REMEMBERED && objects.len().is_power_of_two() {
            objects.retain(|_, object| object.strong_count() > 0);
        }
        objects.insert(name.to_owned(), Rc::downgrade(object));
    });
}

/// Counts at the Ledger of this name, if its object lives here and lets ([`Object::count_directly`]). One that
/// no call has reached lately may live elsewhere by now.
pub(crate) fn count_directly(name: &str, ask: &Consume) -> Direct {
    let object = OBJECTS.with_borrow(|objects| objects.get(name)?.upgrade());
    let Some(object) = object else {
        return Direct::Elsewhere;
    };
    let (mut object, now) = (object.borrow_mut(), now_ms());
    match object.count_directly(ask, now) {
        Some(verdict) => Direct::Answered(verdict),
        None if object.lives_here(now) => Direct::Call,
        None => Direct::Elsewhere,
    }
}

/// A Ledger. Times are Unix milliseconds.
#[wasm_bindgen]
pub struct Ledger {
    object: Rc<RefCell<Object>>,
}

/// The clock's milliseconds as the number they are.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time after 1970, far below 2^53"
)]
fn ms(now: f64) -> u64 {
    now as u64
}

fn js_error(error: &StoreError) -> JsError {
    console_error!("ledger: {error}");
    JsError::new(&error.to_string())
}

#[wasm_bindgen]
impl Ledger {
    /// The Ledger of this name with what it has stored.
    ///
    /// # Errors
    /// If that can't be read.
    #[wasm_bindgen(constructor)]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "JavaScript gives its values away"
    )]
    pub fn new(name: &str, stored: Option<String>, now: f64) -> Result<Self, JsError> {
        let object = Object::new(name, stored.as_deref(), ms(now));
        let object = object.map_err(|error| js_error(&error))?;
        let object = Rc::new(RefCell::new(object));
        remember(name, &object);
        Ok(Self { object })
    }

    /// Answers an isolate; nothing if the Registry has to be asked first.
    ///
    /// # Errors
    /// If the message is not of this release.
    pub fn consume(&self, message: &str, now: f64) -> Result<Option<String>, JsError> {
        let mut object = self.object.borrow_mut();
        object
            .consume(message, ms(now))
            .map_err(|error| js_error(&error))
    }

    /// The number that [`Self::learn`] wants back.
    #[wasm_bindgen(getter)]
    pub fn epoch(&self) -> f64 {
        // Counts writes of one session, far below 2^53.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let epoch = self.object.borrow().epoch() as f64;
        epoch
    }

    /// The names of the writes that the Registry has to refuse from now on, a line each.
    #[wasm_bindgen(js_name = givenUp)]
    pub fn given_up(&self, now: f64) -> String {
        self.object.borrow().given_up(ms(now))
    }

    /// What the Registry has to be asked.
    ///
    /// # Errors
    /// If this is the Ledger of an API.
    pub fn question(&self, given_up: &str) -> Result<String, JsError> {
        let question = self.object.borrow().question(given_up);
        question.map_err(|error| js_error(&error))
    }

    /// Takes the Registry's answer; nothing if it has to be asked once more.
    ///
    /// # Errors
    /// If a message is not of this release.
    pub fn learn(
        &self,
        epoch: f64,
        given_up: &str,
        answer: &str,
        message: &str,
        now: f64,
    ) -> Result<Option<String>, JsError> {
        let mut object = self.object.borrow_mut();
        let learnt = object.learn(ms(epoch), (given_up, answer), message, ms(now));
        learnt.map_err(|error| js_error(&error))
    }

    /// A write of the session begins, under a name that no other one has.
    pub fn hold(&self, write: &str, now: f64) {
        self.object.borrow_mut().hold(write, ms(now));
    }

    /// It has ended. Answers for how many milliseconds its answer has to wait.
    pub fn release(&self, write: &str, now: f64) -> u32 {
        let ms = self.object.borrow_mut().release(write, self::ms(now));
        u32::try_from(ms).unwrap_or(u32::MAX)
    }

    /// The counters as they stand; nothing if there are none.
    #[wasm_bindgen(js_name = takeCounters)]
    pub fn take_counters(&self, now: f64) -> Option<String> {
        self.object.borrow_mut().take_counters(ms(now))
    }

    /// Counts on from those of another one.
    ///
    /// # Errors
    /// If they can't be read.
    #[wasm_bindgen(js_name = putCounters)]
    pub fn put_counters(&self, counters: &str, now: f64) -> Result<(), JsError> {
        let put = self.object.borrow_mut().put_counters(counters, ms(now));
        put.map_err(|error| js_error(&error))
    }

    /// What is stored of it where it lives from now on; nothing if there is nothing.
    #[wasm_bindgen(js_name = giveUp)]
    pub fn give_up(&self, now: f64) -> Option<String> {
        self.object.borrow_mut().give_up(ms(now))
    }

    /// True if it may be forgotten until somebody comes.
    #[wasm_bindgen(js_name = isIdle)]
    pub fn is_idle(&self, now: f64) -> bool {
        self.object.borrow().is_idle(ms(now))
    }

    /// What to do before an answer leaves; nothing if there is nothing.
    pub fn keep(&self, now: f64) -> Option<Chores> {
        let chores = self.object.borrow_mut().keep(ms(now));
        self.chores(chores)
    }

    /// What to do when [`Chores::wake_after`] has passed.
    pub fn woken(&self, now: f64) -> Option<Chores> {
        let chores = self.object.borrow_mut().woken(ms(now));
        self.chores(chores)
    }

    /// What to do when the alarm rings.
    pub fn rung(&self, now: f64) -> Option<Chores> {
        let chores = self.object.borrow_mut().rung(ms(now));
        self.chores(chores)
    }

    /// Says that the state with the number of [`Chores::number`] is on the disk.
    pub fn confirm(&self, number: f64, now: f64) {
        self.object.borrow_mut().confirm(ms(number), ms(now));
    }

    fn chores(&self, chores: upkeep::Chores) -> Option<Chores> {
        (!chores.is_empty()).then(|| written(chores, self.object.borrow().stored_number()))
    }
}

fn written(chores: upkeep::Chores, stored_number: u64) -> Chores {
    #[expect(
        clippy::cast_precision_loss,
        reason = "times and numbers are far below 2^53"
    )]
    let number = |at: u64| at as f64;
    Chores {
        number: number(stored_number),
        deletes: chores.store == Some(Stored::Nothing),
        wake_after: chores.wake_after.map(number),
        alarm_at: chores.alarm_at.map(number),
        store: match chores.store {
            Some(Stored::Text(text)) => Some(text),
            Some(Stored::Nothing) | None => None,
        },
    }
}

/// [`upkeep::Chores`] for JavaScript.
#[wasm_bindgen]
pub struct Chores {
    /// The state to store.
    #[wasm_bindgen(getter_with_clone)]
    pub store: Option<String>,
    /// Its number, for [`Ledger::confirm`].
    pub number: f64,
    /// True if everything that is stored has to go.
    pub deletes: bool,
    /// After how many milliseconds [`Ledger::woken`] is due.
    #[wasm_bindgen(js_name = wakeAfter)]
    pub wake_after: Option<f64>,
    /// When the alarm has to ring.
    #[wasm_bindgen(js_name = alarmAt)]
    pub alarm_at: Option<f64>,
}

//! The counters of a key, an organisation or an API: the [`Object`](gatewright_ledger::object::Object), one of many
//! owners in a Durable Object of `objects/ledger.js`, which stores its state and forwards its questions to the
//! Registry.
//!
//! One that lives in the isolate of a request is counted on directly ([`count_directly`]): on one machine all of them
//! do, and a call would cost more than everything else that is done for a request.

use gatewright_dataplane::isolate::Direct;
use gatewright_ledger::object::Object;
use gatewright_ledger::upkeep::{self, Stored};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::Consume;
use gatewright_worker_platform::time::{now_ms, to_millis};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use wasm_bindgen::prelude::*;
use worker::console_error;

thread_local! {
    /// The objects of this isolate by name, the latest one created of each. One that was dropped just can't be upgraded
    /// any more.
    static OBJECTS: RefCell<HashMap<String, Weak<RefCell<Object>>>> = RefCell::default();
}

/// With this many objects in the map, dropped ones are searched for and removed.
const REMEMBERED: usize = 1024;

fn remember(name: &str, object: &Rc<RefCell<Object>>) {
    OBJECTS.with_borrow_mut(|objects| {
        // Only at powers of two, so that searching costs no more in total than creating the objects did.
        if objects.len() >= REMEMBERED && objects.len().is_power_of_two() {
            objects.retain(|_, object| object.strong_count() > 0);
        }
        objects.insert(name.to_owned(), Rc::downgrade(object));
    });
}

/// Counts at the Ledger of this name, if its object lives here and allows it ([`Object::count_directly`]). An object
/// that no call has reached recently may live elsewhere by now.
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

fn js_error(error: &StoreError) -> JsError {
    console_error!("ledger: {error}");
    JsError::new(&error.to_string())
}

#[wasm_bindgen]
impl Ledger {
    /// Opens the Ledger of this name with its stored state and the stored copy of its session.
    ///
    /// # Errors
    /// If the state can't be read.
    #[wasm_bindgen(constructor)]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "JavaScript gives its values away"
    )]
    pub fn new(
        name: &str,
        stored: Option<String>,
        copy: Option<String>,
        now: f64,
    ) -> Result<Self, JsError> {
        let object = Object::new(name, (stored.as_deref(), copy.as_deref()), to_millis(now));
        let object = object.map_err(|error| js_error(&error))?;
        let object = Rc::new(RefCell::new(object));
        remember(name, &object);
        Ok(Self { object })
    }

    /// Answers an isolate; `None` if the Registry has to be asked first.
    ///
    /// # Errors
    /// If the message can't be read by this release.
    pub fn consume(&self, message: &str, now: f64) -> Result<Option<String>, JsError> {
        let mut object = self.object.borrow_mut();
        object
            .consume(message, to_millis(now))
            .map_err(|error| js_error(&error))
    }

    /// Returns the number that [`Self::learn`] expects back.
    #[wasm_bindgen(getter)]
    pub fn epoch(&self) -> f64 {
        // It counts the writes of one session, far below 2^53.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let epoch = self.object.borrow().epoch() as f64;
        epoch
    }

    /// Returns the names of the writes that the Registry must refuse from now on, one per line.
    #[wasm_bindgen(js_name = givenUp)]
    pub fn given_up(&self, now: f64) -> String {
        self.object.borrow().given_up(to_millis(now))
    }

    /// Returns the question for the Registry.
    ///
    /// # Errors
    /// If this is the Ledger of an API.
    pub fn question(&self, given_up: &str) -> Result<String, JsError> {
        let question = self.object.borrow().question(given_up);
        question.map_err(|error| js_error(&error))
    }

    /// Takes the Registry's reply and answers the isolate; `None` if the Registry has to be asked again.
    ///
    /// # Errors
    /// If a message can't be read by this release.
    pub fn learn(
        &self,
        epoch: f64,
        given_up: &str,
        answer: &str,
        message: &str,
        now: f64,
    ) -> Result<Option<String>, JsError> {
        let mut object = self.object.borrow_mut();
        let learnt = object.learn(
            to_millis(epoch),
            (given_up, answer),
            message,
            to_millis(now),
        );
        learnt.map_err(|error| js_error(&error))
    }

    /// Answers a lookup of the session; `None` if the Registry has to be asked.
    pub fn find(&self, now: f64) -> Option<String> {
        self.object.borrow_mut().find(to_millis(now))
    }

    /// Takes the Registry's reply to a lookup.
    #[wasm_bindgen(js_name = learnFound)]
    pub fn learn_found(&self, epoch: f64, answer: &str, now: f64) {
        let mut object = self.object.borrow_mut();
        object.learn_found(to_millis(epoch), answer, to_millis(now));
    }

    /// Starts a hold for a write of the session; its name is unique.
    pub fn hold(&self, write: &str, now: f64) {
        self.object.borrow_mut().hold(write, to_millis(now));
    }

    /// Ends the hold. Returns how many milliseconds the reply to the write has to wait.
    pub fn release(&self, write: &str, now: f64) -> u32 {
        let ms = self.object.borrow_mut().release(write, to_millis(now));
        u32::try_from(ms).unwrap_or(u32::MAX)
    }

    /// Returns the current counters; `None` if there are none.
    #[wasm_bindgen(js_name = takeCounters)]
    pub fn take_counters(&self, now: f64) -> Option<String> {
        self.object.borrow_mut().take_counters(to_millis(now))
    }

    /// Continues from the counters of another Ledger.
    ///
    /// # Errors
    /// If they can't be read.
    #[wasm_bindgen(js_name = putCounters)]
    pub fn put_counters(&self, counters: &str, now: f64) -> Result<(), JsError> {
        let put = self
            .object
            .borrow_mut()
            .put_counters(counters, to_millis(now));
        put.map_err(|error| js_error(&error))
    }

    /// Returns the state to store where the owner lives from now on, if there is any.
    #[wasm_bindgen(js_name = giveUp)]
    pub fn give_up(&self, now: f64) -> Option<String> {
        self.object.borrow_mut().give_up(to_millis(now))
    }

    /// Whether it may be dropped from memory until the next call.
    #[wasm_bindgen(js_name = isIdle)]
    pub fn is_idle(&self, now: f64) -> bool {
        self.object.borrow().is_idle(to_millis(now))
    }

    /// Returns what must be done before a reply leaves, if anything.
    pub fn keep(&self, now: f64) -> Option<Chores> {
        let chores = self.object.borrow_mut().keep(to_millis(now));
        self.chores(chores)
    }

    /// Returns what must be done once [`Chores::wake_after`] has passed.
    pub fn woken(&self, now: f64) -> Option<Chores> {
        let chores = self.object.borrow_mut().woken(to_millis(now));
        self.chores(chores)
    }

    /// Returns what must be done when the alarm fires.
    pub fn rung(&self, now: f64) -> Option<Chores> {
        let chores = self.object.borrow_mut().rung(to_millis(now));
        self.chores(chores)
    }

    /// Confirms that the state numbered [`Chores::number`] is on disk.
    pub fn confirm(&self, number: f64, now: f64) {
        self.object
            .borrow_mut()
            .confirm(to_millis(number), to_millis(now));
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
        copy: chores.copy,
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
    /// The copy of the session to store; an empty text to delete the stored one.
    #[wasm_bindgen(getter_with_clone)]
    pub copy: Option<String>,
    /// Its number, for [`Ledger::confirm`].
    pub number: f64,
    /// Whether everything stored must be deleted.
    pub deletes: bool,
    /// The milliseconds after which [`Ledger::woken`] is due.
    #[wasm_bindgen(js_name = wakeAfter)]
    pub wake_after: Option<f64>,
    /// When the alarm must fire.
    #[wasm_bindgen(js_name = alarmAt)]
    pub alarm_at: Option<f64>,
}

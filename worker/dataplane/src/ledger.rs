//! The counters of a key, an organisation or an API: the [`Object`](gatewright_ledger::object::Object), one of many
//! owners in a Durable Object of `objects/ledger.js`, which stores its state and its session, and forwards its questions
//! to the Registry.
//!
//! One that lives in the isolate of a request is counted on directly ([`count_directly`]): on one machine all of them
//! do, and a call would cost more than everything else that is done for a request.

use gatewright_dataplane::isolate::Direct;
use gatewright_ledger::object::{Learnt, Object};
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
    /// Opens the Ledger of this name with its stored state and its stored session.
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
        session: Option<String>,
        now: f64,
    ) -> Result<Self, JsError> {
        let object = Object::new(
            name,
            (stored.as_deref(), session.as_deref()),
            to_millis(now),
        );
        let object = object.map_err(|error| js_error(&error))?;
        let object = Rc::new(RefCell::new(object));
        remember(name, &object);
        Ok(Self { object })
    }

    /// Answers an isolate; `None` if the Registry has to be asked first, unless that is settled.
    ///
    /// # Errors
    /// If the message can't be read by this release.
    pub fn consume(
        &self,
        message: &str,
        settled: bool,
        now: f64,
    ) -> Result<Option<String>, JsError> {
        let mut object = self.object.borrow_mut();
        object
            .consume(message, settled, to_millis(now))
            .map_err(|error| js_error(&error))
    }

    /// Returns the question for the Registry, from an object for this value of `LEDGER_SHARDS`.
    ///
    /// # Errors
    /// If this is the Ledger of an API.
    pub fn question(&self, shards: u32) -> Result<String, JsError> {
        let question = self.object.borrow().question(shards);
        question.map_err(|error| js_error(&error))
    }

    /// Takes the Registry's reply. Returns `settled` if every session is where it belongs, or the values of
    /// `LEDGER_SHARDS` for whose objects this one may live, separated by commas.
    ///
    /// # Errors
    /// If the reply can't be read by this release.
    pub fn learn(&self, answer: &str, now: f64) -> Result<Option<String>, JsError> {
        let learnt = self.object.borrow_mut().learn(answer, to_millis(now));
        Ok(match learnt.map_err(|error| js_error(&error))? {
            Learnt::Done => None,
            Learnt::Settled => Some("settled".to_owned()),
            Learnt::Elsewhere(shards) => Some(shards),
        })
    }

    /// Answers a lookup of the session, with an empty text if there is none; `None` if the Registry has to be asked first,
    /// unless that is settled.
    pub fn find(&self, settled: bool, now: f64) -> Option<String> {
        self.object.borrow_mut().find(settled, to_millis(now))
    }

    /// Keeps what the Registry hands over. Returns for how many milliseconds the reply has to wait and, after a space,
    /// the counters of a session that has ended.
    ///
    /// # Errors
    /// If the message or the counters can't be read.
    pub fn keep(&self, message: &str, counters: &str, now: f64) -> Result<String, JsError> {
        let mut object = self.object.borrow_mut();
        let kept = object.keep(message, counters, to_millis(now));
        let (counters, ms) = kept.map_err(|error| js_error(&error))?;
        Ok(format!("{ms} {counters}"))
    }

    /// Returns the session as a reply of the Registry, if there is one.
    pub fn kept(&self) -> Option<String> {
        self.object.borrow().kept()
    }

    /// Drops a copy of the session. Returns how many milliseconds the reply to its write has to wait.
    pub fn release(&self, now: f64) -> u32 {
        let ms = self.object.borrow_mut().release(to_millis(now));
        u32::try_from(ms).unwrap_or(u32::MAX)
    }

    /// Returns the current counters; `None` if there are none.
    #[wasm_bindgen(js_name = takeCounters)]
    pub fn take_counters(&self, now: f64) -> Option<String> {
        self.object.borrow().take_counters(to_millis(now))
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

    /// Returns the state to store where the owner lives from now on, if there is any, and behind it the session, on
    /// lines of its own.
    #[wasm_bindgen(js_name = giveUp)]
    pub fn give_up(&self, now: f64) -> Option<String> {
        let (state, session) = self.object.borrow_mut().give_up(to_millis(now))?;
        Some(format!("{state}\n{session}"))
    }

    /// Whether it may be dropped from memory until the next call.
    #[wasm_bindgen(js_name = isIdle)]
    pub fn is_idle(&self, now: f64) -> bool {
        self.object.borrow().is_idle(to_millis(now))
    }

    /// Returns what must be done before a reply leaves, if anything.
    pub fn chores(&self, now: f64) -> Option<Chores> {
        let chores = self.object.borrow_mut().chores(to_millis(now));
        self.written(chores)
    }

    /// Returns what must be done once [`Chores::wake_after`] has passed.
    pub fn woken(&self, now: f64) -> Option<Chores> {
        let chores = self.object.borrow_mut().woken(to_millis(now));
        self.written(chores)
    }

    /// Returns what must be done when the alarm fires.
    pub fn rung(&self, now: f64) -> Option<Chores> {
        let chores = self.object.borrow_mut().rung(to_millis(now));
        self.written(chores)
    }

    /// Confirms that the state numbered [`Chores::number`] is on disk.
    pub fn confirm(&self, number: f64, now: f64) {
        self.object
            .borrow_mut()
            .confirm(to_millis(number), to_millis(now));
    }

    fn written(&self, chores: upkeep::Chores) -> Option<Chores> {
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
        session: chores.session,
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
    /// The session to store; an empty text to delete the stored one.
    #[wasm_bindgen(getter_with_clone)]
    pub session: Option<String>,
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

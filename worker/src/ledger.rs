//! The Durable Object that counts for a key, an organisation or an API: the
//! [`Object`](gatewright_ledger::object::Object) for the class of the same name in
//! `entry.js`, which stores what this says and asks the Registry what this asks.

use gatewright_ledger::object::Object;
use gatewright_protocol::error::StoreError;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use worker::console_error;

/// A Ledger. Times are Unix milliseconds.
#[wasm_bindgen]
pub struct Ledger {
    object: RefCell<Object>,
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

fn told(error: &StoreError) -> JsError {
    console_error!("ledger: {error}");
    JsError::new(&error.to_string())
}

#[wasm_bindgen]
impl Ledger {
    /// The Ledger of this name with what it has stored.
    #[wasm_bindgen(constructor)]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "JavaScript gives its values away"
    )]
    pub fn new(name: &str, stored: Option<String>, now: f64) -> Self {
        Self {
            object: RefCell::new(Object::new(name, stored.as_deref(), ms(now))),
        }
    }

    /// Answers an isolate; nothing if the Registry has to be asked first.
    ///
    /// # Errors
    /// If the message is none of this release.
    pub fn consume(&self, message: &str, now: f64) -> Result<Option<String>, JsError> {
        let mut object = self.object.borrow_mut();
        object
            .consume(message, ms(now))
            .map_err(|error| told(&error))
    }

    /// The number that [`Self::learn`] wants back.
    #[wasm_bindgen(getter)]
    pub fn epoch(&self) -> f64 {
        // Counts writes of one session, far below 2^53.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let epoch = self.object.borrow().epoch() as f64;
        epoch
    }

    /// What the Registry has to be asked.
    ///
    /// # Errors
    /// If this is the Ledger of an API.
    pub fn question(&self) -> Result<String, JsError> {
        self.object
            .borrow()
            .question()
            .map_err(|error| told(&error))
    }

    /// Takes the Registry's answer; nothing if it has to be asked once more.
    ///
    /// # Errors
    /// If a message is none of this release.
    pub fn learn(
        &self,
        epoch: f64,
        answer: &str,
        message: &str,
        now: f64,
    ) -> Result<Option<String>, JsError> {
        let mut object = self.object.borrow_mut();
        let learnt = object.learn(ms(epoch), answer, message, ms(now));
        learnt.map_err(|error| told(&error))
    }

    /// A write of the session begins.
    pub fn hold(&self, now: f64) {
        self.object.borrow_mut().hold(ms(now));
    }

    /// It has ended.
    pub fn release(&self) {
        self.object.borrow_mut().release();
    }

    /// What to store before an answer leaves; an empty text for nothing at all.
    #[wasm_bindgen(js_name = toStore)]
    pub fn to_store(&self, now: f64) -> Option<String> {
        self.object.borrow_mut().to_store(ms(now))
    }

    /// When to look whether anything is left to be stored, if ever.
    #[wasm_bindgen(js_name = emptyAt)]
    pub fn empty_at(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a time, far below 2^53")]
        let at = self.object.borrow().empty_at()? as f64;
        Some(at)
    }

    /// What to store after a pause.
    pub fn settle(&self) -> Option<String> {
        self.object.borrow_mut().settle()
    }
}

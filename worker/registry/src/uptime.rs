//! The object that tests upstreams: `objects/uptime.js` runs the tests; this decides which ones, and takes their
//! results.

use crate::sql::ObjectSql;
use gatewright_controlplane::config::UptimeConfig;
use gatewright_controlplane::uptime::Uptime as Tests;
use gatewright_protocol::error::StoreError;
use gatewright_worker_platform::time::to_millis;
use gatewright_worker_platform::variable;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use worker::worker_sys::DurableObjectState;
use worker::{Env, State, console_log};

/// The uptime tests. Times are Unix milliseconds.
#[wasm_bindgen]
pub struct Uptime(RefCell<Tests>);

fn failed(error: &StoreError) -> JsError {
    JsError::new(&error.to_string())
}

#[expect(clippy::cast_precision_loss, reason = "numbers are far below 2^53")]
const fn number(millis: u64) -> f64 {
    millis as f64
}

#[wasm_bindgen]
impl Uptime {
    /// Opens the object over its storage.
    ///
    /// # Errors
    /// If its tables can't be read or created.
    #[wasm_bindgen(constructor)]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "JavaScript gives its values away"
    )]
    pub fn new(state: DurableObjectState, env: Env) -> Result<Self, JsError> {
        let sql = ObjectSql::new(State::from(state).storage());
        let config = UptimeConfig::read(|name| variable(&env, name));
        let tests = Tests::open(sql, config).map_err(|error| failed(&error))?;
        Ok(Self(RefCell::new(tests)))
    }

    /// See [`Tests::ask`].
    ///
    /// # Errors
    /// If the message can't be serialised.
    pub fn ask(&self) -> Result<String, JsError> {
        self.0.borrow().ask().map_err(|error| failed(&error))
    }

    /// See [`Tests::apply`].
    ///
    /// # Errors
    /// If the reply can't be read, or the rows can't be written.
    pub fn apply(&self, answer: &str) -> Result<(), JsError> {
        let result = self.0.borrow_mut().apply(answer);
        result.map_err(|error| failed(&error))
    }

    /// See [`Tests::lists`].
    pub fn lists(&self, now: f64) -> String {
        self.0.borrow_mut().lists(to_millis(now))
    }

    /// See [`Tests::listed`].
    ///
    /// # Errors
    /// If the rows can't be written.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "JavaScript gives its values away"
    )]
    pub fn listed(&self, api: &str, answer: Option<String>) -> Result<bool, JsError> {
        let listed = self.0.borrow_mut().listed(api, answer.as_deref());
        listed.map_err(|error| failed(&error))
    }

    /// See [`Tests::due`].
    ///
    /// # Errors
    /// If the tests can't be serialised.
    pub fn due(&self, now: f64) -> Result<String, JsError> {
        let due = self.0.borrow_mut().due(to_millis(now));
        due.map_err(|error| failed(&error))
    }

    /// See [`Tests::record_result`].
    ///
    /// # Errors
    /// If the result can't be read, or the rows can't be written.
    #[wasm_bindgen(js_name = recordResult)]
    pub fn record_result(
        &self,
        api: &str,
        url: &str,
        result: &str,
        at: f64,
        now: f64,
    ) -> Result<(), JsError> {
        let times = (to_millis(at), to_millis(now));
        let lines = self.0.borrow_mut().record_result((api, url), result, times);
        for line in lines.map_err(|error| failed(&error))? {
            console_log!("{line}");
        }
        Ok(())
    }

    /// See [`Tests::events`]. Returns the number and, on the next line, the message.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn events(&self) -> Result<Option<String>, JsError> {
        let events = self.0.borrow().events().map_err(|error| failed(&error))?;
        Ok(events.map(|(upto, message)| format!("{upto}\n{message}")))
    }

    /// See [`Tests::events_sent`].
    ///
    /// # Errors
    /// If the rows can't be written.
    #[wasm_bindgen(js_name = eventsSent)]
    pub fn events_sent(&self, upto: f64) -> Result<(), JsError> {
        let sent = self.0.borrow().events_sent(to_millis(upto));
        sent.map_err(|error| failed(&error))
    }

    /// See [`Tests::next`].
    pub fn next(&self) -> Option<f64> {
        self.0.borrow().next().map(number)
    }

    /// See [`Tests::down`].
    pub fn down(&self, org: &str) -> String {
        self.0.borrow().down(org)
    }

    /// See [`Tests::read`].
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn read(&self, api: &str, now: f64) -> Result<String, JsError> {
        let read = self.0.borrow().read(api, to_millis(now));
        read.map_err(|error| failed(&error))
    }
}

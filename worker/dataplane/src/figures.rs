//! What is counted about requests, and how it gets to the Meter, the Durable Object of `meter.js`.

use crate::isolate::Isolate;
use crate::leases;
use gatewright_dataplane::failure::Failure;
use gatewright_dataplane::snapshot::Api;
use gatewright_worker_platform::glue;
use gatewright_worker_platform::objects::call_meter;
use gatewright_worker_platform::time::{now_ms, to_millis};
use worker::{Context, Env, console_error};

impl Isolate {
    /// Returns the API's index in the figures of this isolate.
    pub(crate) fn api_index(&self, api: &Api) -> u32 {
        self.figures.borrow_mut().api_index(&api.definition.api_id)
    }

    /// Counts a response of the gateway itself.
    pub(crate) fn count_failed(&self, index: u32, failure: Failure) {
        self.figures.borrow_mut().failed(index, failure);
    }

    /// Counts an upstream's response to a request that was sent at this time, or one from the cache, for which nothing
    /// was sent. Returns what [`Self::is_due`] does: reading the clock costs more than either.
    pub(crate) fn count_answered(&self, index: u32, status: u16, sent: Option<f64>) -> bool {
        let now = js_sys::Date::now();
        let ms = sent.map(|sent| now - sent);
        self.figures.borrow_mut().answered(index, status, ms);
        self.was_due(now)
    }

    /// Whether figures, events or leases are waiting to be sent.
    pub(crate) fn is_due(&self) -> bool {
        self.was_due(js_sys::Date::now())
    }

    fn was_due(&self, now: f64) -> bool {
        self.figures.borrow().is_waiting(now)
            || self.outbox.borrow().is_waiting(to_millis(now))
            || self.leases.borrow().has_questions()
    }

    /// Returns true, once, if [`report`] has to be called.
    pub(crate) fn report_is_due(&self) -> bool {
        let period = f64::from(self.report_seconds) * 1000.0;
        let mut figures = self.figures.borrow_mut();
        figures.is_due(js_sys::Date::now(), period)
    }
}

/// Sends what has been counted some seconds later, after the response to a request has been sent: other requests will
/// have joined by then, and the last burst is sent as well.
pub(crate) fn report(env: &Env, context: &Context) {
    let env = env.clone();
    context.wait_until(async move {
        let isolate = Isolate::get(&env);
        glue::wait(f64::from(isolate.report_seconds) * 1000.0).await;
        isolate.leases.borrow_mut().report_ended(now_ms());
        leases::ask_all(&env).await;
        let report = isolate.figures.borrow_mut().take();
        if let Some(report) = report
            && let Err(error) = call_meter(&env, "add", &report).await
        {
            console_error!("figures: {error}");
        }
    });
}

//! The module that serves requests: event handlers and adapters between the platform and the data plane and
//! the Ledger. No rule lives here: what becomes of a request is decided in `gatewright-dataplane`, what
//! is counted in `gatewright-ledger`.
//!
//! `entry.js` is what the runtime loads. Its entry points here: [`route`] for a request that is only
//! sent on, [`is_administrative`] for one that is the other module's, [`fetch`] for every other one,
//! [`failed`] where an upstream could not be reached, and [`ledger::Ledger`]. [`seam`] has what the
//! administration asks of this module.

mod assets;
mod batch;
mod events;
mod figures;
mod gate;
mod isolate;
mod ledger;
mod plane;
mod respond;
pub mod seam;

use gatewright_dataplane::surface::Surface;
use gatewright_protocol::figures::tables;
use gatewright_protocol::headers;
use gatewright_worker_platform::glue;
use gatewright_worker_platform::url::Url;
use isolate::Isolate;
use wasm_bindgen::prelude::*;
use worker::{Context, Env, event, worker_sys};

/// True for a request that the administration answers.
#[wasm_bindgen(js_name = isAdministrative)]
#[must_use]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn is_administrative(url: &str, env: Env) -> bool {
    surface(&Isolate::get(&env), &Url::split(url)) == Surface::Administration
}

fn surface(isolate: &Isolate, url: &Url<'_>) -> Surface {
    Surface::of(&isolate.hosts, &url.authority, url.path)
}

/// Answers a request that is not the administration's.
#[event(fetch)]
async fn fetch(
    request: web_sys::Request,
    env: Env,
    context: Context,
) -> worker::Result<web_sys::Response> {
    let isolate = Isolate::get(&env);
    let head = glue::head(&request);
    let visit = Visit::new(&request, &head, &env, &context, &isolate);
    let response = match surface(&isolate, &visit.url) {
        Surface::Console => assets::serve(&visit).await,
        Surface::DataPlane | Surface::Administration => plane::serve(&visit).await,
    };
    if isolate.report_is_due() {
        figures::report(&env, &context);
    }
    response
}

/// The headers that end here, for `glue.js`.
#[wasm_bindgen(js_name = headerTable)]
#[must_use]
pub fn header_table() -> String {
    headers::lines()
}

/// How the Meter keeps what it is told, for `meter.js`.
#[wasm_bindgen(js_name = meterTables)]
#[must_use]
pub fn meter_tables() -> String {
    tables()
}

/// Where a request goes that only has to be sent on, or behind a `?` where its token is; nothing for
/// every other request, which [`fetch`] then answers.
#[wasm_bindgen]
pub fn route(method: &str, url: &str) -> Option<String> {
    plane::route(method, url)
}

/// Where the request is counted that [`route`] was asked about last.
#[wasm_bindgen]
pub fn place() -> u32 {
    Isolate::current().map_or(u32::MAX, |isolate| isolate.routed.get())
}

/// Counts the answer of an upstream to a request that was sent at this time. True if [`report`] has to
/// be called.
#[wasm_bindgen]
pub fn answered(place: u32, status: u16, sent: f64) -> bool {
    Isolate::current().is_some_and(|isolate| {
        isolate.count_answered(place, status, sent);
        isolate.report_is_due()
    })
}

/// True if [`report`] has to be called.
#[wasm_bindgen]
pub fn due() -> bool {
    Isolate::current().is_some_and(|isolate| isolate.report_is_due())
}

/// Sees to it that what has been counted reaches the Meter.
#[wasm_bindgen]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn report(env: Env, context: worker_sys::Context) {
    figures::report(&env, &Context::new(context));
}

/// What the Ledger is asked about a request with a key: its name, where the request goes then, and the
/// question, each on a line.
#[wasm_bindgen]
pub fn question(method: &str, url: &str, token: &str) -> Option<String> {
    plane::question(method, url, token)
}

/// Headers for the answer to a request that the Ledger has counted.
#[wasm_bindgen]
pub fn settle(question: &str, answer: &str, place: u32) -> Option<String> {
    plane::settle(question, answer, place)
}

/// The answer to a request that the Ledger has refused.
///
/// # Errors
/// If the runtime can't make a response.
#[wasm_bindgen]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn refuse(
    request: web_sys::Request,
    env: Env,
    context: worker::worker_sys::Context,
    question: &str,
    answer: &str,
    place: u32,
) -> Result<Option<web_sys::Response>, JsValue> {
    let Some(refusal) = plane::refused(question, answer, place) else {
        return Ok(None);
    };
    let isolate = Isolate::get(&env);
    let head = glue::head(&request);
    let context = Context::new(context);
    let visit = Visit::new(&request, &head, &env, &context, &isolate);
    events::refused(&visit, &refusal);
    Ok(Some(respond::refusal(&request, &refusal)?))
}

/// The answer to a request that [`route`] has sent to an upstream which could not be reached.
///
/// # Errors
/// If the runtime can't make a response.
#[wasm_bindgen]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn failed(
    request: web_sys::Request,
    error: JsValue,
    place: u32,
) -> Result<web_sys::Response, JsValue> {
    let failure = plane::upstream_failure(&error);
    if let Some(isolate) = Isolate::current() {
        isolate.count_failed(place, failure);
    }
    respond::failure(&request, failure).map_err(JsValue::from)
}

/// A request with everything that handling it needs.
struct Visit<'a> {
    request: &'a web_sys::Request,
    method: &'a str,
    url: Url<'a>,
    env: &'a Env,
    context: &'a Context,
    isolate: &'a Isolate,
}

impl<'a> Visit<'a> {
    /// `head` is what [`glue::head`] answers.
    fn new(
        request: &'a web_sys::Request,
        head: &'a str,
        env: &'a Env,
        context: &'a Context,
        isolate: &'a Isolate,
    ) -> Self {
        let (method, url) = head.split_once(' ').unwrap_or(("GET", head));
        Self {
            request,
            method,
            url: Url::split(url),
            env,
            context,
            isolate,
        }
    }

    /// A header's value; a name that is none has no value.
    fn header(&self, name: &str) -> Option<String> {
        self.request.headers().get(name).ok().flatten()
    }
}

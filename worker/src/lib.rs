//! Gatewright at the edge: the event handlers, and the adapters between the platform and the
//! engine. No rule lives here; what is decided is decided in `gatewright-engine`.
//!
//! `entry.js` is the module that the runtime loads. Its entry points here: [`route`] for a request
//! that is only sent on, [`fetch`] for every other one on both origins, [`failed`] where an
//! upstream could not be reached, and [`registry::Registry`], the Durable Object that owns the
//! documents.

mod alarm;
mod assets;
mod batch;
mod egress;
mod events;
mod figures;
mod gate;
mod glue;
mod isolate;
mod kv;
mod ledger;
mod plane;
mod platform;
mod registry;
mod respond;
mod rows;
mod url;

use gatewright_engine::admin;
use gatewright_engine::config::Origin;
use gatewright_engine::dashboard;
use isolate::Isolate;
use url::Url;
use wasm_bindgen::prelude::*;
use worker::{Context, Env, event, worker_sys};

/// Answers a request: by the origin it was sent to, then by its path.
#[event(fetch)]
async fn fetch(
    request: web_sys::Request,
    env: Env,
    context: Context,
) -> worker::Result<web_sys::Response> {
    let isolate = Isolate::get(&env);
    let head = glue::head(&request);
    let (method, url) = head.split_once(' ').unwrap_or(("GET", head.as_str()));
    let url = Url::split(url);
    let origin = isolate.hosts.origin(&url.authority);
    let visit = Visit {
        request: &request,
        method,
        url,
        env: &env,
        context: &context,
        isolate: &isolate,
    };
    let response = match origin {
        Origin::Gateway if admin::owns(visit.url.path) => platform::administer(&visit).await,
        Origin::Unknown if admin::is_probe(visit.url.path) => platform::administer(&visit).await,
        Origin::Gateway | Origin::Unknown => plane::serve(&visit).await,
        Origin::Console if admin::owns(visit.url.path) => platform::administer(&visit).await,
        Origin::Console if dashboard::owns(visit.url.path) => platform::dashboard(&visit).await,
        Origin::Console => assets::serve(&visit).await,
    };
    if isolate.report_is_due() {
        figures::report(&env, &context);
    }
    response
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
    let (method, url) = head.split_once(' ').unwrap_or(("GET", head.as_str()));
    let visit = Visit {
        request: &request,
        method,
        url: Url::split(url),
        env: &env,
        context: &Context::new(context),
        isolate: &isolate,
    };
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

impl Visit<'_> {
    /// A header's value; a name that is none has no value.
    fn header(&self, name: &str) -> Option<String> {
        self.request.headers().get(name).ok().flatten()
    }
}

/// The id under which the log speaks of a request: the client's own if it is a harmless one, so
/// that its log and ours can be read side by side.
fn request_id(sent: Option<&str>) -> String {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    match sent {
        Some(id) if (1..=64).contains(&id.len()) && id.bytes().all(token) => id.to_owned(),
        _ => glue::random_id(),
    }
}

//! What the administration calls in the data plane of its isolate, through the functions of `worker/src/seam.js`; texts
//! in and texts out.

use crate::isolate::Isolate;
use crate::{Visit, batch};
use gatewright_dataplane::batch::{Base, disabled};
use gatewright_dataplane::links::circuit_breakers;
use gatewright_dataplane::snapshot::Snapshot;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{decode, encode};
use gatewright_protocol::served::ServedAsk;
use gatewright_protocol::snapshot::Generation;
use gatewright_worker_platform::glue;
use gatewright_worker_platform::time::now_ms;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use worker::{Context, Env, console_error, worker_sys};

fn failed(error: &StoreError) -> JsError {
    JsError::new(&error.to_string())
}

/// Returns the set that this isolate serves, loading it first if necessary.
async fn snapshot(env: &Env) -> Option<Rc<Snapshot>> {
    let isolate = Isolate::get(env);
    let known = isolate.ensure(env).await.ok()?;
    // In an isolate that only administers, nothing else looks for a newer one.
    if !isolate.check_is_due() {
        return Some(known);
    }
    let looked = isolate.publication.look(&isolate.source(env)).await;
    if let Err(error) = looked {
        console_error!("look for a newer set: {error}");
    }
    Some(isolate.snapshot().unwrap_or(known))
}

/// Returns the generation of the set of APIs that this isolate serves, which may be empty; `None` before it has one.
#[wasm_bindgen(js_name = loadedGeneration)]
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    reason = "reloads are far fewer than 2^53"
)]
pub fn loaded_generation() -> Option<f64> {
    let snapshot = Isolate::current()?.snapshot()?;
    Some(snapshot.generation as f64)
}

/// Loads the published set unless one is loaded. Returns whether there is one then.
#[wasm_bindgen(js_name = ensureLoaded)]
pub async fn ensure_loaded(env: Env) -> bool {
    let loaded = Isolate::get(&env).ensure(&env).await;
    loaded
        .inspect_err(|error| console_error!("load: {error}"))
        .is_ok()
}

/// Loads a generation, a [`Generation`] as JSON, that has just been published.
///
/// # Errors
/// If KV can't be read or a chunk is broken. The previous set continues to be served.
#[wasm_bindgen(js_name = loadGeneration)]
pub async fn load_generation(env: Env, generation: String) -> Result<(), JsError> {
    let generation = Generation::read(&generation).map_err(|error| failed(&error))?;
    let isolate = Isolate::get(&env);
    let source = isolate.source(&env);
    let loaded = isolate.publication.take(&source, generation).await;
    loaded.map(drop).map_err(|error| failed(&error))
}

/// Takes the list of organisations that have a session, in its published form.
///
/// # Errors
/// If it is malformed.
#[wasm_bindgen(js_name = learnOrganisations)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn learn_organisations(env: Env, list: &str) -> Result<(), JsError> {
    let learnt = Isolate::get(&env).publication.learn_orgs(list);
    learnt.map_err(|error| failed(&error))
}

/// Answers another process of this machine about upstreams: the answer and, on the next line, what every process must
/// be sent first.
#[wasm_bindgen(js_name = answerUpstreams)]
#[must_use]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn answer_upstreams(env: Env, message: &str) -> String {
    let isolate = Isolate::get(&env);
    let mut upstreams = isolate.upstreams.borrow_mut();
    let (answer, news) = upstreams.answer(message, now_ms());
    format!("{answer}\n{news}")
}

/// Takes what every process is sent about upstreams.
#[wasm_bindgen(js_name = learnUpstreams)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn learn_upstreams(env: Env, news: &str) {
    Isolate::get(&env).upstreams.borrow_mut().learn(news);
}

/// Takes what this isolate has counted since its last report.
#[wasm_bindgen(js_name = takeFigures)]
#[must_use]
pub fn take_figures() -> Option<String> {
    Isolate::current()?.figures.borrow_mut().take()
}

/// False if no API of the set that this isolate serves listens to events of keys; true if one does, or if that would
/// have to be looked up first.
#[wasm_bindgen(js_name = mayHaveTokenListeners)]
#[must_use]
pub fn may_have_token_listeners() -> bool {
    let now = js_sys::Date::now();
    let known = Isolate::current().filter(|isolate| !isolate.check_would_be_due(now));
    let set = known.and_then(|isolate| isolate.snapshot());
    set.is_none_or(|set| set.hears_of_tokens)
}

/// Answers a [`ServedAsk`] with what is [`served`](gatewright_protocol::served::Served); `None` if no set can be
/// loaded.
#[wasm_bindgen]
pub async fn served(env: Env, ask: String) -> Option<String> {
    let snapshot = snapshot(&env).await?;
    let (ask, _) = decode::<ServedAsk>(&ask).ok()?;
    encode(&snapshot.served(&ask), "").ok()
}

/// Returns the state of an API's circuit breakers ([`circuit_breakers::shown`]); `None` if no such API is loaded.
#[wasm_bindgen]
pub async fn breakers(env: Env, api_id: String) -> Option<String> {
    let snapshot = snapshot(&env).await?;
    let api = snapshot.router.get(&api_id)?;
    let isolate = Isolate::get(&env);
    let upstreams = isolate.upstreams.borrow();
    Some(circuit_breakers::shown(api, &upstreams, now_ms()))
}

/// Runs a batch through a loaded API. Returns a status followed by the JSON body; `None` if no such API is loaded.
#[wasm_bindgen(js_name = runBatch)]
pub async fn run_batch(
    request: web_sys::Request,
    env: Env,
    context: worker_sys::Context,
    api_id: String,
    body: Vec<u8>,
) -> Option<String> {
    let snapshot = snapshot(&env).await?;
    let api = snapshot.router.get(&api_id)?;
    let answer = if api.definition.batch {
        let (isolate, context) = (Isolate::get(&env), Context::new(context));
        let head = glue::head(&request);
        let visit = Visit::new(&request, &head, &env, &context, &isolate);
        batch::run(&visit, &snapshot, api, &Base::listening(api), &body).await
    } else {
        disabled()
    };
    encode(&answer.status, &answer.body).ok()
}

/// Sends the one request in a body through the chain of a loaded API, or of the definition given. Returns a
/// [`DebugReply`](gatewright_protocol::debug::DebugReply) followed by the body.
///
/// # Errors
/// If the reply can't be serialised.
#[wasm_bindgen(js_name = debugRequest)]
pub async fn debug_request(
    request: web_sys::Request,
    env: Env,
    context: worker_sys::Context,
    body: String,
    definition: Option<String>,
) -> Result<String, JsError> {
    let (isolate, context) = (Isolate::get(&env), Context::new(context));
    let head = glue::head(&request);
    let visit = Visit::new(&request, &head, &env, &context, &isolate);
    let (reply, text) = batch::debug(&visit, &body, definition.as_deref()).await;
    encode(&reply, &text).map_err(|error| failed(&error))
}

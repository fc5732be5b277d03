//! What this module calls in the data plane of its isolate: the functions of `seam.js`, typed. The other side is
//! `worker/dataplane/src/seam.rs`.

use crate::Visit;
use gatewright_model::certificate::Reading;
use gatewright_model::openapi::task::Call;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::snapshot::{Generation, ORGS_KEY};
use gatewright_worker_platform::glue::text;
use wasm_bindgen::prelude::*;
use worker::{Env, console_error};

/// The functions as JavaScript names them.
mod js {
    use wasm_bindgen::prelude::*;
    use worker::Env;

    #[wasm_bindgen(raw_module = "./seam.js")]
    extern "C" {
        #[wasm_bindgen(catch, js_name = isLoaded)]
        pub(super) fn is_loaded() -> Result<bool, JsValue>;

        #[wasm_bindgen(catch, js_name = ensureLoaded)]
        pub(super) async fn ensure_loaded(env: &Env) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_name = loadGeneration)]
        pub(super) async fn load_generation(
            env: &Env,
            generation: &str,
        ) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_name = learnOrganisations)]
        pub(super) async fn learn_organisations(env: &Env, key: &str) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_name = forgetCache)]
        pub(super) async fn forget_cache(env: &Env, api_id: &str) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_name = takeFigures)]
        pub(super) fn take_figures() -> Result<Option<String>, JsValue>;

        #[wasm_bindgen(catch)]
        pub(super) async fn processes(env: &Env) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_name = mayHaveTokenListeners)]
        pub(super) fn may_have_token_listeners() -> Result<bool, JsValue>;

        #[wasm_bindgen(catch)]
        pub(super) async fn breakers(env: &Env, api_id: &str) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch)]
        pub(super) async fn served(env: &Env, ask: &str) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_name = readCertificate)]
        pub(super) fn read_certificate(
            org: &str,
            now: &str,
            sent: &[u8],
        ) -> Result<Option<String>, JsValue>;

        #[wasm_bindgen(catch)]
        pub(super) fn openapi(call: &str, before: &str, sent: &[u8]) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch)]
        pub(super) fn rewrites(definition: &[u8]) -> Result<Option<String>, JsValue>;

        #[wasm_bindgen(catch, js_name = runBatch)]
        pub(super) async fn run_batch(
            request: &web_sys::Request,
            env: &Env,
            context: &JsValue,
            api_id: &str,
            body: &[u8],
        ) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_name = debugRequest)]
        pub(super) async fn debug_request(
            request: &web_sys::Request,
            env: &Env,
            context: &JsValue,
            body: &str,
            definition: Option<&str>,
        ) -> Result<JsValue, JsValue>;
    }
}

/// Carries out a call about an OpenAPI document in the extra for them: the report as JSON, and the text that follows
/// it.
pub(crate) fn openapi(
    call: &Call,
    before: &str,
    sent: &str,
) -> Result<(String, String), StoreError> {
    let failed = |detail: &str| StoreError::new("module openapi", detail);
    let call = serde_json::to_string(call).map_err(|error| failed(&error.to_string()))?;
    let answer = js::openapi(&call, before, sent.as_bytes());
    let answer = answer
        .ok()
        .and_then(|answer| answer.dyn_into::<js_sys::Array>().ok());
    let text = |at| {
        answer
            .as_ref()
            .and_then(|answer| answer.get(at).as_string())
    };
    let (Some(report), Some(text)) = (text(0), text(1)) else {
        return Err(failed("it has failed"));
    };
    Ok((report, text))
}

/// Reads a certificate that is to be stored, in the extra that proves credentials.
pub(crate) fn read_certificate(org: &str, now: &str, sent: &[u8]) -> Result<Reading, StoreError> {
    let failed = |detail: &str| StoreError::new("module auth", detail);
    let answer = answer(js::read_certificate(org, now, sent)).flatten();
    let answer = answer.ok_or_else(|| failed("it has failed"))?;
    serde_json::from_str(&answer).map_err(|error| failed(&error.to_string()))
}

/// Checks the filters and templates of a definition. Returns a list of issues as JSON; `None` if they could not be
/// read.
pub(crate) fn rewrites(definition: &str) -> Option<String> {
    answer(js::rewrites(definition.as_bytes())).flatten()
}

/// Converts an error of the other module, or reports that it is broken.
fn failed(error: &JsValue) -> StoreError {
    StoreError::new("ask data plane", text(error))
}

/// Reads a reply whose absence says enough; the log has the reason.
fn answer<T>(answer: Result<T, JsValue>) -> Option<T> {
    answer
        .inspect_err(|error| console_error!("{}", failed(error)))
        .ok()
}

/// Whether the isolate has a set of APIs to serve.
pub(crate) fn is_loaded() -> bool {
    answer(js::is_loaded()).unwrap_or_default()
}

/// Loads the published set unless one is loaded; a failure is logged.
pub(crate) async fn ensure_loaded(env: &Env) {
    answer(js::ensure_loaded(env).await);
}

/// Serves a generation that has just been published.
///
/// # Errors
/// If it can't be loaded. The previous set continues to be served.
pub(crate) async fn load_generation(env: &Env, generation: &Generation) -> Result<(), StoreError> {
    let text = serde_json::to_string(generation)
        .map_err(|error| StoreError::new("write generation", error.to_string()))?;
    let loaded = js::load_generation(env, &text).await;
    loaded.map(drop).map_err(|error| failed(&error))
}

/// Passes on the newest list of organisations that have a session.
///
/// # Errors
/// If the Registry can't be asked for it, or it is malformed.
pub(crate) async fn learn_organisations(env: &Env) -> Result<(), StoreError> {
    let learnt = js::learn_organisations(env, ORGS_KEY).await;
    learnt.map(drop).map_err(|error| failed(&error))
}

/// Deletes an API's cached responses, here and everywhere else.
///
/// # Errors
/// If one of the caches could not be reached.
pub(crate) async fn forget_cache(env: &Env, api_id: &str) -> Result<(), StoreError> {
    let forgotten = js::forget_cache(env, api_id).await;
    forgotten.map(drop).map_err(|error| failed(&error))
}

/// Takes what the isolate has counted since its last report.
pub(crate) fn take_figures() -> Option<String> {
    answer(js::take_figures()).flatten()
}

/// Returns the state of an API's breakers, and whether it is that of the isolate or the machine; `None` if no such API
/// is loaded.
pub(crate) async fn breakers(env: &Env, api_id: &str) -> Option<String> {
    answer(js::breakers(env, api_id).await)?.as_string()
}

/// Returns the processes of this machine, in the port's format.
pub(crate) async fn processes(env: &Env) -> String {
    let lines = answer(js::processes(env).await);
    lines
        .and_then(|lines| lines.as_string())
        .unwrap_or_default()
}

/// False if this isolate knows that no API listens to events of keys.
pub(crate) fn may_have_token_listeners() -> bool {
    answer(js::may_have_token_listeners()).unwrap_or(true)
}

/// Answers a message of [`gatewright_protocol::served`].
pub(crate) async fn served(env: &Env, ask: &str) -> Option<String> {
    answer(js::served(env, ask).await)?.as_string()
}

/// Runs a batch through a loaded API. Returns a status followed by the JSON body.
pub(crate) async fn run_batch(visit: &Visit<'_>, api_id: &str, body: &[u8]) -> Option<String> {
    let context = visit.context.as_ref().as_ref();
    let ran = js::run_batch(visit.request, visit.env, context, api_id, body).await;
    answer(ran)?.as_string()
}

/// Sends one request through the chain of a loaded API, or of this definition. Returns a
/// [`gatewright_protocol::debug::DebugReply`] followed by the body.
///
/// # Errors
/// If the data plane is broken.
pub(crate) async fn debug_request(
    visit: &Visit<'_>,
    body: &str,
    definition: Option<&str>,
) -> Result<String, StoreError> {
    let context = visit.context.as_ref().as_ref();
    let sent = js::debug_request(visit.request, visit.env, context, body, definition).await;
    let sent = sent.map_err(|error| failed(&error))?;
    Ok(sent.as_string().unwrap_or_default())
}

//! What the worker's WebAssembly modules adapt in the same manner: KV, calls to Durable Objects, responses, the clock
//! and the variables. No rule lives here.

pub mod glue;
pub mod kv;
pub mod objects;
pub mod respond;
pub mod time;
pub mod url;

use gatewright_protocol::http::is_safe_id;
use wasm_bindgen::{JsCast, JsValue};
use worker::Env;

/// Returns a worker variable or secret, if it is set. workerd binds variables missing from its environment to null, on
/// which `Env::var` throws.
#[must_use]
pub fn variable(env: &Env, name: &str) -> Option<String> {
    let text = js_sys::Reflect::get(env, &name.into()).ok()?.as_string()?;
    (!text.is_empty()).then_some(text)
}

/// Returns the organisation of `DASHBOARD_TOKEN`, and of definitions without one (`DASHBOARD_ORG_ID`).
#[must_use]
pub fn default_org(env: &Env) -> String {
    variable(env, "DASHBOARD_ORG_ID").unwrap_or_else(|| "default".to_owned())
}

/// Reads a request's body; returns one byte more than `max` if it is longer than that.
///
/// # Errors
/// If the body breaks off: the client disconnects, or its chunks are invalid.
pub async fn read_body(request: &web_sys::Request, max: usize) -> Result<Vec<u8>, JsValue> {
    #[expect(
        clippy::cast_precision_loss,
        reason = "limits are far below 2^53, where an f64 stops being exact"
    )]
    let bytes = glue::read_body(request, max as f64).await?;
    Ok(bytes.unchecked_into::<js_sys::Uint8Array>().to_vec())
}

/// Returns the id of a request in the log: the client's own if it is safe, so that both logs can be read side by side.
#[must_use]
pub fn request_id(sent: Option<&str>) -> String {
    let sent = sent.filter(|id| is_safe_id(id));
    sent.map_or_else(glue::timed_id, str::to_owned)
}

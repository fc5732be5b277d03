//! Calls to Durable Objects (Workers RPC). An error has the object's own text, or says that it can't be reached.

use crate::glue;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_protocol::registry::{decode, encode};
use js_sys::JsString;
use wasm_bindgen::{JsCast, JsValue};
use worker::Env;

/// Calls a method of the Registry.
///
/// # Errors
/// If the call fails.
pub async fn ask(env: &Env, method: &'static str, message: &str) -> Result<String, StoreError> {
    answered(
        "call registry",
        glue::call_registry(env, method, message).await,
    )
}

/// Calls a method of the Registry that publishes; `client` is that of the request, for the audit trail.
///
/// # Errors
/// If the call fails.
pub async fn publish(
    env: &Env,
    method: &'static str,
    message: &str,
    client: &str,
) -> Result<String, StoreError> {
    answered(
        "call registry",
        glue::publish(env, method, message, client).await,
    )
}

/// Sends a [`Consume`] to the Ledger of this name.
///
/// # Errors
/// If the call fails.
pub async fn ask_ledger(
    env: &Env,
    name: &str,
    ask: &Consume,
) -> Result<(Verdict, String), StoreError> {
    let message = encode(ask, "")?;
    let answer = call_ledger(env, name, "consume", &message).await?;
    let (verdict, text) = decode(&answer)?;
    Ok((verdict, text.to_owned()))
}

/// Calls a method of the Ledger of this name.
///
/// # Errors
/// If the call fails.
pub async fn call_ledger(
    env: &Env,
    name: &str,
    method: &'static str,
    message: &str,
) -> Result<String, StoreError> {
    answered(
        "call ledger",
        glue::call_ledger(env, name, method, message).await,
    )
}

/// Calls a method of several Ledgers at once: names, messages and replies have one line each.
///
/// # Errors
/// If any of the calls fails.
pub async fn call_ledgers(
    env: &Env,
    method: &'static str,
    names: &str,
    messages: &str,
) -> Result<String, StoreError> {
    let answers = glue::call_ledgers(env, method, names, messages).await;
    answered("call ledgers", answers)
}

/// Calls a method of the Meter.
///
/// # Errors
/// If the call fails.
pub async fn call_meter(
    env: &Env,
    method: &'static str,
    message: &str,
) -> Result<String, StoreError> {
    answered("call meter", glue::call_meter(env, method, message).await)
}

/// Reads the results of an API's uptime tests.
///
/// # Errors
/// If the call to their object fails.
pub async fn read_uptime(env: &Env, api_id: &str) -> Result<String, StoreError> {
    let answer = glue::call_uptime(env, "read", api_id).await;
    answered("call uptime tests", answer)
}

/// Reads the list that a service registry has returned for an API.
///
/// # Errors
/// If the call to the object that stores it fails.
pub async fn read_list(env: &Env, api_id: &str) -> Result<String, StoreError> {
    let answer = glue::call_answers(env, api_id, "look", "list").await;
    answered("call upstream answers", answer)
}

fn answered(
    operation: &'static str,
    answer: Result<JsValue, JsValue>,
) -> Result<String, StoreError> {
    match answer {
        Ok(answer) => Ok(content(answer)),
        Err(error) => Err(StoreError::new(operation, glue::text(&error))),
    }
}

/// The length of a text, in code units, up to which it is copied by wasm-bindgen, one code unit at a time. A longer one
/// is encoded by the runtime first, which takes a tenth of the time.
const LENGTH_MAX: u32 = 1024;

/// Returns the content of a text; an empty one for anything else.
fn content(answer: JsValue) -> String {
    match answer.dyn_into::<JsString>() {
        Ok(text) if text.length() > LENGTH_MAX => {
            String::from_utf8(glue::bytes_of(&text)).unwrap_or_default()
        }
        Ok(text) => text.into(),
        Err(_) => String::new(),
    }
}

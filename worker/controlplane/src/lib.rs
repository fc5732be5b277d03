//! The module that administers: adapters between the platform and the control plane. No rule lives here:
//! `gatewright-controlplane` decides what is stored, published and delivered.
//!
//! `entry.js` instantiates it on its first event and hands events over: [`administer`] answers the requests of both
//! administrative APIs. The object that owns the documents is another module, `worker/registry`. [`seam`] has what this
//! module calls in the data plane of its isolate.

mod backup;
#[cfg(feature = "contracts")]
pub mod contracts;
mod isolate;
mod platform;
mod requests;
mod seam;

use gatewright_api::paths::{is_dashboard, is_sign_in};
use gatewright_protocol::caller::Sender;
use gatewright_worker_platform::url::Url;
use gatewright_worker_platform::{glue, respond};
use isolate::Isolate;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use worker::{Context, Env, console_error, worker_sys};

/// Answers a request to the dashboard API or the administration API.
///
/// # Errors
/// If the runtime can't build a response.
#[wasm_bindgen]
pub async fn administer(
    request: web_sys::Request,
    env: Env,
    context: worker_sys::Context,
) -> Result<web_sys::Response, JsValue> {
    let isolate = Isolate::get(&env);
    let head = glue::head(&request);
    let raw = AsRef::<JsValue>::as_ref(&context).clone();
    let context = Context::new(context);
    let visit = Visit::new(&request, &head, &env, &context, &isolate);
    let response = if is_sign_in(visit.url.path) {
        requests::sign_in(&visit).await
    } else {
        match requests::identified(&visit).await {
            Err(refused) => refused,
            Ok(request) if is_dashboard(visit.url.path) => {
                requests::dashboard(&visit, request).await
            }
            Ok(request) => match backup::answer(&visit, raw, &request).await {
                Some(streamed) => streamed,
                None => requests::administer(&visit, request).await,
            },
        }
    };
    response.or_else(|error| broken(&error))
}

/// Answers a request to an API's OAuth 2.0 server; [`requests::authorise`] documents `call`.
///
/// # Errors
/// If the runtime can't build a response.
#[wasm_bindgen]
pub async fn authorise(
    request: web_sys::Request,
    env: Env,
    context: worker_sys::Context,
    call: String,
) -> Result<web_sys::Response, JsValue> {
    let isolate = Isolate::get(&env);
    let head = glue::head(&request);
    let context = Context::new(context);
    let visit = Visit::new(&request, &head, &env, &context, &isolate);
    let response = requests::authorise(&visit, &call).await;
    response.or_else(|error| broken(&error))
}

/// Logs an error of the runtime, and answers with nothing of it.
fn broken(error: &JsValue) -> Result<web_sys::Response, JsValue> {
    console_error!("{}", glue::text(error));
    respond::response(500, &[], "INTERNAL SERVER ERROR")
}

/// A request with everything that is needed to handle it.
struct Visit<'a> {
    request: &'a web_sys::Request,
    method: &'a str,
    url: Url<'a>,
    env: &'a Env,
    context: &'a Context,
    isolate: &'a Isolate,
    /// Who has sent the request, for the audit trail.
    sender: RefCell<Sender>,
}

impl<'a> Visit<'a> {
    /// `head` is what [`glue::head`] returns.
    fn new(
        request: &'a web_sys::Request,
        head: &'a str,
        env: &'a Env,
        context: &'a Context,
        isolate: &'a Isolate,
    ) -> Self {
        let (method, url) = Url::of_head(head);
        Self {
            request,
            method,
            url,
            env,
            context,
            isolate,
            sender: RefCell::default(),
        }
    }
}

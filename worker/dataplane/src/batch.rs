//! Batches and debugged requests: `serve.js` runs their items as it does single requests.

use crate::{Visit, plane, runs};
use gatewright_api::message::{NOT_LOADED, REQUEST_ID_HEADER};
use gatewright_dataplane::batch::{self, Answer, Base, Budget, Dispatch, Item, Scope};
use gatewright_dataplane::debug::{self, Ask, Bench};
use gatewright_dataplane::driver::{Run, plain};
use gatewright_dataplane::failure::Failure;
use gatewright_dataplane::snapshot::{Api, Snapshot};
use gatewright_protocol::debug::DebugReply;
use gatewright_protocol::http::Response;
use gatewright_worker_platform::respond::administration;
use gatewright_worker_platform::{glue, read_body, request_id};
use js_sys::{Array, Object, Uint8Array};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use worker::{Env, console_error};

// Not a snippet of wasm-bindgen: `entry.js` imports the same file, and the bundle needs it only once.
#[wasm_bindgen(raw_module = "./serve.js")]
extern "C" {
    /// Runs an item to completion; resolves to an [`ItemAnswer`].
    #[wasm_bindgen(catch, js_name = serveItem)]
    async fn serve_item(
        arrived: &web_sys::Request,
        url: &str,
        method: &str,
        headers: Array,
        body: &str,
        directive: &str,
        env: &Env,
        signal: &JsValue,
        charge: &JsValue,
    ) -> Result<JsValue, JsValue>;

    /// What [`serve_item`] resolves to.
    #[wasm_bindgen(extends = Object)]
    type ItemAnswer;

    /// The status code.
    #[wasm_bindgen(method, getter)]
    fn status(this: &ItemAnswer) -> u16;

    /// Pairs of name and value.
    #[wasm_bindgen(method, getter)]
    fn headers(this: &ItemAnswer) -> Array;

    /// The body, as far as the budget allows, plus at most one chunk.
    #[wasm_bindgen(method, getter)]
    fn body(this: &ItemAnswer) -> Uint8Array;

    /// Whether the body was longer than that.
    #[wasm_bindgen(method, getter)]
    fn cut(this: &ItemAnswer) -> bool;
}

/// Runs items with the batch's own deadline.
pub(crate) struct Items<'a> {
    visit: &'a Visit<'a>,
    signal: JsValue,
}

impl<'a> Items<'a> {
    pub(crate) fn new(visit: &'a Visit<'a>) -> Self {
        let seconds = visit.isolate.limits.timeout_seconds;
        let signal = web_sys::AbortSignal::timeout_with_u32(seconds.saturating_mul(1000));
        Self {
            visit,
            signal: signal.into(),
        }
    }
}

/// Serves `POST /{listen_path}/gateway/batch/`, with these headers on the response; `None` if the client disconnects.
pub(crate) async fn serve(
    visit: &Visit<'_>,
    snapshot: &Rc<Snapshot>,
    (api, base): (&Rc<Api>, &Base),
    headers: Vec<(&'static str, String)>,
) -> Result<Option<web_sys::Response>, JsValue> {
    let max = visit.isolate.limits.request_bytes;
    let Ok(body) = read_body(visit.request, max).await else {
        return Ok(None);
    };
    let mut response = run(visit, snapshot, api, base, &body).await;
    response.headers.extend(headers);
    response.headers.push((
        REQUEST_ID_HEADER,
        request_id(visit.header(REQUEST_ID_HEADER).as_deref()),
    ));
    administration(&response).map(Some)
}

/// Runs a batch whose body has been read.
pub(crate) async fn run(
    visit: &Visit<'_>,
    snapshot: &Rc<Snapshot>,
    api: &Rc<Api>,
    base: &Base,
    body: &[u8],
) -> Response {
    let scope = Scope {
        snapshot,
        isolate: &visit.as_isolate(),
        api,
        base,
        scheme: visit.url.scheme(),
        authority: visit.isolate.hosts.serving(&visit.url.authority),
        connection_address: plane::connection_address(visit.request),
        client_address: visit.client_address(),
    };
    batch::run(&scope, &visit.isolate.limits, body, &Items::new(visit)).await
}

/// Sends one request through the chain and returns its steps. The text is the body of the response.
pub(crate) async fn debug(
    visit: &Visit<'_>,
    body: &str,
    definition: Option<&str>,
) -> (DebugReply, String) {
    match debugged(visit, body, definition).await {
        Ok(response) => (DebugReply::Answered(response.status), response.body),
        Err(debug::Error::Malformed(issues)) => (DebugReply::Malformed(issues), String::new()),
        Err(debug::Error::Refused(status, text)) => {
            (DebugReply::Refused(status, text), String::new())
        }
    }
}

async fn debugged(
    visit: &Visit<'_>,
    body: &str,
    definition: Option<&str>,
) -> Result<Response, debug::Error> {
    let ask = Ask::read(body, definition, &visit.isolate.settings)?;
    let loaded = visit.isolate.ensure(visit.env).await;
    let snapshot = loaded.map_err(|_| debug::Error::Refused(503, NOT_LOADED.to_owned()))?;
    let bench = Bench {
        snapshot: &snapshot,
        isolate: &visit.as_isolate(),
        scheme: visit.url.scheme(),
        authority: visit.isolate.hosts.serving(&visit.url.authority),
        client_address: visit.client_address(),
    };
    debug::run(&bench, &ask, &Items::new(visit)).await
}

impl Dispatch for Items<'_> {
    async fn run(&self, run: Run, item: &Item, budget: &Budget) -> (Option<Run>, Answer) {
        let pairs = item.headers.iter();
        let headers: Array = pairs
            .map(|(name, value)| Array::of2(&name.into(), &value.into()))
            .collect();
        // JavaScript calls this only before the item has ended, so borrowing the budget is sound; the scoped closure
        // enforces it.
        let mut spent = 0_usize;
        let mut charge = |length: f64, chunk: f64| {
            let fits = length <= limit(budget.item) && budget.take(to_usize(chunk));
            match fits {
                true => spent = spent.saturating_add(to_usize(chunk)),
                false => budget.give_back(std::mem::take(&mut spent)),
            }
            fits
        };
        let callback = ScopedClosure::borrow_mut(&mut charge);
        let request = &run.exchange.request;
        let url = format!("{}://{}{}", request.scheme, request.authority, item.path);
        let (id, directive) = runs::begin_item(self.visit.isolate, run);
        let answer = serve_item(
            self.visit.request,
            &url,
            &item.method,
            headers,
            &item.body,
            &directive,
            self.visit.env,
            &self.signal,
            callback.as_js_value(),
        )
        .await;
        drop(callback);
        (runs::end_item(id), read(answer))
    }
}

#[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
fn limit(bytes: usize) -> f64 {
    bytes as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a chunk's length"
)]
fn to_usize(bytes: f64) -> usize {
    bytes as usize
}

/// Reads the response to an item; an error outside of its chain counts as its upstream's.
fn read(answer: Result<JsValue, JsValue>) -> Answer {
    let answer: ItemAnswer = match answer {
        Ok(answer) => answer.unchecked_into(),
        Err(error) => {
            let text = glue::text(&error);
            console_error!("item of a batch: {text}");
            return Answer::of(plain(Failure::from_upstream(&text)));
        }
    };
    let pair = |pair: JsValue| {
        let pair: Array = pair.unchecked_into();
        Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
    };
    Answer {
        status: answer.status(),
        headers: answer.headers().iter().filter_map(pair).collect(),
        body: answer.body().to_vec(),
        cut: answer.cut(),
    }
}

//! Batches: the data plane's rules over the platform's `fetch`.

use crate::gate::{self, Gate};
use crate::{Visit, respond};
use gatewright_api::message::{NOT_LOADED, REQUEST_ID_HEADER};
use gatewright_dataplane::batch::{self, Answer, Budget, Dispatch, Item, Scope, Unsent};
use gatewright_dataplane::debug::{self, Ask};
use gatewright_dataplane::failure::Failure;
use gatewright_dataplane::gate::{Incoming, Refusal, Way};
use gatewright_dataplane::plan::{Base, Forward};
use gatewright_dataplane::snapshot::{Api, Snapshot};
use gatewright_dataplane::trace::Trace;
use gatewright_protocol::debug::DebugReply;
use gatewright_protocol::http::Response;
use gatewright_worker_platform::time::now_ms;
use gatewright_worker_platform::{glue, read_body, request_id};
use js_sys::Array;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use worker::console_error;

/// Sends items with the batch's own deadline.
struct Upstreams<'a> {
    visit: &'a Visit<'a>,
    signal: JsValue,
    /// Who listens to the steps of the gate.
    trace: Option<&'a Trace<'a>>,
    /// Where they are counted: what is sent together is for one API.
    place: Cell<u32>,
}

impl<'a> Upstreams<'a> {
    fn new(visit: &'a Visit<'a>, trace: Option<&'a Trace<'a>>) -> Self {
        let seconds = visit.isolate.limits.timeout_seconds;
        let signal = web_sys::AbortSignal::timeout_with_u32(seconds.saturating_mul(1000));
        Self {
            visit,
            signal: signal.into(),
            trace,
            place: Cell::new(u32::MAX),
        }
    }
}

/// Serves `POST /{listen_path}/gateway/batch/`.
pub(crate) async fn serve(
    visit: &Visit<'_>,
    snapshot: &Rc<Snapshot>,
    api: &Rc<Api>,
    base: &Base,
) -> worker::Result<web_sys::Response> {
    let max = visit.isolate.limits.request_bytes;
    let body = read_body(visit.request, max).await?;
    let mut response = run(visit, snapshot, api, base, &body).await?;
    response.headers.push((
        REQUEST_ID_HEADER,
        request_id(visit.header(REQUEST_ID_HEADER).as_deref()),
    ));
    respond::administration(&response)
}

/// Runs a batch whose body has been read.
pub(crate) async fn run(
    visit: &Visit<'_>,
    snapshot: &Rc<Snapshot>,
    api: &Rc<Api>,
    base: &Base,
    body: &[u8],
) -> worker::Result<Response> {
    let limits = &visit.isolate.limits;
    let scope = Scope {
        snapshot,
        api,
        base,
        authority: &visit.url.authority,
    };
    Ok(batch::run(&scope, limits, body, &Upstreams::new(visit, None)).await)
}

/// Sends one request through the chain and tells its steps. The text is the body of an answer.
pub(crate) async fn debug(visit: &Visit<'_>, body: &str) -> (DebugReply, String) {
    match debugged(visit, body).await {
        Ok(response) => (DebugReply::Answered(response.status), response.body),
        Err(debug::Error::Malformed(issues)) => (DebugReply::Malformed(issues), String::new()),
        Err(debug::Error::Refused(status, text)) => {
            (DebugReply::Refused(status, text), String::new())
        }
    }
}

async fn debugged(visit: &Visit<'_>, body: &str) -> Result<Response, debug::Error> {
    let ask = match Ask::read(body, now_ms())? {
        Ok(ask) => ask,
        Err(unloadable) => return Ok(unloadable),
    };
    let loaded = visit.isolate.ensure(visit.env).await;
    let snapshot = loaded.map_err(|_| debug::Error::Refused(503, NOT_LOADED.to_owned()))?;
    let trace = Trace::new(&now_ms);
    let dispatch = Upstreams::new(visit, Some(&trace));
    let scope = (&*snapshot, &*visit.url.authority);
    debug::run(scope, &ask, (&trace, &dispatch)).await
}

impl Dispatch for Upstreams<'_> {
    async fn pass(
        &self,
        scope: &Scope<'_>,
        item: &Item,
        forward: &Forward<'_>,
    ) -> Result<Way, Refusal> {
        let header = |name: &str| {
            if name == "host" {
                // An item goes to the host of its batch.
                return self.visit.header(name);
            }
            let found = item.headers.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone())
        };
        let line = (item.method.as_str(), item.query.as_str());
        let incoming = Incoming {
            sent_as: item.sent_as.as_deref(),
            ..gate::incoming(forward, line, &header)
        };
        let gate = Gate {
            trace: self.trace,
            ..gate::at(self.visit, forward)
        };
        self.place.set(gate.place);
        gate::pass(&gate, scope.snapshot, forward, &incoming).await
    }

    async fn send(&self, item: &Item, way: &Way, budget: &Budget) -> Result<Answer, Unsent> {
        let kept = |name: &str| !way.stripped.iter().any(|(gone, _)| gone == name);
        let sent = item.headers.iter().filter(|(name, _)| kept(name));
        let sent = sent.map(|(name, value)| (name.as_str(), value.as_str()));
        let replaced = way.stripped.iter().filter_map(|(name, value)| {
            let value = value.as_deref()?;
            Some((name.as_str(), value))
        });
        let headers: Array = sent
            .chain(replaced)
            .map(|(name, value)| Array::of2(&name.into(), &value.into()))
            .collect();
        let url = way.url.as_str();
        // JavaScript only calls this before the send is over, so borrowing the budget is sound,
        // which the scoped closure sees to.
        let mut take =
            |length: f64, chunk: f64| length <= limit(budget.item) && budget.take(whole(chunk));
        let sent = ScopedClosure::borrow_mut(&mut take);
        let started = js_sys::Date::now();
        let answer = glue::send_item(
            self.visit.request,
            url,
            &item.method,
            headers,
            &item.body,
            self.visit.isolate.client_ip_header.as_deref(),
            &self.signal,
            sent.as_js_value(),
        )
        .await;
        drop(sent);
        let isolate = self.visit.isolate;
        let answer = read(answer);
        match &answer {
            Ok(answer) => isolate.count_answered(self.place.get(), answer.status, started),
            Err(Unsent::Failure(failure)) => isolate.count_failed(self.place.get(), *failure),
            // It has answered, with more than the batch takes.
            Err(Unsent::TooLarge) => isolate.count_answered(self.place.get(), 200, started),
        }
        let mut answer = answer?;
        let told = way.headers.iter();
        answer
            .headers
            .extend(told.map(|(name, value)| ((*name).to_owned(), value.clone())));
        Ok(answer)
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
fn whole(bytes: f64) -> usize {
    bytes as usize
}

fn read(answer: Result<JsValue, JsValue>) -> Result<Answer, Unsent> {
    let answer: glue::ItemAnswer = match answer {
        Ok(answer) => answer.unchecked_into(),
        Err(error) => {
            let text = glue::text(&error);
            console_error!("upstream of a batch item: {text}");
            return Err(Unsent::Failure(Failure::from_upstream(&text)));
        }
    };
    let pair = |pair: JsValue| {
        let pair: Array = pair.unchecked_into();
        Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
    };
    Ok(Answer {
        status: answer.status(),
        headers: answer.headers().iter().filter_map(pair).collect(),
        body: answer.body().to_vec(),
        cut: answer.cut(),
    })
}

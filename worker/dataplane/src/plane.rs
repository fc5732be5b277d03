//! The data plane: ask the chain what becomes of a request, and do it.
//!
//! [`route`] is the short way that `entry.js` takes, [`serve`] the long one, which also loads the set of
//! APIs, looks for a new one, runs batches and answers what the gateway answers itself.

use crate::isolate::Isolate;
use crate::{Visit, batch, respond};
use gatewright_dataplane::failure::Failure;
use gatewright_dataplane::gate::limits::Header;
use gatewright_dataplane::gate::{self, Refusal};
use gatewright_dataplane::plan::{self, Forward, Head, Plan};
use gatewright_dataplane::snapshot::Snapshot;
use gatewright_dataplane::surface::Surface;
use gatewright_protocol::http::Response;
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_protocol::registry::{decode, encode};
use gatewright_worker_platform::glue;
use gatewright_worker_platform::time::now_ms;
use gatewright_worker_platform::url::Url;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use worker::console_error;

/// Serves a request of the data plane.
pub(crate) async fn serve(visit: &Visit<'_>) -> worker::Result<web_sys::Response> {
    let snapshot = match visit.isolate.ensure(visit.env).await {
        Ok(snapshot) => snapshot,
        Err(error) => {
            console_error!("load: {error}");
            return respond::failure(visit.request, Failure::NotLoaded);
        }
    };
    if visit.isolate.check_is_due() {
        check_in_background(visit);
    }
    run(visit, &snapshot).await
}

async fn run(visit: &Visit<'_>, snapshot: &Rc<Snapshot>) -> worker::Result<web_sys::Response> {
    let head = Head {
        method: visit.method,
        authority: &visit.url.authority,
        path: visit.url.path,
        query: visit.url.query,
    };
    match plan::plan(snapshot, &head) {
        Ok(Plan::Forward(forward)) => send(visit, snapshot, &forward).await,
        Ok(Plan::RateLimits(forward)) => rate_limits(visit, snapshot, &forward).await,
        Ok(Plan::Batch(api, base)) => batch::serve(visit, snapshot, &api, &base).await,
        Err(failure) => respond::failure(visit.request, failure),
    }
}

async fn send(
    visit: &Visit<'_>,
    snapshot: &Snapshot,
    forward: &Forward<'_>,
) -> worker::Result<web_sys::Response> {
    let header = |name: &str| visit.header(name);
    let line = (visit.method, visit.url.query);
    let incoming = crate::gate::incoming(forward, line, &header);
    let gate = crate::gate::at(visit, forward);
    let way = match crate::gate::pass(&gate, snapshot, forward, &incoming).await {
        Ok(way) => way,
        Err(refusal) => return respond::refusal(visit.request, &refusal),
    };
    let stripped = way.stripped.iter();
    let stripped: Vec<_> = stripped
        .map(|(name, value)| (name.as_str(), value.as_deref().unwrap_or_default()))
        .collect();
    let added: Vec<_> = way
        .headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let (stripped, added) = (respond::lines(&stripped), respond::lines(&added));
    let started = js_sys::Date::now();
    let sent = glue::forward(
        visit.request,
        &visit.request.url(),
        &way.url,
        visit.isolate.client_ip_header.as_deref(),
        Some(&stripped),
        Some(&added),
    )
    .await;
    match sent {
        Ok(response) => {
            let response: web_sys::Response = response.unchecked_into();
            let status = response.status();
            visit.isolate.count_answered(gate.place, status, started);
            Ok(response)
        }
        Err(error) => {
            let failure = upstream_failure(&error);
            visit.isolate.count_failed(gate.place, failure);
            respond::failure(visit.request, failure)
        }
    }
}

/// How the limits of a key stand (reference 1.8); asking counts nothing.
async fn rate_limits(
    visit: &Visit<'_>,
    snapshot: &Snapshot,
    forward: &Forward<'_>,
) -> worker::Result<web_sys::Response> {
    let header = |name: &str| visit.header(name);
    match crate::gate::standing(visit, snapshot, forward, &header).await {
        Ok(body) => respond::administration(&Response::text(200, body)),
        Err(refusal) => respond::refusal(visit.request, &refusal),
    }
}

/// The URL could hold a credential in its query, so the log has no more than the platform's text.
pub(crate) fn upstream_failure(error: &JsValue) -> Failure {
    let text = glue::text(error);
    console_error!("upstream: {text}");
    Failure::from_upstream(&text)
}

/// Where a request goes that only has to be sent on, decided without a look at its headers; or, behind
/// a `?`, the header that holds its token, for [`question`]. Nothing for every other request.
pub(crate) fn route(method: &str, url: &str) -> Option<String> {
    planned(method, url, |isolate, _, forward| {
        let api = &forward.api;
        isolate.routed.set(isolate.place(api));
        if !isolate.guards(api) {
            return Some(forward.url(Url::split(url).query));
        }
        let header = api.source.header.as_deref().filter(|_| gate::is_plain(api));
        let free = !isolate
            .orgs
            .borrow()
            .contains(gate::org(api, &isolate.gate));
        header.filter(|_| free).map(|header| format!("?{header}"))
    })
}

/// What the Ledger is asked about a request with a known key, behind the Ledger's name and the URL that
/// the request goes to, each with a line break. Nothing for a request that takes the long way.
pub(crate) fn question(method: &str, url: &str, token: &str) -> Option<String> {
    planned(method, url, |isolate, snapshot, forward| {
        let api = &forward.api;
        let header = |_: &str| Some(token.to_owned());
        let incoming = crate::gate::incoming(forward, (method, ""), &header);
        let token = api.source.find(&incoming.carrier)?;
        let place = (&**api, snapshot.generation);
        let known = gate::known(&isolate.sessions, &isolate.gate, place, &token)?;
        let (ledger, asked) = gate::question(&isolate.gate, now_ms(), api, &known, &incoming)?;
        let message = encode(&asked, "").ok()?;
        let target = forward.url(Url::split(url).query);
        Some(format!("{ledger}\n{target}\n{message}"))
    })
}

/// The headers that the answer to a request gets after the Ledger's answer to such a question: names and
/// values in turn, each on a line. Nothing if it was not counted.
pub(crate) fn settle(question: &str, answer: &str, place: u32) -> Option<String> {
    let headers = settled(question, answer, place)?.ok()?;
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    Some(respond::lines(&headers))
}

/// Why the Ledger has refused a request. Nothing if the request takes the long way after all.
pub(crate) fn refused(question: &str, answer: &str, place: u32) -> Option<Refusal> {
    let refusal = settled(question, answer, place)?.err()?;
    Isolate::current()?.count_failed(place, refusal.failure);
    Some(refusal)
}

/// Looks at nothing that may have changed since the question: what is counted is counted once.
fn settled(question: &str, answer: &str, place: u32) -> Option<Result<Vec<Header>, Refusal>> {
    let mut lines = question.splitn(3, '\n');
    let (ledger, message) = (lines.next()?, lines.nth(1)?);
    let (asked, _) = decode::<Consume>(message).ok()?;
    let (verdict, _) = decode::<Verdict>(answer).ok()?;
    let isolate = Isolate::current()?;
    isolate.note(place, ledger, &asked, &verdict);
    gate::answer(&isolate.gate, now_ms(), &asked, &verdict)
}

/// A request that belongs to an API and has nothing to wait for in this isolate.
fn planned<T>(
    method: &str,
    url: &str,
    then: impl FnOnce(&Isolate, &Snapshot, &Forward<'_>) -> Option<T>,
) -> Option<T> {
    let isolate = Isolate::current()?;
    let snapshot = isolate.snapshot()?;
    let url = Url::split(url);
    let surface = Surface::of(&isolate.hosts, &url.authority, url.path);
    if surface != Surface::DataPlane || isolate.check_would_be_due() {
        return None;
    }
    let head = Head {
        method,
        authority: &url.authority,
        path: url.path,
        query: url.query,
    };
    match plan::plan(&snapshot, &head) {
        Ok(Plan::Forward(forward)) => then(&isolate, &snapshot, &forward),
        _ => None,
    }
}

/// Looks for a new generation while requests go on with the one that is loaded.
fn check_in_background(visit: &Visit<'_>) {
    let env = visit.env.clone();
    visit.context.wait_until(async move {
        if let Err(error) = Isolate::get(&env).load(&env).await {
            console_error!("background check: {error}");
        }
    });
}

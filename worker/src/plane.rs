//! The data plane: ask the engine what becomes of a request, and do it.
//!
//! [`route`] is the short way that `entry.js` takes, [`serve`] the long one, which also loads the set of
//! APIs, looks for a new one, runs batches and answers what the gateway answers itself.

use crate::isolate::Isolate;
use crate::url::Url;
use crate::{Visit, batch, glue, respond};
use gatewright_engine::admin;
use gatewright_engine::config::Origin;
use gatewright_engine::plane::failure::Failure;
use gatewright_engine::plane::plan::{self, Head, Plan};
use gatewright_engine::plane::snapshot::Snapshot;
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
    let has_header = |name: &str| visit.header(name).is_some();
    let head = Head {
        method: visit.method,
        authority: &visit.url.authority,
        path: visit.url.path,
        query: visit.url.query,
        has_header: &has_header,
    };
    match plan::plan(snapshot, &head) {
        Ok(Plan::Forward(_, target)) => forward(visit, &target).await,
        Ok(Plan::Batch(api, base)) => batch::serve(visit, snapshot, &api, &base).await,
        Err(failure) => respond::failure(visit.request, failure),
    }
}

async fn forward(visit: &Visit<'_>, target: &str) -> worker::Result<web_sys::Response> {
    let trusted = visit.isolate.client_ip_header.as_deref();
    match glue::forward(visit.request, &visit.request.url(), target, trusted).await {
        Ok(response) => Ok(response.unchecked_into()),
        Err(error) => respond::failure(visit.request, upstream_failure(&error)),
    }
}

/// The URL could hold a credential in its query, so the log has no more than the platform's text.
pub(crate) fn upstream_failure(error: &JsValue) -> Failure {
    let text = glue::text(error);
    console_error!("upstream: {text}");
    Failure::from_upstream(&text)
}

/// Where a request goes that only has to be sent on, decided without a look at its headers.
/// Nothing for every other request.
pub(crate) fn route(method: &str, url: &str) -> Option<String> {
    let isolate = Isolate::current()?;
    let snapshot = isolate.snapshot()?;
    let url = Url::split(url);
    let own = match isolate.hosts.origin(&url.authority) {
        Origin::Console => true,
        Origin::Gateway => admin::owns(url.path),
        Origin::Unknown => false,
    };
    if own || isolate.check_would_be_due() {
        return None;
    }
    // An API that asks for a credential is refused on the long way, which has the headers.
    let head = Head {
        method,
        authority: &url.authority,
        path: url.path,
        query: url.query,
        has_header: &|_| false,
    };
    match plan::plan(&snapshot, &head) {
        Ok(Plan::Forward(_, target)) => Some(target),
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

//! The data plane: ask the engine what becomes of a request, and do it.

use crate::isolate::Isolate;
use crate::{Visit, batch, glue, respond};
use gatewright_engine::plane::failure::Failure;
use gatewright_engine::plane::plan::{self, Head, Plan};
use gatewright_engine::plane::snapshot::Snapshot;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use worker::console_error;

/// Serves a request of the data plane.
pub(crate) async fn serve(visit: &Visit<'_>) -> worker::Result<web_sys::Response> {
    let snapshot = match visit.isolate.ensure(visit.env).await {
        Ok(snapshot) => snapshot,
        Err(error) => {
            console_error!("load: {error}");
            return respond::failure(visit, Failure::NotLoaded);
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
        authority: visit.url.authority,
        path: visit.url.path,
        query: visit.url.query,
        has_header: &has_header,
    };
    match plan::plan(snapshot, &head) {
        Ok(Plan::Forward(_, url)) => forward(visit, &url).await,
        Ok(Plan::Batch(api, base)) => batch::serve(visit, snapshot, &api, &base).await,
        Err(failure) => respond::failure(visit, failure),
    }
}

async fn forward(visit: &Visit<'_>, url: &str) -> worker::Result<web_sys::Response> {
    let trusted = visit.isolate.client_ip_header.as_deref();
    match glue::forward(visit.request, url, trusted).await {
        Ok(response) => Ok(response.unchecked_into()),
        Err(error) => {
            let text = glue::text(&error);
            // The URL could hold a credential in its query, so the log has no more than the API.
            console_error!("upstream: {text}");
            respond::failure(visit, Failure::from_upstream(&text))
        }
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

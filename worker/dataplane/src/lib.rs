//! The module that serves requests: event handlers and adapters between the platform and the data plane and the Ledger.
//! No rule lives here: `gatewright-dataplane` decides what happens to a request, and `gatewright-ledger` counts.
//!
//! The runtime loads `entry.js`. Its entry points here: [`begin`] for a request that can be decided at once,
//! [`is_administrative`] for one that belongs to the other module, [`fetch`] for every other one, [`plain_failed`] if
//! an upstream could not be reached, and [`ledger::Ledger`]. [`seam`] has what the administration calls in this module.

mod assets;
mod batch;
#[cfg(feature = "contracts")]
pub mod contracts;
mod events;
mod figures;
mod isolate;
mod leases;
mod ledger;
mod plane;
pub mod runs;
pub mod seam;

use gatewright_dataplane::config::Entrypoint;
use gatewright_dataplane::errors::Client;
use gatewright_dataplane::exchange::client_address;
use gatewright_dataplane::surface::Surface;
use gatewright_protocol::headers;
use gatewright_worker_platform::glue;
use gatewright_worker_platform::url::Url;
use isolate::Isolate;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use worker::{Context, Env, worker_sys};

/// Whether a request is for the administration.
#[wasm_bindgen(js_name = isAdministrative)]
#[must_use]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn is_administrative(url: &str, env: Env, entrypoint: u8) -> bool {
    surface(&Isolate::get(&env), &Url::split(url), entrypoint) == Surface::Administration
}

/// Returns which surface a request reaches that arrived at the entrypoint of this number ([`Entrypoint::numbered`]).
fn surface(isolate: &Isolate, url: &Url<'_>, entrypoint: u8) -> Surface {
    let entrypoint = Entrypoint::numbered(entrypoint);
    Surface::of(&isolate.hosts, entrypoint, &url.authority, url.path)
}

/// Returns the headers that end at the gateway, for `headers.js`.
#[wasm_bindgen(js_name = headerTable)]
#[must_use]
pub fn header_table() -> String {
    headers::lines()
}

/// Decides about a request, as a directive for `serve.js`; an empty one if the request is known to be for the
/// administration, `None` if [`is_administrative`] has to be called, and maybe [`fetch`].
#[wasm_bindgen]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn begin(method: &str, url: &str, request: web_sys::Request, entrypoint: u8) -> Option<String> {
    plane::begin((method, url), &request, entrypoint)
}

/// Handles a request that could not be decided at once and is not for the administration. Returns a response or a
/// directive.
///
/// # Errors
/// If the runtime can't build a response.
#[wasm_bindgen]
pub async fn fetch(
    request: web_sys::Request,
    env: Env,
    context: worker_sys::Context,
    entrypoint: u8,
) -> Result<JsValue, JsValue> {
    let isolate = Isolate::get(&env);
    let head = glue::head(&request);
    let context = Context::new(context);
    let visit = Visit::new(&request, &head, &env, &context, &isolate);
    match surface(&isolate, &visit.url, entrypoint) {
        Surface::Console => assets::serve(&visit).await.map(JsValue::from),
        Surface::Misdirected => assets::misdirected().map(JsValue::from),
        Surface::DataPlane | Surface::Administration => plane::serve(&visit).await,
    }
}

/// Counts an upstream's response to a request that was sent at this time, or one from the cache, without a time, and
/// releases the run with this number, if that is over. Returns true if [`report`] has to be called.
#[wasm_bindgen(js_name = countResponse)]
#[must_use]
pub fn count_response(figures: u32, status: u16, sent: Option<f64>, run: Option<u32>) -> bool {
    if let Some(run) = run {
        runs::drop_run(run);
    }
    Isolate::current().is_some_and(|isolate| isolate.count_answered(figures, status, sent))
}

/// Returns the directive for a request that was only forwarded and whose upstream could not be reached.
#[wasm_bindgen(js_name = plainFailed)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn plain_failed(figures: u32, error: &str, id: &str, request: web_sys::Request) -> String {
    let content_type = request.headers().get("content-type").ok().flatten();
    let content_type = content_type.unwrap_or_default();
    let client = Client::new(&request.method(), &content_type);
    plane::plain_failed(figures, (error, id), client)
}

/// Returns the id of the API whose requests are counted under this number.
#[wasm_bindgen(js_name = countedApi)]
#[must_use]
pub fn counted_api(figures: u32) -> String {
    Isolate::current().map_or_else(String::new, |isolate| {
        isolate.figures.borrow().api(figures).to_owned()
    })
}

/// Returns true if [`report`] has to be called.
#[wasm_bindgen]
pub fn due() -> bool {
    Isolate::current().is_some_and(|isolate| isolate.is_due())
}

/// Asks Ledgers for leases, in the background of a request.
#[wasm_bindgen(js_name = requestLeases)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn request_leases(env: Env, context: worker_sys::Context) {
    leases::report(&env, &Context::new(context));
}

/// Sends figures to the Meter, events to the Registry, and questions for leases to their Ledgers, in the background.
#[wasm_bindgen]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn report(env: Env, context: worker_sys::Context) {
    let context = Context::new(context);
    events::report(&env, &context);
    leases::report(&env, &context);
    if Isolate::get(&env).report_is_due() {
        figures::report(&env, &context);
    }
}

/// A request with everything that is needed to handle it.
struct Visit<'a> {
    request: &'a web_sys::Request,
    method: &'a str,
    url: Url<'a>,
    env: &'a Env,
    context: &'a Context,
    isolate: &'a Rc<Isolate>,
}

impl<'a> Visit<'a> {
    /// `head` is what [`glue::head`] returns.
    fn new(
        request: &'a web_sys::Request,
        head: &'a str,
        env: &'a Env,
        context: &'a Context,
        isolate: &'a Rc<Isolate>,
    ) -> Self {
        let (method, url) = Url::of_head(head);
        Self {
            request,
            method,
            url,
            env,
            context,
            isolate,
        }
    }

    /// Returns the isolate as chains see it.
    fn as_isolate(&self) -> Rc<dyn gatewright_dataplane::isolate::Isolate> {
        Rc::<Isolate>::clone(self.isolate)
    }

    /// Returns the client's address, in the form that a chain uses.
    fn client_address(&self) -> Rc<str> {
        let headers = plane::headers(self.request);
        let connection = glue::client_address(self.request, None);
        let address = client_address(&headers, &self.isolate.settings, &connection);
        address
            .map_or_else(String::new, |address| address.to_string())
            .into()
    }

    /// Returns a header's value; `None` if the name is malformed.
    fn header(&self, name: &str) -> Option<String> {
        self.request.headers().get(name).ok().flatten()
    }
}

//! The data plane: asks the chain about a request. The decision is a directive, which `serve.js` carries out.

use crate::isolate::Isolate;
use crate::{Visit, batch, runs, surface};
use gatewright_dataplane::batch::Base;
use gatewright_dataplane::driver::directive::{self, About};
use gatewright_dataplane::driver::{
    self, Failed, Next, OwnRoute, Purpose, Routed, Run, is_plain, own_route, plain_url,
};
use gatewright_dataplane::errors::{Client, ErrorRules};
use gatewright_dataplane::exchange::{ConnectionAddress, Entry, Request};
use gatewright_dataplane::failure::{Answer, Failure};
use gatewright_dataplane::headers::{HeaderSource, Headers};
use gatewright_dataplane::links::cors;
use gatewright_dataplane::path::RequestPath;
use gatewright_dataplane::router::Match;
use gatewright_dataplane::snapshot::{Api, Snapshot};
use gatewright_dataplane::surface::Surface;
use gatewright_worker_platform::glue;
use gatewright_worker_platform::time::to_millis;
use gatewright_worker_platform::url::Url;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use worker::console_error;

/// The headers of a request or response, left in the platform's memory.
pub(crate) struct PlatformHeaders(pub(crate) web_sys::Headers);

impl HeaderSource for PlatformHeaders {
    fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).ok().flatten()
    }
}

/// Returns the headers of a request.
pub(crate) fn headers(request: &web_sys::Request) -> Headers {
    Headers::new(Rc::new(PlatformHeaders(request.headers())))
}

/// Decides about a request, if that is possible at once: it belongs to the data plane, a set of APIs is loaded, and it
/// isn't time to look for a newer one. A batch waits, too.
pub(crate) fn begin(
    (method, url): (&str, &str),
    request: &web_sys::Request,
    entrypoint: u8,
) -> Option<String> {
    let isolate = Isolate::current()?;
    let snapshot = isolate.snapshot()?;
    let url = Url::split(url);
    let surface = surface(&isolate, &url, entrypoint);
    if surface == Surface::Administration {
        return Some(String::new());
    }
    let now = js_sys::Date::now();
    if surface != Surface::DataPlane || isolate.check_would_be_due(now) {
        return None;
    }
    match decide(&isolate, &snapshot, (method, &url), (request, now)) {
        Decided::Directive(directive) => Some(directive),
        Decided::Batch(..) | Decided::Oauth(_) => None,
    }
}

enum Decided {
    Directive(String),
    /// With the headers of its response that CORS adds.
    Batch(Rc<Api>, Base, Vec<(&'static str, String)>),
    /// For an API's OAuth 2.0 server: what `entry.js` hands to the control plane.
    Oauth(String),
}

fn decide(
    isolate: &Rc<Isolate>,
    snapshot: &Rc<Snapshot>,
    (method, url): (&str, &Url<'_>),
    (request, now): (&web_sys::Request, f64),
) -> Decided {
    let (found, path) = match driver::route(snapshot, &url.authority, url.path, url.query) {
        Routed::Api(found, path) => (found, path),
        Routed::Answer(answer) => {
            if let Some(api) = driver::metadata_of(snapshot, &url.authority, url.path) {
                return oauth_request(&api, driver::METADATA, &[]);
            }
            match driver::resource_metadata_of(snapshot, &url.authority, url.path) {
                Some(found) => found,
                None => return Decided::Directive(answered(answer)),
            }
        }
    };
    let rest = path.decoded().get(found.listen..).unwrap_or_default();
    let own = own_route(&found.api, rest);
    let cors = match own {
        OwnRoute::Batch | OwnRoute::Oauth => cors::own(&found.api, method, &headers(request)),
        OwnRoute::Standing | OwnRoute::None => Ok(Vec::new()),
    };
    let cors = match cors {
        Ok(cors) => cors,
        Err(answer) => return Decided::Directive(answered(answer)),
    };
    let purpose = match own {
        OwnRoute::Batch if method == "POST" => {
            let base = Base::of(&found, &path);
            return Decided::Batch(found.api, base, cors);
        }
        OwnRoute::Batch => return Decided::Directive(refused(method, Failure::BatchMethod, cors)),
        OwnRoute::Standing => Purpose::Standing,
        OwnRoute::Oauth => return oauth_request(&found.api, rest, &cors),
        OwnRoute::None if is_plain(&found.api, &**isolate) => {
            return Decided::Directive(plain(isolate, &found, &path, url.query));
        }
        OwnRoute::None => Purpose::Serve,
    };
    let chain_request = chain_request((method, url), path, (request, now));
    let isolate_of_run: Rc<dyn gatewright_dataplane::isolate::Isolate> =
        Rc::<Isolate>::clone(isolate);
    let run = Run::new(snapshot, &isolate_of_run, &found, chain_request, None);
    Decided::Directive(runs::begin(isolate, run.for_purpose(purpose)))
}

/// Decides about a request to this path of an API's OAuth 2.0 server. Each header that its response gets is two more
/// lines: its name and its value.
fn oauth_request(api: &Api, rest: &str, headers: &[(&str, String)]) -> Decided {
    let id = api.definition.api_id.as_str();
    let call = ["@", id, "\n", rest.trim_matches('/')].concat();
    let line = |call, (name, value): &(&str, String)| format!("{call}\n{name}\n{value}");
    Decided::Oauth(headers.iter().fold(call, line))
}

fn plain(isolate: &Isolate, found: &Match<Api>, path: &RequestPath, query: &str) -> String {
    let figures = isolate.api_index(&found.api);
    let url = plain_url(found, path, query).unwrap_or_default();
    directive::plain(figures, isolate.settings.default_timeout_ms, &url)
}

/// Returns the request as a chain sees it.
fn chain_request(
    (method, url): (&str, &Url<'_>),
    path: RequestPath,
    (request, now): (&web_sys::Request, f64),
) -> Request {
    Request {
        method: method.to_owned(),
        scheme: url.scheme(),
        authority: url.authority.to_string(),
        path,
        query: url.query.to_owned(),
        has_bare_query: url.has_bare_query,
        headers: headers(request),
        connection_address: connection_address(request),
        client_address: None,
        entry: Entry::Client,
        sent_as: None,
        now_ms: to_millis(now),
    }
}

/// Returns the address of the connection that a request arrived on.
pub(crate) fn connection_address(request: &web_sys::Request) -> ConnectionAddress {
    let request = Clone::clone(request);
    ConnectionAddress::asking(move || glue::client_address(&request, None))
}

fn answered(answer: Answer) -> String {
    directive::write(&Next::Answer(answer), About::default()).unwrap_or_default()
}

/// Returns the directive for an error outside of any chain.
fn refused(method: &str, failure: Failure, headers: Vec<(&str, String)>) -> String {
    let client = Client::new(method, "");
    let mut answer = ErrorRules::default().answer(&failure.into(), client).answer;
    for (name, value) in headers {
        answer = answer.with(name, value);
    }
    if failure == Failure::BatchMethod {
        answer = answer.with("allow", "POST");
    }
    answered(answer)
}

/// Serves a request that could not be decided at once: loads the set of APIs, looks for a newer one, runs batches.
/// Returns a directive or a response.
pub(crate) async fn serve(visit: &Visit<'_>) -> Result<JsValue, JsValue> {
    let snapshot = match visit.isolate.ensure(visit.env).await {
        Ok(snapshot) => snapshot,
        Err(error) => {
            console_error!("load: {error}");
            return Ok(refused(visit.method, Failure::NotLoaded, Vec::new()).into());
        }
    };
    if visit.isolate.check_is_due() {
        check_in_background(visit);
    }
    let line = (visit.method, &visit.url);
    let now = js_sys::Date::now();
    match decide(visit.isolate, &snapshot, line, (visit.request, now)) {
        Decided::Directive(directive) | Decided::Oauth(directive) => Ok(directive.into()),
        Decided::Batch(api, base, cors) => Ok(
            match batch::serve(visit, &snapshot, (&api, &base), cors).await? {
                Some(answer) => answer.into(),
                None => refused(visit.method, Failure::ClientClosed, Vec::new()).into(),
            },
        ),
    }
}

/// Counts a request that was only forwarded and has failed; returns the response to its client.
pub(crate) fn plain_failed(figures: u32, (error, id): (&str, &str), client: Client) -> String {
    let failure = Failure::from_upstream(error);
    let mut api = String::new();
    if let Some(isolate) = Isolate::current() {
        isolate.figures.borrow().api(figures).clone_into(&mut api);
        console_error!("upstream of {api} {id}: {}: {error}", failure.cause());
        isolate.count_failed(figures, failure);
    }
    let answer = ErrorRules::default().answer(&failure.into(), client).answer;
    let answer = answer.with("x-request-id", id);
    let answer = answer.with("x-content-type-options", "nosniff");
    let about = About {
        failed: Some(Failed::of_upstream(&api, failure)),
        ..About::default()
    };
    directive::write(&Next::Answer(answer), about).unwrap_or_default()
}

/// Looks for a new generation while requests continue with the loaded one.
fn check_in_background(visit: &Visit<'_>) {
    let env = visit.env.clone();
    visit.context.wait_until(async move {
        let isolate = Isolate::get(&env);
        if let Err(error) = isolate.publication.look(&isolate.source(&env)).await {
            console_error!("background check: {error}");
        }
    });
}

//! Requests to the administration: which parts of them are read, who answers, and what is logged.

use crate::platform::Edge;
use crate::{Visit, seam};
use gatewright_api::dashboard::endpoint::find as dashboard_endpoint;
use gatewright_api::endpoint::{Found, template};
use gatewright_api::message::{
    CONSOLE_HEADER, PASSPHRASE_HEADER, REQUEST_ID_HEADER, SECRET_HEADER,
};
use gatewright_controlplane::admin::oauth::{self, Call};
use gatewright_controlplane::admin::{self, BODY_MAX_BYTES};
use gatewright_controlplane::error::Error;
use gatewright_controlplane::{console, dashboard};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::http::{Request, Response};
use gatewright_worker_platform::{glue, read_body, request_id, respond};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use worker::{Env, console_error};

/// The headers that the administration reads.
const HEADERS: [&str; 14] = [
    SECRET_HEADER,
    PASSPHRASE_HEADER,
    REQUEST_ID_HEADER,
    "if-match",
    "if-none-match",
    "sec-fetch-site",
    "authorization",
    "content-type",
    "accept",
    "last-event-id",
    CONSOLE_HEADER,
    "cookie",
    "origin",
    "user-agent",
];

/// Reads what both administrative APIs need of a request, except for its body.
fn head(visit: &Visit<'_>) -> Request {
    let sent = glue::header_lines(visit.request, &HEADERS.join("\n"));
    let mut request = Request {
        method: visit.method.to_owned(),
        origin: visit.url.origin(),
        path: visit.url.path.to_owned(),
        query: form_urlencoded::parse(visit.url.query.as_bytes())
            .into_owned()
            .collect(),
        headers: HEADERS
            .iter()
            .zip(sent.lines())
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| ((*name).to_owned(), value.to_owned()))
            .collect(),
        ..Request::default()
    };
    request.request_id = request_id(request.header(REQUEST_ID_HEADER));
    let trusted = visit.isolate.client_ip_header.as_deref();
    request.address = glue::client_address(visit.request, trusted);
    request
}

/// The largest body that is read only to be discarded, in bytes.
const DRAINED_MAX_BYTES: usize = 64 * 1024;

/// Whether requests with this method have a body.
fn has_body(method: &str) -> bool {
    matches!(method, "POST" | "PUT" | "PATCH")
}

/// Parses the parts of a form, with the runtime's parser.
async fn form(request: &Request) -> Option<Vec<(String, String)>> {
    let media = request.header("content-type").unwrap_or_default();
    let parts = glue::read_form(&Uint8Array::from(request.body.as_slice()), media).await;
    let parts: Array = parts.dyn_into().ok()?;
    let texts: Vec<String> = parts.iter().filter_map(|part| part.as_string()).collect();
    let pairs = texts.chunks_exact(2).filter_map(|pair| match pair {
        [name, text] => Some((name.clone(), text.clone())),
        _ => None,
    });
    Some(pairs.collect())
}

/// Logs an error with the endpoint's template instead of the path, which can contain the token of a key.
pub(crate) fn log(request: &Request, error: &StoreError) {
    let (method, path) = (&request.method, &request.path);
    let template = match dashboard_endpoint(method, path) {
        Found::Endpoint(endpoint, _) => Some(endpoint.path),
        _ => template(method, path),
    };
    let path = template.unwrap_or("a path that nobody has");
    console_error!("{} {method} {path}: {error}", request.request_id);
}

/// Reads and discards a small body. A connection that is closed while its client is still sending is reset, and the
/// client may never see the response.
async fn drain(visit: &Visit<'_>) {
    let length = visit.request.headers().get("content-length");
    let length = length.ok().flatten();
    let length = length.and_then(|text| text.parse::<usize>().ok());
    if let Some(length @ 1..=DRAINED_MAX_BYTES) = length {
        // A client that stops sending gets the same response.
        drop(read_body(visit.request, length).await);
    }
}

/// Reads the head of a request and whose sign-in it carries; returns the response if that can't be determined.
pub(crate) async fn identified(
    visit: &Visit<'_>,
) -> Result<Request, Result<web_sys::Response, JsValue>> {
    let mut request = head(visit);
    match console::identify(&Edge { visit }, &mut request).await {
        Ok(()) => {
            visit.sender.replace(request.sender());
            Ok(request)
        }
        Err(error) => {
            log(&request, &error);
            let (response, _) = admin::settle(&request, Err(Error::Store(error)));
            Err(respond::administration(&response))
        }
    }
}

/// Answers the console's requests to sign in or out.
pub(crate) async fn sign_in(visit: &Visit<'_>) -> Result<web_sys::Response, JsValue> {
    let request = head(visit);
    visit.sender.replace(request.sender());
    drain(visit).await;
    let (response, error) = console::handle(&Edge { visit }, &request).await;
    if let Some(Error::Store(error)) = error {
        log(&request, &error);
    }
    respond::administration(&response)
}

/// Answers a request to the dashboard API.
pub(crate) async fn dashboard(
    visit: &Visit<'_>,
    mut request: Request,
) -> Result<web_sys::Response, JsValue> {
    if has_body(visit.method) && dashboard::has_credential(&request) {
        let Ok(body) = read_body(visit.request, BODY_MAX_BYTES).await else {
            return respond::administration(&dashboard::broken_off(&request));
        };
        request.body = body;
        if dashboard::is_form(&request) {
            request.form = form(&request).await;
        }
    } else {
        drain(visit).await;
    }
    let (response, trouble) = dashboard::handle(&Edge { visit }, &request).await;
    if let Some(error) = trouble {
        log(&request, &error);
    }
    let opened = match &response.stream {
        Some(message) => stream(visit.env, &response, message).await?,
        None => return respond::administration(&response),
    };
    match opened {
        Ok(opened) => Ok(opened),
        Err(limit) => respond::administration(&dashboard::no_more_streams(&request, &limit)),
    }
}

/// Answers a request to the administration API.
pub(crate) async fn administer(
    visit: &Visit<'_>,
    mut request: Request,
) -> Result<web_sys::Response, JsValue> {
    let edge = Edge { visit };
    // Without the secret or any rights, a client can't make the gateway read an expensive body.
    if has_body(visit.method) && admin::is_authorised(&edge, &request) {
        let max = admin::body_max(&request.path).max(visit.isolate.batch_bytes);
        let Ok(body) = read_body(visit.request, max).await else {
            let (response, _) = admin::settle(&request, Err(Error::broken_off()));
            return respond::administration(&response);
        };
        request.body = body;
    } else {
        drain(visit).await;
    }
    if request.path.starts_with("/ready") {
        // Ready means loaded, so a fresh isolate loads now; if that fails, the response says so.
        seam::ensure_loaded(visit.env).await;
    }
    let (response, error) = admin::handle(&edge, &request).await;
    if let Some(Error::Store(error)) = error {
        log(&request, &error);
    }
    match &response.stream {
        // Lists end by themselves, so their number is not limited.
        Some(message) => {
            let opened = stream(visit.env, &response, message).await?;
            opened.map_err(|_| js_sys::Error::new("the Registry opens no stream").into())
        }
        None => respond::administration(&response),
    }
}

/// The longest body of a request to the OAuth 2.0 server, in bytes: a form with a session in it.
const OAUTH_BODY_MAX: usize = 64 * 1024;

/// Answers a request to an API's OAuth 2.0 server. `call` has the API's id, the path below its listen path and the
/// client's address, one per line.
pub(crate) async fn authorise(visit: &Visit<'_>, call: &str) -> Result<web_sys::Response, JsValue> {
    let edge = Edge { visit };
    let mut lines = call.split('\n').map(str::to_owned);
    let mut line = || lines.next().unwrap_or_default();
    let (api, rest, address) = (line(), line(), line());
    let path = visit.url.path.trim_end_matches('/');
    // The server's path follows the listen path or, for the metadata, may precede it.
    let before = path.strip_prefix('/');
    let before = before.and_then(|path| path.strip_prefix(rest.as_str()));
    let below = before
        .or_else(|| path.strip_suffix(rest.as_str()))
        .unwrap_or(path);
    let scheme = visit.url.scheme();
    let base = format!("{scheme}://{}{below}", visit.url.authority);
    let call = Call {
        base: base.trim_end_matches('/').to_owned(),
        query: visit.url.query.to_owned(),
        api,
        rest,
        address,
    };
    let mut request = head(visit);
    visit.sender.replace(request.sender());
    let read = match has_body(visit.method) {
        true => read_body(visit.request, OAUTH_BODY_MAX).await,
        false => Ok(Vec::new()),
    };
    let answer = match read {
        Err(_) => Err(Error::broken_off()),
        Ok(body) if body.len() > OAUTH_BODY_MAX => Err(Error::TooLarge(OAUTH_BODY_MAX)),
        Ok(body) => {
            request.body = body;
            oauth::answer(&edge, &request, &call).await
        }
    };
    let mut response = answer.unwrap_or_else(|error| {
        if let Error::Store(error) = &error {
            console_error!("{} OAuth of {}: {error}", request.request_id, call.api);
        }
        oauth::failed(&request, &call, error)
    });
    if request.method == "HEAD" {
        response.body.clear();
    }
    respond::administration(&response)
}

/// Returns the response whose body is a stream of the Registry; the inner `Err` is the limit if too many are open.
async fn stream(
    env: &Env,
    answer: &Response,
    message: &str,
) -> Result<Result<web_sys::Response, String>, JsValue> {
    let headers = respond::lines(&respond::pairs(answer));
    let opened = glue::open_stream(env, &headers, message, &answer.stream_of).await?;
    Ok(match opened.as_string() {
        Some(limit) => Err(limit),
        None => Ok(opened.unchecked_into()),
    })
}

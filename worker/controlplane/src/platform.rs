//! The administration's platform: Registry, KV and this isolate.

use crate::backup::KeyVault;
use crate::{Visit, seam};
use gatewright_api::dashboard::endpoint::find as dashboard_endpoint;
use gatewright_api::endpoint::{Found, template};
use gatewright_api::message::{PASSPHRASE_HEADER, REQUEST_ID_HEADER, SECRET_HEADER};
use gatewright_controlplane::admin::oauth::{self, Call};
use gatewright_controlplane::admin::{self, BODY_MAX_BYTES};
use gatewright_controlplane::config::{HealthConfig, OauthConfig};
use gatewright_controlplane::dashboard;
use gatewright_controlplane::egress;
use gatewright_controlplane::error::Error;
use gatewright_controlplane::ports::{
    Component, Egress, Fetched, LedgerCall, Outgoing, Platform, Reloaded, Unfetched, UpstreamFacts,
};
use gatewright_model::definition::Allowed;
use gatewright_model::issue::Issue;
use gatewright_model::openapi::task::Call as OpenApiCall;
use gatewright_protocol::config::KeyConfig;
use gatewright_protocol::debug::DebugReply;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::figures::Span;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::ledger::Verdict;
use gatewright_protocol::registry::{Command, Reply, decode, encode};
use gatewright_protocol::served::{Served, ServedAsk};
use gatewright_protocol::snapshot::{GENERATION_KEY, Generation, ORGS_KEY, Published};
use gatewright_protocol::strangers::{StrangerLimit, Strangers};
use gatewright_worker_egress::Outside;
use gatewright_worker_platform::kv::KvNamespace;
use gatewright_worker_platform::objects::{
    ask, ask_ledger, call_ledger, call_ledgers, call_meter, read_list, read_uptime,
};
use gatewright_worker_platform::time::now;
use gatewright_worker_platform::{glue, read_body, request_id, respond};
use js_sys::{Array, Uint8Array};
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use worker::{Env, console_error, console_log};

/// How long a sign of life counts, so that a public endpoint can't be used to load the storage.
const ALIVE_MS: f64 = 10_000.0;
/// The same for a missing one: whoever waits for the storage should not wait much longer.
const DEAD_MS: f64 = 1_000.0;

/// The headers that the administration reads.
const HEADERS: [&str; 9] = [
    SECRET_HEADER,
    PASSPHRASE_HEADER,
    REQUEST_ID_HEADER,
    "if-match",
    "if-none-match",
    "sec-fetch-site",
    "authorization",
    "content-type",
    "last-event-id",
];

pub(crate) struct Edge<'a> {
    pub(crate) visit: &'a Visit<'a>,
}

impl Edge<'_> {
    fn outside(&self) -> Outside<'_> {
        Outside {
            env: self.visit.env,
            config: self.visit.isolate.egress,
        }
    }
}

/// What both administrative APIs read of a request, its body not yet.
pub(crate) fn head(visit: &Visit<'_>) -> Request {
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
    request
}

/// The largest body that is read for nothing.
const DRAINED_MAX_BYTES: usize = 64 * 1024;

/// True for the methods that come with a body.
fn has_body(method: &str) -> bool {
    matches!(method, "POST" | "PUT" | "PATCH")
}

/// The parts of a form; the runtime reads the format.
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

/// The path stands in the log as its endpoint writes it: that of a key can hold its token.
pub(crate) fn log(request: &Request, error: &StoreError) {
    let (method, path) = (&request.method, &request.path);
    let template = match dashboard_endpoint(method, path) {
        Found::Endpoint(endpoint, _) => Some(endpoint.path),
        _ => template(method, path),
    };
    let path = template.unwrap_or("a path that nobody has");
    console_error!("{} {method} {path}: {error}", request.request_id);
}

/// Reads a small body that nobody wants. A connection that ends while its client still sends is
/// reset, and the client may never see the answer that it got.
async fn drain(visit: &Visit<'_>) {
    let length = visit.request.headers().get("content-length");
    let length = length.ok().flatten();
    let length = length.and_then(|text| text.parse::<usize>().ok());
    if let Some(length @ 1..=DRAINED_MAX_BYTES) = length {
        // Whoever stops sending gets the same answer.
        drop(read_body(visit.request, length).await);
    }
}

/// Answers a request to the dashboard API.
pub(crate) async fn dashboard(visit: &Visit<'_>) -> worker::Result<web_sys::Response> {
    let mut request = head(visit);
    if has_body(visit.method) && dashboard::has_credential(&request) {
        request.body = read_body(visit.request, BODY_MAX_BYTES).await?;
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
        Some(opened) => Ok(opened),
        None => respond::administration(&dashboard::no_more_streams(&request)),
    }
}

/// Answers a request to the administration API.
pub(crate) async fn administer(visit: &Visit<'_>) -> worker::Result<web_sys::Response> {
    let edge = Edge { visit };
    let mut request = head(visit);
    // Who has no secret makes nobody read a body that costs anything.
    if has_body(visit.method) && admin::is_authorised(&edge, &request) {
        let max = admin::body_max(&request.path).max(visit.isolate.batch_bytes);
        request.body = read_body(visit.request, max).await?;
    } else {
        drain(visit).await;
    }
    if request.path.starts_with("/ready") {
        // Ready means loaded, so a fresh isolate loads now; if it can't, the answer says so.
        seam::ensure_loaded(visit.env).await;
    }
    let (response, error) = admin::handle(&edge, &request).await;
    if let Some(Error::Store(error)) = error {
        log(&request, &error);
    }
    match &response.stream {
        // A list ends by itself, so there may be any number of them.
        Some(message) => {
            let opened = stream(visit.env, &response, message).await?;
            opened.ok_or_else(|| worker::Error::from("the Registry opens no stream"))
        }
        None => respond::administration(&response),
    }
}

/// The longest body of a request to the OAuth 2.0 server: a form with a session in it.
const OAUTH_BODY_MAX: usize = 64 * 1024;

/// Answers a request to the OAuth 2.0 server of an API. `call` has a line each for the API's id, the path below its
/// listen path and the client's address.
pub(crate) async fn authorise(visit: &Visit<'_>, call: &str) -> worker::Result<web_sys::Response> {
    let edge = Edge { visit };
    let mut lines = call.split('\n').map(str::to_owned);
    let mut line = || lines.next().unwrap_or_default();
    let (api, rest, address) = (line(), line(), line());
    let path = visit.url.path.trim_end_matches('/');
    // What is asked stands behind the listen path, or for the metadata also before it.
    let before = path.strip_prefix('/');
    let before = before.and_then(|path| path.strip_prefix(rest.as_str()));
    let below = before
        .or_else(|| path.strip_suffix(rest.as_str()))
        .unwrap_or(path);
    let scheme = if visit.url.is_https { "https" } else { "http" };
    let base = format!("{scheme}://{}{below}", visit.url.authority);
    let call = Call {
        base: base.trim_end_matches('/').to_owned(),
        query: visit.url.query.to_owned(),
        api,
        rest,
        address,
    };
    let mut request = head(visit);
    if has_body(visit.method) {
        request.body = read_body(visit.request, OAUTH_BODY_MAX).await?;
    }
    let answer = if request.body.len() > OAUTH_BODY_MAX {
        Err(Error::TooLarge(OAUTH_BODY_MAX))
    } else {
        oauth::answer(&edge, &request, &call).await
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

/// The answer whose body is a stream of the Registry; `None` if there are as many as there may be.
async fn stream(
    env: &Env,
    answer: &Response,
    message: &str,
) -> worker::Result<Option<web_sys::Response>> {
    let headers = respond::lines(&respond::pairs(answer));
    let opened = glue::open_stream(env, &headers, message).await?;
    Ok((!opened.is_undefined()).then(|| opened.unchecked_into()))
}

/// Publishes and serves what was published.
async fn reload(env: &Env) -> Result<Reloaded, StoreError> {
    let text = match ask(env, "publish", "").await {
        Ok(text) => text,
        Err(error) => return Ok(Reloaded::Failed(error.detail)),
    };
    let published: Published = serde_json::from_str(&text)
        .map_err(|error| StoreError::new("read publish reply", error.to_string()))?;
    let generation = Generation {
        generation: published.generation,
        chunks: published.chunks,
        names: published.names,
        ..Generation::default()
    };
    seam::load_generation(env, &generation).await?;
    Ok(Reloaded::Done)
}

async fn component(
    name: &'static str,
    alive: impl Future<Output = Result<(), StoreError>>,
) -> Component {
    let failure = alive.await.err();
    if let Some(error) = &failure {
        console_error!("{name}: {error}");
    }
    Component { name, failure }
}

impl Egress for Edge<'_> {
    fn allows_private(&self) -> bool {
        self.visit.isolate.egress.allow_private
    }

    async fn get(&self, url: &str, max: usize) -> Result<Fetched, Unfetched> {
        self.outside().get(url, max).await
    }

    async fn send(&self, outgoing: &Outgoing) -> Result<u16, Unfetched> {
        self.outside().send(outgoing).await
    }
}

impl Platform for Edge<'_> {
    type Vault = KeyVault;

    async fn vault(&self, passphrase: &str, salt: &str) -> Result<KeyVault, StoreError> {
        KeyVault::open(passphrase, salt).await
    }

    async fn own_vault(&self) -> Result<KeyVault, StoreError> {
        let isolate = self.visit.isolate;
        if let Some(vault) = &*isolate.vault.borrow() {
            return Ok(vault.clone());
        }
        let vault = KeyVault::own(isolate.secret.as_deref().unwrap_or_default()).await?;
        isolate.vault.replace(Some(vault.clone()));
        Ok(vault)
    }

    fn oauth(&self) -> &OauthConfig {
        &self.visit.isolate.oauth
    }

    fn strangers(&self) -> (&RefCell<Strangers>, StrangerLimit) {
        let (strangers, limit) = &self.visit.isolate.strangers;
        (strangers, *limit)
    }

    fn openapi(
        &self,
        call: &OpenApiCall,
        before: &str,
        sent: &str,
    ) -> Result<(String, String), StoreError> {
        seam::openapi(call, before, sent)
    }

    fn rewrites(&self, definition: &str) -> Vec<Issue> {
        let issues = seam::rewrites(definition);
        let issues = issues.and_then(|issues| serde_json::from_str(&issues).ok());
        issues.unwrap_or_default()
    }

    async fn call(&self, command: &Command, text: &str) -> Result<(Reply, String), StoreError> {
        let message = encode(command, text)?;
        let method = if command.writes() { "write" } else { "call" };
        let mut answer = ask(self.visit.env, method, &message).await?;
        let (reply, text) = decode(&answer)?;
        let start = answer.len().saturating_sub(text.len());
        // The document is the rest of the answer; a large array is not copied once more.
        answer.drain(..start);
        Ok((reply, answer))
    }

    async fn reload(&self, wait: bool) -> Result<Reloaded, StoreError> {
        if wait {
            return reload(self.visit.env).await;
        }
        let env = self.visit.env.clone();
        self.visit.context.wait_until(async move {
            match reload(&env).await {
                Ok(Reloaded::Failed(reason)) => console_error!("reload: {reason}"),
                Err(error) => console_error!("reload: {error}"),
                Ok(_) => {}
            }
        });
        Ok(Reloaded::Started)
    }

    async fn components(&self) -> Vec<Component> {
        let now = js_sys::Date::now();
        {
            let (at, components) = &*self.visit.isolate.components.borrow();
            let fails = components
                .iter()
                .any(|component| component.failure.is_some());
            let counts = if fails { DEAD_MS } else { ALIVE_MS };
            if !components.is_empty() && now - at < counts {
                return components.clone();
            }
        }
        let env = self.visit.env;
        let registry = component("registry", async { ask(env, "ping", "").await.map(drop) });
        let kv = component("kv", async {
            KvNamespace(env).get(GENERATION_KEY).await.map(drop)
        });
        let components = vec![registry.await, kv.await];
        self.visit
            .isolate
            .components
            .replace((now, components.clone()));
        components
    }

    async fn file(&self, path: &str) -> Result<Option<String>, StoreError> {
        match glue::asset_text(self.visit.env, &format!("/{path}")).await {
            Ok(text) => Ok(text.as_string()),
            Err(error) => Err(StoreError::new("read a static file", glue::text(&error))),
        }
    }

    fn health(&self) -> HealthConfig {
        self.visit.isolate.health
    }

    async fn figures(&self, span: &Span) -> Result<String, StoreError> {
        let report = seam::take_figures().unwrap_or_default();
        call_meter(self.visit.env, "read", &span.ask(&report)).await
    }

    async fn upstreams(&self, api_id: &str) -> Result<UpstreamFacts, StoreError> {
        let env = self.visit.env;
        Ok(UpstreamFacts {
            breakers: seam::breakers(env, api_id).await,
            list: read_list(env, api_id).await?,
            uptime: read_uptime(env, api_id).await?,
        })
    }

    async fn processes(&self) -> String {
        seam::processes(self.visit.env).await
    }

    fn may_hear_of_tokens(&self) -> bool {
        seam::may_hear_of_tokens()
    }

    async fn served(&self, ask: &ServedAsk) -> Option<Served> {
        let answer = seam::served(self.visit.env, &encode(ask, "").ok()?).await?;
        decode(&answer).ok().map(|(served, _)| served)
    }

    async fn batch(&self, api_id: &str, body: &[u8]) -> Option<Response> {
        let answer = seam::run_batch(self.visit, api_id, body).await?;
        let (status, body) = decode(&answer).ok()?;
        Some(Response::text(status, body.to_owned()))
    }

    async fn debug(&self, body: &str, definition: Option<&str>) -> Result<Response, Error> {
        let answer = seam::debug_request(self.visit, body, definition).await?;
        let (reply, body) = decode(&answer)?;
        match reply {
            DebugReply::Answered(status) => Ok(Response::text(status, body.to_owned())),
            DebugReply::Malformed(issues) => Err(Error::Malformed(issues)),
            DebugReply::Refused(status, text) => Err(Error::Refused(status, text)),
        }
    }

    fn allowed(&self) -> Allowed {
        self.visit.isolate.allowed.clone()
    }

    async fn ledger(&self, name: &str, call: LedgerCall) -> Result<Option<Verdict>, StoreError> {
        let (method, write) = match call {
            LedgerCall::Ask(ask) => {
                return ask_ledger(self.visit.env, name, &ask)
                    .await
                    .map(|(verdict, _)| Some(verdict));
            }
            LedgerCall::Hold(write) => ("hold", write),
            LedgerCall::Release(write) => ("release", write),
        };
        call_ledger(self.visit.env, name, method, &write).await?;
        Ok(None)
    }

    async fn take_counters(&self, ledgers: &[String]) -> Result<Vec<String>, StoreError> {
        let taken = call_ledgers(self.visit.env, "take", &ledgers.join("\n"), "").await?;
        Ok(taken.split('\n').map(str::to_owned).collect())
    }

    async fn put_counters(&self, counters: &[(String, String)]) -> Result<(), StoreError> {
        let mut lines = (String::new(), String::new());
        for (name, counters) in counters {
            for (lines, line) in [(&mut lines.0, name), (&mut lines.1, counters)] {
                if !lines.is_empty() {
                    lines.push('\n');
                }
                lines.push_str(line);
            }
        }
        let put = call_ledgers(self.visit.env, "put", &lines.0, &lines.1).await;
        put.map(drop)
    }

    fn keys(&self) -> KeyConfig {
        self.visit.isolate.keys
    }

    async fn forget_cache(&self, api_id: &str) -> Result<(), StoreError> {
        seam::forget_cache(self.visit.env, api_id).await
    }

    async fn orgs_changed(&self) {
        let list = ask(self.visit.env, "published", ORGS_KEY).await;
        let learnt = match list {
            Ok(list) => seam::learn_organisations(self.visit.env, &list).await,
            Err(error) => Err(error),
        };
        if let Err(error) = learnt {
            console_error!("organisations: {error}");
        }
    }

    fn default_org(&self) -> &str {
        &self.visit.isolate.default_org
    }

    fn loaded(&self) -> bool {
        seam::is_loaded()
    }

    async fn wait(&self, ms: u64) {
        #[expect(clippy::cast_precision_loss, reason = "a few seconds")]
        let ms = ms as f64;
        glue::wait(ms).await;
    }

    fn send_behind(&self, outgoing: Outgoing) {
        let (env, config) = (self.visit.env.clone(), self.visit.isolate.egress);
        self.visit.context.wait_until(async move {
            let outside = Outside { env: &env, config };
            match egress::send(&outside, outgoing).await {
                Ok(200..=299) => {}
                Ok(status) => console_error!("OAuth notification: the server answered {status}"),
                Err(reason) => console_error!("OAuth notification: {reason}"),
            }
        });
    }

    fn log(&self, line: &str) {
        console_log!("{line}");
    }

    fn now(&self) -> String {
        now()
    }

    fn random_id(&self) -> String {
        glue::random_id()
    }

    fn random_token(&self) -> String {
        glue::random_token()
    }

    fn secret(&self) -> Option<&str> {
        self.visit.isolate.secret.as_deref()
    }

    fn dashboard_token(&self) -> Option<&str> {
        self.visit.isolate.dashboard_token.as_deref()
    }
}

//! The administration's platform: Registry, KV and this isolate.

use crate::isolate::Isolate;
use crate::kv::KvNamespace;
use crate::registry::{self, BINDING, NAME};
use crate::{Visit, batch, glue, request_id, respond};
use gatewright_api::message::SECRET_HEADER;
use gatewright_engine::admin::{self, BODY_MAX_BYTES};
use gatewright_engine::error::{Error, StoreError};
use gatewright_engine::http::{Request, Response};
use gatewright_engine::plane::plan::Base;
use gatewright_engine::ports::{Component, Kv, Platform, Reloaded};
use gatewright_engine::registry::protocol::{self, Command, Reply};
use gatewright_engine::registry::publish::{GENERATION_KEY, Generation, Published};
use worker::{Env, Method, RequestInit, console_error};

/// How long a sign of life counts, so that a public endpoint can't be used to load the storage.
const ALIVE_MS: f64 = 10_000.0;
/// The same for a missing one: whoever waits for the storage should not wait much longer.
const DEAD_MS: f64 = 1_000.0;

struct Edge<'a> {
    visit: &'a Visit<'a>,
}

/// Answers a request to the administration API.
pub(crate) async fn administer(visit: &Visit<'_>) -> worker::Result<web_sys::Response> {
    let edge = Edge { visit };
    let mut request = Request {
        method: visit.method.to_owned(),
        path: visit.url.path.to_owned(),
        query: form_urlencoded::parse(visit.url.query.as_bytes())
            .into_owned()
            .collect(),
        headers: [SECRET_HEADER, "if-match", "if-none-match", "sec-fetch-site"]
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), visit.header(name)?)))
            .collect(),
        request_id: request_id(visit.request),
        body: Vec::new(),
    };
    // Who has no secret makes nobody read a body.
    if matches!(visit.method, "POST" | "PUT" | "PATCH") && admin::is_authorised(&edge, &request) {
        let max = BODY_MAX_BYTES.max(visit.isolate.limits.request_bytes);
        request.body = batch::read_body(visit, max).await?;
    }
    if request.path.starts_with("/ready") {
        // Ready means loaded, so a fresh isolate loads now; if it can't, the answer says so.
        if let Err(error) = visit.isolate.ensure(visit.env).await {
            console_error!("{} load: {error}", request.request_id);
        }
    }
    let (response, error) = admin::handle(&edge, &request).await;
    if let Some(Error::Store(error)) = error {
        console_error!(
            "{} {} {}: {error}",
            request.request_id,
            request.method,
            request.path
        );
    }
    respond::administration(&response)
}

/// Sends a message to the Registry and answers its text.
async fn ask(env: &Env, path: &str, message: &str) -> Result<Result<String, String>, StoreError> {
    let failed = |error: worker::Error| StoreError::new("call registry", error.to_string());
    let stub = env
        .durable_object(BINDING)
        .and_then(|space| space.get_by_name(NAME))
        .map_err(failed)?;
    let mut init = RequestInit::new();
    init.with_method(Method::Post)
        .with_body(Some(message.into()));
    let url = format!("http://registry{path}");
    let request = worker::Request::new_with_init(&url, &init).map_err(failed)?;
    let mut response = stub.fetch_with_request(request).await.map_err(failed)?;
    let text = response.text().await.map_err(failed)?;
    Ok(if response.status_code() == 200 {
        Ok(text)
    } else {
        Err(text)
    })
}

async fn publish(env: &Env) -> Result<Result<Published, String>, StoreError> {
    Ok(match ask(env, registry::PUBLISH, "").await? {
        Ok(text) => Ok(serde_json::from_str(&text)
            .map_err(|error| StoreError::new("read publish reply", error.to_string()))?),
        Err(reason) => Err(reason),
    })
}

/// Publishes and serves what was published.
async fn reload(env: &Env) -> Result<Reloaded, StoreError> {
    match publish(env).await? {
        Ok(Published {
            generation, chunks, ..
        }) => {
            Isolate::get(env)
                .load_generation(env, Generation { generation, chunks })
                .await?;
            Ok(Reloaded::Done)
        }
        Err(reason) => Ok(Reloaded::Failed(reason)),
    }
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

impl Platform for Edge<'_> {
    async fn call(&self, command: &Command, text: &str) -> Result<(Reply, String), StoreError> {
        let message = protocol::encode(command, text)?;
        match ask(self.visit.env, registry::CALL, &message).await? {
            Ok(answer) => {
                let (reply, text) = protocol::decode(&answer)?;
                Ok((reply, text.to_owned()))
            }
            Err(detail) => Err(StoreError::new("call registry", detail)),
        }
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
        let registry = component("registry", async {
            ask(env, registry::PING, "")
                .await?
                .map(drop)
                .map_err(|detail| StoreError::new("ping", detail))
        });
        let kv = component("kv", async {
            KvNamespace::open(env)?.get(GENERATION_KEY).await.map(drop)
        });
        let components = vec![registry.await, kv.await];
        self.visit
            .isolate
            .components
            .replace((now, components.clone()));
        components
    }

    async fn batch(&self, api_id: &str, body: &[u8]) -> Option<Response> {
        let snapshot = self.visit.isolate.ensure(self.visit.env).await.ok()?;
        let api = snapshot.router.get(api_id)?;
        if !api.definition.batch {
            let message =
                "The API has no batch endpoint: set enable_batch_request_support and reload";
            let body = gatewright_api::message::StatusMessage::error(message);
            return Some(Response::json(400, &body));
        }
        batch::run(self.visit, &snapshot, api, &Base::of(api), body)
            .await
            .ok()
    }

    fn loaded(&self) -> bool {
        self.visit.isolate.snapshot().is_some()
    }

    fn now(&self) -> String {
        now()
    }

    fn random_id(&self) -> String {
        glue::random_id()
    }

    fn secret(&self) -> Option<&str> {
        self.visit.isolate.secret.as_deref()
    }
}

/// The current time, RFC 3339 in UTC with milliseconds.
pub(crate) fn now() -> String {
    String::from(js_sys::Date::new_0().to_iso_string())
}

//! The administration's platform: Registry, KV and this isolate.

use crate::backup::KeyVault;
use crate::{Visit, seam};
use gatewright_controlplane::config::{EnvironmentConfig, HealthConfig, OauthConfig};
use gatewright_controlplane::egress;
use gatewright_controlplane::error::Error;
use gatewright_controlplane::ports::{
    Component, Egress, Fetched, LedgerCall, Outgoing, Platform, Reloaded, Replied, Unfetched,
    UpstreamFacts,
};
use gatewright_model::certificate::Reading;
use gatewright_model::definition::Allowed;
use gatewright_model::issue::Issue;
use gatewright_model::openapi::task::Call as OpenApiCall;
use gatewright_protocol::caller::Sender;
use gatewright_protocol::config::KeyConfig;
use gatewright_protocol::debug::DebugReply;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::figures::{Failing, Span};
use gatewright_protocol::http::Response;
use gatewright_protocol::ledger::Verdict;
use gatewright_protocol::registry::{Command, Reply, Selection, decode, encode};
use gatewright_protocol::served::{Served, ServedAsk};
use gatewright_protocol::snapshot::{GENERATION_KEY, Generation, Published};
use gatewright_protocol::strangers::{StrangerLimit, Strangers};
use gatewright_worker_egress::Outside;
use gatewright_worker_platform::glue;
use gatewright_worker_platform::kv::KvNamespace;
use gatewright_worker_platform::objects::{
    ask, ask_ledger, call_ledger, call_ledgers, call_meter, publish, read_list, read_uptime,
};
use gatewright_worker_platform::time::now;
use std::cell::RefCell;
use worker::{Env, console_error, console_log};

/// How long a successful health check is reused, so that a public endpoint can't be used to load the storage.
const ALIVE_MS: f64 = 10_000.0;
/// How long a failed one is reused: whoever waits for the storage should not wait much longer.
const DEAD_MS: f64 = 1_000.0;

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
/// Publishes on behalf of `sender`, and serves what was published. A selection has a method of its own, because a
/// Registry of the previous release would publish everything.
async fn reload(
    env: &Env,
    sender: &Sender,
    selection: Option<&Selection>,
) -> Result<Reloaded, StoreError> {
    let Sender { actor, client } = sender;
    let client = encode(client, "")?;
    let outcome = match selection {
        None => publish(env, "publish", actor, &client).await,
        Some(selection) => {
            let message = serde_json::to_string(&(actor, selection))
                .map_err(|error| StoreError::new("encode selection", error.to_string()))?;
            publish(env, "publishSelected", &message, &client).await
        }
    };
    let text = match outcome {
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

    async fn send(&self, outgoing: &Outgoing, max: usize) -> Result<Replied, Unfetched> {
        self.outside().send(outgoing, max).await
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

    fn read_certificate(&self, org: &str, sent: &[u8]) -> Result<Reading, StoreError> {
        seam::read_certificate(org, &self.now(), sent)
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
        let by = command.by(&self.visit.sender.borrow());
        let message = encode(by.as_ref().unwrap_or(command), text)?;
        let method = match command {
            Command::Read { .. } => "read",
            command if command.writes() => "write",
            _ => "call",
        };
        let mut answer = ask(self.visit.env, method, &message).await?;
        let (reply, text) = decode(&answer)?;
        let start = answer.len().saturating_sub(text.len());
        // The document is the rest of the text; this avoids another copy of a large array.
        answer.drain(..start);
        Ok((reply, answer))
    }

    async fn reload(
        &self,
        wait: bool,
        selection: Option<&Selection>,
    ) -> Result<Reloaded, StoreError> {
        let sender = self.visit.sender.borrow().clone();
        if wait {
            return reload(self.visit.env, &sender, selection).await;
        }
        let env = self.visit.env.clone();
        let selection = selection.cloned();
        self.visit.context.wait_until(async move {
            match reload(&env, &sender, selection.as_ref()).await {
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

    async fn failures(&self, failing: &Failing) -> Result<String, StoreError> {
        let question = failing.ask();
        let question = question.map_err(|error| StoreError::new("ask meter", error.to_string()))?;
        call_meter(self.visit.env, "failures", &question).await
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

    fn may_have_token_listeners(&self) -> bool {
        seam::may_have_token_listeners()
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
        match call {
            LedgerCall::Ask(ask) => {
                let answer = ask_ledger(self.visit.env, name, &ask).await;
                answer.map(|(verdict, _)| Some(verdict))
            }
            LedgerCall::Release => {
                call_ledger(self.visit.env, name, "release", "").await?;
                Ok(None)
            }
        }
    }

    async fn take_counters(&self, ledgers: &[String]) -> Result<Vec<String>, StoreError> {
        let counters = call_ledgers(self.visit.env, "take", &ledgers.join("\n"), "").await?;
        Ok(counters.split('\n').map(str::to_owned).collect())
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
        if let Err(error) = seam::learn_organisations(self.visit.env).await {
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

    fn send_later(&self, outgoing: Outgoing) {
        let (env, config) = (self.visit.env.clone(), self.visit.isolate.egress);
        self.visit.context.wait_until(async move {
            let outside = Outside { env: &env, config };
            match egress::send(&outside, outgoing).await {
                Ok((200..=299, _)) => {}
                Ok((status, _)) => {
                    console_error!("OAuth notification: the server answered {status}")
                }
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

    fn environment(&self) -> &EnvironmentConfig {
        &self.visit.isolate.environment
    }

    fn dashboard_token(&self) -> Option<&str> {
        self.visit.isolate.dashboard_token.as_deref()
    }
}

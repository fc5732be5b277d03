//! The platform that the administration needs, in memory.

use super::{DASHBOARD_TOKEN, Memory, ORG};
use crate::traffic::{AUTHORITY, ORIGIN};
use crate::vault::MemoryVault;
use futures_util::FutureExt;
use gatewright_api::openapi;
use gatewright_controlplane::config::{EnvironmentConfig, HealthConfig, OauthConfig};
use gatewright_controlplane::egress;
use gatewright_controlplane::error::Error;
use gatewright_controlplane::ports::{
    Component, Egress, Fetched, Kv, LedgerCall, Outgoing, Platform, Reloaded, Replied, Unfetched,
    UpstreamFacts,
};
use gatewright_controlplane::registry::publish;
use gatewright_dataplane::batch::{self, Base, Scope};
use gatewright_dataplane::config::BatchLimits;
use gatewright_dataplane::publication::Source;
use gatewright_model::certificate::{self, Reading};
use gatewright_model::definition::Allowed;
use gatewright_model::definition::rewrites::{self, Source as Written};
use gatewright_model::issue::Issue;
use gatewright_model::openapi::DocumentKind;
use gatewright_model::openapi::task;
use gatewright_model::schema::{json_schema, openapi_schema};
use gatewright_model::shape::Root;
use gatewright_model::shape::oas::Version;
use gatewright_protocol::config::KeyConfig;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::figures::{Failing, Span};
use gatewright_protocol::http::Response;
use gatewright_protocol::ledger::Verdict;
use gatewright_protocol::registry::{Command, Reply, Selection, decode, encode};
use gatewright_protocol::served::{Served, ServedAsk};
use gatewright_protocol::snapshot::{GENERATION_KEY, Generation, ORGS_KEY};
use gatewright_protocol::strangers::{StrangerLimit, Strangers};
use std::cell::RefCell;

/// Returns what `cargo xtask build` writes into the folder of static files.
fn described(path: &str) -> Option<String> {
    let text = match path {
        "openapi/gateway.json" => openapi::gateway().to_string(),
        "openapi/dashboard.json" => openapi::dashboard().to_string(),
        "openapi/schemas/openapi_3_0.json" => openapi_schema(Version::V3_0, DocumentKind::Oas),
        "openapi/schemas/openapi_3_1.json" => openapi_schema(Version::V3_1, DocumentKind::Oas),
        path => {
            let word = path.strip_prefix("openapi/schemas/")?;
            json_schema(Root::from_word(word.strip_suffix(".json")?)?)
        }
    };
    Some(text + "\n")
}

impl Egress for Memory {
    fn allows_private(&self) -> bool {
        self.web.allows_private()
    }

    async fn get(&self, url: &str, max: usize) -> Result<Fetched, Unfetched> {
        self.web.get(url, max).await
    }

    async fn send(&self, outgoing: &Outgoing, max: usize) -> Result<Replied, Unfetched> {
        self.web.send(outgoing, max).await
    }
}

impl Platform for Memory {
    type Vault = MemoryVault;

    async fn vault(&self, passphrase: &str, salt: &str) -> Result<MemoryVault, StoreError> {
        Ok(MemoryVault::new(passphrase, salt))
    }

    async fn own_vault(&self) -> Result<MemoryVault, StoreError> {
        let secret = self.secret.as_deref().unwrap_or_default();
        Ok(MemoryVault::new(secret, "own"))
    }

    fn oauth(&self) -> &OauthConfig {
        &self.oauth
    }

    fn strangers(&self) -> (&RefCell<Strangers>, StrangerLimit) {
        (&self.strangers, StrangerLimit::default())
    }

    fn read_certificate(&self, org: &str, sent: &[u8]) -> Result<Reading, StoreError> {
        Ok(certificate::read(org, sent, &self.now()))
    }

    fn openapi(
        &self,
        call: &task::Call,
        before: &str,
        sent: &str,
    ) -> Result<(String, String), StoreError> {
        super::openapi(call, before, sent)
    }

    fn rewrites(&self, definition: &str) -> Vec<Issue> {
        let unreadable = self.unreadable.borrow();
        let report = |source: Written| {
            let why = unreadable.get(&source.text);
            why.map_or_else(
                || "{}".to_owned(),
                |why| serde_json::json!({ "error": why }).to_string(),
            )
        };
        let reports: Vec<String> = rewrites::sources(definition)
            .into_iter()
            .map(report)
            .collect();
        rewrites::broken(definition, &reports)
    }

    async fn call(&self, command: &Command, text: &str) -> Result<(Reply, String), StoreError> {
        if command.writes() {
            self.act_before_write();
        }
        // As between an isolate and the Durable Object.
        let by = command.by(&self.sender.borrow());
        let message = encode(by.as_ref().unwrap_or(command), text)?;
        let answer = self.ask(&message)?;
        let (reply, text) = decode(&answer)?;
        Ok((reply, text.to_owned()))
    }

    async fn reload(
        &self,
        wait: bool,
        selection: Option<&Selection>,
    ) -> Result<Reloaded, StoreError> {
        let sender = self.sender.borrow().clone();
        self.registry.borrow_mut().reload_for(sender);
        let published = publish::publish(&self.registry, &self.kv, selection, &self.now()).await;
        let reloaded = match published {
            Ok(published) => {
                let generation = Generation {
                    generation: published.generation,
                    chunks: published.chunks,
                    names: published.names,
                    ..Generation::default()
                };
                let taken = self.publication();
                let taken = taken.take(&self.source(), generation).await;
                taken.map(|_| Reloaded::Done)
            }
            Err(error) => Ok(Reloaded::Failed(error.to_string())),
        };
        // The alarm tries again what fails.
        let _ = self.keep_up().await;
        if wait {
            return reloaded;
        }
        // A caller that doesn't wait isn't told the result.
        match reloaded {
            Ok(Reloaded::Failed(reason)) => self.log(&format!("reload: {reason}")),
            Err(error) => self.log(&format!("reload: {error}")),
            Ok(_) => {}
        }
        Ok(Reloaded::Started)
    }

    async fn components(&self) -> Vec<Component> {
        let failure = self.kv.get(GENERATION_KEY).await.err();
        vec![
            Component {
                name: "registry",
                failure: None,
            },
            Component {
                name: "kv",
                failure,
            },
        ]
    }

    async fn debug(&self, body: &str, definition: Option<&str>) -> Result<Response, Error> {
        self.debugged(body, definition).await
    }

    fn allowed(&self) -> Allowed {
        self.allowed.borrow().clone()
    }

    async fn file(&self, path: &str) -> Result<Option<String>, StoreError> {
        Ok(described(path))
    }

    fn health(&self) -> HealthConfig {
        self.health
    }

    async fn figures(&self, span: &Span) -> Result<String, StoreError> {
        let mut meter = self.meter.borrow_mut();
        meter.1.push(span.clone());
        Ok(meter.0.clone())
    }

    async fn failures(&self, failing: &Failing) -> Result<String, StoreError> {
        let mut meter = self.failures.borrow_mut();
        meter.1.push(failing.clone());
        Ok(meter.0.clone())
    }

    async fn upstreams(&self, _: &str) -> Result<UpstreamFacts, StoreError> {
        Ok(self.upstreams.borrow().clone())
    }

    async fn processes(&self) -> String {
        let generation = self.snapshot().map_or_else(
            || "-".to_owned(),
            |snapshot| snapshot.generation.to_string(),
        );
        format!("objects {generation} 2097152\nprocess-1 - 0")
    }

    fn may_have_token_listeners(&self) -> bool {
        self.snapshot().is_none_or(|set| set.hears_of_tokens)
    }

    async fn served(&self, ask: &ServedAsk) -> Option<Served> {
        // As between two modules.
        let message = encode(ask, "").ok()?;
        let (ask, _) = decode::<ServedAsk>(&message).ok()?;
        let answer = encode(&self.snapshot()?.served(&ask), "").ok()?;
        decode::<Served>(&answer).ok().map(|(served, _)| served)
    }

    async fn batch(&self, api_id: &str, body: &[u8]) -> Option<Response> {
        let snapshot = self.snapshot()?;
        let api = snapshot.router.get(api_id)?;
        if !api.definition.batch {
            return Some(batch::disabled());
        }
        let scope = Scope {
            snapshot: &snapshot,
            isolate: &self.isolate(),
            api,
            base: &Base::listening(api),
            scheme: "http",
            authority: AUTHORITY,
            connection_address: ORIGIN.into(),
            client_address: ORIGIN.into(),
        };
        Some(batch::run(&scope, &BatchLimits::default(), body, self).await)
    }

    async fn ledger(&self, name: &str, call: LedgerCall) -> Result<Option<Verdict>, StoreError> {
        match call {
            LedgerCall::Release => {
                self.isolate.check("release")?;
                let ms = self.ledgers.release(name, self.now_ms());
                self.isolate.waited(ms);
                Ok(None)
            }
            LedgerCall::Ask(ask) => {
                self.isolate.check(name)?;
                Ok(Some(self.consume(name, &ask)?.0))
            }
        }
    }

    async fn take_counters(&self, ledgers: &[String]) -> Result<Vec<String>, StoreError> {
        self.isolate.check("take")?;
        let taken = ledgers
            .iter()
            .map(|name| self.ledgers.take_counters(name, self.now_ms()));
        Ok(taken.collect())
    }

    async fn put_counters(&self, counters: &[(String, String)]) -> Result<(), StoreError> {
        self.isolate.check("put")?;
        counters.iter().try_for_each(|(name, counters)| {
            self.ledgers.put_counters(name, counters, self.now_ms())
        })
    }

    fn keys(&self) -> KeyConfig {
        KeyConfig {
            hash: self.gate.hash,
            passwords: self.passwords,
            min_token_length: self.gate.min_token_length,
            allow_master_keys: self.gate.allow_master_keys,
            binds_paths: self.settings.anchors.prefix,
        }
    }

    async fn forget_cache(&self, api_id: &str) -> Result<(), StoreError> {
        self.isolate.check("forget cache")?;
        self.isolate
            .record_round(vec![format!("forget cache {api_id}")]);
        Ok(())
    }

    async fn orgs_changed(&self) {
        let list = self.source().registry(ORGS_KEY).await;
        let learnt = list.and_then(|list| self.publication().learn_orgs(&list.unwrap()));
        if let Err(error) = learnt {
            self.log(&format!("organisations: {error}"));
        }
    }

    fn default_org(&self) -> &str {
        ORG
    }

    fn loaded(&self) -> bool {
        self.snapshot().is_some()
    }

    async fn wait(&self, ms: u64) {
        self.isolate.waited(ms);
        Self::wait(self, ms.div_ceil(1000));
    }

    fn send_later(&self, outgoing: Outgoing) {
        let sent = egress::send(&self.web, outgoing);
        // Servers in memory answer at once.
        let line = match sent.now_or_never() {
            Some(Ok((200..=299, _))) => return,
            ended => format!("OAuth notification: {ended:?}"),
        };
        self.log.borrow_mut().push(line);
    }

    fn log(&self, line: &str) {
        self.log.borrow_mut().push(line.to_owned());
    }

    /// Each reading of the clock is a second later than the one before.
    fn now(&self) -> String {
        self.clock.now()
    }

    fn random_id(&self) -> String {
        format!("{:032x}", self.clock.number())
    }

    fn random_token(&self) -> String {
        // The last character of 32 bytes in base64 has two unused bits.
        format!("{:0>42}A", self.random_id())
    }

    fn secret(&self) -> Option<&str> {
        self.secret.as_deref()
    }

    fn environment(&self) -> &EnvironmentConfig {
        &self.environment
    }

    fn dashboard_token(&self) -> Option<&str> {
        Some(DASHBOARD_TOKEN)
    }
}

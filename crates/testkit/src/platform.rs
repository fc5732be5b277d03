//! A whole administration in memory.

use crate::isolate::Guard;
use crate::kv::MemoryKv;
use crate::ledgers::Ledgers;
use crate::sql::FaultySql;
use crate::sqlite::Sqlite;
use crate::traffic::{AUTHORITY, ORIGIN};
use crate::vault::MemoryVault;
use crate::web::MemoryWeb;
use gatewright_api::endpoint::Operation;
use gatewright_api::openapi;
use gatewright_api::paths::is_dashboard;
use gatewright_controlplane::admin::{self, backup};
use gatewright_controlplane::config::{HealthConfig, LifetimeConfig, WebhookConfig};
use gatewright_controlplane::dashboard;
use gatewright_controlplane::error::Error;
use gatewright_controlplane::ports::{
    Component, Egress, Fetched, Kv, LedgerCall, Outgoing, Platform, Reloaded, Unfetched,
};
use gatewright_controlplane::registry::Registry;
use gatewright_controlplane::registry::deliveries::pump;
use gatewright_controlplane::registry::publish;
use gatewright_controlplane::registry::stream;
use gatewright_dataplane::batch::{self, Base, Scope};
use gatewright_dataplane::chain::Settings;
use gatewright_dataplane::config::{BatchLimits, IdentityConfig};
use gatewright_dataplane::snapshot::Snapshot;
use gatewright_model::definition::Allowed;
use gatewright_model::schema::json_schema;
use gatewright_model::shape::Root;
use gatewright_protocol::config::KeyConfig;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::figures::Span;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_protocol::pseudonym::Pseudonyms;
use gatewright_protocol::registry::{Command, Reply, decode, encode};
use gatewright_protocol::served::{Served, ServedAsk};
use gatewright_protocol::snapshot::{self, GENERATION_KEY, Generation};
use gatewright_protocol::time::millis;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The secret of every [`Memory`].
pub const SECRET: &str = "0123456789abcdef";

/// The `DASHBOARD_TOKEN` of every [`Memory`].
pub const DASHBOARD_TOKEN: &str = "fedcba9876543210";

/// The default organisation of every [`Memory`].
pub const ORG: &str = "default";

/// How links are set up unless a test says otherwise.
fn settings() -> Settings {
    Settings {
        max_body_bytes: 1024 * 1024,
        random_id: Some(|| "made-up".to_owned()),
        ..Settings::default()
    }
}

/// The Registry over a database.
fn registry(sql: &FaultySql<Sqlite>) -> Registry {
    let pseudonyms = Pseudonyms::new(secret_alone("GATEWAY_SECRET"));
    Registry::new(sql.clone(), ORG).calling_keys(pseudonyms)
}

/// The variables of an operator who has set nothing but the secret.
fn secret_alone(name: &str) -> Option<String> {
    (name == "GATEWAY_SECRET").then(|| SECRET.to_owned())
}

/// A clock that every look at makes a second later, until it stands still.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    seconds: Rc<Cell<u64>>,
    is_still: Rc<Cell<bool>>,
}

impl Clock {
    /// Another number each time.
    fn tick(&self) -> u64 {
        if !self.is_still.get() {
            self.wait(1);
        }
        self.seconds.get()
    }

    fn now(&self) -> String {
        let tick = self.tick();
        format!(
            "2026-01-01T{:02}:{:02}:{:02}.000Z",
            tick / 3600 % 24,
            tick / 60 % 60,
            tick % 60
        )
    }

    pub(crate) fn now_ms(&self) -> u64 {
        millis(&self.now()).unwrap()
    }

    fn wait(&self, seconds: u64) {
        let later = self.seconds.get().checked_add(seconds);
        self.seconds.set(later.unwrap());
    }
}

/// Registry, KV and one isolate.
#[derive(Debug)]
pub struct Memory {
    /// The Registry's database, to restart it or make it fail.
    pub sql: FaultySql<Sqlite>,
    /// The KV namespace.
    pub kv: MemoryKv,
    /// The servers of somebody else.
    pub web: MemoryWeb,
    /// How keys are recognised, here and by the administration.
    pub gate: IdentityConfig,
    /// How the links of chains are set up, from the next load on.
    pub settings: Settings,
    /// What the isolate keeps, and whom it has asked.
    pub guard: Rc<Guard>,
    /// The addresses that upstreams of APIs were called at.
    pub calls_upstream: RefCell<Vec<String>>,
    /// How figures are reported.
    pub health: HealthConfig,
    /// What the Meter answers, and what it has been asked.
    pub meter: RefCell<(String, Vec<Span>)>,
    /// The lines of the log.
    pub log: Rc<RefCell<Vec<String>>>,
    registry: RefCell<Registry>,
    snapshot: RefCell<Option<Rc<Snapshot>>>,
    pub(crate) ledgers: Rc<Ledgers>,
    secret: Option<String>,
    allowed: RefCell<Allowed>,
    pub(crate) clock: Clock,
}

impl Default for Memory {
    fn default() -> Self {
        Self::with_secret(Some(SECRET))
    }
}

impl Memory {
    /// A platform with this secret.
    #[must_use]
    pub fn with_secret(secret: Option<&str>) -> Self {
        let sql = FaultySql::default();
        Self {
            registry: RefCell::new(registry(&sql)),
            sql,
            kv: MemoryKv::default(),
            web: MemoryWeb::default(),
            gate: IdentityConfig::read(secret_alone, ORG.to_owned()),
            settings: settings(),
            guard: Rc::default(),
            calls_upstream: RefCell::default(),
            health: HealthConfig::read(|_| None),
            meter: RefCell::default(),
            log: Rc::default(),
            snapshot: RefCell::new(None),
            ledgers: Rc::default(),
            secret: secret.map(str::to_owned),
            allowed: RefCell::default(),
            clock: Clock::default(),
        }
    }

    /// Ends the Registry and starts it anew on the same rows.
    pub fn restart(&self) {
        self.registry.replace(registry(&self.sql));
        self.snapshot.replace(None);
        self.ledgers.restart();
    }

    /// Keeps so many notifications of each organisation from now on.
    pub fn keep_notices(&self, kept: u64) {
        let registry = registry(&self.sql).keeping(kept);
        self.registry.replace(registry);
    }

    /// Lets APIs be served from now on although those members have no effect.
    pub fn allow_unenforced(&self, names: &str) {
        let allowed = Allowed::parse(names);
        let registry = registry(&self.sql).allowing(allowed.clone());
        self.registry.replace(registry);
        self.allowed.replace(allowed);
    }

    /// The current time in milliseconds since 1970.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    /// Asks the Registry with a message of its protocol.
    pub(crate) fn ask(&self, message: &str) -> Result<String, StoreError> {
        let (command, text) = decode(message)?;
        let mut registry = self.registry.borrow_mut();
        let (reply, text) = registry.handle(&command, text, &self.now())?;
        encode(&reply, &text)
    }

    /// Asks the Ledger of this name, with the texts that go over to it and back.
    ///
    /// # Errors
    /// If the Registry fails.
    pub fn consume(&self, name: &str, ask: &Consume) -> Result<(Verdict, String), StoreError> {
        let message = encode(ask, "")?;
        let answer = self
            .ledgers
            .consume(name, &message, self.now_ms(), |question| self.ask(question))?;
        let (verdict, text) = decode(&answer)?;
        Ok((verdict, text.to_owned()))
    }

    /// The set that is served now.
    #[must_use]
    pub fn snapshot(&self) -> Option<Rc<Snapshot>> {
        self.snapshot.borrow().clone()
    }

    /// Loads what KV says is published, as a fresh isolate does.
    ///
    /// # Errors
    /// As an isolate's load.
    pub async fn load(&self) -> Result<(), StoreError> {
        let generation: Generation = match self.kv.get(GENERATION_KEY).await? {
            Some(text) => serde_json::from_str(&text)
                .map_err(|error| StoreError::new("read generation", error.to_string()))?,
            None => Generation::default(),
        };
        let mut snapshot = Snapshot::empty(generation.generation, self.settings.clone());
        for chunk in 0..generation.chunks {
            let text = self
                .kv
                .get(&snapshot::key(generation.generation, chunk))
                .await?;
            snapshot.add_chunk(&text.unwrap_or_default())?;
        }
        self.snapshot.replace(Some(Rc::new(snapshot)));
        Ok(())
    }

    /// True if the last reload did not end.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        self.registry.borrow_mut().is_unfinished().unwrap()
    }

    /// From now on time passes only with [`Self::wait`].
    pub fn stop_clock(&self) {
        self.clock.is_still.set(true);
    }

    /// Lets so many seconds pass.
    pub fn wait(&self, seconds: u64) {
        self.clock.wait(seconds);
    }

    /// Delivers what is due, as the alarm does. Answers when the next one is due, in milliseconds
    /// since 1970.
    ///
    /// # Errors
    /// As the run.
    pub async fn deliver(&self) -> Result<Option<u64>, StoreError> {
        let clock = || millis(&self.now()).unwrap();
        let tell = |line: &str| self.log.borrow_mut().push(line.to_owned());
        let config = WebhookConfig::default();
        pump::run(&self.registry, self, &clock, &config, &tell).await?;
        self.registry.borrow_mut().next_delivery()
    }

    /// Deletes keys whose time is over, as the alarm does.
    ///
    /// # Errors
    /// As the Registry.
    pub fn bury(&self) -> Result<(), StoreError> {
        let ledgers = self.registry.borrow_mut().bury(&self.now())?;
        let lines = self.registry.borrow_mut().take_lines();
        self.log.borrow_mut().extend(lines);
        for ledger in ledgers {
            self.consume(&ledger, &Consume::look())?;
        }
        Ok(())
    }

    /// When the next key ends, in milliseconds since 1970.
    #[must_use]
    pub fn next_end(&self) -> Option<u64> {
        self.registry.borrow_mut().next_end().unwrap()
    }

    /// The Ledgers that have anything stored.
    #[must_use]
    pub fn stored_ledgers(&self) -> Vec<String> {
        self.ledgers.stored()
    }

    /// Sets how long the records of keys are kept, until [`Self::restart`].
    pub fn set_lifetimes(&self, lifetimes: LifetimeConfig) {
        let registry = registry(&self.sql);
        self.registry.replace(registry.with_lifetimes(lifetimes));
    }

    /// Looks for what a stream sends.
    ///
    /// # Errors
    /// As the look.
    pub fn look(&self, message: &str) -> Result<String, StoreError> {
        stream::look(&mut self.registry.borrow_mut(), message, &self.now())
    }

    /// Sends a request with the secret.
    pub async fn send(&self, method: &str, target: &str, body: &str) -> Response {
        self.send_with(method, target, body, &[("x-gateway-authorization", SECRET)])
            .await
    }

    /// Sends a request with these headers only.
    pub async fn send_with(
        &self,
        method: &str,
        target: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Response {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let request = Request {
            method: method.to_owned(),
            path: path.to_owned(),
            query: pairs
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: body.as_bytes().to_vec(),
            request_id: "request".to_owned(),
            ..Request::default()
        };
        self.answer(&request).await
    }

    /// Answers a request that is complete.
    pub async fn answer(&self, request: &Request) -> Response {
        if is_dashboard(&request.path) {
            return dashboard::handle(self, request).await.0;
        }
        let streamed = match backup::streams(self, request) {
            None => return admin::handle(self, request).await.0,
            Some(Operation::Export) => self.exported(request).await,
            Some(_) => self.imported(request).await,
        };
        admin::settle(request, streamed).0
    }

    async fn exported(&self, request: &Request) -> Result<Response, Error> {
        let mut export = backup::Export::begin(self, request).await?;
        let mut response = export.head();
        while let Some(part) = export.next(self).await? {
            response.body.push_str(&part);
        }
        Ok(response)
    }

    async fn imported(&self, request: &Request) -> Result<Response, Error> {
        let mut import = backup::Import::begin(request)?;
        // A body comes in parts of any length.
        for part in request.body.chunks(1000) {
            import.feed(self, part).await?;
        }
        import.end(self).await
    }
}

/// What `cargo xtask build` writes into the folder of static files.
fn described(path: &str) -> Option<String> {
    let text = match path {
        "openapi/gateway.json" => openapi::gateway().to_string(),
        "openapi/dashboard.json" => openapi::dashboard().to_string(),
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

    async fn send(&self, outgoing: &Outgoing) -> Result<u16, Unfetched> {
        self.web.send(outgoing).await
    }
}

impl Platform for Memory {
    type Vault = MemoryVault;

    async fn vault(&self, passphrase: &str, salt: &str) -> Result<MemoryVault, StoreError> {
        Ok(MemoryVault::new(passphrase, salt))
    }

    async fn call(&self, command: &Command, text: &str) -> Result<(Reply, String), StoreError> {
        // As between an isolate and the Durable Object.
        let message = encode(command, text)?;
        let answer = self.ask(&message)?;
        let (reply, text) = decode(&answer)?;
        Ok((reply, text.to_owned()))
    }

    async fn reload(&self, wait: bool) -> Result<Reloaded, StoreError> {
        let reloaded = match publish::publish(&self.registry, &self.kv, &self.now()).await {
            Ok(_) => self.load().await.map(|()| Reloaded::Done),
            Err(error) => Ok(Reloaded::Failed(error.to_string())),
        };
        if wait {
            return reloaded;
        }
        // Who does not wait hears nothing of how it ends.
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
            LedgerCall::Hold => {
                self.guard.check("hold")?;
                self.ledgers.hold(name, self.now_ms());
            }
            LedgerCall::Release => {
                self.guard.check("release")?;
                let ms = self.ledgers.release(name, self.now_ms());
                if ms > 0 {
                    self.guard.waited(ms);
                }
            }
            LedgerCall::Ask(ask) => {
                self.guard.check(name)?;
                return Ok(Some(self.consume(name, &ask)?.0));
            }
        }
        Ok(None)
    }

    async fn take_counters(&self, ledgers: &[String]) -> Result<Vec<String>, StoreError> {
        self.guard.check("take")?;
        let taken = ledgers
            .iter()
            .map(|name| self.ledgers.take_counters(name, self.now_ms()));
        Ok(taken.collect())
    }

    async fn put_counters(&self, counters: &[(String, String)]) -> Result<(), StoreError> {
        self.guard.check("put")?;
        counters.iter().try_for_each(|(name, counters)| {
            self.ledgers.put_counters(name, counters, self.now_ms())
        })
    }

    fn keys(&self) -> KeyConfig {
        KeyConfig {
            hash: self.gate.hash,
            min_token_length: self.gate.min_token_length,
            allow_master_keys: self.gate.allow_master_keys,
            binds_paths: self.settings.anchors.prefix,
        }
    }

    async fn orgs_changed(&self) -> Result<(), StoreError> {
        self.learn_orgs()
    }

    fn default_org(&self) -> &str {
        ORG
    }

    fn loaded(&self) -> bool {
        self.snapshot.borrow().is_some()
    }

    async fn wait(&self, ms: u64) {
        self.guard.waited(ms);
        Self::wait(self, ms.div_ceil(1000));
    }

    fn log(&self, line: &str) {
        self.log.borrow_mut().push(line.to_owned());
    }

    /// Every look at the clock is a second later than the one before.
    fn now(&self) -> String {
        self.clock.now()
    }

    fn random_id(&self) -> String {
        format!("{:032x}", self.clock.tick())
    }

    fn random_token(&self) -> String {
        // The last character of 32 bytes in base64 has two bits that say nothing.
        format!("{:0>42}A", self.random_id())
    }

    fn secret(&self) -> Option<&str> {
        self.secret.as_deref()
    }

    fn dashboard_token(&self) -> Option<&str> {
        Some(DASHBOARD_TOKEN)
    }
}

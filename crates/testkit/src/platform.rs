//! A complete administration in memory.

mod alarm;
mod clock;
mod meanwhile;
mod port;
mod requests;

pub(crate) use clock::Clock;

use crate::isolate::IsolateState;
use crate::kv::MemoryKv;
use crate::ledgers::Ledgers;
use crate::sql::FaultySql;
use crate::sqlite::Sqlite;
use crate::web::MemoryWeb;
use gatewright_api::upstreams::UptimeHealth;
use gatewright_controlplane::config::{
    EnvironmentConfig, HealthConfig, LifetimeConfig, OauthConfig, Retention,
};
use gatewright_controlplane::ports::{Kv, Platform, UpstreamFacts};
use gatewright_controlplane::registry::Registry;
use gatewright_controlplane::registry::handover::{Handover, Handovers};
use gatewright_controlplane::registry::stream;
use gatewright_dataplane::chain::Settings;
use gatewright_dataplane::config::IdentityConfig;
use gatewright_dataplane::publication::{Publication, Source};
use gatewright_dataplane::snapshot::Snapshot;
use gatewright_model::definition::Allowed;
use gatewright_model::openapi::task;
use gatewright_protocol::caller::Sender;
use gatewright_protocol::error::{STORED, StoreError};
use gatewright_protocol::figures::{Failing, Span};
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_protocol::pseudonym::Pseudonyms;
use gatewright_protocol::registry::{decode, encode};
use gatewright_protocol::strangers::Strangers;
use gatewright_protocol::token::HashFunction;
use meanwhile::Meanwhile;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The secret of every [`Memory`].
pub const SECRET: &str = "0123456789abcdef";

/// The `DASHBOARD_TOKEN` of every [`Memory`].
pub const DASHBOARD_TOKEN: &str = "fedcba9876543210";

/// The default organisation of every [`Memory`].
pub const ORG: &str = "default";

/// Returns how links are configured unless a test changes it.
fn settings() -> Settings {
    Settings {
        max_body_bytes: 1024 * 1024,
        random_id: Some(|| "made-up".to_owned()),
        ..Settings::default()
    }
}

/// Does the work of the module for OpenAPI documents.
fn openapi(call: &task::Call, before: &str, sent: &str) -> Result<(String, String), StoreError> {
    let (report, text) = task::run(call, before, sent);
    let report = serde_json::to_string(&report)
        .map_err(|error| StoreError::new("openapi", error.to_string()))?;
    Ok((report, text))
}

/// Creates a Registry over a database.
fn registry(sql: &FaultySql<Sqlite>) -> Registry {
    let pseudonyms = Pseudonyms::new(secret_alone("GATEWAY_SECRET"));
    Registry::new(sql.clone(), ORG)
        .with_shards(1)
        .with_pseudonyms(pseudonyms)
        .with_openapi(openapi)
}

/// Returns the variables of an operator who has set nothing but the secret.
fn secret_alone(name: &str) -> Option<String> {
    (name == "GATEWAY_SECRET").then(|| SECRET.to_owned())
}

/// The source from which the isolate of a [`Memory`] reads what is published.
#[derive(Debug)]
pub struct Published<'a> {
    memory: &'a Memory,
}

impl Source for Published<'_> {
    async fn kv(&self, key: &str) -> Result<Option<String>, StoreError> {
        let kv = self.memory.kv.at(&self.memory.location.borrow());
        kv.get(key).await
    }

    async fn registry(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.memory.isolate.check("published")?;
        self.memory.registry.borrow_mut().published(key)
    }

    async fn wait(&self, ms: u32) {
        self.memory.clock.wait(u64::from(ms).div_ceil(1000));
    }

    fn now_ms(&self) -> u64 {
        self.memory.clock.at_ms()
    }

    fn settings(&self) -> Settings {
        self.memory.settings.clone()
    }
}

/// The Registry, KV and one isolate.
#[derive(Debug)]
pub struct Memory {
    /// The Registry's database, to restart it or make it fail.
    pub sql: FaultySql<Sqlite>,
    /// The KV namespace.
    pub kv: MemoryKv,
    /// The servers of third parties.
    pub web: MemoryWeb,
    /// How keys are recognised, by the isolate and by the administration.
    pub gate: IdentityConfig,
    /// How passwords are hashed; `None` means bcrypt.
    pub passwords: Option<HashFunction>,
    /// How the links of chains are configured, from the next load on.
    pub settings: Settings,
    /// The isolate's state, and a record of its calls.
    pub isolate: Rc<IsolateState>,
    /// The addresses at which upstreams of APIs were called.
    pub upstream_calls: RefCell<Vec<String>>,
    /// How figures are reported.
    pub health: HealthConfig,
    /// How the OAuth 2.0 server issues codes and tokens.
    pub oauth: OauthConfig,
    strangers: RefCell<Strangers>,
    /// The Meter's reply, and the queries it has received.
    pub meter: RefCell<(String, Vec<Span>)>,
    /// The same for failed requests.
    pub failures: RefCell<(String, Vec<Failing>)>,
    /// What other objects report about upstreams.
    pub upstreams: RefCell<UpstreamFacts>,
    /// Filters and templates that the modules which run them can't read, with the reason.
    pub unreadable: RefCell<BTreeMap<String, String>>,
    /// The lines of the log.
    pub log: Rc<RefCell<Vec<String>>>,
    registry: RefCell<Registry>,
    /// The location of the isolate.
    location: RefCell<String>,
    pub(crate) ledgers: Rc<Ledgers>,
    /// The gateway secret.
    pub secret: Option<String>,
    /// Which of several gateways this is.
    pub environment: EnvironmentConfig,
    allowed: RefCell<Allowed>,
    /// Who sent the current request.
    pub(crate) sender: RefCell<Sender>,
    meanwhile: Meanwhile,
    pub(crate) clock: Clock,
}

impl Default for Memory {
    fn default() -> Self {
        Self::with_secret(Some(SECRET))
    }
}

impl Memory {
    /// Creates a platform with this secret.
    #[must_use]
    pub fn with_secret(secret: Option<&str>) -> Self {
        let sql = FaultySql::default();
        Self {
            registry: RefCell::new(registry(&sql)),
            sql,
            kv: MemoryKv::default(),
            web: MemoryWeb::default(),
            gate: IdentityConfig::read(secret_alone, ORG.to_owned()),
            passwords: None,
            settings: settings(),
            isolate: Rc::default(),
            location: RefCell::new("isolate".to_owned()),
            upstream_calls: RefCell::default(),
            health: HealthConfig::read(|_| None),
            oauth: OauthConfig::default(),
            strangers: RefCell::default(),
            upstreams: RefCell::new(UpstreamFacts {
                uptime: serde_json::to_string(&UptimeHealth::default()).unwrap(),
                ..UpstreamFacts::default()
            }),
            meter: RefCell::default(),
            failures: RefCell::default(),
            unreadable: RefCell::default(),
            log: Rc::default(),
            ledgers: Rc::default(),
            secret: secret.map(str::to_owned),
            environment: EnvironmentConfig {
                console_hosts: vec!["gateway.test".to_owned()],
                ..EnvironmentConfig::default()
            },
            allowed: RefCell::default(),
            sender: RefCell::default(),
            meanwhile: Meanwhile::default(),
            clock: Clock::default(),
        }
    }

    /// Creates a platform whose KV behaves like the edge on a bad day, with the Registry and the isolate at two
    /// locations.
    #[must_use]
    pub fn at_edge() -> Self {
        let memory = Self::default();
        let kv = MemoryKv::at_edge(memory.clock.clone()).at("registry");
        Self { kv, ..memory }
    }

    /// Replaces the isolate by a fresh one at another location.
    pub fn move_to(&self, location: &str) {
        self.location.replace(location.to_owned());
        self.isolate.publication.take();
    }

    /// Restarts the Registry on the same rows.
    pub fn restart(&self) {
        self.registry.replace(registry(&self.sql));
        self.isolate.publication.take();
        self.ledgers.restart();
    }

    /// Returns how many APIs and how many other documents the Registry holds in memory.
    #[must_use]
    pub fn held(&self) -> (usize, usize) {
        self.registry.borrow().held()
    }

    /// Sets how many notifications are kept per organisation.
    pub fn keep_notices(&self, kept: u64) {
        let registry = registry(&self.sql).with_notices_kept(kept);
        self.registry.replace(registry);
    }

    /// Allows APIs to be served although these members have no effect.
    pub fn allow_unenforced(&self, names: &str) {
        let allowed = Allowed::parse(names);
        let registry = registry(&self.sql).with_allowed(allowed.clone());
        self.registry.replace(registry);
        self.allowed.replace(allowed);
    }

    /// Returns the current time in Unix milliseconds.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    /// Sends the Registry a message of its protocol.
    pub(crate) fn ask(&self, message: &str) -> Result<String, StoreError> {
        let (command, text) = decode(message)?;
        let handle = |registry: &mut Registry| registry.handle(&command, text, &self.now());
        let (reply, text) = self.lending(handle)?;
        encode(&reply, &text)
    }

    /// Runs a step of the Registry with the sessions that it wants, and hands over what it has written, as the Durable
    /// Object does.
    pub(crate) fn lending<T>(
        &self,
        run: impl Fn(&mut Registry) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        loop {
            let mut registry = self.registry.borrow_mut();
            let done = run(&mut registry);
            let wanted = registry.take_wanted();
            if wanted.is_empty() || done.is_ok() {
                drop(registry);
                let done = done?;
                let handed_over = self.hand_over();
                handed_over
                    .map_err(|error| StoreError::new("hand over", format!("{STORED}: {error}")))?;
                return Ok(done);
            }
            for ledger in wanted {
                let answer = self.ledgers.kept(&ledger, self.now_ms());
                registry.lend(&ledger, &answer.unwrap_or_default())?;
            }
        }
    }

    /// Carries out the handovers that are open, as the alarm does.
    ///
    /// # Errors
    /// If the Registry or a Ledger fails.
    pub fn hand_over_open(&self) -> Result<(), StoreError> {
        let (open, _) = self.registry.borrow_mut().open_handovers()?;
        self.carry_out(open, true)
    }

    /// Hands over what the last commands have written, and all that are open if they say so.
    fn hand_over(&self) -> Result<(), StoreError> {
        let Handovers { list, drains } = self.registry.borrow_mut().take_handovers();
        self.carry_out(list, drains)
    }

    fn carry_out(&self, mut handovers: Vec<Handover>, drains: bool) -> Result<(), StoreError> {
        while !handovers.is_empty() || drains {
            self.isolate.check("keep")?;
            // Ends first: a key that replaces another one continues its counters.
            handovers.sort_by_key(|handover| !handover.after.is_empty());
            let mut kept = Vec::new();
            for handover in handovers {
                let now = self.now_ms();
                let counters = match handover.after.as_str() {
                    "" => String::new(),
                    after => self.ledgers.take_counters(after, now),
                };
                let (ledger, message) = (&handover.ledger, &handover.message);
                let (_, wait_ms) = self.ledgers.keep(ledger, message, &counters, now)?;
                if wait_ms > 0 {
                    self.isolate.waited(wait_ms);
                    self.wait(wait_ms.div_ceil(1000));
                }
                kept.push((handover.ledger, handover.revision));
            }
            let mut registry = self.registry.borrow_mut();
            registry.kept(&kept)?;
            handovers = match drains {
                true => registry.open_handovers()?.0,
                false => Vec::new(),
            };
            if handovers.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Calls the Ledger with this name, with the encoded messages.
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

    /// Returns the set that is served now.
    #[must_use]
    pub fn snapshot(&self) -> Option<Rc<Snapshot>> {
        self.publication().snapshot()
    }

    /// Returns what the isolate knows of what is published.
    pub(crate) fn publication(&self) -> Rc<Publication> {
        Rc::clone(&self.isolate.publication.borrow())
    }

    /// Loads what is published, like a fresh isolate.
    ///
    /// # Errors
    /// As for an isolate's load; the previous set is still served then.
    pub async fn load(&self) -> Result<(), StoreError> {
        let fresh = Rc::new(Publication::default());
        fresh.ensure(&self.source()).await?;
        self.isolate.publication.replace(fresh);
        Ok(())
    }

    /// Looks for a newer set, as an isolate does every few seconds.
    ///
    /// # Errors
    /// As for an isolate's look; the previous set is still served then.
    pub async fn check_for_new_set(&self) -> Result<(), StoreError> {
        self.publication().look(&self.source()).await
    }

    /// Returns what the Registry answers if KV has nothing under a key.
    #[must_use]
    pub fn published(&self, key: &str) -> Option<String> {
        self.registry.borrow_mut().published(key).unwrap()
    }

    /// Returns the source from which the isolate reads what is published.
    #[must_use]
    pub const fn source(&self) -> Published<'_> {
        Published { memory: self }
    }

    /// Sets how many documents of a kind an organisation may have.
    pub fn bound_documents(&self, most: usize) {
        let registry = registry(&self.sql).with_documents_per_org(most);
        self.registry.replace(registry);
    }

    /// Sets the maximum size of a published set in bytes.
    pub fn bound_sets(&self, bytes: usize) {
        let registry = registry(&self.sql).with_set_bytes(bytes);
        self.registry.replace(registry);
    }

    /// Stops the clock: from now on it advances only by [`Self::wait`].
    pub fn stop_clock(&self) {
        self.clock.is_still.set(true);
    }

    /// Advances the clock.
    pub fn wait(&self, seconds: u64) {
        self.clock.wait(seconds);
    }

    /// Enables the removal of whatever is past its retention.
    pub fn retain(&self, retention: Retention) {
        let registry = registry(&self.sql).with_retention(Some(retention));
        self.registry.replace(registry);
    }

    /// Returns the Ledgers that have anything stored.
    #[must_use]
    pub fn stored_ledgers(&self) -> Vec<String> {
        self.ledgers.stored()
    }

    /// Returns the sessions that Ledgers have stored.
    #[must_use]
    pub fn stored_sessions(&self) -> String {
        self.ledgers.sessions()
    }

    /// Sets how long the records of keys are kept, until [`Self::restart`].
    pub fn set_lifetimes(&self, lifetimes: LifetimeConfig) {
        let registry = registry(&self.sql);
        self.registry.replace(registry.with_lifetimes(lifetimes));
    }

    /// Returns what an event stream sends next.
    ///
    /// # Errors
    /// As for [`stream::look`].
    pub fn look(&self, message: &str) -> Result<String, StoreError> {
        stream::look(&mut self.registry.borrow_mut(), message, &self.now())
    }
}

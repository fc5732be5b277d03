//! What an isolate holds between requests: its configuration and the set of APIs it serves.

use crate::ledger;
use gatewright_dataplane::chain::Settings;
use gatewright_dataplane::config::IdentityConfig;
use gatewright_dataplane::config::{BatchLimits, Hosts};
use gatewright_dataplane::events::outbox::Outbox;
use gatewright_dataplane::figures::Figures;
use gatewright_dataplane::isolate::{self, Asked, Direct};
use gatewright_dataplane::leases::Leases;
use gatewright_dataplane::proofs::Proofs;
use gatewright_dataplane::publication::{Publication, Source};
use gatewright_dataplane::sessions::Sessions;
use gatewright_dataplane::snapshot::{Api, Snapshot};
use gatewright_dataplane::upstreams::{Answers, Upstreams};
use gatewright_protocol::config::report_seconds;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::{Event, Handler};
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_worker_platform::kv::KvNamespace;
use gatewright_worker_platform::objects::ask;
use gatewright_worker_platform::time::{now, now_ms};
use gatewright_worker_platform::{default_org, glue, variable};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use worker::{Env, console_log};

/// The default number of seconds between two checks for a new generation.
const CHECK_SECONDS: u32 = 5;

thread_local! {
    static ISOLATE: OnceCell<Rc<Isolate>> = const { OnceCell::new() };
}

/// The state of this isolate, which has one thread, so that cells suffice.
pub(crate) struct Isolate {
    pub(crate) hosts: Hosts,
    pub(crate) limits: BatchLimits,
    /// How keys are recognised.
    pub(crate) identity: IdentityConfig,
    /// How chains are set up.
    pub(crate) settings: Settings,
    /// The sessions of keys that this isolate has met.
    pub(crate) sessions: RefCell<Sessions>,
    /// The credentials that this isolate has seen proved.
    pub(crate) proofs: RefCell<Proofs>,
    /// What this isolate may admit without asking a Ledger.
    pub(crate) leases: RefCell<Leases>,
    /// State of upstreams that lasts from one request to the next.
    pub(crate) upstreams: RefCell<Upstreams>,
    /// Lists and tokens from other servers for upstreams.
    pub(crate) answers: RefCell<Answers>,
    /// Events that are waiting to be sent to the Registry.
    pub(crate) outbox: RefCell<Outbox>,
    /// The set of APIs it serves, and which organisations have a session.
    pub(crate) publication: Publication,
    /// What has been counted since the last report.
    pub(crate) figures: RefCell<Figures>,
    /// Seconds between two reports of the figures.
    pub(crate) report_seconds: u32,
    check_ms: f64,
    checked_at: Cell<f64>,
}

impl Isolate {
    /// Returns the isolate's state, created from its bindings on first use.
    pub(crate) fn get(env: &Env) -> Rc<Self> {
        ISOLATE.with(|isolate| Rc::clone(isolate.get_or_init(|| Rc::new(Self::new(env)))))
    }

    /// Returns the isolate's state, if a request has already created it.
    pub(crate) fn current() -> Option<Rc<Self>> {
        ISOLATE.with(|isolate| isolate.get().cloned())
    }

    fn new(env: &Env) -> Self {
        let variable = |name: &str| variable(env, name);
        let host = |name| variable(name).unwrap_or_default();
        // Integers only: the tables for parsing fractions would add 14 kB to the module.
        let seconds: Option<u32> =
            variable("RELOAD_CHECK_SECONDS").and_then(|text| text.trim().parse().ok());
        Self {
            hosts: Hosts::read(&host("GATEWAY_HOST"), &host("CONSOLE_HOST")),
            limits: BatchLimits::read(variable),
            identity: IdentityConfig::read(variable, default_org(env)),
            settings: settings(variable),
            sessions: RefCell::default(),
            proofs: RefCell::new(Proofs::new(glue::random_uuid())),
            leases: RefCell::new(Leases::new(glue::random_uuid())),
            // If several processes serve, each asks the one with the objects.
            upstreams: RefCell::new(match variable("PROCESS") {
                Some(_) => Upstreams::copy(),
                None => Upstreams::default(),
            }),
            answers: RefCell::default(),
            outbox: RefCell::default(),
            publication: Publication::default(),
            figures: RefCell::default(),
            report_seconds: report_seconds(variable),
            check_ms: f64::from(seconds.unwrap_or(CHECK_SECONDS)) * 1000.0,
            checked_at: Cell::new(0.0),
        }
    }

    /// Returns the set that is being served, if one has been loaded.
    pub(crate) fn snapshot(&self) -> Option<Rc<Snapshot>> {
        self.publication.snapshot()
    }

    /// Returns the set that is being served; only the first requests of an isolate wait for it.
    ///
    /// # Errors
    /// If neither KV nor the Registry has it.
    pub(crate) async fn ensure(&self, env: &Env) -> Result<Rc<Snapshot>, StoreError> {
        match self.snapshot() {
            Some(snapshot) => Ok(snapshot),
            None => {
                self.checked_at.set(js_sys::Date::now());
                self.publication.ensure(&self.source(env)).await
            }
        }
    }

    /// Returns where it reads what is published.
    pub(crate) const fn source<'a>(&'a self, env: &'a Env) -> Published<'a> {
        Published { env, isolate: self }
    }

    /// Whether it is time to look for a new generation.
    pub(crate) fn check_would_be_due(&self, now: f64) -> bool {
        now - self.checked_at.get() >= self.check_ms
    }

    /// Returns true once per interval; the caller then looks for a new generation in the background.
    pub(crate) fn check_is_due(&self) -> bool {
        let now = js_sys::Date::now();
        let due = self.check_would_be_due(now);
        if due {
            self.checked_at.set(now);
        }
        due
    }
}

/// What is published, read from KV and the Registry.
pub(crate) struct Published<'a> {
    env: &'a Env,
    isolate: &'a Isolate,
}

impl Source for Published<'_> {
    async fn kv(&self, key: &str) -> Result<Option<String>, StoreError> {
        KvNamespace(self.env).get(key).await
    }

    async fn registry(&self, key: &str) -> Result<Option<String>, StoreError> {
        let text = ask(self.env, "published", key).await?;
        Ok((!text.is_empty()).then_some(text))
    }

    async fn wait(&self, ms: u32) {
        glue::wait(ms.into()).await;
    }

    fn now_ms(&self) -> u64 {
        now_ms()
    }

    fn settings(&self) -> Settings {
        self.isolate.settings.clone()
    }
}

/// Reads how the chains of this isolate are set up.
fn settings(variable: impl Fn(&str) -> Option<String>) -> Settings {
    Settings {
        random_id: Some(glue::random_uuid),
        ..Settings::read(variable)
    }
}

impl isolate::Isolate for Isolate {
    fn now_ms(&self) -> u64 {
        now_ms()
    }

    fn sessions(&self) -> &RefCell<Sessions> {
        &self.sessions
    }

    fn proofs(&self) -> &RefCell<Proofs> {
        &self.proofs
    }

    fn trust(&self) -> (u64, Rc<str>) {
        self.publication.trust()
    }

    fn has_session(&self, org: &str) -> bool {
        self.publication.has_session(org)
    }

    fn config(&self) -> &IdentityConfig {
        &self.identity
    }

    fn leases(&self) -> &RefCell<Leases> {
        &self.leases
    }

    fn upstreams(&self) -> &RefCell<Upstreams> {
        &self.upstreams
    }

    fn answers(&self) -> &RefCell<Answers> {
        &self.answers
    }

    fn count_directly(&self, ledger: &str, ask: &Consume) -> Direct {
        ledger::count_directly(ledger, ask)
    }

    fn counted(&self, api_id: &str, asked: Asked<'_>, verdict: &Verdict) {
        let mut figures = self.figures.borrow_mut();
        figures.counted(api_id, asked, verdict, now_ms());
    }

    fn missed(&self, api_id: &str) {
        self.figures.borrow_mut().missed(api_id);
    }

    fn raise(&self, api: &Api, event: Event) {
        for handler in api.handlers.of(event.kind) {
            if let Handler::Log(prefix) = handler {
                console_log!("{}", event.line(prefix, &now()));
            }
        }
        self.outbox
            .borrow_mut()
            .put(&api.handlers, &event, now_ms());
    }
}

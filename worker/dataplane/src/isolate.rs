//! What an isolate keeps between requests: its configuration and the set of APIs it serves.

use crate::ledger;
use futures_util::future::try_join_all;
use gatewright_api::session::KeyList;
use gatewright_dataplane::chain::Settings;
use gatewright_dataplane::config::IdentityConfig;
use gatewright_dataplane::config::{BatchLimits, Hosts};
use gatewright_dataplane::events::outbox::Outbox;
use gatewright_dataplane::figures::Figures;
use gatewright_dataplane::isolate::{self, Asked, Direct};
use gatewright_dataplane::leases::Leases;
use gatewright_dataplane::sessions::Sessions;
use gatewright_dataplane::snapshot::{Api, Snapshot};
use gatewright_protocol::config::report_seconds;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::{Event, Handler};
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_protocol::snapshot::{self, GENERATION_KEY, Generation, ORGS_KEY};
use gatewright_worker_platform::kv::KvNamespace;
use gatewright_worker_platform::time::{now, now_ms};
use gatewright_worker_platform::{default_org, glue, variable};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use worker::{Env, console_log};

/// Seconds between two looks at the published generation.
const CHECK_SECONDS: u32 = 5;

thread_local! {
    static ISOLATE: OnceCell<Rc<Isolate>> = const { OnceCell::new() };
}

/// The state of this isolate. Its one thread makes cells enough.
pub(crate) struct Isolate {
    pub(crate) hosts: Hosts,
    pub(crate) limits: BatchLimits,
    /// How keys are recognised.
    pub(crate) identity: IdentityConfig,
    /// How chains are set up.
    pub(crate) settings: Settings,
    /// The sessions of keys that this isolate has met.
    pub(crate) sessions: RefCell<Sessions>,
    /// What this isolate may admit without asking.
    pub(crate) leases: RefCell<Leases>,
    /// The events that the Registry has to be sent.
    pub(crate) outbox: RefCell<Outbox>,
    /// The organisations that have a session.
    pub(crate) orgs: RefCell<BTreeSet<String>>,
    /// What has been counted since the last report.
    pub(crate) figures: RefCell<Figures>,
    /// Seconds between two reports of it.
    pub(crate) report_seconds: u32,
    check_ms: f64,
    snapshot: RefCell<Option<Rc<Snapshot>>>,
    checked_at: Cell<f64>,
}

impl Isolate {
    /// The isolate's state, made from its bindings on first use.
    pub(crate) fn get(env: &Env) -> Rc<Self> {
        ISOLATE.with(|isolate| Rc::clone(isolate.get_or_init(|| Rc::new(Self::new(env)))))
    }

    /// The isolate's state, if a request has made it already.
    pub(crate) fn current() -> Option<Rc<Self>> {
        ISOLATE.with(|isolate| isolate.get().cloned())
    }

    fn new(env: &Env) -> Self {
        let variable = |name: &str| variable(env, name);
        let host = |name| variable(name).unwrap_or_default();
        // Whole ones: the tables that reading a fraction takes are 14 kB of the module.
        let seconds: Option<u32> =
            variable("RELOAD_CHECK_SECONDS").and_then(|text| text.trim().parse().ok());
        Self {
            hosts: Hosts::read(&host("GATEWAY_HOST"), &host("CONSOLE_HOST")),
            limits: BatchLimits::read(variable),
            identity: IdentityConfig::read(variable, default_org(env)),
            settings: settings(variable),
            sessions: RefCell::default(),
            leases: RefCell::new(Leases::new(glue::random_uuid())),
            outbox: RefCell::default(),
            orgs: RefCell::default(),
            figures: RefCell::default(),
            report_seconds: report_seconds(variable),
            check_ms: f64::from(seconds.unwrap_or(CHECK_SECONDS)) * 1000.0,
            snapshot: RefCell::new(None),
            checked_at: Cell::new(0.0),
        }
    }

    /// The set that is served now, if one has been loaded.
    pub(crate) fn snapshot(&self) -> Option<Rc<Snapshot>> {
        self.snapshot.borrow().clone()
    }

    /// The set that is served now; only the first request of an isolate waits for it.
    ///
    /// # Errors
    /// If KV can't be read.
    pub(crate) async fn ensure(&self, env: &Env) -> Result<Rc<Snapshot>, StoreError> {
        match self.snapshot() {
            Some(snapshot) => Ok(snapshot),
            None => {
                self.checked_at.set(js_sys::Date::now());
                self.load(env).await
            }
        }
    }

    /// True if it is time to look for a new generation.
    pub(crate) fn check_would_be_due(&self) -> bool {
        js_sys::Date::now() - self.checked_at.get() >= self.check_ms
    }

    /// True once per interval: then the caller looks for a new generation, in the background.
    pub(crate) fn check_is_due(&self) -> bool {
        let due = self.check_would_be_due();
        if due {
            self.checked_at.set(js_sys::Date::now());
        }
        due
    }

    /// Loads the published generation unless it is the one that is served.
    ///
    /// # Errors
    /// If KV can't be read or a chunk is broken. The set before keeps serving.
    pub(crate) async fn load(&self, env: &Env) -> Result<Rc<Snapshot>, StoreError> {
        let kv = KvNamespace(env);
        if let Some(list) = kv.get(ORGS_KEY).await? {
            self.learn_orgs(&list)?;
        }
        let published = match kv.get(GENERATION_KEY).await? {
            Some(text) => serde_json::from_str(&text)
                .map_err(|error| StoreError::new("read generation", error.to_string()))?,
            None => Generation::default(),
        };
        match self
            .snapshot()
            .filter(|loaded| loaded.generation == published.generation)
        {
            Some(loaded) => Ok(loaded),
            None => self.load_generation(env, published).await,
        }
    }

    /// Takes the list of organisations that have a session.
    ///
    /// # Errors
    /// If it is malformed.
    pub(crate) fn learn_orgs(&self, list: &str) -> Result<(), StoreError> {
        let list: KeyList = serde_json::from_str(list)
            .map_err(|error| StoreError::new("read organisations", error.to_string()))?;
        let mut orgs = BTreeSet::new();
        orgs.extend(list.keys);
        self.orgs.replace(orgs);
        Ok(())
    }

    /// Loads a generation that is known to be published, and serves it from now on.
    ///
    /// # Errors
    /// If KV can't be read or a chunk is broken. The set before keeps serving.
    pub(crate) async fn load_generation(
        &self,
        env: &Env,
        wanted: Generation,
    ) -> Result<Rc<Snapshot>, StoreError> {
        let kv = KvNamespace(env);
        let chunks = (0..wanted.chunks).map(async |chunk| {
            let key = snapshot::key(wanted.generation, chunk);
            let missing = || StoreError::new("read snapshot", format!("{key} is missing"));
            kv.get(&key).await?.ok_or_else(missing)
        });
        let mut snapshot = Snapshot::empty(wanted.generation, self.settings.clone());
        for text in try_join_all(chunks).await? {
            snapshot.add_chunk(&text)?;
        }
        let snapshot = Rc::new(snapshot);
        // A slower load of an older set must not undo a newer one.
        let newer = self
            .snapshot()
            .filter(|loaded| loaded.generation > wanted.generation);
        Ok(newer.unwrap_or_else(|| {
            self.snapshot.replace(Some(Rc::clone(&snapshot)));
            snapshot
        }))
    }
}

/// How the chains of this isolate are set up.
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

    fn has_session(&self, org: &str) -> bool {
        self.orgs.borrow().contains(org)
    }

    fn config(&self) -> &IdentityConfig {
        &self.identity
    }

    fn leases(&self) -> &RefCell<Leases> {
        &self.leases
    }

    fn count_directly(&self, ledger: &str, ask: &Consume) -> Direct {
        ledger::count_directly(ledger, ask)
    }

    fn counted(&self, api_id: &str, asked: Asked<'_>, verdict: &Verdict) {
        let mut figures = self.figures.borrow_mut();
        figures.counted(api_id, asked, verdict, now_ms());
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

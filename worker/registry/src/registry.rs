//! The Durable Object that owns the documents: it loads, lets the control plane decide, and replies.

mod handovers;
mod reloads;

use crate::alarm::Alarm;
use crate::kv::PublishedSet;
use crate::sql::ObjectSql;
use crate::stream::announce;
use futures_util::future::join4;
use futures_util::lock::Mutex;
use gatewright_controlplane::config::{
    EgressConfig, LifetimeConfig, Retention, SignInConfig, WebhookConfig, allowed,
    documents_per_org, notifications_kept, set_bytes,
};
use gatewright_controlplane::registry::Registry as Documents;
use gatewright_controlplane::registry::coalesce::{Coalescer, Collector};
use gatewright_controlplane::registry::deliveries::pump;
use gatewright_controlplane::registry::handover::Handovers;
use gatewright_controlplane::registry::publish;
use gatewright_controlplane::registry::stream;
use gatewright_protocol::caller::Sender;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::pseudonym::Pseudonyms;
use gatewright_protocol::registry::{Command, Reply, Selection, decode, encode};
use gatewright_protocol::snapshot::Published;
use gatewright_worker_egress::Outside;
use gatewright_worker_platform::time::{now, now_ms as clock};
use gatewright_worker_platform::{default_org, glue, variable};
use handovers::with_handovers;
use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;
use worker::worker_sys::DurableObjectState;
use worker::{Env, State, console_error, console_log};

/// Milliseconds until a retry after a storage error, and until a reload is checked for having been cut off.
const RETRY_MS: u64 = 10_000;
/// Milliseconds until the list of organisations is written, if nothing else has written it.
const REPAIR_MS: u64 = 1000;

/// The owner of every administered document.
#[wasm_bindgen]
pub struct Registry {
    env: Env,
    documents: RefCell<Documents>,
    /// Held by the reload that is under way; only one runs at a time.
    reload_lock: Mutex<()>,
    reloads: RefCell<Coalescer<Result<Published, StoreError>>>,
    writes: Cell<Collector>,
    alarm: Alarm,
    /// Whether notifications are being delivered.
    delivering: Cell<bool>,
    /// Whether the list of organisations is being written to KV.
    writing_orgs: Cell<bool>,
}

/// The methods that `objects/registry.js` calls.
#[wasm_bindgen]
impl Registry {
    /// Opens the object over its storage.
    #[wasm_bindgen(constructor)]
    pub fn new(state: DurableObjectState, env: Env) -> Self {
        let state = State::from(state);
        let sql = ObjectSql::new(state.storage());
        let lifetimes = LifetimeConfig::read(|name| variable(&env, name));
        let allowed = allowed(|name| variable(&env, name));
        for name in allowed.unknown() {
            console_error!("ALLOW_UNENFORCED: no member of a definition is called {name}");
        }
        let documents = Documents::new(sql, &default_org(&env))
            .with_lifetimes(lifetimes)
            .with_sign_ins(SignInConfig::read(|name| variable(&env, name)))
            .with_allowed(allowed)
            .with_pseudonyms(Pseudonyms::new(variable(&env, "GATEWAY_SECRET")))
            .with_documents_per_org(documents_per_org(|name| variable(&env, name)))
            .with_set_bytes(set_bytes(|name| variable(&env, name)))
            .with_retention(retention(&env))
            .with_notices_kept(notifications_kept(|name| variable(&env, name)))
            .with_shards(
                variable(&env, "LEDGER_SHARDS")
                    .and_then(|text| text.trim().parse().ok())
                    .unwrap_or(0),
            )
            .with_openapi(crate::openapi::ask);
        let alarm = Alarm::new(state.storage());
        let object = Self {
            env,
            documents: RefCell::new(documents),
            reload_lock: Mutex::new(()),
            reloads: RefCell::default(),
            writes: Cell::default(),
            alarm,
            delivering: Cell::new(false),
            writing_orgs: Cell::new(false),
        };
        // What was due when the previous object ended is still due.
        object.set_alarm();
        // Uptime tests may have been switched on since.
        glue::wake_uptime(&object.env);
        object
    }

    /// Does what is due.
    pub async fn alarm(&self) {
        let reload = self.alarm.rung(clock());
        self.sweep();
        self.send_counts();
        join4(
            self.catch_up(reload),
            self.keep_up(),
            self.remove_old_sets(),
            self.deliver(),
        )
        .await;
        self.set_alarm();
    }

    /// Carries out a command of [`protocol`]. Returns the reply; or a list, if the caller has something to do before it
    /// leaves: the reply, what Ledgers have to keep, and whether all [open handovers](Self::open_handovers) have to be
    /// kept, too; or, if the command wants sessions, undefined and the names of their Ledgers: once these are
    /// [lent](Self::lend), it is called again. `collects` says whether generated keys are handed over later
    /// ([`Documents::set_collecting`]).
    ///
    /// # Errors
    /// If the rows can't be read or written; nothing has changed then.
    pub fn call(&self, message: &str, collects: bool) -> Result<JsValue, JsError> {
        self.documents.borrow_mut().set_collecting(collects);
        let reply = self.carry_out(message);
        self.finished(reply).map_err(|error| js_error(&error))
    }

    /// Carries out writes that arrived together, in the transaction that the caller has opened
    /// ([`Documents::handle_all`]). Returns for each what [`Self::call`] does, or an [`Error`](js_sys::Error). Once they
    /// are committed, the caller tells those who wait for them ([`Self::tell`]).
    ///
    /// # Errors
    /// If the transaction has to be rolled back, and each write carried out on its own, or all again if they want
    /// sessions ([`Self::wanted`]).
    #[expect(
        clippy::needless_pass_by_value,
        reason = "JavaScript hands over a list of its own"
    )]
    pub fn write(&self, messages: Vec<String>) -> Result<Vec<JsValue>, JsError> {
        let commands = messages.iter().map(|message| decode::<Command>(message));
        let commands = commands
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| js_error(&error))?;
        let answers = self.documents.borrow_mut().handle_all(&commands, &now());
        let answers = answers.ok_or_else(|| JsError::new("one of the writes has failed"))?;
        self.wake_for(answers.iter().any(|(_, handovers)| !handovers.is_empty()));
        let answer = |(answer, handovers): (Result<(Reply, String), StoreError>, Handovers)| {
            let (reply, text) = answer?;
            Ok(with_handovers(encode(&reply, &text)?, handovers))
        };
        let answers = answers.into_iter().map(answer);
        let answers = answers
            .map(|answer| answer.unwrap_or_else(|error: StoreError| js_error(&error).into()));
        Ok(answers.collect())
    }

    /// Tells streams, deliveries and the log what was stored.
    pub fn tell(&self) {
        for line in self.documents.borrow_mut().take_lines() {
            console_log!("{line}");
        }
        if !self.documents.borrow_mut().take_news() {
            return;
        }
        announce();
        if self.delivering.get() {
            self.documents.borrow().ring();
        }
    }

    /// Whether this many collected writes should wait for another turn of the event loop ([`Collector`]).
    pub fn waits(&self, writes: u32) -> bool {
        let mut collector = self.writes.get();
        let waits = collector.waits(writes);
        self.writes.set(collector);
        waits
    }

    /// Returns what a stream of notifications sends next ([`stream::look`]).
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn look(&self, message: &str) -> Result<String, JsError> {
        let looked = stream::look(&mut self.documents.borrow_mut(), message, &now());
        looked.map_err(|error| js_error(&error))
    }

    /// Publishes what is stored and returns a [`Published`] as JSON.
    ///
    /// # Errors
    /// If KV or the rows fail; what was published before stays published.
    pub async fn publish(
        &self,
        actor: Option<String>,
        client: Option<String>,
    ) -> Result<String, JsError> {
        let sender = sender(actor.unwrap_or_default(), client.as_deref())?;
        let published = self
            .publish_in_turn(sender)
            .await
            .map_err(|error| js_error(&error))?;
        Ok(serde_json::to_string(&published)?)
    }

    /// Publishes a selection, and returns the same as [`Self::publish`]. The message is JSON: the actor and a
    /// [`Selection`].
    ///
    /// # Errors
    /// If the selection can't be read or published, or KV or the rows fail; what was published before stays published.
    #[wasm_bindgen(js_name = publishSelected)]
    pub async fn publish_selected(
        &self,
        message: String,
        client: Option<String>,
    ) -> Result<String, JsError> {
        let (actor, selection): (String, Selection) = serde_json::from_str(&message)?;
        let sender = sender(actor, client.as_deref())?;
        let published = self
            .publish_only(sender, &selection)
            .await
            .map_err(|error| js_error(&error))?;
        Ok(serde_json::to_string(&published)?)
    }

    /// Returns what KV should have under a key; `None` if the key isn't published.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn published(&self, key: &str) -> Result<Option<String>, JsError> {
        let found = self.documents.borrow_mut().published(key);
        found.map_err(|error| js_error(&error))
    }

    /// Returns the material with which an isolate signs and checks signatures, a certificate's, as JSON; `None` if
    /// there is no such certificate.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn certificate(&self, id: &str) -> Result<Option<String>, JsError> {
        let found = self.documents.borrow().certificate(id);
        found.map_err(|error| js_error(&error))
    }

    /// Whether KV lacks the newest list of organisations and nothing is about to write it.
    #[wasm_bindgen(js_name = isBehind)]
    pub fn is_behind(&self) -> bool {
        let due = self.documents.borrow_mut().orgs_due();
        !self.writing_orgs.get() && due.is_ok_and(|due| due.is_some())
    }

    /// Writes the list to KV, as often as KV allows, until it is the newest.
    #[wasm_bindgen(js_name = keepUp)]
    pub async fn keep_up(&self) {
        if self.writing_orgs.replace(true) {
            return;
        }
        if let Err(error) = self.write_orgs().await {
            console_error!("organisations: {error}");
        }
        self.writing_orgs.set(false);
        self.set_alarm();
    }

    /// Checks that the rows can be read.
    ///
    /// # Errors
    /// If they can't.
    pub fn ping(&self) -> Result<(), JsError> {
        self.documents
            .borrow()
            .ping()
            .map_err(|error| js_error(&error))
    }
}

/// Reads the limits on retention; `None`, so that everything is retained, while a variable is invalid.
fn retention(env: &Env) -> Option<Retention> {
    let wrong = match Retention::read(|name| variable(env, name)) {
        Ok(retention) => return Some(retention),
        Err(wrong) => wrong,
    };
    for line in wrong {
        console_error!("{line}; until it is right nothing of the past is removed");
    }
    None
}

/// Returns who asks for a reload. An isolate of the previous release sends no client, and no actor for a holder of the
/// gateway secret.
fn sender(actor: String, client: Option<&str>) -> Result<Sender, JsError> {
    let mut sender = Sender::default();
    if !actor.is_empty() {
        sender.actor = actor;
    }
    if let Some(client) = client {
        let (client, _) = decode(client).map_err(|error| js_error(&error))?;
        sender.client = client;
    }
    Ok(sender)
}

/// Logs an error where it occurs, and returns its text for the caller, which is this worker.
fn js_error(error: &StoreError) -> JsError {
    console_error!("registry: {error}");
    JsError::new(&error.to_string())
}

impl Registry {
    /// Carries out a command in one turn without an `await`: nothing can come between reading and writing, and the
    /// reply waits in the output gate until the writes are durable
    /// (<https://blog.cloudflare.com/durable-objects-easy-fast-correct-choose-three/>).
    fn carry_out(&self, message: &str) -> Result<String, StoreError> {
        let (command, text) = decode(message)?;
        let (reply, text) = self.documents.borrow_mut().handle(&command, text, &now())?;
        self.wake();
        encode(&reply, &text)
    }

    /// Writes the list of organisations to KV until it is the newest.
    async fn write_orgs(&self) -> Result<(), StoreError> {
        loop {
            let due = self.documents.borrow_mut().orgs_due()?;
            let Some(at) = due else {
                return Ok(());
            };
            // A minute at most.
            let wait = u32::try_from(at.saturating_sub(clock())).unwrap_or(0);
            if wait > 0 {
                glue::wait(wait.into()).await;
            }
            publish::write_orgs(&self.documents, &PublishedSet::of(&self.env), clock()).await?;
        }
    }

    /// Deletes a portion of the history that is past its retention.
    fn sweep(&self) {
        let swept = self.documents.borrow_mut().sweep(&now());
        if let Err(error) = swept {
            console_error!("retention: {error}");
            self.alarm.pause_until(clock().saturating_add(RETRY_MS));
        }
        self.wake();
    }

    /// Raises the events that were counted in seconds that are over.
    fn send_counts(&self) {
        let sent = self.documents.borrow_mut().send_counts(&now());
        if let Err(error) = sent {
            console_error!("events: some lost: {error}");
        }
        self.wake();
    }

    /// Sends the webhook calls that are due.
    async fn deliver(&self) {
        let variable = |name: &str| variable(&self.env, name);
        let outside = Outside {
            env: &self.env,
            config: EgressConfig::read(variable),
        };
        let config = WebhookConfig::read(variable);
        self.delivering.set(true);
        let log = |line: &str| console_error!("{line}");
        let ended = pump::run(&self.documents, &outside, &clock, &config, &log).await;
        self.delivering.set(false);
        if let Err(error) = ended {
            console_error!("deliveries: {error}");
            self.alarm.pause_until(clock().saturating_add(RETRY_MS));
        }
    }

    /// Wakes, in the same turn, whatever waits for what the turn has stored.
    fn wake(&self) {
        self.wake_for(false);
        self.tell();
    }

    /// Sets the alarm if the turn has stored anything that it sees to: news, or handovers, of which a crash may leave some.
    fn wake_for(&self, has_handovers: bool) {
        let is_due = has_handovers || self.documents.borrow_mut().has_news();
        if is_due && !self.delivering.get() {
            self.set_alarm();
        }
    }

    /// Returns when the next webhook call is due, the next key expires, KV needs attention, a sweep continues, or
    /// counted events are raised.
    fn next_due(&self) -> Result<Option<u64>, StoreError> {
        let mut documents = self.documents.borrow_mut();
        let (delivery, end) = (documents.next_delivery()?, documents.next_end()?);
        // A write under way continues by itself; the alarm is for one that is cut off. An alarm can't be set to 0.
        let floor = if self.writing_orgs.get() {
            clock().saturating_add(REPAIR_MS)
        } else {
            1
        };
        let orgs = documents.orgs_due()?.map(|at| at.max(floor));
        let sets = documents.sets_due()?;
        let (sweep, counts) = (documents.next_sweep()?, documents.next_count());
        let handover = documents.next_handover(clock())?;
        let due = [delivery, end, orgs, sets, sweep, counts, handover];
        Ok(due.into_iter().flatten().min())
    }

    fn set_alarm(&self) {
        let now = clock();
        let next = self.next_due().unwrap_or_else(|error| {
            console_error!("registry: {error}");
            Some(now.saturating_add(RETRY_MS))
        });
        self.alarm.set(next, now);
    }
}

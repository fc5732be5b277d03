//! The Registry: the only owner of every administered document.
//!
//! The promise: a write is decided and stored in one step that nothing can interleave, so ids, routes and revisions are
//! consistent, and what was acknowledged is durable. The Durable Object provides the atomicity (one thread, and all
//! writes of one turn commit together:
//! <https://developers.cloudflare.com/durable-objects/best-practices/access-durable-objects-storage/>); every decision
//! is made here, over the synchronous [`sql::Sql`].

pub mod alarm;
pub mod backup;
pub mod certificates;
pub mod coalesce;
mod commands;
mod commit;
pub mod credentials;
pub mod deliveries;
mod documents;
mod encoding;
mod group;
pub mod handover;
pub mod index;
pub mod journal;
mod oauth;
pub mod publish;
mod read;
pub mod records;
mod retention;
pub mod rows;
pub mod sessions;
mod sign_ins;
pub mod sql;
mod storage;
pub mod stream;
mod versions;
pub(crate) mod webhook_handlers;
mod write;

use crate::config::{
    LifetimeConfig, Retention, SignInConfig, documents_per_org, notifications_kept, set_bytes,
};
use crate::ports::OpenApi;
use credentials::Credentials;
use deliveries::signal::Counting;
use deliveries::{Deliveries, InProgress};
use gatewright_model::definition::Allowed;
use gatewright_protocol::caller::Sender;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::pseudonym::Pseudonyms;
use gatewright_protocol::registry::{Command, Refusal, Reply, Selection};
use gatewright_protocol::time::millis;
use group::Noted;
use handover::Placed;
use index::Index;
use journal::Journal;
use publish::{OrgList, Pace, Sets};
use records::Records;
use retention::Sweep;
use rows::{Entry, Rows};
use sessions::Ends;
use sql::Sql;
use std::rc::Rc;
use storage::Counted;

/// The Registry over its stored rows.
#[derive(Debug)]
pub struct Registry {
    rows: Rc<Rows>,
    /// The organisation of definitions that name none, and of `DASHBOARD_TOKEN`.
    default_org: String,
    lifetimes: LifetimeConfig,
    sign_ins: SignInConfig,
    limits: Limits,
    /// Members that APIs may be served with although they have no effect (`ALLOW_UNENFORCED`).
    allowed: Allowed,
    /// The pseudonyms of keys in notifications.
    pseudonyms: Pseudonyms,
    /// Dropped when a write to the rows fails, and read again on the next command.
    state: Option<State>,
    /// What dropped states had recorded for waiting streams, deliveries and the log.
    noted: Noted,
    in_progress: InProgress,
    counting: Counting,
    /// Whether the set is being published.
    reloading: bool,
    /// Who asked for the reload in progress.
    reloads_for: Sender,
    /// The number of objects that Ledgers are distributed over (`LEDGER_SHARDS`).
    shards: u32,
    /// When the alarm carries out open handovers, in Unix milliseconds.
    handover_due: Option<u64>,
    /// Whether any object gets generated keys later ([`Registry::set_collecting`]).
    collects: bool,
    /// When the list of organisations may next be written to KV.
    orgs_pace: Pace,
    /// When KV may next be asked to delete old sets.
    sets_pace: Pace,
    /// The maximum size of a published set in an isolate's memory, in bytes (`PUBLISHED_SET_MAX_MB`).
    set_bytes: usize,
    /// How many rulesets, and how many client identity providers, an organisation may have (`DOCUMENTS_PER_ORG_MAX`).
    documents_per_org: usize,
    /// The function that determines the tools of MCP proxies whose tools are operations of APIs.
    openapi: Option<OpenApi>,
}

/// How much historical data is retained.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// The number of notifications of each organisation.
    notices: u64,
    /// The number of finished deliveries of each webhook.
    deliveries: u32,
    /// The limits for everything else; `None` if nothing is removed.
    retention: Option<Retention>,
}

/// What is known about everything stored, held in memory because lists and checks between documents need all of it.
#[derive(Debug)]
struct State {
    index: Index,
    records: Records,
    credentials: Credentials,
    journal: Journal,
    deliveries: Deliveries,
    ends: Ends,
    orgs: OrgList,
    sets: Sets,
    sweep: Sweep,
    counted: Counted,
    placed: Placed,
}

impl State {
    fn load(rows: &Rows, limits: Limits, shards: u32) -> Result<Self, StoreError> {
        Ok(Self {
            index: Index::load(rows)?,
            records: Records::load(rows)?,
            credentials: Credentials::load(rows)?,
            journal: Journal::load(rows, limits.notices)?,
            deliveries: Deliveries::load(rows, limits.deliveries)?,
            ends: Ends::load(rows)?,
            orgs: OrgList::load(rows)?,
            sets: Sets::load(rows)?,
            sweep: Sweep::load(rows, limits.retention)?,
            counted: None,
            placed: Placed::load(rows, shards)?,
        })
    }
}

/// The context of one command.
struct Turn<'a> {
    rows: &'a Rows,
    index: &'a mut Index,
    records: &'a mut Records,
    credentials: &'a mut Credentials,
    journal: &'a mut Journal,
    deliveries: &'a mut Deliveries,
    ends: &'a mut Ends,
    orgs: &'a mut OrgList,
    sweep: &'a mut Sweep,
    counted: &'a mut Counted,
    counting: &'a mut Counting,
    lifetimes: LifetimeConfig,
    sign_ins: SignInConfig,
    default_org: &'a str,
    allowed: &'a Allowed,
    pseudonyms: &'a Pseudonyms,
    documents_per_org: usize,
    reloading: bool,
    placed: &'a Placed,
    collects: bool,
    /// The current time, RFC 3339 in UTC.
    now: &'a str,
}

impl Turn<'_> {
    /// Returns the organisation of an API definition.
    fn org_of<'e>(&'e self, entry: &'e Entry) -> &'e str {
        self.org_or_default(&entry.facts.org_id)
    }

    /// Returns an organisation as a document names it, or the default one.
    fn org_or_default<'o>(&'o self, org: &'o str) -> &'o str {
        match org {
            "" => self.default_org,
            org => org,
        }
    }

    /// Returns the time of the turn in Unix milliseconds.
    fn now_ms(&self) -> u64 {
        millis(self.now).unwrap_or(0)
    }

    /// Returns the time of the turn in Unix seconds.
    fn now_seconds(&self) -> i64 {
        i64::try_from(self.now_ms() / 1000).unwrap_or(i64::MAX)
    }
}

impl Registry {
    /// Opens the Registry; nothing is read before the first command. `default_org` is the organisation of definitions
    /// that name none.
    pub fn new(sql: impl Sql + 'static, default_org: &str) -> Self {
        Self {
            rows: Rc::new(Rows::new(Box::new(sql))),
            default_org: default_org.to_owned(),
            lifetimes: LifetimeConfig::default(),
            sign_ins: SignInConfig::default(),
            limits: Limits {
                notices: notifications_kept(|_| None),
                deliveries: Retention::default().deliveries,
                retention: None,
            },
            allowed: Allowed::NONE,
            pseudonyms: Pseudonyms::default(),
            state: None,
            noted: Noted::default(),
            in_progress: InProgress::default(),
            counting: Counting::default(),
            reloading: false,
            reloads_for: Sender::default(),
            shards: 0,
            handover_due: None,
            collects: false,
            orgs_pace: Pace::default(),
            sets_pace: Pace::default(),
            set_bytes: set_bytes(|_| None),
            documents_per_org: documents_per_org(|_| None),
            openapi: None,
        }
    }

    /// Sets how long the records of keys are retained.
    #[must_use]
    pub fn with_lifetimes(self, lifetimes: LifetimeConfig) -> Self {
        Self { lifetimes, ..self }
    }

    /// Sets how long sign-ins last.
    #[must_use]
    pub fn with_sign_ins(self, sign_ins: SignInConfig) -> Self {
        Self { sign_ins, ..self }
    }

    /// Publishes APIs with these members although they have no effect.
    #[must_use]
    pub fn with_allowed(self, allowed: Allowed) -> Self {
        Self { allowed, ..self }
    }

    /// Sets the pseudonyms of keys in notifications.
    #[must_use]
    pub fn with_pseudonyms(self, pseudonyms: Pseudonyms) -> Self {
        Self { pseudonyms, ..self }
    }

    /// Sets the maximum size of a published set in an isolate's memory, in bytes.
    #[must_use]
    pub fn with_set_bytes(self, set_bytes: usize) -> Self {
        Self { set_bytes, ..self }
    }

    /// Sets how many documents of a kind an organisation may have.
    #[must_use]
    pub fn with_documents_per_org(self, documents_per_org: usize) -> Self {
        Self {
            documents_per_org,
            ..self
        }
    }

    /// Sets the function that determines the tools of MCP proxies whose tools are operations of APIs; without it none
    /// of these proxies is served.
    #[must_use]
    pub fn with_openapi(self, openapi: OpenApi) -> Self {
        Self {
            openapi: Some(openapi),
            ..self
        }
    }

    /// Sets the minimum number of notifications retained for each organisation.
    #[must_use]
    pub fn with_notices_kept(mut self, notices: u64) -> Self {
        self.limits.notices = notices;
        self
    }

    /// Sets how much historical data is retained; `None` removes nothing.
    #[must_use]
    pub fn with_retention(mut self, retention: Option<Retention>) -> Self {
        self.limits.retention = retention;
        self.limits.deliveries = retention.map_or(u32::MAX, |retention| retention.deliveries);
        self
    }

    /// Sets who asks for the next reload.
    pub fn reload_for(&mut self, sender: Sender) {
        self.reloads_for = sender;
    }

    /// Whether anything was stored since the last call of [`Self::take_news`] that a stream or delivery may wait for:
    /// notifications, deliveries, credentials.
    pub fn has_news(&mut self) -> bool {
        self.note();
        self.noted.news
    }

    /// Does the same, and forgets it.
    pub fn take_news(&mut self) -> bool {
        self.note();
        std::mem::take(&mut self.noted.news)
    }

    /// Takes the lines for the log that were added since the last call.
    pub fn take_lines(&mut self) -> Vec<String> {
        self.note();
        std::mem::take(&mut self.noted.lines)
    }

    /// Returns when a reload that has not finished, because it failed or was interrupted, is retried, in Unix
    /// milliseconds; `None` if the last one has finished.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn retry_at(&self) -> Result<Option<u64>, StoreError> {
        publish::retry_at(&self.rows)
    }

    /// Returns the selection that an unfinished reload is to publish; `None` for everything.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn unfinished(&self) -> Result<Option<Selection>, StoreError> {
        publish::unfinished(&self.rows)
    }

    /// Returns how many APIs and how many other documents are held in memory.
    #[must_use]
    pub fn held(&self) -> (usize, usize) {
        let state = self.state.as_ref();
        state.map_or((0, 0), |state| (state.index.count(), state.records.count()))
    }

    /// Checks that the rows can be read.
    ///
    /// # Errors
    /// If they can't.
    pub fn ping(&self) -> Result<(), StoreError> {
        self.rows.value("ping").map(drop)
    }

    /// Carries out one command. `now` is RFC 3339 in UTC.
    ///
    /// # Errors
    /// If the rows can't be read or written; then nothing has changed.
    pub fn handle(
        &mut self,
        command: &Command,
        text: &str,
        now: &str,
    ) -> Result<(Reply, String), StoreError> {
        match command {
            Command::CheckReload => return publish::check(self),
            Command::CheckSelection { selection, strict } => {
                return publish::check_selection(self, Some(selection), *strict);
            }
            _ => {}
        }
        self.in_turn(now, |turn| turn.carry_out(command, text))
    }

    /// Takes the state, which is loaded if there is none.
    fn take_state(&mut self) -> Result<State, StoreError> {
        match self.state.take() {
            Some(state) => Ok(state),
            None => State::load(&self.rows, self.limits, self.shards),
        }
    }

    /// Runs a step that nothing can interleave with.
    fn in_turn<T>(
        &mut self,
        now: &str,
        run: impl FnOnce(&mut Turn<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut state = self.take_state()?;
        let mut turn = Turn {
            rows: &self.rows,
            index: &mut state.index,
            records: &mut state.records,
            credentials: &mut state.credentials,
            journal: &mut state.journal,
            deliveries: &mut state.deliveries,
            ends: &mut state.ends,
            orgs: &mut state.orgs,
            sweep: &mut state.sweep,
            counted: &mut state.counted,
            counting: &mut self.counting,
            lifetimes: self.lifetimes,
            sign_ins: self.sign_ins,
            default_org: &self.default_org,
            allowed: &self.allowed,
            pseudonyms: &self.pseudonyms,
            documents_per_org: self.documents_per_org,
            reloading: self.reloading,
            placed: &state.placed,
            collects: self.collects,
            now,
        };
        let wanted = self.rows.wants();
        let answer = run(&mut turn);
        if answer.is_err() {
            // The rest of what it has stored is handed over by the alarm.
            self.rows.take_handovers();
        }
        // After a failed write rows and memory may differ; the next command reads the rows again. What wants a session
        // has written nothing.
        if answer.is_ok() || (self.rows.wants() && !wanted) {
            self.state = Some(state);
        }
        answer
    }
}

/// The reply to a command, with the text that goes with it.
type Replied = Result<(Reply, String), StoreError>;

/// Builds the reply to a command that is carried out and returns nothing.
fn done() -> Replied {
    Ok((Reply::Json, String::new()))
}

/// Builds the reply to a command that is refused.
fn refuse(refusal: Refusal) -> Replied {
    Ok((Reply::Refused(refusal), String::new()))
}

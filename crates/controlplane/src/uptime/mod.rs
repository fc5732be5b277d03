//! Uptime tests: which hosts of upstreams are down (`uptime_tests`).
//!
//! The promise: tests are made by the alarm of an object of its own and by no request. What came of a test, how its
//! host stands and the event of that are stored together, so each change is told of at least once, whatever
//! stops in between; and isolates learn the hosts that are down within the second that they may go by an answer
//! ([`Uptime::down`]).
//!
//! A round of the alarm asks the Registry which tests there are ([`Uptime::ask`]), has lists fetched where services
//! have them ([`Uptime::lists`]), and has the tests made that are due ([`Uptime::due`]).

mod rows;
mod standing;
mod test;

use crate::config::UptimeConfig;
use crate::registry::sql::Sql;
use gatewright_api::upstreams::{HostState, UptimeCheck, UptimeHealth, UptimeTest};
use gatewright_model::json::{self, quote};
use gatewright_model::order::sorted_by;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::{EventKind, Handler};
use gatewright_protocol::registry::{Command, Reply, decode, encode};
use gatewright_protocol::signal::Signal;
use gatewright_protocol::time::rfc3339;
use rows::{Entry, Rows};
use serde::{Deserialize, Serialize};
use standing::Standing;
use test::{OfApi, Test};

/// The results of so many tests are kept of each.
pub const CHECKS_KEPT: u32 = 360;
/// So many tests are made of all APIs.
const MOST: usize = 1000;
/// Events that the Registry is told of at once.
const EVENTS: u32 = 100;
/// For how long a list of tests is used that does not say it, milliseconds.
const LIST_MS: u64 = 60_000;
/// The longest text of an error.
const ERROR_MAX: usize = 200;

/// The uptime tests over their stored rows. Times are Unix milliseconds.
#[derive(Debug)]
pub struct Uptime {
    rows: Rows,
    config: UptimeConfig,
    /// The generation whose tests these are; 0 for none.
    generation: u64,
    apis: Vec<OfApi>,
    entries: Vec<Entry>,
}

/// A test that is due, as JavaScript is told of it.
#[derive(Serialize)]
struct Due<'a> {
    api: &'a str,
    #[serde(flatten)]
    test: &'a Test,
}

/// What came of a test, as JavaScript tells it.
#[derive(Deserialize)]
struct Came {
    #[serde(default)]
    status: u16,
    #[serde(default)]
    ms: u64,
    #[serde(default)]
    error: String,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature that map_err takes"
)]
fn malformed(error: impl ToString) -> StoreError {
    StoreError::new("uptime tests", error.to_string())
}

impl Uptime {
    /// Opens the tables of an object.
    ///
    /// # Errors
    /// If they can't be read or made.
    pub fn open(sql: impl Sql + 'static, config: UptimeConfig) -> Result<Self, StoreError> {
        let rows = Rows::open(Box::new(sql))?;
        let entries = rows.all()?;
        Ok(Self {
            rows,
            config,
            generation: 0,
            apis: Vec::new(),
            entries,
        })
    }

    /// The question to the Registry: which tests there are, if they are others than are known.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn ask(&self) -> Result<String, StoreError> {
        let known = self.generation;
        encode(&Command::UptimeTests { known }, "")
    }

    /// Takes its answer. What is tested no more is forgotten.
    ///
    /// # Errors
    /// If it can't be read, or the rows can't be written.
    pub fn take(&mut self, answer: &str) -> Result<(), StoreError> {
        let (reply, text) = decode::<Reply>(answer)?;
        let Reply::Json = reply else {
            return Err(malformed("the Registry does not know the question"));
        };
        let read = json::parse(text).map_err(|_| malformed("the answer is no JSON"))?;
        let generation = read.int("generation").and_then(|n| u64::try_from(n).ok());
        let generation = generation.unwrap_or_default();
        if let Some(apis) = read.get("apis") {
            let mut read: Vec<OfApi> = Vec::new();
            if self.config.enabled {
                read.extend(apis.items().iter().filter_map(OfApi::read));
            }
            // Lists that services have answered stay until they answer others.
            for api in read.iter_mut().filter(|api| api.discovery.is_some()) {
                let before = self.apis.iter().find(|known| known.api == api.api);
                if let Some(known) = before.filter(|known| known.discovery == api.discovery) {
                    api.tests.clone_from(&known.tests);
                    (api.is_listed, api.asked_at) = (known.is_listed, known.asked_at);
                }
            }
            self.apis = read;
            self.generation = generation;
            self.settle()?;
        }
        Ok(())
    }

    /// Brings the rows in line with the tests that there are.
    fn settle(&mut self) -> Result<(), StoreError> {
        let Self {
            rows,
            apis,
            entries,
            ..
        } = self;
        let mut kept: Vec<Entry> = Vec::new();
        for api in apis.iter() {
            // Nobody knows yet what a service will answer: what was known of its tests is known still.
            let waits = api.discovery.is_some() && !api.is_listed;
            let of_api = entries.iter().filter(|entry| waits && entry.api == api.api);
            kept.extend(of_api.cloned());
            for test in &api.tests {
                if kept.len() >= MOST {
                    break;
                }
                let known = entries
                    .iter()
                    .find(|entry| entry.api == api.api && entry.url == test.url);
                kept.push(Entry {
                    api: api.api.clone(),
                    url: test.url.clone(),
                    org: api.org.clone(),
                    host: test.host.clone(),
                    standing: known.map(|known| known.standing).unwrap_or_default(),
                    next_at: known.map_or(0, |known| known.next_at),
                });
            }
        }
        let is_kept = |entry: &&Entry| {
            let same = |kept: &Entry| kept.api == entry.api && kept.url == entry.url;
            kept.iter().any(same)
        };
        rows.together(&mut || {
            for gone in entries.iter().filter(|entry| !is_kept(entry)) {
                rows.remove(&gone.api, &gone.url)?;
            }
            for entry in kept.iter().filter(|entry| !entries.contains(entry)) {
                rows.put(entry)?;
            }
            Ok(())
        })?;
        *entries = kept;
        Ok(())
    }

    /// The lists that have to be fetched now: their APIs and addresses in turn, each on a line.
    pub fn lists(&mut self, now: u64) -> String {
        let mut lists = Vec::new();
        for at in 0..self.apis.len() {
            let due = self.apis.get(at).and_then(|api| self.list_due(api));
            if let (Some(api), Some(due)) = (self.apis.get_mut(at), due)
                && due <= now
                && let Some(discovery) = &api.discovery
            {
                api.asked_at = now;
                lists.push(format!("{}\n{}", api.api, discovery.endpoint));
            }
        }
        lists.join("\n")
    }

    /// When the list of an API has to be fetched, if it has one; 0 for at once.
    fn list_due(&self, api: &OfApi) -> Option<u64> {
        let discovery = api.discovery.as_ref()?;
        if api.asked_at == 0 {
            return Some(0);
        }
        let is_down =
            |entry: &Entry| entry.api == api.api && entry.standing.state == HostState::Down;
        let wait = if !api.is_listed {
            self.config.every_ms
        } else if api.recheck_ms > 0 && self.entries.iter().any(is_down) {
            // There may be another host by now.
            api.recheck_ms
        } else {
            discovery.cache_ms.max(LIST_MS)
        };
        Some(api.asked_at.saturating_add(wait))
    }

    /// Takes the answer of a service; none where there is none. False if it has no list: the one of before is used
    /// on.
    ///
    /// # Errors
    /// If the rows can't be written.
    pub fn listed(&mut self, api: &str, answer: Option<&str>) -> Result<bool, StoreError> {
        let known = self.apis.iter_mut().find(|known| known.api == api);
        let is_list = known
            .zip(answer)
            .is_some_and(|(api, answer)| api.take_list(answer));
        if is_list {
            self.settle()?;
        }
        Ok(is_list)
    }

    /// The tests that are due, as JSON. Each is due again after its time, whatever becomes of it.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn due(&mut self, now: u64) -> Result<String, StoreError> {
        let mut due = Vec::new();
        for entry in self.entries.iter_mut().filter(|entry| entry.next_at <= now) {
            let api = self.apis.iter().find(|api| api.api == entry.api);
            let test = api.and_then(|api| api.tests.iter().find(|test| test.url == entry.url));
            if let Some(test) = test {
                entry.next_at = now.saturating_add(self.config.every_ms);
                due.push(Due {
                    api: &entry.api,
                    test,
                });
            }
        }
        serde_json::to_string(&due).map_err(malformed)
    }

    /// Takes what came of a test that was begun at a time. Answers the lines that handlers write into the log.
    ///
    /// # Errors
    /// If it can't be read, or the rows can't be written: then nothing has changed.
    pub fn came(
        &mut self,
        (api_id, url): (&str, &str),
        came: &str,
        (at, now): (u64, u64),
    ) -> Result<Vec<String>, StoreError> {
        let came: Came = serde_json::from_str(came).map_err(malformed)?;
        let api = self.apis.iter().find(|api| api.api == api_id);
        let same = |entry: &&mut Entry| entry.api == api_id && entry.url == url;
        let Some((api, entry)) = api.zip(self.entries.iter_mut().find(same)) else {
            return Ok(Vec::new());
        };
        let mut error = came.error;
        error.truncate(error.floor_char_boundary(ERROR_MAX));
        let check = UptimeCheck {
            at: at / 1000,
            // Reference: every other status is a failure.
            up: error.is_empty() && came.status == 200,
            status: came.status,
            ms: came.ms,
            error,
        };
        let mut next = entry.clone();
        let changed = next.standing.take(check.up, self.config.limit, now);
        if next.standing.state == HostState::Down && api.recheck_ms > 0 {
            next.next_at = at.saturating_add(api.recheck_ms);
        }
        let event = changed.then(|| event(api, &next, &check, now));
        let signal = event
            .as_ref()
            .map(|event| serde_json::to_string(&event.signal));
        let signal = signal.transpose().map_err(malformed)?;
        let before = match api.kept_ms {
            0 => 0,
            kept => now.saturating_sub(kept),
        };
        let rows = &self.rows;
        rows.together(&mut || {
            rows.note((api_id, url), (at, &check), (before, CHECKS_KEPT))?;
            rows.put(&next)?;
            signal.iter().try_for_each(|signal| rows.put_event(signal))
        })?;
        *entry = next;
        Ok(event.map(|event| event.lines).unwrap_or_default())
    }

    /// What the Registry has to be told, and the number of the last event in it; nothing if there is nothing.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn events(&self) -> Result<Option<(u64, String)>, StoreError> {
        let events = self.rows.events(EVENTS)?;
        let Some((upto, _)) = events.last() else {
            return Ok(None);
        };
        let signals = events.iter();
        let signals: Vec<Signal> = signals
            .filter_map(|(_, signal)| serde_json::from_str(signal).ok())
            .collect();
        Ok(Some((*upto, encode(&Command::Raise(signals), "")?)))
    }

    /// The Registry has been told.
    ///
    /// # Errors
    /// If the rows can't be written.
    pub fn told(&self, upto: u64) -> Result<(), StoreError> {
        self.rows.told(upto)
    }

    /// When there is something to do again; none if nothing is tested.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        let lists = self.apis.iter().filter_map(|api| self.list_due(api));
        let tests = self.entries.iter().map(|entry| entry.next_at);
        tests.chain(lists).min()
    }

    /// Hosts of an organisation that are down, one a line.
    #[must_use]
    pub fn down(&self, org: &str) -> String {
        let down = |entry: &&Entry| entry.org == org && entry.standing.state == HostState::Down;
        let down = self.entries.iter().filter(down);
        let hosts = down.map(|entry| entry.host.as_str()).collect();
        let mut hosts: Vec<&str> = sorted_by(hosts, Ord::cmp);
        hosts.dedup();
        hosts.join("\n")
    }

    /// The tests of an API and what came of them, as JSON of an [`UptimeHealth`].
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn read(&self, api_id: &str, now: u64) -> Result<String, StoreError> {
        let api = self.apis.iter().find(|api| api.api == api_id);
        let since = match api.map(|api| api.kept_ms) {
            None | Some(0) => 0,
            Some(kept) => now.saturating_sub(kept),
        };
        let mut tests = Vec::new();
        for entry in self.entries.iter().filter(|entry| entry.api == api_id) {
            let known = api.and_then(|api| api.tests.iter().find(|test| test.url == entry.url));
            let Standing {
                state, since: at, ..
            } = entry.standing;
            tests.push(UptimeTest {
                url: entry.url.clone(),
                host: entry.host.clone(),
                method: known.map(|test| test.method.clone()).unwrap_or_default(),
                protocol: known
                    .map(|test| test.protocol.to_owned())
                    .unwrap_or_default(),
                state,
                since: (state != HostState::Untested).then_some(at / 1000),
                next_at: (entry.next_at > 0).then_some(entry.next_at / 1000),
                checks: self.rows.checks(&entry.api, &entry.url, since)?,
            });
        }
        let health = UptimeHealth {
            enabled: self.config.enabled && api.is_some(),
            every_seconds: self.config.every_ms / 1000,
            failures_to_down: self.config.limit,
            checks_kept: CHECKS_KEPT,
            tests,
        };
        serde_json::to_string(&health).map_err(malformed)
    }
}

/// An event, and what handlers write into the log about it.
struct Raised {
    signal: Signal,
    lines: Vec<String>,
}

/// The event of a host that is down or up again (reference 7.3, *Template*).
fn event(api: &OfApi, entry: &Entry, check: &UptimeCheck, now: u64) -> Raised {
    let (kind, message) = match entry.standing.state {
        HostState::Down => (EventKind::HostDown, "Uptime test failed"),
        _ => (EventKind::HostUp, "Uptime test succeeded"),
    };
    let members = [
        ("url", quote(&entry.url)),
        ("response_code", check.status.to_string()),
        ("tcp_error", (!check.error.is_empty()).to_string()),
        ("host", quote(&entry.host)),
        ("api_id", quote(&api.api)),
        ("org", quote(&api.org)),
    ];
    let members = members.map(|(name, value)| format!(",\"{name}\":{value}"));
    let members = members.concat();
    let (name, words) = (quote(kind.name()), quote(message));
    let mut receivers = Vec::new();
    let mut lines = Vec::new();
    for handler in api.handlers.of(kind) {
        match handler {
            Handler::Hook(receiver) => receivers.push(receiver.clone()),
            Handler::Log(prefix) => {
                let space = if prefix.is_empty() { "" } else { " " };
                let at = quote(&rfc3339(now));
                lines.push(format!(
                    "{prefix}{space}{{\"Type\":{name},\"Meta\":{{\"Message\":{words}{members}}},\"TimeStamp\":{at}}}"
                ));
            }
        }
    }
    Raised {
        signal: Signal {
            org: api.org.clone(),
            kind: kind.name().to_owned(),
            data: format!("{{\"event\":{name},\"message\":{words}{members}}}"),
            receivers,
        },
        lines,
    }
}

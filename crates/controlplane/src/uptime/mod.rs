//! Uptime tests: which hosts of upstreams are down (`uptime_tests`).
//!
//! The promise: tests are run by the alarm of a dedicated object and never by a request. The result of a test, the
//! state of its host and the resulting event are stored together, so each change is reported at least once, whatever is
//! interrupted; and isolates learn which hosts are down within the second for which they may use an answer
//! ([`Uptime::down`]).
//!
//! Each round of the alarm asks the Registry for the tests ([`Uptime::ask`]), has lists fetched from service registries
//! ([`Uptime::lists`]), and has the tests run that are due ([`Uptime::due`]).

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
use test::{ApiTests, Test};

/// How many results are retained for each test.
pub const CHECKS_KEPT: u32 = 360;
/// The maximum number of tests across all APIs.
const MOST: usize = 1000;
/// The maximum number of events sent to the Registry at once.
const EVENTS: u32 = 100;
/// The minimum time in milliseconds that a list of tests is used before it is fetched again.
const LIST_MS: u64 = 60_000;
/// The longest error text.
const ERROR_MAX: usize = 200;

/// The uptime tests over their stored rows. Times are Unix milliseconds.
#[derive(Debug)]
pub struct Uptime {
    rows: Rows,
    config: UptimeConfig,
    /// The generation these tests belong to; 0 for none.
    generation: u64,
    apis: Vec<ApiTests>,
    entries: Vec<Entry>,
}

/// A test that is due, in the form JavaScript receives.
#[derive(Serialize)]
struct Due<'a> {
    api: &'a str,
    #[serde(flatten)]
    test: &'a Test,
}

/// The result of a test, in the form JavaScript sends.
#[derive(Deserialize)]
struct TestResult {
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
    /// If they can't be read or created.
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

    /// Returns the question to the Registry: which tests there are, if they have changed since the known generation.
    ///
    /// # Errors
    /// If it can't be encoded.
    pub fn ask(&self) -> Result<String, StoreError> {
        let known = self.generation;
        encode(&Command::UptimeTests { known }, "")
    }

    /// Applies the Registry's reply. Tests that no longer exist are removed.
    ///
    /// # Errors
    /// If the reply can't be read, or the rows can't be written.
    pub fn apply(&mut self, answer: &str) -> Result<(), StoreError> {
        let (reply, text) = decode::<Reply>(answer)?;
        let Reply::Json = reply else {
            return Err(malformed("the Registry does not know the question"));
        };
        let read = json::parse(text).map_err(|_| malformed("the answer is no JSON"))?;
        let generation = read.int("generation").and_then(|n| u64::try_from(n).ok());
        let generation = generation.unwrap_or_default();
        if let Some(apis) = read.get("apis") {
            let mut read: Vec<ApiTests> = Vec::new();
            if self.config.enabled {
                read.extend(apis.items().iter().filter_map(ApiTests::read));
            }
            // Lists fetched from service registries stay in use until a newer one arrives.
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

    /// Brings the rows in line with the current tests.
    fn settle(&mut self) -> Result<(), StoreError> {
        let Self {
            rows,
            apis,
            entries,
            ..
        } = self;
        let mut kept: Vec<Entry> = Vec::new();
        for api in apis.iter() {
            // The service registry has not answered yet, so the stored state of its tests is retained.
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

    /// Returns the lists to fetch now: alternating lines of API id and URL.
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

    /// Returns when the list of an API has to be fetched, if it has one; 0 for at once.
    fn list_due(&self, api: &ApiTests) -> Option<u64> {
        let discovery = api.discovery.as_ref()?;
        if api.asked_at == 0 {
            return Some(0);
        }
        let is_down =
            |entry: &Entry| entry.api == api.api && entry.standing.state == HostState::Down;
        let wait = if !api.is_listed {
            self.config.every_ms
        } else if api.recheck_ms > 0 && self.entries.iter().any(is_down) {
            // The service may have moved to another host by now.
            api.recheck_ms
        } else {
            discovery.cache_ms.max(LIST_MS)
        };
        Some(api.asked_at.saturating_add(wait))
    }

    /// Applies the answer of a service registry, `None` if there was none. Returns false if it holds no list: then the
    /// previous one remains in use.
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

    /// Returns the tests that are due, as JSON. Each is due again after its interval, whatever its outcome.
    ///
    /// # Errors
    /// If they can't be serialised.
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

    /// Applies the result of a test that started at the given time. Returns the lines that event handlers write to the
    /// log.
    ///
    /// # Errors
    /// If the result can't be read, or the rows can't be written: then nothing has changed.
    pub fn record_result(
        &mut self,
        (api_id, url): (&str, &str),
        result: &str,
        (at, now): (u64, u64),
    ) -> Result<Vec<String>, StoreError> {
        let result: TestResult = serde_json::from_str(result).map_err(malformed)?;
        let api = self.apis.iter().find(|api| api.api == api_id);
        let same = |entry: &&mut Entry| entry.api == api_id && entry.url == url;
        let Some((api, entry)) = api.zip(self.entries.iter_mut().find(same)) else {
            return Ok(Vec::new());
        };
        let mut error = result.error;
        error.truncate(error.floor_char_boundary(ERROR_MAX));
        let check = UptimeCheck {
            at: at / 1000,
            // Reference: every other status is a failure.
            up: error.is_empty() && result.status == 200,
            status: result.status,
            ms: result.ms,
            error,
        };
        let mut next = entry.clone();
        let changed = next.standing.apply(check.up, self.config.limit, now);
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

    /// Returns the events to send to the Registry, with the number of the last one; `None` if there are none.
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

    /// Removes the events up to this number, once the Registry has them.
    ///
    /// # Errors
    /// If the rows can't be written.
    pub fn events_sent(&self, upto: u64) -> Result<(), StoreError> {
        self.rows.remove_events(upto)
    }

    /// Returns when the next test or list is due; `None` if nothing is tested.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        let lists = self.apis.iter().filter_map(|api| self.list_due(api));
        let tests = self.entries.iter().map(|entry| entry.next_at);
        tests.chain(lists).min()
    }

    /// Returns the hosts of an organisation that are down, one per line.
    #[must_use]
    pub fn down(&self, org: &str) -> String {
        let down = |entry: &&Entry| entry.org == org && entry.standing.state == HostState::Down;
        let down = self.entries.iter().filter(down);
        let hosts = down.map(|entry| entry.host.as_str()).collect();
        let mut hosts: Vec<&str> = sorted_by(hosts, Ord::cmp);
        hosts.dedup();
        hosts.join("\n")
    }

    /// Returns the tests of an API and their results, as JSON of an [`UptimeHealth`].
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

/// An event, and what handlers write to the log about it.
struct Raised {
    signal: Signal,
    lines: Vec<String>,
}

/// Builds the event of a host that is down or up again (reference 7.3, *Template*).
fn event(api: &ApiTests, entry: &Entry, check: &UptimeCheck, now: u64) -> Raised {
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

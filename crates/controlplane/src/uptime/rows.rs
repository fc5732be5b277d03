//! The tables of uptime tests: the state of each host, the latest results, and the events not yet sent to the Registry.
//! They live in a dedicated object.

use super::standing::Standing;
use crate::registry::sql::{Row, Sql, Value, migrate};
use gatewright_api::upstreams::{HostState, UptimeCheck};
use gatewright_protocol::error::StoreError;

/// Step n creates version n of the tables. A released step never changes.
const STEPS: [&[&[&str]]; 1] = [&[&[
    "CREATE TABLE uptime_tests (
        api TEXT NOT NULL, url TEXT NOT NULL, org TEXT NOT NULL, host TEXT NOT NULL, state INTEGER NOT NULL,
        against INTEGER NOT NULL, since INTEGER NOT NULL, next_at INTEGER NOT NULL, PRIMARY KEY (api, url)
    ) WITHOUT ROWID",
    "CREATE TABLE uptime_checks (
        api TEXT NOT NULL, url TEXT NOT NULL, at INTEGER NOT NULL, up INTEGER NOT NULL, status INTEGER NOT NULL,
        ms INTEGER NOT NULL, error TEXT NOT NULL, PRIMARY KEY (api, url, at)
    ) WITHOUT ROWID",
    "CREATE TABLE uptime_events (number INTEGER PRIMARY KEY, signal TEXT NOT NULL)",
]]];

/// A test with its current state. Times are Unix milliseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) api: String,
    pub(super) url: String,
    pub(super) org: String,
    pub(super) host: String,
    pub(super) standing: Standing,
    pub(super) next_at: u64,
}

/// The tables of an object.
#[derive(Debug)]
pub(super) struct Rows(Box<dyn Sql>);

const fn number(state: HostState) -> u32 {
    match state {
        HostState::Untested => 0,
        HostState::Up => 1,
        HostState::Down => 2,
    }
}

const fn state(number: u64) -> HostState {
    match number {
        1 => HostState::Up,
        2 => HostState::Down,
        _ => HostState::Untested,
    }
}

fn entry(mut row: Row) -> Result<Entry, StoreError> {
    Ok(Entry {
        api: row.text()?,
        url: row.text()?,
        org: row.text()?,
        host: row.text()?,
        standing: Standing {
            state: state(row.number()?),
            against: u32::try_from(row.number()?).unwrap_or_default(),
            since: row.number()?,
        },
        next_at: row.number()?,
    })
}

fn check(mut row: Row) -> Result<UptimeCheck, StoreError> {
    Ok(UptimeCheck {
        at: row.number()? / 1000,
        up: row.number()? == 1,
        status: u16::try_from(row.number()?).unwrap_or_default(),
        ms: row.number()?,
        error: row.text()?,
    })
}

impl Rows {
    /// Opens the tables, creating them if necessary.
    pub(super) fn open(sql: Box<dyn Sql>) -> Result<Self, StoreError> {
        migrate(&*sql, &STEPS)?;
        Ok(Self(sql))
    }

    fn run(&self, statement: &str, values: &[Value]) -> Result<(), StoreError> {
        self.0.query(statement, values).map(drop)
    }

    /// Runs statements in one transaction.
    pub(super) fn together(
        &self,
        run: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.0.transaction(run)
    }

    pub(super) fn all(&self) -> Result<Vec<Entry>, StoreError> {
        let found = "SELECT api, url, org, host, state, against, since, next_at FROM uptime_tests";
        self.0.query(found, &[])?.into_iter().map(entry).collect()
    }

    pub(super) fn put(&self, entry: &Entry) -> Result<(), StoreError> {
        let Standing {
            state,
            against,
            since,
        } = entry.standing;
        self.run(
            "INSERT OR REPLACE INTO uptime_tests (api, url, org, host, state, against, since, next_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            &[
                entry.api.as_str().into(),
                entry.url.as_str().into(),
                entry.org.as_str().into(),
                entry.host.as_str().into(),
                number(state).into(),
                against.into(),
                since.into(),
                entry.next_at.into(),
            ],
        )
    }

    /// Removes a test and its results.
    pub(super) fn remove(&self, api: &str, url: &str) -> Result<(), StoreError> {
        let key = [api.into(), url.into()];
        self.run("DELETE FROM uptime_tests WHERE api = ? AND url = ?", &key)?;
        self.run("DELETE FROM uptime_checks WHERE api = ? AND url = ?", &key)
    }

    /// Stores the result of a test at time `at`; deletes results older than `before`, and all but the newest `most`.
    pub(super) fn note(
        &self,
        (api, url): (&str, &str),
        (at, check): (u64, &UptimeCheck),
        (before, most): (u64, u32),
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT OR REPLACE INTO uptime_checks (api, url, at, up, status, ms, error) VALUES (?, ?, ?, ?, ?, ?, ?)",
            &[
                api.into(),
                url.into(),
                at.into(),
                check.up.into(),
                u32::from(check.status).into(),
                check.ms.into(),
                check.error.as_str().into(),
            ],
        )?;
        self.run(
            "DELETE FROM uptime_checks WHERE api = ?1 AND url = ?2 AND (at < ?3 OR at <= (
                SELECT at FROM uptime_checks WHERE api = ?1 AND url = ?2 ORDER BY at DESC LIMIT 1 OFFSET ?4))",
            &[api.into(), url.into(), before.into(), most.into()],
        )
    }

    /// Returns the results of a test since a given time, oldest first.
    pub(super) fn checks(
        &self,
        api: &str,
        url: &str,
        since: u64,
    ) -> Result<Vec<UptimeCheck>, StoreError> {
        let found = self.0.query(
            "SELECT at, up, status, ms, error FROM uptime_checks WHERE api = ? AND url = ? AND at >= ? ORDER BY at",
            &[api.into(), url.into(), since.into()],
        )?;
        found.into_iter().map(check).collect()
    }

    /// Stores an event to be sent to the Registry.
    pub(super) fn put_event(&self, signal: &str) -> Result<(), StoreError> {
        let statement = "INSERT INTO uptime_events (signal) VALUES (?)";
        self.run(statement, &[signal.into()])
    }

    /// Returns the oldest events, with their numbers.
    pub(super) fn events(&self, most: u32) -> Result<Vec<(u64, String)>, StoreError> {
        let statement = "SELECT number, signal FROM uptime_events ORDER BY number LIMIT ?";
        let found = self.0.query(statement, &[most.into()])?.into_iter();
        found
            .map(|mut row| Ok((row.number()?, row.text()?)))
            .collect()
    }

    /// Deletes the events up to this number, which the Registry has.
    pub(super) fn remove_events(&self, upto: u64) -> Result<(), StoreError> {
        let statement = "DELETE FROM uptime_events WHERE number <= ?";
        self.run(statement, &[upto.into()])
    }
}

//! The list of organisations with a session, in KV for the data plane.
//!
//! The promise: a client that stores such a session gets its response as soon as that is committed, whatever KV does.
//! The fact that the list has changed is committed with it, and the Registry, which is the only writer of the list,
//! retries until KV has it.

use super::trust::trust;
use crate::ports::Kv;
use crate::registry::Registry;
use crate::registry::rows::{Change, Rows};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::body;
use gatewright_protocol::sessions::{Owner, SessionQuery};
use gatewright_protocol::snapshot::{ORGS_KEY, Orgs};
use std::cell::RefCell;

/// The number of the newest list.
pub(in crate::registry) const VERSION: &str = "orgs-version";
/// The number of the last list that KV has accepted.
const WRITTEN: &str = "orgs-told";

/// The pause after a write in milliseconds: KV accepts one write per second for a key
/// (<https://developers.cloudflare.com/kv/platform/limits/>).
const PAUSE_MS: u64 = 1000;
/// The maximum delay before a failed write is retried, in milliseconds.
const RETRY_MAX_MS: u64 = 64_000;

/// Which list is the newest, and which one KV has.
#[derive(Debug)]
pub(in crate::registry) struct OrgList {
    version: u64,
    written: u64,
}

impl OrgList {
    /// Reads both numbers.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub(in crate::registry) fn load(rows: &Rows) -> Result<Self, StoreError> {
        let number = |name| {
            let text = rows.value(name)?;
            Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
        };
        Ok(Self {
            version: number(VERSION)?,
            written: number(WRITTEN)?,
        })
    }

    /// Returns the number of the next list, which takes effect once it is committed.
    pub(in crate::registry) const fn next(&mut self) -> u64 {
        self.version = self.version.saturating_add(1);
        self.version
    }
}

/// When KV may be written next, in Unix milliseconds, and how often it has failed. This is not stored: a new object may
/// try at once.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::registry) struct Pace {
    pub(super) next: u64,
    failures: u32,
}

impl Pace {
    pub(super) fn after(self, now: u64, went_well: bool) -> Self {
        if went_well {
            let next = now.saturating_add(PAUSE_MS);
            return Self { next, failures: 0 };
        }
        let wait = PAUSE_MS.saturating_mul(1 << self.failures.min(6));
        Self {
            next: now.saturating_add(wait.min(RETRY_MAX_MS)),
            failures: self.failures.saturating_add(1),
        }
    }
}

impl Registry {
    /// Returns when the list of organisations has to be written to KV, in Unix milliseconds; `None` if KV has the
    /// newest one.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn orgs_due(&mut self) -> Result<Option<u64>, StoreError> {
        let next = self.orgs_pace.next;
        self.with_state(
            |_, state, _| Ok((state.orgs.written != state.orgs.version).then_some(next)),
        )
    }

    /// Returns the list in its published form.
    pub(super) fn orgs(&mut self) -> Result<(u64, String), StoreError> {
        self.with_state(|rows, state, _| {
            let (orgs, _) = rows.sessions(Owner::Organisation, &SessionQuery::default())?;
            let version = state.orgs.version;
            let keys = orgs.into_iter().map(|org| org.id).collect();
            let trust = trust(rows, &state.records)?;
            let list = Orgs {
                keys,
                version,
                trust,
            };
            Ok((version, body(&list)?))
        })
    }

    fn orgs_written(&mut self, written: u64) -> Result<(), StoreError> {
        self.with_state(|rows, state, _| {
            rows.commit(&[Change::Value {
                name: WRITTEN,
                value: &written.to_string(),
            }])?;
            state.orgs.written = written;
            Ok(())
        })
    }
}

/// Writes the list to KV, if that is due at `now`, in Unix milliseconds. A change in the meantime makes it due again.
///
/// # Errors
/// If KV or the rows fail; then it is due again.
pub async fn write_orgs<K: Kv>(
    registry: &RefCell<Registry>,
    kv: &K,
    now: u64,
) -> Result<(), StoreError> {
    let due = registry.borrow_mut().orgs_due()?;
    if due.is_none_or(|at| at > now) {
        return Ok(());
    }
    let (version, list) = registry.borrow_mut().orgs()?;
    let put = kv.put(ORGS_KEY, &list, None).await;
    let mut registry = registry.borrow_mut();
    registry.orgs_pace = registry.orgs_pace.after(now, put.is_ok());
    put.and_then(|()| registry.orgs_written(version))
}

//! The report of a reload, as it is stored and shown. One row has its outcome; each API that was loaded or skipped has
//! a row of its own, and none of them grows with the number of problems in the API.

use super::ORGS_VERSION;
use crate::registry::encoding::{from_json, to_json};
use crate::registry::rows::{Change, Rows, parts};
use gatewright_api::shape::{Loaded, ReloadState, ReloadStatus, STATUS_LIST_MAX, Skipped};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::Selection;
use gatewright_protocol::snapshot::brief;
use gatewright_protocol::time::millis;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::borrow::Cow;

const REPORT: &str = "reload-report";
/// The policies that the last reload has published, as stored by earlier versions.
const POLICIES_BEFORE: &str = "reload-policies";
const ATTEMPT: &str = "reload-attempt";
const ATTEMPTED_AT: &str = "reload-attempted-at";
/// What the last attempt was to publish, as JSON; empty for everything.
const SELECTION: &str = "reload-selection";
/// The value of [`SELECTION`] for a selection that can't be published any more.
const GIVEN_UP: &str = "-";

/// The parts of a set ([`Change::Part`]) that contain a reload's report.
const LOADED: &str = "loaded";
const SKIPPED: &str = "skipped";
/// Internal id and revision of each published policy, one per line, ordered by id.
const POLICIES: &str = "policies";

/// The delay in milliseconds before an unfinished reload is retried. It doubles with each further attempt.
const RETRY_MS: u64 = 10_000;
/// The maximum delay, in milliseconds.
const RETRY_MAX_MS: u64 = 640_000;

/// The stored report of a reload. The lists have rows of their own; earlier versions stored them inside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The published generation.
    pub generation: u64,
    /// The number of its chunks.
    pub chunks: usize,
    /// The generation before it and the number of its chunks, which slower locations may still be reading.
    pub before: (u64, usize),
    /// The names of its chunks, by content; empty if an earlier version has published it.
    pub names: Vec<String>,
    /// The names of the previous generation's chunks.
    pub names_before: Vec<String>,
    /// When it was published, RFC 3339.
    pub reloaded_at: Option<String>,
    /// Why the last attempt failed, if it did.
    pub error: Option<String>,
    /// Why the last attempt to publish everything failed, if none has succeeded since; a selection may have been
    /// published.
    pub full_error: Option<String>,
    /// The number of loaded APIs.
    pub loaded_total: u32,
    /// The number of skipped APIs.
    pub skipped_total: u32,
    /// The first of the loaded APIs.
    #[serde(skip_serializing)]
    pub loaded: Vec<Loaded>,
    /// The first of the skipped APIs.
    #[serde(skip_serializing)]
    pub skipped: Vec<Skipped>,
}

impl Report {
    /// Reads the last reload's report; an empty one before the first reload.
    ///
    /// # Errors
    /// If the rows can't be read. An unreadable report counts as none.
    pub fn read(rows: &Rows) -> Result<Self, StoreError> {
        let report = Self::head(rows)?;
        if report.is_in_one_row() {
            return Ok(report);
        }
        Ok(Self {
            loaded: listed(rows, report.generation, LOADED)?,
            skipped: listed(rows, report.generation, SKIPPED)?,
            ..report
        })
    }

    /// Reads the report without its lists, unless an earlier version has stored them in it.
    pub(super) fn head(rows: &Rows) -> Result<Self, StoreError> {
        let text = rows.value(REPORT)?;
        Ok(text
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default())
    }

    /// Whether an earlier version has stored it with its lists. Their rows must be stored before it is stored again.
    pub(super) const fn is_in_one_row(&self) -> bool {
        !self.loaded.is_empty() || !self.skipped.is_empty()
    }

    /// Truncates the lists to what is shown.
    pub(super) fn cut(&mut self) {
        self.loaded.truncate(STATUS_LIST_MAX);
        self.loaded.iter_mut().for_each(brief::loaded);
        self.skipped.truncate(STATUS_LIST_MAX);
        self.skipped.iter_mut().for_each(brief::skipped);
    }

    /// Returns the rows of its lists.
    pub(super) fn rows(&self) -> Result<Vec<Change<'static>>, StoreError> {
        let mut changes = list(self.generation, LOADED, &self.loaded)?;
        changes.extend(list(self.generation, SKIPPED, &self.skipped)?);
        Ok(changes)
    }

    /// Stores the row of everything else, together with other changes.
    pub(super) fn store(&self, rows: &Rows, with: Vec<Change<'_>>) -> Result<(), StoreError> {
        let value = to_json("encode report", self)?;
        let mut changes = with;
        changes.push(Change::Value {
            name: REPORT,
            value: &value,
        });
        rows.commit(&changes)
    }

    /// Converts it to the body of the status endpoint.
    #[must_use]
    pub fn status(self) -> ReloadStatus {
        let state = if self.error.is_some() {
            ReloadState::Failed
        } else {
            ReloadState::Idle
        };
        ReloadStatus {
            generation: self.generation,
            reloaded_at: self.reloaded_at,
            state,
            error: self.error,
            full_error: self.full_error,
            loaded_total: self.loaded_total,
            loaded: self.loaded,
            skipped_total: self.skipped_total,
            skipped: self.skipped,
            ..ReloadStatus::default()
        }
    }
}

/// Reads a list of the report.
fn listed<T: DeserializeOwned>(
    rows: &Rows,
    generation: u64,
    part: &str,
) -> Result<Vec<T>, StoreError> {
    let texts = rows.part(generation, part)?.into_iter();
    Ok(texts
        .filter_map(|text| serde_json::from_str(&text).ok())
        .collect())
}

fn list<T: Serialize>(
    generation: u64,
    part: &'static str,
    list: &[T],
) -> Result<Vec<Change<'static>>, StoreError> {
    let change = |(place, item): (u64, &T)| {
        Ok(Change::Part {
            generation,
            part,
            place,
            text: Cow::Owned(to_json("encode report", item)?),
        })
    };
    (0..).zip(list).map(change).collect()
}

/// Returns the changes that store the policies of a set.
pub(super) fn policy_parts(generation: u64, lines: &str) -> Vec<Change<'_>> {
    parts(generation, POLICIES, lines)
}

/// Returns the internal ids of the published policies, each with its revision, one per line and in order.
///
/// # Errors
/// If the rows can't be read.
pub(in crate::registry) fn policies(rows: &Rows) -> Result<String, StoreError> {
    let parts = rows.part(Report::head(rows)?.generation, POLICIES)?;
    match parts.is_empty() {
        true => Ok(rows.value(POLICIES_BEFORE)?.unwrap_or_default()),
        false => Ok(parts.concat()),
    }
}

/// Returns the revision of a policy in this list.
pub(in crate::registry) fn policy_revision(policies: &str, id: &str) -> Option<u64> {
    let mut lines = policies.lines().filter_map(|line| line.split_once(' '));
    let (_, revision) = lines.find(|(policy, _)| *policy == id)?;
    revision.parse().ok()
}

/// Returns when an unfinished reload is retried, in Unix milliseconds; `None` if the last one has finished.
///
/// # Errors
/// If the rows can't be read.
pub(in crate::registry) fn retry_at(rows: &Rows) -> Result<Option<u64>, StoreError> {
    let tries = attempt(rows)?.saturating_sub(Report::head(rows)?.generation);
    let Some(more) = tries.checked_sub(1) else {
        return Ok(None);
    };
    if rows.value(SELECTION)?.as_deref() == Some(GIVEN_UP) {
        return Ok(None);
    }
    let at = rows.value(ATTEMPTED_AT)?;
    let at = at.and_then(|at| millis(&at)).unwrap_or(0);
    let factor = u32::try_from(more)
        .ok()
        .and_then(|more| 1_u64.checked_shl(more));
    let wait = factor.map_or(RETRY_MAX_MS, |factor| RETRY_MS.saturating_mul(factor));
    Ok(Some(at.saturating_add(wait.min(RETRY_MAX_MS))))
}

/// Returns the selection that an unfinished reload is to publish; `None` for everything.
///
/// # Errors
/// If the rows can't be read.
pub(in crate::registry) fn unfinished(rows: &Rows) -> Result<Option<Selection>, StoreError> {
    let text = rows.value(SELECTION)?.unwrap_or_default();
    let is_one = !text.is_empty() && text != GIVEN_UP;
    is_one
        .then(|| from_json("read selection", &text))
        .transpose()
}

/// Records that a selection can't be published any more, so that it is not retried.
pub(super) fn give_up(rows: &Rows, selection: &str) -> Result<(), StoreError> {
    if rows.value(SELECTION)?.as_deref() != Some(selection) {
        return Ok(());
    }
    rows.commit(&[Change::Value {
        name: SELECTION,
        value: GIVEN_UP,
    }])
}

pub(super) fn attempt(rows: &Rows) -> Result<u64, StoreError> {
    Ok(rows
        .value(ATTEMPT)?
        .and_then(|text| text.parse().ok())
        .unwrap_or(0))
}

/// Reserves a generation number: one that a crashed reload may have partly written is never reused, nor is any number
/// up to `floor`. The list of organisations gets a new number too, whatever happened to the last one in KV. Parts of
/// failed attempts are deleted. The selection is recorded for a retry, unless an unfinished attempt was to publish
/// everything, which covers it.
pub(super) fn burn(
    rows: &Rows,
    head: &Report,
    (floor, orgs): (u64, u64),
    selection: &str,
    now: &str,
) -> Result<u64, StoreError> {
    let waits_for_all =
        retry_at(rows)?.is_some() && rows.value(SELECTION)?.unwrap_or_default().is_empty();
    let selection = if waits_for_all { "" } else { selection };
    let used = attempt(rows)?.max(head.generation).max(floor);
    let generation = used.saturating_add(1);
    let (number, orgs) = (generation.to_string(), orgs.to_string());
    let mut changes = vec![
        Change::Value {
            name: ATTEMPT,
            value: &number,
        },
        Change::Value {
            name: ATTEMPTED_AT,
            value: now,
        },
        Change::Value {
            name: SELECTION,
            value: selection,
        },
        Change::Value {
            name: ORGS_VERSION,
            value: &orgs,
        },
        Change::KeepParts([head.generation, head.before.0]),
    ];
    if head.is_in_one_row() {
        let mut report = head.clone();
        report.cut();
        changes.extend(report.rows()?);
        report.store(rows, changes)?;
    } else {
        rows.commit(&changes)?;
    }
    Ok(generation)
}

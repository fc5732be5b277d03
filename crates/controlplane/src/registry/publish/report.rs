//! What a reload did, as it is stored and shown. One row says how it ended; each API that it has loaded
//! or skipped has a row of its own beside it, and none of them grows with what is wrong with the API.

use super::ORGS_VERSION;
use crate::registry::rows::{Change, Rows, pieces};
use gatewright_api::shape::{Loaded, ReloadState, ReloadStatus, STATUS_LIST_MAX, Skipped};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::Selection;
use gatewright_protocol::snapshot::brief;
use gatewright_protocol::time::millis;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::borrow::Cow;

const REPORT: &str = "reload-report";
/// The policies that the last reload has published, where an earlier version has stored them.
const POLICIES_BEFORE: &str = "reload-policies";
const ATTEMPT: &str = "reload-attempt";
const ATTEMPTED_AT: &str = "reload-attempted-at";
/// What the last try was to publish, as JSON; empty for everything.
const SELECTION: &str = "reload-selection";
/// The same of one that can't be published any more.
const GIVEN_UP: &str = "-";

/// The parts of a set ([`Change::Part`]) that a reload reports in.
const LOADED: &str = "loaded";
const SKIPPED: &str = "skipped";
/// Internal id and revision of each published policy, one a line, in the order of the ids.
const POLICIES: &str = "policies";

/// After how many milliseconds a reload that has not ended is tried again. Each further one waits twice as
/// long as the one before.
const RETRY_MS: u64 = 10_000;
/// No reload waits longer than this.
const RETRY_MAX_MS: u64 = 640_000;

/// What a reload did, as it is stored. The lists have rows of their own; earlier versions have them in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The generation that is published.
    pub generation: u64,
    /// How many chunks it has.
    pub chunks: usize,
    /// The generation before it, whose chunks slower locations may still be reading.
    pub before: (u64, usize),
    /// What its chunks are called by their content; none where an earlier version has published it.
    pub names: Vec<String>,
    /// The same of the generation before it.
    pub names_before: Vec<String>,
    /// When it was published, RFC 3339.
    pub reloaded_at: Option<String>,
    /// Why the last try failed, if it did.
    pub error: Option<String>,
    /// Why the last try to publish everything failed, if none has succeeded since; a part may have been published.
    pub full_error: Option<String>,
    /// How many APIs it holds.
    pub loaded_total: u32,
    /// How many it could not hold.
    pub skipped_total: u32,
    /// The first of those that it holds.
    #[serde(skip_serializing)]
    pub loaded: Vec<Loaded>,
    /// The first of those that it could not hold.
    #[serde(skip_serializing)]
    pub skipped: Vec<Skipped>,
}

impl Report {
    /// The last reload's report; an empty one before the first reload.
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

    /// The same without its lists, but for a report that an earlier version has stored.
    pub(super) fn head(rows: &Rows) -> Result<Self, StoreError> {
        let text = rows.value(REPORT)?;
        Ok(text
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default())
    }

    /// True for one that an earlier version has stored. Whoever stores it anew stores its lists first.
    pub(super) const fn is_in_one_row(&self) -> bool {
        !self.loaded.is_empty() || !self.skipped.is_empty()
    }

    /// Shortens the lists to what is shown.
    pub(super) fn cut(&mut self) {
        self.loaded.truncate(STATUS_LIST_MAX);
        self.loaded.iter_mut().for_each(brief::loaded);
        self.skipped.truncate(STATUS_LIST_MAX);
        self.skipped.iter_mut().for_each(brief::skipped);
    }

    /// The rows of its lists.
    pub(super) fn rows(&self) -> Result<Vec<Change<'static>>, StoreError> {
        let mut changes = list(self.generation, LOADED, &self.loaded)?;
        changes.extend(list(self.generation, SKIPPED, &self.skipped)?);
        Ok(changes)
    }

    /// The row of everything else.
    pub(super) fn store(&self, rows: &Rows, with: Vec<Change<'_>>) -> Result<(), StoreError> {
        let value = serde_json::to_string(self)
            .map_err(|error| StoreError::new("encode report", error.to_string()))?;
        let mut changes = with;
        changes.push(Change::Value {
            name: REPORT,
            value: &value,
        });
        rows.commit(&changes)
    }

    /// The part that the status endpoint shows.
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

/// A list of the report, as it is stored.
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
    let texts = list.iter().map(serde_json::to_string);
    let change = |(place, text): (u64, Result<String, serde_json::Error>)| {
        let text = text.map_err(|error| StoreError::new("encode report", error.to_string()))?;
        Ok(Change::Part {
            generation,
            part,
            place,
            text: Cow::Owned(text),
        })
    };
    (0..).zip(texts).map(change).collect()
}

/// The changes that store which policies a set has.
pub(super) fn policy_parts(generation: u64, lines: &str) -> Vec<Change<'_>> {
    let pieces = (0..).zip(pieces(lines));
    let part = |(place, text)| Change::Part {
        generation,
        part: POLICIES,
        place,
        text: Cow::Borrowed(text),
    };
    pieces.map(part).collect()
}

/// The internal ids of the policies that are published, each with its revision, one a line and in
/// their order.
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

/// When a reload that has not ended is tried again, in milliseconds since 1970; `None` if the last one has.
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

/// What a reload that has not ended is to publish; `None` for everything.
///
/// # Errors
/// If the rows can't be read.
pub(in crate::registry) fn unfinished(rows: &Rows) -> Result<Option<Selection>, StoreError> {
    let text = rows.value(SELECTION)?.unwrap_or_default();
    let is_one = !text.is_empty() && text != GIVEN_UP;
    let selection = is_one.then(|| serde_json::from_str(&text));
    selection
        .transpose()
        .map_err(|error| StoreError::new("read selection", error.to_string()))
}

/// A selection can't be published any more, so that whoever tries it again need not go on.
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

/// Burns a generation number: one that a crashed reload may have half written is never used again. The list
/// of organisations gets a new number too, whatever became of the last one in KV. No number up to `floor` is
/// used, and nothing is kept of what has failed. What the try is to publish is noted for the next one, unless one that
/// has not ended was to publish everything: that covers it.
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

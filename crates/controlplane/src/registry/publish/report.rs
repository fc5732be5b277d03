//! What a reload did, as it is stored and shown.

use crate::registry::rows::Rows;
use gatewright_api::shape::{Loaded, ReloadState, ReloadStatus, Skipped};
use gatewright_protocol::error::StoreError;
use serde::{Deserialize, Serialize};

pub(super) const REPORT: &str = "reload-report";
/// The policies that the last reload has published: internal id and revision, one a line, in the
/// order of the ids.
pub(super) const POLICIES: &str = "reload-policies";
pub(super) const ATTEMPT: &str = "reload-attempt";

/// What a reload did, as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The generation that is published.
    pub generation: u64,
    /// How many chunks it has.
    pub chunks: usize,
    /// The generation before it, whose chunks slower locations may still be reading.
    pub before: (u64, usize),
    /// When it was published, RFC 3339.
    pub reloaded_at: Option<String>,
    /// Why the last try failed, if it did.
    pub error: Option<String>,
    /// How many APIs it holds.
    pub loaded_total: u32,
    /// The first of them.
    pub loaded: Vec<Loaded>,
    /// What it could not hold.
    pub skipped: Vec<Skipped>,
}

impl Report {
    /// The last reload's report; an empty one before the first reload.
    ///
    /// # Errors
    /// If the row can't be read. An unreadable report counts as none.
    pub fn read(rows: &Rows) -> Result<Self, StoreError> {
        let text = rows.value(REPORT)?;
        Ok(text
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default())
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
            loaded_total: self.loaded_total,
            loaded: self.loaded,
            skipped: self.skipped,
            ..ReloadStatus::default()
        }
    }

    pub(super) fn text(&self) -> Result<String, StoreError> {
        serde_json::to_string(self)
            .map_err(|error| StoreError::new("encode report", error.to_string()))
    }
}

/// The internal ids of the policies that are published, each with its revision, one a line and in
/// their order.
///
/// # Errors
/// If the row can't be read.
pub(in crate::registry) fn policies(rows: &Rows) -> Result<String, StoreError> {
    Ok(rows.value(POLICIES)?.unwrap_or_default())
}

/// True if a generation was begun that is not the published one.
///
/// # Errors
/// If the rows can't be read.
pub(in crate::registry) fn is_unfinished(rows: &Rows) -> Result<bool, StoreError> {
    Ok(attempt(rows)? > Report::read(rows)?.generation)
}

pub(super) fn attempt(rows: &Rows) -> Result<u64, StoreError> {
    Ok(rows
        .value(ATTEMPT)?
        .and_then(|text| text.parse().ok())
        .unwrap_or(0))
}

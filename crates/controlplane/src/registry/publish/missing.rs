//! The Registry's replies to isolates for whose location KV has no value for a key, or not yet.

use super::report::Report;
use crate::registry::Registry;
use crate::registry::encoding::to_json;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::snapshot::{self, GENERATION_KEY, Generation, ORGS_KEY};

/// Returns the part of a set ([`crate::registry::rows::Change::Part`]) that stores one of its chunks.
pub(super) fn chunk_part(chunk: usize) -> String {
    format!("chunk {chunk}")
}

/// Returns the value of the key `generation` after a reload.
pub(super) fn pointer(report: &Report) -> Result<String, StoreError> {
    let generation = Generation {
        generation: report.generation,
        chunks: report.chunks,
        before: report.before,
        names: report.names.clone(),
        names_before: report.names_before.clone(),
    };
    to_json("encode generation", &generation)
}

impl Registry {
    /// Returns what KV should have under a key: the newest pointer and list of organisations, and the chunks of the
    /// current set and of the one before. `None` for anything else.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn published(&mut self, key: &str) -> Result<Option<String>, StoreError> {
        match key {
            GENERATION_KEY => {
                let report = Report::head(&self.rows)?;
                let is_there = report.generation > 0;
                is_there.then(|| pointer(&report)).transpose()
            }
            ORGS_KEY => self.orgs().map(|(_, list)| Some(list)),
            key => {
                let Some((generation, chunk)) = snapshot::read_key(key) else {
                    return Ok(None);
                };
                let pieces = self.rows.part(generation, &chunk_part(chunk))?;
                Ok((!pieces.is_empty()).then(|| pieces.concat()))
            }
        }
    }
}

//! Which chunks are in KV, by the names derived from their content, and which set named each last.

use crate::registry::encoding::to_json;
use crate::registry::rows::{Change, Rows};
use gatewright_protocol::error::StoreError;
use std::collections::BTreeMap;

const NAMES: &str = "published-chunks";

/// The last generation that used each name. A chunk whose name is missing here may still be in KV, and may be deleted
/// there.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<String, u64>);

impl Names {
    /// Reads them.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub(super) fn load(rows: &Rows) -> Result<Self, StoreError> {
        let text = rows.value(NAMES)?;
        let names = text.and_then(|text| serde_json::from_str(&text).ok());
        Ok(Self(names.unwrap_or_default()))
    }

    /// Whether a chunk is in KV.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Records that a set uses these chunks, which are in KV.
    pub(super) fn note(&mut self, names: &[String], generation: u64) {
        self.0
            .extend(names.iter().map(|name| (name.clone(), generation)));
    }

    /// Drops names last used before the generation `upto`, except those last used by the generation `kept`.
    pub(super) fn forget(&mut self, upto: u64, kept: u64) {
        self.0
            .retain(|_, generation| *generation >= upto || *generation == kept);
    }

    /// Serialises them for storage.
    pub(super) fn text(&self) -> Result<String, StoreError> {
        to_json("encode names", &self.0)
    }
}

/// Returns the change that stores them.
pub(super) const fn change(value: &str) -> Change<'_> {
    Change::Value { name: NAMES, value }
}

//! What a reload will make of the changes that wait for it, found out by the checks that it does.

use crate::registry::index::Index;
use crate::registry::publish::Report;
use crate::registry::rows::{Entry, Rows};
use gatewright_api::shape::{Outlook, Pending};
use gatewright_model::definition::Allowed;
use gatewright_model::order::set;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::snapshot;
use std::collections::BTreeSet;

/// What the last reload has made of the APIs.
pub(super) struct Now<'a> {
    /// What APIs are served with although it has no effect.
    allowed: &'a Allowed,
    loaded: BTreeSet<String>,
    /// Whether the report names all that is loaded; a long list is cut.
    whole: bool,
    skipped: BTreeSet<String>,
}

impl<'a> Now<'a> {
    pub(super) fn of(report: &Report, allowed: &'a Allowed) -> Self {
        let loaded = set(report.loaded.iter().map(|api| api.api_id.clone()));
        Self {
            allowed,
            whole: usize::try_from(report.loaded_total).is_ok_and(|total| total <= loaded.len()),
            loaded,
            skipped: set(report.skipped.iter().map(|api| api.api_id.clone())),
        }
    }

    /// Completes a change. What collides with a file that somebody put into KV is found out by the
    /// reload only.
    ///
    /// # Errors
    /// If the text can't be read.
    pub(super) fn look_ahead(
        &self,
        rows: &Rows,
        index: &Index,
        change: &mut Pending,
    ) -> Result<(), StoreError> {
        let id = &change.api_id;
        let cut = !self.whole && change.loaded_revision.is_some() && !self.skipped.contains(id);
        change.served_now = self.loaded.contains(id) || cut;
        change.outlook = match index.live(id) {
            None => Outlook::Deleted,
            Some(entry) if !entry.facts.active => Outlook::Inactive,
            Some(entry) => {
                change.reason = fault(rows, entry, self.allowed)?;
                match &change.reason {
                    Some(_) => Outlook::Skipped,
                    None if entry.facts.internal => Outlook::Internal,
                    None => Outlook::Served,
                }
            }
        };
        Ok(())
    }
}

/// Why the stored revision can't be served.
fn fault(rows: &Rows, entry: &Entry, allowed: &Allowed) -> Result<Option<String>, StoreError> {
    let text = rows.text(&entry.id, entry.revision)?.unwrap_or_default();
    Ok(snapshot::check(&text, allowed)
        .err()
        .map(|(reason, _)| reason))
}

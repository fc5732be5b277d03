//! The expected effect of a reload on pending changes, determined by the checks that the reload itself makes.

use crate::registry::index::Facts;
use crate::registry::publish::{Report, Wanted, entry_of, facts_at};
use crate::registry::rows::{Entry, Rows};
use gatewright_api::shape::{Outlook, Pending};
use gatewright_model::definition::Allowed;
use gatewright_model::order::set;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::snapshot::{self, brief};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The state of the APIs after the last reload.
pub(super) struct Now<'a> {
    /// Members that APIs may be served with although they have no effect.
    allowed: &'a Allowed,
    loaded: BTreeSet<String>,
    /// Whether the report lists every loaded API; a long list is truncated.
    is_complete: bool,
    skipped: BTreeSet<String>,
}

impl<'a> Now<'a> {
    pub(super) fn of(report: &Report, allowed: &'a Allowed) -> Self {
        let loaded = set(report.loaded.iter().map(|api| api.api_id.clone()));
        Self {
            allowed,
            is_complete: usize::try_from(report.loaded_total)
                .is_ok_and(|total| total <= loaded.len()),
            loaded,
            skipped: set(report.skipped.iter().map(|api| api.api_id.clone())),
        }
    }

    /// Fills in the outlook of the changes. Only the reload itself detects conflicts with files that somebody put into
    /// KV directly.
    ///
    /// # Errors
    /// If a text can't be read.
    pub(super) fn look_ahead(
        &self,
        rows: &Rows,
        apis: &[Cow<'_, Entry>],
        wanted: &Wanted,
        changes: &mut [Pending],
    ) -> Result<(), StoreError> {
        // The current owners of routes that may get another owner.
        let mut owners = BTreeMap::new();
        let mut after = Vec::with_capacity(changes.len());
        for change in changes.iter_mut() {
            let id = &change.api_id;
            let cut =
                !self.is_complete && change.loaded_revision.is_some() && !self.skipped.contains(id);
            change.served_now = self.loaded.contains(id) || cut;
            let Some(entry) = entry_of(apis, id) else {
                continue;
            };
            let now = match change.loaded_revision.filter(|_| change.served_now) {
                Some(revision) => Some(facts_at(rows, entry, revision)?),
                None => None,
            };
            if let Some(route) = now.as_ref().and_then(|facts| facts.route()) {
                owners.insert(route, id.clone());
            }
            let then = match wanted.api(entry) {
                Some(revision) => self.outlook(rows, entry, revision, change)?,
                None => {
                    change.outlook = Outlook::Deleted;
                    None
                }
            };
            let now = now.map(|facts| facts.listen_path.clone());
            change.served_path = now.filter(|path| *path != change.listen_path);
            after.push((then, change));
        }
        for (route, change) in after {
            let owner = route.and_then(|route| owners.get(&route));
            change.takes_over = owner.filter(|owner| **owner != change.api_id).cloned();
        }
        Ok(())
    }

    /// Determines the outlook of a revision. Returns the route it will have.
    fn outlook(
        &self,
        rows: &Rows,
        entry: &Entry,
        revision: u64,
        change: &mut Pending,
    ) -> Result<Option<String>, StoreError> {
        let facts = facts_at(rows, entry, revision)?;
        let Facts {
            name,
            listen_path,
            active,
            internal,
            ..
        } = &*facts;
        change.name.clone_from(name);
        change.listen_path.clone_from(listen_path);
        if !active {
            change.outlook = Outlook::Inactive;
            return Ok(None);
        }
        let text = rows.text(&entry.id, revision)?.unwrap_or_default();
        if let Err((mut reason, _)) = snapshot::check(&text, self.allowed) {
            brief::text(&mut reason);
            change.reason = Some(reason);
            change.outlook = Outlook::Skipped;
            return Ok(None);
        }
        change.outlook = match internal {
            true => Outlook::Internal,
            false => Outlook::Served,
        };
        Ok(facts.route())
    }
}

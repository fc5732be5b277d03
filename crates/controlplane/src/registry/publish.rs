//! A reload: what the Registry holds becomes what the data plane serves.
//!
//! The promise: the data plane sees the old set or the new one, never a mixture, and a reload
//! that fails on its way changes nothing that serves. The new set is written to KV under keys
//! that are never written twice (`snapshot/{generation}/{n}`); only then does the one key
//! `generation` move on. The files `apis/{api-id}.json` of the specification's application
//! folder are kept beside it, each with its revision as metadata, so that whatever a failed
//! reload left behind is found and mended by the next one.

mod files;
mod report;

pub use files::sync_files;
pub use report::Report;
pub(super) use report::{is_unfinished, policies};

use crate::ports::Kv;
use crate::registry::backup;
use crate::registry::deliveries::announce;
use crate::registry::journal::{Deed, GATEWAY_ACTOR, GROUP_RELOAD};
use crate::registry::rows::Change;
use crate::registry::{Registry, State};
use files::{file_name, files, foreign, write_files};
use gatewright_api::dashboard::shape::Subject;
use gatewright_api::message::Action;
use gatewright_api::session::KeyList;
use gatewright_api::shape::{Loaded, STATUS_LIST_MAX, Skipped};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;
use gatewright_protocol::registry::body;
use gatewright_protocol::sessions::{Owner, SessionQuery};
use gatewright_protocol::snapshot::{
    self, Candidate, Chunks, GENERATION_KEY, Generation, ORGS_KEY, Published,
};
use report::{ATTEMPT, POLICIES, REPORT, attempt};
use serde_json::json;
use std::cell::RefCell;

/// Files that a reload writes before the new set is served. With more than these, nobody should
/// wait for them: they are copies, and the rest follows by alarm.
const FILES_BEFORE: usize = 100;

/// The revisions that a reload publishes, fixed when it begins. A revision's text never changes,
/// so writes that come in meanwhile wait for the next reload.
struct Set {
    generation: u64,
    report: Report,
    /// Id, revision and whether it is active, of each document that is not deleted.
    documents: Vec<(String, u64, bool)>,
    deleted: Vec<String>,
    /// The texts of the policies.
    policies: Vec<String>,
    /// Their revisions, as they are stored.
    policy_revisions: String,
    /// The organisations with a session.
    orgs: KeyList,
}

/// Publishes what the Registry holds.
///
/// # Errors
/// If storage or KV fails. The published set is then the old one, the report says why, and the
/// next call tries everything again.
pub async fn publish<K: Kv>(
    registry: &RefCell<Registry>,
    kv: &K,
    now: &str,
) -> Result<Published, StoreError> {
    let set = registry.borrow_mut().begin()?;
    registry.borrow_mut().reloading = true;
    let ended = publish_set(registry, kv, &set, now).await;
    registry.borrow_mut().reloading = false;
    match ended {
        Ok(published) => Ok(published),
        Err(error) => {
            let report = Report {
                error: Some(error.to_string()),
                ..set.report
            };
            let value = report.text()?;
            registry.borrow_mut().rows.commit(&[Change::Value {
                name: REPORT,
                value: &value,
            }])?;
            Err(error)
        }
    }
}

async fn publish_set<K: Kv>(
    registry: &RefCell<Registry>,
    kv: &K,
    set: &Set,
    now: &str,
) -> Result<Published, StoreError> {
    let files = files(kv).await?;
    let files_left = write_files(registry, kv, set, &files, FILES_BEFORE).await?;
    let foreign = foreign(kv, set, &files).await?;

    let allowed = registry.borrow().allowed.clone();
    let mut chunks = Chunks::allowing(allowed);
    let mut key = 0;
    for (id, revision, active) in &set.documents {
        if !active {
            continue;
        }
        let text = registry
            .borrow()
            .rows
            .text(id, *revision)?
            .unwrap_or_default();
        let candidate = Candidate {
            file: file_name(id),
            revision: *revision,
            text,
        };
        if let Some(chunk) = chunks.add(&candidate) {
            kv.put(&snapshot::key(set.generation, key), &chunk, None)
                .await?;
            key = key.saturating_add(1);
        }
    }
    for candidate in foreign {
        if let Some(chunk) = chunks.add(&candidate) {
            kv.put(&snapshot::key(set.generation, key), &chunk, None)
                .await?;
            key = key.saturating_add(1);
        }
    }
    // A policy is a kilobyte or so: 25 MiB hold all that the Registry keeps in memory.
    if let Some(chunk) = Chunks::policies(&set.policies) {
        kv.put(&snapshot::key(set.generation, key), &chunk, None)
            .await?;
        key = key.saturating_add(1);
    }
    let (last, loaded, skipped) = chunks.finish();
    kv.put(&snapshot::key(set.generation, key), &last, None)
        .await?;
    kv.put(ORGS_KEY, &body(&set.orgs)?, None).await?;
    let generation = Generation {
        generation: set.generation,
        chunks: key.saturating_add(1),
    };
    let value = serde_json::to_string(&generation)
        .map_err(|error| StoreError::new("encode generation", error.to_string()))?;
    kv.put(GENERATION_KEY, &value, None).await?;

    registry
        .borrow_mut()
        .finish(set, generation, loaded, skipped, now)?;
    retire(kv, set.report.before).await;
    Ok(Published {
        generation: set.generation,
        chunks: generation.chunks,
        files_left,
    })
}

impl Registry {
    /// Fixes the set of revisions and burns a generation number: one that a crashed reload may
    /// have half written is never used again.
    fn begin(&mut self) -> Result<Set, StoreError> {
        if !backup::unfinished(&self.rows)?.is_empty() {
            let reason = "an import has begun and not ended: import its file again, or DELETE /gateway/import";
            return Err(StoreError::new("reload", reason));
        }
        let mut set = self.set()?;
        set.generation = attempt(&self.rows)?
            .max(set.report.generation)
            .saturating_add(1);
        self.rows.commit(&[Change::Value {
            name: ATTEMPT,
            value: &set.generation.to_string(),
        }])?;
        Ok(set)
    }

    fn set(&mut self) -> Result<Set, StoreError> {
        let state = match self.state.take() {
            Some(state) => state,
            None => State::load(&self.rows, self.notices_kept)?,
        };
        let state = self.state.insert(state);
        let (index, records) = (&state.index, &state.records);
        let report = Report::read(&self.rows)?;
        let mut set = Set {
            generation: report.generation,
            report,
            documents: Vec::new(),
            deleted: Vec::new(),
            policies: Vec::new(),
            policy_revisions: String::new(),
            orgs: KeyList::default(),
        };
        let (orgs, _) = self
            .rows
            .sessions(Owner::Organisation, &SessionQuery::default())?;
        set.orgs.keys.extend(orgs.into_iter().map(|org| org.id));
        for entry in index.all() {
            if entry.deleted {
                set.deleted.push(entry.id.clone());
            } else {
                set.documents
                    .push((entry.id.clone(), entry.revision, entry.facts.active));
            }
        }
        for policy in records
            .all(Kind::Policy, "")
            .filter(|policy| !policy.deleted)
        {
            set.policy_revisions
                .push_str(&format!("{} {}\n", policy.id, policy.revision));
            set.policies
                .extend(records.text(&self.rows, policy, policy.revision)?);
        }
        Ok(set)
    }

    fn finish(
        &mut self,
        set: &Set,
        generation: Generation,
        loaded: Vec<Loaded>,
        skipped: Vec<Skipped>,
        now: &str,
    ) -> Result<(), StoreError> {
        let report = Report {
            generation: generation.generation,
            chunks: generation.chunks,
            before: (set.report.generation, set.report.chunks),
            reloaded_at: Some(now.to_owned()),
            error: None,
            loaded_total: u32::try_from(loaded.len()).unwrap_or(u32::MAX),
            loaded: loaded.into_iter().take(STATUS_LIST_MAX).collect(),
            skipped: skipped.into_iter().take(STATUS_LIST_MAX).collect(),
        };
        // A write that failed meanwhile has dropped what was known; it is read anew then.
        let mut state = match self.state.take() {
            Some(state) => state,
            None => State::load(&self.rows, self.notices_kept)?,
        };
        let documents = set
            .documents
            .iter()
            .map(|(id, revision, _)| (id, Some(*revision)));
        let deleted = set.deleted.iter().map(|id| (id, None));
        let published: Vec<(String, Option<u64>)> = documents
            .chain(deleted)
            .filter(|(id, revision)| {
                state
                    .index
                    .get(id)
                    .is_some_and(|entry| entry.published != *revision)
            })
            .map(|(id, revision)| (id.clone(), revision))
            .collect();
        let value = report.text()?;
        let mut changes: Vec<Change<'_>> = published
            .iter()
            .map(|(id, revision)| Change::Published {
                id,
                revision: *revision,
            })
            .collect();
        changes.push(Change::Value {
            name: REPORT,
            value: &value,
        });
        changes.push(Change::Value {
            name: POLICIES,
            value: &set.policy_revisions,
        });
        changes.extend(traces(&mut state, &self.default_org, &report, now));
        self.rows.commit(&changes)?;
        for (id, revision) in &published {
            state.index.set_published(id, *revision);
        }
        state.index.set_problems(&report);
        self.state = Some(state);
        Ok(())
    }
}

/// The audit entry and the notification of a reload. It serves all organisations, and is noted in
/// the default one.
fn traces<'a>(state: &mut State, org: &'a str, report: &Report, now: &str) -> Vec<Change<'a>> {
    let deed = Deed {
        org,
        actor: GATEWAY_ACTOR,
        action: Action::Modified,
        subject: Subject::Reload,
        id: "",
        name: "",
        before: Some(report.before.0).filter(|before| *before > 0),
        after: Some(report.generation),
    };
    let data = json!({
        "generation": report.generation,
        "loaded": report.loaded_total,
        "skipped": report.skipped.len(),
    });
    let audit = state.journal.audit(&deed, now);
    let parts = (&mut state.journal, &mut state.deliveries, &state.records);
    let mut changes = announce(parts, org, GROUP_RELOAD, data, now);
    changes.push(audit);
    changes
}

/// Removes a set that nobody serves any more. What can't be removed only takes up space, so a
/// failure here does not fail the reload.
async fn retire<K: Kv>(kv: &K, (generation, chunks): (u64, usize)) {
    for chunk in 0..chunks {
        // Left behind on failure, see above.
        let _ = kv.delete(&snapshot::key(generation, chunk)).await;
    }
}

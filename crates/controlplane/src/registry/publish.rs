//! A reload: what the Registry holds becomes what the data plane serves.
//!
//! The promise: the data plane sees the old set or the new one, never a mixture, and a reload that fails midway changes
//! nothing that is served. New parts of the set are written to KV in chunks whose keys are hashes of their content
//! (`snapshot/by-content/{name}`), so nothing changes under a key; only then does the single key `generation` move on.
//! Everything that could be too large to store is stored before that step, so that no later step can fail because of
//! its size, and a report that can't be stored stops nothing. The files `apis/{api-id}.json` of the specification's
//! application folder are maintained next to it, each with its revision as metadata, so that whatever a failed reload
//! left behind is found and repaired by the next one.

mod check;
mod chunks;
mod files;
mod generations;
mod missing;
mod names;
mod orgs;
mod report;
mod selection;
mod set;
mod sets;
mod trust;
mod uptime;

pub(super) use check::{check, check_selection};
pub use files::sync_files;
pub(super) use generations::{list as generations, plan as plan_generation};
pub use orgs::write_orgs;
pub(super) use orgs::{OrgList, Pace, VERSION as ORGS_VERSION};
pub use report::Report;
pub(super) use report::{policies, policy_revision, retry_at, unfinished};
pub(super) use selection::entry_of;
pub(super) use selection::{Wanted, published_policies, shown_id};
pub(super) use set::facts_at;
pub(super) use sets::Sets;
pub use sets::remove_old;
pub(super) use trust::forget_keys;
pub(super) use uptime::uptime_tests;

use crate::ports::Kv;
use crate::registry::Registry;
use crate::registry::backup;
use crate::registry::commit::{Draft, Event};
use crate::registry::journal::{AuditedWrite, GROUP_RELOAD};
use crate::registry::rows::Change;
use files::{file_name, files, foreign, write_files};
use gatewright_api::dashboard::shape::Subject;
use gatewright_api::message::Action;
use gatewright_protocol::caller::Sender;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::Selection;
use gatewright_protocol::snapshot::{GENERATION_KEY, Generation, Published, brief};
use gatewright_protocol::time::millis;
use missing::pointer;
use names::Names;
use serde_json::json;
use set::Set;
use std::cell::RefCell;

/// How many files a reload writes before the new set is served. If there are more, serving should not wait for them:
/// they are copies, and the alarm writes the rest.
const FILES_BEFORE: usize = 100;

/// The maximum number of concurrent calls to KV. More than six only wait in the runtime
/// (<https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections>).
const AT_ONCE: usize = 6;

/// How often writing the key `generation` is retried if KV has accepted a write of it within the last second, and after
/// how many milliseconds each time.
const POINTS: u32 = 3;
const POINT_MS: u32 = 1000;

/// Publishes what the Registry holds, or a selection of it; everything else stays as published.
///
/// # Errors
/// If storage or KV fails. The published set is then the old one, the report says why, and the next call tries
/// everything again. Also if the selection can't be published any more, which changes nothing.
pub async fn publish<K: Kv>(
    registry: &RefCell<Registry>,
    kv: &K,
    selection: Option<&Selection>,
    now: &str,
) -> Result<Published, StoreError> {
    let floor = published_before(registry, kv).await?;
    let set = registry.borrow_mut().begin(floor, selection, now)?;
    registry.borrow_mut().reloading = true;
    let ended = publish_set(registry, kv, &set, now).await;
    registry.borrow_mut().reloading = false;
    if let Err(error) = &ended {
        let mut text = error.to_string();
        brief::text(&mut text);
        let full_error = match &set.selection {
            None => Some(text.clone()),
            Some(_) => set.report.full_error,
        };
        let report = Report {
            error: Some(text),
            full_error,
            ..set.report
        };
        let kept = vec![Change::KeepParts([report.generation, report.before.0])];
        // If this can't be stored either, the caller gets the original error, which is the cause of both.
        let _ = report.store(&registry.borrow().rows, kept);
    }
    ended
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

    let (names, outcome, tests) = chunks::write(registry, kv, set, foreign).await?;
    let report = Report {
        generation: set.generation,
        chunks: names.len(),
        before: (set.report.generation, set.report.chunks),
        names,
        names_before: set.report.names.clone(),
        reloaded_at: Some(now.to_owned()),
        error: None,
        // Publishing a selection does not resolve a failure of the full reload.
        full_error: set
            .selection
            .as_ref()
            .and(set.report.full_error.as_ref())
            .cloned(),
        loaded_total: outcome.loaded_total,
        skipped_total: outcome.skipped_total,
        loaded: outcome.loaded,
        skipped: outcome.skipped,
    };
    registry.borrow_mut().prepare(set, &report, &tests)?;
    point(kv, &pointer(&report)?).await?;

    registry.borrow_mut().finish(set, &report, now)?;
    Ok(Published {
        generation: set.generation,
        chunks: report.chunks,
        files_left,
        names: report.names,
    })
}

/// Returns the generation that KV names if this Registry has never published one: then the Registry is new but its KV
/// is not. That number is not reused.
async fn published_before<K: Kv>(registry: &RefCell<Registry>, kv: &K) -> Result<u64, StoreError> {
    if Report::head(&registry.borrow().rows)?.generation > 0 {
        return Ok(0);
    }
    let text = kv.get(GENERATION_KEY).await?;
    let known = text.and_then(|text| Generation::read(&text).ok());
    Ok(known.unwrap_or_default().generation)
}

/// Moves the data plane to the new generation. KV accepts one write per second for a key, and reloads may follow each
/// other faster.
async fn point<K: Kv>(kv: &K, pointer: &str) -> Result<(), StoreError> {
    for _ in 0..POINTS {
        match kv.put(GENERATION_KEY, pointer, None).await {
            Err(error) if error.is_throttled() => kv.pause(POINT_MS).await,
            ended => return ended,
        }
    }
    kv.put(GENERATION_KEY, pointer, None).await
}

impl Registry {
    /// Determines the set of revisions and reserves a generation number, which is never reused.
    fn begin(
        &mut self,
        floor: u64,
        selection: Option<&Selection>,
        now: &str,
    ) -> Result<Set, StoreError> {
        if !backup::unfinished(&self.rows)?.is_empty() {
            let reason = "an import has begun and not ended: import its file again, or DELETE /gateway/import";
            return Err(StoreError::new("reload", reason));
        }
        let noted = selection::written(selection)?;
        let mut set = match self.selected(selection)? {
            Ok(set) => set,
            Err(obstacle) => {
                report::give_up(&self.rows, &noted)?;
                return Err(StoreError::new("reload", obstacle.reason));
            }
        };
        set.generation = self.with_state(|rows, state, _| {
            let numbers = (floor, state.orgs.next());
            report::burn(rows, &set.report, numbers, &noted, now)
        })?;
        set.selection = selection.cloned();
        Ok(set)
    }

    /// Stores whatever grows with the set, before it is served.
    fn prepare(&mut self, set: &Set, report: &Report, tests: &str) -> Result<(), StoreError> {
        let mut changes = report::policy_parts(set.generation, &set.policy_revisions);
        changes.extend(uptime::test_parts(set.generation, tests));
        let mut names = Names::load(&self.rows)?;
        names.note(&report.names, set.generation);
        let names = names.text()?;
        changes.push(names::change(&names));
        self.rows.commit(&changes)?;
        let stored = report.rows().and_then(|rows| self.rows.commit(&rows));
        stored.or_else(|error| {
            let line = format!("reload {}: no report: {error}", set.generation);
            self.with_state(|_, state, _| {
                state.journal.log(vec![line]);
                Ok(())
            })
        })
    }

    /// Records the set as the published one, now that it is served.
    fn finish(&mut self, set: &Set, report: &Report, now: &str) -> Result<(), StoreError> {
        // A write that failed in the meantime has dropped the state; it is read again.
        let mut state = self.take_state()?;
        let documents = set
            .documents
            .iter()
            .map(|document| (&document.id, Some(document.revision)));
        let deleted = set.deleted.iter().chain(&set.absent).map(|id| (id, None));
        let published: Vec<(String, Option<u64>)> = documents
            .chain(deleted)
            .filter(|(id, revision)| {
                let entry = state.index.get(id);
                entry.and_then(|entry| entry.published) != *revision
            })
            .map(|(id, revision)| (id.clone(), revision))
            .collect();
        let mut changes: Vec<Change<'_>> = published
            .iter()
            .map(|(id, revision)| Change::Published {
                id,
                revision: *revision,
            })
            .collect();
        let kept = [report.generation, report.before.0];
        changes.extend(generations::note(
            &self.rows,
            &state.index,
            set,
            report,
            &published,
            &self.reloads_for.actor,
        )?);
        changes.push(Change::KeepParts(kept));
        state.sets.note(report.generation, millis(now).unwrap_or(0));
        let sets = state.sets.text()?;
        changes.push(sets::change(&sets));
        state.journal.act_for(self.reloads_for.clone());
        let name = format!(
            "{} served, {} skipped",
            report.loaded_total, report.skipped_total
        );
        let write = draft(&self.default_org, &name, report);
        let parts = (&mut state.journal, &mut state.deliveries, &state.records);
        changes.extend(write.with_traces(parts, now));
        state.journal.act_for(Sender::default());
        report.store(&self.rows, changes)?;
        for (id, revision) in &published {
            state.index.set_published(&self.rows, id, *revision)?;
        }
        state.index.set_problems(report);
        self.state = Some(state);
        Ok(())
    }
}

/// Drafts the entry and notification of a reload. It serves all organisations, and is recorded in the default one;
/// `name` says what it has loaded.
fn draft<'a>(org: &'a str, name: &'a str, report: &Report) -> Draft<'a> {
    let audited = AuditedWrite {
        org,
        name,
        before: Some(report.before.0).filter(|before| *before > 0),
        after: Some(report.generation),
        ..AuditedWrite::new(Subject::Reload, Action::Modified)
    };
    let data = json!({
        "generation": report.generation,
        "loaded": report.loaded_total,
        "skipped": report.skipped_total,
    });
    Draft {
        event: Some(Event::new(GROUP_RELOAD, data)),
        ..Draft::new(audited, Vec::new())
    }
}

//! A reload: what the Registry holds becomes what the data plane serves.
//!
//! The promise: the data plane sees the old set or the new one, never a mixture, and a reload
//! that fails on its way changes nothing that serves. The new set is written to KV under keys
//! that are never written twice (`snapshot/{generation}/{n}`); only then does the one key
//! `generation` move on. The files `apis/{api-id}.json` of the specification's application
//! folder are kept beside it, each with its revision as metadata, so that whatever a failed
//! reload left behind is found and mended by the next one.

use crate::error::StoreError;
use crate::plane::snapshot::{self, Candidate, Chunks};
use crate::ports::Kv;
use crate::registry::deliveries::announce;
use crate::registry::journal::{Deed, GATEWAY_ACTOR, GROUP_RELOAD};
use crate::registry::protocol::body;
use crate::registry::records::Kind;
use crate::registry::rows::{Change, Rows};
use crate::registry::sessions::{Owner, SessionQuery};
use crate::registry::{Registry, State};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use gatewright_api::dashboard::shape::Subject;
use gatewright_api::message::Action;
use gatewright_api::session::KeyList;
use gatewright_api::shape::{Loaded, ReloadState, ReloadStatus, STATUS_LIST_MAX, Skipped};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Where the files of the specification's application folder are.
pub const FOLDER: &str = "apis/";
/// The key that says which set is served.
pub const GENERATION_KEY: &str = "generation";
/// The key that names the organisations with a session, as `GET /gateway/org/keys` lists them. A
/// write of one publishes it at once; a reload does so again, whatever became of that.
pub const ORGS_KEY: &str = "orgs";
/// Calls to KV under way at once. More than six only wait in the runtime
/// (<https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections>).
const AT_ONCE: usize = 6;
/// Files that a reload writes before the new set is served. With more than these, nobody should
/// wait for them: they are copies, and the rest follows by alarm.
const FILES_BEFORE: usize = 100;
/// Files that one alarm writes. An invocation may make 1,000 calls to KV
/// (<https://developers.cloudflare.com/kv/platform/limits/>).
const FILES_PER_ALARM: usize = 800;

const REPORT: &str = "reload-report";
/// The policies that the last reload has published: internal id and revision, one a line, in the
/// order of the ids.
const POLICIES: &str = "reload-policies";
const ATTEMPT: &str = "reload-attempt";

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
    pub fn read<R: Rows>(rows: &R) -> Result<Self, StoreError> {
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

    fn text(&self) -> Result<String, StoreError> {
        serde_json::to_string(self)
            .map_err(|error| StoreError::new("encode report", error.to_string()))
    }
}

/// The internal ids of the policies that are published, each with its revision, one a line and in
/// their order.
///
/// # Errors
/// If the row can't be read.
pub(super) fn policies<R: Rows>(rows: &R) -> Result<String, StoreError> {
    Ok(rows.value(POLICIES)?.unwrap_or_default())
}

/// What a finished reload means for the isolate that waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The generation that KV names now.
    pub generation: u64,
    /// How many chunks it has.
    pub chunks: usize,
    /// True if files still have to be written by [`sync_files`].
    pub files_left: bool,
}

/// The value of [`GENERATION_KEY`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number.
    pub generation: u64,
    /// How many chunks it has.
    pub chunks: usize,
}

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
pub async fn publish<R: Rows, K: Kv>(
    registry: &RefCell<Registry<R>>,
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

async fn publish_set<R: Rows, K: Kv>(
    registry: &RefCell<Registry<R>>,
    kv: &K,
    set: &Set,
    now: &str,
) -> Result<Published, StoreError> {
    let files = files(kv).await?;
    let files_left = write_files(registry, kv, set, &files, FILES_BEFORE).await?;
    let foreign = foreign(kv, set, &files).await?;

    let mut chunks = Chunks::new();
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

/// True if a generation was begun that is not the published one.
///
/// # Errors
/// If the rows can't be read.
pub(super) fn is_unfinished<R: Rows>(rows: &R) -> Result<bool, StoreError> {
    Ok(attempt(rows)? > Report::read(rows)?.generation)
}

fn attempt<R: Rows>(rows: &R) -> Result<u64, StoreError> {
    Ok(rows
        .value(ATTEMPT)?
        .and_then(|text| text.parse().ok())
        .unwrap_or(0))
}

/// Writes files that a large reload left for later. Answers whether there are still more.
///
/// # Errors
/// If KV fails; the next call finds what is missing.
pub async fn sync_files<R: Rows, K: Kv>(
    registry: &RefCell<Registry<R>>,
    kv: &K,
) -> Result<bool, StoreError> {
    let set = registry.borrow_mut().set()?;
    let files = files(kv).await?;
    write_files(registry, kv, &set, &files, FILES_PER_ALARM).await
}

impl<R: Rows> Registry<R> {
    /// Fixes the set of revisions and burns a generation number: one that a crashed reload may
    /// have half written is never used again.
    fn begin(&mut self) -> Result<Set, StoreError> {
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

fn file_name(id: &str) -> String {
    format!("{FOLDER}{id}.json")
}

/// The files in KV with the revision that each was written from.
async fn files<K: Kv>(kv: &K) -> Result<BTreeMap<String, Option<u64>>, StoreError> {
    let mut files = BTreeMap::new();
    for (name, metadata) in kv.list(FOLDER).await? {
        files.insert(name, metadata.and_then(|text| text.parse().ok()));
    }
    Ok(files)
}

/// Brings at most so many files up to date. Answers whether some are left for a later turn.
async fn write_files<R: Rows, K: Kv>(
    registry: &RefCell<Registry<R>>,
    kv: &K,
    set: &Set,
    files: &BTreeMap<String, Option<u64>>,
    most: usize,
) -> Result<bool, StoreError> {
    let stale = set.documents.iter().filter_map(|(id, revision, _)| {
        let name = file_name(id);
        (files.get(&name) != Some(&Some(*revision))).then_some((name, id, Some(*revision)))
    });
    let gone = set.deleted.iter().filter_map(|id| {
        let name = file_name(id);
        files.contains_key(&name).then_some((name, id, None))
    });
    let mut work: Vec<_> = gone.chain(stale).collect();
    let left = work.len() > most;
    work.truncate(most);
    stream::iter(work.into_iter().map(Ok))
        .try_for_each_concurrent(AT_ONCE, |(name, id, revision)| async move {
            match revision {
                None => kv.delete(&name).await,
                Some(revision) => {
                    let text = registry
                        .borrow()
                        .rows
                        .text(id, revision)?
                        .unwrap_or_default();
                    kv.put(&name, &text, Some(&revision.to_string())).await
                }
            }
        })
        .await?;
    Ok(left)
}

/// Files that somebody else put into the folder. The specification's folder is open: what is in
/// it gets loaded, unless it collides with what the Registry owns.
async fn foreign<K: Kv>(
    kv: &K,
    set: &Set,
    files: &BTreeMap<String, Option<u64>>,
) -> Result<Vec<Candidate>, StoreError> {
    let mut own = std::collections::BTreeSet::new();
    own.extend(set.deleted.iter().map(|id| file_name(id)));
    own.extend(set.documents.iter().map(|(id, ..)| file_name(id)));
    let names = files
        .keys()
        .filter(|name| name.ends_with(".json") && !own.contains(*name));
    stream::iter(names)
        .map(|name| async move {
            let text = kv.get(name).await?.unwrap_or_default();
            Ok(Candidate {
                file: name.clone(),
                revision: 0,
                text,
            })
        })
        .buffered(AT_ONCE)
        .try_collect()
        .await
}

/// Removes a set that nobody serves any more. What can't be removed only takes up space, so a
/// failure here does not fail the reload.
async fn retire<K: Kv>(kv: &K, (generation, chunks): (u64, usize)) {
    for chunk in 0..chunks {
        // Left behind on failure, see above.
        let _ = kv.delete(&snapshot::key(generation, chunk)).await;
    }
}

//! The generations that can be published again: what is recorded of each, and which there are.

use super::report::Report;
use super::selection::{Wanted, by_id, published_policies};
use super::set::Set;
use crate::registry::index::Index;
use crate::registry::rows::{Change, Rows};
use crate::registry::{Replied, Turn, read, refuse};
use gatewright_api::resource::Subject;
use gatewright_api::shape::{PastGeneration, PastGenerations};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Reply, body};

/// The number of generations retained, including the current one.
const KEPT: u32 = 20;

/// Returns the changes that record a set in the transaction that makes it the published one: `published` are the APIs
/// whose published revision changes, `None` if they are removed; `by` is the actor who asked for it.
pub(super) fn note<'a>(
    rows: &Rows,
    index: &Index,
    set: &Set,
    report: &Report,
    published: &'a [(String, Option<u64>)],
    by: &str,
) -> Result<Vec<Change<'a>>, StoreError> {
    let mut before = published_policies(rows)?;
    let after = by_id(&set.policy_revisions);
    let mut changes = Vec::new();
    if set.report.generation > 0 && rows.generations()?.is_empty() {
        changes = first(index, &set.report, &before)?;
        // With no earlier generation to differ from, this one records every policy.
        if changes.is_empty() {
            before.clear();
        }
    }
    let served = |kind, id, revision, generation| Change::Served {
        kind,
        id,
        revision,
        generation,
    };
    let changed = published.iter().map(|(id, revision)| {
        served(
            Subject::Api,
            id.as_str().into(),
            *revision,
            report.generation,
        )
    });
    changes.extend(changed);
    let mut policies: Vec<(&String, Option<u64>)> = after
        .iter()
        .filter(|(id, revision)| before.get(*id) != Some(revision))
        .map(|(id, revision)| (id, Some(*revision)))
        .collect();
    let gone = before.keys().filter(|id| !after.contains_key(*id));
    policies.extend(gone.map(|id| (id, None)));
    let count = published.len().saturating_add(policies.len());
    changes.extend(policies.into_iter().map(|(id, revision)| {
        let id = id.clone().into();
        served(Subject::Policy, id, revision, report.generation)
    }));
    let selection = set.selection.as_ref();
    let again = selection.and_then(|selection| selection.generation);
    let line = PastGeneration {
        policies: number(after.len()),
        changes: number(count),
        selected: selection.is_some() && again.is_none(),
        again,
        by: by.to_owned(),
        ..summary(report)
    };
    changes.push(generation_change(&line)?);
    changes.push(Change::KeepGenerations(KEPT));
    Ok(changes)
}

/// Returns the changes that record the set of a previous release, which recorded nothing itself.
fn first(
    index: &Index,
    report: &Report,
    policies: &std::collections::BTreeMap<String, u64>,
) -> Result<Vec<Change<'static>>, StoreError> {
    let apis = index.all().filter_map(|entry| {
        Some(Change::Served {
            kind: Subject::Api,
            id: entry.id.clone().into(),
            revision: Some(entry.published?),
            generation: report.generation,
        })
    });
    let mut changes: Vec<Change<'static>> = apis.collect();
    // Everything has been removed since then, or there were only policies.
    if changes.is_empty() {
        return Ok(changes);
    }
    changes.extend(policies.iter().map(|(id, revision)| Change::Served {
        kind: Subject::Policy,
        id: id.clone().into(),
        revision: Some(*revision),
        generation: report.generation,
    }));
    let line = PastGeneration {
        policies: number(policies.len()),
        ..summary(report)
    };
    changes.push(generation_change(&line)?);
    Ok(changes)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns what a report says about a generation.
fn summary(report: &Report) -> PastGeneration {
    PastGeneration {
        generation: report.generation,
        reloaded_at: report.reloaded_at.clone(),
        loaded: report.loaded_total,
        skipped: report.skipped_total,
        ..PastGeneration::default()
    }
}

fn generation_change(line: &PastGeneration) -> Result<Change<'static>, StoreError> {
    Ok(Change::Generation {
        number: line.generation,
        line: body(line)?,
    })
}

/// Lists the retained generations. One published by a previous release is included from the next reload on.
pub(in crate::registry) fn list(rows: &Rows) -> Replied {
    let served = Report::head(rows)?;
    let lines = rows.generations()?;
    let read = lines
        .iter()
        .filter_map(|line| serde_json::from_str::<PastGeneration>(line).ok());
    let generations = read.map(|generation| PastGeneration {
        served: generation.generation == served.generation,
        ..generation
    });
    let list = PastGenerations {
        generations: generations.collect(),
    };
    Ok((Reply::Json, body(&list)?))
}

/// Returns what publishing a generation again would change.
pub(in crate::registry) fn plan(turn: &Turn<'_>, generation: u64) -> Replied {
    match Wanted::again(turn.rows, generation)? {
        Ok(wanted) => {
            let stored = (&*turn.index, &*turn.records);
            read::generation(turn.rows, stored, turn.allowed, (&wanted, generation))
        }
        Err(obstacle) => refuse(obstacle.refusal()),
    }
}

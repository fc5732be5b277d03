//! A reload that does not publish everything: it publishes the changes of some documents, or what a generation has
//! served.
//!
//! The promise: whatever was not selected is served unchanged, except for the tools of MCP proxies, which depend on the
//! API that provides them. A selection that would take something else out of service, because another API gets its
//! listen path, or because the API that provides its tools is removed or no longer has them, is refused and changes
//! nothing.

use super::report::policies;
use crate::registry::State;
use crate::registry::encoding::to_json;
use crate::registry::index::Index;
use crate::registry::records::Records;
use crate::registry::rows::{Entry, Record, Rows};
use gatewright_api::resource::Subject;
use gatewright_model::order;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;
use gatewright_protocol::registry::{Refusal, Selection};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Why a selection can't be published.
#[derive(Debug)]
pub(super) struct Obstacle {
    status: u16,
    /// The member of the selection.
    pointer: String,
    pub(super) reason: String,
}

impl Obstacle {
    /// Builds the obstacle for an API that would take another one out of service.
    fn other(reason: String) -> Self {
        Self {
            status: 409,
            pointer: "/apis".to_owned(),
            reason,
        }
    }

    /// Builds the refusal of the selection.
    pub(super) fn refusal(self) -> Refusal {
        Refusal::Selection {
            status: self.status,
            pointer: self.pointer,
            reason: self.reason,
        }
    }
}

/// Which revision of each document a reload publishes.
#[derive(Debug)]
pub(in crate::registry) enum Wanted {
    /// The newest revision of everything.
    Everything,
    /// The newest revisions of these APIs and policies, by the ids shown to clients.
    Selected(BTreeSet<String>, BTreeSet<String>),
    /// The revisions that a generation has served, of APIs and of policies.
    Again(BTreeMap<String, u64>, BTreeMap<String, u64>),
}

impl Wanted {
    /// Resolves a selection.
    pub(super) fn of(
        rows: &Rows,
        state: &State,
        selection: Option<&Selection>,
    ) -> Result<Result<Self, Obstacle>, StoreError> {
        let Some(selection) = selection else {
            return Ok(Ok(Self::Everything));
        };
        if let Some(generation) = selection.generation {
            return Self::again(rows, generation);
        }
        let unknown = |member: &str, at: usize, what: &str, id: &str| Obstacle {
            status: 400,
            pointer: format!("/{member}/{at}"),
            reason: format!("There is no {what} {id}; GET /gateway/reload/status lists what waits"),
        };
        for (at, id) in selection.apis.iter().enumerate() {
            if state.index.find(rows, id)?.is_none() {
                return Ok(Err(unknown("apis", at, "API", id)));
            }
        }
        for (at, id) in selection.policies.iter().enumerate() {
            let policy = state.records.get(rows, Kind::Policy, "", id)?;
            if policy.is_none_or(|policy| shown_id(&policy) != id) {
                return Ok(Err(unknown("policies", at, "policy", id)));
            }
        }
        let ids = |ids: &[String]| ids.iter().cloned().collect();
        Ok(Ok(Self::Selected(
            ids(&selection.apis),
            ids(&selection.policies),
        )))
    }

    /// Returns what a generation has served.
    pub(super) fn again(
        rows: &Rows,
        generation: u64,
    ) -> Result<Result<Self, Obstacle>, StoreError> {
        if !rows.keeps_generation(generation)? {
            let reason = format!(
                "Generation {generation} is not kept; GET /gateway/reload/generations lists those that are"
            );
            return Ok(Err(Obstacle {
                status: 404,
                pointer: "/generation".to_owned(),
                reason,
            }));
        }
        let had = |kind| Ok::<_, StoreError>(rows.served(kind, generation)?.into_iter().collect());
        Ok(Ok(Self::Again(had(Subject::Api)?, had(Subject::Policy)?)))
    }

    /// Returns the APIs that a reload may be about, by id: those of the index, and deleted ones that the generation
    /// has served.
    pub(in crate::registry) fn apis<'e>(
        &self,
        rows: &Rows,
        index: &'e Index,
    ) -> Result<Vec<Cow<'e, Entry>>, StoreError> {
        let mut all: Vec<Cow<'e, Entry>> = index.all().map(Cow::Borrowed).collect();
        if let Self::Again(apis, _) = self {
            for id in apis.keys().filter(|id| index.get(id).is_none()) {
                all.extend(rows.entry(id)?.map(Cow::Owned));
            }
            all = order::sorted(all, |entry| entry.id.clone());
        }
        Ok(all)
    }

    /// Returns the policies that a reload may be about, by internal id: those that are not deleted, and deleted ones
    /// that are published or that the generation has served.
    pub(in crate::registry) fn policies<'r>(
        &self,
        rows: &Rows,
        records: &'r Records,
        published: &BTreeMap<String, u64>,
    ) -> Result<Vec<Cow<'r, Record>>, StoreError> {
        let mut all: Vec<Cow<'r, Record>> =
            records.all(Kind::Policy, "").map(Cow::Borrowed).collect();
        let had = match self {
            Self::Again(_, policies) => Some(policies),
            _ => None,
        };
        let ids = had.into_iter().chain([published]).flat_map(BTreeMap::keys);
        let gone = order::set(ids.filter(|id| records.of_id(Kind::Policy, id).is_none()));
        for id in &gone {
            all.extend(rows.record(Kind::Policy, id)?.map(Cow::Owned));
        }
        if !gone.is_empty() {
            all = order::sorted(all, |policy| policy.id.clone());
        }
        Ok(all)
    }

    /// Returns the revision of an API to publish, if any.
    pub(in crate::registry) fn api(&self, entry: &Entry) -> Option<u64> {
        let newest = || (!entry.deleted).then_some(entry.revision);
        match self {
            Self::Everything => newest(),
            Self::Selected(apis, _) if apis.contains(&entry.id) => newest(),
            Self::Selected(..) => entry.published,
            Self::Again(apis, _) => apis.get(&entry.id).copied(),
        }
    }

    /// Returns the revision of a policy to publish, if any.
    pub(in crate::registry) fn policy(
        &self,
        policy: &Record,
        published: Option<u64>,
    ) -> Option<u64> {
        let newest = || (!policy.deleted).then_some(policy.revision);
        match self {
            Self::Everything => newest(),
            Self::Selected(_, policies) if policies.contains(shown_id(policy)) => newest(),
            Self::Selected(..) => published,
            Self::Again(_, policies) => policies.get(&policy.id).copied(),
        }
    }

    /// Whether an API stays unchanged because others were selected.
    pub(super) fn leaves(&self, id: &str) -> bool {
        matches!(self, Self::Selected(apis, _) if !apis.contains(id))
    }

    /// Whether documents that were not selected stay unchanged.
    pub(super) const fn is_a_selection(&self) -> bool {
        matches!(self, Self::Selected(..))
    }
}

/// Returns one of these APIs, which are ordered by id.
pub(in crate::registry) fn entry_of<'e>(apis: &'e [Cow<'_, Entry>], id: &str) -> Option<&'e Entry> {
    let at = apis.binary_search_by(|entry| entry.id.as_str().cmp(id));
    apis.get(at.ok()?).map(AsRef::as_ref)
}

/// Returns the id of a policy that clients see.
pub(in crate::registry) fn shown_id(policy: &Record) -> &str {
    match policy.facts.stable_id.as_str() {
        "" => &policy.id,
        id => id,
    }
}

/// Returns the revisions of the published policies, by internal id.
///
/// # Errors
/// If the rows can't be read.
pub(in crate::registry) fn published_policies(
    rows: &Rows,
) -> Result<BTreeMap<String, u64>, StoreError> {
    Ok(by_id(&policies(rows)?))
}

/// Parses a list of policies and revisions.
pub(super) fn by_id(lines: &str) -> BTreeMap<String, u64> {
    let lines = lines.lines().filter_map(|line| line.split_once(' '));
    lines
        .filter_map(|(id, revision)| Some((id.to_owned(), revision.parse().ok()?)))
        .collect()
}

/// Builds the obstacle for a selected API that would share the listen path of an API that was not selected.
pub(super) fn clash(selected: &str, other: &str, path: &str) -> Obstacle {
    let reason = format!(
        "The APIs {selected} and {other} would both be served under {path}: select {other} too"
    );
    Obstacle::other(reason)
}

/// Builds the obstacle for an MCP proxy that was not selected and would lose the API that provides its tools, or all of
/// its tools when that API changes.
pub(super) fn lost_source(source: &str, proxy: &str) -> Obstacle {
    let reason =
        format!("The MCP proxy {proxy} has its tools from the API {source}: select {proxy} too");
    Obstacle::other(reason)
}

/// Serialises a selection to be recorded until its reload has finished; empty for everything.
pub(super) fn written(selection: Option<&Selection>) -> Result<String, StoreError> {
    selection.map_or(Ok(String::new()), |selection| {
        to_json("encode selection", selection)
    })
}

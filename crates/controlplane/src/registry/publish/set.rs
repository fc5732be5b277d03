//! The set that a reload publishes: which revision of each document it contains.

use super::report::Report;
use super::selection::{Obstacle, Wanted, clash, entry_of, lost_source, published_policies};
use crate::registry::Registry;
use crate::registry::index::Facts;
use crate::registry::records::Records;
use crate::registry::rows::{Entry, Rows};
use crate::registry::write::source;
use gatewright_model::json;
use gatewright_model::openapi::stored;
use gatewright_model::openapi::task::{Call, Tools};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::Selection;
use gatewright_protocol::snapshot;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A definition of the set.
pub(super) struct Document {
    pub(super) id: String,
    pub(super) revision: u64,
    pub(super) is_active: bool,
    /// Whether it was compiled from an OpenAPI document, which the data plane never sees.
    is_compiled: bool,
    /// The API whose operations are its tools, in the set's revision: id and revision.
    source: Option<(String, u64)>,
    /// Whether the published state differs: in its revision, or in that of the API that provides its tools.
    pub(super) is_changed: bool,
}

impl Document {
    /// Returns its text as it is published.
    pub(super) fn served(&self, rows: &Rows) -> Result<String, StoreError> {
        let text = rows.text(&self.id, self.revision)?.unwrap_or_default();
        if !self.is_compiled {
            return Ok(text);
        }
        stored::served(&text)
            .map_err(|error| StoreError::new("publish", format!("{}: {error}", self.id)))
    }

    /// Returns its text with the tools that are operations of an API. They depend on two documents, so each set
    /// computes them again.
    pub(super) fn with_tools(&self, registry: &Registry) -> Result<String, StoreError> {
        let source = self.source.as_ref();
        let source = source.map(|(id, revision)| (id.as_str(), *revision));
        self.with_tools_of(registry, source)
    }

    /// Returns its text with the tools from this revision of an API.
    fn with_tools_of(
        &self,
        registry: &Registry,
        source: Option<(&str, u64)>,
    ) -> Result<String, StoreError> {
        let rows = &registry.rows;
        let (Some((id, revision)), Some(openapi)) = (source, registry.openapi) else {
            return self.served(rows);
        };
        let proxy = rows.text(&self.id, self.revision)?.unwrap_or_default();
        let source = rows.text(id, revision)?.unwrap_or_default();
        let (_, text) = openapi(&Call::Tools(Tools::Serve), &source, &proxy)?;
        match text.is_empty() {
            true => self.served(rows),
            false => Ok(text),
        }
    }

    /// Returns the API whose change would take this document out of service: it is served with the tools of the API's
    /// published revision, and would not be with those of the set's.
    fn loses_tools(&self, registry: &Registry) -> Result<Option<&str>, StoreError> {
        let Some((id, revision)) = &self.source else {
            return Ok(None);
        };
        let is_served = |revision: Option<u64>| {
            let text = self.with_tools_of(registry, revision.map(|it| (id.as_str(), it)))?;
            Ok::<_, StoreError>(snapshot::check(&text, &registry.allowed).is_ok())
        };
        if is_served(Some(*revision))? {
            return Ok(None);
        }
        let state = registry.state.as_ref();
        let source = state.and_then(|state| state.index.get(id));
        let was_served = is_served(source.and_then(|source| source.published))?;
        Ok(was_served.then_some(id.as_str()))
    }
}

/// The revisions that a reload publishes, fixed when it starts. A revision's text never changes, so writes that arrive
/// in the meantime wait for the next reload.
pub(super) struct Set {
    pub(super) generation: u64,
    pub(super) report: Report,
    /// The definitions to publish.
    pub(super) documents: Vec<Document>,
    /// The ids of deleted APIs.
    pub(super) deleted: Vec<String>,
    /// The ids of APIs that are stored but not published.
    pub(super) absent: Vec<String>,
    /// The texts of the policies.
    pub(super) policies: Vec<String>,
    /// For each of those texts, whether it differs from what is published.
    pub(super) changed_policies: Vec<bool>,
    /// Their revisions, in the stored form.
    pub(super) policy_revisions: String,
    /// The selection; `None` for everything.
    pub(super) selection: Option<Selection>,
}

impl Set {
    /// Creates a set without documents.
    fn empty(report: Report) -> Self {
        Self {
            generation: report.generation,
            report,
            documents: Vec::new(),
            deleted: Vec::new(),
            absent: Vec::new(),
            policies: Vec::new(),
            changed_policies: Vec::new(),
            policy_revisions: String::new(),
            selection: None,
        }
    }

    fn add_policies(
        &mut self,
        rows: &Rows,
        records: &Records,
        wanted: &Wanted,
    ) -> Result<(), StoreError> {
        let published = published_policies(rows)?;
        for policy in &wanted.policies(rows, records, &published)? {
            let before = published.get(&policy.id).copied();
            let Some(revision) = wanted.policy(policy, before) else {
                continue;
            };
            self.policy_revisions
                .push_str(&format!("{} {revision}\n", policy.id));
            if let Some(text) = records.text(rows, policy, revision)? {
                self.policies.push(text);
                self.changed_policies.push(before != Some(revision));
            }
        }
        Ok(())
    }
}

/// Returns the facts of a revision of a definition.
///
/// # Errors
/// If the rows can't be read, or no longer have that revision.
pub(in crate::registry) fn facts_at<'e>(
    rows: &Rows,
    entry: &'e Entry,
    revision: u64,
) -> Result<Cow<'e, Facts>, StoreError> {
    if revision == entry.revision {
        return Ok(Cow::Borrowed(&entry.facts));
    }
    let text = rows.text(&entry.id, revision)?.ok_or_else(|| {
        let detail = format!(
            "revision {revision} of API {} is not kept any more",
            entry.id
        );
        StoreError::new("publish", detail)
    })?;
    let facts = json::parse(&text).map(|value| Facts::of(&value));
    Ok(Cow::Owned(facts.unwrap_or_default()))
}

impl Registry {
    /// Returns the published set, without anything stored since.
    pub(super) fn published_set(&mut self) -> Result<Set, StoreError> {
        let nothing = Selection::default();
        let set = self.selected(Some(&nothing))?;
        set.map_err(|obstacle| StoreError::new("publish", obstacle.reason))
    }

    /// Returns the set for a selection, or for everything that is stored; or why there is none that can be published.
    pub(super) fn selected(
        &mut self,
        selection: Option<&Selection>,
    ) -> Result<Result<Set, Obstacle>, StoreError> {
        let state = self.take_state()?;
        let state = self.state.insert(state);
        let wanted = match Wanted::of(&self.rows, state, selection)? {
            Ok(wanted) => wanted,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        let (index, records) = (&state.index, &state.records);
        let report = Report::head(&self.rows)?;
        let mut set = Set::empty(report);
        let apis = wanted.apis(&self.rows, index)?;
        let mut routes = Routes::new();
        for entry in &apis {
            let Some(revision) = wanted.api(entry) else {
                if !entry.deleted {
                    set.absent.push(entry.id.clone());
                }
                continue;
            };
            let api = Api {
                rows: &self.rows,
                apis: &apis,
                entry,
                revision,
            };
            match api.document(&wanted, &mut routes)? {
                Ok(document) => set.documents.push(document),
                Err(obstacle) => return Ok(Err(obstacle)),
            }
        }
        set.deleted = self.rows.deleted_ids()?;
        set.deleted.retain(|id| {
            let known = &set.documents;
            known
                .binary_search_by_key(&id, |document| &document.id)
                .is_err()
        });
        set.add_policies(&self.rows, records, &wanted)?;
        let left = |document: &&Document| document.is_changed && wanted.leaves(&document.id);
        for proxy in set.documents.iter().filter(left) {
            if proxy.is_active
                && let Some(source) = proxy.loses_tools(self)?
            {
                return Ok(Err(lost_source(source, &proxy.id)));
            }
        }
        Ok(Ok(set))
    }
}

/// The APIs of a set by their route: the id, and whether the published state differs.
type Routes<'e> = BTreeMap<String, (&'e str, bool)>;

/// An API in the revision that is to be published.
struct Api<'e> {
    rows: &'e Rows,
    /// All APIs, by id.
    apis: &'e [Cow<'e, Entry>],
    entry: &'e Entry,
    revision: u64,
}

impl<'e> Api<'e> {
    /// Returns the API as a document of the set, unless it takes something out of service that was not selected.
    fn document(
        &self,
        wanted: &Wanted,
        routes: &mut Routes<'e>,
    ) -> Result<Result<Document, Obstacle>, StoreError> {
        let entry = self.entry;
        let facts = facts_at(self.rows, entry, self.revision)?;
        let is_changed = entry.published != Some(self.revision);
        let source = source(&facts).and_then(|id| {
            let source = entry_of(self.apis, id)?;
            Some((source, wanted.api(source)))
        });
        if let Some((source, None)) = source
            && source.published.is_some()
            && wanted.leaves(&entry.id)
        {
            return Ok(Err(lost_source(&source.id, &entry.id)));
        }
        if wanted.is_a_selection()
            && let Some(route) = facts.route()
            && let Some((other, other_is_changed)) =
                routes.insert(route, (entry.id.as_str(), is_changed))
            && is_changed != other_is_changed
        {
            let path = &facts.listen_path;
            return Ok(Err(match is_changed {
                true => clash(&entry.id, other, path),
                false => clash(other, &entry.id, path),
            }));
        }
        Ok(Ok(Document {
            id: entry.id.clone(),
            revision: self.revision,
            is_active: facts.active,
            is_compiled: facts.document.is_some(),
            is_changed: is_changed
                || source.is_some_and(|(source, revision)| source.published != revision),
            source: source.and_then(|(source, revision)| Some((source.id.clone(), revision?))),
        }))
    }
}

//! What the Registry holds in memory about each document: enough for every list, route check and state, so that none of
//! them reads a text.

use crate::registry::publish::Report;
use crate::registry::rows::{Entry, Rows};
use gatewright_api::shape::{Change, State, Summary, SummaryPage};
use gatewright_model::definition::{self, ApiDefinition, route};
use gatewright_model::id::check_id;
use gatewright_model::issue::Severity;
use gatewright_model::openapi::{DocumentKind, stored};
use gatewright_model::{json, order};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Sort, SummaryQuery};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Facts about a definition that lists and checks between documents need. Stored next to the text, so that opening the
/// Registry parses no definitions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the members are those of the definition")]
pub struct Facts {
    pub name: String,
    pub org_id: String,
    pub listen_path: String,
    pub domain: String,
    pub target_url: String,
    pub tags: Vec<String>,
    pub active: bool,
    pub internal: bool,
    pub keyless: bool,
    pub batch: bool,
    pub warnings: u32,
    pub expiration: String,
    /// The name of the base's own version.
    pub version_name: String,
    pub default_version: String,
    /// Version name and API id of each version of this base.
    pub versions: Vec<(String, String)>,
    /// For a deleted API, where it was a version.
    pub was_version: Vec<WasVersion>,
    /// The kind of OpenAPI document it is administered as; `None` for a classic definition.
    pub document: Option<DocumentKind>,
}

/// The role of a deleted API in a base, so that restoring it can restore the role.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WasVersion {
    /// The base's id.
    pub base: String,
    /// The name of the version.
    pub name: String,
    /// Whether it was the default version.
    pub is_default: bool,
}

impl Facts {
    /// Reads the facts of a definition. An invalid text gives empty facts: it has been refused before.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let Ok(value) = json::parse(text) else {
            return Self::default();
        };
        let issues = definition::validate_value(text, &value);
        let warnings = issues
            .iter()
            .filter(|issue| issue.severity == Severity::Warning)
            .count();
        Self {
            warnings: u32::try_from(warnings).unwrap_or(u32::MAX),
            ..Self::of(&value)
        }
    }

    /// Reads the facts of a parsed definition, without collecting its issues.
    #[must_use]
    pub fn of(value: &json::Value<'_>) -> Self {
        let read = ApiDefinition::read(value);
        let member = |pointer| {
            value
                .pointer(pointer)
                .and_then(json::Value::as_str)
                .unwrap_or_default()
        };
        Self {
            expiration: member("/expiration").to_owned(),
            version_name: member("/definition/name").to_owned(),
            default_version: member("/definition/default").to_owned(),
            warnings: 0,
            name: read.name,
            org_id: read.org_id,
            listen_path: read.proxy.listen_path,
            domain: read.domain,
            target_url: read.proxy.target_url,
            tags: read.tags,
            active: read.active,
            internal: read.internal,
            keyless: read.keyless,
            batch: read.batch,
            versions: read.versions,
            was_version: Vec::new(),
            document: stored::kind(value),
        }
    }

    /// Returns the key by which two public APIs collide; `None` if there is no public route.
    #[must_use]
    pub fn route(&self) -> Option<String> {
        let public = self.active && !self.internal && !self.listen_path.is_empty();
        public.then(|| route::route_key(&self.domain, &self.listen_path))
    }

    /// Whether `needle`, in lower case, is part of a member that people search by.
    fn holds(&self, id: &str, needle: &str) -> bool {
        let texts = [
            id,
            &self.name,
            &self.listen_path,
            &self.domain,
            &self.target_url,
        ];
        let tags = self.tags.iter().map(String::as_str);
        texts
            .into_iter()
            .chain(tags)
            .any(|text| text.to_lowercase().contains(needle))
    }
}

/// Returns what a reload would change about a document, given its published revision, if any.
#[must_use]
pub fn change(wanted: Option<u64>, published: Option<u64>) -> Option<Change> {
    match (wanted, published) {
        (Some(_), None) => Some(Change::Added),
        (Some(wanted), Some(published)) if published != wanted => Some(Change::Modified),
        (None, Some(_)) => Some(Change::Deleted),
        _ => None,
    }
}

/// The number of rows that are read at once when the Registry is opened.
pub(super) const LOADED_AT_ONCE: u32 = 1000;

/// The entries that are not deleted, and those that are still published, with lookup tables. What else was deleted is
/// only in the rows.
#[derive(Debug, Default)]
pub struct Index {
    entries: BTreeMap<String, Entry>,
    /// Documents that are not deleted, by route.
    routes: BTreeMap<String, BTreeSet<String>>,
    /// The bases of each version.
    bases: BTreeMap<String, BTreeSet<String>>,
    /// Revisions skipped by the last reload, with the reason.
    problems: BTreeMap<String, (u64, String)>,
}

impl Index {
    /// Reads the entries and the last reload's report.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn load(rows: &Rows) -> Result<Self, StoreError> {
        let mut index = Self::default();
        let mut last = String::new();
        loop {
            let entries = rows.entries(&last, LOADED_AT_ONCE)?;
            let Some(end) = entries.last() else {
                break;
            };
            last.clone_from(&end.id);
            entries.into_iter().for_each(|entry| index.put(entry));
        }
        index.set_problems(&Report::read(rows)?);
        Ok(index)
    }

    /// Replaces the revisions that the last reload skipped.
    pub fn set_problems(&mut self, report: &Report) {
        let skipped = report.skipped.iter();
        let problems = skipped
            .filter(|skipped| skipped.revision > 0)
            .map(|skipped| {
                let problem = (skipped.revision, skipped.reason.clone());
                (skipped.api_id.clone(), problem)
            });
        self.problems = order::map(problems);
    }

    /// Returns an entry that is not deleted, or still published.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// Returns an entry that is not deleted.
    #[must_use]
    pub fn live(&self, id: &str) -> Option<&Entry> {
        self.get(id).filter(|entry| !entry.deleted)
    }

    /// Returns an entry, deleted or not.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn find<'e>(&'e self, rows: &Rows, id: &str) -> Result<Option<Cow<'e, Entry>>, StoreError> {
        match self.get(id) {
            Some(entry) => Ok(Some(Cow::Borrowed(entry))),
            None => Ok(rows.entry(id)?.map(Cow::Owned)),
        }
    }

    /// Returns all entries by id, those included that are deleted but still published.
    pub fn all(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Whether an id is valid for an API but no API has it.
    pub fn misses(&self, id: &str) -> bool {
        self.live(id).is_none() && check_id(id).is_ok()
    }

    /// Returns the ids of entries that are not deleted.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.all()
            .filter(|entry| !entry.deleted)
            .map(|entry| entry.id.as_str())
    }

    /// Returns all entries from an id on.
    pub fn from<'a>(&'a self, id: &str) -> impl Iterator<Item = &'a Entry> {
        self.entries.range(id.to_owned()..).map(|(_, entry)| entry)
    }

    /// Adds or replaces an entry; removes it if it is deleted and not published.
    pub fn put(&mut self, entry: Entry) {
        if let Some(old) = self.entries.remove(&entry.id) {
            self.forget(&old);
        }
        if entry.deleted && entry.published.is_none() {
            return;
        }
        if !entry.deleted {
            if let Some(route) = entry.facts.route() {
                self.routes
                    .entry(route)
                    .or_default()
                    .insert(entry.id.clone());
            }
            for (_, version) in &entry.facts.versions {
                self.bases
                    .entry(version.clone())
                    .or_default()
                    .insert(entry.id.clone());
            }
        }
        self.entries.insert(entry.id.clone(), entry);
    }

    fn forget(&mut self, old: &Entry) {
        if let Some(route) = old.facts.route()
            && let Some(ids) = self.routes.get_mut(&route)
        {
            ids.remove(&old.id);
            if ids.is_empty() {
                self.routes.remove(&route);
            }
        }
        self.bases.retain(|_, bases| {
            bases.remove(&old.id);
            !bases.is_empty()
        });
    }

    /// Records which revision of an entry a reload has published, which the rows have already.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn set_published(
        &mut self,
        rows: &Rows,
        id: &str,
        published: Option<u64>,
    ) -> Result<(), StoreError> {
        match self.entries.get_mut(id) {
            Some(entry) if entry.deleted && published.is_none() => {
                self.entries.remove(id);
            }
            Some(entry) => entry.published = published,
            // A generation that is published again may have served a deleted API.
            None => {
                let entry = rows.entry(id)?;
                entry.into_iter().for_each(|entry| self.put(entry));
            }
        }
        Ok(())
    }

    /// Returns how many entries are held.
    #[must_use]
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// Returns another public API that serves this route.
    #[must_use]
    pub fn route_owner(&self, route: &str, except: &str) -> Option<&Entry> {
        let id = self.routes.get(route)?.iter().find(|id| *id != except)?;
        self.get(id)
    }

    /// Returns the base APIs of a version, by id; most have one.
    pub fn bases_of(&self, id: &str) -> impl Iterator<Item = &Entry> {
        let bases = self.bases.get(id).into_iter().flatten();
        bases.filter_map(|base| self.live(base))
    }

    /// Returns what a reload would change about an entry.
    #[must_use]
    pub fn pending(entry: &Entry) -> Option<Change> {
        let newest = (!entry.deleted).then_some(entry.revision);
        change(newest, entry.published)
    }

    fn problem(&self, entry: &Entry) -> Option<&str> {
        let (revision, reason) = self.problems.get(&entry.id)?;
        (*revision == entry.revision).then_some(reason)
    }

    fn state(&self, entry: &Entry) -> State {
        if entry.deleted {
            State::Deleted
        } else if !entry.facts.active {
            State::Inactive
        } else if entry.facts.internal {
            State::Internal
        } else if self.problem(entry).is_some() {
            State::Invalid
        } else if Self::pending(entry).is_some() {
            State::Pending
        } else {
            State::Live
        }
    }

    /// Returns the page of summaries that a query asks for. APIs deleted before `gone` are left out, unless that is
    /// not published yet.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn summaries(
        &self,
        rows: &Rows,
        query: &SummaryQuery,
        gone: &str,
    ) -> Result<SummaryPage, StoreError> {
        let needle = query.search.trim().to_lowercase();
        let deleted = match query.state {
            Some(State::Deleted) => rows.deleted_entries(gone)?,
            _ => Vec::new(),
        };
        let live = self.all().filter(|entry| !entry.deleted);
        let mut found: Vec<&Entry> = live
            .chain(&deleted)
            .filter(|entry| query.state.is_none_or(|state| self.state(entry) == state))
            .filter(|entry| {
                query
                    .tag
                    .as_ref()
                    .is_none_or(|tag| entry.facts.tags.contains(tag))
            })
            .filter(|entry| query.document.is_none() || entry.facts.document == query.document)
            .filter(|entry| needle.is_empty() || entry.facts.holds(&entry.id, &needle))
            .collect();
        found = self.sorted(found, query.sort);
        if query.descending {
            found.reverse();
        }
        let per_page = query.per_page.clamp(1, 500);
        let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
        let pages = total.div_ceil(per_page).max(1);
        let page = query.page.clamp(1, pages);
        let skipped =
            usize::try_from(page.saturating_sub(1).saturating_mul(per_page)).unwrap_or(usize::MAX);
        let shown = usize::try_from(per_page).unwrap_or(usize::MAX);
        let apis = found
            .into_iter()
            .skip(skipped)
            .take(shown)
            .map(|entry| self.summary(entry))
            .collect();
        Ok(SummaryPage {
            apis,
            page,
            pages,
            total,
        })
    }

    /// Sorts entries. `found` is ordered by id, and sorting is stable, so ties stay in that order.
    fn sorted<'e>(&self, found: Vec<&'e Entry>, sort: Sort) -> Vec<&'e Entry> {
        order::sorted(found, |entry| match sort {
            Sort::ApiId => String::new(),
            Sort::Name => entry.facts.name.to_lowercase(),
            Sort::ListenPath => entry.facts.listen_path.clone(),
            Sort::Domain => entry.facts.domain.clone(),
            // A single digit is enough for all states.
            Sort::State => (self.state(entry) as u8).to_string(),
            Sort::UpdatedAt => entry.updated_at.clone(),
        })
    }

    fn summary(&self, entry: &Entry) -> Summary {
        let facts = entry.facts.clone();
        Summary {
            api_id: entry.id.clone(),
            state: self.state(entry),
            pending: Self::pending(entry),
            problem: self.problem(entry).map(str::to_owned),
            revision: entry.revision,
            updated_at: entry.updated_at.clone(),
            name: facts.name,
            org_id: facts.org_id,
            listen_path: facts.listen_path,
            domain: facts.domain,
            target_url: facts.target_url,
            tags: facts.tags,
            active: facts.active,
            internal: facts.internal,
            keyless: facts.keyless,
            batch: facts.batch,
            warnings: facts.warnings,
            document: facts.document,
        }
    }
}

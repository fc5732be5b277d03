//! What the Registry holds in memory about the documents of the dashboard.

use crate::registry::index::LOADED_AT_ONCE;
use crate::registry::rows::{DocumentId, Record, Rows};
use gatewright_model::json;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The size of the texts cached in memory, in bytes. A document that many clients patch at once is then read from the
/// tables only once.
const CACHE_BYTES: usize = 4 * 1024 * 1024;

/// Facts about a document that lists and checks between documents need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the members are those of the documents")]
pub struct RecordFacts {
    pub stable_id: String,
    pub name: String,
    pub active: bool,
    pub is_template: bool,
    pub resource_type: String,
    pub categories: Vec<String>,
    pub subscriptions: Vec<String>,
    /// For a policy, the organisation it names.
    pub org_id: String,
    /// For a policy, its own `_id` (reference 1.7).
    pub internal_id: String,
    /// Bytes of the patches since the newest full text.
    pub patched: u64,
}

impl RecordFacts {
    /// Reads the facts of a document.
    #[must_use]
    pub fn read(kind: Kind, text: &str) -> Self {
        let Ok(value) = json::parse(text) else {
            return Self::default();
        };
        let string = |name| value.str(name).unwrap_or_default().to_owned();
        let strings = |name| {
            let items = value.get(name).map(json::Value::items).unwrap_or_default();
            let texts = items.iter().filter_map(json::Value::as_str);
            texts.map(str::to_owned).collect()
        };
        Self {
            stable_id: string(kind.row().stable_member),
            name: string("name"),
            active: value.bool("active").unwrap_or_default(),
            is_template: value.bool("is_template").unwrap_or_default(),
            resource_type: string("resource_type"),
            categories: strings("categories"),
            subscriptions: strings("subscriptions"),
            org_id: string("org_id"),
            internal_id: match kind {
                Kind::Policy => string(kind.row().id_member),
                Kind::Ruleset | Kind::ClientIdp | Kind::Webhook => String::new(),
            },
            patched: 0,
        }
    }
}

/// Why a document can't have its identifier or name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// Another document has this stable identifier, or has it as its internal one.
    StableId,
    /// Another policy has this internal identifier.
    InternalId,
    /// Another ruleset has this name.
    Name,
}

/// The documents that are not deleted, with lookup tables; deleted ones are only in the rows.
#[derive(Debug, Default)]
pub struct Records {
    records: BTreeMap<(Kind, String), Record>,
    /// Internal ids by organisation, so that listing one does not cost more as others grow.
    of_org: BTreeMap<(Kind, String), BTreeSet<String>>,
    /// Internal ids of documents that are not deleted, by organisation and stable identifier.
    stable: BTreeMap<(Kind, String, String), String>,
    texts: BTreeMap<(Kind, String), (u64, String)>,
    cached: usize,
}

impl Records {
    /// Reads what is known about the documents; their texts are read on demand.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn load(rows: &Rows) -> Result<Self, StoreError> {
        let mut records = Self::default();
        let mut last = None;
        loop {
            let after = last
                .as_ref()
                .map(|(kind, id): &(Kind, String)| (*kind, id.as_str()));
            let found = rows.records(after, LOADED_AT_ONCE)?;
            let Some(end) = found.last() else {
                return Ok(records);
            };
            last = Some((end.kind, end.id.clone()));
            found.into_iter().for_each(|record| records.put(record));
        }
    }

    /// Returns a document of an organisation, deleted or not: by its stable identifier, else by its internal one
    /// (reference 1.11).
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn get(
        &self,
        rows: &Rows,
        kind: Kind,
        org: &str,
        id: &str,
    ) -> Result<Option<Cow<'_, Record>>, StoreError> {
        if let Some(record) = self.live(kind, org, id) {
            return Ok(Some(Cow::Borrowed(record)));
        }
        let same = rows.record(kind, id)?.filter(|record| record.org == org);
        let gone = match same {
            Some(record) => Some(record),
            None => rows.deleted_record(kind, org, id)?,
        };
        Ok(gone.map(Cow::Owned))
    }

    /// Returns a document that is not deleted.
    #[must_use]
    pub fn live(&self, kind: Kind, org: &str, id: &str) -> Option<&Record> {
        let by_stable = self.stable.get(&(kind, org.to_owned(), id.to_owned()));
        let internal = by_stable.map_or(id, String::as_str);
        let record = self.of_id(kind, internal);
        record.filter(|record| record.org == org)
    }

    /// Returns all documents of a kind in an organisation, by internal id.
    pub fn all<'a>(&'a self, kind: Kind, org: &'a str) -> impl Iterator<Item = &'a Record> {
        let ids = self.of_org.get(&(kind, org.to_owned()));
        let record = move |id: &String| self.records.get(&(kind, id.clone()));
        ids.into_iter().flatten().filter_map(record)
    }

    /// Returns the document with this internal id in any organisation.
    #[must_use]
    pub fn of_id(&self, kind: Kind, id: &str) -> Option<&Record> {
        self.records.get(&(kind, id.to_owned()))
    }

    /// Returns the internal ids of an organisation's webhooks that have subscribed to a notification.
    pub fn subscribed<'a>(
        &'a self,
        org: &'a str,
        notice: &'a str,
    ) -> impl Iterator<Item = &'a str> {
        let wants = move |name: &String| name == "*" || name == notice;
        self.all(Kind::Webhook, org)
            .filter(move |record| record.facts.subscriptions.iter().any(wants))
            .map(|record| record.id.as_str())
    }

    /// Returns the document that a new one with this internal id continues. Revision numbers are never reused, so a
    /// policy that is created again continues after its deletion.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn continued(
        &self,
        rows: &Rows,
        kind: Kind,
        org: &str,
        id: &str,
        facts: &RecordFacts,
    ) -> Result<Option<Record>, StoreError> {
        let same = rows.record(kind, id)?;
        // If the internal id was just generated, the document is identified by the client's id.
        let by_stable = kind == Kind::Policy && facts.internal_id.is_empty();
        if same.is_some() || !by_stable {
            return Ok(same);
        }
        let old = self.get(rows, kind, org, &facts.stable_id)?;
        Ok(old.filter(|old| old.deleted).map(Cow::into_owned))
    }

    /// Returns what a document with these facts would have in common with another one but must not.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn conflict(
        &self,
        rows: &Rows,
        kind: Kind,
        org: &str,
        id: &str,
        facts: &RecordFacts,
    ) -> Result<Option<Conflict>, StoreError> {
        let stable = &facts.stable_id;
        let key = (kind, org.to_owned(), stable.clone());
        let by_stable = self.stable.get(&key).is_some_and(|other| other != id);
        // A deleted one may be restored.
        let by_internal =
            || Ok::<_, StoreError>(stable != id && rows.record(kind, stable)?.is_some());
        if !stable.is_empty() && (by_stable || by_internal()?) {
            return Ok(Some(Conflict::StableId));
        }
        let internal = &facts.internal_id;
        if internal != id && self.of_id(kind, internal).is_some() {
            return Ok(Some(Conflict::InternalId));
        }
        let same_name = |other: &Record| other.id != id && other.facts.name == facts.name;
        let is_taken = kind == Kind::Ruleset && self.all(kind, org).any(same_name);
        Ok(is_taken.then_some(Conflict::Name))
    }

    /// Adds or replaces a document, or removes a deleted one.
    pub fn put(&mut self, record: Record) {
        let key = (record.kind, record.id.clone());
        if let Some(old) = self.records.remove(&key) {
            let of_org = (old.kind, old.org.clone());
            if let Some(ids) = self.of_org.get_mut(&of_org) {
                ids.remove(&old.id);
                if ids.is_empty() {
                    self.of_org.remove(&of_org);
                }
            }
            self.stable
                .remove(&(old.kind, old.org, old.facts.stable_id));
        }
        if record.deleted {
            return;
        }
        let of_org = (record.kind, record.org.clone());
        let ids = self.of_org.entry(of_org).or_default();
        ids.insert(record.id.clone());
        if !record.facts.stable_id.is_empty() {
            let stable = record.facts.stable_id.clone();
            self.stable
                .insert((record.kind, record.org.clone(), stable), record.id.clone());
        }
        self.records.insert(key, record);
    }

    /// Returns all documents of a kind.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Record> {
        let of_kind = self.records.iter().filter(move |((of, _), _)| *of == kind);
        of_kind.map(|(_, record)| record)
    }

    /// Returns how many documents are held.
    #[must_use]
    pub fn count(&self) -> usize {
        self.records.len()
    }

    /// Caches the newest text of a document, if it is not too large.
    pub fn keep(&mut self, kind: Kind, id: &str, revision: u64, text: String) {
        let key = (kind, id.to_owned());
        if let Some((_, old)) = self.texts.remove(&key) {
            self.cached = self.cached.saturating_sub(old.len());
        }
        let with = self.cached.saturating_add(text.len());
        if with > CACHE_BYTES {
            self.texts.clear();
            self.cached = 0;
        }
        if text.len() <= CACHE_BYTES {
            self.cached = self.cached.saturating_add(text.len());
            self.texts.insert(key, (revision, text));
        }
    }

    /// Returns the text of a revision; `None` for a deletion or an unknown revision.
    ///
    /// # Errors
    /// If the rows can't be read, or a stored patch is malformed.
    pub fn text(
        &self,
        rows: &Rows,
        record: &Record,
        revision: u64,
    ) -> Result<Option<String>, StoreError> {
        let cached = self.texts.get(&(record.kind, record.id.clone()));
        if let Some((_, text)) = cached.filter(|(number, _)| *number == revision) {
            return Ok(Some(text.clone()));
        }
        rows.text_of(DocumentId::record(record.kind, &record.id), revision)
    }
}

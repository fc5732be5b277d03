//! What the Registry holds in memory about the documents of the dashboard.

use crate::registry::rows::{DocumentId, Record, Rows};
use gatewright_model::json;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

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

/// All documents, with lookup tables.
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
    /// Reads what is known about all documents; their texts are read on demand.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn load(rows: &Rows) -> Result<Self, StoreError> {
        let mut records = Self::default();
        for record in rows.records()? {
            records.put(record);
        }
        Ok(records)
    }

    /// Returns a document of an organisation, deleted or not: by its stable identifier, else by its internal one
    /// (reference 1.11).
    #[must_use]
    pub fn get<'a>(&'a self, kind: Kind, org: &'a str, id: &str) -> Option<&'a Record> {
        let record = self.named(kind, org, id);
        record.or_else(|| self.gone(kind, org, id))
    }

    /// Returns the document that has this identifier now, without looking through all of them.
    fn named(&self, kind: Kind, org: &str, id: &str) -> Option<&Record> {
        let by_stable = self.stable.get(&(kind, org.to_owned(), id.to_owned()));
        let internal = by_stable.map_or(id, String::as_str);
        let record = self.records.get(&(kind, internal.to_owned()));
        record.filter(|record| record.org == org)
    }

    /// Returns the deleted document that last had this stable identifier.
    fn gone<'a>(&'a self, kind: Kind, org: &'a str, id: &str) -> Option<&'a Record> {
        self.all(kind, org)
            .filter(|record| record.deleted && record.facts.stable_id == id)
            .max_by(|a, b| a.updated_at.cmp(&b.updated_at))
    }

    /// Returns a document that is not deleted.
    #[must_use]
    pub fn live(&self, kind: Kind, org: &str, id: &str) -> Option<&Record> {
        self.named(kind, org, id).filter(|record| !record.deleted)
    }

    /// Returns all documents of a kind in an organisation, deleted ones included, by internal id.
    pub fn all<'a>(&'a self, kind: Kind, org: &'a str) -> impl Iterator<Item = &'a Record> {
        let ids = self.of_org.get(&(kind, org.to_owned()));
        let record = move |id: &String| self.records.get(&(kind, id.clone()));
        ids.into_iter().flatten().filter_map(record)
    }

    /// Returns all documents from this one on, of every kind and organisation.
    pub fn from<'a>(&'a self, first: Option<(Kind, &str)>) -> impl Iterator<Item = &'a Record> {
        let first = first.map(|(kind, id)| (kind, id.to_owned()));
        let from = first.map_or(Bound::Unbounded, Bound::Included);
        let records = self.records.range((from, Bound::Unbounded));
        records.map(|(_, record)| record)
    }

    /// Returns the document with this internal id, deleted or not, in any organisation.
    #[must_use]
    pub fn of_id(&self, kind: Kind, id: &str) -> Option<&Record> {
        self.records.get(&(kind, id.to_owned()))
    }

    /// Returns all documents of a kind whose internal id is after this one, deleted ones included.
    pub fn after<'a>(&'a self, kind: Kind, id: &str) -> impl Iterator<Item = &'a Record> {
        let behind = (Bound::Excluded((kind, id.to_owned())), Bound::Unbounded);
        let records = self.records.range(behind).map(|(_, record)| record);
        records.take_while(move |record| record.kind == kind)
    }

    /// Returns the internal ids of an organisation's webhooks that have subscribed to a notification.
    pub fn subscribed<'a>(
        &'a self,
        org: &'a str,
        notice: &'a str,
    ) -> impl Iterator<Item = &'a str> {
        let wants = move |name: &String| name == "*" || name == notice;
        self.all(Kind::Webhook, org)
            .filter(|record| !record.deleted)
            .filter(move |record| record.facts.subscriptions.iter().any(wants))
            .map(|record| record.id.as_str())
    }

    /// Returns the document that a new one with this internal id continues. Revision numbers are never reused, so a
    /// policy that is created again continues after its deletion.
    #[must_use]
    pub fn continued<'a>(
        &'a self,
        kind: Kind,
        org: &'a str,
        id: &str,
        facts: &RecordFacts,
    ) -> Option<&'a Record> {
        let same = self.records.get(&(kind, id.to_owned()));
        // If the internal id was just generated, the document is identified by the client's id.
        let by_stable = || {
            let named = kind == Kind::Policy && facts.internal_id.is_empty();
            let old = self.get(kind, org, &facts.stable_id)?;
            (named && old.deleted).then_some(old)
        };
        same.or_else(by_stable)
    }

    /// Returns what a document with these facts would have in common with another one but must not.
    #[must_use]
    pub fn conflict(
        &self,
        kind: Kind,
        org: &str,
        id: &str,
        facts: &RecordFacts,
    ) -> Option<Conflict> {
        let stable = &facts.stable_id;
        let key = (kind, org.to_owned(), stable.clone());
        let by_stable = self.stable.get(&key).is_some_and(|other| other != id);
        let by_internal = stable != id && self.records.contains_key(&(kind, stable.clone()));
        if !stable.is_empty() && (by_stable || by_internal) {
            return Some(Conflict::StableId);
        }
        let internal = &facts.internal_id;
        let other = self.records.get(&(kind, internal.clone()));
        if internal != id && other.is_some_and(|other| !other.deleted) {
            return Some(Conflict::InternalId);
        }
        let same_name =
            |other: &Record| !other.deleted && other.id != id && other.facts.name == facts.name;
        (kind == Kind::Ruleset && self.all(kind, org).any(same_name)).then_some(Conflict::Name)
    }

    /// Adds or replaces a document.
    pub fn put(&mut self, record: Record) {
        let key = (record.kind, record.id.clone());
        if let Some(old) = self.records.remove(&key) {
            if let Some(ids) = self.of_org.get_mut(&(old.kind, old.org.clone())) {
                ids.remove(&old.id);
            }
            // The identifier of a deleted document may be another one's by now.
            if !old.deleted {
                self.stable
                    .remove(&(old.kind, old.org, old.facts.stable_id));
            }
        }
        let of_org = (record.kind, record.org.clone());
        let ids = self.of_org.entry(of_org).or_default();
        ids.insert(record.id.clone());
        if !record.deleted && !record.facts.stable_id.is_empty() {
            let stable = record.facts.stable_id.clone();
            self.stable
                .insert((record.kind, record.org.clone(), stable), record.id.clone());
        }
        self.records.insert(key, record);
    }

    /// Returns all documents of a kind that are not deleted.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Record> {
        let of_kind = self.records.iter().filter(move |((of, _), _)| *of == kind);
        of_kind
            .map(|(_, record)| record)
            .filter(|record| !record.deleted)
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

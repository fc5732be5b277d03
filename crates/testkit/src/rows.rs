//! The Registry's rows in memory.

use gatewright_api::dashboard::delivery::DeliveryState;
use gatewright_api::dashboard::shape::{AuditEntry, Credential, Notice};
use gatewright_api::message::Action;
use gatewright_controlplane::registry::deliveries::secret::HookSecrets;
use gatewright_controlplane::registry::rows::{
    Body, Change, DeliveryRow, Entry, Kinds, Record, RevisionRow, Rows, StoredBody,
};
use gatewright_controlplane::registry::sessions::SessionRow;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::{AuditFilter, Kind};
use gatewright_protocol::sessions::{Owner, SessionQuery, SessionSort};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// When a write fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing was stored.
    BeforePersist,
    /// Everything was stored, but the answer got lost.
    AfterPersist,
}

#[derive(Debug)]
struct Revision {
    action: Action,
    at: String,
    text: Option<String>,
}

#[derive(Debug)]
struct RecordRevision {
    action: Action,
    at: String,
    body: Option<StoredBody>,
}

#[derive(Debug, Default)]
struct Tables {
    entries: BTreeMap<String, Entry>,
    revisions: BTreeMap<(String, u64), Revision>,
    values: BTreeMap<String, String>,
    records: BTreeMap<(Kind, String), Record>,
    record_revisions: BTreeMap<(Kind, String, u64), RecordRevision>,
    credentials: BTreeMap<String, Credential>,
    notices: BTreeMap<(String, u64), Notice>,
    audit: BTreeMap<u64, AuditEntry>,
    /// By webhook and notification.
    deliveries: BTreeMap<(String, String), DeliveryRow>,
    secrets: BTreeMap<String, HookSecrets>,
    quiet: BTreeMap<String, u64>,
    sessions: BTreeMap<(Owner, String), (SessionRow, String)>,
}

impl Tables {
    fn change(&mut self, change: &Change<'_>) {
        match change {
            Change::Definition {
                entry,
                action,
                text,
            } => {
                let row = Revision {
                    action: *action,
                    at: entry.updated_at.clone(),
                    text: text.map(str::to_owned),
                };
                let key = (entry.id.clone(), entry.revision);
                once(&mut self.revisions, key, row);
                self.entries.insert(entry.id.clone(), entry.clone());
            }
            Change::Published { id, revision } => {
                if let Some(entry) = self.entries.get_mut(*id) {
                    entry.published = *revision;
                }
            }
            Change::Value { name, value } => {
                self.values.insert((*name).to_owned(), (*value).to_owned());
            }
            Change::Record {
                record,
                action,
                body,
            } => {
                let row = RecordRevision {
                    action: *action,
                    at: record.updated_at.clone(),
                    body: match body {
                        Body::Text(text) => Some(StoredBody::Text((*text).to_owned())),
                        Body::Patch(patch) => Some(StoredBody::Patch((*patch).to_owned())),
                        Body::Gone => None,
                    },
                };
                let key = (record.kind, record.id.clone(), record.revision);
                once(&mut self.record_revisions, key, row);
                let key = (record.kind, record.id.clone());
                self.records.insert(key, record.clone());
            }
            Change::Credential { credential, hash } => {
                self.credentials
                    .insert((*hash).to_owned(), credential.clone());
            }
            Change::Notice { org, notice } => {
                let key = ((*org).to_owned(), notice.seq);
                once(&mut self.notices, key, notice.clone());
            }
            Change::Audit(entry) => once(&mut self.audit, entry.seq, entry.clone()),
            Change::Delivery(row) => {
                let key = (row.hook.clone(), row.delivery.notice_id.clone());
                self.deliveries.insert(key, row.clone());
            }
            Change::StopDeliveries { hook } => {
                let of_hook = self.deliveries.values_mut().filter(|row| row.hook == *hook);
                for row in of_hook.filter(|row| row.delivery.next_at.is_some()) {
                    row.delivery.next_at = None;
                    row.delivery.state = DeliveryState::Failed;
                }
            }
            Change::TrimDeliveries { hook, keep } => self.trim(hook, *keep),
            Change::Quiet { name, until } => {
                self.quiet.insert(name.clone(), *until);
            }
            Change::TrimNotices { org, upto } => self.trim_notices(org, *upto),
            Change::Secrets { hook, secrets } => {
                self.secrets.insert((*hook).to_owned(), secrets.clone());
            }
            Change::Session { row, text } => {
                let stored = (row.clone(), (*text).to_owned());
                self.sessions.insert((row.owner, row.id.clone()), stored);
            }
            Change::SessionRemoved { owner, id } => {
                self.sessions.remove(&(*owner, (*id).to_owned()));
            }
        }
    }

    fn trim_notices(&mut self, org: &str, upto: u64) {
        let old: Vec<_> = self
            .notices
            .range((org.to_owned(), 0)..=(org.to_owned(), upto))
            .map(|(key, notice)| (key.clone(), notice.id.clone()))
            .collect();
        for (key, id) in old {
            let of = |row: &DeliveryRow| row.delivery.notice_id == id;
            self.deliveries
                .retain(|_, row| !of(row) || row.delivery.next_at.is_some());
            if !self.deliveries.values().any(of) {
                self.notices.remove(&key);
            }
        }
    }

    fn trim(&mut self, hook: &str, keep: u32) {
        let ended = |row: &&DeliveryRow| row.hook == hook && row.delivery.next_at.is_none();
        let mut numbers: Vec<u64> = self
            .deliveries
            .values()
            .filter(ended)
            .map(|row| row.number)
            .collect();
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        let old: Vec<u64> = numbers
            .into_iter()
            .skip(usize::try_from(keep).unwrap())
            .collect();
        self.deliveries.retain(|_, row| !old.contains(&row.number));
    }
}

/// Inserts a row whose key must be new, as a primary key makes sure of.
fn once<K: Ord, V>(table: &mut BTreeMap<K, V>, key: K, row: V) {
    assert!(table.insert(key, row).is_none(), "a key was used twice");
}

/// Rows that a clone shares, as a restarted Registry shares its disk.
#[derive(Clone, Debug, Default)]
pub struct MemoryRows {
    tables: Rc<RefCell<Tables>>,
    fault: Rc<Cell<Option<Fault>>>,
}

impl MemoryRows {
    /// Makes the next write fail.
    pub fn fail_next(&self, fault: Fault) {
        self.fault.set(Some(fault));
    }

    fn write(&self, store: impl FnOnce(&mut Tables)) -> Result<(), StoreError> {
        let fault = self.fault.take();
        if fault != Some(Fault::BeforePersist) {
            store(&mut self.tables.borrow_mut());
        }
        match fault {
            None => Ok(()),
            Some(_) => Err(StoreError::new("write rows", "fault")),
        }
    }
}

impl Rows for MemoryRows {
    fn entries(&self) -> Result<Vec<Entry>, StoreError> {
        Ok(self.tables.borrow().entries.values().cloned().collect())
    }

    fn text(&self, id: &str, revision: u64) -> Result<Option<String>, StoreError> {
        let tables = self.tables.borrow();
        let row = tables.revisions.get(&(id.to_owned(), revision));
        Ok(row.and_then(|row| row.text.clone()))
    }

    fn revisions(
        &self,
        id: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError> {
        let tables = self.tables.borrow();
        let range = (id.to_owned(), 0)..(id.to_owned(), before.unwrap_or(u64::MAX));
        let rows = tables
            .revisions
            .range(range)
            .rev()
            .take(usize::try_from(limit).unwrap());
        Ok(rows
            .map(|((_, revision), row)| RevisionRow {
                revision: *revision,
                action: row.action,
                at: row.at.clone(),
                bytes: u64::try_from(row.text.as_ref().map_or(0, String::len)).unwrap(),
            })
            .collect())
    }

    fn value(&self, name: &str) -> Result<Option<String>, StoreError> {
        Ok(self.tables.borrow().values.get(name).cloned())
    }

    fn records(&self) -> Result<Vec<Record>, StoreError> {
        Ok(self.tables.borrow().records.values().cloned().collect())
    }

    fn record_bodies(
        &self,
        kind: Kind,
        id: &str,
        revision: u64,
    ) -> Result<Vec<StoredBody>, StoreError> {
        let tables = self.tables.borrow();
        let key = |revision| (kind, id.to_owned(), revision);
        let mut bodies = Vec::new();
        for (_, row) in tables
            .record_revisions
            .range(key(0)..=key(revision))
            .rev()
            .skip_while(|((_, _, number), _)| *number != revision)
        {
            match &row.body {
                None => break,
                Some(body) => bodies.insert(0, body.clone()),
            }
            if matches!(row.body, Some(StoredBody::Text(_))) {
                break;
            }
        }
        Ok(bodies)
    }

    fn record_revisions(
        &self,
        kind: Kind,
        id: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError> {
        let tables = self.tables.borrow();
        let key = |revision| (kind, id.to_owned(), revision);
        let rows = tables
            .record_revisions
            .range(key(0)..key(before.unwrap_or(u64::MAX)))
            .rev()
            .take(usize::try_from(limit).unwrap());
        Ok(rows
            .map(|((_, _, revision), row)| RevisionRow {
                revision: *revision,
                action: row.action,
                at: row.at.clone(),
                bytes: match &row.body {
                    Some(StoredBody::Text(text) | StoredBody::Patch(text)) => {
                        u64::try_from(text.len()).unwrap()
                    }
                    None => 0,
                },
            })
            .collect())
    }

    fn credentials(&self) -> Result<Vec<(String, Credential)>, StoreError> {
        let tables = self.tables.borrow();
        let rows = tables.credentials.iter();
        Ok(rows
            .map(|(hash, row)| (hash.clone(), row.clone()))
            .collect())
    }

    fn last_notices(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let mut last = BTreeMap::new();
        for (org, seq) in self.tables.borrow().notices.keys() {
            last.insert(org.clone(), *seq);
        }
        Ok(last.into_iter().collect())
    }

    fn notices(
        &self,
        org: &str,
        kinds: Kinds<'_>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Notice>, StoreError> {
        let tables = self.tables.borrow();
        let from = after.saturating_add(1);
        let rows = tables
            .notices
            .range((org.to_owned(), from)..=(org.to_owned(), u64::MAX));
        let rows = rows.filter(|(_, notice)| match kinds {
            Kinds::All => true,
            Kinds::Only(kind) => notice.kind == kind,
            Kinds::AllBut(kind) => notice.kind != kind,
        });
        let rows = rows.take(usize::try_from(limit).unwrap());
        Ok(rows.map(|(_, notice)| notice.clone()).collect())
    }

    fn last_audit(&self) -> Result<u64, StoreError> {
        let tables = self.tables.borrow();
        Ok(tables.audit.last_key_value().map_or(0, |(seq, _)| *seq))
    }

    fn audit(&self, filter: &AuditFilter) -> Result<Vec<AuditEntry>, StoreError> {
        let tables = self.tables.borrow();
        let is = |wanted: &Option<String>, value: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == value)
        };
        let rows = tables.audit.values().rev().filter(|entry| {
            is(&filter.org, &entry.org_id)
                && is(&filter.actor, &entry.actor)
                && is(&filter.id, &entry.id)
                && (filter.subjects.is_empty() || filter.subjects.contains(&entry.subject))
                && filter.action.is_none_or(|action| action == entry.action)
                && filter.from.as_ref().is_none_or(|from| *from <= entry.at)
                && filter.to.as_ref().is_none_or(|to| entry.at < *to)
                && filter.before.is_none_or(|before| entry.seq < before)
        });
        let rows = rows.take(usize::try_from(filter.limit).unwrap());
        Ok(rows.cloned().collect())
    }

    fn last_delivery(&self) -> Result<u64, StoreError> {
        let tables = self.tables.borrow();
        let numbers = tables.deliveries.values().map(|row| row.number);
        Ok(numbers.max().unwrap_or(0))
    }

    fn waiting_hooks(&self) -> Result<Vec<String>, StoreError> {
        let tables = self.tables.borrow();
        let rows = tables.deliveries.values();
        let mut hooks: Vec<String> = rows
            .filter(|row| row.delivery.next_at.is_some())
            .map(|row| row.hook.clone())
            .collect();
        hooks.dedup();
        Ok(hooks)
    }

    fn pending(&self, hook: &str, limit: u32) -> Result<Vec<DeliveryRow>, StoreError> {
        let tables = self.tables.borrow();
        let rows = tables.deliveries.values();
        let mut rows: Vec<DeliveryRow> = rows
            .filter(|row| row.hook == hook && row.delivery.next_at.is_some())
            .cloned()
            .collect();
        rows.sort_by_key(|row| (row.delivery.next_at.clone(), row.number));
        rows.truncate(usize::try_from(limit).unwrap());
        Ok(rows)
    }

    fn delivery(&self, hook: &str, notice_id: &str) -> Result<Option<DeliveryRow>, StoreError> {
        let key = (hook.to_owned(), notice_id.to_owned());
        Ok(self.tables.borrow().deliveries.get(&key).cloned())
    }

    fn deliveries(
        &self,
        hook: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<DeliveryRow>, StoreError> {
        let tables = self.tables.borrow();
        let rows = tables.deliveries.values();
        let mut rows: Vec<DeliveryRow> = rows
            .filter(|row| row.hook == hook && before.is_none_or(|before| row.number < before))
            .cloned()
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.number));
        rows.truncate(usize::try_from(limit).unwrap());
        Ok(rows)
    }

    fn waiting(&self, hook: &str) -> Result<u64, StoreError> {
        let waiting = self.pending(hook, u32::MAX)?;
        Ok(u64::try_from(waiting.len()).unwrap())
    }

    fn quiet(&self, name: &str) -> Result<u64, StoreError> {
        let tables = self.tables.borrow();
        Ok(tables.quiet.get(name).copied().unwrap_or(0))
    }

    fn secrets(&self, hook: &str) -> Result<Option<HookSecrets>, StoreError> {
        Ok(self.tables.borrow().secrets.get(hook).cloned())
    }

    fn session(&self, owner: Owner, id: &str) -> Result<Option<(SessionRow, String)>, StoreError> {
        let tables = self.tables.borrow();
        Ok(tables.sessions.get(&(owner, id.to_owned())).cloned())
    }

    fn sessions(
        &self,
        owner: Owner,
        query: &SessionQuery,
    ) -> Result<(Vec<SessionRow>, u32), StoreError> {
        let tables = self.tables.borrow();
        let all = tables.sessions.values().map(|(row, _)| row);
        let mut found: Vec<SessionRow> = all
            .filter(|row| row.owner == owner && !row.is_over(query.now) && chosen(row, query))
            .cloned()
            .collect();
        found.sort_by_key(|row| (order(row, query.sort), row.id.clone()));
        if query.descending {
            found.reverse();
        }
        let total = u32::try_from(found.len()).unwrap();
        if let Some(page) = query.page {
            let per_page = usize::try_from(query.per_page.max(1)).unwrap();
            let pages = usize::try_from(page.saturating_sub(1)).unwrap();
            let skipped = pages.saturating_mul(per_page);
            found = found.into_iter().skip(skipped).take(per_page).collect();
        }
        Ok((found, total))
    }

    fn ending(&self, until: u64, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        let tables = self.tables.borrow();
        let rows = tables.sessions.values().map(|(row, _)| row);
        let keys = rows.filter(|row| row.owner == Owner::Key && row.is_over(until));
        let mut over: Vec<SessionRow> = keys.cloned().collect();
        over.sort_by_key(|row| row.facts.ends);
        over.truncate(usize::try_from(limit).unwrap());
        Ok(over)
    }

    fn commit(&self, changes: &[Change<'_>]) -> Result<(), StoreError> {
        self.write(|tables| changes.iter().for_each(|change| tables.change(change)))
    }
}

fn chosen(row: &SessionRow, query: &SessionQuery) -> bool {
    let SessionQuery { filter, search, .. } = query;
    let facts = &row.facts;
    let named = |wanted: &Option<String>, values: &[String]| {
        wanted.as_ref().is_none_or(|wanted| values.contains(wanted))
    };
    let needle = search.trim().to_lowercase();
    let holds = |text: &String| text.to_lowercase().contains(&needle);
    (filter.is_empty() || facts.org_id == *filter || row.id.starts_with(filter.as_str()))
        && (holds(&facts.alias) || row.id.contains(&needle) || facts.tags.iter().any(holds))
        && named(&query.api, &facts.apis)
        && named(&query.policy, &facts.policies)
        && named(&query.tag, &facts.tags)
        && (query.ids.is_empty() || query.ids.contains(&row.id))
        && query
            .state
            .is_none_or(|state| row.state(query.now) == state)
}

/// What a list is ordered by, as a text that compares as its values do.
fn order(row: &SessionRow, sort: SessionSort) -> String {
    match sort {
        SessionSort::Alias => row.facts.alias.to_lowercase(),
        SessionSort::CreatedAt => row.created_at.clone(),
        SessionSort::UpdatedAt => row.updated_at.clone(),
        SessionSort::Expires => format!("{:020}", row.facts.expires),
    }
}

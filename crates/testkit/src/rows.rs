//! The Registry's rows in memory.

use gatewright_api::message::Action;
use gatewright_engine::error::StoreError;
use gatewright_engine::registry::rows::{Append, Entry, RevisionRow, Rows};
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

#[derive(Debug, Default)]
struct Tables {
    entries: BTreeMap<String, Entry>,
    revisions: BTreeMap<(String, u64), Revision>,
    values: BTreeMap<String, String>,
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

    fn append(&self, appends: &[Append<'_>]) -> Result<(), StoreError> {
        self.write(|tables| {
            for Append {
                entry,
                action,
                text,
            } in appends
            {
                let key = (entry.id.clone(), entry.revision);
                let text = text.map(str::to_owned);
                let row = Revision {
                    action: *action,
                    at: entry.updated_at.clone(),
                    text,
                };
                assert!(
                    tables.revisions.insert(key, row).is_none(),
                    "a revision was used twice"
                );
                tables.entries.insert(entry.id.clone(), entry.clone());
            }
        })
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

    fn set_value(&self, name: &str, value: &str) -> Result<(), StoreError> {
        self.write(|tables| {
            tables.values.insert(name.to_owned(), value.to_owned());
        })
    }

    fn set_published(
        &self,
        published: &[(String, Option<u64>)],
        name: &str,
        value: &str,
    ) -> Result<(), StoreError> {
        self.write(|tables| {
            for (id, revision) in published {
                if let Some(entry) = tables.entries.get_mut(id) {
                    entry.published = *revision;
                }
            }
            tables.values.insert(name.to_owned(), value.to_owned());
        })
    }
}

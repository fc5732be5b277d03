//! The tables of the Registry, and every statement over them. Each submodule covers one subject.

mod backup;
mod certificates;
mod change;
mod definitions;
mod deliveries;
mod document;
mod handover;
mod journal;
mod oauth;
mod past;
mod published;
mod records;
mod revisions;
mod schema;
mod served;
mod sessions;
mod sign_ins;

pub use certificates::CertificateRow;
pub use change::{Body, Change};
pub use document::{Document, DocumentId, Entry, Head, Record, root};
pub use published::parts;
pub(in crate::registry) use revisions::patched;
pub use revisions::{Older, RevisionRow};
pub use sign_ins::SignInRow;

use crate::registry::sql::{Row, Sql, Value, migrate};
use gatewright_api::dashboard::delivery::Delivery;
use gatewright_protocol::error::StoreError;
use handover::Exchange;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};

/// What is stored about a delivery. Its key is webhook and notification together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryRow {
    /// Its number, across all webhooks.
    pub number: u64,
    /// The internal id of the webhook, or the name of a handler.
    pub hook: String,
    /// The organisation of both.
    pub org: String,
    /// Attempts since it was made due, which may be more than its log retains.
    pub tries: u32,
    /// What its log shows.
    pub delivery: Delivery,
}

/// Selects notifications by the name of their event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds<'a> {
    /// All notifications.
    All,
    /// Those of this event.
    Only(&'a str),
    /// Those of every other event.
    AllBut(&'a str),
}

/// The stored rows. Each method that reads is one statement; every write is a [`Change`].
#[derive(Debug)]
pub struct Rows {
    sql: Box<dyn Sql>,
    /// Whether the tables exist in this release's version.
    ready: Cell<bool>,
    /// Set during a transaction of several writes: whether one of them has failed.
    group: Cell<Option<bool>>,
    /// What is exchanged with Ledgers.
    exchange: RefCell<Exchange>,
}

impl Rows {
    /// Wraps a database. Its tables are created, or migrated to this release, on first use.
    #[must_use]
    pub fn new(sql: Box<dyn Sql>) -> Self {
        Self {
            sql,
            ready: Cell::new(false),
            group: Cell::new(None),
            exchange: RefCell::default(),
        }
    }

    fn prepare(&self) -> Result<(), StoreError> {
        if !self.ready.get() {
            migrate(&*self.sql, &schema::STEPS)?;
            self.ready.set(true);
        }
        Ok(())
    }

    /// Returns the rows that a statement finds.
    fn query(&self, statement: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.prepare()?;
        self.sql.query(statement, values)
    }

    /// Reads every row that a statement finds.
    fn all<T>(
        &self,
        statement: &str,
        values: &[Value],
        read: impl Fn(Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.query(statement, values)?
            .into_iter()
            .map(read)
            .collect()
    }

    /// Reads the first row that a statement finds.
    fn first<T>(
        &self,
        statement: &str,
        values: &[Value],
        read: impl Fn(Row) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let found = self.query(statement, values)?.into_iter().next();
        found.map(read).transpose()
    }

    /// Returns the number that a statement finds, 0 for none.
    fn count(&self, statement: &str, values: &[Value]) -> Result<u64, StoreError> {
        let found = self.first(statement, values, |mut row| row.maybe_number())?;
        Ok(found.flatten().unwrap_or(0))
    }

    /// Runs a statement that returns no rows.
    fn run(&self, statement: &str, values: &[Value]) -> Result<(), StoreError> {
        self.query(statement, values).map(drop)
    }

    fn transaction(
        &self,
        run: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.prepare()?;
        if self.group.get().is_none() {
            return self.sql.transaction(run);
        }
        let ended = run();
        if ended.is_err() {
            self.group.set(Some(true));
        }
        ended
    }

    /// Makes all transactions of `run` part of the one that the caller has opened and, if this fails, has to roll back.
    ///
    /// # Errors
    /// The error of `run`, or that a transaction inside it has failed, even if `run` ignores that.
    pub fn together(
        &self,
        run: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.prepare()?;
        self.group.set(Some(false));
        let ended = run();
        match self.group.take() {
            Some(true) => {
                ended.and_then(|()| Err(StoreError::new("transaction", "a part of it has failed")))
            }
            _ => ended,
        }
    }
}

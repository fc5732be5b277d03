//! A database that fails on demand.

use gatewright_controlplane::registry::sql::{Row, Sql, Value};
use gatewright_protocol::error::StoreError;
use std::cell::Cell;
use std::rc::Rc;

/// When a transaction fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing was stored.
    BeforePersist,
    /// Everything was stored, but the answer was lost.
    AfterPersist,
}

/// A database with faults. Clones share both.
#[derive(Clone, Debug, Default)]
pub struct FaultySql<S> {
    sql: S,
    /// How many transactions succeed before one fails.
    fault: Rc<Cell<Option<(u32, Fault)>>>,
    queries: Rc<Cell<u32>>,
}

impl<S> FaultySql<S> {
    /// Returns how many statements were run since the last call of this function.
    pub fn take_queries(&self) -> u32 {
        self.queries.take()
    }

    /// Wraps a database, without faults at first.
    pub fn over(sql: S) -> Self {
        let fault = Rc::default();
        let queries = Rc::default();
        Self {
            sql,
            fault,
            queries,
        }
    }

    /// Makes the next transaction fail.
    pub fn fail_next(&self, fault: Fault) {
        self.fail_after(0, fault);
    }

    /// Makes one transaction fail, after this many that succeed.
    pub fn fail_after(&self, transactions: u32, fault: Fault) {
        self.fault.set(Some((transactions, fault)));
    }

    /// Returns the fault of the transaction that starts.
    fn due(&self) -> Option<Fault> {
        let (before, fault) = self.fault.take()?;
        let more = before.checked_sub(1);
        self.fault.set(more.map(|before| (before, fault)));
        more.is_none().then_some(fault)
    }
}

impl<S: Sql> Sql for FaultySql<S> {
    fn query(&self, statement: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.queries.set(self.queries.get().saturating_add(1));
        self.sql.query(statement, values)
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        self.sql.bytes()
    }

    fn transaction(
        &self,
        run: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let failed = || Err(StoreError::new("transaction", "fault"));
        match self.due() {
            None => self.sql.transaction(run),
            Some(Fault::BeforePersist) => {
                self.sql.transaction(&mut || run().and_then(|()| failed()))
            }
            Some(Fault::AfterPersist) => self.sql.transaction(run).and_then(|()| failed()),
        }
    }
}

/// Returns everything that is stored, one line per row.
///
/// # Errors
/// If a table can't be read.
pub fn dump(sql: &dyn Sql) -> Result<String, StoreError> {
    let mut lines = String::new();
    for mut table in sql.query("SELECT name FROM sqlite_schema WHERE type = 'table'", &[])? {
        let name = table.text()?;
        for row in sql.query(&format!("SELECT * FROM {name}"), &[])? {
            let values = row.map(|value| match value {
                Value::Null => "NULL".to_owned(),
                Value::Integer(number) => number.to_string(),
                Value::Text(text) => text,
            });
            let values: Vec<String> = values.collect();
            lines.push_str(&format!("{name}: {}\n", values.join(" | ")));
        }
    }
    Ok(lines)
}

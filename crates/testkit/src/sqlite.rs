//! SQLite in memory, with the limits and number types of a Durable Object's.

pub use gatewright_controlplane::registry::sql::{Row, Sql, Value};

use gatewright_protocol::error::StoreError;
use rusqlite::limits::Limit;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql};
use std::rc::Rc;

/// The limits of statements in a Durable Object (<https://developers.cloudflare.com/durable-objects/platform/limits/>).
/// Those of terms and of depth are not documented there: they are workerd's.
const LIMITS: [(Limit, i32); 7] = [
    (Limit::SQLITE_LIMIT_LENGTH, 2 * 1024 * 1024),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000),
    (Limit::SQLITE_LIMIT_COLUMN, 100),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 100),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 5),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
];

/// A database in memory, shared between clones as a restarted object shares its disk.
#[derive(Clone, Debug)]
pub struct Sqlite(Rc<Connection>);

impl Default for Sqlite {
    fn default() -> Self {
        let connection = Connection::open_in_memory().unwrap();
        for (limit, value) in LIMITS {
            connection.set_limit(limit, value).unwrap();
        }
        Self(Rc::new(connection))
    }
}

impl Sql for Sqlite {
    fn query(&self, statement: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let mut statement = self.0.prepare_cached(statement).map_err(failed)?;
        let columns = statement.column_count();
        let values = values.iter().map(Bound);
        let mut found = statement
            .query(rusqlite::params_from_iter(values))
            .map_err(failed)?;
        let mut rows = Vec::new();
        while let Some(row) = found.next().map_err(failed)? {
            let values = (0..columns).map(|at| value(row.get_ref(at).map_err(failed)?));
            rows.push(Row::from(values.collect::<Result<Vec<_>, _>>()?));
        }
        Ok(rows)
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        let pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        let pages = self.query(pages, &[])?.into_iter().next();
        pages.map_or(Ok(0), |mut row| row.number())
    }

    fn transaction(
        &self,
        run: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.0.execute_batch("SAVEPOINT one").map_err(failed)?;
        let ended = run();
        let end = match ended {
            Ok(()) => "RELEASE one",
            Err(_) => "ROLLBACK TO one; RELEASE one",
        };
        self.0.execute_batch(end).map_err(failed)?;
        ended
    }
}

/// A value as a Durable Object binds it: numbers are floating point.
struct Bound<'a>(&'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Real(*number as f64),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

/// Converts a value as a Durable Object returns it: all numbers are of one type.
fn value(found: ValueRef<'_>) -> Result<Value, StoreError> {
    match found {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => Value::from_number(number as f64),
        ValueRef::Real(number) => Value::from_number(number),
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Ok(Value::from(text)),
            Err(error) => Err(StoreError::new("sqlite", error.to_string())),
        },
        ValueRef::Blob(_) => Err(StoreError::new("sqlite", "found bytes")),
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature that map_err takes"
)]
fn failed(error: rusqlite::Error) -> StoreError {
    StoreError::new("sqlite", error.to_string())
}

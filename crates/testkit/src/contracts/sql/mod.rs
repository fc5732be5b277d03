//! The contract of [`Sql`]. Each case recreates its own table, so the database may have been used before.

mod statements;
mod transactions;
mod values;

use super::{Outcome, ensure};
use gatewright_controlplane::registry::sql::{Row, Sql, Value};
use gatewright_protocol::error::StoreError;
use std::fmt::Debug;

/// A check of a database.
pub type Case = fn(&dyn Sql) -> Result<(), String>;

fn cases() -> impl Iterator<Item = (String, Case)> {
    let subjects = [values::CASES, statements::CASES, transactions::CASES];
    let cases = subjects.into_iter().flatten();
    cases.map(|(name, case)| (name.replace(' ', "_"), *case))
}

/// Returns the guarantees, in words separated by `_`.
pub fn names() -> impl Iterator<Item = String> {
    cases().map(|(name, _)| name)
}

/// Runs the case with this name; a missing one is an error as well.
///
/// # Errors
/// What is wrong.
pub fn check(name: &str, sql: &dyn Sql) -> Outcome {
    match cases().find(|(known, _)| known == name) {
        Some((_, case)) => case(sql),
        None => Err(format!("there is no case {name}")),
    }
}

/// Creates an empty table.
fn table(sql: &dyn Sql) -> Result<(), String> {
    run(sql, "DROP TABLE IF EXISTS contract", &[])?;
    let columns = "id TEXT PRIMARY KEY, number INTEGER NOT NULL, text TEXT";
    run(
        sql,
        &format!("CREATE TABLE contract ({columns}) WITHOUT ROWID"),
        &[],
    )
}

const PUT: &str = "INSERT INTO contract (id, number, text) VALUES (?, ?, ?)";

fn put(sql: &dyn Sql, id: &str, number: i64) -> Result<(), StoreError> {
    let values = [id.into(), number.into(), Value::Null];
    sql.query(PUT, &values).map(drop)
}

/// Returns the stored ids.
fn ids(sql: &dyn Sql) -> Result<Vec<Value>, String> {
    find(sql, "SELECT id FROM contract ORDER BY id", &[])
        .map(|rows| rows.into_iter().flatten().collect())
}

fn run(sql: &dyn Sql, statement: &str, values: &[Value]) -> Result<(), String> {
    find(sql, statement, values).map(drop)
}

fn find(sql: &dyn Sql, statement: &str, values: &[Value]) -> Result<Vec<Vec<Value>>, String> {
    let rows = sql
        .query(statement, values)
        .map_err(|error| error.to_string())?;
    Ok(rows.into_iter().map(Row::collect).collect())
}

fn ensure_eq<T: Debug + PartialEq>(found: &T, wanted: &T) -> Result<(), String> {
    // Texts may be long.
    let abbreviated = |value: &T| format!("{value:?}").chars().take(200).collect::<String>();
    ensure(
        format!(
            "expected {}, found {}",
            abbreviated(wanted),
            abbreviated(found)
        ),
        found == wanted,
    )
}

fn refused<T>(answer: &Result<T, StoreError>) -> Result<(), String> {
    ensure("expected an error", answer.is_err())
}

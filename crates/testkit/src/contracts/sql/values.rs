//! Values that are bound, stored and read.

use super::{Case, PUT, ensure_eq, find, put, refused, run, table};
use crate::contracts::ensure;
use gatewright_controlplane::registry::sql::{Sql, Value};

pub(super) const CASES: &[(&str, Case)] = &[
    ("a database has the bytes of what is stored", bytes),
    ("values come back as they were bound", values_come_back),
    (
        "stored values come back as they were",
        stored_values_come_back,
    ),
    ("a long text comes back whole", a_long_text_comes_back),
    (
        "a bound number is a real one until a column has it",
        numbers_are_real,
    ),
    (
        "a number that is not whole is an error",
        fractions_are_errors,
    ),
];

/// Returns values of every type.
fn values() -> Vec<Value> {
    const EXACT: i64 = 1 << 53;
    let texts = [
        "",
        "text",
        "ä€𝄞\u{10ffff}",
        "line\nbreak",
        "nul\0inside",
        "'; DROP TABLE x; --",
    ];
    let numbers = [0, 1, -1, 1_767_225_600_000, EXACT - 1, EXACT, -EXACT];
    let texts = texts.into_iter().map(Value::from);
    texts
        .chain(numbers.into_iter().map(Value::from))
        .chain([Value::Null])
        .collect()
}

fn values_come_back(sql: &dyn Sql) -> Result<(), String> {
    let values = values();
    let parameters = vec!["?"; values.len()].join(", ");
    let found = find(sql, &format!("SELECT {parameters}"), &values)?;
    ensure_eq(&found, &vec![values])
}

fn stored_values_come_back(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    for (at, value) in values().into_iter().enumerate() {
        let (number, text) = match &value {
            Value::Integer(_) => (value.clone(), Value::Null),
            Value::Text(_) | Value::Null => (Value::Integer(0), value.clone()),
        };
        let id = Value::from(format!("{at}"));
        run(sql, PUT, &[id.clone(), number.clone(), text.clone()])?;
        let found = find(sql, "SELECT number, text FROM contract WHERE id = ?", &[id])?;
        ensure_eq(&found, &vec![vec![number, text]])?;
    }
    let bytes = "SELECT length(CAST(text AS BLOB)) FROM contract WHERE text = ?";
    let found = find(sql, bytes, &["nul\0inside".into()])?;
    ensure_eq(&found, &vec![vec![Value::Integer(10)]])
}

fn a_long_text_comes_back(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    let text = Value::from("ä".repeat(900_000));
    run(sql, PUT, &["long".into(), 0_i64.into(), text.clone()])?;
    ensure_eq(
        &find(sql, "SELECT text FROM contract", &[])?,
        &vec![vec![text]],
    )
}

fn numbers_are_real(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    let kind = find(sql, "SELECT typeof(?)", &[7_i64.into()])?;
    ensure_eq(&kind, &vec![vec!["real".into()]])?;
    put(sql, "a", 7).map_err(|error| error.to_string())?;
    let stored = find(sql, "SELECT typeof(number), number / 2 FROM contract", &[])?;
    ensure_eq(&stored, &vec![vec!["integer".into(), Value::Integer(3)]])
}

fn fractions_are_errors(sql: &dyn Sql) -> Result<(), String> {
    ensure_eq(
        &find(sql, "SELECT 3.0", &[])?,
        &vec![vec![Value::Integer(3)]],
    )?;
    refused(&sql.query("SELECT 0.5", &[]))?;
    refused(&sql.query("SELECT 9223372036854775807", &[]))
}

fn bytes(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    let text = "x".repeat(500_000);
    run(sql, PUT, &["a".into(), 1_i64.into(), text.into()])?;
    let bytes = sql.bytes().map_err(|error| error.to_string())?;
    ensure(format!("only {bytes} bytes"), bytes >= 500_000)
}

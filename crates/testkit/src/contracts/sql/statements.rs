//! Parameters, order, constraints, and what statements may do.

use super::{Case, PUT, ensure_eq, find, ids, put, refused, run, table};
use gatewright_controlplane::registry::sql::{Sql, Value};
use std::slice::from_ref;

pub(super) const CASES: &[(&str, Case)] = &[
    (
        "numbered parameters may stand more than once",
        numbered_parameters,
    ),
    (
        "a statement may have a hundred parameters and no more",
        a_hundred_parameters,
    ),
    (
        "a statement needs as many values as parameters",
        wrong_count,
    ),
    ("a malformed statement is an error", no_statement),
    ("rows come in the order that is asked for", order),
    ("a limit of -1 sets no limit", no_limit),
    ("a key that is there already is an error", used_key),
    (
        "a missing value is an error where one must be",
        missing_value,
    ),
    (
        "a conflict may be settled by the statement",
        settled_conflict,
    ),
    ("JSON is read inside statements", json_inside),
];

fn numbered_parameters(sql: &dyn Sql) -> Result<(), String> {
    let values = ["a".into(), 2_i64.into(), "c".into()];
    let found = find(sql, "SELECT ?1, ?2, ?1, ?", &values)?;
    ensure_eq(
        &found,
        &vec![vec!["a".into(), Value::Integer(2), "a".into(), "c".into()]],
    )
}

fn a_hundred_parameters(sql: &dyn Sql) -> Result<(), String> {
    let statement = |count: usize| format!("SELECT 7 IN ({})", vec!["?"; count].join(", "));
    let values: Vec<Value> = (0..101_i64).map(Value::from).collect();
    let hundred = values.get(..100).unwrap_or_default();
    ensure_eq(
        &find(sql, &statement(100), hundred)?,
        &vec![vec![Value::Integer(1)]],
    )?;
    refused(&sql.query(&statement(101), &values))
}

fn wrong_count(sql: &dyn Sql) -> Result<(), String> {
    refused(&sql.query("SELECT ?, ?", &["a".into()]))?;
    refused(&sql.query("SELECT ?", &["a".into(), "b".into()]))?;
    refused(&sql.query("SELECT 1", &["a".into()]))
}

fn no_statement(sql: &dyn Sql) -> Result<(), String> {
    refused(&sql.query("SELEKT 1", &[]))?;
    refused(&sql.query("SELECT 1 FROM no_table", &[]))?;
    ensure_eq(&find(sql, "SELECT 1", &[])?, &vec![vec![Value::Integer(1)]])
}

fn order(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    let stored = [("b", 2), ("ä", 10), ("B", 1), ("a", 9), ("", 3)];
    for (id, number) in stored {
        put(sql, id, number).map_err(|error| error.to_string())?;
    }
    // Texts compare by bytes, numbers by value.
    let texts = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| Value::from(*text))
            .collect::<Vec<_>>()
    };
    ensure_eq(&ids(sql)?, &texts(&["", "B", "a", "b", "ä"]))?;
    let found = find(
        sql,
        "SELECT id FROM contract ORDER BY number DESC LIMIT ? OFFSET ?",
        &[2_u32.into(), 1_u32.into()],
    )?;
    ensure_eq(&found.concat(), &texts(&["a", ""]))?;
    let found = find(
        sql,
        "SELECT id FROM contract WHERE id >= ? AND id < ? || char(1114111) ORDER BY id",
        &["b".into(), "b".into()],
    )?;
    ensure_eq(&found.concat(), &texts(&["b"]))
}

fn no_limit(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    for id in ["a", "b", "c"] {
        put(sql, id, 0).map_err(|error| error.to_string())?;
    }
    let all = "SELECT id FROM contract ORDER BY id LIMIT ? OFFSET ?";
    let found = find(sql, all, &[(-1_i64).into(), 0_i64.into()])?;
    ensure_eq(&found.len(), &3)
}

fn used_key(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    put(sql, "a", 1).map_err(|error| error.to_string())?;
    refused(&put(sql, "a", 2))?;
    let found = find(sql, "SELECT number FROM contract", &[])?;
    ensure_eq(&found, &vec![vec![Value::Integer(1)]])
}

fn missing_value(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    refused(&sql.query(PUT, &["a".into(), Value::Null, Value::Null]))?;
    let two = "INSERT INTO contract (id, number) VALUES (?, 1), (?, NULL)";
    refused(&sql.query(two, &["b".into(), "c".into()]))?;
    ensure_eq(&ids(sql)?, &Vec::new())
}

fn settled_conflict(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    put(sql, "a", 1).map_err(|error| error.to_string())?;
    let number = |wanted: i64| {
        let found = find(sql, "SELECT number FROM contract", &[])?;
        ensure_eq(&found, &vec![vec![Value::Integer(wanted)]])
    };
    let added = "INSERT INTO contract (id, number) VALUES (?, ?)
        ON CONFLICT (id) DO UPDATE SET number = number + excluded.number";
    run(sql, added, &["a".into(), 2_i64.into()])?;
    number(3)?;
    run(
        sql,
        "INSERT OR IGNORE INTO contract (id, number) VALUES (?, ?)",
        &["a".into(), 9_i64.into()],
    )?;
    number(3)?;
    run(
        sql,
        "INSERT OR REPLACE INTO contract (id, number) VALUES (?, ?)",
        &["a".into(), 5_i64.into()],
    )?;
    number(5)
}

fn json_inside(sql: &dyn Sql) -> Result<(), String> {
    let document = Value::from(r#"{"name":"ä","many":[1,2]}"#);
    let member = find(
        sql,
        "SELECT ?1 ->> 'name', ?1 ->> 'none'",
        from_ref(&document),
    )?;
    ensure_eq(&member, &vec![vec!["ä".into(), Value::Null]])?;
    let items = find(
        sql,
        "SELECT value FROM json_each(?, '$.many')",
        from_ref(&document),
    )?;
    ensure_eq(&items.concat(), &vec![Value::Integer(1), Value::Integer(2)])?;
    let set = find(
        sql,
        "SELECT json_set(?, '$.name', 'b', '$.many', NULL)",
        &[document],
    )?;
    ensure_eq(&set.concat(), &vec![r#"{"name":"b","many":null}"#.into()])
}

//! What takes effect together, or not at all.

use super::{Case, ensure_eq, find, ids, put, refused, run, table};
use gatewright_controlplane::registry::sql::{Sql, Value};
use gatewright_protocol::error::StoreError;

pub(super) const CASES: &[(&str, Case)] = &[
    ("a transaction takes effect as a whole", transaction),
    ("a failed transaction leaves nothing", failed_transaction),
    ("a transaction ends with its own error", own_error),
    (
        "a refused statement ends a transaction with nothing",
        refused_inside,
    ),
    (
        "a refused statement may be forgiven inside a transaction",
        forgiven_inside,
    ),
    ("a failed transaction takes its tables with it", tables_too),
    (
        "a transaction in another one fails alone and ends with it",
        nested,
    ),
];

fn transaction(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    let ended = sql.transaction(&mut || {
        put(sql, "a", 1)?;
        let found = sql.query("SELECT number FROM contract WHERE id = 'a'", &[])?;
        let number = found
            .into_iter()
            .next()
            .ok_or_else(|| StoreError::new("case", "not seen"))?
            .number()?;
        put(sql, "b", i64::try_from(number).unwrap_or(-1))
    });
    ended.map_err(|error| error.to_string())?;
    let found = find(sql, "SELECT id, number FROM contract ORDER BY id", &[])?;
    ensure_eq(
        &found,
        &vec![
            vec!["a".into(), Value::Integer(1)],
            vec!["b".into(), Value::Integer(1)],
        ],
    )
}

fn failed_transaction(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    put(sql, "before", 1).map_err(|error| error.to_string())?;
    refused(&sql.transaction(&mut || {
        put(sql, "a", 1)?;
        sql.query("UPDATE contract SET number = 2 WHERE id = 'before'", &[])?;
        Err(StoreError::new("case", "changed its mind"))
    }))?;
    let found = find(sql, "SELECT id, number FROM contract", &[])?;
    ensure_eq(&found, &vec![vec!["before".into(), Value::Integer(1)]])?;
    sql.transaction(&mut || put(sql, "after", 1))
        .map_err(|error| error.to_string())?;
    ensure_eq(&ids(sql)?.len(), &2)
}

fn own_error(sql: &dyn Sql) -> Result<(), String> {
    let error = StoreError::new("case", "changed its mind");
    let ended = sql.transaction(&mut || Err(error.clone()));
    ensure_eq(&ended, &Err(error))
}

fn refused_inside(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    refused(&sql.transaction(&mut || {
        put(sql, "a", 1)?;
        put(sql, "a", 2)
    }))?;
    ensure_eq(&ids(sql)?, &Vec::new())
}

fn forgiven_inside(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    let ended = sql.transaction(&mut || {
        put(sql, "a", 1)?;
        put(sql, "a", 2).or_else(|_| put(sql, "b", 2))
    });
    ended.map_err(|error| error.to_string())?;
    ensure_eq(&ids(sql)?, &vec!["a".into(), "b".into()])
}

fn tables_too(sql: &dyn Sql) -> Result<(), String> {
    run(sql, "DROP TABLE IF EXISTS contract_late", &[])?;
    refused(&sql.transaction(&mut || {
        sql.query("CREATE TABLE contract_late (id TEXT)", &[])?;
        Err(StoreError::new("case", "changed its mind"))
    }))?;
    refused(&sql.query("SELECT id FROM contract_late", &[]))
}

fn nested(sql: &dyn Sql) -> Result<(), String> {
    table(sql)?;
    let inner = |id: &str| {
        sql.transaction(&mut || {
            put(sql, id, 1)?;
            put(sql, "b", 1)
        })
    };
    let ended = sql.transaction(&mut || {
        inner("a")?;
        // There is a `b` already.
        inner("c").or(Ok(()))
    });
    ended.map_err(|error| error.to_string())?;
    ensure_eq(&ids(sql)?, &vec!["a".into(), "b".into()])?;
    refused(&sql.transaction(&mut || {
        sql.transaction(&mut || put(sql, "d", 1))?;
        Err(StoreError::new("case", "changed its mind"))
    }))?;
    ensure_eq(&ids(sql)?.len(), &2)
}

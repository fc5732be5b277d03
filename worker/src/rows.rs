//! The Registry's tables in a Durable Object's SQLite.

use crate::glue;
use gatewright_engine::error::StoreError;
use gatewright_engine::registry::index::Facts;
use gatewright_engine::registry::rows::{Append, Entry, RevisionRow, Rows};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::Cell;
use worker::{SqlStorage, SqlStorageValue, Storage};

/// `revision` keeps every text that was ever stored; `entry` says which one is the newest.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS entry (
        id TEXT PRIMARY KEY, revision INTEGER NOT NULL, deleted INTEGER NOT NULL,
        published INTEGER, updated_at TEXT NOT NULL, facts TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS revision (
        id TEXT NOT NULL, revision INTEGER NOT NULL, action TEXT NOT NULL, at TEXT NOT NULL,
        text TEXT, PRIMARY KEY (id, revision)
    );
    CREATE TABLE IF NOT EXISTS value (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
";

/// The rows over SQLite. The schema is made on first use.
pub(crate) struct SqlRows {
    storage: Storage,
    sql: SqlStorage,
    ready: Cell<bool>,
}

type Row = std::vec::IntoIter<SqlStorageValue>;

impl SqlRows {
    pub(crate) fn new(storage: Storage) -> Self {
        Self {
            sql: storage.sql(),
            storage,
            ready: Cell::new(false),
        }
    }

    /// Makes the tables on first use.
    fn prepare(&self) -> Result<(), StoreError> {
        if !self.ready.get() {
            self.sql.exec(SCHEMA, None).map_err(failed)?;
            self.ready.set(true);
        }
        Ok(())
    }

    /// Runs a statement and answers its rows.
    fn query(
        &self,
        statement: &str,
        bindings: Vec<SqlStorageValue>,
    ) -> Result<Vec<Row>, StoreError> {
        self.prepare()?;
        let cursor = self.sql.exec(statement, bindings).map_err(failed)?;
        cursor
            .raw()
            .map(|row| row.map(Vec::into_iter).map_err(failed))
            .collect()
    }

    /// Runs statements that take effect together or not at all.
    fn transaction(&self, run: impl Fn() -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut failure = None;
        let mut body = || match run() {
            Ok(()) => true,
            Err(error) => {
                failure = Some(error);
                false
            }
        };
        let ended = glue::transaction_sync(self.storage.as_raw(), &mut body);
        match (failure, ended) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(StoreError::new("transaction", glue::text(&error))),
            (None, Ok(())) => Ok(()),
        }
    }

    fn append_one(&self, append: &Append<'_>) -> Result<(), StoreError> {
        let Append {
            entry,
            action,
            text,
        } = append;
        self.query(
            "INSERT INTO revision (id, revision, action, at, text) VALUES (?, ?, ?, ?, ?)",
            vec![
                entry.id.as_str().into(),
                integer(entry.revision),
                json(action)?.into(),
                entry.updated_at.as_str().into(),
                (*text).into(),
            ],
        )?;
        self.query(
            "INSERT INTO entry (id, revision, deleted, published, updated_at, facts) VALUES (?, ?, ?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, deleted = excluded.deleted,
                updated_at = excluded.updated_at, facts = excluded.facts",
            vec![
                entry.id.as_str().into(),
                integer(entry.revision),
                integer(u64::from(entry.deleted)),
                entry.published.map_or(SqlStorageValue::Null, integer),
                entry.updated_at.as_str().into(),
                json(&entry.facts)?.into(),
            ],
        )?;
        Ok(())
    }
}

impl Rows for SqlRows {
    fn entries(&self) -> Result<Vec<Entry>, StoreError> {
        let rows = self.query(
            "SELECT id, revision, deleted, published, updated_at, facts FROM entry ORDER BY id",
            vec![],
        )?;
        rows.into_iter()
            .map(|mut row| {
                Ok(Entry {
                    id: text(&mut row)?,
                    revision: number(&mut row)?,
                    deleted: number(&mut row)? != 0,
                    published: optional(&mut row),
                    updated_at: text(&mut row)?,
                    facts: parse::<Facts>(&text(&mut row)?)?,
                })
            })
            .collect()
    }

    fn text(&self, id: &str, revision: u64) -> Result<Option<String>, StoreError> {
        const STATEMENT: &str = "SELECT text FROM revision WHERE id = ? AND revision = ?";
        self.prepare()?;
        // Revisions count writes, so they stay far below 2^53.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        glue::find_text(self.storage.as_raw(), STATEMENT, id, revision as f64)
            .map_err(|error| StoreError::new("sqlite", glue::text(&error)))
    }

    fn append(&self, appends: &[Append<'_>]) -> Result<(), StoreError> {
        self.transaction(|| {
            appends
                .iter()
                .try_for_each(|append| self.append_one(append))
        })
    }

    fn revisions(
        &self,
        id: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError> {
        let before = before.map_or(SqlStorageValue::Null, integer);
        let rows = self.query(
            "SELECT revision, action, at, coalesce(length(CAST(text AS BLOB)), 0) FROM revision
             WHERE id = ?1 AND (?2 IS NULL OR revision < ?2) ORDER BY revision DESC LIMIT ?3",
            vec![id.into(), before, integer(u64::from(limit))],
        )?;
        rows.into_iter()
            .map(|mut row| {
                Ok(RevisionRow {
                    revision: number(&mut row)?,
                    action: parse(&text(&mut row)?)?,
                    at: text(&mut row)?,
                    bytes: number(&mut row)?,
                })
            })
            .collect()
    }

    fn value(&self, name: &str) -> Result<Option<String>, StoreError> {
        let rows = self.query("SELECT value FROM value WHERE name = ?", vec![name.into()])?;
        Ok(rows
            .into_iter()
            .next()
            .and_then(|mut row| text(&mut row).ok()))
    }

    fn set_value(&self, name: &str, value: &str) -> Result<(), StoreError> {
        self.query(
            "INSERT INTO value (name, value) VALUES (?, ?)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            vec![name.into(), value.into()],
        )?;
        Ok(())
    }

    fn set_published(
        &self,
        published: &[(String, Option<u64>)],
        name: &str,
        value: &str,
    ) -> Result<(), StoreError> {
        self.transaction(|| {
            for (id, revision) in published {
                let revision = revision.map_or(SqlStorageValue::Null, integer);
                self.query(
                    "UPDATE entry SET published = ? WHERE id = ?",
                    vec![revision, id.as_str().into()],
                )?;
            }
            self.set_value(name, value)
        })
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature that map_err takes"
)]
fn failed(error: worker::Error) -> StoreError {
    StoreError::new("sqlite", error.to_string())
}

/// A revision as SQLite stores it; they count writes, so they stay far below 2^53.
fn integer(value: u64) -> SqlStorageValue {
    i64::try_from(value).map_or(SqlStorageValue::Null, SqlStorageValue::Integer)
}

fn text(row: &mut Row) -> Result<String, StoreError> {
    match row.next() {
        Some(SqlStorageValue::String(text)) => Ok(text),
        other => Err(StoreError::new(
            "sqlite",
            format!("expected a text, found {other:?}"),
        )),
    }
}

fn optional(row: &mut Row) -> Option<u64> {
    match row.next() {
        Some(SqlStorageValue::Integer(value)) => u64::try_from(value).ok(),
        _ => None,
    }
}

fn number(row: &mut Row) -> Result<u64, StoreError> {
    optional(row).ok_or_else(|| StoreError::new("sqlite", "expected a number"))
}

fn json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::new("encode row", error.to_string()))
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::new("decode row", error.to_string()))
}

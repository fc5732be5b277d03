//! The Registry's tables in a Durable Object's SQLite.

mod deliveries;
mod journal;
mod records;
mod sessions;

use gatewright_api::dashboard::shape::{AuditEntry, Credential, Notice};
use gatewright_controlplane::registry::deliveries::secret::HookSecrets;
use gatewright_controlplane::registry::index::Facts;
use gatewright_controlplane::registry::rows::{
    Body, Change, DeliveryRow, Entry, Kinds, Record, RevisionRow, Rows, StoredBody,
};
use gatewright_controlplane::registry::sessions::SessionRow;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::{AuditFilter, Kind};
use gatewright_protocol::sessions::{Owner, SessionQuery};
use gatewright_worker_platform::glue;
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
    CREATE TABLE IF NOT EXISTS record (
        kind TEXT NOT NULL, id TEXT NOT NULL, org TEXT NOT NULL, revision INTEGER NOT NULL,
        deleted INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
        facts TEXT NOT NULL, PRIMARY KEY (kind, id)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS record_revision (
        kind TEXT NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL, action TEXT NOT NULL,
        at TEXT NOT NULL, text TEXT, patch TEXT, PRIMARY KEY (kind, id, revision)
    );
    CREATE TABLE IF NOT EXISTS credential (
        hash TEXT PRIMARY KEY, credential TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS notice (
        org TEXT NOT NULL, seq INTEGER NOT NULL, notice TEXT NOT NULL, PRIMARY KEY (org, seq)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS audit (
        seq INTEGER PRIMARY KEY, at TEXT NOT NULL, org TEXT NOT NULL, actor TEXT NOT NULL,
        action TEXT NOT NULL, subject TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
        before INTEGER, after INTEGER
    );
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
            self.sql.exec(deliveries::SCHEMA, None).map_err(failed)?;
            self.sql.exec(sessions::SCHEMA, None).map_err(failed)?;
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

    fn change(&self, change: &Change<'_>) -> Result<(), StoreError> {
        match change {
            Change::Definition {
                entry,
                action,
                text,
            } => {
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
                self.put_entry(entry)
            }
            Change::Published { id, revision } => self.run(
                "UPDATE entry SET published = ? WHERE id = ?",
                vec![maybe(*revision), (*id).into()],
            ),
            Change::Value { name, value } => self.run(
                "INSERT INTO value (name, value) VALUES (?, ?)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                vec![(*name).into(), (*value).into()],
            ),
            Change::Record {
                record,
                action,
                body,
            } => {
                let (text, patch) = match body {
                    Body::Text(text) => (Some(*text), None),
                    Body::Patch(patch) => (None, Some(*patch)),
                    Body::Gone => (None, None),
                };
                self.run(
                    "INSERT INTO record_revision (kind, id, revision, action, at, text, patch)
                     VALUES (?, ?, ?, ?, ?, ?, ?)",
                    vec![
                        json(&record.kind)?.into(),
                        record.id.as_str().into(),
                        integer(record.revision),
                        json(action)?.into(),
                        record.updated_at.as_str().into(),
                        text.into(),
                        patch.into(),
                    ],
                )?;
                self.put_record(record)
            }
            Change::Credential { credential, hash } => self.run(
                "INSERT INTO credential (hash, credential) VALUES (?, ?)
                 ON CONFLICT (hash) DO UPDATE SET credential = excluded.credential",
                vec![(*hash).into(), json(credential)?.into()],
            ),
            Change::Notice { org, notice } => self.run(
                "INSERT INTO notice (org, seq, notice) VALUES (?, ?, ?)",
                vec![(*org).into(), integer(notice.seq), json(notice)?.into()],
            ),
            Change::Audit(entry) => self.put_audit(entry),
            Change::Delivery(row) => self.put_delivery(row),
            Change::StopDeliveries { hook } => self.stop_deliveries(hook),
            Change::TrimDeliveries { hook, keep } => self.trim_deliveries(hook, *keep),
            Change::Quiet { name, until } => self.put_quiet(name, *until),
            Change::TrimNotices { org, upto } => self.trim_notices(org, *upto),
            Change::Secrets { hook, secrets } => self.put_secrets(hook, secrets),
            Change::Session { row, text } => self.put_session(row, text),
            Change::SessionRemoved { owner, id } => self.remove_session(*owner, id),
        }
    }

    /// Runs a statement that answers nothing.
    fn run(&self, statement: &str, bindings: Vec<SqlStorageValue>) -> Result<(), StoreError> {
        self.query(statement, bindings).map(drop)
    }

    fn put_entry(&self, entry: &Entry) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO entry (id, revision, deleted, published, updated_at, facts) VALUES (?, ?, ?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, deleted = excluded.deleted,
                updated_at = excluded.updated_at, facts = excluded.facts",
            vec![
                entry.id.as_str().into(),
                integer(entry.revision),
                integer(u64::from(entry.deleted)),
                maybe(entry.published),
                entry.updated_at.as_str().into(),
                json(&entry.facts)?.into(),
            ],
        )
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

    fn revisions(
        &self,
        id: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError> {
        let before = maybe(before);
        let rows = self.query(
            "SELECT revision, action, at, coalesce(length(CAST(text AS BLOB)), 0) FROM revision
             WHERE id = ?1 AND (?2 IS NULL OR revision < ?2) ORDER BY revision DESC LIMIT ?3",
            vec![id.into(), before, integer(u64::from(limit))],
        )?;
        rows.into_iter().map(revision_row).collect()
    }

    fn value(&self, name: &str) -> Result<Option<String>, StoreError> {
        let rows = self.query("SELECT value FROM value WHERE name = ?", vec![name.into()])?;
        Ok(rows
            .into_iter()
            .next()
            .and_then(|mut row| text(&mut row).ok()))
    }

    fn records(&self) -> Result<Vec<Record>, StoreError> {
        self.find_records()
    }

    fn record_bodies(
        &self,
        kind: Kind,
        id: &str,
        revision: u64,
    ) -> Result<Vec<StoredBody>, StoreError> {
        self.find_record_bodies(kind, id, revision)
    }

    fn record_revisions(
        &self,
        kind: Kind,
        id: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<RevisionRow>, StoreError> {
        self.find_record_revisions(kind, id, before, limit)
    }

    fn credentials(&self) -> Result<Vec<(String, Credential)>, StoreError> {
        let rows = self.query("SELECT hash, credential FROM credential", vec![])?;
        rows.into_iter()
            .map(|mut row| Ok((text(&mut row)?, parse(&text(&mut row)?)?)))
            .collect()
    }

    fn last_notices(&self) -> Result<Vec<(String, u64)>, StoreError> {
        self.find_last_notices()
    }

    fn notices(
        &self,
        org: &str,
        kinds: Kinds<'_>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Notice>, StoreError> {
        self.find_notices(org, kinds, after, limit)
    }

    fn last_audit(&self) -> Result<u64, StoreError> {
        self.find_last_audit()
    }

    fn audit(&self, filter: &AuditFilter) -> Result<Vec<AuditEntry>, StoreError> {
        self.find_audit(filter)
    }

    fn last_delivery(&self) -> Result<u64, StoreError> {
        self.find_last_delivery()
    }

    fn waiting_hooks(&self) -> Result<Vec<String>, StoreError> {
        self.find_waiting_hooks()
    }

    fn pending(&self, hook: &str, limit: u32) -> Result<Vec<DeliveryRow>, StoreError> {
        self.find_pending(hook, limit)
    }

    fn delivery(&self, hook: &str, notice_id: &str) -> Result<Option<DeliveryRow>, StoreError> {
        self.find_delivery(hook, notice_id)
    }

    fn deliveries(
        &self,
        hook: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<DeliveryRow>, StoreError> {
        self.find_log(hook, before, limit)
    }

    fn waiting(&self, hook: &str) -> Result<u64, StoreError> {
        self.count_waiting(hook)
    }

    fn quiet(&self, name: &str) -> Result<u64, StoreError> {
        self.find_quiet(name)
    }

    fn secrets(&self, hook: &str) -> Result<Option<HookSecrets>, StoreError> {
        self.find_secrets(hook)
    }

    fn session(&self, owner: Owner, id: &str) -> Result<Option<(SessionRow, String)>, StoreError> {
        self.find_session(owner, id)
    }

    fn sessions(
        &self,
        owner: Owner,
        query: &SessionQuery,
    ) -> Result<(Vec<SessionRow>, u32), StoreError> {
        self.find_sessions(owner, query)
    }

    fn ending(&self, until: u64, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        self.find_ending(until, limit)
    }

    fn commit(&self, changes: &[Change<'_>]) -> Result<(), StoreError> {
        self.transaction(|| changes.iter().try_for_each(|change| self.change(change)))
    }
}

fn revision_row(mut row: Row) -> Result<RevisionRow, StoreError> {
    Ok(RevisionRow {
        revision: number(&mut row)?,
        action: parse(&text(&mut row)?)?,
        at: text(&mut row)?,
        bytes: number(&mut row)?,
    })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature that map_err takes"
)]
fn failed(error: worker::Error) -> StoreError {
    StoreError::new("sqlite", error.to_string())
}

/// A number that may be missing, as SQLite stores it.
fn maybe(value: Option<u64>) -> SqlStorageValue {
    value.map_or(SqlStorageValue::Null, integer)
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

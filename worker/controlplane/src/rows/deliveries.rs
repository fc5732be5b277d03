//! Deliveries and the secrets of webhooks in SQLite.

use super::{SqlRows, integer, json, maybe, optional, parse, text};
use gatewright_controlplane::registry::deliveries::secret::HookSecrets;
use gatewright_controlplane::registry::rows::DeliveryRow;
use gatewright_protocol::error::StoreError;
use gatewright_worker_platform::time::now_ms as clock;
use worker::SqlStorageValue;

/// `due` is when a delivery is tried next, and missing once it has ended. `quiet` says until when, Unix
/// milliseconds, a handler is not told the same again.
pub(super) const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS delivery (
        number INTEGER PRIMARY KEY, hook TEXT NOT NULL, notice_id TEXT NOT NULL, due TEXT,
        delivery TEXT NOT NULL
    );
    CREATE UNIQUE INDEX IF NOT EXISTS delivery_notice ON delivery (hook, notice_id);
    CREATE INDEX IF NOT EXISTS delivery_log ON delivery (hook, number);
    CREATE INDEX IF NOT EXISTS delivery_due ON delivery (hook, due, number) WHERE due IS NOT NULL;
    CREATE INDEX IF NOT EXISTS delivery_of ON delivery (notice_id);
    CREATE TABLE IF NOT EXISTS quiet (
        name TEXT PRIMARY KEY, until INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS quiet_until ON quiet (until);
    CREATE TABLE IF NOT EXISTS hook_secret (
        hook TEXT PRIMARY KEY, secrets TEXT NOT NULL
    ) WITHOUT ROWID;
";

impl SqlRows {
    pub(super) fn put_delivery(&self, row: &DeliveryRow) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO delivery (number, hook, notice_id, due, delivery) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (hook, notice_id) DO UPDATE SET due = excluded.due,
                delivery = excluded.delivery",
            vec![
                integer(row.number),
                row.hook.as_str().into(),
                row.delivery.notice_id.as_str().into(),
                row.delivery.next_at.as_deref().into(),
                json(row)?.into(),
            ],
        )
    }

    /// Deliveries that a statement finds.
    fn find_deliveries(
        &self,
        statement: &str,
        bindings: Vec<SqlStorageValue>,
    ) -> Result<Vec<DeliveryRow>, StoreError> {
        let rows = self.query(statement, bindings)?;
        rows.into_iter()
            .map(|mut row| parse(&text(&mut row)?))
            .collect()
    }

    pub(super) fn stop_deliveries(&self, hook: &str) -> Result<(), StoreError> {
        self.run(
            "UPDATE delivery SET due = NULL, delivery = json_set(delivery,
                    '$.delivery.state', 'failed', '$.delivery.next_at', NULL)
                 WHERE hook = ? AND due IS NOT NULL",
            vec![hook.into()],
        )
    }

    pub(super) fn trim_deliveries(&self, hook: &str, keep: u32) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM delivery WHERE hook = ?1 AND due IS NULL AND number <=
                    (SELECT number FROM delivery WHERE hook = ?1 AND due IS NULL
                     ORDER BY number DESC LIMIT 1 OFFSET ?2)",
            vec![hook.into(), integer(u64::from(keep))],
        )
    }

    /// What has ended meanwhile goes with it.
    pub(super) fn put_quiet(&self, name: &str, until: u64) -> Result<(), StoreError> {
        self.run("DELETE FROM quiet WHERE until <= ?", vec![integer(clock())])?;
        self.run(
            "INSERT INTO quiet (name, until) VALUES (?, ?)
                 ON CONFLICT (name) DO UPDATE SET until = excluded.until",
            vec![name.into(), integer(until)],
        )
    }

    pub(super) fn find_quiet(&self, name: &str) -> Result<u64, StoreError> {
        self.number("SELECT max(until) FROM quiet WHERE name = ?", name)
    }

    pub(super) fn count_waiting(&self, hook: &str) -> Result<u64, StoreError> {
        let count = "SELECT count(*) FROM delivery WHERE hook = ? AND due IS NOT NULL";
        self.number(count, hook)
    }

    /// The number that a statement finds for a name, 0 for none.
    fn number(&self, statement: &str, name: &str) -> Result<u64, StoreError> {
        let rows = self.query(statement, vec![name.into()])?;
        let mut row = rows.into_iter().next().unwrap_or_default();
        Ok(optional(&mut row).unwrap_or(0))
    }

    pub(super) fn trim_notices(&self, org: &str, upto: u64) -> Result<(), StoreError> {
        for statement in [
            "DELETE FROM delivery WHERE due IS NULL AND notice_id IN
                (SELECT notice ->> 'id' FROM notice WHERE org = ? AND seq <= ?)",
            "DELETE FROM notice WHERE org = ? AND seq <= ? AND NOT EXISTS
                (SELECT 1 FROM delivery WHERE notice_id = notice.notice ->> 'id')",
        ] {
            self.run(statement, vec![org.into(), integer(upto)])?;
        }
        Ok(())
    }

    pub(super) fn put_secrets(&self, hook: &str, secrets: &HookSecrets) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO hook_secret (hook, secrets) VALUES (?, ?)
                 ON CONFLICT (hook) DO UPDATE SET secrets = excluded.secrets",
            vec![hook.into(), json(secrets)?.into()],
        )
    }

    pub(super) fn find_last_delivery(&self) -> Result<u64, StoreError> {
        let rows = self.query("SELECT coalesce(max(number), 0) FROM delivery", vec![])?;
        let mut row = rows.into_iter().next().unwrap_or_default();
        Ok(optional(&mut row).unwrap_or(0))
    }

    pub(super) fn find_waiting_hooks(&self) -> Result<Vec<String>, StoreError> {
        let rows = self.query(
            "SELECT DISTINCT hook FROM delivery WHERE due IS NOT NULL",
            vec![],
        )?;
        rows.into_iter().map(|mut row| text(&mut row)).collect()
    }

    pub(super) fn find_pending(
        &self,
        hook: &str,
        limit: u32,
    ) -> Result<Vec<DeliveryRow>, StoreError> {
        self.find_deliveries(
            "SELECT delivery FROM delivery WHERE hook = ? AND due IS NOT NULL
             ORDER BY due, number LIMIT ?",
            vec![hook.into(), integer(u64::from(limit))],
        )
    }

    pub(super) fn find_delivery(
        &self,
        hook: &str,
        notice_id: &str,
    ) -> Result<Option<DeliveryRow>, StoreError> {
        let found = self.find_deliveries(
            "SELECT delivery FROM delivery WHERE hook = ? AND notice_id = ?",
            vec![hook.into(), notice_id.into()],
        )?;
        Ok(found.into_iter().next())
    }

    pub(super) fn find_log(
        &self,
        hook: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<DeliveryRow>, StoreError> {
        self.find_deliveries(
            "SELECT delivery FROM delivery WHERE hook = ?1 AND (?2 IS NULL OR number < ?2)
             ORDER BY number DESC LIMIT ?3",
            vec![hook.into(), maybe(before), integer(u64::from(limit))],
        )
    }

    pub(super) fn find_secrets(&self, hook: &str) -> Result<Option<HookSecrets>, StoreError> {
        let rows = self.query(
            "SELECT secrets FROM hook_secret WHERE hook = ?",
            vec![hook.into()],
        )?;
        let first = rows.into_iter().next();
        first.map(|mut row| parse(&text(&mut row)?)).transpose()
    }
}

//! Deliveries to webhooks, the cooldowns of handlers, and the secrets of webhooks.

use super::{DeliveryRow, Rows};
use crate::registry::deliveries::secret::HookSecrets;
use crate::registry::sql::json;
use gatewright_protocol::error::StoreError;

/// `due` is when a delivery is next tried, and is null once it has finished. `quiet` says until when (Unix
/// milliseconds) a handler is not sent the same event again.
pub(super) const SCHEMA: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS delivery (
        number INTEGER PRIMARY KEY, hook TEXT NOT NULL, notice_id TEXT NOT NULL, due TEXT,
        delivery TEXT NOT NULL
    )",
    "CREATE UNIQUE INDEX IF NOT EXISTS delivery_notice ON delivery (hook, notice_id)",
    "CREATE INDEX IF NOT EXISTS delivery_log ON delivery (hook, number)",
    "CREATE INDEX IF NOT EXISTS delivery_due ON delivery (hook, due, number) WHERE due IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS delivery_of ON delivery (notice_id)",
    "CREATE TABLE IF NOT EXISTS quiet (
        name TEXT PRIMARY KEY, until INTEGER NOT NULL
    ) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS quiet_until ON quiet (until)",
    "CREATE TABLE IF NOT EXISTS hook_secret (
        hook TEXT PRIMARY KEY, secrets TEXT NOT NULL
    ) WITHOUT ROWID",
];

impl Rows {
    /// Returns the number of the newest delivery, 0 for none.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn last_delivery(&self) -> Result<u64, StoreError> {
        self.count("SELECT max(number) FROM delivery", &[])
    }

    /// Returns the webhooks with pending deliveries.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn waiting_hooks(&self) -> Result<Vec<String>, StoreError> {
        // Steps from one webhook to the next, without reading all that is pending for each.
        let statement = "WITH RECURSIVE known (hook) AS (
                SELECT min(hook) FROM delivery WHERE due IS NOT NULL
                UNION ALL SELECT (SELECT min(hook) FROM delivery
                    WHERE due IS NOT NULL AND hook > known.hook) FROM known
                WHERE known.hook IS NOT NULL)
             SELECT hook FROM known WHERE hook IS NOT NULL";
        self.all(statement, &[], |mut row| row.text())
    }

    /// Returns pending deliveries to a webhook, earliest first.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn pending(&self, hook: &str, limit: u32) -> Result<Vec<DeliveryRow>, StoreError> {
        self.all(
            "SELECT delivery FROM delivery WHERE hook = ? AND due IS NOT NULL
             ORDER BY due, number LIMIT ?",
            &[hook.into(), limit.into()],
            |mut row| row.json(),
        )
    }

    /// Returns a delivery.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn delivery(&self, hook: &str, notice_id: &str) -> Result<Option<DeliveryRow>, StoreError> {
        self.first(
            "SELECT delivery FROM delivery WHERE hook = ? AND notice_id = ?",
            &[hook.into(), notice_id.into()],
            |mut row| row.json(),
        )
    }

    /// Returns deliveries to a webhook with numbers below `before`, newest first.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn deliveries(
        &self,
        hook: &str,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<DeliveryRow>, StoreError> {
        self.all(
            "SELECT delivery FROM delivery WHERE hook = ? AND number < ?
             ORDER BY number DESC LIMIT ?",
            &[hook.into(), before.unwrap_or(u64::MAX).into(), limit.into()],
            |mut row| row.json(),
        )
    }

    /// Counts the pending deliveries to a webhook.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn waiting(&self, hook: &str) -> Result<u64, StoreError> {
        let statement = "SELECT count(*) FROM delivery WHERE hook = ? AND due IS NOT NULL";
        self.count(statement, &[hook.into()])
    }

    /// Counts the pending deliveries of one kind of event to a webhook.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn waiting_of(&self, hook: &str, kind: &str) -> Result<u64, StoreError> {
        let statement = "SELECT count(*) FROM delivery WHERE hook = ? AND due IS NOT NULL
            AND delivery ->> '$.delivery.type' = ?";
        self.count(statement, &[hook.into(), kind.into()])
    }

    /// Returns until when a handler is not sent the same event again, in Unix milliseconds; 0 if it has no cooldown.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn quiet(&self, name: &str) -> Result<u64, StoreError> {
        self.count("SELECT until FROM quiet WHERE name = ?", &[name.into()])
    }

    /// Returns the secrets of a webhook.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn secrets(&self, hook: &str) -> Result<Option<HookSecrets>, StoreError> {
        let statement = "SELECT secrets FROM hook_secret WHERE hook = ?";
        self.first(statement, &[hook.into()], |mut row| row.json())
    }

    pub(super) fn put_delivery(&self, row: &DeliveryRow) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO delivery (number, hook, notice_id, due, delivery) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (hook, notice_id) DO UPDATE SET due = excluded.due,
                delivery = excluded.delivery",
            &[
                row.number.into(),
                row.hook.as_str().into(),
                row.delivery.notice_id.as_str().into(),
                row.delivery.next_at.as_deref().into(),
                json(row)?,
            ],
        )
    }

    pub(super) fn stop_deliveries(&self, hook: &str) -> Result<(), StoreError> {
        self.run(
            "UPDATE delivery SET due = NULL, delivery = json_set(delivery,
                '$.delivery.state', 'failed', '$.delivery.next_at', NULL)
             WHERE hook = ? AND due IS NOT NULL",
            &[hook.into()],
        )
    }

    pub(super) fn trim_deliveries(&self, hook: &str, keep: u32) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM delivery WHERE hook = ?1 AND due IS NULL AND number <=
                (SELECT number FROM delivery WHERE hook = ?1 AND due IS NULL
                 ORDER BY number DESC LIMIT 1 OFFSET ?2)",
            &[hook.into(), keep.into()],
        )
    }

    pub(super) fn put_quiet(&self, name: &str, until: u64, now: u64) -> Result<(), StoreError> {
        self.run("DELETE FROM quiet WHERE until <= ?", &[now.into()])?;
        self.run(
            "INSERT INTO quiet (name, until) VALUES (?, ?)
             ON CONFLICT (name) DO UPDATE SET until = excluded.until",
            &[name.into(), until.into()],
        )
    }

    pub(super) fn put_secrets(&self, hook: &str, secrets: &HookSecrets) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO hook_secret (hook, secrets) VALUES (?, ?)
             ON CONFLICT (hook) DO UPDATE SET secrets = excluded.secrets",
            &[hook.into(), json(secrets)?],
        )
    }
}

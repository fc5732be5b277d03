//! Notifications and the audit trail in SQLite.

use super::{SqlRows, integer, json, maybe, number, optional, parse, text};
use gatewright_api::dashboard::shape::{AuditEntry, Notice};
use gatewright_controlplane::registry::rows::Kinds;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::AuditFilter;

impl SqlRows {
    pub(super) fn put_audit(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO audit (seq, at, org, actor, action, subject, id, name, before, after)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            vec![
                integer(entry.seq),
                entry.at.as_str().into(),
                entry.org_id.as_str().into(),
                entry.actor.as_str().into(),
                json(&entry.action)?.into(),
                json(&entry.subject)?.into(),
                entry.id.as_str().into(),
                entry.name.as_str().into(),
                maybe(entry.before),
                maybe(entry.after),
            ],
        )
    }

    pub(super) fn find_last_notices(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let rows = self.query("SELECT org, max(seq) FROM notice GROUP BY org", vec![])?;
        rows.into_iter()
            .map(|mut row| Ok((text(&mut row)?, number(&mut row)?)))
            .collect()
    }

    pub(super) fn find_notices(
        &self,
        org: &str,
        kinds: Kinds<'_>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Notice>, StoreError> {
        let (kind, is) = match kinds {
            Kinds::All => (None, 0),
            Kinds::Only(kind) => (Some(kind), 1),
            Kinds::AllBut(kind) => (Some(kind), 0),
        };
        let rows = self.query(
            "SELECT notice FROM notice
             WHERE org = ?1 AND seq > ?2 AND (?3 IS NULL OR (notice ->> 'type' = ?3) = ?4)
             ORDER BY seq LIMIT ?5",
            vec![
                org.into(),
                integer(after),
                kind.into(),
                integer(is),
                integer(u64::from(limit)),
            ],
        )?;
        rows.into_iter()
            .map(|mut row| parse(&text(&mut row)?))
            .collect()
    }

    pub(super) fn find_last_audit(&self) -> Result<u64, StoreError> {
        let rows = self.query("SELECT coalesce(max(seq), 0) FROM audit", vec![])?;
        let mut row = rows.into_iter().next().unwrap_or_default();
        Ok(optional(&mut row).unwrap_or(0))
    }

    pub(super) fn find_audit(&self, filter: &AuditFilter) -> Result<Vec<AuditEntry>, StoreError> {
        let subjects = filter
            .subjects
            .iter()
            .map(json)
            .collect::<Result<Vec<_>, _>>()?;
        let action = filter.action.as_ref().map(json).transpose()?;
        let rows = self.query(
            "SELECT seq, at, org, actor, action, subject, id, name, before, after FROM audit
             WHERE (?1 IS NULL OR org = ?1) AND (?2 IS NULL OR actor = ?2)
               AND (?3 IS NULL OR id = ?3) AND (?4 IS NULL OR action = ?4)
               AND (?5 = '[]' OR subject IN (SELECT value FROM json_each(?5)))
               AND (?6 IS NULL OR at >= ?6) AND (?7 IS NULL OR at < ?7)
               AND (?8 IS NULL OR seq < ?8)
             ORDER BY seq DESC LIMIT ?9",
            vec![
                filter.org.as_deref().into(),
                filter.actor.as_deref().into(),
                filter.id.as_deref().into(),
                action.as_deref().into(),
                json(&subjects)?.into(),
                filter.from.as_deref().into(),
                filter.to.as_deref().into(),
                maybe(filter.before),
                integer(u64::from(filter.limit)),
            ],
        )?;
        rows.into_iter()
            .map(|mut row| {
                Ok(AuditEntry {
                    seq: number(&mut row)?,
                    at: text(&mut row)?,
                    org_id: text(&mut row)?,
                    actor: text(&mut row)?,
                    action: parse(&text(&mut row)?)?,
                    subject: parse(&text(&mut row)?)?,
                    id: text(&mut row)?,
                    name: text(&mut row)?,
                    before: optional(&mut row),
                    after: optional(&mut row),
                })
            })
            .collect()
    }
}

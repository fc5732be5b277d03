//! The tables of sessions: one row a key, what it says beside its text, and marks to find it by.

use super::{SqlRows, integer, json, number, parse, text};
use gatewright_api::session::KeyState;
use gatewright_engine::error::StoreError;
use gatewright_engine::registry::sessions::{Owner, SessionQuery, SessionRow, SessionSort};
use worker::SqlStorageValue;

/// `sought` is the alias and the tags in lower case; a list reads no text, so the texts stand apart.
pub(super) const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS session (
        owner TEXT NOT NULL, id TEXT NOT NULL, org TEXT NOT NULL, sought TEXT NOT NULL,
        expires INTEGER NOT NULL, inactive INTEGER NOT NULL, revision INTEGER NOT NULL,
        reset INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
        facts TEXT NOT NULL, PRIMARY KEY (owner, id)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS session_updated ON session (owner, updated_at, id);
    CREATE INDEX IF NOT EXISTS session_created ON session (owner, created_at, id);
    CREATE INDEX IF NOT EXISTS session_sought ON session (owner, sought, id);
    CREATE TABLE IF NOT EXISTS session_text (
        owner TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (owner, id)
    );
    CREATE TABLE IF NOT EXISTS session_mark (
        owner TEXT NOT NULL, mark TEXT NOT NULL, value TEXT NOT NULL, id TEXT NOT NULL,
        PRIMARY KEY (owner, mark, value, id)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS session_marked ON session_mark (owner, id);
";

const COLUMNS: &str = "id, revision, reset, created_at, updated_at, facts";

/// What chooses sessions; the bindings are those of [`bindings`].
const CHOSEN: &str = "
    FROM session WHERE owner = ?1
      AND (?2 = '' OR org = ?2 OR substr(id, 1, length(?2)) = ?2)
      AND (?3 = '' OR instr(sought, ?3) > 0 OR instr(id, ?3) > 0)
      AND (?4 IS NULL OR id IN
            (SELECT id FROM session_mark WHERE owner = ?1 AND mark = 'api' AND value = ?4))
      AND (?5 IS NULL OR id IN
            (SELECT id FROM session_mark WHERE owner = ?1 AND mark = 'policy' AND value = ?5))
      AND (?6 IS NULL OR id IN
            (SELECT id FROM session_mark WHERE owner = ?1 AND mark = 'tag' AND value = ?6))
      AND CASE ?7
            WHEN 'inactive' THEN inactive = 1
            WHEN 'expired' THEN inactive = 0 AND expires > 0 AND expires <= ?8
            WHEN 'active' THEN inactive = 0 AND (expires = 0 OR expires > ?8)
            ELSE 1 END";

fn bindings(owner: Owner, query: &SessionQuery) -> Vec<SqlStorageValue> {
    let state = match query.state {
        None => "",
        Some(KeyState::Active) => "active",
        Some(KeyState::Inactive) => "inactive",
        Some(KeyState::Expired) => "expired",
    };
    vec![
        owner.word().into(),
        query.filter.as_str().into(),
        query.search.trim().to_lowercase().into(),
        query.api.as_deref().into(),
        query.policy.as_deref().into(),
        query.tag.as_deref().into(),
        state.into(),
        integer(query.now),
    ]
}

impl SqlRows {
    pub(super) fn find_session(
        &self,
        owner: Owner,
        id: &str,
    ) -> Result<Option<(SessionRow, String)>, StoreError> {
        let statement = format!(
            "SELECT {COLUMNS}, (SELECT text FROM session_text t WHERE t.owner = ?1 AND t.id = ?2)
             FROM session WHERE owner = ?1 AND id = ?2"
        );
        let rows = self.query(&statement, vec![owner.word().into(), id.into()])?;
        let Some(mut found) = rows.into_iter().next() else {
            return Ok(None);
        };
        let row = read(owner, &mut found)?;
        Ok(Some((row, text(&mut found)?)))
    }

    pub(super) fn find_sessions(
        &self,
        owner: Owner,
        query: &SessionQuery,
    ) -> Result<(Vec<SessionRow>, u32), StoreError> {
        let count = format!("SELECT count(*) {CHOSEN}");
        let counted = self.query(&count, bindings(owner, query))?;
        let total = match counted.into_iter().next() {
            Some(mut row) => number(&mut row)?,
            None => 0,
        };
        let column = match query.sort {
            SessionSort::Alias => "sought",
            SessionSort::CreatedAt => "created_at",
            SessionSort::UpdatedAt => "updated_at",
            SessionSort::Expires => "expires",
        };
        let order = if query.descending { "DESC" } else { "ASC" };
        let statement = format!(
            "SELECT {COLUMNS} {CHOSEN} ORDER BY {column} {order}, id {order} LIMIT ?9 OFFSET ?10"
        );
        let (limit, offset) = match query.page {
            None => (-1, 0),
            Some(page) => {
                let limit = i64::from(query.per_page.max(1));
                (
                    limit,
                    i64::from(page.saturating_sub(1)).saturating_mul(limit),
                )
            }
        };
        let mut bound = bindings(owner, query);
        bound.push(SqlStorageValue::Integer(limit));
        bound.push(SqlStorageValue::Integer(offset));
        let rows = self.query(&statement, bound)?;
        let rows: Result<Vec<_>, _> = rows
            .into_iter()
            .map(|mut row| read(owner, &mut row))
            .collect();
        Ok((rows?, u32::try_from(total).unwrap_or(u32::MAX)))
    }

    pub(super) fn put_session(&self, row: &SessionRow, text: &str) -> Result<(), StoreError> {
        let (owner, facts) = (row.owner.word(), &row.facts);
        let mut sought = facts.alias.to_lowercase();
        for tag in &facts.tags {
            sought.push('\n');
            sought.push_str(&tag.to_lowercase());
        }
        self.run(
            "INSERT OR REPLACE INTO session (owner, id, org, sought, expires, inactive, revision,
                reset, created_at, updated_at, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            vec![
                owner.into(),
                row.id.as_str().into(),
                facts.org_id.as_str().into(),
                sought.into(),
                SqlStorageValue::Integer(facts.expires),
                integer(u64::from(facts.inactive)),
                integer(row.revision),
                integer(row.reset),
                row.created_at.as_str().into(),
                row.updated_at.as_str().into(),
                json(facts)?.into(),
            ],
        )?;
        self.run(
            "INSERT OR REPLACE INTO session_text (owner, id, text) VALUES (?, ?, ?)",
            vec![owner.into(), row.id.as_str().into(), text.into()],
        )?;
        self.unmark(row.owner, &row.id)?;
        let marks = [
            ("api", &facts.apis),
            ("policy", &facts.policies),
            ("tag", &facts.tags),
        ];
        for (mark, values) in marks {
            for value in values {
                self.run(
                    "INSERT OR IGNORE INTO session_mark (owner, mark, value, id) VALUES (?, ?, ?, ?)",
                    vec![
                        owner.into(),
                        mark.into(),
                        value.as_str().into(),
                        row.id.as_str().into(),
                    ],
                )?;
            }
        }
        Ok(())
    }

    pub(super) fn remove_session(&self, owner: Owner, id: &str) -> Result<(), StoreError> {
        for table in ["session", "session_text"] {
            self.run(
                &format!("DELETE FROM {table} WHERE owner = ? AND id = ?"),
                vec![owner.word().into(), id.into()],
            )?;
        }
        self.unmark(owner, id)
    }

    fn unmark(&self, owner: Owner, id: &str) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM session_mark WHERE owner = ? AND id = ?",
            vec![owner.word().into(), id.into()],
        )
    }
}

fn read(owner: Owner, row: &mut super::Row) -> Result<SessionRow, StoreError> {
    Ok(SessionRow {
        owner,
        id: text(row)?,
        revision: number(row)?,
        reset: number(row)?,
        created_at: text(row)?,
        updated_at: text(row)?,
        facts: parse(&text(row)?)?,
    })
}

//! The tables of sessions: one row a key, what it says beside its text, and marks to find it by.

use super::{SqlRows, integer, json, number, parse, text};
use gatewright_api::session::KeyState;
use gatewright_controlplane::registry::sessions::SessionRow;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::sessions::{Owner, SessionQuery, SessionSort};
use worker::SqlStorageValue;

/// `sought` is the alias and the tags in lower case; a list reads no text, so the texts stand apart. When a
/// row ends is one of its facts, with an index over those that do.
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
    CREATE INDEX IF NOT EXISTS session_org ON session (owner, org, id);
    CREATE INDEX IF NOT EXISTS session_ends ON session (owner, facts ->> 'ends')
        WHERE facts ->> 'ends' > 0;
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

/// A condition with the values of its parameters.
type Condition = (&'static str, Vec<SqlStorageValue>);

/// What chooses sessions, and its bindings. A condition that says nothing is left out, so that indices
/// answer what they can.
fn chosen(owner: Owner, query: &SessionQuery) -> (String, Vec<SqlStorageValue>) {
    let search = query.search.trim().to_lowercase();
    let given = |text: &str| (!text.is_empty()).then(|| SqlStorageValue::from(text));
    let conditions = [
        given(&query.filter).map(|filter| {
            let filters = vec![filter.clone(), filter.clone(), filter];
            // What begins with a text lies between it and it with the last of all characters.
            let condition = "org = ? OR (id >= ? AND id < ? || char(1114111))";
            (condition, filters)
        }),
        given(&search).map(|search| {
            let condition = "instr(sought, ?) > 0 OR instr(id, ?) > 0";
            (condition, vec![search.clone(), search])
        }),
        marked(owner, "api", query.api.as_deref()),
        marked(owner, "policy", query.policy.as_deref()),
        marked(owner, "tag", query.tag.as_deref()),
        json(&query.ids)
            .ok()
            .filter(|_| !query.ids.is_empty())
            .map(|ids| ("id IN (SELECT value FROM json_each(?))", vec![ids.into()])),
        query.state.map(|state| in_state(state, query.now)),
    ];
    // The few that are over and not deleted yet are none.
    let mut statement = "FROM session WHERE owner = ?1 AND id NOT IN (SELECT id FROM session
        WHERE owner = ?1 AND facts ->> 'ends' > 0 AND facts ->> 'ends' <= ?2)"
        .to_owned();
    let mut bound = vec![owner.word().into(), integer(query.now)];
    for (condition, values) in conditions.into_iter().flatten() {
        statement.push_str(&format!(" AND ({condition})"));
        bound.extend(values);
    }
    (statement, bound)
}

fn marked(owner: Owner, mark: &str, value: Option<&str>) -> Option<Condition> {
    let condition =
        "id IN (SELECT id FROM session_mark WHERE owner = ? AND mark = ? AND value = ?)";
    Some((
        condition,
        vec![owner.word().into(), mark.into(), value?.into()],
    ))
}

fn in_state(state: KeyState, now: u64) -> Condition {
    match state {
        KeyState::Inactive => ("inactive = 1", Vec::new()),
        KeyState::Expired => (
            "inactive = 0 AND expires > 0 AND expires <= ?",
            vec![integer(now / 1000)],
        ),
        KeyState::Active => (
            "inactive = 0 AND (expires = 0 OR expires > ?)",
            vec![integer(now / 1000)],
        ),
    }
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
        let (chosen, mut bound) = chosen(owner, query);
        let counted = self.query(&format!("SELECT count(*) {chosen}"), bound.clone())?;
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
        // The rows themselves are read for one page only.
        let sorted = format!("ORDER BY {column} {order}, id {order}");
        let statement = format!(
            "SELECT {COLUMNS} FROM session WHERE id IN (SELECT id {chosen} {sorted} LIMIT ? OFFSET ?)
             AND owner = ? {sorted}"
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
        bound.push(SqlStorageValue::Integer(limit));
        bound.push(SqlStorageValue::Integer(offset));
        bound.push(owner.word().into());
        let rows = self.query(&statement, bound)?;
        let rows: Result<Vec<_>, _> = rows
            .into_iter()
            .map(|mut row| read(owner, &mut row))
            .collect();
        Ok((rows?, u32::try_from(total).unwrap_or(u32::MAX)))
    }

    pub(super) fn find_ending(
        &self,
        until: u64,
        limit: u32,
    ) -> Result<Vec<SessionRow>, StoreError> {
        let statement = format!(
            "SELECT {COLUMNS} FROM session WHERE owner = ? AND facts ->> 'ends' > 0
                AND facts ->> 'ends' <= ? ORDER BY facts ->> 'ends' LIMIT ?"
        );
        let bound = vec![
            Owner::Key.word().into(),
            integer(until),
            integer(u64::from(limit)),
        ];
        let rows = self.query(&statement, bound)?.into_iter();
        rows.map(|mut row| read(Owner::Key, &mut row)).collect()
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

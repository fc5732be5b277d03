//! The index of sessions: one row per key with its facts, and marks by which it is found. Its text is in `handover.rs`.

use super::Rows;
use crate::registry::handover::Origin;
use crate::registry::sessions::{SessionFacts, SessionRow};
use crate::registry::sql::{Row, Value, json};
use gatewright_api::session::KeyState;
use gatewright_model::order;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::sessions::{Owner, SessionQuery, SessionSort};
use std::collections::{BTreeMap, BTreeSet};

/// `sought` is the alias and the tags in lower case; lists read no texts, so these are in a table of their own. `ends`
/// is one of the facts, with an index over the rows that have it.
pub(super) const SCHEMA: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS session (
        owner TEXT NOT NULL, id TEXT NOT NULL, org TEXT NOT NULL, sought TEXT NOT NULL,
        expires INTEGER NOT NULL, inactive INTEGER NOT NULL, revision INTEGER NOT NULL,
        reset INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
        facts TEXT NOT NULL, PRIMARY KEY (owner, id)
    ) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS session_updated ON session (owner, updated_at, id)",
    "CREATE INDEX IF NOT EXISTS session_created ON session (owner, created_at, id)",
    "CREATE INDEX IF NOT EXISTS session_sought ON session (owner, sought, id)",
    "CREATE INDEX IF NOT EXISTS session_org ON session (owner, org, id)",
    "CREATE INDEX IF NOT EXISTS session_ends ON session (owner, facts ->> 'ends')
        WHERE facts ->> 'ends' > 0",
    "CREATE TABLE IF NOT EXISTS session_text (
        owner TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (owner, id)
    )",
    "CREATE TABLE IF NOT EXISTS session_mark (
        owner TEXT NOT NULL, mark TEXT NOT NULL, value TEXT NOT NULL, id TEXT NOT NULL,
        PRIMARY KEY (owner, mark, value, id)
    ) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS session_marked ON session_mark (owner, id)",
];

/// Indexes in which new keys are next to each other, so that a commit writes few pages: what many keys have in common is
/// followed by when they were created, not by their ids, which are hashes. Marks need no index by id: a row's facts name
/// them.
pub(super) const ORDERED: &[&str] = &[
    "DROP INDEX session_marked",
    "DROP INDEX session_sought",
    "CREATE INDEX session_sought ON session (owner, sought, created_at, id)",
    "DROP INDEX session_org",
    "CREATE INDEX session_org ON session (owner, org, created_at, id)",
];

/// Marks in the same order, for the same reason. The facts name them all.
pub(super) const MARKED: &[&str] = &[
    "DROP TABLE session_mark",
    "CREATE TABLE session_mark (
        owner TEXT NOT NULL, mark TEXT NOT NULL, value TEXT NOT NULL, id TEXT NOT NULL,
        created_at TEXT NOT NULL DEFAULT '', PRIMARY KEY (owner, mark, value, created_at, id)
    ) WITHOUT ROWID",
    "INSERT OR IGNORE INTO session_mark (owner, mark, value, created_at, id)
        SELECT session.owner, list.column1, named.value, session.created_at, session.id FROM session
        CROSS JOIN (VALUES ('api', '$.apis'), ('policy', '$.policies'), ('tag', '$.tags'),
            ('certificate', '$.certificates')) list
        CROSS JOIN json_each(session.facts, list.column2) named",
];

/// What marks a session, the member of its facts with the values, and these.
type Marks = (&'static str, &'static str, fn(&SessionFacts) -> &[String]);
const MARKS: [Marks; 4] = [
    ("api", "apis", |facts| &facts.apis),
    ("policy", "policies", |facts| &facts.policies),
    ("tag", "tags", |facts| &facts.tags),
    ("certificate", "certificates", |facts| &facts.certificates),
];

/// The number of marks per statement: each has five values, and a statement takes a hundred.
const MARKS_AT_ONCE: usize = 20;

pub(super) const COLUMNS: &str = "id, revision, reset, created_at, updated_at, facts";

/// The number of rows that are sorted rather than read in the order of an index: sorting them takes about 50 ms.
const FEW: u64 = 50_000;

/// A condition with the values of its parameters.
type Condition = (&'static str, Vec<Value>);

/// The part of a statement that selects sessions, with the values of its parameters.
struct Chosen {
    statement: String,
    bound: Vec<Value>,
    /// Whether it selects some sessions rather than all.
    is_narrowed: bool,
    /// Whether it selects those of an organisation, and nothing else narrows it.
    is_org: bool,
}

/// What the filter of a query selects: everything, an organisation, or also the ids that start with it.
enum Filter {
    All,
    Org,
    OrgOrPrefix,
}

/// Builds the part of a statement that selects sessions.
fn chosen(owner: Owner, query: &SessionQuery, filter: &Filter) -> Result<Chosen, StoreError> {
    let search = query.search.trim().to_lowercase();
    let given = |text: &str| (!text.is_empty()).then(|| Value::from(text));
    let ids = match query.ids.is_empty() {
        true => None,
        false => Some(json(&query.ids)?),
    };
    let word = || owner.word().into();
    let named = || query.filter.as_str().into();
    let conditions = [
        match filter {
            Filter::All => None,
            Filter::Org => Some(("org = ?", vec![named()])),
            // Either half of the union has an index of its own.
            Filter::OrgOrPrefix => Some((
                "id IN (SELECT id FROM session WHERE owner = ? AND org = ?
                UNION ALL SELECT id FROM session WHERE owner = ? AND id >= ? AND id < ? || char(1114111))",
                vec![word(), named(), word(), named(), named()],
            )),
        },
        given(&search).map(|search| {
            let condition = "instr(sought, ?) > 0 OR instr(id, ?) > 0";
            (condition, vec![search.clone(), search])
        }),
        query
            .api
            .as_deref()
            .map(|api| opens(owner, api, &query.policies_of_api))
            .transpose()?,
        marked(owner, "policy", query.policy.as_deref()),
        marked(owner, "tag", query.tag.as_deref()),
        marked(owner, "certificate", query.certificate.as_deref()),
        ids.map(|ids| ("id IN (SELECT value FROM json_each(?))", vec![ids])),
        query.state.map(|state| in_state(state, query.now)),
    ];
    // The few that are over but not deleted yet do not count.
    let mut statement = "FROM session WHERE owner = ?1 AND id NOT IN (SELECT id FROM session
        WHERE owner = ?1 AND facts ->> 'ends' > 0 AND facts ->> 'ends' <= ?2)"
        .to_owned();
    let mut bound = vec![owner.word().into(), query.now.into()];
    let narrowing = conditions.iter().flatten().count();
    for (condition, values) in conditions.into_iter().flatten() {
        statement.push_str(&format!(" AND ({condition})"));
        bound.extend(values);
    }
    Ok(Chosen {
        statement,
        bound,
        is_narrowed: narrowing > 0,
        is_org: narrowing == 1 && matches!(filter, Filter::Org),
    })
}

/// Selects sessions with access to an API, by rights of their own or by one of these policies.
fn opens(owner: Owner, api: &str, policies: &[String]) -> Result<Condition, StoreError> {
    let condition =
        "id IN (SELECT id FROM session_mark WHERE owner = ? AND mark = 'api' AND value = ?
            UNION ALL SELECT id FROM session_mark WHERE owner = ? AND mark = 'policy'
            AND value IN (SELECT value FROM json_each(?)))";
    let word = || owner.word().into();
    Ok((condition, vec![word(), api.into(), word(), json(policies)?]))
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
            vec![(now / 1000).into()],
        ),
        KeyState::Active => (
            "inactive = 0 AND (expires = 0 OR expires > ?)",
            vec![(now / 1000).into()],
        ),
    }
}

impl Rows {
    /// Builds the part of a statement that selects sessions. A condition that selects everything, and half of a filter
    /// that selects nothing, are left out, so that indexes are used where possible.
    fn chosen(&self, owner: Owner, query: &SessionQuery) -> Result<Chosen, StoreError> {
        let filter = query.filter.as_str();
        if filter.is_empty() {
            return chosen(owner, query, &Filter::All);
        }
        // Texts that start with a prefix lie between the prefix and the prefix followed by the last of all characters.
        let found = "SELECT CASE
            WHEN NOT EXISTS (SELECT 1 FROM session WHERE owner = ?1 AND org < ?2)
                AND NOT EXISTS (SELECT 1 FROM session WHERE owner = ?1 AND org > ?2) THEN 0
            WHEN EXISTS (SELECT 1 FROM session WHERE owner = ?1 AND id >= ?2 AND id < ?2 || char(1114111))
                THEN 2 ELSE 1 END";
        let filter = match self.count(found, &[owner.word().into(), filter.into()])? {
            0 => Filter::All,
            1 => Filter::Org,
            _ => Filter::OrgOrPrefix,
        };
        chosen(owner, query, &filter)
    }

    /// Returns a page of sessions, and how many there are on all pages.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn sessions(
        &self,
        owner: Owner,
        query: &SessionQuery,
    ) -> Result<(Vec<SessionRow>, u32), StoreError> {
        let Chosen {
            statement: mut chosen,
            mut bound,
            is_narrowed,
            is_org,
        } = self.chosen(owner, query)?;
        let total = self.count(&format!("SELECT count(*) {chosen}"), &bound)?;
        let columns = match query.sort {
            SessionSort::Alias => &["sought", "created_at", "id"][..],
            SessionSort::CreatedAt => &["created_at", "id"],
            SessionSort::UpdatedAt => &["updated_at", "id"],
            SessionSort::Expires => &["expires", "id"],
        };
        let direction = if query.descending { "DESC" } else { "ASC" };
        let order = |plus: &str| {
            let columns = columns.iter();
            let columns = columns.map(|column| format!("{plus}{column} {direction}"));
            columns.collect::<Vec<_>>().join(", ")
        };
        // Few rows are selected first and then sorted. Among many, the first of a page are found sooner in the order of
        // an index, which for few may read every row. The plus sign keeps SQLite from using that index.
        let plus = if total <= FEW && is_narrowed { "+" } else { "" };
        if is_org && !plus.is_empty() {
            // Without statistics, SQLite reads the keys of all organisations.
            chosen = chosen.replacen("session", "session INDEXED BY session_org", 1);
        }
        // The rows themselves are read only for one page.
        let statement = format!(
            "SELECT {COLUMNS} FROM session WHERE id IN (SELECT id {chosen}
                ORDER BY {} LIMIT ? OFFSET ?) AND owner = ? ORDER BY {}",
            order(plus),
            order("+")
        );
        let (limit, offset) = page(query);
        bound.extend([limit.into(), offset.into(), owner.word().into()]);
        let rows = self.all(&statement, &bound, |mut row| read(owner, &mut row))?;
        Ok((rows, u32::try_from(total).unwrap_or(u32::MAX)))
    }

    /// Counts the keys of an organisation that have each of these policies; one that no key has is left out. `now` is in
    /// Unix milliseconds.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn keys_with_policies(
        &self,
        org: &str,
        policies: &BTreeSet<&str>,
        now: u64,
    ) -> Result<BTreeMap<String, u32>, StoreError> {
        let counts = self.all(
            "SELECT m.value, count(*) FROM json_each(?2)
             CROSS JOIN session_mark m
                ON m.owner = ?1 AND m.mark = 'policy' AND m.value = json_each.value
             CROSS JOIN session s ON s.owner = ?1 AND s.id = m.id
             WHERE s.org = ?3 AND NOT coalesce(s.facts ->> 'ends', 0) BETWEEN 1 AND ?4
             GROUP BY m.value",
            &[
                Owner::Key.word().into(),
                json(policies)?,
                org.into(),
                now.into(),
            ],
            |mut row| Ok((row.text()?, row.number()?)),
        )?;
        let counts = counts.into_iter();
        Ok(order::map(counts.map(|(policy, count)| {
            (policy, u32::try_from(count).unwrap_or(u32::MAX))
        })))
    }

    /// Returns the ids after one, in order, at most `limit`.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn session_ids(
        &self,
        owner: Owner,
        query: &SessionQuery,
        behind: &str,
        limit: u32,
    ) -> Result<Vec<String>, StoreError> {
        let Chosen {
            statement: chosen,
            mut bound,
            ..
        } = self.chosen(owner, query)?;
        let statement = format!("SELECT id {chosen} AND id > ? ORDER BY id LIMIT ?");
        bound.extend([behind.into(), limit.into()]);
        self.all(&statement, &bound, |mut row| row.text())
    }

    /// Returns sessions of keys whose records end at a time (Unix milliseconds) or before, earliest first.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn ending(&self, until: u64, limit: u32) -> Result<Vec<SessionRow>, StoreError> {
        let statement = format!(
            "SELECT {COLUMNS} FROM session WHERE owner = ? AND facts ->> 'ends' > 0
                AND facts ->> 'ends' <= ? ORDER BY facts ->> 'ends' LIMIT ?"
        );
        self.all(
            &statement,
            &[Owner::Key.word().into(), until.into(), limit.into()],
            |mut row| read(Owner::Key, &mut row),
        )
    }

    /// Stores a session. An existing row's index entries and marks are replaced along with it. SQLite writes the pages
    /// of a statement that may replace a row twice, so a new one is inserted with a plain `INSERT`.
    pub(super) fn put_session(
        &self,
        row: &SessionRow,
        text: &str,
        is_new: bool,
        origin: Origin<'_>,
    ) -> Result<(), StoreError> {
        if !is_new {
            self.unmark(row.owner, &row.id)?;
        }
        let (owner, facts) = (row.owner.word(), &row.facts);
        let verb = verb(is_new);
        let mut sought = facts.alias.to_lowercase();
        for tag in &facts.tags {
            sought.push('\n');
            sought.push_str(&tag.to_lowercase());
        }
        self.run(
            &format!(
                "{verb} INTO session (owner, id, org, sought, expires, inactive, revision,
                    reset, created_at, updated_at, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            ),
            &[
                owner.into(),
                row.id.as_str().into(),
                facts.org_id.as_str().into(),
                sought.into(),
                facts.expires.into(),
                facts.inactive.into(),
                row.revision.into(),
                row.reset.into(),
                row.created_at.as_str().into(),
                row.updated_at.as_str().into(),
                json(facts)?,
            ],
        )?;
        self.put_text(row, text, is_new, origin)?;
        self.mark(row)
    }

    /// Stores the marks by which a session is found.
    fn mark(&self, row: &SessionRow) -> Result<(), StoreError> {
        let marks = MARKS.into_iter().flat_map(|(mark, _, values)| {
            let values = values(&row.facts).iter();
            values.map(move |value| (mark, value.as_str()))
        });
        let marks: Vec<_> = marks.collect();
        marks.chunks(MARKS_AT_ONCE).try_for_each(|marks| {
            let rows = vec!["(?, ?, ?, ?, ?)"; marks.len()].join(", ");
            let values = marks.iter().flat_map(|(mark, value)| {
                let owner = row.owner.word();
                [owner, mark, value, row.created_at.as_str(), row.id.as_str()].map(Value::from)
            });
            self.run(
                &format!(
                    "INSERT OR IGNORE INTO session_mark (owner, mark, value, created_at, id)
                        VALUES {rows}"
                ),
                &values.collect::<Vec<_>>(),
            )
        })
    }

    /// Removes the marks that the stored facts of a session name.
    fn unmark(&self, owner: Owner, id: &str) -> Result<(), StoreError> {
        let lists = MARKS.map(|(mark, member, _)| format!("('{mark}', '$.{member}')"));
        self.run(
            &format!(
                "DELETE FROM session_mark WHERE owner = ?1 AND id = ?2 AND (mark, value, created_at) IN (
                SELECT list.column1, named.value, session.created_at FROM session
                CROSS JOIN (VALUES {}) list
                CROSS JOIN json_each(session.facts, list.column2) named
                WHERE session.owner = ?1 AND session.id = ?2)",
                lists.join(", ")
            ),
            &[owner.word().into(), id.into()],
        )
    }

    pub(super) fn remove_session(
        &self,
        owner: Owner,
        id: &str,
        revision: u64,
    ) -> Result<(), StoreError> {
        self.unmark(owner, id)?;
        for table in ["session", "session_text"] {
            self.run(
                &format!("DELETE FROM {table} WHERE owner = ? AND id = ?"),
                &[owner.word().into(), id.into()],
            )?;
        }
        self.put_end(owner, id, revision)
    }
}

/// Returns the words of a statement that stores a row.
pub(super) const fn verb(is_new: bool) -> &'static str {
    if is_new {
        "INSERT"
    } else {
        "INSERT OR REPLACE"
    }
}

/// Returns the limit and the offset of a page; SQLite takes -1 for no limit.
fn page(query: &SessionQuery) -> (i64, i64) {
    let Some(page) = query.page else {
        return (-1, 0);
    };
    let limit = i64::from(query.per_page.max(1));
    let before = i64::from(page.saturating_sub(1));
    (limit, before.saturating_mul(limit))
}

pub(super) fn read(owner: Owner, row: &mut Row) -> Result<SessionRow, StoreError> {
    Ok(SessionRow {
        owner,
        id: row.text()?,
        revision: row.number()?,
        reset: row.number()?,
        created_at: row.text()?,
        updated_at: row.text()?,
        facts: row.json()?,
    })
}

//! The texts of sessions: those that their Ledgers don't keep yet, and those that Ledgers lend for a command, in memory. And
//! sessions that Ledgers have to end.

use super::Rows;
use super::sessions::{COLUMNS, read, verb};
use crate::registry::handover::{Handover, Handovers, Lent, Origin};
use crate::registry::sessions::SessionRow;
use crate::registry::sql::{Row, Value, json};
use gatewright_model::json::quote;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::sessions::Owner;
use std::collections::BTreeSet;

/// From this version on, `session_text` has only the texts that their Ledgers don't keep yet. `after` is the id of the
/// key whose counters a new one continues.
pub(super) const SCHEMA: &[&str] = &[
    "ALTER TABLE session_text ADD COLUMN after TEXT",
    "CREATE TABLE session_ended (
        owner TEXT NOT NULL, id TEXT NOT NULL, revision INTEGER NOT NULL, PRIMARY KEY (owner, id)
    ) WITHOUT ROWID",
    "DROP TABLE given_up",
];

/// What Ledgers and the Registry exchange about sessions, none of which is stored.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    /// What the last command has written.
    handovers: Handovers,
    /// The Ledgers whose sessions a command needs.
    wanted: BTreeSet<String>,
    lent: Lent,
}

impl Rows {
    /// Returns a session with its text.
    ///
    /// # Errors
    /// As [`Self::entries`], and if only its Ledger has the text.
    pub fn session(
        &self,
        owner: Owner,
        id: &str,
    ) -> Result<Option<(SessionRow, String)>, StoreError> {
        let statement = format!(
            "SELECT {COLUMNS}, (SELECT text FROM session_text t WHERE t.owner = ?1 AND t.id = ?2)
             FROM session WHERE owner = ?1 AND id = ?2"
        );
        let found = self.first(&statement, &[owner.word().into(), id.into()], |mut row| {
            Ok((read(owner, &mut row)?, row.maybe_text()?))
        })?;
        let Some((row, text)) = found else {
            return Ok(None);
        };
        let text = self.session_text(&row, text)?;
        Ok(Some((row, text)))
    }

    /// Returns a session without its text.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn session_row(&self, owner: Owner, id: &str) -> Result<Option<SessionRow>, StoreError> {
        let statement = format!("SELECT {COLUMNS} FROM session WHERE owner = ? AND id = ?");
        self.first(&statement, &[owner.word().into(), id.into()], |mut row| {
            read(owner, &mut row)
        })
    }

    /// Returns those of these sessions that exist, in this order, by one statement; each with its text if its Ledger does not
    /// keep it yet.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn sessions_of(
        &self,
        owner: Owner,
        ids: &[String],
    ) -> Result<Vec<(SessionRow, Option<String>)>, StoreError> {
        let columns = format!("s.{COLUMNS}");
        let statement = format!(
            "SELECT {columns}, (SELECT text FROM session_text t WHERE t.owner = ?1 AND t.id = s.id)
             FROM json_each(?2) e CROSS JOIN session s ON s.owner = ?1 AND s.id = e.value ORDER BY e.key"
        );
        self.all(&statement, &[owner.word().into(), json(ids)?], |mut row| {
            Ok((read(owner, &mut row)?, row.maybe_text()?))
        })
    }

    /// Returns the text of a session: the one to be handed over, or the one that its Ledger has lent.
    ///
    /// # Errors
    /// If neither is there; then [`Self::take_wanted`] returns its Ledger.
    pub fn session_text(
        &self,
        row: &SessionRow,
        text: Option<String>,
    ) -> Result<String, StoreError> {
        if let Some(text) = text {
            return Ok(text);
        }
        let ledger = row.owner.ledger(&row.id);
        let mut exchange = self.exchange.borrow_mut();
        let lent = exchange.lent.text(&ledger, row.revision)?;
        if lent.is_none() {
            exchange.wanted.insert(ledger);
        }
        lent.ok_or_else(|| StoreError::new("read session", "only its Ledger has it"))
    }

    /// Whether a command can't be carried out without sessions that only their Ledgers have.
    pub fn wants(&self) -> bool {
        !self.exchange.borrow().wanted.is_empty()
    }

    /// Takes the names of these Ledgers.
    pub fn take_wanted(&self) -> BTreeSet<String> {
        let mut exchange = self.exchange.borrow_mut();
        exchange.lent.make_room();
        std::mem::take(&mut exchange.wanted)
    }

    /// Notes the session of a Ledger, as [`Lent::put`] does.
    ///
    /// # Errors
    /// As [`Lent::put`].
    pub fn lend(&self, ledger: &str, answer: &str) -> Result<(), StoreError> {
        self.exchange.borrow_mut().lent.put(ledger, answer)
    }

    /// Takes what the commands since the last call have written.
    pub fn take_handovers(&self) -> Handovers {
        std::mem::take(&mut self.exchange.borrow_mut().handovers)
    }

    fn hand_over(&self, handover: Handover) {
        self.exchange.borrow_mut().handovers.list.push(handover);
    }

    /// Opens the handover of a session. An imported one may be of an earlier revision than the end of another, which its
    /// Ledger has to keep before and never again.
    pub(super) fn put_text(
        &self,
        row: &SessionRow,
        text: &str,
        is_new: bool,
        origin: Origin<'_>,
    ) -> Result<(), StoreError> {
        let after = match origin {
            Origin::Following(id) => Some(id),
            _ => None,
        };
        let verb = verb(is_new);
        self.run(
            &format!("{verb} INTO session_text (owner, id, text, after) VALUES (?, ?, ?, ?)"),
            &[
                row.owner.word().into(),
                row.id.as_str().into(),
                text.into(),
                after.into(),
            ],
        )?;
        let over = match origin {
            Origin::Imported(over) => {
                self.hand_over_end(row.owner, &row.id)?;
                over
            }
            _ => 0,
        };
        self.hand_over(Handover {
            is_generated: origin == Origin::Generated,
            ..Handover::of(row, text, after, over)
        });
        Ok(())
    }

    /// Wants those of these sessions that only their Ledgers have.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn want<'a>(&self, of: impl Iterator<Item = Named<'a>>) -> Result<(), StoreError> {
        let Some(ids) = listed(of) else {
            return Ok(());
        };
        let statement = format!(
            "SELECT s.owner, s.{COLUMNS} FROM json_each(?) e
             CROSS JOIN session s ON s.owner = e.value ->> 0 AND s.id = e.value ->> 1
             WHERE NOT EXISTS (SELECT 1 FROM session_text t WHERE t.owner = s.owner AND t.id = s.id)"
        );
        let rows = self.all(&statement, &[ids], |mut row| {
            let owner = owner(&mut row)?;
            read(owner, &mut row)
        })?;
        for row in rows {
            // An error is what makes it wanted.
            let _ = self.session_text(&row, None);
        }
        Ok(())
    }

    /// Returns open handovers, at most this many of either kind: ends first. `over` is the number of the last entry of the
    /// trail.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn open_handovers(&self, limit: u32, over: u64) -> Result<Vec<Handover>, StoreError> {
        let ended = "SELECT owner, id, revision FROM session_ended LIMIT ?";
        let mut found = self.all(ended, &[limit.into()], |mut row| {
            let owner = owner(&mut row)?;
            Ok(Handover::of_end(owner, &row.text()?, row.number()?))
        })?;
        let texts = format!(
            "SELECT s.owner, s.{COLUMNS}, t.text, t.after FROM
                (SELECT owner, id, text, after FROM session_text LIMIT ?) t
             CROSS JOIN session s ON s.owner = t.owner AND s.id = t.id"
        );
        found.extend(self.all(&texts, &[limit.into()], |mut row| {
            let owner = owner(&mut row)?;
            let session = read(owner, &mut row)?;
            let (text, after) = (row.text()?, row.maybe_text()?);
            Ok(Handover::of(&session, &text, after.as_deref(), over))
        })?);
        Ok(found)
    }

    /// Whether there are open handovers.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn has_open_handovers(&self) -> Result<bool, StoreError> {
        let statement = "SELECT EXISTS (SELECT 1 FROM session_text)
            OR EXISTS (SELECT 1 FROM session_ended)";
        Ok(self.count(statement, &[])? > 0)
    }

    /// Closes handovers: Ledgers keep these revisions, each with its owner and id. What was written since stays open.
    ///
    /// # Errors
    /// If the tables can't be written.
    pub fn kept<'a>(&self, kept: impl Iterator<Item = Named<'a>>) -> Result<(), StoreError> {
        let Some(kept) = listed(kept) else {
            return Ok(());
        };
        self.run(
            "DELETE FROM session_text WHERE rowid IN (SELECT t.rowid FROM json_each(?) e
                CROSS JOIN session s ON s.owner = e.value ->> 0 AND s.id = e.value ->> 1
                    AND s.revision = e.value ->> 2
                CROSS JOIN session_text t ON t.owner = s.owner AND t.id = s.id)",
            std::slice::from_ref(&kept),
        )?;
        self.run(
            "DELETE FROM session_ended WHERE (owner, id, revision) IN
                (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))",
            &[kept],
        )
    }

    /// Opens the handover of the end of a session.
    pub(super) fn put_end(&self, owner: Owner, id: &str, revision: u64) -> Result<(), StoreError> {
        let values: [Value; 3] = [owner.word().into(), id.into(), revision.into()];
        let statement =
            "INSERT OR REPLACE INTO session_ended (owner, id, revision) VALUES (?, ?, ?)";
        self.run(statement, &values)?;
        self.hand_over(Handover::of_end(owner, id, revision));
        Ok(())
    }

    /// Opens the handovers of the ends of all sessions, except of those that entries of the trail after `begun` are about.
    pub(super) fn put_all_ends(&self, begun: u64, revision: u64) -> Result<(), StoreError> {
        self.exchange.borrow_mut().handovers.drains = true;
        self.run(
            "INSERT OR REPLACE INTO session_ended (owner, id, revision)
                SELECT owner, id, ? FROM session
                WHERE id NOT IN (SELECT id FROM audit WHERE seq > ?)",
            &[revision.into(), begun.into()],
        )
    }

    /// Hands a session over whose handover is open, after the end of an earlier one that an import has followed; `over` as
    /// in [`Self::open_handovers`].
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn hand_over_again(
        &self,
        row: &SessionRow,
        text: &str,
        over: u64,
    ) -> Result<(), StoreError> {
        let statement = "SELECT after FROM session_text WHERE owner = ? AND id = ?";
        let values = [row.owner.word().into(), row.id.as_str().into()];
        let after = self.first(statement, &values, |mut row| row.maybe_text())?;
        self.hand_over_end(row.owner, &row.id)?;
        self.hand_over(Handover::of(row, text, after.flatten().as_deref(), over));
        Ok(())
    }

    /// Hands a session over that is about to end, if its handover is open: whoever continues its counters must not miss that
    /// it has reset them. After a crash, only the end is handed over, and a reset that nobody was told of may be lost.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn hand_over_last(&self, row: &SessionRow, over: u64) -> Result<(), StoreError> {
        let statement = "SELECT text FROM session_text WHERE owner = ? AND id = ?";
        let values = [row.owner.word().into(), row.id.as_str().into()];
        match self.first(statement, &values, |mut row| row.text())? {
            Some(text) => self.hand_over_again(row, &text, over),
            None => Ok(()),
        }
    }

    /// Hands the end of a session over, if that handover is open.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn hand_over_end(&self, owner: Owner, id: &str) -> Result<(), StoreError> {
        let statement = "SELECT revision FROM session_ended WHERE owner = ? AND id = ?";
        let ended = self.first(statement, &[owner.word().into(), id.into()], |mut row| {
            Ok(Handover::of_end(owner, id, row.number()?))
        })?;
        if let Some(ended) = ended {
            self.hand_over(ended);
        }
        Ok(())
    }

    /// Returns the kind of owner and the id of the sessions after one, in order.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn owners_after(
        &self,
        (owner_word, id): (&str, &str),
        limit: u32,
    ) -> Result<Vec<(Owner, String)>, StoreError> {
        let statement = "SELECT owner, id FROM session WHERE (owner, id) > (?, ?)
            ORDER BY owner, id LIMIT ?";
        let values = [owner_word.into(), id.into(), limit.into()];
        self.all(statement, &values, |mut row| {
            Ok((owner(&mut row)?, row.text()?))
        })
    }
}

/// A revision of a session: the kind of owner, the id, the number.
pub(in crate::registry) type Named<'a> = (&'a str, &'a str, u64);

/// Returns the JSON of a list of them; `None` if it is empty.
fn listed<'a>(of: impl Iterator<Item = Named<'a>>) -> Option<Value> {
    let lists = of.map(|(owner, id, revision)| format!("[\"{owner}\",{},{revision}]", quote(id)));
    let lists: Vec<String> = lists.collect();
    (!lists.is_empty()).then(|| format!("[{}]", lists.join(",")).into())
}

/// Reads the kind of owner.
fn owner(row: &mut Row) -> Result<Owner, StoreError> {
    let word = row.text()?;
    Owner::of_word(&word).ok_or_else(|| StoreError::new("sqlite", "an unknown kind of owner"))
}

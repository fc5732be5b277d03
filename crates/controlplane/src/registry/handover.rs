//! Handing sessions over to their Ledgers, which keep them.
//!
//! The promise: a session lives in its Ledger only. The Registry decides about each write, and stores what it changes in
//! the index and the trail, together with the session itself as a *handover* (a transactional outbox). Then the Ledger
//! gets it, and the reply to the write waits for that; handovers that a crash leaves are carried out by the alarm. So
//! nothing acknowledged is lost, and a write that was answered is effective everywhere.
//!
//! A Ledger that has no session of its name asks the Registry in two cases: while keys are being generated, which it gets
//! together a little later ([`Origin::Generated`]); and after an earlier release or another `LEDGER_SHARDS`, until the
//! Registry has gone through all sessions once ([`Placed`]).

mod lent;
mod placed;

pub(super) use lent::Lent;
pub(super) use placed::Placed;

use super::sessions::SessionRow;
use super::{Registry, Turn};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::Keep;
use gatewright_protocol::registry::Command;
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};

/// How many sessions are gone through at once, so that requests are handled in between.
const AT_ONCE: u32 = 200;
/// How long the alarm leaves handovers to the writes that have made them, in milliseconds.
const HANDOVER_MS: u64 = 10_000;

/// A revision of a session that its Ledger has to keep, or its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handover {
    /// The name of the Ledger.
    pub ledger: String,
    /// The revision, for [`Registry::kept`].
    pub revision: u64,
    /// The message for the Ledger ([`Keep::with_text`]).
    pub message: String,
    /// The Ledger whose counters it continues; empty for none.
    pub after: String,
    /// Whether it is a key whose token has just been generated: no Ledger knows anything of it, so one that asks about
    /// sessions that it doesn't have may get it later.
    pub is_generated: bool,
}

/// What the commands since the last call have written for Ledgers.
#[derive(Debug, Default)]
pub struct Handovers {
    /// What Ledgers have to keep before the replies leave.
    pub list: Vec<Handover>,
    /// Whether that is not all: the replies have to wait for all [`Registry::open_handovers`].
    pub drains: bool,
}

impl Handovers {
    /// Whether there is nothing for Ledgers.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.drains
    }
}

/// Where a session comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'a> {
    /// A write.
    Written,
    /// A write whose id comes from a token that has just been generated.
    Generated,
    /// A write that ends the key with this id, whose counters it continues.
    Following(&'a str),
    /// An import. Ends up to this number in the trail were those of earlier sessions.
    Imported(u64),
}

impl Handover {
    /// Hands over a session. `after` is the id of the key whose counters it continues. Ends up to the number `over` in the
    /// trail were those of earlier sessions with its id.
    pub(super) fn of(row: &SessionRow, text: &str, after: Option<&str>, over: u64) -> Self {
        let keep = Keep {
            revision: row.revision,
            reset: row.reset,
            ends: row.facts.ends,
            over,
            gone: false,
        };
        Self {
            ledger: row.owner.ledger(&row.id),
            revision: row.revision,
            message: keep.with_text(text),
            after: after.map_or_else(String::new, |id| row.owner.ledger(id)),
            is_generated: false,
        }
    }

    /// Hands over the end of a session. `revision` is its number in the trail.
    pub(super) fn of_end(owner: Owner, id: &str, revision: u64) -> Self {
        let keep = Keep {
            revision,
            gone: true,
            ..Keep::default()
        };
        Self {
            ledger: owner.ledger(id),
            revision,
            message: keep.with_text(""),
            after: String::new(),
            is_generated: false,
        }
    }
}

impl Turn<'_> {
    /// Wants the sessions that these commands need, so that none of them fails halfway for want of one.
    fn want(&self, commands: &[(Command, &str)]) -> Result<(), StoreError> {
        let asks = commands.iter().filter_map(|(command, _)| command.session());
        let ends = self.placed.is_open();
        let needs =
            |ask: &&SessionAsk| !ask.generated && ask.writes() && (ask.act != Act::Remove || ends);
        let ids = asks
            .filter(needs)
            .filter_map(|ask| Some((ask.owner.word(), ask.ids.first()?.as_str(), 0)));
        self.rows.want(ids)
    }
}

impl Registry {
    /// Sets the number of objects that Ledgers are distributed over (`LEDGER_SHARDS`).
    #[must_use]
    pub fn with_shards(self, shards: u32) -> Self {
        Self { shards, ..self }
    }

    /// Sets whether any object of Ledgers gets [generated keys](Handover::is_generated) later: until then, each asks here
    /// about sessions that it doesn't have.
    pub const fn set_collecting(&mut self, collects: bool) {
        self.collects = collects;
    }

    /// Takes what the commands since the last call have written.
    pub fn take_handovers(&mut self) -> Handovers {
        self.rows.take_handovers()
    }

    /// Takes the names of the Ledgers whose sessions the last commands need. If there are any, these have failed and
    /// changed nothing, and are tried again once the sessions are [lent](Self::lend).
    pub fn take_wanted(&mut self) -> Vec<String> {
        self.rows.take_wanted().into_iter().collect()
    }

    /// Notes the session of a Ledger, as this answers; an empty text if it has none.
    ///
    /// # Errors
    /// If the answer can't be read.
    pub fn lend(&mut self, ledger: &str, answer: &str) -> Result<(), StoreError> {
        self.rows.lend(ledger, answer)
    }

    /// Returns a part of what Ledgers don't keep yet, and whether there is more.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn open_handovers(&mut self) -> Result<(Vec<Handover>, bool), StoreError> {
        let over = self.with_state(|_, state, _| Ok(state.journal.last_audit()))?;
        let found = self.rows.open_handovers(AT_ONCE, over)?;
        let is_more = u32::try_from(found.len()).is_ok_and(|found| found >= AT_ONCE);
        Ok((found, is_more))
    }

    /// Does the same for the alarm, which leaves handovers to the writes that have made them for a while.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn due_handovers(&mut self, now: u64) -> Result<(Vec<Handover>, bool), StoreError> {
        if self.next_handover(now)?.is_none_or(|due| due > now) {
            return Ok((Vec::new(), false));
        }
        let (found, is_more) = self.open_handovers()?;
        self.handover_due = is_more.then_some(now);
        Ok((found, is_more))
    }

    /// Records that Ledgers keep these revisions, each with the name of its Ledger.
    ///
    /// # Errors
    /// If the rows can't be written; then they are handed over again.
    pub fn kept(&mut self, kept: &[(String, u64)]) -> Result<(), StoreError> {
        let parts = kept.iter().filter_map(|(ledger, revision)| {
            let (owner, id) = ledger.split_once(':')?;
            Some((owner, id, *revision))
        });
        self.rows.kept(parts)
    }

    /// Wants the sessions that these commands need. If any is wanted, none of the commands may be carried out yet.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub(super) fn want(
        &mut self,
        commands: &[(Command, &str)],
        now: &str,
    ) -> Result<(), StoreError> {
        self.in_turn(now, |turn| turn.want(commands))
    }

    /// Returns when handovers have to be carried out or sessions gone through, in Unix milliseconds; `None` if there is
    /// nothing to do.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn next_handover(&mut self, now: u64) -> Result<Option<u64>, StoreError> {
        if self.with_state(|_, state, _| Ok(state.placed.is_open()))? {
            return Ok(Some(now));
        }
        // The first ones determine when, so that what follows doesn't put it off.
        let due = self.handover_due.unwrap_or(now.saturating_add(HANDOVER_MS));
        self.handover_due = self.rows.has_open_handovers()?.then_some(due);
        Ok(self.handover_due)
    }
}

//! Handing sessions over to their Ledgers, which keep them.
//!
//! The promise: a session lives in its Ledger only. The Registry decides about each write, and stores what it changes in
//! the index and the trail, together with the session itself as a *handover* (a transactional outbox). Then the Ledger
//! gets it, and the reply to the write waits for that; handovers that a crash leaves are carried out by the alarm. So no
//! request ever asks the Registry, nothing acknowledged is lost, and a write that was answered is effective everywhere.
//!
//! A Ledger that has no session of its name may be one of an earlier release, or one that `LEDGER_SHARDS` has moved. It
//! asks the Registry until that has gone through all sessions once ([`Placed`]).

use super::rows::{Change, Rows};
use super::sessions::SessionRow;
use super::{Registry, Turn};
use gatewright_protocol::asking;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::Keep;
use gatewright_protocol::registry::Command;
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};

/// The name of the value that says where sessions may live.
const PLACED: &str = "ledger-shards";
/// The name of the value that says how far the sessions have been gone through.
const CURSOR: &str = "ledger-sweep";
/// How many sessions are gone through at once, so that requests are handled in between.
const AT_ONCE: u32 = 200;
/// How long the alarm leaves a handover to the write that has made it, in milliseconds, at least.
const HANDOVER_MS: u64 = 10_000;
/// The maximum length of all lent texts, in bytes, before the next ones are lent.
const LENT_BYTES: usize = 4 * 1024 * 1024;

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

impl Handover {
    /// Hands over a session. `after` is the id of the key whose counters it continues.
    pub(super) fn of(row: &SessionRow, text: &str, after: Option<&str>) -> Self {
        let keep = Keep {
            revision: row.revision,
            reset: row.reset,
            ends: row.facts.ends,
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

    /// Hands over the end of a session.
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

/// The name of a Ledger, with the revision and the text of the session that it has lent; `None` if it has none.
type LentText = (String, Option<(u64, String)>);

/// Sessions that Ledgers have lent.
#[derive(Debug, Default)]
pub(super) struct Lent {
    /// In the order of their names.
    texts: Vec<LentText>,
    bytes: usize,
}

impl Lent {
    /// Forgets everything if that is much. What is lent for one command has to stay until it is carried out.
    pub(super) fn make_room(&mut self) {
        if self.bytes > LENT_BYTES {
            *self = Self::default();
        }
    }

    /// Notes what a Ledger has answered, an empty text if it has no session.
    ///
    /// # Errors
    /// If the answer can't be read.
    pub(super) fn put(&mut self, ledger: &str, answer: &str) -> Result<(), StoreError> {
        let found = asking::found(answer)?;
        self.bytes = self.bytes.saturating_add(answer.len());
        let lent = found.map(|(session, text)| (session.revision, text.to_owned()));
        match self.find(ledger) {
            Ok(known) => known.1 = lent,
            Err(at) => self.texts.insert(at, (ledger.to_owned(), lent)),
        }
        Ok(())
    }

    /// Returns what a Ledger has lent, or where to note it.
    fn find(&mut self, ledger: &str) -> Result<&mut LentText, usize> {
        let at = self
            .texts
            .binary_search_by(|(name, _)| name.as_str().cmp(ledger))?;
        self.texts.get_mut(at).ok_or(at)
    }

    /// Returns the text of a revision; `None` if it has to be lent.
    ///
    /// # Errors
    /// If its Ledger has none, or a later one.
    pub(super) fn text(
        &mut self,
        ledger: &str,
        revision: u64,
    ) -> Result<Option<String>, StoreError> {
        match self.find(ledger) {
            // Written since.
            Ok((_, Some((known, _)))) if *known < revision => Ok(None),
            Ok((_, Some((known, text)))) if *known == revision => Ok(Some(text.clone())),
            Err(_) => Ok(None),
            Ok((_, lent)) => {
                // The next command asks it again.
                *lent = Some((0, String::new()));
                // Without the name, which has the hash of the key.
                let detail = format!("a Ledger does not have revision {revision} of its session");
                Err(StoreError::new("read session", detail))
            }
        }
    }
}

/// In which objects sessions may live: the values of `LEDGER_SHARDS` since all of them were last gone through.
#[derive(Debug, Default)]
pub(super) struct Placed {
    /// The latest first.
    shards: Vec<u32>,
    /// Whether there may be Ledgers that don't keep their sessions yet.
    is_open: bool,
}

impl Placed {
    /// Reads it. `shards` is the value of `LEDGER_SHARDS`.
    ///
    /// # Errors
    /// If the rows can't be read or written.
    pub(super) fn load(rows: &Rows, shards: u32) -> Result<Self, StoreError> {
        let known = rows.value(PLACED)?.unwrap_or_default();
        let numbers = known.trim_end_matches(" open").split(',');
        let mut placed: Vec<u32> = numbers.filter_map(|number| number.parse().ok()).collect();
        let is_same = placed == [shards];
        placed.retain(|known| *known != shards);
        placed.insert(0, shards);
        let is_empty = rows.owners_after(("", ""), 1)?.is_empty();
        if is_empty {
            placed.truncate(1);
        }
        let is_open = !is_empty && (!is_same || known.ends_with(" open"));
        let found = Self {
            shards: placed,
            is_open,
        };
        if found.to_text() != known {
            let texts = [(PLACED, found.to_text()), (CURSOR, String::new())];
            let values = texts
                .iter()
                .map(|(name, value)| Change::Value { name, value });
            rows.commit(&values.collect::<Vec<_>>())?;
        }
        Ok(found)
    }

    fn to_text(&self) -> String {
        self.shards() + if self.is_open { " open" } else { "" }
    }

    /// Whether all Ledgers of this value of `LEDGER_SHARDS` keep their sessions.
    pub(super) fn is_settled(&self, shards: u32) -> bool {
        !self.is_open && self.shards == [shards]
    }

    /// Returns the values of `LEDGER_SHARDS`, the latest first, separated by commas.
    pub(super) fn shards(&self) -> String {
        let numbers: Vec<String> = self.shards.iter().map(u32::to_string).collect();
        numbers.join(",")
    }
}

impl Turn<'_> {
    /// Wants the sessions that these commands need, so that none of them fails halfway for want of one.
    fn want(&self, commands: &[(Command, &str)]) -> Result<(), StoreError> {
        let asks = commands.iter().filter_map(|(command, _)| command.session());
        let needs = |ask: &&SessionAsk| !ask.generated && ask.writes() && (ask.act != Act::Remove);
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

    /// Takes what the commands since the last call have written: the Ledgers have to keep it before the replies leave.
    /// The second value says that they also have to wait for all [`Self::open_handovers`].
    pub fn take_handovers(&mut self) -> (Vec<Handover>, bool) {
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
        let found = self.rows.open_handovers(AT_ONCE)?;
        let is_more = u32::try_from(found.len()).is_ok_and(|found| found >= AT_ONCE);
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

    /// Returns when handovers have to be carried out or sessions gone through, in Unix milliseconds; `None` if
    /// there is nothing to do. What was just written is being handed over already.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn next_handover(&mut self, now: u64) -> Result<Option<u64>, StoreError> {
        if self.with_state(|_, state, _| Ok(state.placed.is_open))? {
            return Ok(Some(now));
        }
        // The same time for all writes of a while, so that the alarm is set once.
        let due = || {
            now.div_euclid(HANDOVER_MS)
                .saturating_add(2)
                .saturating_mul(HANDOVER_MS)
        };
        Ok(self.rows.has_open_handovers()?.then(due))
    }

    /// Returns the next sessions to go through, so that their Ledgers fetch them from where they lived before: the names
    /// of the Ledgers, each with the question about its session ([`Self::went_through`] has to follow). `None` once all
    /// Ledgers keep theirs.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn next_to_go_through(&mut self) -> Result<Option<Vec<[String; 2]>>, StoreError> {
        if !self.with_state(|_, state, _| Ok(state.placed.is_open))? {
            return Ok(None);
        }
        let cursor = self.rows.value(CURSOR)?.unwrap_or_default();
        let after = cursor.split_once(':').unwrap_or_default();
        let next = self.rows.owners_after(after, AT_ONCE)?;
        let ask = |(owner, id): (Owner, String)| {
            let ask = SessionAsk::find(owner, vec![id]);
            asking::lookup(&ask)
        };
        next.into_iter()
            .map(ask)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// Records that the Ledgers up to this one keep their sessions; `None` if all do.
    ///
    /// # Errors
    /// If the rows can't be written.
    pub fn went_through(&mut self, last: Option<&str>) -> Result<(), StoreError> {
        self.with_state(|rows, state, _| {
            let cursor = last.unwrap_or_default();
            let mut values = vec![(CURSOR, cursor.to_owned())];
            if last.is_none() {
                state.placed.shards.truncate(1);
                state.placed.is_open = false;
                values.push((PLACED, state.placed.to_text()));
            }
            let values = values
                .iter()
                .map(|(name, value)| Change::Value { name, value });
            rows.commit(&values.collect::<Vec<_>>())
        })
    }
}

//! Where sessions live, and going through all of them after that has changed.

use super::AT_ONCE;
use crate::registry::Registry;
use crate::registry::rows::{Change, Rows};
use gatewright_protocol::asking;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::sessions::{Owner, SessionAsk};

/// The name of the value that says where sessions may live.
const PLACED: &str = "ledger-shards";
/// The name of the value that says how far the sessions have been gone through.
const CURSOR: &str = "ledger-sweep";

/// In which objects sessions may live: the values of `LEDGER_SHARDS` since all of them were last gone through.
#[derive(Debug, Default)]
pub(in crate::registry) struct Placed {
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
    pub(in crate::registry) fn load(rows: &Rows, shards: u32) -> Result<Self, StoreError> {
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

    /// Whether there may be Ledgers that don't keep their sessions yet.
    pub(in crate::registry) const fn is_open(&self) -> bool {
        self.is_open
    }

    fn to_text(&self) -> String {
        self.shards() + if self.is_open { " open" } else { "" }
    }

    /// Whether sessions may live in objects for another value of `LEDGER_SHARDS`.
    pub(in crate::registry) fn moves(&self) -> bool {
        self.shards.len() > 1
    }

    /// Whether all Ledgers of this value of `LEDGER_SHARDS` keep their sessions.
    pub(in crate::registry) fn is_settled(&self, shards: u32) -> bool {
        !self.is_open && self.shards == [shards]
    }

    /// Returns the values of `LEDGER_SHARDS`, the latest first, separated by commas.
    pub(in crate::registry) fn shards(&self) -> String {
        let numbers: Vec<String> = self.shards.iter().map(u32::to_string).collect();
        numbers.join(",")
    }
}

impl Registry {
    /// Returns the values of `LEDGER_SHARDS` for whose objects sessions may live, separated by commas, while there are
    /// several. A Ledger that knows nothing of a session fetches it from there before it keeps anything: otherwise its
    /// counters would be lost, and it would still be there after another change.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn places(&mut self) -> Result<String, StoreError> {
        self.with_state(|_, state, _| {
            let placed = &state.placed;
            Ok(if placed.moves() {
                placed.shards()
            } else {
                String::new()
            })
        })
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

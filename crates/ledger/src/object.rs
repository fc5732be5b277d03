//! A Ledger as the Durable Object runs it: text in, text out.

use super::Ledger;
use crate::session::Session;
use crate::upkeep::{Chores, Upkeep};
use gatewright_protocol::asking::{self, FoundSession, Missing};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::{Consume, Keep, Verdict};
use gatewright_protocol::registry::{decode, encode};
use gatewright_protocol::sessions::{Owner, SessionAsk};

/// A Ledger with its name. Times are Unix milliseconds.
#[derive(Debug)]
pub struct Object {
    ledger: Ledger,
    /// The owner of its session; `None` for the Ledger of an API, or of a text that keys count under.
    owner: Option<(Owner, String)>,
    upkeep: Upkeep,
}

/// What a Ledger has learnt from a reply of the Registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Learnt {
    /// Whether there is a session: from now on, this Ledger is settled.
    Done,
    /// The same, for this Ledger and every other one that doesn't know its session.
    Settled,
    /// The session lives in the Ledger of the same name in an object for one of these values of `LEDGER_SHARDS`, separated
    /// by commas, the latest first.
    Elsewhere(String),
}

impl Object {
    /// Creates the object with this name (`key:<hash>`, `org:<organisation>`, `api:<id>`, `pattern:<hash>[:<number>]`)
    /// from what it has stored: its state, and its session.
    ///
    /// # Errors
    /// As [`Ledger::restore`].
    pub fn new(
        name: &str,
        (stored, session): (Option<&str>, Option<&str>),
        now: u64,
    ) -> Result<Self, StoreError> {
        let owner = name.split_once(':');
        let owner = owner.and_then(|(word, id)| Some((Owner::of_word(word)?, id.to_owned())));
        let mut ledger = match stored {
            Some(text) => Ledger::restore(text, now)?,
            None => Ledger::default(),
        };
        if let Some(session) = session {
            ledger.recall(session);
        }
        Ok(Self {
            ledger,
            owner,
            upkeep: Upkeep::default(),
        })
    }

    /// Answers a [`Consume`]. `None` if the Registry has to be asked first ([`Self::question`]), unless that is
    /// `settled` ([`Ledger::consume`]).
    ///
    /// # Errors
    /// If the message is from another release.
    pub fn consume(
        &mut self,
        message: &str,
        settled: bool,
        now: u64,
    ) -> Result<Option<String>, StoreError> {
        let (ask, _) = decode::<Consume>(message)?;
        match self.ledger.consume(&ask, settled, now) {
            None => Ok(None),
            Some((verdict, text)) => encode(&verdict, text).map(Some),
        }
    }

    /// Answers a request of the isolate that this object lives in ([`Ledger::count_directly`]); `None` if the object
    /// has to be called.
    pub fn count_directly(&mut self, ask: &Consume, now: u64) -> Option<Verdict> {
        let verdict = self.ledger.count_directly(ask, now)?;
        self.upkeep.counted();
        Some(verdict)
    }

    /// Whether the platform has reached it recently.
    #[must_use]
    pub const fn lives_here(&self, now: u64) -> bool {
        self.ledger.lives_here(now)
    }

    /// Returns the number of the state that [`Self::chores`] has returned last; 0 if nothing in it has to be confirmed.
    #[must_use]
    pub const fn stored_number(&self) -> u64 {
        if self.ledger.is_unsettled() {
            self.ledger.stored_number()
        } else {
            0
        }
    }

    /// Records that the state with this number is on disk ([`Ledger::confirm`]).
    pub fn confirm(&mut self, number: u64, now: u64) {
        self.ledger.confirm(number, now);
    }

    /// Returns the query for the Registry, from an object for this value of `LEDGER_SHARDS`. Its reply goes to
    /// [`Self::learn`].
    ///
    /// # Errors
    /// If this is the Ledger of an API, which has no session.
    pub fn question(&self, shards: u32) -> Result<String, StoreError> {
        let Some((owner, id)) = &self.owner else {
            return Err(StoreError::new("ask ledger", "an API has no session"));
        };
        asking::session(&SessionAsk {
            shards: Some(shards),
            ..SessionAsk::find(*owner, vec![id.clone()])
        })
    }

    /// Learns the Registry's reply to a [`Self::question`].
    ///
    /// # Errors
    /// If the reply is from another release.
    pub fn learn(&mut self, answer: &str, now: u64) -> Result<Learnt, StoreError> {
        Ok(match asking::missing(answer)? {
            Missing::Found(found, text) => {
                let session = Session {
                    revision: found.revision,
                    reset: found.reset,
                    ends: found.ends,
                    text: text.to_owned(),
                };
                self.ledger.learn(session, now);
                Learnt::Done
            }
            Missing::Settled => Learnt::Settled,
            // It may have been handed over in the meantime.
            Missing::Kept(shards) if self.ledger.session().is_none() => Learnt::Elsewhere(shards),
            Missing::Kept(_) | Missing::Unknown => Learnt::Done,
        })
    }

    /// Answers a lookup of the session as the Registry would, with an empty text if there is none. `None` if that has to
    /// be asked first, as for [`Self::consume`].
    pub fn find(&mut self, settled: bool, now: u64) -> Option<String> {
        match self.ledger.find(settled, now)? {
            true => self.kept(),
            false => Some(String::new()),
        }
    }

    /// Keeps what the Registry hands over: a [`Keep`] with the session's text ([`Ledger::keep`]).
    ///
    /// # Errors
    /// If the message is from another release, or the counters can't be read.
    pub fn keep(
        &mut self,
        message: &str,
        counters: &str,
        now: u64,
    ) -> Result<(String, u64), StoreError> {
        let read = Keep::read(message);
        let (keep, text) = read.ok_or_else(|| StoreError::new("keep session", "no message"))?;
        self.ledger.keep(keep, text, counters, now)
    }

    /// Returns the session as a reply of the Registry, until its end is told: even if its time has passed.
    #[must_use]
    pub fn kept(&self) -> Option<String> {
        let session = self.ledger.session()?;
        let (_, id) = self.owner.as_ref()?;
        let found = FoundSession {
            id: id.clone(),
            revision: session.revision,
            reset: session.reset,
            ends: session.ends,
        };
        asking::answer(&found, &session.text).ok()
    }

    /// Drops a copy of the session ([`Ledger::release`]).
    pub fn release(&mut self, now: u64) -> u64 {
        self.ledger.release(now)
    }

    /// Returns the counters ([`Ledger::take_counters`]).
    pub fn take_counters(&self, now: u64) -> Option<String> {
        self.ledger.take_counters(now)
    }

    /// Continues from the counters of another Ledger ([`Ledger::put_counters`]).
    ///
    /// # Errors
    /// If they can't be read.
    pub fn put_counters(&mut self, counters: &str, now: u64) -> Result<(), StoreError> {
        self.ledger.put_counters(counters, now)
    }

    /// Returns the state and the session to store where it lives from now on ([`Ledger::give_up`]); `None` for nothing.
    pub fn give_up(&mut self, now: u64) -> Option<(String, String)> {
        self.ledger.give_up(now)
    }

    /// Whether nothing is lost if it is restarted from what it has stored: there was no recent request, its counts are
    /// stored exactly, and no isolate depends on it.
    #[must_use]
    pub fn is_idle(&self, now: u64) -> bool {
        !self.upkeep.has_timer() && !self.ledger.is_needed(now)
    }

    /// Returns what to do before a reply leaves.
    pub fn chores(&mut self, now: u64) -> Chores {
        let store = self.ledger.to_store(now);
        let chores = self.upkeep.changed(store, self.ledger.is_unsettled());
        let mut chores = self.with_session(chores);
        if chores.store.is_some()
            && let Some(until) = self.ledger.gone_until()
        {
            self.upkeep.ring_at(until, &mut chores);
        }
        chores
    }

    /// Adds the session, which a state that is stored names.
    fn with_session(&mut self, mut chores: Chores) -> Chores {
        if chores.store.is_some() {
            chores.session = self.ledger.session_to_store();
        }
        chores
    }

    /// Returns what to do after [`Chores::wake_after`].
    pub fn woken(&mut self, now: u64) -> Chores {
        let empty_at = self.empty_at();
        let ledger = &mut self.ledger;
        let chores = self.upkeep.woken(|| ledger.settle(), empty_at, now);
        self.with_session(chores)
    }

    /// Returns what to do when the alarm of [`Chores::alarm_at`] fires.
    pub fn rung(&mut self, now: u64) -> Chores {
        let chores = self.upkeep.rung(self.empty_at(), now);
        if chores.store.is_some() && self.owner.is_some() {
            self.ledger.bury();
        }
        chores
    }

    /// Returns when nothing of it has to be stored any more; `None` for a session and its counters, which last as long
    /// as the session, and for counters that always count. The object of a single owner doesn't know its name when its
    /// alarm fires.
    fn empty_at(&self) -> Option<u64> {
        if self.ledger.session().is_some() {
            return None;
        }
        let at = self.ledger.empty_at();
        let counts = (self.owner.is_none() && at != u64::MAX).then_some(at);
        self.ledger.gone_until().or(counts)
    }
}

//! A Ledger as the Durable Object runs it: text in, text out.

use super::Ledger;
use crate::pulled::Pulled;
use crate::upkeep::{Chores, Upkeep};
use gatewright_protocol::asking::{self, FoundSession};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_protocol::registry::{decode, encode};
use gatewright_protocol::sessions::{Owner, SessionAsk};

/// A Ledger with its name. Times are Unix milliseconds.
#[derive(Debug)]
pub struct Object {
    ledger: Ledger,
    /// The owner of its session; `None` for the Ledger of an API, or of a text that keys count under.
    session: Option<(Owner, String)>,
    upkeep: Upkeep,
}

impl Object {
    /// Creates the object with this name (`key:<hash>`, `org:<organisation>`, `api:<id>`, `pattern:<hash>[:<number>]`)
    /// from what it has stored: its state, and the copy of its session.
    ///
    /// # Errors
    /// As [`Ledger::restore`].
    pub fn new(
        name: &str,
        (stored, copy): (Option<&str>, Option<&str>),
        now: u64,
    ) -> Result<Self, StoreError> {
        let session = name.split_once(':').and_then(|(word, id)| {
            let owners = [Owner::Key, Owner::Organisation];
            let owner = owners.into_iter().find(|owner| owner.word() == word)?;
            Some((owner, id.to_owned()))
        });
        let mut ledger = match stored {
            Some(text) => Ledger::restore(text, now)?,
            None => Ledger::default(),
        };
        if let Some(copy) = copy {
            ledger.recall(copy);
        }
        Ok(Self {
            ledger,
            session,
            upkeep: Upkeep::default(),
        })
    }

    /// Answers a [`Consume`]. `None` if the Registry has to be asked first: [`Self::question`].
    ///
    /// # Errors
    /// If the message is from another release.
    pub fn consume(&mut self, message: &str, now: u64) -> Result<Option<String>, StoreError> {
        let (ask, _) = decode::<Consume>(message)?;
        match self.ledger.consume(&ask, now) {
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

    /// Returns the number of the state that [`Self::keep`] has returned last.
    #[must_use]
    pub const fn stored_number(&self) -> u64 {
        self.ledger.stored_number()
    }

    /// Records that the state with this number is on disk ([`Ledger::confirm`]).
    pub fn confirm(&mut self, number: u64, now: u64) {
        self.ledger.confirm(number, now);
    }

    /// Returns the names of the writes that the Registry has to refuse from now on, one per line, for the next
    /// [`Self::question`] and the [`Self::learn`] after it ([`Ledger::given_up`]).
    #[must_use]
    pub fn given_up(&self, now: u64) -> String {
        self.ledger.given_up(now).join("\n")
    }

    /// Returns the query for the Registry.
    ///
    /// # Errors
    /// If this is the Ledger of an API, which has no session.
    pub fn question(&self, given_up: &str) -> Result<String, StoreError> {
        let Some((owner, id)) = &self.session else {
            return Err(StoreError::new("ask ledger", "an API has no session"));
        };
        let ask = SessionAsk {
            given_up: names(given_up),
            ..SessionAsk::find(*owner, vec![id.clone()])
        };
        asking::session(&ask)
    }

    /// Returns the number to pass to [`Self::learn`].
    #[must_use]
    pub const fn epoch(&self) -> u64 {
        self.ledger.epoch()
    }

    /// Learns the Registry's reply to a [`Self::question`] and answers the [`Consume`] that led to it. `None` if the
    /// session was written in the meantime: the Registry has to be asked again.
    ///
    /// # Errors
    /// If a message is from another release.
    pub fn learn(
        &mut self,
        epoch: u64,
        (given_up, answer): (&str, &str),
        message: &str,
        now: u64,
    ) -> Result<Option<String>, StoreError> {
        let (ask, _) = decode::<Consume>(message)?;
        let pulled = asking::found(answer)?.map(|(session, text)| pulled(&session, text));
        let epoch = self.ledger.end_given_up(epoch, &names(given_up));
        match self.ledger.learn(epoch, pulled, &ask, now) {
            None => Ok(None),
            Some((verdict, text)) => encode::<Verdict>(&verdict, &text).map(Some),
        }
    }

    /// Answers a lookup of the session as the Registry would. `None` if the Registry has to be asked: its reply is then
    /// passed to [`Self::learn_found`].
    pub fn find(&mut self, now: u64) -> Option<String> {
        let known = self.ledger.find(now)?;
        let (_, id) = self.session.as_ref()?;
        let session = FoundSession {
            id: id.clone(),
            revision: known.revision,
            reset: known.reset,
            ends: known.ends,
        };
        asking::answer(&session, &known.text).ok()
    }

    /// Learns the Registry's reply to a lookup, which may have found the session of another Ledger. The isolate gets
    /// the same reply, and reports one that can't be read.
    pub fn learn_found(&mut self, epoch: u64, answer: &str, now: u64) {
        if let Ok(Some((found, text))) = asking::found(answer)
            && self.session.as_ref().is_some_and(|(_, id)| *id == found.id)
        {
            self.ledger.learn_found(epoch, pulled(&found, text), now);
        }
    }

    /// Starts a write of the session ([`Ledger::hold`]).
    pub fn hold(&mut self, write: &str, now: u64) {
        self.ledger.hold(write, now);
    }

    /// Ends a write. Returns for how many milliseconds its response has to wait ([`Ledger::release`]).
    pub fn release(&mut self, write: &str, now: u64) -> u64 {
        self.ledger.release(write, now)
    }

    /// Returns the counters ([`Ledger::take_counters`]).
    pub fn take_counters(&mut self, now: u64) -> Option<String> {
        self.ledger.take_counters(now)
    }

    /// Continues from the counters of another Ledger ([`Ledger::put_counters`]).
    ///
    /// # Errors
    /// If they can't be read.
    pub fn put_counters(&mut self, counters: &str, now: u64) -> Result<(), StoreError> {
        self.ledger.put_counters(counters, now)
    }

    /// Returns the state to store where it lives from now on ([`Ledger::give_up`]); `None` for nothing.
    pub fn give_up(&mut self, now: u64) -> Option<String> {
        self.ledger.give_up(now)
    }

    /// Whether nothing is lost if it is restarted from what it has stored: there was no recent request, its counts are
    /// stored exactly, and no write and no isolate depends on it.
    #[must_use]
    pub fn is_idle(&self, now: u64) -> bool {
        !self.upkeep.has_timer() && !self.ledger.is_needed(now)
    }

    /// Returns what to do before a reply leaves.
    pub fn keep(&mut self, now: u64) -> Chores {
        let chores = self.upkeep.changed(self.ledger.to_store(now));
        self.with_copy(chores)
    }

    /// Adds the copy of the session, which a state that is stored names.
    fn with_copy(&mut self, mut chores: Chores) -> Chores {
        if chores.store.is_some() {
            chores.copy = self.ledger.copy_to_store();
        }
        chores
    }

    /// Returns what to do after [`Chores::wake_after`].
    pub fn woken(&mut self, now: u64) -> Chores {
        let empty_at = self.empty_at();
        let ledger = &mut self.ledger;
        let chores = self.upkeep.woken(|| ledger.settle(), empty_at, now);
        self.with_copy(chores)
    }

    /// Returns what to do when the alarm of [`Chores::alarm_at`] fires.
    pub fn rung(&mut self, now: u64) -> Chores {
        self.upkeep.rung(self.empty_at(), now)
    }

    /// Returns when it stops counting anything; `None` for the counters of a session, which last as long as the
    /// session, and for counters that always count.
    fn empty_at(&self) -> Option<u64> {
        let at = self.ledger.empty_at();
        (self.session.is_none() && at != u64::MAX).then_some(at)
    }
}

fn pulled(session: &FoundSession, text: &str) -> Pulled {
    Pulled {
        revision: session.revision,
        reset: session.reset,
        ends: session.ends,
        text: text.to_owned(),
    }
}

fn names(lines: &str) -> Vec<String> {
    lines.lines().map(str::to_owned).collect()
}

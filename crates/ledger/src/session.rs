//! The session of a Ledger: what is known of it, and its stored form.
//!
//! The promise: of what arrives about a session, in whatever order and however often, the highest revision holds. A
//! session that is *kept* lives here and nowhere else; only its end, which the Registry says, removes it. A *copy* was
//! learnt from the Registry, which still has the session itself. The end of a session is remembered for some minutes, so
//! that nothing that was sent before it brings the session back.

use gatewright_protocol::ledger::Keep;
use gatewright_protocol::sessions::REMEMBERED_MS;

/// How long the end of a session is remembered, in milliseconds.
const GONE_MS: u64 = 10 * 60 * 1000;
/// The margin in milliseconds added to the time that an isolate remembers, as clocks differ.
const MARGIN_MS: u64 = 500;

/// A revision of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its revision.
    pub revision: u64,
    /// The revision of the last write that reset its counters.
    pub reset: u64,
    /// When the session stops existing, in Unix milliseconds; 0 means never.
    pub ends: u64,
    /// Its text.
    pub text: String,
}

impl Session {
    /// Whether its time has passed at a time in Unix milliseconds.
    #[must_use]
    pub const fn is_over(&self, now: u64) -> bool {
        self.ends > 0 && self.ends <= now
    }

    /// Returns its stored form.
    fn to_row(&self) -> String {
        let keep = Keep {
            revision: self.revision,
            reset: self.reset,
            ends: self.ends,
            ..Keep::default()
        };
        keep.with_text(&self.text)
    }

    /// Reads its stored form; `None` for anything else. In the previous release, the fourth number was when it had asked.
    fn of_row(row: &str) -> Option<Self> {
        let (keep, text) = Keep::read(row).filter(|(keep, _)| !keep.gone)?;
        Some(Self::of(keep, text))
    }

    pub(crate) fn of(keep: Keep, text: &str) -> Self {
        Self {
            revision: keep.revision,
            reset: keep.reset,
            ends: keep.ends,
            text: text.to_owned(),
        }
    }
}

/// The end of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone {
    /// The session's last revision.
    pub(crate) revision: u64,
    /// Until when it is remembered, in Unix milliseconds.
    pub(crate) until: u64,
}

/// What a Ledger knows of its session. Times are Unix milliseconds.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) session: Option<Session>,
    /// Whether the session lives here.
    pub(crate) is_kept: bool,
    pub(crate) gone: Option<Gone>,
    /// The revision that a restored state names; its text follows.
    named: Option<u64>,
    /// Whether the stored text differs from the session.
    is_due: bool,
    /// Until when clients may remember that they were told there is no session.
    pub(crate) denied_until: u64,
}

impl Known {
    /// Restores what a state says.
    pub(crate) fn restore(kept: Option<u64>, copy: Option<u64>, gone: Option<Gone>) -> Self {
        Self {
            is_kept: kept.is_some(),
            named: kept.or(copy),
            gone,
            ..Self::default()
        }
    }

    /// Takes the stored text, if it belongs to the restored state.
    pub(crate) fn recall(&mut self, row: &str) {
        let session = Session::of_row(row);
        self.session = session.filter(|session| self.named == Some(session.revision));
    }

    /// Returns the highest revision known, of the session or of its end.
    pub(crate) fn revision(&self) -> Option<u64> {
        let session = self.session.as_ref().map(|session| session.revision);
        session.or(self.gone.map(|gone| gone.revision))
    }

    /// Returns the session, unless its time has passed.
    pub(crate) fn current(&self, now: u64) -> Option<&Session> {
        let session = self.session.as_ref();
        session.filter(|session| !session.is_over(now))
    }

    /// Returns the revision to name in the state: of a session kept here, or of a copy.
    pub(crate) fn named(&self, is_kept: bool) -> Option<u64> {
        let session = self.session.as_ref().filter(|_| self.is_kept == is_kept);
        session.map(|session| session.revision)
    }

    /// Takes a session.
    pub(crate) fn begin(&mut self, session: Session, is_kept: bool) {
        self.session = Some(session);
        self.is_kept = is_kept;
        self.gone = None;
        self.is_due = true;
    }

    /// Drops the session. Returns whether there was one.
    pub(crate) fn drop_session(&mut self) -> bool {
        let was_known = self.session.take().is_some();
        self.is_due |= was_known;
        was_known
    }

    /// Records the end of the session.
    pub(crate) fn end(&mut self, revision: u64, now: u64) {
        self.drop_session();
        self.gone = Some(Gone {
            revision,
            until: now.saturating_add(GONE_MS),
        });
    }

    /// Records that a client is told there is no session.
    pub(crate) fn deny(&mut self, now: u64) {
        let until = now.saturating_add(REMEMBERED_MS).saturating_add(MARGIN_MS);
        self.denied_until = self.denied_until.max(until);
    }

    /// Returns the session's stored form; an empty text if there is none.
    pub(crate) fn row(&self) -> String {
        self.session.as_ref().map_or(String::new(), Session::to_row)
    }

    /// Returns the same for storing it together with a state; `None` if it is stored already.
    pub(crate) fn row_to_store(&mut self) -> Option<String> {
        std::mem::take(&mut self.is_due).then(|| self.row())
    }
}

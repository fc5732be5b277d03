//! The copy of a session that is stored beside its counters, so that a Ledger that restarts knows it without asking the
//! Registry.
//!
//! The promise: a copy never outlives a write of its session. The state of the counters names the copy that belongs to
//! it, and a write removes that name before it starts. A release that knows no copies removes it too, whenever it stores
//! a state. After a day the Registry is asked again, so that one that was restored to an earlier time is noticed.

use crate::Ledger;
use crate::pulled::Pulled;

/// How long the Registry's answer is used, in milliseconds.
const MAX_AGE_MS: u64 = 24 * 60 * 60 * 1000;

/// The copy of a Ledger's session.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredCopy {
    /// The revision of the stored copy, which the state names; `None` if there is no copy.
    pub(crate) revision: Option<u64>,
    /// When the Registry was asked for the session, in Unix milliseconds.
    asked_at: u64,
    /// Whether the stored copy differs from the session.
    is_due: bool,
}

impl StoredCopy {
    /// Restores what the state says about the copy.
    pub(crate) fn named(revision: Option<u64>) -> Self {
        Self {
            revision,
            ..Self::default()
        }
    }
}

impl Ledger {
    /// Returns the session, unless it has ended or the Registry has to be asked for it again.
    pub(crate) fn current(&self, now: u64) -> Option<&Pulled> {
        let session = self.session.as_ref()?;
        let is_old = self.copy.asked_at.saturating_add(MAX_AGE_MS) <= now;
        (!is_old && !session.is_over(now)).then_some(session)
    }

    /// Recalls the session from its stored copy, if the restored state names it.
    pub fn recall(&mut self, copy: &str) {
        let read = || {
            let (numbers, text) = copy.split_once('\n')?;
            let mut numbers = numbers.split(' ').map_while(|number| number.parse().ok());
            let session = Pulled {
                revision: numbers.next()?,
                reset: numbers.next()?,
                ends: numbers.next()?,
                text: text.to_owned(),
            };
            Some((session, numbers.next()?))
        };
        if let Some((session, asked_at)) = read()
            && self.copy.revision == Some(session.revision)
        {
            self.copy.asked_at = asked_at;
            self.session = Some(session);
        }
    }

    /// Takes the session that the Registry has just answered. Its copy is stored with the next state. Only a Ledger
    /// that counts nothing has no reason of its own to store one: another would store more admissions in advance.
    pub(crate) fn keep_session(&mut self, session: Pulled, now: u64) {
        self.copy = StoredCopy {
            revision: Some(session.revision),
            asked_at: now,
            is_due: true,
        };
        self.session = Some(session);
        self.unsaved |= self.rates.is_empty() && self.quotas.is_empty();
    }

    /// Drops the session and its copy.
    pub(crate) fn drop_session(&mut self) {
        self.session = None;
        if self.copy.revision.take().is_some() {
            self.copy.is_due = true;
            self.unsaved = true;
        }
    }

    /// Returns the copy to store together with a state, an empty text to delete it; `None` if it is stored already.
    pub fn copy_to_store(&mut self) -> Option<String> {
        if !std::mem::take(&mut self.copy.is_due) {
            return None;
        }
        let Some(session) = self.session.as_ref() else {
            return Some(String::new());
        };
        let Pulled {
            revision,
            reset,
            ends,
            text,
        } = session;
        let asked_at = self.copy.asked_at;
        Some(format!("{revision} {reset} {ends} {asked_at}\n{text}"))
    }
}

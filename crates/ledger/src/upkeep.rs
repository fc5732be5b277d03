//! When a Ledger's object stores its state, and when it checks whether there is anything left to store. Times are Unix
//! milliseconds.
//!
//! The promise: counts are never stored later than the replies that depend on them leave; a busy object stores only its
//! exact numbers less often; counters that belong to no session, of which there may be any number, are stored only as
//! long as they count something; and nothing stays stored of a session that has ended some minutes ago.

/// How long an object must be without requests before it stores its exact state, in milliseconds.
const QUIET_MS: u64 = 1000;
/// How long counters without a session are kept after they stop counting, as a multiple of the time they counted:
/// recurring ones need not be stored again each time.
const RETENTION_FACTOR: u64 = 4;

/// What the platform has to do before a reply leaves, or after a timer or an alarm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chores {
    /// The state to store.
    pub store: Option<Stored>,
    /// The session to store with it; an empty text to delete the stored one.
    pub session: Option<String>,
    /// In how many milliseconds [`Object::woken`](crate::object::Object::woken) is due.
    pub wake_after: Option<u64>,
    /// When the alarm has to fire.
    pub alarm_at: Option<u64>,
}

impl Chores {
    /// Whether there is nothing to do.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.store.is_none() && self.wake_after.is_none() && self.alarm_at.is_none()
    }
}

/// A state to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// This text.
    Text(String),
    /// Nothing at all: the object ceases to exist.
    Nothing,
}

impl Stored {
    /// Converts a text, of which an empty one means nothing at all.
    fn new(text: String) -> Self {
        match text.is_empty() {
            true => Self::Nothing,
            false => Self::Text(text),
        }
    }
}

/// The state of an object's timer and alarm.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Upkeep {
    /// Whether there was a request since the timer was set.
    busy: bool,
    /// Whether a timer is running.
    timer: bool,
    /// When the alarm fires, as far as this object knows; 0 if unknown.
    alarm_at: u64,
}

impl Upkeep {
    /// Handles a change; `store` is the state to store for it, an empty text for none at all, and `settles` says whether
    /// it is less exact than the counts.
    pub(crate) fn changed(&mut self, store: Option<String>, settles: bool) -> Chores {
        self.busy = true;
        let Some(store) = store.map(Stored::new) else {
            return Chores::default();
        };
        if store == Stored::Nothing || !settles {
            return Chores {
                store: Some(store),
                ..Chores::default()
            };
        }
        let wake_after = (!self.timer).then_some(QUIET_MS);
        self.timer = true;
        Chores {
            store: Some(store),
            wake_after,
            ..Chores::default()
        }
    }

    /// Makes the alarm fire at this time, with these chores.
    pub(crate) const fn ring_at(&mut self, at: u64, chores: &mut Chores) {
        self.alarm_at = at;
        chores.alarm_at = Some(at);
    }

    /// Whether a timer is running: the stored state may be less exact than the counts.
    pub(crate) const fn has_timer(&self) -> bool {
        self.timer
    }

    /// Handles a count for which nothing has to be stored.
    pub(crate) const fn counted(&mut self) {
        self.busy = true;
    }

    /// Handles the end of the timer. `settle` returns the exact state and is called if there was no request in the
    /// meantime; `empty_at` is when the object stops counting anything.
    pub(crate) fn woken(
        &mut self,
        settle: impl FnOnce() -> Option<String>,
        empty_at: Option<u64>,
        now: u64,
    ) -> Chores {
        self.timer = std::mem::take(&mut self.busy);
        if self.timer {
            return Chores {
                wake_after: Some(QUIET_MS),
                ..Chores::default()
            };
        }
        let later = empty_at.filter(|at| *at > self.alarm_at).map(|at| {
            let kept = at.saturating_sub(now).saturating_mul(RETENTION_FACTOR);
            at.saturating_add(kept)
        });
        self.alarm_at = later.unwrap_or(self.alarm_at);
        Chores {
            store: settle().map(Stored::new),
            alarm_at: later,
            ..Chores::default()
        }
    }

    /// Handles the alarm. Counters that still count set it again when their timer ends.
    pub(crate) fn rung(&mut self, empty_at: Option<u64>, now: u64) -> Chores {
        self.alarm_at = 0;
        match empty_at.filter(|_| !self.timer) {
            None => Chores::default(),
            Some(at) if at > now => Chores {
                alarm_at: Some(at),
                ..Chores::default()
            },
            Some(_) => Chores {
                store: Some(Stored::Nothing),
                ..Chores::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_700_000_000_000;

    fn text(text: &str) -> Option<Stored> {
        Some(Stored::Text(text.to_owned()))
    }

    fn unasked() -> Option<String> {
        panic!("asked for the exact state")
    }

    #[test]
    fn a_burst_sets_one_timer_and_settles_when_it_is_over() {
        let mut upkeep = Upkeep::default();
        let first = upkeep.changed(Some("1".to_owned()), true);
        assert_eq!((first.store, first.wake_after), (text("1"), Some(QUIET_MS)));
        let second = upkeep.changed(Some("2".to_owned()), true);
        assert_eq!((second.store, second.wake_after), (text("2"), None));
        // There was a request since: it checks again later.
        let woken = upkeep.woken(unasked, Some(NOW + 10), NOW);
        assert_eq!(woken.wake_after, Some(QUIET_MS));
        assert_eq!((woken.store, woken.alarm_at), (None, None));
        // Changes that need no storing keep it busy, too.
        assert!(upkeep.changed(None, true).is_empty());
        assert_eq!(upkeep.woken(unasked, None, NOW).wake_after, Some(QUIET_MS));
        let woken = upkeep.woken(|| Some("exact".to_owned()), None, NOW);
        assert_eq!((woken.store, woken.wake_after), (text("exact"), None));
        // And the next burst has a timer of its own.
        let next = upkeep.changed(Some("3".to_owned()), true);
        assert_eq!(next.wake_after, Some(QUIET_MS));
    }

    #[test]
    fn an_exact_state_wakes_nobody() {
        let mut upkeep = Upkeep::default();
        let kept = upkeep.changed(Some("1".to_owned()), false);
        assert_eq!((kept.store, kept.wake_after), (text("1"), None));
        assert!(!upkeep.has_timer());
    }

    #[test]
    fn nothing_left_is_deleted_and_wakes_nobody() {
        let chores = Upkeep::default().changed(Some(String::new()), true);
        assert_eq!(chores.store, Some(Stored::Nothing));
        assert_eq!((chores.wake_after, chores.alarm_at), (None, None));
    }

    #[test]
    fn counters_without_a_session_are_kept_some_time_longer_than_they_count() {
        let mut upkeep = Upkeep::default();
        let woken = upkeep.woken(|| None, Some(NOW + 100), NOW);
        assert_eq!(woken.alarm_at, Some(NOW + 500));
        // Counters that count no longer than that are not stored again, those that count longer are.
        assert!(upkeep.woken(|| None, Some(NOW + 500), NOW + 400).is_empty());
        let woken = upkeep.woken(|| None, Some(NOW + 501), NOW + 401);
        assert_eq!(woken.alarm_at, Some(NOW + 901));
        // Counters of a session last as long as the session.
        assert!(Upkeep::default().woken(|| None, None, NOW).is_empty());
    }

    #[test]
    fn an_alarm_ends_what_counts_nothing_and_waits_for_the_rest() {
        let mut upkeep = Upkeep::default();
        assert_eq!(upkeep.rung(Some(NOW + 1), NOW).alarm_at, Some(NOW + 1));
        assert_eq!(upkeep.rung(Some(NOW), NOW).store, Some(Stored::Nothing));
        assert!(upkeep.rung(None, NOW).is_empty());
        upkeep.changed(Some("1".to_owned()), true);
        assert!(upkeep.rung(Some(NOW), NOW).is_empty());
        upkeep.woken(unasked, None, NOW);
        let woken = upkeep.woken(|| None, Some(NOW + 100), NOW);
        assert_eq!(woken.alarm_at, Some(NOW + 500));
    }

    #[test]
    fn an_alarm_forgets_when_it_was_set_for() {
        let mut upkeep = Upkeep::default();
        upkeep.woken(|| None, Some(NOW + 100), NOW);
        upkeep.rung(None, NOW + 500);
        let woken = upkeep.woken(|| None, Some(NOW + 200), NOW);
        assert_eq!(woken.alarm_at, Some(NOW + 1000));
    }
}

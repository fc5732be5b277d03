//! When a Ledger's object stores, and when it looks whether anything is left to be stored. Times are Unix
//! milliseconds.
//!
//! The promise: what was counted is never stored later than the answers that rest on it; what a busy object
//! stores less often is only how exact that is; and counters that belong to no session, of which there may
//! be any number, are stored only as long as they count something.

/// Milliseconds without a request after which an object stores its exact state.
const QUIET_MS: u64 = 1000;
/// For how many times as long as they count, counters without a session are kept after that: what comes again
/// and again need not be stored anew each time.
const PATIENCE: u64 = 4;

/// What the platform has to do before an answer leaves, or behind a timer or an alarm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chores {
    /// The state to store.
    pub store: Option<Stored>,
    /// After how many milliseconds [`Upkeep::woken`] is due.
    pub wake_after: Option<u64>,
    /// When the alarm has to ring.
    pub alarm_at: Option<u64>,
}

impl Chores {
    /// True if there is nothing to do.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.store.is_none() && self.wake_after.is_none() && self.alarm_at.is_none()
    }
}

/// A state as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// This text.
    Text(String),
    /// Nothing at all: the object ends to exist.
    Nothing,
}

impl Stored {
    /// An empty text is nothing at all.
    fn new(text: String) -> Self {
        match text.is_empty() {
            true => Self::Nothing,
            false => Self::Text(text),
        }
    }
}

/// What an object remembers about its timer and its alarm.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Upkeep {
    /// True if something came since the timer was set.
    busy: bool,
    /// True while a timer runs.
    timer: bool,
    /// When the alarm rings, as far as this object knows; 0 for not known.
    alarm_at: u64,
}

impl Upkeep {
    /// Something was counted or learnt; `store` is the state to store for it, an empty text for none at all.
    pub(crate) fn changed(&mut self, store: Option<String>) -> Chores {
        self.busy = true;
        let Some(store) = store.map(Stored::new) else {
            return Chores::default();
        };
        if store == Stored::Nothing {
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
            alarm_at: None,
        }
    }

    /// True while a timer runs: what is stored may say less than what was counted.
    pub(crate) const fn is_watched(&self) -> bool {
        self.timer
    }

    /// Something was counted that nothing has to be stored for.
    pub(crate) const fn counted(&mut self) {
        self.busy = true;
    }

    /// The timer ends. `settle` is asked for the exact state if nothing came meanwhile, `empty_at` when the
    /// object counts nothing any more.
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
            let kept = at.saturating_sub(now).saturating_mul(PATIENCE);
            at.saturating_add(kept)
        });
        self.alarm_at = later.unwrap_or(self.alarm_at);
        Chores {
            store: settle().map(Stored::new),
            wake_after: None,
            alarm_at: later,
        }
    }

    /// The alarm rings. What is counting now sets it anew when its timer ends.
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
        let first = upkeep.changed(Some("1".to_owned()));
        assert_eq!((first.store, first.wake_after), (text("1"), Some(QUIET_MS)));
        let second = upkeep.changed(Some("2".to_owned()));
        assert_eq!((second.store, second.wake_after), (text("2"), None));
        // Something came since: it looks again later.
        let woken = upkeep.woken(unasked, Some(NOW + 10), NOW);
        assert_eq!(woken.wake_after, Some(QUIET_MS));
        assert_eq!((woken.store, woken.alarm_at), (None, None));
        // Also what needs no storing keeps it busy.
        assert!(upkeep.changed(None).is_empty());
        assert_eq!(upkeep.woken(unasked, None, NOW).wake_after, Some(QUIET_MS));
        let woken = upkeep.woken(|| Some("exact".to_owned()), None, NOW);
        assert_eq!((woken.store, woken.wake_after), (text("exact"), None));
        // And a next burst has a timer of its own.
        let next = upkeep.changed(Some("3".to_owned()));
        assert_eq!(next.wake_after, Some(QUIET_MS));
    }

    #[test]
    fn nothing_left_is_deleted_and_wakes_nobody() {
        let chores = Upkeep::default().changed(Some(String::new()));
        assert_eq!(chores.store, Some(Stored::Nothing));
        assert_eq!((chores.wake_after, chores.alarm_at), (None, None));
    }

    #[test]
    fn counters_without_a_session_are_kept_some_time_longer_than_they_count() {
        let mut upkeep = Upkeep::default();
        let woken = upkeep.woken(|| None, Some(NOW + 100), NOW);
        assert_eq!(woken.alarm_at, Some(NOW + 500));
        // What counts no longer than that is not stored anew, what counts longer is.
        assert!(upkeep.woken(|| None, Some(NOW + 500), NOW + 400).is_empty());
        let woken = upkeep.woken(|| None, Some(NOW + 501), NOW + 401);
        assert_eq!(woken.alarm_at, Some(NOW + 901));
        // Those of a session last as long as that.
        assert!(Upkeep::default().woken(|| None, None, NOW).is_empty());
    }

    #[test]
    fn an_alarm_ends_what_counts_nothing_and_waits_for_the_rest() {
        let mut upkeep = Upkeep::default();
        assert_eq!(upkeep.rung(Some(NOW + 1), NOW).alarm_at, Some(NOW + 1));
        assert_eq!(upkeep.rung(Some(NOW), NOW).store, Some(Stored::Nothing));
        assert!(upkeep.rung(None, NOW).is_empty());
        upkeep.changed(Some("1".to_owned()));
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

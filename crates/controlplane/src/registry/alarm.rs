//! When the Registry's one alarm fires, for everything that is due at some time. Times are in Unix milliseconds.

/// What the platform has to do with its alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Leave it as it is.
    Unchanged,
    /// Set it to this time, whatever it was set to.
    At(u64),
    /// Make sure it fires at this time or earlier.
    NoLaterThan(u64),
    /// Delete it.
    Off,
}

/// What an object knows about its alarm.
#[derive(Clone, Copy, Debug)]
pub struct Alarm {
    /// When it fires, as far as this object knows.
    at: Option<u64>,
    /// When the reload has something to do.
    reload: Option<u64>,
    /// When deliveries and the expiry of keys resume after a storage error.
    pause: u64,
    /// True until it has fired once: what the previous object set it for is unknown.
    inherited: bool,
}

impl Default for Alarm {
    fn default() -> Self {
        Self {
            at: None,
            reload: None,
            pause: 0,
            inherited: true,
        }
    }
}

impl Alarm {
    /// Records that the alarm has fired. Returns whether the reload may have something to do.
    pub fn rung(&mut self, now: u64) -> bool {
        self.at = None;
        let due = self.reload.is_some_and(|at| at <= now);
        let reload = std::mem::take(&mut self.inherited) || due;
        if reload {
            self.reload = None;
        }
        reload
    }

    /// Sets when the reload next has something to do; [`Self::set`] has to follow.
    pub const fn reload_at(&mut self, at: Option<u64>) {
        self.reload = at;
    }

    /// Pauses deliveries and the expiry of keys until then.
    pub const fn pause_until(&mut self, at: u64) {
        self.pause = at;
    }

    /// Sets the alarm for what is due first: the reload, or what the rows say is `due`.
    pub fn set(&mut self, due: Option<u64>, now: u64) -> Setting {
        let due = due.map(|at| at.max(self.pause));
        let wanted = self.reload.into_iter().chain(due).min();
        match wanted {
            // An earlier alarm may be for something that only the previous object knew.
            Some(at) if self.inherited && at > now => Setting::NoLaterThan(at),
            None if self.inherited => Setting::Unchanged,
            wanted if wanted == self.at => Setting::Unchanged,
            wanted => {
                self.at = wanted;
                wanted.map_or(Setting::Off, Setting::At)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_700_000_000_000;

    fn own() -> Alarm {
        let mut alarm = Alarm::default();
        alarm.rung(NOW);
        alarm
    }

    #[test]
    fn alarm_of_the_previous_instance_is_kept_until_it_fires() {
        let mut alarm = Alarm::default();
        assert_eq!(alarm.set(None, NOW), Setting::Unchanged);
        assert_eq!(alarm.set(Some(NOW + 5), NOW), Setting::NoLaterThan(NOW + 5));
        // What is due now does not wait for the earlier alarm.
        assert_eq!(alarm.set(Some(NOW), NOW), Setting::At(NOW));
        // The alarm may have been set for a reload that was interrupted.
        assert!(alarm.rung(NOW));
        assert!(!alarm.rung(NOW));
    }

    #[test]
    fn alarm_is_set_once_for_the_earliest_due() {
        let mut alarm = own();
        assert_eq!(alarm.set(Some(NOW + 9), NOW), Setting::At(NOW + 9));
        assert_eq!(alarm.set(Some(NOW + 9), NOW), Setting::Unchanged);
        alarm.reload_at(Some(NOW + 3));
        assert_eq!(alarm.set(Some(NOW + 9), NOW), Setting::At(NOW + 3));
        assert!(!alarm.rung(NOW + 2));
        assert!(alarm.rung(NOW + 3));
        assert_eq!(alarm.set(Some(NOW + 9), NOW + 3), Setting::At(NOW + 9));
        assert_eq!(alarm.set(None, NOW + 3), Setting::Off);
        assert_eq!(alarm.set(None, NOW + 3), Setting::Unchanged);
    }

    #[test]
    fn storage_failures_delay_deliveries_but_not_reloads() {
        let mut alarm = own();
        alarm.pause_until(NOW + 10);
        assert_eq!(alarm.set(Some(NOW + 1), NOW), Setting::At(NOW + 10));
        alarm.reload_at(Some(NOW + 5));
        assert_eq!(alarm.set(Some(NOW + 1), NOW), Setting::At(NOW + 5));
    }
}

//! When a host is down, and when it is up again.

use gatewright_api::upstreams::HostState;

/// The state of a host according to one of its tests. Times are Unix milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) state: HostState,
    /// Consecutive results that contradict the state.
    pub(super) against: u32,
    /// When the host entered the state.
    pub(super) since: u64,
}

impl Standing {
    /// Applies a result. The host is down after `limit` consecutive failures, and up again after as many successes.
    /// Returns whether it has just changed from up to down or back.
    pub(super) fn apply(&mut self, is_up: bool, limit: u32, now: u64) -> bool {
        let is_as_known = match self.state {
            HostState::Untested => is_up,
            HostState::Up => is_up,
            HostState::Down => !is_up,
        };
        if is_as_known {
            self.against = 0;
            if self.state == HostState::Untested {
                (self.state, self.since) = (HostState::Up, now);
            }
            return false;
        }
        self.against = self.against.saturating_add(1);
        if self.against < limit {
            return false;
        }
        let state = if is_up {
            HostState::Up
        } else {
            HostState::Down
        };
        *self = Self {
            state,
            against: 0,
            since: now,
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a host's state after these results, one letter each, and how often it changed.
    fn after(results: &str) -> (HostState, usize) {
        let mut standing = Standing::default();
        let results = results.chars().zip(1..);
        let changes = results.filter(|(result, at)| standing.apply(*result == 'p', 3, *at));
        let changes = changes.count();
        (standing.state, changes)
    }

    #[test]
    fn state_changes_after_enough_consecutive_results() {
        for (results, state, changes) in [
            ("", HostState::Untested, 0),
            ("p", HostState::Up, 0),
            ("ff", HostState::Untested, 0),
            ("fff", HostState::Down, 1),
            ("pffpff", HostState::Up, 0),
            ("pfff", HostState::Down, 1),
            ("pfffff", HostState::Down, 1),
            ("fffppf", HostState::Down, 1),
            ("fffppfpp", HostState::Down, 1),
            ("fffppp", HostState::Up, 2),
            ("fffpppfff", HostState::Down, 3),
        ] {
            assert_eq!(after(results), (state, changes), "{results}");
        }
    }

    #[test]
    fn state_starts_with_the_deciding_result() {
        let mut standing = Standing::default();
        for (is_up, now, since) in [
            (true, 1, 1),
            (true, 2, 1),
            (false, 3, 1),
            (false, 4, 1),
            (false, 5, 5),
        ] {
            standing.apply(is_up, 3, now);
            assert_eq!(standing.since, since, "{now}");
        }
    }
}

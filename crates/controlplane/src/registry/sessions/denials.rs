//! The keys that clients have just been told do not exist.
//!
//! The promise: although isolates remember that a token is not a key, a new key works at the first request after the
//! response to its creation, because that response waits until every isolate has forgotten. Only creating a key with a
//! token that somebody has tried, a custom id or a hash, ever waits. A restarted Registry does not know what the
//! previous one has replied.

use gatewright_protocol::sessions::REMEMBERED_MS;
use std::collections::BTreeMap;

/// The maximum number tracked individually; beyond that, all hashes count as denied.
const MAX: usize = 16 * 1024;
/// The margin in milliseconds added to the time that an isolate remembers, as clocks differ.
const MARGIN_MS: u64 = 500;

/// Until when hashes count as denied, in Unix milliseconds.
#[derive(Debug, Default)]
pub(crate) struct Denials {
    denied: BTreeMap<String, u64>,
    /// Until when every hash does.
    all: u64,
    /// When it is next worth removing expired entries.
    purged_until: u64,
}

impl Denials {
    /// Records that a client is told these keys do not exist.
    pub(super) fn note(&mut self, ids: &[String], now: u64) {
        let until = now.saturating_add(REMEMBERED_MS).saturating_add(MARGIN_MS);
        if self.purged_until <= now {
            self.denied.retain(|_, until| *until > now);
            self.purged_until = until;
        }
        for id in ids {
            if self.denied.len() >= MAX && !self.denied.contains_key(id) {
                self.all = until;
            } else {
                self.denied.insert(id.clone(), until);
            }
        }
    }

    /// Returns for how many milliseconds the key with this hash may still be refused as unknown.
    pub(super) fn wait(&self, id: &str, now: u64) -> u64 {
        let own = self.denied.get(id).copied().unwrap_or(0);
        own.max(self.all).saturating_sub(now)
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    const WAIT: u64 = REMEMBERED_MS + MARGIN_MS;

    fn ids(range: std::ops::Range<usize>) -> Vec<String> {
        range.map(|number| number.to_string()).collect()
    }

    #[test]
    fn denied_id_has_to_wait() {
        let mut denials = Denials::default();
        denials.note(&ids(0..2), 1000);
        denials.note(&ids(1..2), 1500);
        assert_eq!(denials.wait("0", 1000), WAIT);
        assert_eq!(denials.wait("1", 2000), WAIT - 500);
        assert_eq!(denials.wait("0", 1000 + WAIT), 0);
        assert_eq!(denials.wait("2", 1000), 0);
    }

    #[test]
    fn too_many_are_all_and_the_number_is_bounded() {
        let mut denials = Denials::default();
        denials.note(&ids(0..MAX), 1000);
        assert_eq!(denials.wait("x", 1000), 0);
        denials.note(&ids(MAX..MAX * 2), 1500);
        assert_eq!(denials.denied.len(), MAX);
        assert_eq!(denials.wait("x", 1500), WAIT);
        assert_eq!(denials.wait("x", 1500 + WAIT), 0);
        denials.note(&ids(0..1), 1500 + WAIT);
        assert_eq!(denials.denied.len(), 1);
    }
}

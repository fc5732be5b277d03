//! Messages between an isolate and a Ledger, in the form of [`crate::registry`]; a reply that carries a session is
//! followed by the session's text, unchanged.

use crate::limits::{QuotaLimit, RateLimit};
use serde::{Deserialize, Serialize};

/// A counter that a request counts against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// The name of the counter: which limit it is and whose, such as `rate` or `quota-<api id>`. Counters of rates and
    /// of quotas have different names.
    pub name: String,
    /// The limit.
    pub limit: Limit,
    /// How a rate is smoothed: how much of it is let through for now; `None` for all of it.
    #[serde(default)]
    pub smoothing: Option<Smoothing>,
}

/// A rate that is raised and lowered in steps. It starts at the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Smoothing {
    /// How many requests are always let through.
    pub threshold: u32,
    /// The size of a step, in requests.
    pub step: u32,
    /// How close to the current rate the usage must get before a step up, in requests; a step down needs one step more.
    pub margin: u32,
    /// The minimum time between two steps, in milliseconds.
    pub delay_ms: u64,
}

/// A revision of a session, which its Ledger keeps from now on, or its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// The revision. A Ledger that has kept this one or a later one changes nothing. The end of a session has a later one
    /// than the session.
    pub revision: u64,
    /// The revision that last reset its counters.
    pub reset: u64,
    /// When the session stops existing, in Unix milliseconds; 0 means never.
    pub ends: u64,
    /// Ends up to this revision were those of earlier sessions with the same id: an import brings sessions with the
    /// revisions of another gateway.
    pub over: u64,
    /// Whether the session has ended.
    pub gone: bool,
}

impl Keep {
    /// Returns its line with the session's text: `<revision> <reset> <ends> <over>` and the text, or `<revision>` alone for
    /// the end of the session. A Ledger stores the same, so the line only grows at its end.
    #[must_use]
    pub fn with_text(&self, text: &str) -> String {
        let Self {
            revision,
            reset,
            ends,
            over,
            gone,
        } = self;
        match gone {
            true => revision.to_string(),
            false => format!("{revision} {reset} {ends} {over}\n{text}"),
        }
    }

    /// Reads what [`Self::with_text`] returns; `None` for anything else.
    #[must_use]
    pub fn read(message: &str) -> Option<(Self, &str)> {
        let Some((line, text)) = message.split_once('\n') else {
            let ended = Self {
                revision: message.parse().ok()?,
                gone: true,
                ..Self::default()
            };
            return Some((ended, ""));
        };
        let mut numbers = line.split(' ').map_while(|number| number.parse().ok());
        let keep = Self {
            revision: numbers.next()?,
            reset: numbers.next()?,
            ends: numbers.next()?,
            over: numbers.next()?,
            gone: false,
        };
        Some((keep, text))
    }
}

/// A limit of either kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Limit {
    /// At most this many in any window.
    Rate(RateLimit),
    /// At most this many in a window that starts with the first.
    Quota(QuotaLimit),
}

/// Asks whether a request may proceed, and counts it if so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consume {
    /// The revision of the session that the isolate has decided with; 0 if it knows none. `None` for a Ledger that
    /// holds no session, such as an API's.
    pub revision: Option<u64>,
    /// The counters of the request, in the order in which the limits refuse. It is counted against all of them or none.
    /// Empty to check only whether the session is still valid.
    pub counts: Vec<Count>,
    /// The counters whose state the reply includes, by their index in `counts`.
    pub show: Vec<u32>,
    /// Whether to read the counters without counting.
    pub peek: bool,
    /// Gives back a request that was counted and then refused elsewhere: for each of `counts` what its standing
    /// reported, [`Standing::at`] for a quota and [`Standing::counted_at`] for a rate. Otherwise empty.
    pub back: Vec<u64>,
    /// What the isolate reports and asks about leases of these counters.
    pub lease: Option<LeaseAsk>,
    /// Whether to reset every counter instead; for a Ledger that holds no session, as otherwise the write of the
    /// session says so.
    pub clear: bool,
}

/// The lease that an isolate wants, and the leases it has used up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseAsk {
    /// Identifies the isolate: a text that no other isolate has.
    pub holder: String,
    /// How many requests the isolate would use; 0 for no lease.
    pub want: u32,
    /// Leases that the isolate no longer uses.
    pub ended: Vec<EndedLease>,
    /// Whether no request waits for the reply; then none is counted.
    pub is_ahead: bool,
}

/// A lease that is no longer used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedLease {
    /// Its id.
    pub id: u64,
    /// How many requests it admitted.
    pub used: u32,
}

/// The right to admit requests without asking the Ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Its id, for [`EndedLease`].
    pub id: u64,
    /// How many requests it admits.
    pub count: u32,
}

/// The maximum duration of a lease, in milliseconds: a write of a session waits this long.
pub const LEASE_MS: u64 = 250;
/// The minimum duration of a lease, in milliseconds.
const SHORTEST_MS: u64 = 20;
/// Rates with shorter windows (milliseconds) are never leased.
const SHORTEST_WINDOW_MS: u64 = 200;

/// Returns how long a lease of these counters lasts, in milliseconds from when it is granted; `None` for counters that
/// are never leased. Ledger and isolate compute it alike.
#[must_use]
pub fn lease_ms(counts: &[Count]) -> Option<u64> {
    let windows = counts.iter().filter_map(|count| match count.limit {
        Limit::Rate(limit) => Some(limit.window_ms),
        // Quota windows are whole seconds.
        Limit::Quota(_) => None,
    });
    let Some(shortest) = windows.min() else {
        return Some(LEASE_MS);
    };
    let ms = (shortest / 10).clamp(SHORTEST_MS, LEASE_MS);
    (shortest >= SHORTEST_WINDOW_MS).then_some(ms)
}

impl Consume {
    /// Creates the message that resets the counters of a Ledger without a session.
    #[must_use]
    pub fn clear() -> Self {
        Self {
            clear: true,
            ..Self::default()
        }
    }

    /// Asks whether there is a session at all. If there is none, nothing stays stored for it.
    #[must_use]
    pub fn look() -> Self {
        Self {
            revision: Some(0),
            peek: true,
            ..Self::default()
        }
    }
}

/// The state of a counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// How many requests are left.
    pub remaining: u64,
    /// For a quota: when its window ends, in Unix milliseconds, `u64::MAX` for never. For a rate: in how many
    /// milliseconds another request can be admitted, 0 for now.
    pub at: u64,
    /// When the request was counted here, in Unix milliseconds by the Ledger's clock; 0 if it wasn't.
    pub counted_at: u64,
    /// For a rate with a [`Smoothing`]: how many requests are let through for now. Otherwise 0.
    #[serde(default)]
    pub allowance: u32,
    /// How the request has changed `allowance`.
    #[serde(default)]
    pub step: Step,
}

/// A step of a smoothed rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// No step.
    #[default]
    None,
    /// The rate was raised.
    Up,
    /// The rate was lowered.
    Down,
}

/// The reply of a Ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The request is counted.
    Admitted(Vec<Standing>),
    /// A limit refuses the request. Nothing is counted.
    Refused {
        /// The limit, by its index in `counts`.
        by: u32,
        /// In how many milliseconds a retry may succeed; `u64::MAX` for never.
        retry_ms: u64,
        /// The state of the counters listed in `show`.
        standings: Vec<Standing>,
    },
    /// The session has changed. Its text follows the line.
    Stale {
        /// The session's current revision.
        revision: u64,
    },
    /// The session doesn't exist, or no longer.
    Unknown,
    /// The request is counted, and the isolate may admit more of them without asking.
    Leased(Vec<Standing>, Lease),
}

impl Verdict {
    /// Returns the state of the counters listed in `show`, if the reply has it.
    #[must_use]
    pub fn standings(&self) -> &[Standing] {
        match self {
            Self::Admitted(standings)
            | Self::Leased(standings, _)
            | Self::Refused { standings, .. } => standings,
            Self::Stale { .. } | Self::Unknown => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_to_keep_is_read_as_it_was_written() {
        let sent = Keep {
            revision: 3,
            reset: 1,
            ends: 9,
            over: 2,
            gone: false,
        };
        let text = "{\"rate\":\n1}\n";
        assert_eq!(sent.with_text(text), format!("3 1 9 2\n{text}"));
        assert_eq!(Keep::read(&sent.with_text(text)), Some((sent, text)));
        // A later release may add numbers.
        assert_eq!(Keep::read("3 1 9 2 5 x\n{}"), Some((sent, "{}")));
        let ended = Keep {
            revision: 3,
            gone: true,
            ..Keep::default()
        };
        assert_eq!(ended.with_text("{}"), "3");
        assert_eq!(Keep::read("3"), Some((ended, "")));
        for wrong in ["", "x", "\n{}", "-1 2 3\n{}", "3 1 9 2", "3 1 9\n{}"] {
            assert_eq!(Keep::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_lease_lasts_a_tenth_of_the_shortest_window_within_bounds() {
        let rate = |window_ms| Count {
            name: "rate".to_owned(),
            limit: Limit::Rate(RateLimit {
                limit: 5,
                window_ms,
            }),
            smoothing: None,
        };
        let quota = Count {
            name: "quota".to_owned(),
            limit: Limit::Quota(QuotaLimit {
                max: 5,
                window_ms: 1000,
            }),
            smoothing: None,
        };
        for (windows, ms) in [
            (vec![], Some(250)),
            (vec![60_000], Some(250)),
            (vec![1000], Some(100)),
            (vec![60_000, 500], Some(50)),
            (vec![200], Some(20)),
            (vec![199], None),
            (vec![60_000, 100], None),
        ] {
            let mut counts: Vec<Count> = windows.iter().copied().map(rate).collect();
            assert_eq!(lease_ms(&counts), ms, "{windows:?}");
            counts.push(quota.clone());
            assert_eq!(lease_ms(&counts), ms, "{windows:?} and a quota");
        }
    }
}

//! What travels between an isolate and a Ledger, in the form of [`crate::registry`]; behind an
//! answer that brings a session, the session's text as it is.

use crate::limits::{QuotaLimit, RateLimit};
use serde::{Deserialize, Serialize};

/// One thing that a request counts against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// The name of the counter: which limit of whom, such as `rate` or `quota-<api id>`. Counters of
    /// rates and of quotas have different names.
    pub name: String,
    /// The limit.
    pub limit: Limit,
    /// How much of a rate is let through for now; all of it if there is none.
    #[serde(default)]
    pub smoothing: Option<Smoothing>,
}

/// A rate that is raised and lowered in steps. What is let through at first is the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Smoothing {
    /// How many requests are always let through.
    pub threshold: u32,
    /// How many requests a step is.
    pub step: u32,
    /// How far below what is let through the next step up is, in requests; a step more for one down.
    pub margin: u32,
    /// How many milliseconds pass between two steps.
    pub delay_ms: u64,
}

/// A limit of either kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Limit {
    /// So many in any window.
    Rate(RateLimit),
    /// So many in a window that begins with the first.
    Quota(QuotaLimit),
}

/// Asks whether a request may go on, and counts it if it may.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consume {
    /// The revision of the session that the isolate has decided with; 0 if it knows none. `None` for
    /// a Ledger that holds no session, that of an API.
    pub revision: Option<u64>,
    /// What the request counts against, in the order in which the limits refuse. It is counted
    /// against all of them or against none. Empty to learn only whether the session still holds.
    pub counts: Vec<Count>,
    /// The counters, by their index in `counts`, whose state the answer shows.
    pub show: Vec<u32>,
    /// True to see how the counters stand without counting.
    pub peek: bool,
    /// To give back a request that was counted and then refused elsewhere instead: for each of `counts` what
    /// its standing has said, [`Standing::at`] of a quota and [`Standing::counted_at`] of a rate. Empty else.
    pub back: Vec<u64>,
    /// What the isolate says about leases of these counters.
    pub lease: Option<LeaseAsk>,
    /// True to let every counter start anew instead; for a Ledger that holds no session, whose write would
    /// say so.
    pub clear: bool,
}

/// What an isolate wants to admit without asking, and what it has admitted so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseAsk {
    /// Who asks: a text that no other isolate has.
    pub holder: String,
    /// How many requests it would use; 0 for no lease.
    pub want: u32,
    /// Leases that it uses no more.
    pub ended: Vec<EndedLease>,
    /// True if no request waits for the answer: then none is counted.
    pub is_ahead: bool,
}

/// A lease that is used no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedLease {
    /// Its id.
    pub id: u64,
    /// How many requests were admitted by it.
    pub used: u32,
}

/// The right to admit requests without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Its id, for [`EndedLease`].
    pub id: u64,
    /// How many requests.
    pub count: u32,
}

/// The longest time (milliseconds) that a lease lasts: a write of a session waits for it.
pub const LEASE_MS: u64 = 250;
/// The shortest.
const SHORTEST_MS: u64 = 20;
/// Rates of shorter windows (milliseconds) are never leased.
const SHORTEST_WINDOW_MS: u64 = 200;

/// For how many milliseconds a lease of these counters lasts, from when it is given; `None` for counters that
/// are never leased. Ledger and isolate reckon it alike.
#[must_use]
pub fn lease_ms(counts: &[Count]) -> Option<u64> {
    let windows = counts.iter().filter_map(|count| match count.limit {
        Limit::Rate(limit) => Some(limit.window_ms),
        // Windows of whole seconds.
        Limit::Quota(_) => None,
    });
    let Some(shortest) = windows.min() else {
        return Some(LEASE_MS);
    };
    let ms = (shortest / 10).clamp(SHORTEST_MS, LEASE_MS);
    (shortest >= SHORTEST_WINDOW_MS).then_some(ms)
}

impl Consume {
    /// Lets the counters of a Ledger without a session start anew.
    #[must_use]
    pub fn clear() -> Self {
        Self {
            clear: true,
            ..Self::default()
        }
    }

    /// Asks whether there is a session at all. Where there is none, nothing stays stored for it.
    #[must_use]
    pub fn look() -> Self {
        Self {
            revision: Some(0),
            peek: true,
            ..Self::default()
        }
    }
}

/// How a counter stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// How many requests are left.
    pub remaining: u64,
    /// For a quota: when its window ends, Unix milliseconds, `u64::MAX` for never. For a rate: in
    /// how many milliseconds another request can be admitted, 0 for now.
    pub at: u64,
    /// When the request was counted here, Unix milliseconds by the Ledger's clock; 0 for one that was not.
    pub counted_at: u64,
    /// Of a rate with a [`Smoothing`]: how many requests are let through for now. 0 else.
    #[serde(default)]
    pub allowance: u32,
    /// Whether the request has changed that.
    #[serde(default)]
    pub step: Step,
}

/// A step of a smoothed rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// There was none.
    #[default]
    None,
    /// More is let through.
    Up,
    /// Less is let through.
    Down,
}

/// What a Ledger answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The request is counted.
    Admitted(Vec<Standing>),
    /// This limit, by its index in `counts`, refuses. Nothing is counted.
    Refused {
        /// Its index.
        by: u32,
        /// In how many milliseconds it may be worth another try; `u64::MAX` for never.
        retry_ms: u64,
        /// The counters that were asked for.
        standings: Vec<Standing>,
    },
    /// The session is another one now. Its text comes behind the line.
    Stale {
        /// Its revision.
        revision: u64,
    },
    /// There is no such session (any more).
    Unknown,
    /// The request is counted, and the isolate may admit more of them without asking.
    Leased(Vec<Standing>, Lease),
}

impl Verdict {
    /// How the counters stand that were asked for, if it says.
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

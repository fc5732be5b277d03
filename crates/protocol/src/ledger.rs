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
    /// To give back a request that was counted and then refused elsewhere instead: for each of `counts`
    /// when its window ends, as the standing of a quota has said; for a rate it says nothing. Empty else.
    pub back: Vec<u64>,
}

impl Consume {
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
}

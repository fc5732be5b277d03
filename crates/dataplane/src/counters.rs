//! The counters of a request, asked together (reference 3.1, rows 9, 20 and 23).
//!
//! The promise: however many limits apply to a request, it waits for their Ledgers once. The first one that refuses, in
//! the order of the chain, determines the answer; later ones take back what they counted, while earlier ones keep it,
//! because the request has passed them.

use crate::failure::{Failure, FailureReply, Reply};
use crate::limits::{self, Header, Shown};
use gatewright_protocol::ledger::{Consume, Count, Limit, Standing, Verdict};

/// The owner of a counter's limits, in the order in which they refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The organisation's, over all its keys.
    Organisation,
    /// Another key whose session was used; its Ledger only confirms the session.
    Other,
    /// The key's; its Ledger also confirms the session.
    Key,
    /// The limits of a key that counts under a text of the request (`rate_limit_pattern`).
    Pattern,
    /// The API's or one of its endpoints'.
    Api,
}

/// A question to one Ledger about a request.
#[derive(Clone, Debug)]
pub struct Counter {
    /// The owner of the limits.
    pub scope: Scope,
    /// The Ledger's name.
    pub ledger: String,
    /// The question.
    pub ask: Consume,
    /// The reply if the Ledger doesn't refuse: a refusal that takes effect only if its session is confirmed.
    pub refuses: Option<Reply>,
    /// The result.
    pub state: State,
    /// Whether a lease may answer. False for limits that must be asked for every request: quota thresholds and
    /// throttling need exact answers.
    pub is_leasable: bool,
    /// The lease that admitted the request.
    pub lease: Option<u64>,
    /// When the Ledger was asked, in Unix milliseconds.
    pub asked_at: u64,
}

/// The state of a counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It has not been asked yet.
    Pending,
    /// The request is counted; these are the standings.
    Admitted(Vec<Standing>),
    /// The request is not counted.
    Refused(Refused),
}

/// A refusal by a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The index of the refusing limit in the question.
    pub by: u32,
    /// When to retry, in milliseconds from now; `u64::MAX` for never.
    pub retry_ms: u64,
    /// The standings of all limits.
    pub standings: Vec<Standing>,
}

/// The kind of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number of requests in any window of time.
    Rate,
    /// A number of requests in a window that starts with the first one.
    Quota,
}

impl Kind {
    /// The kind of a count.
    #[must_use]
    pub const fn of(count: &Count) -> Self {
        match count.limit {
            Limit::Rate(_) => Self::Rate,
            Limit::Quota(_) => Self::Quota,
        }
    }
}

impl Counter {
    /// Creates a counter that has not been asked yet.
    #[must_use]
    pub fn new(scope: Scope, ledger: String, revision: Option<u64>, counts: Vec<Count>) -> Self {
        // How much a smoothed rate admits is known only to its Ledger.
        let is_leasable = counts.iter().all(|count| count.smoothing.is_none());
        Self {
            scope,
            ledger,
            ask: Consume {
                revision,
                show: (0..).take(counts.len()).collect(),
                counts,
                ..Consume::default()
            },
            refuses: None,
            state: State::Pending,
            is_leasable,
            lease: None,
            asked_at: 0,
        }
    }

    /// Takes a Ledger's verdict. Returns false if it is about the session, which the driver handles.
    pub fn answered(&mut self, verdict: &Verdict) -> bool {
        self.state = match verdict {
            Verdict::Admitted(standings) | Verdict::Leased(standings, _) => {
                State::Admitted(standings.clone())
            }
            Verdict::Refused {
                by,
                retry_ms,
                standings,
            } => State::Refused(Refused {
                by: *by,
                retry_ms: *retry_ms,
                standings: standings.clone(),
            }),
            Verdict::Stale { .. } | Verdict::Unknown => return false,
        };
        true
    }

    /// The kind of the limit that refused.
    #[must_use]
    pub fn refused_kind(&self) -> Option<Kind> {
        let refused = matches!(self.state, State::Refused(_));
        refused.then(|| self.refused_count().map_or(Kind::Rate, Kind::of))
    }

    /// The limit that refused.
    fn refused_count(&self) -> Option<&Count> {
        let State::Refused(Refused { by, .. }) = &self.state else {
            return None;
        };
        self.ask.counts.get(usize::try_from(*by).ok()?)
    }

    /// The question that takes back what an admitted request counted at its Ledger; `None` if it counted nothing.
    #[must_use]
    pub fn give_back(&self) -> Option<(String, Consume)> {
        let State::Admitted(standings) = &self.state else {
            return None;
        };
        if self.ask.counts.is_empty() || self.ask.peek || self.lease.is_some() {
            return None;
        }
        let counts = self.ask.counts.iter().zip(standings);
        let ask = Consume {
            revision: self.ask.revision,
            counts: self.ask.counts.clone(),
            // Nothing is taken back from another window, or another slot of one.
            back: counts
                .map(|(count, standing)| match Kind::of(count) {
                    Kind::Quota => standing.at,
                    Kind::Rate => standing.counted_at,
                })
                .collect(),
            ..Consume::default()
        };
        Some((self.ledger.clone(), ask))
    }

    /// The reply of a counter that refuses.
    #[must_use]
    pub fn reply(&self, shown: Shown, has_fields: bool, now_ms: u64) -> Option<Reply> {
        let kind = self.refused_kind()?;
        let State::Refused(refused) = &self.state else {
            return None;
        };
        let failure = match (self.scope, kind) {
            (Scope::Organisation, Kind::Rate) => Failure::OrgRate,
            (Scope::Organisation, Kind::Quota) => Failure::OrgQuota,
            (Scope::Other | Scope::Key | Scope::Pattern, Kind::Rate) => Failure::RateLimit,
            (Scope::Other | Scope::Key | Scope::Pattern, Kind::Quota) => Failure::Quota,
            (Scope::Api, _) => Failure::ApiRate,
        };
        let (counts, standings) = (&self.ask.counts, &refused.standings);
        let mut headers: Vec<Header> = Vec::new();
        // Refusals have `X-RateLimit-*` only if these report rates (reference 3.4).
        if shown == Shown::RateLimits && failure == Failure::RateLimit {
            headers.extend(limits::headers(shown, counts, standings, now_ms));
        }
        if has_fields {
            if matches!(self.scope, Scope::Key | Scope::Pattern) {
                headers.extend(limits::fields(counts, standings, now_ms));
            }
            headers.extend(limits::retry_after(refused.retry_ms, self.refused_count()));
        }
        let headers = headers.into_iter();
        Some(Reply::Failure(FailureReply {
            headers: headers
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            ..failure.into()
        }))
    }

    /// Describes the standing in sentences; empty if it was not asked or the refusal says everything.
    #[must_use]
    pub fn describe(&self, now_ms: u64) -> String {
        let (whose, has) = match self.scope {
            Scope::Organisation => ("organisation", "has"),
            Scope::Other => ("other key", "has"),
            Scope::Key => ("key", "has"),
            Scope::Pattern => ("keys of the same rate_limit_pattern", "have"),
            Scope::Api => ("API", "has"),
        };
        let (standings, again) = match &self.state {
            State::Pending => return String::new(),
            State::Admitted(standings) => (standings, None),
            State::Refused(refused) => (&refused.standings, Some(refused.retry_ms)),
        };
        let states = self.ask.counts.iter().zip(standings);
        let mut sentences: Vec<String> = Vec::new();
        for (count, standing) in states {
            let state = limits::describe(now_ms, count, standing);
            sentences.push(match (sentences.is_empty(), has) {
                (true, _) => format!("The {whose} {has} {state}"),
                (false, "has") => format!("It has {state}"),
                (false, _) => format!("They have {state}"),
            });
        }
        match again {
            Some(u64::MAX) | None => {}
            Some(ms) => sentences.push(format!(
                "There is room again in {} s",
                ms.div_ceil(1000).max(1)
            )),
        }
        if sentences.is_empty() && self.refuses.is_none() {
            return format!("The session of the {whose} holds, without limits");
        }
        sentences.join(". ")
    }
}

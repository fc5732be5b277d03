//! What a request counts against, asked together (reference 3.1, rows 9, 20 and 23).
//!
//! The promise: however many limits speak of a request, it waits for their Ledgers once. The first one
//! that refuses, in the order of the chain, answers; those behind it give back what they have counted,
//! those before it keep it, because the request has passed them.

use crate::failure::{Failure, FailureReply, Reply};
use crate::limits::{self, Header, Shown};
use gatewright_protocol::ledger::{Consume, Count, Limit, Standing, Verdict};

/// Whose limits a counter is of, in the order in which they refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The organisation's, over all its keys.
    Organisation,
    /// The key's; its Ledger also says whether the session still holds.
    Key,
    /// The limits of a key that counts under a text of the request (`rate_limit_pattern`).
    Pattern,
    /// The API's, or those of one of its endpoints.
    Api,
}

/// What one Ledger is asked about a request.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Whose limits.
    pub scope: Scope,
    /// The Ledger's name.
    pub ledger: String,
    /// The question.
    pub ask: Consume,
    /// What to answer if the Ledger has nothing against it: a refusal that holds only if the session
    /// that it was decided with still does.
    pub refuses: Option<Reply>,
    /// What has come of it.
    pub state: State,
    /// False for limits of which each request has to be asked: whoever hears of each step of a quota, or waits
    /// for room, is told of it exactly.
    pub is_leasable: bool,
    /// The lease that has admitted the request.
    pub lease: Option<u64>,
    /// When the Ledger was asked, Unix milliseconds.
    pub asked_at: u64,
}

/// What has come of a counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It has not been asked yet.
    Pending,
    /// The request is counted; so the counters stand.
    Admitted(Vec<Standing>),
    /// The request is not counted.
    Refused(Refused),
}

/// A limit that refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The counter's index in the question.
    pub by: u32,
    /// In how many milliseconds it may be worth another try; `u64::MAX` for never.
    pub retry_ms: u64,
    /// How the counters stand.
    pub standings: Vec<Standing>,
}

/// The two kinds of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// So many in any window.
    Rate,
    /// So many in a window that begins with the first.
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
    /// A question that has not been asked yet.
    #[must_use]
    pub fn new(scope: Scope, ledger: String, revision: Option<u64>, counts: Vec<Count>) -> Self {
        // How much of a smoothed rate is let through, only its Ledger knows.
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

    /// Takes a Ledger's answer; false for one about the session, which the driver sees to.
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

    /// The kind of the limit that has refused.
    #[must_use]
    pub fn refused_kind(&self) -> Option<Kind> {
        let refused = matches!(self.state, State::Refused(_));
        refused.then(|| self.refused_count().map_or(Kind::Rate, Kind::of))
    }

    /// The limit that has refused.
    fn refused_count(&self) -> Option<&Count> {
        let State::Refused(Refused { by, .. }) = &self.state else {
            return None;
        };
        self.ask.counts.get(usize::try_from(*by).ok()?)
    }

    /// Asks to give back what an admitted request has counted at its Ledger; `None` if that is nothing.
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
            // Another window, or another slot of one, owes nothing.
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

    /// The answer of a counter that refuses.
    #[must_use]
    pub fn reply(&self, shown: Shown, has_fields: bool, now_ms: u64) -> Option<Reply> {
        let kind = self.refused_kind()?;
        let State::Refused(refused) = &self.state else {
            return None;
        };
        let failure = match (self.scope, kind) {
            (Scope::Organisation, Kind::Rate) => Failure::OrgRate,
            (Scope::Organisation, Kind::Quota) => Failure::OrgQuota,
            (Scope::Key | Scope::Pattern, Kind::Rate) => Failure::RateLimit,
            (Scope::Key | Scope::Pattern, Kind::Quota) => Failure::Quota,
            (Scope::Api, _) => Failure::ApiRate,
        };
        let (counts, standings) = (&self.ask.counts, &refused.standings);
        let mut headers: Vec<Header> = Vec::new();
        // `X-RateLimit-*` come with refusals only where they carry rates (reference 3.4).
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

    /// How it stands, in sentences; empty for one that was not asked, or whose refusal says it all.
    #[must_use]
    pub fn describe(&self, now_ms: u64) -> String {
        let (whose, has) = match self.scope {
            Scope::Organisation => ("organisation", "has"),
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

//! What an isolate counts about its APIs between two reports, and what becomes of the sums.
//!
//! The promise: counting never waits and, for an API that is known here, allocates nothing. No
//! request asks a Durable Object for it: the first one after a report has the next report scheduled,
//! and the Meter (`worker/src/objects/meter.js`) adds up what all isolates report. What an isolate loses with
//! its end is at most what it has counted since its last report.

mod tally;

pub use tally::Kind;

use crate::failure::Failure;
use crate::isolate::{Asked, Way};
use gatewright_protocol::figures::{self, Close, Tally};
use gatewright_protocol::ledger::{Count, Limit, Standing, Verdict};

/// Keys close to their limit in one report; more wait for the next one.
const CLOSE_MAX: usize = 100;
/// A report that has not been sent so long after it was due never will be: its isolate's event was
/// given up.
const OVERDUE_MS: f64 = 30_000.0;

/// What has been counted since the last report.
#[derive(Debug, Default)]
pub struct Figures {
    apis: Vec<(String, Tally)>,
    /// Indices of `apis` in the order of their ids.
    order: Vec<u32>,
    close: Vec<(String, u32, Close)>,
    counted: bool,
    /// Until when nobody else has to see to the next report, Unix milliseconds.
    scheduled_until: f64,
}

impl Figures {
    /// The index of the tally of an API's requests, for as long as this isolate lives.
    pub fn api_index(&mut self, api_id: &str) -> u32 {
        let found = self
            .order
            .binary_search_by(|index| self.id(*index).cmp(api_id));
        match found {
            Ok(at) => self.order.get(at).copied().unwrap_or(u32::MAX),
            Err(at) => {
                let index = u32::try_from(self.apis.len()).unwrap_or(u32::MAX);
                self.order.insert(at, index);
                self.apis.push((api_id.to_owned(), Tally::default()));
                index
            }
        }
    }

    /// The id of the API with this index; empty if no API has it.
    #[must_use]
    pub fn api(&self, index: u32) -> &str {
        self.id(index)
    }

    /// True if something is counted that nobody sees to.
    #[must_use]
    pub fn is_waiting(&self, now_ms: f64) -> bool {
        self.counted && now_ms >= self.scheduled_until
    }

    fn id(&self, index: u32) -> &str {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        self.apis.get(index).map_or("", |(id, _)| id)
    }

    /// Counts an answer of an upstream whose headers came after so many milliseconds, or one of the cache
    /// without.
    pub fn answered(&mut self, index: u32, status: u16, ms: Option<f64>) {
        self.count(index, |tally| tally::answered(tally, status, ms));
    }

    /// Counts an answer of the gateway itself.
    pub fn failed(&mut self, index: u32, failure: Failure) {
        self.count(index, |tally| tally::failed(tally, failure));
    }

    /// Counts a request that the cache is for and that goes to the upstream, whose answer is counted apart.
    pub fn missed(&mut self, api_id: &str) {
        let index = self.api_index(api_id);
        self.count(index, tally::missed);
    }

    fn count(&mut self, index: u32, add: impl FnOnce(&mut Tally)) {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        // An index from before the module began anew has no API any more.
        if let Some((_, tally)) = self.apis.get_mut(index) {
            add(tally);
            self.counted = true;
        }
    }

    /// Counts what a Ledger was asked about a request to an API, and notes the quota of a key of which little
    /// is left, or nothing.
    pub fn counted(&mut self, api_id: &str, asked: Asked<'_>, verdict: &Verdict, now_ms: u64) {
        let index = self.api_index(api_id);
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        if let Some((_, tally)) = self.apis.get_mut(at) {
            tally::asked(tally, asked.way);
        }
        self.note(index, asked, verdict, now_ms);
    }

    /// Counts a call of a Ledger that no request has waited for.
    pub fn asked_ahead(&mut self, api_id: &str) {
        let index = self.api_index(api_id);
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        if let Some((_, tally)) = self.apis.get_mut(at) {
            tally::asked(tally, Way::Call);
        }
    }

    /// Ledgers that are none of a key hold none.
    fn note(&mut self, index: u32, asked: Asked<'_>, verdict: &Verdict, now_ms: u64) {
        let Asked { ledger, ask, .. } = asked;
        let counts = ask.counts.iter().enumerate();
        let close = counts
            .rev()
            .find_map(|(at, count)| close(at, count, verdict, now_ms));
        // A name with spaces would be split on its line.
        let hash = ledger
            .strip_prefix("key:")
            .filter(|hash| !hash.contains([' ', '\n']));
        let (Some(close), Some(hash)) = (close, hash) else {
            return;
        };
        self.counted = true;
        let same = |(key, at, _): &&mut (String, u32, Close)| key == hash && *at == index;
        if let Some((_, _, known)) = self.close.iter_mut().find(same) {
            *known = close;
        } else if self.close.len() < CLOSE_MAX {
            self.close.push((hash.to_owned(), index, close));
        }
    }

    /// True if somebody has to see to a report now, `period_ms` later; whoever hears it does.
    pub fn is_due(&mut self, now_ms: f64, period_ms: f64) -> bool {
        let due = self.counted && now_ms >= self.scheduled_until;
        if due {
            self.scheduled_until = now_ms + period_ms + OVERDUE_MS;
        }
        due
    }

    /// The report, and everything begins anew. Nothing if nothing was counted.
    pub fn take(&mut self) -> Option<String> {
        self.scheduled_until = 0.0;
        if !std::mem::take(&mut self.counted) {
            return None;
        }
        let mut report = String::new();
        for (api_id, tally) in &mut self.apis {
            if !tally.is_empty() {
                figures::api(&mut report, api_id, tally);
                *tally = Tally::default();
            }
        }
        for (hash, index, close) in std::mem::take(&mut self.close) {
            figures::close(&mut report, &hash, self.id(index), &close);
        }
        Some(report)
    }
}

/// The state of a quota of which a fifth or less is left.
fn close(at: usize, count: &Count, verdict: &Verdict, now_ms: u64) -> Option<Close> {
    let Limit::Quota(quota) = count.limit else {
        return None;
    };
    let standing = match verdict {
        Verdict::Admitted(standings) | Verdict::Leased(standings, _) => *standings.get(at)?,
        Verdict::Refused { by, retry_ms, .. } if usize::try_from(*by) == Ok(at) => Standing {
            remaining: 0,
            at: now_ms.saturating_add(*retry_ms),
            ..Standing::default()
        },
        _ => return None,
    };
    (standing.remaining <= quota.max / 5).then_some(Close {
        quota: quota.max,
        remaining: standing.remaining,
        renews_ms: match standing.at {
            u64::MAX => 0,
            at => at,
        },
    })
}

#[cfg(test)]
mod tests;

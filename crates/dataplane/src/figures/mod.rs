//! What an isolate counts for its APIs between two reports, and how it is reported.
//!
//! The promise: counting never waits and, for an API that is known here, allocates nothing. No request calls a Durable
//! Object for it: the first request after a report schedules the next one, and the Meter
//! (`worker/src/objects/meter.js`) adds up the reports of all isolates. An isolate that ends loses at most what it has
//! counted since its last report.

mod tally;

pub use tally::Kind;

use crate::failure::Failure;
use crate::isolate::{Asked, AskedVia};
use gatewright_protocol::figures::{self, Close, Tally};
use gatewright_protocol::ledger::{Count, Limit, Standing, Verdict};

/// The maximum number of keys close to their limit in one report; others wait for the next one.
const CLOSE_MAX: usize = 100;
/// A report this many milliseconds overdue will never be sent: its event was cancelled.
const OVERDUE_MS: f64 = 30_000.0;

/// The figures counted since the last report.
#[derive(Debug, Default)]
pub struct Figures {
    apis: Vec<(String, Tally)>,
    /// Indexes into `apis`, ordered by API id.
    order: Vec<u32>,
    close: Vec<(String, u32, Close)>,
    counted: bool,
    /// Until when a report is already scheduled, in Unix milliseconds.
    scheduled_until: f64,
}

impl Figures {
    /// The index of an API's tally, valid for the lifetime of this isolate.
    pub fn api_index(&mut self, api_id: &str) -> u32 {
        let found = self
            .order
            .binary_search_by(|index| self.api(*index).cmp(api_id));
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

    /// The id of the API with this index; empty if there is none.
    #[must_use]
    pub fn api(&self, index: u32) -> &str {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        self.apis.get(index).map_or("", |(id, _)| id)
    }

    /// Whether there are figures without a scheduled report.
    #[must_use]
    pub fn is_waiting(&self, now_ms: f64) -> bool {
        self.counted && now_ms >= self.scheduled_until
    }

    /// Counts an upstream's answer, whose headers arrived after `ms` milliseconds, or without `ms` one from the cache.
    pub fn answered(&mut self, index: u32, status: u16, ms: Option<f64>) {
        if let Some(tally) = self.count(index) {
            tally::answered(tally, status, ms);
        }
    }

    /// Counts an error answered by the gateway itself.
    pub fn failed(&mut self, index: u32, failure: Failure) {
        if let Some(tally) = self.count(index) {
            tally::failed(tally, failure);
        }
    }

    /// Counts a cacheable request that goes to the upstream, whose answer is counted separately.
    pub fn missed(&mut self, api_id: &str) {
        let index = self.api_index(api_id);
        if let Some(tally) = self.count(index) {
            tally::missed(tally);
        }
    }

    /// The sums to add to, which makes a report due.
    fn count(&mut self, index: u32) -> Option<&mut Tally> {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        // Indexes from before the module was restarted have no API.
        let (_, tally) = self.apis.get_mut(index)?;
        self.counted = true;
        Some(tally)
    }

    /// Counts a question to a Ledger about a request to an API, and notes the key's quota if it is nearly or fully used
    /// up.
    pub fn counted(&mut self, api_id: &str, asked: Asked<'_>, verdict: &Verdict, now_ms: u64) {
        let index = self.asked(api_id, asked.via, Some(verdict));
        self.note(index, asked, verdict, now_ms);
    }

    /// Counts a call to a Ledger that no request waited for; without a verdict if there was no answer.
    pub fn asked_ahead(&mut self, api_id: &str, verdict: Option<&Verdict>) {
        self.asked(api_id, AskedVia::Call, verdict);
    }

    /// Counts a question and the lease that it was answered with. Makes no report due, and returns the API's index.
    fn asked(&mut self, api_id: &str, via: AskedVia, verdict: Option<&Verdict>) -> u32 {
        let index = self.api_index(api_id);
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        if let Some((_, tally)) = self.apis.get_mut(at) {
            tally::asked(tally, via, verdict);
        }
        index
    }

    /// Notes a key's quota that is nearly used up; Ledgers of other owners are skipped.
    fn note(&mut self, index: u32, asked: Asked<'_>, verdict: &Verdict, now_ms: u64) {
        let Asked { ledger, ask, .. } = asked;
        let counts = ask.counts.iter().enumerate();
        let close = counts
            .rev()
            .find_map(|(at, count)| close(at, count, verdict, now_ms));
        // A name with spaces would break the report's line format.
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

    /// Whether the caller must send a report in `period_ms`; true only once per report.
    pub fn is_due(&mut self, now_ms: f64, period_ms: f64) -> bool {
        let due = self.counted && now_ms >= self.scheduled_until;
        if due {
            self.scheduled_until = now_ms + period_ms + OVERDUE_MS;
        }
        due
    }

    /// Takes the report and resets all figures; `None` if nothing was counted.
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
            figures::close(&mut report, &hash, self.api(index), &close);
        }
        Some(report)
    }
}

/// The state of a quota of which at most a fifth is left.
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

//! The sums of one API over some time.

/// Upper bounds of the buckets that upstream latencies fall into, in milliseconds; the last bucket
/// has none. Those of Prometheus' clients, and two below for upstreams next door.
pub const BOUNDS_MS: [u32; 13] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

const BUCKETS: usize = BOUNDS_MS.len().saturating_add(1);

/// The sums of one API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests, those that were refused among them.
    pub requests: u64,
    /// Answers from 500 on, and requests whose upstream could not be reached.
    pub errors: u64,
    /// Requests that were refused for their key.
    pub key_failures: u64,
    /// Requests that were refused by a rate.
    pub rate_limited: u64,
    /// Requests that were refused by a quota.
    pub quota_exceeded: u64,
    /// Requests that were refused for another reason.
    pub refused: u64,
    /// Answers of upstreams.
    pub answered: u64,
    /// The sum of the milliseconds until their headers.
    pub latency_ms: u64,
    /// Calls of Ledgers, to count requests.
    pub ledger_calls: u64,
    /// Ledgers that were counted on without a call.
    pub direct_counts: u64,
    /// Ledgers that were not asked at all: the isolate had a lease, or a refusal of a moment ago.
    pub leased_counts: u64,
    /// Requests that the cache has answered.
    pub cache_hits: u64,
    /// Requests that the cache is for, and that went to the upstream.
    pub cache_misses: u64,
    /// How many answers took how long ([`BOUNDS_MS`]).
    pub buckets: [u64; BUCKETS],
}

impl Tally {
    /// True if nothing was counted.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.requests == 0 && self.cache_misses == 0
    }

    /// Adds another one's numbers.
    pub fn add(&mut self, other: &mut Self) {
        for (sum, more) in self.columns().zip(other.columns()) {
            add(sum, *more);
        }
    }

    /// Its numbers in the order in which lines have them; those of later releases stand last.
    pub fn columns(&mut self) -> impl Iterator<Item = &mut u64> {
        [
            &mut self.requests,
            &mut self.errors,
            &mut self.key_failures,
            &mut self.rate_limited,
            &mut self.quota_exceeded,
            &mut self.refused,
            &mut self.answered,
            &mut self.latency_ms,
        ]
        .into_iter()
        .chain(&mut self.buckets)
        .chain([
            &mut self.ledger_calls,
            &mut self.direct_counts,
            &mut self.leased_counts,
            &mut self.cache_hits,
            &mut self.cache_misses,
        ])
    }

    /// Milliseconds that an upstream took on the average.
    #[must_use]
    pub fn average_ms(&self) -> Option<f64> {
        (self.answered > 0).then(|| ratio(self.latency_ms, self.answered))
    }

    /// Milliseconds within which this part of the upstreams' answers came. Between the bounds of a
    /// bucket the answers count as evenly spread, and what lies beyond the last bound counts as that
    /// bound (as Prometheus' `histogram_quantile` does).
    #[must_use]
    pub fn quantile_ms(&self, part: f64) -> Option<f64> {
        let all: u64 = self.buckets.iter().sum();
        let wanted = ratio(all, 1) * part;
        let (mut below, mut from) = (0, 0);
        for (count, bound) in self.buckets.iter().zip(BOUNDS_MS) {
            let with = add_to(below, *count);
            if *count > 0 && ratio(with, 1) >= wanted {
                let width = f64::from(bound) - f64::from(from);
                let share = (wanted - ratio(below, 1)) / ratio(*count, 1);
                return Some(f64::from(from) + width * share);
            }
            (below, from) = (with, bound);
        }
        (all > 0).then_some(f64::from(from))
    }
}

const fn add_to(sum: u64, more: u64) -> u64 {
    sum.saturating_add(more)
}

const fn add(sum: &mut u64, more: u64) {
    *sum = add_to(*sum, more);
}

/// One number over another that is not 0.
#[expect(clippy::cast_precision_loss, reason = "a display needs no 2^53")]
fn ratio(number: u64, over: u64) -> f64 {
    number as f64 / over as f64
}

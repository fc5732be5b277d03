//! The sums of one API over some time.

/// Upper bounds of the buckets for upstream latencies, in milliseconds; the last bucket is unbounded. These are the
/// default bounds of Prometheus clients, and two below them for nearby upstreams.
pub const BOUNDS_MS: [u32; 13] = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

const BUCKETS: usize = BOUNDS_MS.len().saturating_add(1);

/// The sums of one API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests, refused ones included.
    pub requests: u64,
    /// Responses with a status of 500 or above, and requests whose upstream could not be reached.
    pub errors: u64,
    /// Requests refused because of their key.
    pub key_failures: u64,
    /// Requests refused by a rate limit.
    pub rate_limited: u64,
    /// Requests refused by a quota.
    pub quota_exceeded: u64,
    /// Requests refused for another reason.
    pub refused: u64,
    /// Responses of upstreams.
    pub answered: u64,
    /// The sum of the milliseconds until their headers arrived.
    pub latency_ms: u64,
    /// Calls to Ledgers to count requests.
    pub ledger_calls: u64,
    /// Counts on Ledgers that needed no call.
    pub direct_counts: u64,
    /// Counts without any Ledger, because the isolate had a lease or a recent refusal.
    pub leased_counts: u64,
    /// Requests answered from the cache.
    pub cache_hits: u64,
    /// Cacheable requests that went to the upstream.
    pub cache_misses: u64,
    /// Leases that isolates were granted.
    pub leases: u64,
    /// The number of responses per latency bucket ([`BOUNDS_MS`]).
    pub buckets: [u64; BUCKETS],
}

impl Tally {
    /// Whether nothing was counted.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.requests == 0 && self.cache_misses == 0
    }

    /// Adds another tally's numbers.
    pub fn add(&mut self, other: &mut Self) {
        for (sum, more) in self.columns().zip(other.columns()) {
            add(sum, *more);
        }
    }

    /// Returns the numbers in the order of the columns of lines; those that later releases added come last.
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
            &mut self.leases,
        ])
    }

    /// Returns the mean latency of upstreams in milliseconds.
    #[must_use]
    pub fn average_ms(&self) -> Option<f64> {
        (self.answered > 0).then(|| ratio(self.latency_ms, self.answered))
    }

    /// Returns the quantile of upstream latencies in milliseconds. Within a bucket responses are assumed to be evenly
    /// spread, and beyond the last bound that bound is returned (as Prometheus' `histogram_quantile` does).
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

/// Divides one number by another, which must not be 0.
#[expect(clippy::cast_precision_loss, reason = "a display needs no 2^53")]
fn ratio(number: u64, over: u64) -> f64 {
    number as f64 / over as f64
}

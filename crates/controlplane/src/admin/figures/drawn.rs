//! The figures of a window, from the lines of all Meters.

use super::round;
use gatewright_api::figures::{ApiSums, CloseKey, Figures, Point, Sums};
use gatewright_model::order::sorted_by;
use gatewright_protocol::figures::{Found, Span, Tally, read};
use std::collections::BTreeMap;

/// What the lines add up to. An API has lines from several Meters if `METER_SHARDS` was changed.
#[derive(Default)]
struct Collected {
    totals: Tally,
    series: BTreeMap<u64, Tally>,
    apis: Vec<(String, Tally)>,
    close: Vec<CloseKey>,
}

impl Collected {
    fn add(&mut self, found: Found) {
        match found {
            Found::Point(at, mut tally) => {
                self.totals.add(&mut tally);
                self.series.entry(at).or_default().add(&mut tally);
            }
            Found::Api(api_id, mut tally) => {
                match self.apis.iter_mut().find(|(id, _)| *id == api_id) {
                    Some((_, sum)) => sum.add(&mut tally),
                    None => self.apis.push((api_id, tally)),
                }
            }
            Found::Key {
                hash,
                api_id,
                close,
                seen_ms,
            } => self.add_key(CloseKey {
                key_hash: hash,
                api_id,
                quota_max: close.quota,
                quota_remaining: close.remaining,
                quota_renews: close.renews_ms / 1000,
                // In milliseconds until it is compared with the key's last change.
                seen_at: seen_ms,
                ..CloseKey::default()
            }),
        }
    }

    /// Adds what was seen of a key at an API, unless something newer is known.
    fn add_key(&mut self, key: CloseKey) {
        let is_same = |other: &&mut CloseKey| {
            (&other.key_hash, &other.api_id) == (&key.key_hash, &key.api_id)
        };
        match self.close.iter_mut().find(is_same) {
            Some(other) if other.seen_at >= key.seen_at => {}
            Some(other) => *other = key,
            None => self.close.push(key),
        }
    }
}

/// Combines the figures reported by the Meters, with every point of the window.
pub(super) fn drawn(answer: &str, span: &Span, steps: u64) -> Figures {
    let mut found = Collected::default();
    read(answer).for_each(|line| found.add(line));
    // Only the lines of each single Meter are sorted.
    let most = usize::try_from(span.most).unwrap_or(usize::MAX);
    let mut apis = sorted_by(found.apis, |(_, one), (_, other)| {
        other.requests.cmp(&one.requests)
    });
    apis.truncate(most);
    let mut close = sorted_by(found.close, |one, other| {
        share(one).total_cmp(&share(other))
    });
    close.truncate(most);
    let point = |step: u64| {
        let at = span.since.saturating_add(step.saturating_mul(span.step));
        let sums = found.series.get(&at).map(sums).unwrap_or_default();
        Point { at, sums }
    };
    let named = |(api_id, tally): (String, Tally)| ApiSums {
        api_id,
        name: String::new(),
        sums: sums(&tally),
    };
    Figures {
        since: span.since,
        step_seconds: span.step,
        totals: sums(&found.totals),
        series: (0..steps).map(point).collect(),
        apis: apis.into_iter().map(named).collect(),
        close,
        ..Figures::default()
    }
}

/// Returns the remaining share of a key's quota, 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "an order needs no 2^53")]
fn share(key: &CloseKey) -> f64 {
    key.quota_remaining as f64 / key.quota_max.max(1) as f64
}

fn sums(tally: &Tally) -> Sums {
    Sums {
        requests: tally.requests,
        errors: tally.errors,
        key_failures: tally.key_failures,
        rate_limited: tally.rate_limited,
        quota_exceeded: tally.quota_exceeded,
        refused: tally.refused,
        ledger_calls: tally.ledger_calls,
        direct_counts: tally.direct_counts,
        leased_counts: tally.leased_counts,
        leases: tally.leases,
        cache_hits: tally.cache_hits,
        cache_misses: tally.cache_misses,
        average_ms: tally.average_ms().map(round),
        p95_ms: tally.quantile_ms(0.95).map(round),
    }
}

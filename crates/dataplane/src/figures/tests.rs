use super::*;
use gatewright_protocol::figures::{Found, read};
use gatewright_protocol::ledger::{Consume, Lease};
use gatewright_protocol::limits::{QuotaLimit, RateLimit};

fn reported(figures: &mut Figures) -> Vec<Found> {
    // In the Meter's answer, keys are preceded by the time they were seen, and the count of numbers per sum is given
    // once.
    let report = figures.take().unwrap_or_default();
    let count = format!("d {} ", Tally::default().columns().count());
    let report = report.replace("k ", "k 0 ").replace(&count, "a ");
    read(&report).collect()
}

fn tally(figures: &mut Figures) -> Tally {
    match reported(figures).as_slice() {
        [Found::Api(_, tally)] => tally.clone(),
        other => panic!("{other:?}"),
    }
}

const fn asked<'a>(ledger: &'a str, ask: &'a Consume) -> Asked<'a> {
    Asked {
        ledger,
        ask,
        via: AskedVia::Call,
    }
}

#[test]
fn report_covers_the_time_since_the_previous_one() {
    let mut figures = Figures::default();
    let (a, b) = (figures.api_index("a"), figures.api_index("b c"));
    assert_eq!((figures.api_index("a"), figures.api_index("b c")), (a, b));
    assert_eq!(figures.take(), None);
    figures.answered(a, 200, Some(7.4));
    figures.answered(a, 503, Some(12.0));
    figures.failed(b, Failure::Quota);
    let found = reported(&mut figures);
    let [Found::Api(first, one), Found::Api(second, other)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!((first.as_str(), second.as_str()), ("a", "b c"));
    assert_eq!((one.requests, one.errors, one.answered), (2, 1, 2));
    assert_eq!((one.latency_ms, &one.buckets[2..5]), (19, &[0, 1, 1][..]));
    assert_eq!((other.requests, other.quota_exceeded), (1, 1));
    assert_eq!(figures.take(), None);
    // Indexes stay valid across reports.
    figures.answered(b, 200, Some(1.0));
    assert_eq!(tally(&mut figures).requests, 1);
    // An index from a previous instance counts nothing.
    figures.answered(7, 200, Some(1.0));
    assert_eq!(figures.take(), None);
}

#[test]
fn ledger_calls_are_counted_separately() {
    let mut figures = Figures::default();
    let (ask, verdict) = (Consume::default(), Verdict::Admitted(Vec::new()));
    for via in [
        AskedVia::Call,
        AskedVia::Direct,
        AskedVia::Direct,
        AskedVia::Lease,
    ] {
        let ledger = "api:a";
        let asked = Asked {
            ledger,
            ask: &ask,
            via,
        };
        figures.counted("a", asked, &verdict, 0);
    }
    let index = figures.api_index("a");
    figures.answered(index, 200, Some(1.0));
    let sums = tally(&mut figures);
    assert_eq!((sums.ledger_calls, sums.direct_counts), (1, 2));
    assert_eq!((sums.leased_counts, sums.leases), (1, 0));
}

#[test]
fn each_granted_lease_is_counted() {
    let mut figures = Figures::default();
    let ask = Consume::default();
    let leased = Verdict::Leased(Vec::new(), Lease { id: 1, count: 9 });
    // With a request, ahead of one, and where there was no answer.
    figures.counted("a", asked("api:a", &ask), &leased, 0);
    figures.asked_ahead("a", Some(&leased));
    figures.asked_ahead("a", None);
    let index = figures.api_index("a");
    figures.answered(index, 200, Some(1.0));
    let sums = tally(&mut figures);
    assert_eq!((sums.ledger_calls, sums.leases), (3, 2));
}

#[test]
fn cache_hits_count_as_requests_without_upstream() {
    let mut figures = Figures::default();
    let index = figures.api_index("a");
    figures.answered(index, 200, None);
    figures.answered(index, 503, None);
    figures.missed("a");
    figures.answered(index, 200, Some(9.0));
    let sums = tally(&mut figures);
    assert_eq!((sums.requests, sums.errors), (3, 1));
    assert_eq!((sums.cache_hits, sums.cache_misses), (2, 1));
    assert_eq!((sums.answered, sums.latency_ms), (1, 9));
    // The answer to a miss may be in another report.
    figures.missed("a");
    assert_eq!(tally(&mut figures).cache_misses, 1);
}

#[test]
fn gateway_responses_are_counted_by_kind() {
    for (failure, counted) in [
        (Failure::CredentialMissing, [0, 1, 0, 0, 0]),
        (Failure::CredentialUnknown, [0, 1, 0, 0, 0]),
        (Failure::KeyExpired, [0, 1, 0, 0, 0]),
        (Failure::RateLimit, [0, 0, 1, 0, 0]),
        (Failure::ApiRate, [0, 0, 1, 0, 0]),
        (Failure::Quota, [0, 0, 0, 1, 0]),
        (Failure::OrgQuota, [0, 0, 0, 1, 0]),
        (Failure::OrgInactive, [0, 0, 0, 0, 1]),
        (Failure::LimitsUnavailable, [1, 0, 0, 0, 1]),
        (Failure::Upstream, [1, 0, 0, 0, 0]),
        (Failure::UpstreamTimeout, [1, 0, 0, 0, 0]),
    ] {
        let mut figures = Figures::default();
        let index = figures.api_index("a");
        figures.failed(index, failure);
        let tally = tally(&mut figures);
        let kinds = [
            tally.errors,
            tally.key_failures,
            tally.rate_limited,
            tally.quota_exceeded,
            tally.refused,
        ];
        assert_eq!(kinds, counted, "{failure:?}");
        assert_eq!((tally.requests, tally.answered), (1, 0), "{failure:?}");
    }
}

#[test]
fn one_report_is_scheduled_at_a_time() {
    let mut figures = Figures::default();
    assert!(!figures.is_due(0.0, 5_000.0));
    let index = figures.api_index("a");
    figures.answered(index, 200, Some(1.0));
    assert!(figures.is_due(1_000.0, 5_000.0));
    assert!(!figures.is_due(1_001.0, 5_000.0));
    assert!(!figures.is_due(35_999.0, 5_000.0));
    // The event that was to send it was cancelled.
    assert!(figures.is_due(36_000.0, 5_000.0));
    figures.take();
    assert!(!figures.is_due(36_001.0, 5_000.0));
    figures.answered(index, 200, Some(1.0));
    assert!(figures.is_due(36_002.0, 5_000.0));
}

#[test]
fn a_key_is_close_to_its_limit_when_a_fifth_is_left() {
    let rate = Count {
        name: "rate".to_owned(),
        limit: Limit::Rate(RateLimit {
            limit: 10,
            window_ms: 1000,
        }),
        smoothing: None,
    };
    let quota = Count {
        name: "quota".to_owned(),
        limit: Limit::Quota(QuotaLimit {
            max: 100,
            window_ms: 60_000,
        }),
        smoothing: None,
    };
    let ask = Consume {
        counts: vec![rate, quota],
        ..Consume::default()
    };
    let standing = |remaining, at| Standing {
        remaining,
        at,
        counted_at: 0,
        ..Standing::default()
    };
    let admitted = |left, at| Verdict::Admitted(vec![standing(0, 0), standing(left, at)]);
    let refused = |by, retry_ms| Verdict::Refused {
        by,
        retry_ms,
        standings: Vec::new(),
    };
    for (verdict, expected) in [
        (admitted(21, 5_000), None),
        (admitted(20, 5_000), Some((20, 5_000))),
        (admitted(0, u64::MAX), Some((0, 0))),
        (refused(0, 10), None),
        (refused(1, 4_000), Some((0, 5_000))),
        (refused(1, u64::MAX), Some((0, 0))),
        (Verdict::Unknown, None),
    ] {
        let mut figures = Figures::default();
        figures.counted("a b", asked("org:o", &ask), &verdict, 1_000);
        assert_eq!(reported(&mut figures), []);
        figures.counted("a b", asked("key:h", &ask), &verdict, 1_000);
        let found = expected.map(|(remaining, renews_ms)| Found::Key {
            hash: "h".to_owned(),
            api_id: "a b".to_owned(),
            close: Close {
                quota: 100,
                remaining,
                renews_ms,
            },
            seen_ms: 0,
        });
        assert_eq!(reported(&mut figures), Vec::from_iter(found), "{verdict:?}");
    }
}

#[test]
fn a_report_has_a_bounded_number_of_keys_in_their_last_state() {
    let mut figures = Figures::default();
    let quota = Limit::Quota(QuotaLimit {
        max: 10,
        window_ms: 0,
    });
    let ask = Consume {
        counts: vec![Count {
            name: "quota".to_owned(),
            limit: quota,
            smoothing: None,
        }],
        ..Consume::default()
    };
    for left in [2, 1] {
        for key in 0..500 {
            let at = u64::MAX;
            let verdict = Verdict::Admitted(vec![Standing {
                remaining: left,
                at,
                counted_at: 0,
                ..Standing::default()
            }]);
            figures.counted("a", asked(&format!("key:{key}"), &ask), &verdict, 0);
        }
    }
    let found = reported(&mut figures);
    assert_eq!(found.len(), CLOSE_MAX);
    let last = |found: &Found| matches!(found, Found::Key { close, .. } if close.remaining == 1);
    assert!(found.iter().all(last));
}

#[test]
fn quantiles_lie_between_the_bounds_of_their_bucket() {
    let mut tally = Tally::default();
    assert_eq!((tally.average_ms(), tally.quantile_ms(0.95)), (None, None));
    for ms in [4.0, 20.0, 20.0, 20.0] {
        tally::answered(&mut tally, 200, Some(ms));
    }
    assert_eq!(tally.average_ms(), Some(16.0));
    assert_eq!(tally.quantile_ms(0.25), Some(5.0));
    assert_eq!(tally.quantile_ms(0.125), Some(3.5));
    assert_eq!(tally.quantile_ms(0.5), Some(15.0));
    assert_eq!(tally.quantile_ms(1.0), Some(25.0));
    tally::answered(&mut tally, 200, Some(1e9));
    assert_eq!(tally.quantile_ms(1.0), Some(10_000.0));
}

proptest::proptest! {
    #[test]
    fn a_quantile_is_never_below_a_smaller_one(latencies: Vec<u16>, one in 0.0..1.0, other in 0.0..1.0) {
        let mut tally = Tally::default();
        for ms in &latencies {
            tally::answered(&mut tally, 200, Some(f64::from(*ms)));
        }
        let (small, large): (f64, f64) = if one < other { (one, other) } else { (other, one) };
        let (small, large) = (tally.quantile_ms(small), tally.quantile_ms(large));
        proptest::prop_assert!(small <= large);
        proptest::prop_assert_eq!(small.is_some(), !latencies.is_empty());
    }
}

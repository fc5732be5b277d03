//! Leases under a virtual clock: a real Ledger with its storage, real isolates with clocks of their own, and between
//! them calls that are slow, get lost, or find that the Ledger has restarted. Each admission is recorded when it
//! happens, and all windows are checked afterwards.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a test may fail loudly"
)]

mod world;

use gatewright_protocol::ledger::{Count, Limit};
use gatewright_protocol::limits::{QuotaLimit, RateLimit};
use proptest::prelude::*;
use world::{Plan, World};

/// Returns the largest number of admissions in any window.
fn max_in_window(admitted: &[u64], window_ms: u64) -> usize {
    let (mut first, mut most) = (0, 0);
    for (last, at) in admitted.iter().enumerate() {
        while admitted[first] + window_ms <= *at {
            first += 1;
        }
        most = most.max(last + 1 - first);
    }
    most
}

fn rate(limit: u32, window_ms: u64) -> Count {
    Count {
        name: "rate".to_owned(),
        limit: Limit::Rate(RateLimit { limit, window_ms }),
        smoothing: None,
    }
}

fn quota(max: u64, window_ms: u64) -> Count {
    Count {
        name: "quota".to_owned(),
        limit: Limit::Quota(QuotaLimit { max, window_ms }),
        smoothing: None,
    }
}

fn quiet(counts: Vec<Count>, isolates: usize, per_second: u64, delay: u64) -> Plan {
    Plan {
        seed: 7,
        counts,
        isolates,
        per_second,
        bursts: false,
        ms: 4000,
        delay,
        lost: 0,
        refused: 0,
        crashes: 0,
        writes: 0,
        repeats: 0,
    }
}

prop_compose! {
    fn plans()(
        seed in 1..u64::MAX,
        limit in prop_oneof![5..60_u32, 100..3000_u32],
        window_ms in prop_oneof![Just(200_u64), Just(1000), Just(5000), 150..3000_u64],
        load in 1..40_u64,
        isolates in 1..7_usize,
        bursts in any::<bool>(),
        delay in prop_oneof![0..3_u64, 1..30_u64, 0..300_u64],
        lost in prop_oneof![Just(0_u64), 3..30_u64],
        refused in prop_oneof![Just(0_u64), 3..30_u64],
        crashes in prop_oneof![Just(0_u64), 100..1500_u64],
        writes in prop_oneof![Just(0_u64), 400..1500_u64],
        max in prop_oneof![Just(0_u64), 50..20_000_u64],
    ) -> Plan {
        // From a tenth of the rate to four times the rate, limited by what a test has time for.
        let per_second = (u64::from(limit) * 1000 / window_ms * load / 10).clamp(10, 4000);
        let mut counts = vec![rate(limit, window_ms)];
        counts.extend((max > 0).then(|| quota(max, 3_600_000)));
        Plan { seed, isolates, bursts, lost, refused, crashes, writes, ..quiet(counts, 1, per_second, delay) }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_window_holds_one_too_many_and_no_session_outlives_its_write(plan in plans()) {
        let world = World::new(plan.clone()).run();
        for count in &plan.counts {
            match count.limit {
                Limit::Rate(rate) => {
                    let most = max_in_window(&world.admitted, rate.window_ms);
                    prop_assert!(most <= rate.limit as usize, "{most} of {}", rate.limit);
                }
                Limit::Quota(quota) => prop_assert!(world.admitted.len() as u64 <= quota.max),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn revisions_that_are_late_or_repeated_leave_no_earlier_session(
        seed in 1..u64::MAX,
        isolates in 1..4_usize,
        delay in 0..60_u64,
        crashes in prop_oneof![Just(0_u64), 300..4000_u64],
        writes in 100..6000_u64,
        repeats in 1..4_u64,
    ) {
        let counts = vec![rate(1_000_000, 1000)];
        let plan = Plan { seed, crashes, writes, repeats, ms: 40_000, ..quiet(counts, isolates, 50, delay) };
        let world = World::new(plan).run();
        prop_assert_eq!(world.admitted.len() as u64 + world.refused, world.requests);
        prop_assert!(!world.admitted.is_empty());
    }
}

#[test]
fn a_busy_key_far_below_its_limits_needs_hardly_any_calls() {
    for (counts, isolates, delay, most) in [
        (vec![rate(1_000_000, 1000)], 1, 1, 0.02),
        (vec![rate(10_000, 1000)], 4, 5, 0.06),
        (
            vec![rate(1_000_000, 60_000), quota(10_000_000, 3_600_000)],
            1,
            1,
            0.02,
        ),
        (vec![], 2, 5, 0.04),
    ] {
        let world = World::new(quiet(counts.clone(), isolates, 5000, delay)).run();
        assert_eq!(world.refused, 0, "{counts:?}");
        let calls = world.calls as f64 / world.requests as f64;
        assert!(calls < most, "{calls} calls a request for {counts:?}");
        assert_eq!(world.admitted.len() as u64, world.requests);
    }
}

#[test]
fn near_a_limit_almost_everything_allowed_is_admitted() {
    let world = World::new(quiet(vec![rate(1000, 1000)], 3, 1500, 20)).run();
    // Four windows, and the one that starts the run.
    assert!(world.admitted.len() >= 3900, "{}", world.admitted.len());
}

#[test]
fn a_flood_far_above_a_limit_is_refused_without_calls() {
    let world = World::new(quiet(vec![rate(10, 1000)], 3, 5000, 20)).run();
    assert!(
        (40..=50).contains(&world.admitted.len()),
        "{}",
        world.admitted.len()
    );
    let calls = world.calls as f64 / world.requests as f64;
    assert!(calls < 0.25, "{calls} calls a request");
}

#[test]
fn a_rarely_used_key_needs_a_call_each_time() {
    let world = World::new(quiet(vec![rate(10, 1000)], 2, 5, 20)).run();
    assert_eq!(world.calls, world.requests);
    assert_eq!(world.refused, 0);
}

//! The limiters against a simple model with a virtual clock, with crashes at any point.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]
mod direct;
mod keep;
mod sessions;
mod smoothing;
mod stored;

use gatewright_ledger::Ledger;
use gatewright_protocol::ledger::{Consume, Count, Limit, Verdict};
use gatewright_protocol::limits::{QuotaLimit, RateLimit};
use proptest::prelude::*;

const START: u64 = 1_700_000_000_000;

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

fn ask(counts: &[Count]) -> Consume {
    Consume {
        revision: None,
        counts: counts.to_vec(),
        show: (0..).take(counts.len()).collect(),
        peek: false,
        ..Consume::default()
    }
}

/// Returns the state after a start with this on disk.
fn restored(stored: &str, now: u64) -> Ledger {
    match stored {
        "" => Ledger::default(),
        stored => Ledger::restore(stored, now).unwrap(),
    }
}

/// A Ledger with its storage.
struct Object {
    ledger: Ledger,
    stored: String,
}

impl Object {
    fn new() -> Self {
        Self {
            ledger: Ledger::default(),
            stored: String::new(),
        }
    }

    /// Whether a request is admitted; the state to store is stored before the reply counts.
    fn admits(&mut self, counts: &[Count], now: u64) -> bool {
        let (verdict, _) = self.ledger.consume(&ask(counts), false, now).unwrap();
        if let Some(text) = self.ledger.to_store(now) {
            self.stored = text;
        }
        matches!(verdict, Verdict::Admitted(_))
    }

    fn settle(&mut self) {
        if let Some(text) = self.ledger.settle() {
            self.stored = text;
        }
    }

    /// Restarts from what is stored.
    fn crash(&mut self, now: u64) {
        self.ledger = restored(&self.stored, now);
    }
}

/// Returns the largest number of admissions in any window.
fn max_in_window(admitted: &[u64], window_ms: u64) -> usize {
    let mut first = 0;
    let mut most = 0;
    for (last, at) in admitted.iter().enumerate() {
        while admitted[first] + window_ms <= *at {
            first += 1;
        }
        most = most.max(last + 1 - first);
    }
    most
}

#[derive(Clone, Debug)]
enum Step {
    Requests(u32),
    Wait(u64),
    Crash(u64),
    Settle,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1..20_u32).prop_map(Step::Requests),
        4 => (0..3_000_u64).prop_map(Step::Wait),
        1 => (0..2_000_u64).prop_map(Step::Crash),
        1 => Just(Step::Settle),
    ];
    proptest::collection::vec(step, 1..120)
}

proptest! {
    #[test]
    fn no_window_ever_holds_more_than_the_rate(
        limit in 1..40_u32,
        window_ms in prop_oneof![1..3_000_u64, 9_000..20_000_u64],
        steps in steps(),
    ) {
        let counts = [rate(limit, window_ms)];
        let (mut object, mut now, mut admitted) = (Object::new(), START, Vec::new());
        for step in steps {
            match step {
                Step::Requests(number) => {
                    for _ in 0..number {
                        if object.admits(&counts, now) {
                            admitted.push(now);
                        }
                    }
                }
                Step::Wait(ms) => now += ms,
                Step::Crash(ms) => {
                    now += ms;
                    object.crash(now);
                }
                Step::Settle => object.settle(),
            }
        }
        prop_assert!(max_in_window(&admitted, window_ms) <= limit as usize);
    }

    #[test]
    fn what_a_rate_allows_is_admitted(limit in 1..2_000_u32, window_ms in 50..4_000_u64) {
        // Three windows under continuous load, one request per millisecond or more.
        let counts = [rate(limit, window_ms)];
        let each = limit.div_ceil(u32::try_from(window_ms).unwrap()) * 2;
        let mut object = Object::new();
        let mut admitted = 0_u64;
        for now in START..START + 3 * window_ms {
            for _ in 0..each {
                admitted += u64::from(object.admits(&counts, now));
            }
        }
        let allowed = u64::from(limit) * 3;
        prop_assert!(admitted <= allowed);
        prop_assert!(admitted * 100 >= allowed * 99, "{admitted} of {allowed}");
    }

    #[test]
    fn a_quota_is_exact_until_it_crashes_and_never_too_large(
        max in 1..3_000_u64,
        window_ms in 1_000..50_000_u64,
        steps in steps(),
    ) {
        let counts = [quota(max, window_ms)];
        let (mut object, mut now) = (Object::new(), START);
        let (mut crashed, mut used, mut ends) = (false, 0, 0);
        for step in steps {
            match step {
                Step::Requests(number) => {
                    for _ in 0..number * 20 {
                        if now >= ends {
                            (crashed, used, ends) = (false, 0, now + window_ms);
                        }
                        let admitted = object.admits(&counts, now);
                        used += u64::from(admitted);
                        prop_assert!(used <= max);
                        prop_assert!(crashed || admitted == (used <= max && (admitted || used < max)));
                        if !crashed && !admitted {
                            prop_assert_eq!(used, max);
                        }
                    }
                }
                Step::Wait(ms) => now += ms,
                Step::Crash(ms) => {
                    now += ms;
                    object.crash(now);
                    crashed = true;
                }
                Step::Settle => object.settle(),
            }
        }
    }
}

#[test]
fn a_restart_after_a_pause_loses_nothing() {
    let counts = [quota(1_000, 3_600_000), rate(100, 60_000)];
    let mut object = Object::new();
    for _ in 0..10 {
        assert!(object.admits(&counts, START));
    }
    object.settle();
    object.crash(START + 5_000);
    let standings = object.ledger.standings(&counts, START + 5_000);
    assert_eq!(standings[0].remaining, 990);
    assert_eq!(standings[1].remaining, 90);
}

#[test]
fn the_stored_format_is_stable() {
    // As written by releases: byte for byte now, and before formats had numbers.
    let text = r#"{"format":1,"reset":7,"rates":{"rate":[{"limit":2,"window_ms":60000},{"slots":[[1700000000000,1]],"ahead":0,"until":0}]},"quotas":{"quota":[{"max":5,"window_ms":60000},{"used":3,"renews_at":1700000060000}]}}"#;
    let counts = [rate(2, 60_000), quota(5, 60_000)];
    for stored in [text.to_owned(), text.replacen("\"format\":1,", "", 1)] {
        let mut ledger = Ledger::restore(&stored, START).unwrap();
        let left = |standings: Vec<gatewright_protocol::ledger::Standing>| {
            standings
                .iter()
                .map(|standing| standing.remaining)
                .collect::<Vec<_>>()
        };
        assert_eq!(left(ledger.standings(&counts, START)), [1, 2]);
        let (verdict, _) = ledger.consume(&ask(&counts), false, START).unwrap();
        assert!(matches!(verdict, Verdict::Admitted(_)));
        assert!(
            ledger
                .to_store(START)
                .unwrap()
                .starts_with("{\"format\":1,\"reset\":7,")
        );
        let settled = ledger.settle().unwrap();
        let counted = text
            .replacen("00,1]]", "00,1],[1700000000040,1]]", 1)
            .replacen("\"used\":3", "\"used\":4", 1);
        assert_eq!(settled, counted);
    }
}

#[test]
fn an_unreadable_state_is_an_error_and_not_a_fresh_start() {
    for (stored, reason) in [
        ("{", "the document ends here"),
        (r#"{"format":"1"}"#, "its format is no number"),
        (r#"{"rates":1}"#, "a counter is not as"),
        (
            r#"{"rates":{"rate":[{"limit":2},{}]}}"#,
            "a counter is not as",
        ),
        (
            r#"{"rates":{"rate":[{"limit":2,"window_ms":1},{"slots":1,"ahead":0,"until":0}]}}"#,
            "a counter is not as",
        ),
        (r#"{"quotas":{"quota":[1]}}"#, "a counter is not as"),
        (
            r#"{"format":2}"#,
            "format 2 is of a later release, this one reads up to 1",
        ),
    ] {
        let error = Ledger::restore(stored, START).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_crash_can_only_admit_less() {
    let counts = [quota(1_000, 3_600_000)];
    let mut object = Object::new();
    for _ in 0..5 {
        assert!(object.admits(&counts, START));
    }
    object.crash(START);
    let left = object.ledger.standings(&counts, START)[0].remaining;
    // With the first request a hundredth of the quota was stored in advance.
    assert_eq!(left, 1_000 - 11);
}

#[test]
fn an_owner_is_forgotten_only_when_nothing_depends_on_it() {
    use gatewright_ledger::object::Object;
    use gatewright_protocol::registry::encode;
    let mut object = Object::new("api:a", (None, None), START).unwrap();
    assert!(object.is_idle(START), "nothing has come");
    let mut ask = ask(&[rate(1_000, 1_000)]);
    ask.lease = Some(gatewright_protocol::ledger::LeaseAsk {
        holder: "east".to_owned(),
        want: 50,
        ..Default::default()
    });
    object
        .consume(&encode(&ask, "").unwrap(), false, START)
        .unwrap();
    assert!(object.chores(START).store.is_some());
    // What is stored in advance stays so until it is settled, however late that is.
    let late = START + 60_000;
    assert!(!object.is_idle(late));
    assert!(object.woken(late).wake_after.is_some());
    assert!(object.woken(late + 1_000).store.is_some());
    assert!(object.is_idle(late + 1_000));
    assert!(!object.is_idle(START + 10), "it is asked again and again");
    let mut object = Object::new("key:a", (None, None), START).unwrap();
    assert!(object.find(true, START).is_some());
    let denied = START + gatewright_protocol::sessions::REMEMBERED_MS + 500;
    assert!(
        !object.is_idle(denied - 1),
        "clients remember that it is unknown"
    );
    assert!(object.is_idle(START + 11_000));
}

#[test]
fn a_refusal_counts_against_nothing() {
    let counts = [rate(100, 1_000), quota(2, 60_000)];
    let mut object = Object::new();
    assert!(object.admits(&counts, START));
    assert!(object.admits(&counts, START));
    let (verdict, _) = object.ledger.consume(&ask(&counts), false, START).unwrap();
    let Verdict::Refused {
        by,
        retry_ms,
        standings,
    } = verdict
    else {
        panic!("{verdict:?}");
    };
    assert_eq!((by, retry_ms), (1, 60_000));
    assert_eq!(standings[0].remaining, 98);
    assert_eq!(standings[1].remaining, 0);
}

#[test]
fn a_refused_rate_says_when_to_come_back() {
    let counts = [rate(2, 1_000)];
    let mut object = Object::new();
    assert!(object.admits(&counts, START));
    assert!(object.admits(&counts, START + 400));
    for (at, wait) in [(401, 599), (999, 1)] {
        let (verdict, _) = object
            .ledger
            .consume(&ask(&counts), false, START + at)
            .unwrap();
        assert!(
            matches!(verdict, Verdict::Refused { retry_ms, .. } if retry_ms == wait),
            "{verdict:?}"
        );
    }
    assert!(object.admits(&counts, START + 1_000));
    assert!(!object.admits(&counts, START + 1_000));
}

#[test]
fn a_ledger_knows_when_it_is_empty() {
    let mut object = Object::new();
    assert_eq!(object.ledger.empty_at(), 0);
    assert!(object.admits(&[rate(5, 1_000)], START));
    assert_eq!(object.ledger.empty_at(), START + 1_000);
    assert!(object.admits(&[quota(5, 60_000)], START + 7));
    assert_eq!(object.ledger.empty_at(), START + 60_007);
    object.settle();
    object.crash(START + 10);
    assert_eq!(object.ledger.empty_at(), START + 60_007);
    assert!(object.admits(&[quota(5, 0)], START + 60_008));
    assert_eq!(object.ledger.empty_at(), u64::MAX);
}

#[test]
fn a_request_that_was_refused_elsewhere_is_given_back() {
    let mut object = Object::new();
    let counts = [quota(2, 1_000), rate(9, 60_000)];
    for _ in 0..2 {
        assert!(object.admits(&counts, START));
    }
    assert!(!object.admits(&counts, START + 1));
    let back = |object: &mut Object, ends: u64, now: u64| {
        let ask = Consume {
            back: vec![ends],
            counts: vec![quota(2, 1_000)],
            ..Consume::default()
        };
        let (verdict, _) = object.ledger.consume(&ask, false, now).unwrap();
        assert_eq!(verdict, Verdict::Admitted(Vec::new()));
    };
    back(&mut object, START + 1_000, START + 2);
    assert!(object.admits(&counts, START + 3));
    assert!(!object.admits(&counts, START + 4));
    // The counts of the next window don't affect this one.
    assert!(object.admits(&counts, START + 1_500));
    back(&mut object, START + 1_000, START + 1_600);
    assert!(object.admits(&counts, START + 1_700));
    assert!(!object.admits(&counts, START + 1_800));
    // At worst it is lost in a restart.
    object.settle();
    object.crash(START + 1_900);
    back(&mut object, START + 2_500, START + 1_900);
    assert!(object.admits(&counts, START + 1_950));
    assert!(!object.admits(&counts, START + 1_960));
}

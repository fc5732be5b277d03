//! Rates that are raised and lowered in steps.

use super::*;
use gatewright_protocol::ledger::{Smoothing, Step as Made};

const SMOOTHING: Smoothing = Smoothing {
    threshold: 4,
    step: 2,
    margin: 1,
    delay_ms: 1000,
};

fn smoothed(limit: u32) -> Count {
    Count {
        smoothing: Some(SMOOTHING),
        ..rate(limit, 10_000)
    }
}

impl Object {
    /// Returns whether a request is admitted, how many are let through afterwards, and the step it caused.
    fn step(&mut self, count: &Count, now: u64) -> (bool, u32, Made) {
        let (verdict, _) = self
            .ledger
            .consume(&ask(std::slice::from_ref(count)), false, now)
            .unwrap();
        if let Some(text) = self.ledger.to_store(now) {
            self.stored = text;
        }
        match verdict {
            Verdict::Admitted(standings) => (true, standings[0].allowance, standings[0].step),
            Verdict::Refused { standings, .. } => {
                (false, standings[0].allowance, standings[0].step)
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_rate_is_raised_while_more_is_asked_for_and_lowered_when_less_is() {
    let mut object = Object::new();
    let count = smoothed(9);
    for expected in [
        (true, 4, Made::None),
        (true, 4, Made::None),
        (true, 4, Made::None),
        (true, 6, Made::Up),
        (true, 6, Made::None),
        (true, 6, Made::None),
        (false, 6, Made::None),
    ] {
        assert_eq!(object.step(&count, START), expected);
    }
    assert_eq!(
        object.step(&count, START + 999),
        (false, 6, Made::None),
        "the delay"
    );
    assert_eq!(object.step(&count, START + 1000), (true, 8, Made::Up));
    assert_eq!(object.step(&count, START + 1000), (true, 8, Made::None));
    assert_eq!(object.step(&count, START + 1000), (false, 8, Made::None));
    assert_eq!(
        object.step(&count, START + 2000),
        (true, 9, Made::Up),
        "never above the rate"
    );
    for at in [2000, 3000, 9000] {
        assert_eq!(object.step(&count, START + at), (false, 9, Made::None));
    }
    // One window later.
    for (at, expected) in [
        (20_000, (true, 7, Made::Down)),
        (20_001, (true, 7, Made::None)),
        (21_000, (true, 5, Made::Down)),
        (22_000, (true, 5, Made::None)),
    ] {
        assert_eq!(object.step(&count, START + at), expected, "{at}");
    }
    assert_eq!(
        object.step(&count, START + 40_000),
        (true, 4, Made::Down),
        "never below the threshold"
    );
    assert_eq!(object.step(&count, START + 50_000), (true, 4, Made::None));
}

#[test]
fn a_restart_continues_where_it_was() {
    let mut object = Object::new();
    let count = smoothed(9);
    for _ in 0..4 {
        object.step(&count, START);
    }
    object.settle();
    object.crash(START + 1);
    assert_eq!(object.step(&count, START + 1), (true, 6, Made::None));
    assert!(object.stored.contains("allowance"));
    // A release that doesn't know smoothing omits it.
    let plain = rate(9, 10_000);
    let mut other = Object::new();
    other.step(&plain, START);
    assert!(!other.stored.contains("allowance"), "{}", other.stored);
}

#[test]
fn a_smoothed_rate_is_neither_leased_nor_counted_directly() {
    let mut ledger = Ledger::default();
    let count = smoothed(1_000_000);
    let lease = gatewright_protocol::ledger::LeaseAsk {
        holder: "a".to_owned(),
        want: 1000,
        ..gatewright_protocol::ledger::LeaseAsk::default()
    };
    let wanting = Consume {
        lease: Some(lease),
        ..ask(std::slice::from_ref(&count))
    };
    for _ in 0..3 {
        let (verdict, _) = ledger.consume(&wanting, false, START).unwrap();
        assert!(matches!(verdict, Verdict::Admitted(_)), "{verdict:?}");
        ledger.to_store(START);
        ledger.confirm(ledger.stored_number(), START);
        assert_eq!(
            ledger.count_directly(&ask(std::slice::from_ref(&count)), START),
            None
        );
    }
}

#[test]
fn peeking_changes_nothing() {
    let mut object = Object::new();
    let count = smoothed(9);
    for _ in 0..3 {
        object.step(&count, START);
    }
    let look = Consume {
        peek: true,
        ..ask(std::slice::from_ref(&count))
    };
    for _ in 0..9 {
        let (verdict, _) = object.ledger.consume(&look, false, START).unwrap();
        let Verdict::Admitted(standings) = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(
            (
                standings[0].remaining,
                standings[0].allowance,
                standings[0].step
            ),
            (1, 4, Made::None)
        );
    }
}

proptest! {
    /// Whatever happens, no window has more than the rate, one with enough requests has no less than the threshold
    /// unless there are crashes, and any two steps have the delay between them.
    #[test]
    fn the_rate_is_never_exceeded_and_the_threshold_always_there(
        steps in prop::collection::vec((1_u64..4000, 0_u32..12, any::<bool>()), 1..60),
        limit in 5_u32..20,
    ) {
        let mut object = Object::new();
        let count = smoothed(limit);
        let (mut now, mut admitted, mut crashed) = (START, Vec::new(), false);
        let mut last_step = None;
        for (wait, requests, crash) in steps {
            now += wait;
            if crash && wait % 7 == 0 {
                object.crash(now);
                crashed = true;
            }
            for _ in 0..requests {
                let (passes, allowance, moved) = object.step(&count, now);
                prop_assert!((4..=limit).contains(&allowance));
                if moved != Made::None {
                    if let Some(last) = last_step {
                        prop_assert!(now - last >= 1000, "{now} {last}");
                    }
                    last_step = Some(now);
                }
                if passes {
                    admitted.push(now);
                } else if !crashed {
                    let recent = admitted.iter().filter(|at| **at + 10_020 > now).count();
                    prop_assert!(recent >= 4, "{recent} in the window");
                }
            }
        }
        prop_assert!(max_in_window(&admitted, 10_000) <= usize::try_from(limit).unwrap());
    }
}

//! Counting without a call, against a model of the disk: a write reaches it some time after it was issued, the reply to
//! a call leaves only then, and what is counted directly leaves at once. Objects crash at any point, and one that was
//! replaced continues for as long as it may.

use crate::{START, ask, max_in_window, quota, rate, restored};
use gatewright_ledger::Ledger;
use gatewright_protocol::ledger::{Consume, Count, Keep, Verdict};
use proptest::prelude::*;

#[derive(Default)]
struct World {
    ledger: Ledger,
    /// The replaced object.
    stale: Ledger,
    /// The state that was issued for storing and is not on disk yet.
    pending: Option<String>,
    disk: String,
    /// Admissions whose replies wait for the disk.
    held: Vec<u64>,
    admitted: Vec<u64>,
    directly: usize,
}

impl World {
    fn call(&mut self, counts: &[Count], now: u64) {
        let (verdict, _) = self.ledger.consume(&ask(counts), false, now).unwrap();
        if matches!(verdict, Verdict::Admitted(_)) {
            self.held.push(now);
        }
        if let Some(text) = self.ledger.to_store(now) {
            self.pending = Some(text);
        }
        if self.pending.is_none() {
            self.admitted.append(&mut self.held);
        }
    }

    fn flush(&mut self, now: u64) {
        if let Some(text) = self.pending.take() {
            self.disk = text;
            self.ledger.confirm(self.ledger.stored_number(), now);
        }
        self.admitted.append(&mut self.held);
    }

    fn settle(&mut self) {
        if let Some(text) = self.ledger.settle() {
            self.pending = Some(text);
        }
    }

    fn crash(&mut self, now: u64) {
        let next = restored(&self.disk, now);
        self.stale = std::mem::replace(&mut self.ledger, next);
        self.pending = None;
        self.held.clear();
    }

    fn directly(&mut self, is_stale: bool, counts: &[Count], now: u64) {
        let ledger = if is_stale {
            &mut self.stale
        } else {
            &mut self.ledger
        };
        let verdict = ledger.count_directly(&ask(counts), now);
        assert!(ledger.to_store(now).is_none(), "there is nothing to store");
        if matches!(verdict, Some(Verdict::Admitted(_))) {
            self.admitted.push(now);
            self.directly += 1;
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Calls(u32),
    Directly(u32),
    Stale(u32),
    Wait(u64),
    Flush,
    Settle,
    Crash,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (1..6_u32).prop_map(Step::Calls),
        4 => (1..30_u32).prop_map(Step::Directly),
        3 => (1..30_u32).prop_map(Step::Stale),
        4 => (0..700_u64).prop_map(Step::Wait),
        4 => Just(Step::Flush),
        1 => Just(Step::Settle),
        1 => Just(Step::Crash),
    ];
    proptest::collection::vec(step, 1..150)
}

fn run(counts: &[Count], steps: Vec<Step>) -> World {
    let (mut world, mut now) = (World::default(), START);
    for step in steps {
        match step {
            Step::Calls(number) => (0..number).for_each(|_| world.call(counts, now)),
            Step::Directly(number) => {
                (0..number).for_each(|_| world.directly(false, counts, now));
            }
            Step::Stale(number) => (0..number).for_each(|_| world.directly(true, counts, now)),
            Step::Wait(ms) => now += ms,
            Step::Flush => world.flush(now),
            Step::Settle => world.settle(),
            Step::Crash => world.crash(now),
        }
    }
    world.flush(now);
    world.admitted.sort_unstable();
    world
}

proptest! {
    #[test]
    fn no_window_holds_more_than_the_rate_whoever_counts(
        limit in 1..40_u32,
        window_ms in prop_oneof![1..3_000_u64, 9_000..20_000_u64],
        steps in steps(),
    ) {
        let world = run(&[rate(limit, window_ms)], steps);
        prop_assert!(max_in_window(&world.admitted, window_ms) <= limit as usize);
    }

    #[test]
    fn no_quota_is_exceeded_whoever_counts(max in 1..600_u64, steps in steps()) {
        // A window longer than any run.
        let world = run(&[rate(10_000, 1000), quota(max, 3_600_000)], steps);
        prop_assert!(world.admitted.len() as u64 <= max);
    }
}

#[test]
fn what_a_stored_state_covers_is_counted_without_a_call() {
    let counts = [rate(100, 1000), quota(100_000, 3_600_000)];
    let mut world = World::default();
    world.directly(false, &counts, START);
    assert_eq!(world.directly, 0, "nothing is stored");
    world.call(&counts, START);
    world.directly(false, &counts, START + 1);
    assert_eq!(world.directly, 0, "it is not on the disk yet");
    world.flush(START + 5);
    for at in 6..50 {
        world.directly(false, &counts, START + at);
    }
    assert_eq!(world.directly, 44);
    let standings = world.ledger.standings(&counts, START + 50);
    assert_eq!(standings[0].remaining, 55);
    // And no longer than a second after the last call.
    world.directly(false, &counts, START + 1006);
    assert_eq!(world.directly, 44);
}

#[test]
fn a_refusal_needs_no_call_and_counts_nothing() {
    let counts = [rate(2, 1000), quota(1000, 3_600_000)];
    let mut world = World::default();
    world.call(&counts, START);
    world.flush(START + 1);
    world.directly(false, &counts, START + 2);
    let refused = world.ledger.count_directly(&ask(&counts), START + 3);
    assert!(
        matches!(refused, Some(Verdict::Refused { by: 0, .. })),
        "{refused:?}"
    );
    let standings = world.ledger.standings(&counts, START + 3);
    assert_eq!(standings[1].remaining, 998);
}

#[test]
fn another_limit_or_another_counter_asks() {
    let mut world = World::default();
    world.call(&[rate(100, 1000)], START);
    world.flush(START + 1);
    for counts in [
        vec![rate(50, 1000)],
        vec![rate(100, 1000), quota(5, 60_000)],
    ] {
        world.directly(false, &counts, START + 2);
    }
    assert_eq!(world.directly, 0);
    world.directly(false, &[rate(100, 1000)], START + 2);
    assert_eq!(world.directly, 1);
}

#[test]
fn a_session_that_is_unknown_changed_or_over_asks() {
    let look = |revision| Consume {
        revision: Some(revision),
        ..Consume::default()
    };
    let mut ledger = Ledger::default();
    let kept = |ledger: &mut Ledger, revision, gone| {
        let keep = Keep {
            revision,
            ends: START + 500,
            gone,
            ..Keep::default()
        };
        ledger.keep(keep, "{}", "", START).unwrap();
    };
    assert!(ledger.consume(&look(3), false, START).is_none());
    let directly = |ledger: &mut Ledger, revision, at| ledger.count_directly(&look(revision), at);
    assert!(directly(&mut ledger, 3, START + 1).is_none());
    kept(&mut ledger, 3, false);
    assert!(directly(&mut ledger, 3, START + 1).is_some());
    assert!(directly(&mut ledger, 2, START + 1).is_none());
    assert!(
        directly(&mut ledger, 3, START + 500).is_none(),
        "it has ended"
    );
    kept(&mut ledger, 4, false);
    assert!(directly(&mut ledger, 3, START + 2).is_none());
    assert!(directly(&mut ledger, 4, START + 2).is_some());
    kept(&mut ledger, 4, true);
    assert!(directly(&mut ledger, 4, START + 3).is_none());
}

#[test]
fn a_replaced_object_admits_only_what_its_successor_counts_as_used() {
    let counts = [rate(10, 1000)];
    let mut world = World::default();
    world.call(&counts, START);
    world.flush(START);
    world.crash(START + 1);
    for at in [900, 999, 1000, 1500, 1900] {
        for _ in 0..20 {
            world.directly(true, &counts, START + at);
            world.call(&counts, START + at + 2);
            world.flush(START + at + 2);
        }
    }
    world.admitted.sort_unstable();
    assert!(world.directly >= 9);
    assert_eq!(max_in_window(&world.admitted, 1000), 10);
}

//! Several processes of a machine, tested against the process that they ask.

use super::*;
use proptest::prelude::*;

const RULE: Rule = Rule {
    samples: 3,
    threshold: 500_000,
    rest_ms: 10_000,
    tries: true,
};
const AT: u64 = 5_000_000;

/// A machine: the serving processes, and the state they share.
struct Machine {
    common: Upstreams,
    serving: Vec<Upstreams>,
    now: u64,
    /// The number of messages sent.
    asked: usize,
}

impl Machine {
    fn new(processes: usize) -> Self {
        Self {
            common: Upstreams::default(),
            serving: (0..processes).map(|_| Upstreams::copy()).collect(),
            now: AT,
            asked: 0,
        }
    }

    fn ask(&mut self, message: &str) -> String {
        self.asked += 1;
        let (answer, news) = self.common.answer(message, self.now);
        if !news.is_empty() {
            self.serving.iter_mut().for_each(|one| one.learn(&news));
        }
        answer
    }

    fn turn(&mut self, at: usize) -> u64 {
        let now = self.now;
        match self.serving[at].turn("k", now) {
            Known::Now(turn) => turn,
            Known::Ask(message) => {
                let answer = self.ask(&message);
                self.serving[at].turn_answered("k", Some(&answer), now)
            }
        }
    }

    fn gate(&mut self, at: usize) -> (Gate, Change) {
        match self.serving[at].gate("a key", RULE, self.now) {
            Known::Now(known) => known,
            Known::Ask(message) => {
                let answer = self.ask(&message);
                self.serving[at].gate_answered("a key", Some(&answer))
            }
        }
    }

    fn ended(&mut self, at: usize, end: End) -> Change {
        match self.serving[at].ended("a key", RULE, end, self.now) {
            Known::Now(known) => known,
            Known::Ask(message) => {
                let answer = self.ask(&message);
                self.serving[at].ended_answered("a key", Some(&answer))
            }
        }
    }
}

proptest! {
    /// Whichever process each connection reaches, consecutive requests see a single order.
    #[test]
    fn turns_are_shared_between_processes(processes in prop::collection::vec(0_usize..4, 1..200)) {
        let mut machine = Machine::new(4);
        for (turn, at) in processes.into_iter().enumerate() {
            prop_assert_eq!(machine.turn(at), turn as u64);
            machine.now += 2;
        }
    }

    /// A shared breaker decides like a single one that saw everything in the same order.
    #[test]
    fn breaker_is_shared_between_processes(steps in prop::collection::vec((0_usize..4, any::<bool>(), 0_u64..900), 1..200)) {
        let mut machine = Machine::new(4);
        let mut single = Upstreams::default();
        for (at, fails, later) in steps {
            machine.now += later;
            let gate = machine.gate(at);
            prop_assert_eq!(Known::Now(gate), single.gate("a key", RULE, machine.now));
            let end = match (gate.0, fails) {
                (Gate::Open { .. }, _) => continue,
                (_, true) => End::Failed,
                (Gate::Trial, false) => End::Tried,
                (Gate::Closed, false) => End::Passed,
            };
            let change = machine.ended(at, end);
            prop_assert_eq!(Known::Now(change), single.ended("a key", RULE, end, machine.now));
        }
    }
}

#[test]
fn opened_breaker_applies_to_all_processes() {
    let mut machine = Machine::new(3);
    for at in 0..3 {
        assert_eq!(machine.gate(at).0, Gate::Closed);
    }
    let changes: Vec<Change> = [0, 1, 2].map(|at| machine.ended(at, End::Failed)).into();
    assert_eq!(changes, [Change::None, Change::None, Change::Opened]);
    let asked = machine.asked;
    for at in 0..3 {
        assert!(matches!(machine.gate(at).0, Gate::Open { .. }), "{at}");
        // Requests under way when it opened don't change its state.
        assert_eq!(machine.ended(at, End::Failed), Change::None);
        assert!(matches!(machine.gate(at).0, Gate::Open { .. }), "{at}");
    }
    assert_eq!(
        machine.asked,
        asked + 3,
        "an open breaker needs no question"
    );
    machine.now += 700;
    // One of them is admitted as a trial, and the others wait for its result.
    assert_eq!(machine.gate(1).0, Gate::Trial);
    assert!(matches!(machine.gate(0).0, Gate::Open { .. }));
    assert_eq!(machine.ended(1, End::Tried), Change::Closed);
    machine.now += 1050;
    for at in 0..3 {
        assert_eq!(machine.gate(at), (Gate::Closed, Change::None), "{at}");
    }
}

#[test]
fn new_process_syncs_before_passing_requests() {
    let mut machine = Machine::new(1);
    for _ in 0..3 {
        machine.ended(0, End::Failed);
    }
    machine.serving.push(Upstreams::copy());
    assert!(matches!(machine.gate(1).0, Gate::Open { .. }));
}

#[test]
fn turns_and_successes_are_fetched_in_blocks() {
    let mut machine = Machine::new(2);
    assert_eq!(machine.gate(0).0, Gate::Closed);
    let mut turns = Vec::new();
    for number in 0..4000 {
        machine.now = AT + number / 4;
        turns.push(machine.turn(0));
        assert_eq!(machine.gate(0).0, Gate::Closed);
        assert_eq!(machine.ended(0, End::Passed), Change::None);
    }
    assert!(machine.asked < 1100, "{} questions", machine.asked);
    turns.sort_unstable();
    turns.dedup();
    assert_eq!(turns.len(), 4000, "no turn twice");
    // All successes but the unreported ones were counted, so as many failures are needed.
    let mut failed = 0;
    while machine.ended(1, End::Failed) == Change::None {
        failed += 1;
    }
    assert!((3900..4000).contains(&failed), "{failed}");
}

#[test]
fn concurrent_requests_take_no_turn_twice_and_lose_no_block() {
    let mut machine = Machine::new(1);
    let mut turns = Vec::new();
    for round in 0..100 {
        machine.now = AT + round;
        let asks: Vec<_> = (0..20)
            .map(|_| machine.serving[0].turn("k", machine.now))
            .collect();
        for ask in asks {
            turns.push(match ask {
                Known::Now(turn) => turn,
                Known::Ask(message) => {
                    let answer = machine.ask(&message);
                    machine.serving[0].turn_answered("k", Some(&answer), machine.now)
                }
            });
        }
    }
    turns.sort_unstable();
    turns.dedup();
    assert_eq!(turns.len(), 2000);
    let last = turns.last().copied().unwrap_or_default();
    assert!(last < 2000 + BLOCK, "{last}");
}

#[test]
fn requests_proceed_if_the_object_is_unreachable() {
    let mut copy = Upstreams::copy();
    assert!(matches!(copy.turn("k", AT), Known::Ask(_)));
    assert_eq!(copy.turn_answered("k", None, AT), 0);
    assert!(matches!(copy.turn("k", AT), Known::Ask(_)));
    assert_eq!(copy.turn_answered("k", None, AT), 1);
    assert_eq!(copy.gate_answered("k", None), (Gate::Closed, Change::None));
    assert!(matches!(copy.gate("k", RULE, AT), Known::Ask(_)));
    assert_eq!(copy.ended_answered("k", None), Change::None);
    // Malformed messages and replies are ignored.
    let mut common = Upstreams::default();
    for wrong in [
        "",
        "turns",
        "turns x k",
        "breaker",
        "breaker ask 0 1",
        "breaker no 0 0 0 0 0 k",
    ] {
        assert_eq!(common.answer(wrong, AT), Default::default(), "{wrong}");
    }
    assert_eq!(
        copy.gate_answered("k", Some("x")),
        (Gate::Closed, Change::None)
    );
    copy.learn("nothing");
}

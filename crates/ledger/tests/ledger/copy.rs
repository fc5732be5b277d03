//! The stored copy of a session: what a restarted Ledger knows, and what it must not believe.

use super::{START, ask, quota};
use gatewright_ledger::Ledger;
use gatewright_ledger::object::Object;
use gatewright_ledger::pulled::Pulled;
use gatewright_protocol::asking::{self, FoundSession};
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_protocol::registry::{decode, encode};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

fn session(revision: u64) -> Pulled {
    Pulled {
        revision,
        reset: 1,
        ends: 0,
        text: format!("{{\"r\":\n{revision}}}"),
    }
}

fn with(revision: u64) -> Consume {
    Consume {
        revision: Some(revision),
        ..ask(&[quota(2, 60_000)])
    }
}

/// Returns a Ledger that has learnt a session, with its stored state and copy.
fn stored(pulled: Pulled) -> (Ledger, String, String) {
    let mut ledger = Ledger::default();
    let epoch = ledger.epoch();
    ledger.learn(epoch, Some(pulled), &with(1), START).unwrap();
    let state = ledger.to_store(START).unwrap();
    let copy = ledger.copy_to_store().unwrap();
    assert_eq!(ledger.copy_to_store(), None, "it is stored once");
    (ledger, state, copy)
}

fn restarted(state: &str, copy: &str, now: u64) -> Ledger {
    let mut ledger = Ledger::restore(state, now).unwrap();
    ledger.recall(copy);
    ledger
}

#[test]
fn a_restarted_ledger_knows_its_session() {
    let (_, state, copy) = stored(session(3));
    let mut ledger = restarted(&state, &copy, START);
    assert_eq!(ledger.find(START), Some(&session(3)));
    let (verdict, text) = ledger.consume(&with(1), START).unwrap();
    assert_eq!(verdict, Verdict::Stale { revision: 3 });
    assert_eq!(text, session(3).text);
    let (verdict, _) = ledger.consume(&with(3), START).unwrap();
    assert!(matches!(verdict, Verdict::Admitted(_)), "{verdict:?}");
    // The exact state names it, too.
    assert!(ledger.to_store(START).is_some());
    let mut ledger = restarted(&ledger.settle().unwrap(), &copy, START);
    assert_eq!(ledger.find(START), Some(&session(3)));
}

#[test]
fn a_write_removes_the_copy_before_it_starts() {
    let (mut ledger, _, copy) = stored(session(1));
    ledger.hold("write", START);
    let state = ledger.to_store(START).unwrap();
    assert_eq!(ledger.copy_to_store().as_deref(), Some(""));
    // Even if the old text were still there.
    assert_eq!(restarted(&state, &copy, START).find(START), None);
    ledger.release("write", START);
    let state = ledger.to_store(START).unwrap();
    assert_eq!(restarted(&state, &copy, START).find(START), None);
    let epoch = ledger.epoch();
    ledger.learn(epoch, Some(session(2)), &with(2), START);
    let state = ledger.settle().unwrap();
    let newer = ledger.copy_to_store().unwrap();
    assert_eq!(
        restarted(&state, &newer, START).find(START),
        Some(&session(2))
    );
    assert_eq!(restarted(&state, &copy, START).find(START), None);
}

#[test]
fn nothing_is_stored_of_what_is_learnt_during_a_write() {
    let mut ledger = Ledger::default();
    ledger.hold("write", START);
    let epoch = ledger.epoch();
    ledger.learn(epoch, Some(session(1)), &with(1), START);
    ledger.learn_found(epoch, session(1), START);
    assert_eq!(ledger.find(START), None);
    assert_eq!(ledger.copy_to_store(), None);
}

#[test]
fn a_state_of_a_release_without_copies_names_none() {
    let (_, state, copy) = stored(session(1));
    let earlier = state.replace(",\"copy\":1", "");
    assert_ne!(earlier, state);
    assert_eq!(restarted(&earlier, &copy, START).find(START), None);
    for unreadable in ["", "1", "1 1 0\n{}", "x 1 0 0\n{}"] {
        assert_eq!(restarted(&state, unreadable, START).find(START), None);
    }
}

#[test]
fn the_registry_is_asked_again_after_a_day() {
    let (mut ledger, state, copy) = stored(session(1));
    for ledger in [&mut ledger, &mut restarted(&state, &copy, START + DAY_MS)] {
        assert!(ledger.find(START + DAY_MS - 1).is_some());
        assert_eq!(ledger.find(START + DAY_MS), None);
        assert_eq!(ledger.count_directly(&with(1), START + DAY_MS), None);
        assert_eq!(ledger.consume(&with(1), START + DAY_MS), None);
    }
    let ends = Pulled {
        ends: START + 5,
        ..session(1)
    };
    let (_, state, copy) = stored(ends);
    let mut ledger = restarted(&state, &copy, START);
    assert!(ledger.find(START + 4).is_some());
    assert_eq!(ledger.find(START + 5), None);
}

#[test]
fn a_removed_session_leaves_no_copy() {
    let (mut ledger, ..) = stored(session(1));
    ledger.hold("write", START);
    ledger.release("write", START);
    let epoch = ledger.epoch();
    ledger.learn(epoch, None, &with(1), START);
    assert_eq!(ledger.to_store(START).as_deref(), Some(""));
    assert_eq!(ledger.copy_to_store().as_deref(), Some(""));
}

#[test]
fn counters_that_move_leave_the_copy_behind() {
    let (mut ledger, _, copy) = stored(session(1));
    let counters = ledger.take_counters(START).unwrap();
    assert_eq!(restarted(&counters, &copy, START).find(START), None);
    let mut other = Ledger::default();
    let epoch = other.epoch();
    other.learn(epoch, Some(session(7)), &with(7), START);
    other.copy_to_store();
    other.put_counters(&counters, START).unwrap();
    assert_eq!(other.copy_to_store().as_deref(), Some(""));
    let state = ledger.give_up(START).unwrap();
    assert_eq!(restarted(&state, &copy, START).find(START), None);
}

#[test]
fn a_lookup_learns_what_the_registry_has_found_for_it() {
    let found = |id: &str| FoundSession {
        id: id.to_owned(),
        revision: 4,
        reset: 1,
        ends: 0,
    };
    let mut object = Object::new("key:a", (None, None), START).unwrap();
    assert_eq!(object.find(START), None);
    let epoch = object.epoch();
    // A token that turns out to be another key's.
    let answer = asking::answer(&found("b"), "{}").unwrap();
    object.learn_found(epoch, &answer, START);
    assert_eq!(object.find(START), None);
    assert!(object.is_idle(START + 60_000) && object.keep(START).is_empty());
    let answer = asking::answer(&found("a"), "{}").unwrap();
    object.learn_found(epoch, &answer, START);
    assert_eq!(object.find(START), Some(answer.clone()));
    let chores = object.keep(START);
    assert!(chores.store.is_some());
    let copy = chores.copy.unwrap();
    assert_eq!(copy, format!("4 1 0 {START}\n{{}}"), "a stored format");
    // A request is then decided without another query.
    let ask = encode(&with(4), "").unwrap();
    let verdict = object.consume(&ask, START).unwrap().unwrap();
    let (verdict, _) = decode::<Verdict>(&verdict).unwrap();
    assert!(matches!(verdict, Verdict::Admitted(_)), "{verdict:?}");
    // An answer that a write has overtaken is not kept.
    let epoch = object.epoch();
    object.hold("write", START);
    object.release("write", START);
    object.learn_found(epoch, &answer, START);
    assert_eq!(object.find(START), None);
}

#[test]
fn a_lookup_notices_that_counters_were_reset() {
    let (mut ledger, ..) = stored(session(1));
    assert_eq!(ledger.standings(&[quota(2, 60_000)], START)[0].remaining, 1);
    let epoch = ledger.epoch();
    let reset = Pulled {
        reset: 5,
        ..session(5)
    };
    ledger.learn_found(epoch, reset, START);
    assert_eq!(ledger.standings(&[quota(2, 60_000)], START)[0].remaining, 2);
}

#[test]
fn a_lookup_stores_no_more_admissions_in_advance() {
    let (mut ledger, state, _) = stored(session(1));
    ledger.hold("write", START);
    ledger.release("write", START);
    let held = ledger.to_store(START).unwrap();
    let epoch = ledger.epoch();
    ledger.learn_found(epoch, session(2), START);
    assert_eq!(ledger.to_store(START), None, "{state} {held}");
    // The copy is stored with the next count, or with the exact state.
    let settled = ledger.settle().unwrap();
    let copy = ledger.copy_to_store().unwrap();
    assert_eq!(
        restarted(&settled, &copy, START).find(START),
        Some(&session(2))
    );
}

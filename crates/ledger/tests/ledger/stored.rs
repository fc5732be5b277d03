//! What is stored of a session: what a restarted Ledger knows, and what it must not believe of earlier releases.

use super::{START, ask, quota};
use gatewright_ledger::Ledger;
use gatewright_ledger::object::Object;
use gatewright_ledger::session::Session;
use gatewright_ledger::upkeep::Stored;
use gatewright_protocol::ledger::{Consume, Keep, Verdict};

const TEXT: &str = "{\"r\":\n3}";
const MINUTES: u64 = 10 * 60 * 1000;

fn session(revision: u64) -> Session {
    Session {
        revision,
        reset: 1,
        ends: 0,
        text: TEXT.to_owned(),
    }
}

fn with(revision: u64) -> Consume {
    Consume {
        revision: Some(revision),
        ..ask(&[quota(2, 60_000)])
    }
}

fn keep(ledger: &mut Ledger, revision: u64) {
    let keep = Keep {
        revision,
        reset: 1,
        ..Keep::default()
    };
    ledger.keep(keep, TEXT, "", START).unwrap();
}

fn restarted(state: &str, row: &str) -> Ledger {
    let mut ledger = Ledger::restore(state, START).unwrap();
    ledger.recall(row);
    ledger
}

#[test]
fn a_restarted_ledger_has_its_session() {
    let mut ledger = Ledger::default();
    keep(&mut ledger, 3);
    let state = ledger.to_store(START).unwrap();
    let row = ledger.session_to_store().unwrap();
    assert_eq!(ledger.session_to_store(), None, "it is stored once");
    assert_eq!(
        state, r#"{"format":1,"reset":1,"rates":{},"quotas":{},"kept":3}"#,
        "a stored format"
    );
    assert_eq!(row, format!("3 1 0 0\n{TEXT}"), "a stored format");
    let mut ledger = restarted(&state, &row);
    assert_eq!(ledger.session(), Some(&session(3)));
    assert_eq!(ledger.release(START), 0);
    assert_eq!(ledger.session(), Some(&session(3)), "it lives here");
    let (verdict, text) = ledger.consume(&with(1), false, START).unwrap();
    assert_eq!((verdict, text), (Verdict::Stale { revision: 3 }, TEXT));
    let (verdict, _) = ledger.consume(&with(3), false, START).unwrap();
    assert!(matches!(verdict, Verdict::Admitted(_)), "{verdict:?}");
    // The exact state names it, too.
    assert!(ledger.to_store(START).is_some());
    let ledger = restarted(&ledger.settle().unwrap(), &row);
    assert_eq!(ledger.session(), Some(&session(3)));
}

#[test]
fn a_copy_of_the_previous_release_is_used_until_it_is_dropped() {
    let state = r#"{"format":1,"reset":1,"rates":{},"quotas":{},"copy":3}"#;
    let row = format!("3 1 0 {START}\n{TEXT}");
    let mut ledger = restarted(state, &row);
    assert_eq!(ledger.session(), Some(&session(3)));
    let late = START + 30 * 24 * 3_600_000;
    assert!(ledger.consume(&with(3), false, late).is_some());
    assert_eq!(ledger.release(late), 0);
    assert_eq!(ledger.consume(&with(3), false, late), None);
    assert!(!ledger.to_store(late).unwrap().contains("copy"));
    assert_eq!(ledger.session_to_store().as_deref(), Some(""));
    // Once it is kept, it isn't dropped.
    let mut ledger = restarted(state, &row);
    keep(&mut ledger, 3);
    ledger.release(START);
    assert_eq!(ledger.session(), Some(&session(3)));
    let state = ledger.to_store(START).unwrap();
    assert!(state.contains("\"kept\":3}"), "{state}");
    assert_eq!(restarted(&state, &row).session(), Some(&session(3)));
}

#[test]
fn a_copy_that_does_not_belong_to_the_state_is_not_believed() {
    let row = format!("3 1 0 {START}\n{TEXT}");
    for state in [
        r#"{"format":1,"reset":1,"rates":{},"quotas":{}}"#,
        r#"{"format":1,"reset":1,"rates":{},"quotas":{},"copy":4}"#,
        r#"{"format":1,"reset":1,"rates":{},"quotas":{},"kept":4}"#,
        r#"{"format":1,"reset":1,"rates":{},"quotas":{},"holds":{"w":1},"copy":3}"#,
    ] {
        let mut ledger = restarted(state, &row);
        assert_eq!(ledger.session(), None, "{state}");
        assert_eq!(ledger.consume(&with(3), false, START), None, "{state}");
    }
    let state = r#"{"format":1,"reset":1,"rates":{},"quotas":{},"kept":3}"#;
    for unreadable in ["", "3", "3 1\n{}", "3 1 0\n{}", "x 1 0 0\n{}", "3 1 0 0"] {
        assert_eq!(restarted(state, unreadable).session(), None);
    }
    // What earlier releases stored of writes in progress is no longer written.
    let state = r#"{"format":1,"reset":0,"rates":{},"quotas":{},"holds":{"w":1}}"#;
    let mut ledger = restarted(state, "");
    ledger.consume(&ask(&[quota(2, 60_000)]), false, START);
    assert!(!ledger.to_store(START).unwrap().contains("holds"));
}

#[test]
fn an_ended_session_is_stored_with_its_counters_until_it_is_forgotten() {
    let mut object = Object::new("key:a", (None, None), START).unwrap();
    let send = |object: &mut Object, gone, now| {
        let keep = Keep {
            revision: 5,
            reset: 1,
            gone,
            ..Keep::default()
        };
        let message = keep.with_text("{}");
        object.keep(&message, "", now).unwrap()
    };
    send(&mut object, false, START);
    let ask = gatewright_protocol::registry::encode(&with(5), "").unwrap();
    object.consume(&ask, false, START).unwrap().unwrap();
    object.chores(START);
    let (counters, _) = send(&mut object, true, START);
    assert_eq!(
        counters,
        r#"{"format":1,"reset":0,"rates":{},"quotas":{"quota":[{"max":2,"window_ms":60000},{"used":1,"renews_at":1700000060000}]}}"#
    );
    let chores = object.chores(START);
    assert_eq!(chores.alarm_at, Some(START + MINUTES));
    assert_eq!(chores.session.as_deref(), Some(""));
    let Some(Stored::Text(state)) = chores.store else {
        panic!("{chores:?}");
    };
    let expected = counters.replace("]}}", "]},\"gone\":5,\"until\":1700000600000}");
    assert_eq!(state, expected, "a stored format");
    assert!(object.woken(START + 1_000).wake_after.is_some());
    assert!(object.woken(START + 2_000).is_empty());
    // Whatever restarts, it is told the same.
    let mut object = Object::new("key:a", (Some(&state), None), START).unwrap();
    assert_eq!(send(&mut object, true, START).0, counters);
    send(&mut object, false, START);
    assert_eq!(object.kept(), None);
    assert!(object.chores(START).is_empty());
    assert_eq!(object.rung(START + MINUTES - 1).store, None);
    let chores = object.rung(START + MINUTES);
    assert_eq!(chores.store, Some(Stored::Nothing));
    send(&mut object, false, START + MINUTES);
    assert!(object.kept().is_some(), "nobody remembers the end");
}

#[test]
fn a_session_that_follows_an_ended_one_outlives_the_alarm() {
    let mut object = Object::new("key:a", (None, None), START).unwrap();
    for (revision, gone) in [(5, false), (5, true), (6, false)] {
        let keep = Keep {
            revision,
            gone,
            ..Keep::default()
        };
        let message = keep.with_text("{}");
        object.keep(&message, "", START).unwrap();
        object.chores(START);
    }
    assert!(object.rung(START + MINUTES).is_empty());
    assert!(object.kept().is_some());
    // The object of a single owner is looked after without its name.
    let state = r#"{"format":1,"reset":0,"rates":{},"quotas":{},"kept":6}"#;
    let mut object = Object::new("", (Some(state), Some("6 0 0 0\n{}")), START).unwrap();
    assert!(object.rung(START + MINUTES).is_empty());
}

#[test]
fn a_session_moves_with_its_ledger() {
    let mut from = Ledger::default();
    assert_eq!(from.give_up(START), None);
    keep(&mut from, 3);
    let (state, row) = from.give_up(START).unwrap();
    let mut to = restarted(&state, &row);
    to.release(START);
    assert_eq!(to.session(), Some(&session(3)), "it is kept");
    // A copy moves as one, and an end as an end.
    let mut from = Ledger::default();
    from.learn(session(3), START);
    let (state, row) = from.give_up(START).unwrap();
    let mut to = restarted(&state, &row);
    assert_eq!(to.session(), Some(&session(3)));
    to.release(START);
    assert_eq!(to.session(), None);
    let gone = Keep {
        revision: 4,
        gone: true,
        ..Keep::default()
    };
    from.keep(gone, "", "", START).unwrap();
    let (state, row) = from.give_up(START).unwrap();
    assert_eq!(row, "");
    let mut to = restarted(&state, &row);
    keep(&mut to, 4);
    assert_eq!(to.session(), None);
}

#[test]
fn a_lookup_stores_no_more_admissions_in_advance() {
    let mut ledger = Ledger::default();
    ledger.learn(session(1), START);
    ledger.consume(&with(1), false, START);
    ledger.to_store(START);
    ledger.release(START);
    ledger.to_store(START);
    ledger.session_to_store();
    ledger.learn(session(2), START);
    assert_eq!(ledger.to_store(START), None);
    // The copy is stored with the next count, or with the exact state.
    let settled = ledger.settle().unwrap();
    let row = ledger.session_to_store().unwrap();
    assert_eq!(restarted(&settled, &row).session(), Some(&session(2)));
}

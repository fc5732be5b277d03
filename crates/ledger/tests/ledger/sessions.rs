//! Which session a Ledger has, and what becomes of its counters.

use super::{START, ask, quota, rate};
use gatewright_ledger::Ledger;
use gatewright_ledger::object::{Learnt, Object};
use gatewright_ledger::session::Session;
use gatewright_protocol::asking::{self, FoundSession};
use gatewright_protocol::ledger::{Consume, Keep, LeaseAsk, Verdict};
use gatewright_protocol::registry::{Refusal, Reply, decode, encode};
use gatewright_protocol::sessions::{Owner, REMEMBERED_MS, SessionAsk};

const DENIED_MS: u64 = REMEMBERED_MS + 500;

fn session(revision: u64, reset: u64) -> Session {
    Session {
        revision,
        reset,
        ends: 0,
        text: format!("{{\"r\":{revision}}}"),
    }
}

fn keep(ledger: &mut Ledger, revision: u64, reset: u64) -> u64 {
    let keep = Keep {
        revision,
        reset,
        ..Keep::default()
    };
    let text = session(revision, reset).text;
    ledger.keep(keep, &text, "", START).unwrap().1
}

fn end(ledger: &mut Ledger, revision: u64) -> (String, u64) {
    let keep = Keep {
        revision,
        gone: true,
        ..Keep::default()
    };
    ledger.keep(keep, "", "", START).unwrap()
}

/// A request that counts against a quota of two.
fn with(revision: u64) -> Consume {
    Consume {
        revision: Some(revision),
        ..ask(&[quota(2, 60_000)])
    }
}

fn verdict(ledger: &mut Ledger, revision: u64) -> Verdict {
    ledger.consume(&with(revision), true, START).unwrap().0
}

fn admits(ledger: &mut Ledger, revision: u64) -> bool {
    matches!(verdict(ledger, revision), Verdict::Admitted(_))
}

/// Asks for a lease of a rate; returns whether it is granted.
fn leases(ledger: &mut Ledger, revision: Option<u64>) -> bool {
    let mut ask = ask(&[rate(1_000, 1_000)]);
    ask.revision = revision;
    ask.lease = Some(LeaseAsk {
        holder: "east".to_owned(),
        want: 50,
        ..LeaseAsk::default()
    });
    let answer = ledger.consume(&ask, true, START);
    matches!(answer, Some((Verdict::Leased(..), _)))
}

#[test]
fn an_isolate_with_an_older_session_gets_the_newer_one() {
    let mut ledger = Ledger::default();
    assert_eq!(ledger.consume(&with(0), false, START), None);
    assert_eq!(keep(&mut ledger, 3, 1), 0);
    let (stale, text) = ledger.consume(&with(0), false, START).unwrap();
    assert_eq!((stale, text), (Verdict::Stale { revision: 3 }, "{\"r\":3}"));
    assert!(admits(&mut ledger, 3));
}

#[test]
fn a_write_that_resets_clears_the_counters_and_another_does_not() {
    let mut ledger = Ledger::default();
    let next = |ledger: &mut Ledger, revision, reset| {
        keep(ledger, revision, reset);
        admits(ledger, revision)
    };
    assert!(next(&mut ledger, 1, 1));
    assert!(next(&mut ledger, 2, 1));
    assert!(!next(&mut ledger, 3, 1));
    assert!(next(&mut ledger, 4, 4));
    // A session that follows one that has ended has counters of its own.
    end(&mut ledger, 4);
    assert!(next(&mut ledger, 5, 4));
    assert!(next(&mut ledger, 5, 4));
    assert!(!next(&mut ledger, 5, 4));
}

#[test]
fn nothing_that_is_older_changes_anything() {
    let mut ledger = Ledger::default();
    keep(&mut ledger, 5, 1);
    assert!(admits(&mut ledger, 5));
    let before = ledger.to_store(START);
    for revision in [1, 4, 5] {
        keep(&mut ledger, revision, revision);
        ledger.learn(session(revision, revision), START);
    }
    assert_eq!(end(&mut ledger, 4), (String::new(), 0));
    assert_eq!(ledger.session(), Some(&session(5, 1)));
    assert_eq!(ledger.to_store(START), None, "{before:?}");
    assert!(admits(&mut ledger, 5));
    assert!(!admits(&mut ledger, 5));
}

#[test]
fn an_ended_session_is_not_brought_back_and_gives_its_counters_each_time() {
    let mut ledger = Ledger::default();
    keep(&mut ledger, 5, 1);
    assert!(admits(&mut ledger, 5));
    let (counters, wait) = end(&mut ledger, 5);
    assert!(counters.contains("\"used\":1"), "{counters}");
    assert_eq!(wait, 0);
    assert_eq!(verdict(&mut ledger, 5), Verdict::Unknown);
    // While sessions move, another may have begun elsewhere since.
    assert_eq!(ledger.consume(&with(5), false, START), None);
    assert_eq!(ledger.find(false, START), None);
    assert_eq!(ledger.find(true, START), Some(false));
    keep(&mut ledger, 5, 1);
    ledger.learn(session(4, 1), START);
    assert_eq!(ledger.session(), None);
    assert_eq!(end(&mut ledger, 5).0, counters);
    assert_eq!(end(&mut ledger, 4).0, "");
    keep(&mut ledger, 6, 6);
    assert!(admits(&mut ledger, 6));
}

#[test]
fn a_rotated_key_continues_the_counters_of_the_other() {
    let (mut from, mut to) = (Ledger::default(), Ledger::default());
    keep(&mut from, 7, 7);
    assert!(admits(&mut from, 7));
    let (counters, _) = end(&mut from, 8);
    let moved = Keep {
        revision: 8,
        reset: 8,
        ..Keep::default()
    };
    assert!(to.keep(moved, "{}", "{\"format\":99}", START).is_err());
    assert_eq!(to.session(), None);
    // While it was handed over, the Ledger had to ask.
    to.learn(session(8, 8), START);
    for _ in 0..2 {
        to.keep(moved, "{}", &counters, START).unwrap();
        assert!(to.session().is_some());
    }
    assert!(admits(&mut to, 8));
    assert!(!admits(&mut to, 8));
    // Handed over again, nothing starts from before.
    to.keep(moved, "{}", &counters, START).unwrap();
    assert!(!admits(&mut to, 8));
    keep(&mut to, 9, 9);
    assert!(admits(&mut to, 9), "it has been reset");
}

#[test]
fn a_write_waits_for_leases_whenever_it_is_told() {
    let mut ledger = Ledger::default();
    keep(&mut ledger, 1, 1);
    assert!(leases(&mut ledger, Some(1)));
    assert_eq!(keep(&mut ledger, 2, 1), 100);
    assert_eq!(keep(&mut ledger, 2, 1), 100);
    assert_eq!(end(&mut ledger, 2).1, 100);
    // A restarted one doesn't know which there are.
    let state = ledger.to_store(START).unwrap();
    let mut ledger = Ledger::restore(&state, START).unwrap();
    assert_eq!(end(&mut ledger, 2).1, 250);
    // Leased requests are counted even if the counters are reset.
    let mut ledger = Ledger::default();
    keep(&mut ledger, 1, 1);
    assert!(leases(&mut ledger, Some(1)));
    keep(&mut ledger, 2, 2);
    let left = ledger.standings(&[rate(1_000, 1_000)], START)[0].remaining;
    assert_eq!(left, 950);
}

#[test]
fn a_new_session_waits_until_clients_have_forgotten_that_there_was_none() {
    let mut ledger = Ledger::default();
    assert_eq!(ledger.consume(&with(0), false, START), None);
    assert_eq!(keep(&mut ledger, 1, 1), 0, "nobody was told anything");
    let mut ledger = Ledger::default();
    assert_eq!(verdict(&mut ledger, 0), Verdict::Unknown);
    assert_eq!(keep(&mut ledger, 1, 1), DENIED_MS);
    assert_eq!(keep(&mut ledger, 1, 1), DENIED_MS, "told again");
    let mut ledger = Ledger::default();
    keep(&mut ledger, 1, 1);
    end(&mut ledger, 1);
    assert_eq!(ledger.find(true, START - 500), Some(false));
    assert_eq!(keep(&mut ledger, 2, 1), DENIED_MS - 500);
    // One whose time has passed is unknown, too.
    let mut ledger = Ledger::default();
    let ends = Keep {
        revision: 1,
        ends: START,
        ..Keep::default()
    };
    ledger.keep(ends, "{}", "", START).unwrap();
    assert_eq!(verdict(&mut ledger, 1), Verdict::Unknown);
    assert_eq!(keep(&mut ledger, 2, 1), DENIED_MS);
}

#[test]
fn a_session_whose_time_has_passed_is_unknown_and_still_here() {
    let mut object = Object::new("key:a", (None, None), START).unwrap();
    let keep = Keep {
        revision: 1,
        ends: START + 1_000,
        ..Keep::default()
    };
    object.keep(&keep.with_text("{}"), "", START).unwrap();
    let ask = encode(&with(1), "").unwrap();
    let verdict = |object: &mut Object, at| {
        let answer = object.consume(&ask, false, at).unwrap().unwrap();
        decode::<Verdict>(&answer).unwrap().0
    };
    let before = verdict(&mut object, START + 999);
    assert!(matches!(before, Verdict::Admitted(_)), "{before:?}");
    assert_eq!(verdict(&mut object, START + 1_000), Verdict::Unknown);
    let found = object.find(false, START + 1_000);
    assert_eq!(found, Some(String::new()));
    assert!(object.kept().is_some());
}

#[test]
fn nothing_stays_stored_of_counters_without_a_session() {
    let mut ledger = Ledger::default();
    // What was never stored need not be removed.
    assert_eq!(verdict(&mut ledger, 1), Verdict::Unknown);
    assert_eq!(ledger.to_store(START), None);
    let counted = ask(&[quota(2, 60_000)]);
    ledger.consume(&counted, false, START);
    let stored = ledger.to_store(START).unwrap();
    for mut ledger in [ledger, Ledger::restore(&stored, START).unwrap()] {
        assert_eq!(ledger.consume(&with(1), false, START), None);
        assert_eq!(ledger.to_store(START), None, "there may be a session");
        assert_eq!(verdict(&mut ledger, 1), Verdict::Unknown);
        assert_eq!(ledger.to_store(START).as_deref(), Some(""));
        assert_eq!(verdict(&mut ledger, 1), Verdict::Unknown);
        assert_eq!(ledger.to_store(START), None);
        assert_eq!(ledger.settle(), None);
    }
}

#[test]
fn the_registry_is_asked_until_all_sessions_are_handed_over() {
    let name = "key:a";
    let mut object = Object::new(name, (None, None), START).unwrap();
    assert_eq!(object.find(false, START), None);
    let question = object.question(16).unwrap();
    let expected = SessionAsk {
        shards: Some(16),
        ..SessionAsk::find(Owner::Key, vec!["a".to_owned()])
    };
    assert_eq!(question, asking::session(&expected).unwrap());
    let refused = |refusal| encode(&Reply::Refused(refusal), "").unwrap();
    let shards = "16,0".to_owned();
    for (refusal, learnt) in [
        (Refusal::NotFound, Learnt::Done),
        (Refusal::Settled, Learnt::Settled),
        (
            Refusal::Kept {
                shards: shards.clone(),
            },
            Learnt::Elsewhere(shards.clone()),
        ),
    ] {
        assert_eq!(object.learn(&refused(refusal), START), Ok(learnt));
    }
    assert_eq!(object.find(true, START), Some(String::new()));
    assert!(object.learn("", START).is_err());
    let found = FoundSession {
        id: "a".to_owned(),
        revision: 4,
        reset: 1,
        ends: 0,
    };
    let answer = asking::answer(&found, "{}").unwrap();
    assert_eq!(object.learn(&answer, START), Ok(Learnt::Done));
    assert_eq!(object.find(false, START), Some(answer.clone()));
    assert_eq!(object.kept(), Some(answer));
    let chores = object.chores(START);
    assert_eq!(chores.session.as_deref(), Some("4 1 0 0\n{}"));
    // Handed over while it was asked for.
    let kept = refused(Refusal::Kept { shards });
    assert_eq!(object.learn(&kept, START), Ok(Learnt::Done));
    let api = Object::new("api:a", (None, None), START).unwrap();
    assert!(api.question(0).is_err());
}

#[test]
fn imported_counters_replace_those_of_a_session_and_leave_it_alone() {
    let mut from = Ledger::default();
    assert_eq!(from.take_counters(START), None);
    keep(&mut from, 1, 1);
    assert!(admits(&mut from, 1));
    let counters = from.take_counters(START).unwrap();
    let mut to = Ledger::default();
    keep(&mut to, 9, 1);
    to.to_store(START);
    to.put_counters(&counters, START).unwrap();
    assert_eq!(to.session(), Some(&session(9, 1)));
    assert!(to.to_store(START).unwrap().contains("\"kept\":9"));
    assert!(admits(&mut to, 9));
    assert!(!admits(&mut to, 9));
    // Later resets are noticed whatever the imported counters say, and earlier ones stay done.
    keep(&mut to, 10, 10);
    to.put_counters(&counters, START).unwrap();
    assert!(admits(&mut to, 10) && admits(&mut to, 10));
    // They may arrive first.
    let mut to = Ledger::default();
    to.put_counters(&counters, START).unwrap();
    keep(&mut to, 9, 1);
    assert!(admits(&mut to, 9));
    assert!(!admits(&mut to, 9));
    // After their window there are none left.
    assert_eq!(from.take_counters(START + 60_000), None);
}

#[test]
fn counters_of_a_later_release_are_refused_and_change_nothing() {
    let mut ledger = Ledger::default();
    keep(&mut ledger, 1, 1);
    assert!(admits(&mut ledger, 1));
    let before = ledger.take_counters(START);
    assert!(ledger.put_counters("{\"format\":99}", START).is_err());
    assert_eq!(ledger.take_counters(START), before);
}

#[test]
fn an_imported_session_keeps_the_counters_that_came_before_it_although_another_has_ended() {
    let mut from = Ledger::default();
    keep(&mut from, 4, 1);
    assert!(admits(&mut from, 4) && admits(&mut from, 4));
    let counters = from.take_counters(START).unwrap();
    for with_counters in [true, false] {
        let mut ledger = Ledger::default();
        keep(&mut ledger, 8, 8);
        assert!(admits(&mut ledger, 8) && admits(&mut ledger, 8));
        end(&mut ledger, 9);
        if with_counters {
            ledger.put_counters(&counters, START).unwrap();
        }
        let imported = Keep {
            revision: 4,
            reset: 1,
            over: 9,
            ..Keep::default()
        };
        ledger.keep(imported, "{}", "", START).unwrap();
        assert_eq!(admits(&mut ledger, 4), !with_counters);
    }
}

#[test]
fn a_moved_ledger_waits_for_the_leases_of_its_previous_object() {
    let mut from = Ledger::default();
    assert!(leases(&mut from, None));
    let (state, _) = from.give_up(START).unwrap();
    let mut to = Ledger::restore(&state, START).unwrap();
    assert!(to.release(START) >= 100);
    // Leased requests are counted.
    let left = to.standings(&[rate(1_000, 1_000)], START)[0].remaining;
    assert!(left <= 1_000 - 50);
}

#[test]
fn an_imported_session_begins_although_a_later_one_has_ended() {
    let mut ledger = Ledger::default();
    keep(&mut ledger, 8, 8);
    assert!(admits(&mut ledger, 8));
    end(&mut ledger, 9);
    let imported = session(4, 1);
    let import = |ledger: &mut Ledger, over| {
        let keep = Keep {
            revision: 4,
            reset: 1,
            over,
            ..Keep::default()
        };
        ledger.keep(keep, &imported.text, "", START).unwrap();
    };
    // From before that end.
    import(&mut ledger, 8);
    assert_eq!(ledger.session(), None);
    import(&mut ledger, 9);
    assert_eq!(ledger.session(), Some(&imported));
    // An earlier end does not end it, and a later one does.
    end(&mut ledger, 3);
    assert_eq!(ledger.session(), Some(&imported));
    end(&mut ledger, 10);
    assert_eq!(ledger.session(), None);
}

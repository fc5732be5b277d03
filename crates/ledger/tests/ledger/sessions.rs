//! Which session a Ledger trusts, and what it forgets with one.

use super::{START, ask, quota};
use gatewright_ledger::Ledger;
use gatewright_ledger::pulled::Pulled;
use gatewright_protocol::ledger::{Consume, LeaseAsk, Verdict};

fn session(revision: u64, reset: u64) -> Option<Pulled> {
    Some(Pulled {
        revision,
        reset,
        ends: 0,
        text: format!("{{\"r\":{revision}}}"),
    })
}

fn with(revision: u64) -> Consume {
    Consume {
        revision: Some(revision),
        ..ask(&[quota(2, 60_000)])
    }
}

fn admitted(answer: Option<(Verdict, String)>) -> bool {
    answer.is_some_and(|(verdict, _)| matches!(verdict, Verdict::Admitted(_)))
}

#[test]
fn an_isolate_with_an_older_session_gets_the_newer_one() {
    let mut ledger = Ledger::default();
    assert_eq!(ledger.consume(&with(0), START), None);
    let epoch = ledger.epoch();
    let (verdict, text) = ledger.learn(epoch, session(3, 1), &with(0), START).unwrap();
    assert_eq!(verdict, Verdict::Stale { revision: 3 });
    assert_eq!(text, "{\"r\":3}");
    let (verdict, _) = ledger.consume(&with(3), START).unwrap();
    assert!(matches!(verdict, Verdict::Admitted(_)));
}

#[test]
fn a_session_fetched_before_a_write_is_not_used_after_it() {
    let mut ledger = Ledger::default();
    let epoch = ledger.epoch();
    ledger.hold("write", START);
    assert_eq!(ledger.learn(epoch, session(1, 1), &with(1), START), None);
    let epoch = ledger.epoch();
    assert!(admitted(ledger.learn(
        epoch,
        session(1, 1),
        &with(1),
        START
    )));
    // Nothing is kept while the write is in progress, so the next request asks again.
    assert_eq!(ledger.consume(&with(1), START), None);
    let epoch = ledger.epoch();
    ledger.release("write", START);
    assert_eq!(ledger.learn(epoch, session(1, 1), &with(1), START), None);
    let epoch = ledger.epoch();
    let gone = ledger.learn(epoch, None, &with(1), START).unwrap();
    assert_eq!(gone.0, Verdict::Unknown);
}

/// Whether a Ledger keeps the session that it learns from the next query.
fn keeps(ledger: &mut Ledger, now: u64) -> bool {
    let epoch = ledger.epoch();
    ledger.learn(epoch, session(1, 1), &with(1), now).unwrap();
    ledger.consume(&with(1), now).is_some()
}

#[test]
fn a_write_that_never_says_it_ended_holds_until_the_registry_refuses_it() {
    let mut ledger = Ledger::default();
    ledger.hold("a", START);
    assert!(ledger.given_up(START + 9_999).is_empty());
    let year = START + 365 * 24 * 3_600_000;
    assert!(!keeps(&mut ledger, year));
    // It survives a restart from disk, too.
    let mut ledger = Ledger::restore(&ledger.to_store(year).unwrap(), year).unwrap();
    assert!(!keeps(&mut ledger, year));
    let mut ledger = Ledger::restore(
        &ledger.settle().unwrap_or(ledger.give_up(year).unwrap()),
        year,
    )
    .unwrap();
    assert!(!keeps(&mut ledger, year));
    assert_eq!(ledger.given_up(year), ["a"]);
    let asked = ledger.epoch();
    let before = ledger.epoch();
    let epoch = ledger.end_given_up(asked, &ledger.given_up(year));
    // An earlier query's answer may be older than the answer that ended the hold.
    assert_eq!(ledger.learn(before, session(1, 1), &with(1), year), None);
    ledger.learn(epoch, session(1, 1), &with(1), year).unwrap();
    assert!(ledger.consume(&with(1), year).is_some());
    assert!(
        ledger.to_store(year).is_some(),
        "it is forgotten on the disk too"
    );
}

#[test]
fn an_answer_from_before_another_write_ends_no_hold() {
    let mut ledger = Ledger::default();
    ledger.hold("a", START);
    let later = START + 10_000;
    let asked = ledger.epoch();
    ledger.hold("b", later);
    assert_eq!(ledger.end_given_up(asked, &["a".to_owned()]), asked);
    assert_eq!(ledger.given_up(later), ["a"]);
    assert_eq!(ledger.learn(asked, session(1, 1), &with(1), later), None);
}

#[test]
fn a_write_of_a_release_that_gave_no_name_is_waited_for_half_a_minute() {
    let mut ledger = Ledger::default();
    ledger.hold("", START);
    assert!(!keeps(&mut ledger, START + 29_999));
    assert!(ledger.given_up(START + 29_999).is_empty());
    assert!(keeps(&mut ledger, START + 30_000));
}

#[test]
fn a_write_that_resets_clears_the_counters_and_another_does_not() {
    let mut ledger = Ledger::default();
    let next = |ledger: &mut Ledger, revision, reset| {
        ledger.hold("write", START);
        ledger.release("write", START);
        let epoch = ledger.epoch();
        admitted(ledger.learn(epoch, session(revision, reset), &with(revision), START))
    };
    assert!(next(&mut ledger, 1, 1));
    assert!(next(&mut ledger, 2, 1));
    assert!(!next(&mut ledger, 3, 1));
    assert!(next(&mut ledger, 4, 4));
    // Deleting a key deletes its counters.
    let epoch = ledger.epoch();
    ledger.learn(epoch, None, &with(4), START);
    assert!(next(&mut ledger, 5, 5));
    assert!(next(&mut ledger, 5, 5));
    assert!(!next(&mut ledger, 5, 5));
}

#[test]
fn of_two_concurrent_writes_the_last_to_end_releases_the_session() {
    let mut ledger = Ledger::default();
    ledger.hold("a", START);
    ledger.hold("b", START);
    ledger.release("b", START);
    let epoch = ledger.epoch();
    let pulled = session(1, 1);
    assert!(admitted(ledger.learn(epoch, pulled, &with(1), START)));
    assert_eq!(ledger.consume(&with(1), START), None);
    ledger.release("a", START);
    let epoch = ledger.epoch();
    ledger.learn(epoch, session(2, 1), &with(2), START);
    assert!(ledger.consume(&with(2), START).is_some());
    // A write that ended long ago ends no other.
    ledger.hold("c", START);
    ledger.release("a", START);
    let epoch = ledger.epoch();
    ledger.learn(epoch, session(3, 1), &with(3), START);
    assert!(ledger.consume(&with(3), START).is_none());
}

#[test]
fn an_answer_overtaken_by_a_write_resets_nothing() {
    let mut ledger = Ledger::default();
    ledger.hold("write", START);
    let epoch = ledger.epoch();
    // The quota of `with` is 2. The answer to a query from before the commit arrives after that to a later query.
    assert!(admitted(ledger.learn(
        epoch,
        session(2, 2),
        &with(2),
        START
    )));
    assert!(admitted(ledger.learn(
        epoch,
        session(1, 1),
        &with(1),
        START
    )));
    assert!(!admitted(ledger.learn(
        epoch,
        session(2, 2),
        &with(2),
        START
    )));
    let missing = ledger.learn(epoch, None, &with(2), START).unwrap();
    assert_eq!(missing.0, Verdict::Unknown);
    assert!(!admitted(ledger.learn(
        epoch,
        session(2, 2),
        &with(2),
        START
    )));
    // If no write is in progress, a lower number means that the Registry was restored to an earlier state.
    ledger.release("write", START);
    let epoch = ledger.epoch();
    assert!(admitted(ledger.learn(
        epoch,
        session(1, 1),
        &with(1),
        START
    )));
}

#[test]
fn an_expired_session_is_fetched_again() {
    let mut ledger = Ledger::default();
    let ends = START + 1_000;
    let pulled = || session(1, 1).map(|pulled| Pulled { ends, ..pulled });
    let epoch = ledger.epoch();
    assert!(admitted(ledger.learn(epoch, pulled(), &with(1), START)));
    assert!(ledger.consume(&with(1), ends - 1).is_some());
    assert_eq!(ledger.consume(&with(1), ends), None);
    // The Registry's clock decides: as long as it returns the session, the session is valid.
    let (verdict, _) = ledger.learn(epoch, pulled(), &with(1), ends).unwrap();
    assert!(matches!(verdict, Verdict::Refused { .. }), "{verdict:?}");
    assert_eq!(ledger.consume(&with(1), ends), None);
    let (verdict, _) = ledger.learn(epoch, None, &with(1), ends).unwrap();
    assert_eq!(verdict, Verdict::Unknown);
}

#[test]
fn nothing_stays_stored_for_a_session_that_is_gone() {
    let mut ledger = Ledger::default();
    let epoch = ledger.epoch();
    let gone = |ledger: &mut Ledger| {
        let epoch = ledger.epoch();
        let (verdict, _) = ledger.learn(epoch, None, &with(1), START).unwrap();
        assert_eq!(verdict, Verdict::Unknown);
        ledger.to_store(START)
    };
    // What was never stored need not be removed.
    assert_eq!(gone(&mut ledger), None);
    assert!(admitted(ledger.learn(
        epoch,
        session(1, 1),
        &with(1),
        START
    )));
    let stored = ledger.to_store(START).unwrap();
    assert!(!stored.is_empty());
    // A write is in progress: what is queried now may exist again in a moment.
    ledger.hold("write", START);
    assert!(ledger.to_store(START).is_some());
    assert_eq!(gone(&mut ledger), None);
    ledger.release("write", START);
    assert_eq!(gone(&mut ledger).as_deref(), Some(""));
    assert_eq!(gone(&mut ledger), None);
    assert_eq!(ledger.settle(), None);
    let mut restarted = Ledger::restore(&stored, START).unwrap();
    assert_eq!(gone(&mut restarted).as_deref(), Some(""));
}

/// Returns a new Ledger with the counters of [`with`].
fn carried(from: &mut Ledger, now: u64) -> Ledger {
    let mut to = Ledger::default();
    to.put_counters(&from.take_counters(now).unwrap(), now)
        .unwrap();
    to
}

#[test]
fn counters_go_on_in_another_ledger_as_they_stand() {
    let mut from = Ledger::default();
    assert_eq!(from.take_counters(START), None);
    let epoch = from.epoch();
    assert!(admitted(from.learn(epoch, session(1, 1), &with(1), START)));
    let mut to = carried(&mut from, START);
    // What is carried over is stored with the reply, and restored by a restart.
    assert!(to.to_store(START).is_some());
    let mut to = Ledger::restore(&to.settle().unwrap(), START).unwrap();
    let epoch = to.epoch();
    // The counters were reset by the same write, so they continue.
    assert!(admitted(to.learn(epoch, session(9, 1), &with(9), START)));
    assert!(!matches!(
        to.consume(&with(9), START),
        Some((Verdict::Admitted(_), _))
    ));
    // After their window there are none left.
    assert_eq!(from.take_counters(START + 60_000), None);
}

#[test]
fn a_session_fetched_before_its_counters_moved_is_not_used() {
    let mut from = Ledger::default();
    from.hold("write", START);
    let epoch = from.epoch();
    from.take_counters(START);
    assert_eq!(from.learn(epoch, session(1, 1), &with(1), START), None);
    // Now that it is gone, and during the write, the counters are kept for whoever takes them again.
    from.release("write", START);
    let epoch = from.epoch();
    assert!(admitted(from.learn(epoch, session(1, 1), &with(1), START)));
    from.hold("write", START);
    let epoch = from.epoch();
    let gone = from.learn(epoch, None, &with(1), START).unwrap();
    assert_eq!(gone.0, Verdict::Unknown);
    assert!(from.take_counters(START).is_some());
}

#[test]
fn counters_of_a_later_release_are_refused_and_change_nothing() {
    let mut ledger = Ledger::default();
    let epoch = ledger.epoch();
    ledger.learn(epoch, session(1, 1), &with(1), START);
    let before = ledger.take_counters(START);
    assert!(ledger.put_counters("{\"format\":99}", START).is_err());
    assert_eq!(ledger.take_counters(START), before);
}

#[test]
fn a_moved_ledger_continues_where_it_lives_now() {
    let mut from = Ledger::default();
    assert_eq!(from.give_up(START), None);
    let epoch = from.epoch();
    assert!(admitted(from.learn(epoch, session(1, 1), &with(1), START)));
    let epoch = from.epoch();
    let state = from.give_up(START).unwrap();
    // What was queried before has to be queried again, by the Ledger that counts then.
    assert_eq!(from.learn(epoch, session(1, 1), &with(1), START), None);
    let mut to = Ledger::restore(&state, START).unwrap();
    assert_eq!(to.release("write", START), 0, "nobody had leased anything");
    let epoch = to.epoch();
    assert!(admitted(to.learn(epoch, session(1, 1), &with(1), START)));
    let refused = to.consume(&with(1), START);
    assert!(
        matches!(refused, Some((Verdict::Refused { .. }, _))),
        "{refused:?}"
    );
}

#[test]
fn a_write_waits_for_leases_granted_by_the_previous_object() {
    let counts = [super::rate(1_000, 1_000)];
    let mut from = Ledger::default();
    let mut ask = super::ask(&counts);
    ask.lease = Some(LeaseAsk {
        holder: "east".to_owned(),
        want: 50,
        ..LeaseAsk::default()
    });
    assert!(matches!(
        from.consume(&ask, START),
        Some((Verdict::Leased(..), _))
    ));
    let state = from.give_up(START).unwrap();
    let mut to = Ledger::restore(&state, START).unwrap();
    assert!(to.release("write", START) >= 100);
    // Leased requests are counted.
    assert!(to.standings(&counts, START)[0].remaining <= 1_000 - 50);
}

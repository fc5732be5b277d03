//! Where sessions live after an earlier release or another number of objects, and how they move to their Ledgers.

use super::{
    NOW, SESSION, SHARDS, ask, is_gone, keep, lend, open_handovers, opened, question, send, taken,
};
use gatewright_controlplane::registry::Registry;
use gatewright_controlplane::registry::handover::Origin;
use gatewright_controlplane::registry::rows::{Change, Rows};
use gatewright_controlplane::registry::sessions::{SessionFacts, SessionRow};
use gatewright_protocol::registry::{Refusal, Reply};
use gatewright_protocol::sessions::{Act, Owner};
use gatewright_testkit::sqlite::Sqlite;

/// Returns a database of a release whose Registry kept sessions, with these keys.
fn earlier(ids: &[&str]) -> Sqlite {
    ending(ids, 0)
}

/// Returns the same with keys that end at this time, in Unix milliseconds; 0 for never.
fn ending(ids: &[&str], ends: u64) -> Sqlite {
    let sql = Sqlite::default();
    let rows = Rows::new(Box::new(sql.clone()));
    let change = |id: &&str| Change::Session {
        is_new: true,
        row: SessionRow {
            owner: Owner::Key,
            id: (*id).to_owned(),
            revision: 1,
            facts: SessionFacts {
                ends,
                ..SessionFacts::default()
            },
            ..SessionRow::default()
        },
        text: SESSION,
        origin: Origin::Written,
    };
    let changes: Vec<_> = ids.iter().map(change).collect();
    rows.commit(&changes).unwrap();
    sql
}

/// Goes through all sessions, as the alarm does. Returns the Ledgers.
fn go_through(registry: &mut Registry) -> Vec<String> {
    let mut through = Vec::new();
    while let Some(next) = registry.next_to_go_through().unwrap() {
        let last = next.last().map(|[ledger, _]| ledger.clone());
        registry.went_through(last.as_deref()).unwrap();
        through.extend(next.into_iter().map(|[ledger, _]| ledger));
    }
    through
}

#[test]
fn sessions_of_the_previous_release_are_handed_over() {
    let sql = earlier(&["a", "b"]);
    let mut registry = opened(&sql, SHARDS);
    assert_eq!(registry.next_handover(5).unwrap(), Some(5));
    // Not every Ledger keeps its session yet.
    let unknown = Reply::Refused(Refusal::NotFound);
    assert_eq!(question(&mut registry, "none", SHARDS), unknown);
    let found = question(&mut registry, "b", SHARDS);
    assert!(matches!(found, Reply::Session { .. }), "{found:?}");
    let open = open_handovers(&mut registry);
    let ledgers: Vec<_> = open.iter().map(|it| it.ledger.as_str()).collect();
    assert_eq!(ledgers, ["key:a", "key:b"]);
    open.iter().for_each(|it| keep(&mut registry, it));
    assert_eq!(go_through(&mut registry), ["key:a", "key:b"]);
    for mut registry in [registry, opened(&sql, SHARDS)] {
        assert_eq!(registry.next_handover(5).unwrap(), None);
        let settled = Reply::Refused(Refusal::Settled);
        assert_eq!(question(&mut registry, "none", SHARDS), settled);
    }
}

#[test]
fn ledgers_fetch_their_sessions_after_another_number_of_objects() {
    let sql = earlier(&["a", "b"]);
    let mut registry = opened(&sql, SHARDS);
    for handover in open_handovers(&mut registry) {
        keep(&mut registry, &handover);
    }
    go_through(&mut registry);
    for (shards, placed) in [(4, "4,16"), (8, "8,4,16")] {
        registry = opened(&sql, shards);
        let kept = Reply::Refused(Refusal::Kept {
            shards: placed.to_owned(),
        });
        assert_eq!(question(&mut registry, "a", shards), kept);
        let unknown = Reply::Refused(Refusal::NotFound);
        assert_eq!(question(&mut registry, "none", shards), unknown);
    }
    assert_eq!(go_through(&mut registry), ["key:a", "key:b"]);
    let kept = Reply::Refused(Refusal::Kept {
        shards: "8".to_owned(),
    });
    assert_eq!(question(&mut registry, "a", 8), kept);
}

#[test]
fn a_ledger_gets_a_session_together_with_what_its_previous_object_has_of_it() {
    let sql = earlier(&["a"]);
    let mut registry = opened(&sql, SHARDS);
    assert_eq!(registry.places().unwrap(), "");
    // Its Ledger may keep it already, with its counters: only that was not recorded.
    let open = open_handovers(&mut registry);
    registry = opened(&sql, 4);
    assert_eq!(registry.places().unwrap(), "4,16");
    let kept = Reply::Refused(Refusal::Kept {
        shards: "4,16".to_owned(),
    });
    assert_eq!(question(&mut registry, "a", 4), kept);
    assert_eq!(taken(&mut registry), open);
    open.iter().for_each(|it| keep(&mut registry, it));
    go_through(&mut registry);
    assert_eq!(registry.places().unwrap(), "");
}

#[test]
fn going_through_continues_after_a_restart() {
    let sql = earlier(&["a", "b", "c"]);
    let mut registry = opened(&sql, SHARDS);
    registry.next_to_go_through().unwrap();
    registry.went_through(Some("key:b")).unwrap();
    let mut registry = opened(&sql, SHARDS);
    assert_eq!(go_through(&mut registry), ["key:c"]);
}

#[test]
fn a_session_moves_to_its_ledger_before_it_ends() {
    // Otherwise it would still be where it was, and be back with the number of objects of before.
    let sql = earlier(&["a"]);
    let mut registry = opened(&sql, SHARDS);
    let open = open_handovers(&mut registry);
    open.iter().for_each(|it| keep(&mut registry, it));
    let remove = || ask(Act::Remove, &["a"]);
    assert!(send(&mut registry, remove(), "").is_err());
    assert_eq!(registry.take_wanted(), ["key:a"]);
    lend(&mut registry, &open[0]);
    let removed = send(&mut registry, remove(), "").unwrap();
    assert!(matches!(removed.0, Reply::Session { .. }));
}

#[test]
fn a_session_whose_time_is_over_moves_to_its_ledger_too() {
    // Otherwise its Ledger could never lend it, and the alarm would do nothing else any more.
    let sql = ending(&["a"], 1);
    let mut registry = opened(&sql, SHARDS);
    let open = open_handovers(&mut registry);
    open.iter().for_each(|it| keep(&mut registry, it));
    assert!(registry.remove_ended(NOW).is_err());
    assert_eq!(registry.take_wanted(), ["key:a"]);
    registry = opened(&sql, 4);
    let kept = Reply::Refused(Refusal::Kept {
        shards: "4,16".to_owned(),
    });
    assert_eq!(question(&mut registry, "a", 4), kept);
    // For everyone else, there is none.
    let (found, _) = send(&mut registry, ask(Act::Find, &["a"]), "").unwrap();
    assert_eq!(found, Reply::Refused(Refusal::NotFound));
    lend(&mut registry, &open[0]);
    registry.remove_ended(NOW).unwrap();
    let ended = taken(&mut registry);
    assert_eq!(ended.iter().map(is_gone).collect::<Vec<_>>(), [true]);
    assert_eq!(
        question(&mut registry, "a", 4),
        Reply::Refused(Refusal::NotFound)
    );
}

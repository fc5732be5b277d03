//! Writes that arrive together are one transaction, and each fails alone.

use gatewright_controlplane::registry::Registry;
use gatewright_controlplane::registry::sql::{Row, Sql, Value};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Command, Refusal, Reply};
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};
use gatewright_testkit::sql::{Fault, FaultySql, dump};
use gatewright_testkit::sqlite::Sqlite;
use std::cell::Cell;
use std::rc::Rc;

const NOW: &str = "2026-01-02T03:04:05.000Z";
const SESSION: &str = r#"{"alias":"a","tags":["t","u"],"access_rights":{"x":{"api_id":"x"}}}"#;

/// A database that counts transactions.
#[derive(Clone, Debug)]
struct Counting {
    sql: FaultySql<Sqlite>,
    begun: Rc<Cell<u32>>,
}

impl Sql for Counting {
    fn query(&self, statement: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.sql.query(statement, values)
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        self.sql.bytes()
    }

    fn transaction(
        &self,
        run: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.begun.set(self.begun.get() + 1);
        self.sql.transaction(run)
    }
}

fn registry() -> (Registry, Counting) {
    let sql = Counting {
        sql: FaultySql::over(Sqlite::default()),
        begun: Rc::default(),
    };
    let mut registry = Registry::new(sql.clone(), "default");
    registry.handle(&Command::Status, "", NOW).unwrap();
    registry.take_news();
    sql.begun.take();
    (registry, sql)
}

fn put(id: &str) -> Command {
    Command::Session(SessionAsk {
        act: Act::Put,
        ids: vec![id.to_owned()],
        ..SessionAsk::default()
    })
}

/// A write that fails: its Ledger has given it up.
fn late() -> Command {
    Command::Session(SessionAsk {
        act: Act::Put,
        ids: vec!["late".to_owned()],
        hold: "late".to_owned(),
        ..SessionAsk::default()
    })
}

fn give_up(registry: &mut Registry) {
    let mut ask = SessionAsk::find(Owner::Key, vec!["late".to_owned()]);
    ask.given_up = vec!["late".to_owned()];
    registry.handle(&Command::Session(ask), "", NOW).unwrap();
}

fn is_stored(registry: &mut Registry, id: &str) -> bool {
    let ask = SessionAsk::find(Owner::Key, vec![id.to_owned()]);
    let found = registry.handle(&Command::Session(ask), "", NOW).unwrap();
    matches!(found.0, Reply::Session { .. })
}

fn revision(answer: &Result<(Reply, String), StoreError>) -> u64 {
    match answer {
        Ok((Reply::Session { revision, .. }, _)) => *revision,
        other => panic!("{other:?}"),
    }
}

#[test]
fn grouped_writes_share_a_transaction_and_store_the_same() {
    let ids = ["a", "b", "c"].map(put);
    let (mut together, sql) = registry();
    let commands = ids.clone().map(|command| (command, SESSION));
    let answers = together.handle_all(&commands, NOW);
    assert_eq!(sql.begun.get(), 1);
    let revisions: Vec<_> = answers.iter().map(revision).collect();
    assert_eq!(revisions, [1, 2, 3]);
    assert!(together.take_news());

    let (mut alone, other) = registry();
    for command in &ids {
        alone.handle(command, SESSION, NOW).unwrap();
    }
    assert_eq!(other.begun.get(), 3);
    assert_eq!(dump(&sql).unwrap(), dump(&other).unwrap());
}

#[test]
fn failing_write_does_not_fail_the_group() {
    let (mut registry, sql) = registry();
    give_up(&mut registry);
    let commands = [(put("a"), SESSION), (late(), SESSION), (put("b"), SESSION)];
    let answers = registry.handle_all(&commands, NOW);
    assert_eq!((revision(&answers[0]), revision(&answers[2])), (1, 2));
    assert!(
        answers[1]
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("given it up")
    );
    assert!(registry.take_news(), "what is stored is told of");
    assert!(is_stored(&mut registry, "a") && is_stored(&mut registry, "b"));
    assert!(!is_stored(&mut registry, "late"));
    let trail = dump(&sql).unwrap();
    let entries = trail.lines().filter(|line| line.starts_with("audit:"));
    assert_eq!(entries.count(), 2, "{trail}");
}

#[test]
fn refused_write_does_not_affect_the_group() {
    let (mut registry, sql) = registry();
    let missing = Command::Session(SessionAsk {
        act: Act::Remove,
        ids: vec!["none".to_owned()],
        ..SessionAsk::default()
    });
    let commands = [(put("a"), SESSION), (missing, ""), (put("b"), SESSION)];
    let answers = registry.handle_all(&commands, NOW);
    assert_eq!(sql.begun.get(), 1);
    assert!(matches!(
        answers[1],
        Ok((Reply::Refused(Refusal::NotFound), _))
    ));
    assert!(is_stored(&mut registry, "a") && is_stored(&mut registry, "b"));
}

#[test]
fn failed_transaction_fails_every_write_without_retry() {
    for (fault, stored) in [(Fault::BeforePersist, false), (Fault::AfterPersist, true)] {
        let (mut registry, sql) = registry();
        sql.sql.fail_next(fault);
        let commands = [(put("a"), SESSION), (put("b"), SESSION)];
        let answers = registry.handle_all(&commands, NOW);
        assert!(answers.iter().all(Result::is_err), "{answers:?}");
        assert_eq!(sql.begun.get(), 1);
        // The state in memory matches what is stored.
        assert_eq!(is_stored(&mut registry, "a"), stored);
        let next = registry.handle(&put("c"), SESSION, NOW);
        assert_eq!(revision(&next), if stored { 3 } else { 1 });
    }
}

#[test]
fn commands_with_side_effects_run_alone_in_order() {
    let (mut registry, sql) = registry();
    let commands = [
        (put("a"), SESSION),
        (put("b"), SESSION),
        (Command::Raise(Vec::new()), ""),
        (put("c"), SESSION),
    ];
    let answers = registry.handle_all(&commands, NOW);
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    // One for the first two, and one for each of the others.
    assert_eq!(sql.begun.get(), 3);
    assert_eq!(revision(&answers[3]), 3);
}

//! Writes that arrive together are one transaction, and each fails alone.

use gatewright_api::dashboard::Access;
use gatewright_api::dashboard::Group;
use gatewright_controlplane::registry::Registry;
use gatewright_controlplane::registry::sql::{Row, Sql, Value};
use gatewright_protocol::caller::{Caller, Need};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::{Answer, Ask, Kind, RecordCommand};
use gatewright_protocol::registry::{Command, Guard, Refusal, Reply};
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};
use gatewright_testkit::sql::dump;
use gatewright_testkit::sqlite::Sqlite;
use std::cell::Cell;
use std::rc::Rc;

const NOW: &str = "2026-01-02T03:04:05.000Z";
const SESSION: &str = r#"{"alias":"a","tags":["t","u"],"access_rights":{"x":{"api_id":"x"}}}"#;

/// A database that counts transactions.
#[derive(Clone, Debug)]
struct Counting {
    sql: Sqlite,
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
        sql: Sqlite::default(),
        begun: Rc::default(),
    };
    let mut registry = Registry::new(sql.clone(), "default");
    registry.handle(&Command::Status, "", NOW).unwrap();
    registry.take_news();
    sql.begun.take();
    (registry, sql)
}

/// Carries out commands as the platform does: in one transaction; if that is rolled back, each on its own.
fn all(
    registry: &mut Registry,
    sql: &Counting,
    commands: &[(Command, &str)],
) -> Vec<Result<(Reply, String), StoreError>> {
    let mut answers = None;
    let ended = sql.transaction(&mut || {
        answers = registry.handle_all(commands, NOW);
        match answers {
            Some(_) => Ok(()),
            None => Err(StoreError::new("group", "one has failed")),
        }
    });
    match (ended, answers) {
        (Ok(()), Some(answers)) => answers.into_iter().map(|(reply, _)| reply).collect(),
        _ => {
            let each = commands.iter();
            each.map(|(command, text)| registry.handle(command, text, NOW))
                .collect()
        }
    }
}

fn put(id: &str) -> Command {
    Command::Session(SessionAsk {
        act: Act::Put,
        ids: vec![id.to_owned()],
        ..SessionAsk::default()
    })
}

/// A write that fails: it is for a generated id, which another key has.
fn failing() -> Command {
    generated("taken")
}

fn generated(id: &str) -> Command {
    Command::Session(SessionAsk {
        act: Act::Put,
        ids: vec![id.to_owned()],
        generated: true,
        ..SessionAsk::default()
    })
}

fn take(registry: &mut Registry) {
    registry.handle(&put("taken"), SESSION, NOW).unwrap();
    registry.take_handovers();
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
    let answers = all(&mut together, &sql, &commands);
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
fn a_generated_key_replaces_none() {
    let (mut registry, sql) = registry();
    let first = registry.handle(&put("a"), SESSION, NOW);
    let commands = ["b", "a", "c"].map(|id| (generated(id), SESSION));
    let answers = all(&mut registry, &sql, &commands);
    assert!(answers[1].is_err(), "{:?}", answers[1]);
    assert!(answers[0].is_ok() && answers[2].is_ok());
    let ask = SessionAsk::find(Owner::Key, vec!["a".to_owned()]);
    let found = registry.handle(&Command::Session(ask), "", NOW);
    assert_eq!(revision(&found), revision(&first));
}

#[test]
fn failing_write_does_not_fail_the_group() {
    let (mut registry, sql) = registry();
    take(&mut registry);
    let commands = [
        (put("a"), SESSION),
        (failing(), SESSION),
        (put("b"), SESSION),
    ];
    let answers = all(&mut registry, &sql, &commands);
    assert_eq!((revision(&answers[0]), revision(&answers[2])), (2, 3));
    assert!(answers[1].is_err());
    assert!(registry.take_news(), "what is stored is told of");
    assert!(is_stored(&mut registry, "a") && is_stored(&mut registry, "b"));
    let trail = dump(&sql).unwrap();
    let entries = trail.lines().filter(|line| line.starts_with("audit:"));
    assert_eq!(entries.count(), 3, "{trail}");
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
    let answers = all(&mut registry, &sql, &commands);
    assert_eq!(sql.begun.get(), 1);
    assert!(matches!(
        answers[1],
        Ok((Reply::Refused(Refusal::NotFound), _))
    ));
    assert!(is_stored(&mut registry, "a") && is_stored(&mut registry, "b"));
}

#[test]
fn a_group_that_fails_is_rolled_back_and_forgotten() {
    let (mut registry, sql) = registry();
    take(&mut registry);
    sql.begun.take();
    let before = dump(&sql).unwrap();
    let commands = [(put("a"), SESSION), (failing(), SESSION)];
    let ended = sql.transaction(&mut || match registry.handle_all(&commands, NOW) {
        Some(_) => Ok(()),
        None => Err(StoreError::new("group", "one has failed")),
    });
    assert!(ended.is_err());
    assert_eq!(sql.begun.get(), 1);
    assert_eq!(dump(&sql).unwrap(), before);
    // The state in memory matches what is stored.
    assert!(!is_stored(&mut registry, "a"));
    assert_eq!(revision(&registry.handle(&put("c"), SESSION, NOW)), 2);
    // And no Ledger gets what was rolled back.
    let handovers = registry.take_handovers();
    let ledgers = handovers
        .list
        .iter()
        .map(|handover| handover.ledger.as_str());
    assert_eq!(ledgers.collect::<Vec<_>>(), ["key:c"]);
}

#[test]
fn documents_of_the_dashboard_are_stored_in_groups() {
    let (mut registry, sql) = registry();
    let ask = |command| {
        Command::Dashboard(Ask {
            caller: Caller::Root,
            need: Need {
                group: Some(Group::ClientIdps),
                access: Access::Write,
            },
            command,
        })
    };
    let create = ask(RecordCommand::Create {
        kind: Kind::ClientIdp,
        id: "0123456789abcdef01234567".to_owned(),
        guard: Guard::default(),
        secret: None,
    });
    let patch = ask(RecordCommand::PatchMappings {
        id: "login".to_owned(),
        guard: Guard::default(),
    });
    let provider = r#"{"name":"Login","client_idp_id":"login","issuer":"https://login.example/",
        "jwks_uri":"https://login.example/keys","scope_claim_name":"scope","api_mappings":{}}"#;
    let mapping = r#"{"a":{"scope_to_policy":{"read":"p"}}}"#;
    let commands = [
        (create, provider),
        (patch.clone(), mapping),
        (patch, mapping),
    ];
    let answers = all(&mut registry, &sql, &commands);
    let is_failed = |answer: &Result<(Reply, String), StoreError>| {
        matches!(
            answer,
            Ok((Reply::Dashboard(Answer::Refused(_)), _)) | Err(_)
        )
    };
    assert!(!answers.iter().any(is_failed), "{answers:?}");
    assert_eq!(sql.begun.get(), 1);
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
    let answers = all(&mut registry, &sql, &commands);
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    // The one around them, and one for each that stores something.
    assert_eq!(sql.begun.get(), 5);
    assert_eq!(revision(&answers[3]), 3);
}

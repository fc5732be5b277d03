//! Sessions are handed over to their Ledgers, which lend them when a command needs one.

mod placed;

use gatewright_controlplane::registry::Registry;
use gatewright_controlplane::registry::handover::{Handover, Handovers};
use gatewright_protocol::asking::{self, FoundSession};
use gatewright_protocol::backup::{Backup, Line};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::Keep;
use gatewright_protocol::registry::{Command, Refusal, Reply};
use gatewright_protocol::sessions::{Act, SessionAsk};
use gatewright_testkit::sql::dump;
use gatewright_testkit::sqlite::Sqlite;

const NOW: &str = "2026-01-02T03:04:05.000Z";
const SESSION: &str = r#"{"alias":"a","access_rights":{"x":{"api_id":"x"}}}"#;
const SHARDS: u32 = 16;

fn opened(sql: &Sqlite, shards: u32) -> Registry {
    Registry::new(sql.clone(), "default").with_shards(shards)
}

fn registry() -> Registry {
    opened(&Sqlite::default(), SHARDS)
}

fn ask(act: Act, ids: &[&str]) -> SessionAsk {
    SessionAsk {
        act,
        ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        ..SessionAsk::default()
    }
}

type Replied = Result<(Reply, String), StoreError>;

fn send(registry: &mut Registry, ask: SessionAsk, text: &str) -> Replied {
    registry.handle(&Command::Session(ask), text, NOW)
}

fn taken(registry: &mut Registry) -> Vec<Handover> {
    let Handovers { list, drains } = registry.take_handovers();
    assert!(!drains);
    as_written(list)
}

/// Writes a session and returns what its Ledger gets.
fn put(registry: &mut Registry, id: &str) -> Handover {
    send(registry, ask(Act::Put, &[id]), SESSION).unwrap();
    let mut handovers = taken(registry);
    assert_eq!(handovers.len(), 1);
    handovers.remove(0)
}

fn open_handovers(registry: &mut Registry) -> Vec<Handover> {
    let (found, is_more) = registry.open_handovers().unwrap();
    assert!(!is_more);
    as_written(found)
}

/// Returns handovers as those who write make them: what is handed over later, says which ends it is over.
fn as_written(list: Vec<Handover>) -> Vec<Handover> {
    let plain = |handover: Handover| {
        let (keep, text) = Keep::read(&handover.message).unwrap();
        let message = Keep { over: 0, ..keep }.with_text(text);
        Handover {
            message,
            ..handover
        }
    };
    list.into_iter().map(plain).collect()
}

fn keep(registry: &mut Registry, handover: &Handover) {
    let kept = [(handover.ledger.clone(), handover.revision)];
    registry.kept(&kept).unwrap();
}

/// Lends a session as the Ledger that keeps it answers.
fn lend(registry: &mut Registry, handover: &Handover) {
    let (keep, text) = Keep::read(&handover.message).unwrap();
    let session = FoundSession {
        id: handover.ledger.split_once(':').unwrap().1.to_owned(),
        revision: keep.revision,
        reset: keep.reset,
        ends: keep.ends,
    };
    let answer = asking::answer(&session, text).unwrap();
    registry.lend(&handover.ledger, &answer).unwrap();
}

/// Asks as the Ledger of a key does.
fn question(registry: &mut Registry, id: &str, shards: u32) -> Reply {
    let ask = SessionAsk {
        shards: Some(shards),
        ..ask(Act::Find, &[id])
    };
    send(registry, ask, "").unwrap().0
}

fn is_gone(handover: &Handover) -> bool {
    Keep::read(&handover.message).unwrap().0.gone
}

#[test]
fn a_written_session_is_handed_over_until_it_is_kept() {
    let mut registry = registry();
    let handover = put(&mut registry, "a");
    assert_eq!((handover.ledger.as_str(), handover.revision), ("key:a", 1));
    let (sent, text) = Keep::read(&handover.message).unwrap();
    assert_eq!((sent.revision, sent.reset, sent.gone), (1, 1, false));
    assert!(text.contains("\"alias\":\"a\""), "{text}");
    assert_eq!(
        open_handovers(&mut registry),
        std::slice::from_ref(&handover)
    );
    keep(&mut registry, &handover);
    assert!(open_handovers(&mut registry).is_empty());
}

#[test]
fn what_was_written_since_stays_open() {
    let mut registry = registry();
    let first = put(&mut registry, "a");
    let second = put(&mut registry, "a");
    keep(&mut registry, &first);
    assert_eq!(open_handovers(&mut registry), std::slice::from_ref(&second));
    keep(&mut registry, &second);
    assert!(open_handovers(&mut registry).is_empty());
}

#[test]
fn a_kept_session_is_lent_to_whoever_reads_or_changes_it() {
    let mut registry = registry();
    let handover = put(&mut registry, "a");
    keep(&mut registry, &handover);
    let update = SessionAsk {
        update: true,
        ..ask(Act::Put, &["a"])
    };
    for wanting in [ask(Act::Find, &["b", "a"]), update] {
        let mut registry = Registry::new(Sqlite::default(), "default");
        let handover = put(&mut registry, "a");
        keep(&mut registry, &handover);
        assert!(send(&mut registry, wanting.clone(), SESSION).is_err());
        assert_eq!(registry.take_wanted(), ["key:a"]);
        assert!(registry.take_handovers().is_empty());
        lend(&mut registry, &handover);
        let (reply, text) = send(&mut registry, wanting, SESSION).unwrap();
        assert!(matches!(reply, Reply::Session { .. }), "{reply:?}");
        assert!(text.contains("date_created"), "{text}");
        assert!(registry.take_wanted().is_empty());
    }
}

#[test]
fn a_lent_session_is_not_taken_for_a_later_one() {
    let mut registry = registry();
    let first = put(&mut registry, "a");
    lend(&mut registry, &first);
    let second = put(&mut registry, "a");
    keep(&mut registry, &second);
    let find = || ask(Act::Find, &["a"]);
    assert!(send(&mut registry, find(), "").is_err());
    assert_eq!(registry.take_wanted(), ["key:a"]);
    // Its Ledger is behind: it is asked again.
    lend(&mut registry, &first);
    assert!(send(&mut registry, find(), "").is_err());
    assert_eq!(registry.take_wanted(), ["key:a"]);
    lend(&mut registry, &second);
    assert!(send(&mut registry, find(), "").is_ok());
}

#[test]
fn a_session_that_its_ledger_has_lost_is_an_error_and_can_be_removed() {
    let mut registry = registry();
    let handover = put(&mut registry, "a");
    keep(&mut registry, &handover);
    assert!(send(&mut registry, ask(Act::Find, &["a"]), "").is_err());
    assert_eq!(registry.take_wanted(), ["key:a"]);
    registry.lend("key:a", "").unwrap();
    let lost = send(&mut registry, ask(Act::Find, &["a"]), "").unwrap_err();
    assert!(lost.to_string().contains("revision 1"), "{lost}");
    assert!(registry.take_wanted().is_empty());
    let removed = send(&mut registry, ask(Act::Remove, &["a"]), "").unwrap();
    assert!(matches!(removed.0, Reply::Session { .. }));
}

#[test]
fn the_end_of_a_session_is_handed_over_too() {
    let mut registry = registry();
    let handover = put(&mut registry, "a");
    keep(&mut registry, &handover);
    // Nothing has to be lent for it.
    send(&mut registry, ask(Act::Remove, &["a"]), "").unwrap();
    let ended = taken(&mut registry);
    // Its revision is later than that of the session.
    assert_eq!((ended.len(), ended[0].revision), (1, 2));
    assert!(is_gone(&ended[0]));
    assert_eq!(open_handovers(&mut registry), ended);
    // A new one with the same id has a later revision, and both are kept on their own.
    let again = put(&mut registry, "a");
    assert_eq!(again.revision, 3);
    keep(&mut registry, &ended[0]);
    assert_eq!(open_handovers(&mut registry), [again]);
}

#[test]
fn a_rotated_key_continues_the_counters_of_the_one_that_ends() {
    let mut registry = registry();
    let written = put(&mut registry, "a");
    send(&mut registry, ask(Act::Rotate, &["a", "b"]), "").unwrap();
    let handovers = taken(&mut registry);
    // If it has reset the counters, its Ledger has to know that before it ends.
    assert_eq!((handovers.len(), &handovers[0]), (3, &written));
    let handovers = &handovers[1..];
    let of = |ledger: &str| {
        let mut found = handovers.iter().filter(|it| it.ledger == ledger);
        found.next().cloned().unwrap()
    };
    assert!(is_gone(&of("key:a")) && !is_gone(&of("key:b")));
    assert_eq!(
        (of("key:a").after, of("key:b").after),
        (String::new(), "key:a".to_owned())
    );
    // Just as well after a crash.
    let open = open_handovers(&mut registry);
    assert_eq!(open, [of("key:a"), of("key:b")]);
}

#[test]
fn whoever_reads_a_write_finds_it_effective() {
    let mut registry = registry();
    let handover = put(&mut registry, "a");
    send(&mut registry, ask(Act::Find, &["a"]), "").unwrap();
    assert_eq!(taken(&mut registry), [handover]);
    send(&mut registry, ask(Act::Remove, &["a"]), "").unwrap();
    let ended = taken(&mut registry);
    let found = send(&mut registry, ask(Act::Find, &["a"]), "").unwrap();
    assert_eq!(found.0, Reply::Refused(Refusal::NotFound));
    assert_eq!(taken(&mut registry), ended);
}

#[test]
fn a_ledger_is_told_where_a_session_is_and_need_not_ask_again() {
    let mut registry = registry();
    let handover = put(&mut registry, "a");
    let found = question(&mut registry, "a", SHARDS);
    assert!(
        matches!(found, Reply::Session { revision: 1, .. }),
        "{found:?}"
    );
    registry.take_handovers();
    keep(&mut registry, &handover);
    let shards = SHARDS.to_string();
    let kept = Reply::Refused(Refusal::Kept { shards });
    assert_eq!(question(&mut registry, "a", SHARDS), kept);
    let settled = Reply::Refused(Refusal::Settled);
    assert_eq!(question(&mut registry, "b", SHARDS), settled);
    // It belongs to a deployment with other objects.
    let unknown = Reply::Refused(Refusal::NotFound);
    assert_eq!(question(&mut registry, "b", 4), unknown);
}

#[test]
fn writes_that_arrive_together_want_their_sessions_together() {
    let sql = Sqlite::default();
    let mut registry = opened(&sql, SHARDS);
    let handovers = ["a", "b", "c"].map(|id| put(&mut registry, id));
    handovers.iter().for_each(|it| keep(&mut registry, it));
    let before = dump(&sql).unwrap();
    let update = |id: &str| (Command::Session(ask(Act::Put, &[id])), SESSION);
    let remove = (Command::Session(ask(Act::Remove, &["c"])), "");
    let commands = [update("a"), update("b"), remove, update("new")];
    assert!(registry.handle_all(&commands, NOW).is_none());
    assert_eq!(registry.take_wanted(), ["key:a", "key:b"]);
    assert_eq!(dump(&sql).unwrap(), before);
    handovers.iter().for_each(|it| lend(&mut registry, it));
    let answers = registry.handle_all(&commands, NOW).unwrap();
    let ledgers = answers.iter().map(|(reply, handovers)| {
        assert!(reply.is_ok());
        let [handover] = handovers.list.as_slice() else {
            panic!("{handovers:?}");
        };
        handover.ledger.clone()
    });
    let ledgers: Vec<_> = ledgers.collect();
    assert_eq!(ledgers, ["key:a", "key:b", "key:c", "key:new"]);
}

#[test]
fn what_is_lent_together_stays_however_much_it_is() {
    let mut registry = registry();
    let filling = format!(r#"{{"meta_data":{{"x":"{}"}},"#, "x".repeat(1024 * 1024));
    let long = SESSION.replacen('{', &filling, 1);
    let ids: Vec<String> = (0..9).map(|at| format!("key{at}")).collect();
    let mut handovers = Vec::new();
    for id in &ids {
        send(&mut registry, ask(Act::Put, &[id]), &long).unwrap();
        handovers.extend(taken(&mut registry));
    }
    handovers.iter().for_each(|it| keep(&mut registry, it));
    let update = |id: &String| (Command::Session(ask(Act::Put, &[id])), SESSION);
    let commands: Vec<_> = ids.iter().map(update).collect();
    for _ in 0..2 {
        assert!(registry.handle_all(&commands, NOW).is_none());
        assert_eq!(registry.take_wanted().len(), ids.len());
        handovers.iter().for_each(|it| lend(&mut registry, it));
        let answers = registry.handle_all(&commands, NOW).unwrap();
        handovers = answers
            .into_iter()
            .flat_map(|(_, handovers)| handovers.list)
            .collect();
        handovers.iter().for_each(|it| keep(&mut registry, it));
    }
}

#[test]
fn the_alarm_leaves_handovers_to_their_writes_for_a_while_and_no_longer() {
    let mut registry = registry();
    let now = 1_700_000_000_123;
    assert_eq!(registry.next_handover(now).unwrap(), None);
    let first = put(&mut registry, "a");
    let due = now + 10_000;
    assert_eq!(registry.next_handover(now).unwrap(), Some(due));
    assert!(registry.due_handovers(due - 1).unwrap().0.is_empty());
    // What is written later does not put it off.
    let second = put(&mut registry, "b");
    assert_eq!(registry.next_handover(due - 1).unwrap(), Some(due));
    let (open, is_more) = registry.due_handovers(due).unwrap();
    assert_eq!(as_written(open), [first.clone(), second.clone()]);
    assert!(!is_more);
    // They are tried again, until they are kept.
    assert_eq!(registry.next_handover(due).unwrap(), Some(due + 10_000));
    for handover in [first, second] {
        keep(&mut registry, &handover);
    }
    assert_eq!(registry.next_handover(due).unwrap(), None);
}

#[test]
fn giving_up_an_import_waits_for_every_ledger() {
    let mut registry = registry();
    let begin = Backup::Begin {
        id: "export".to_owned(),
        dry_run: false,
    };
    let done = registry.handle(&Command::Backup(begin), "", NOW).unwrap();
    assert_eq!(done.0, Reply::Json);
    let commands = [(Command::Backup(Backup::GiveUp), "")];
    let answers = registry.handle_all(&commands, NOW).unwrap();
    assert!(answers[0].0.is_ok() && answers[0].1.drains);
}

#[test]
fn an_imported_session_comes_after_the_end_of_another_and_only_once() {
    let mut registry = registry();
    put(&mut registry, "a");
    send(&mut registry, ask(Act::Remove, &["a"]), "").unwrap();
    // Its Ledger keeps it, but that was not recorded.
    let ended = taken(&mut registry);
    let id = "export".to_owned();
    let begin = Backup::Begin {
        id: id.clone(),
        dry_run: false,
    };
    let text = format!(
        r#"{{"session":{{"owner":"key","id":"a","revision":1,"reset":1,"created_at":"","updated_at":"","ends":0,"org_id":"default","text":{}}}}}"#,
        serde_json::to_string(SESSION).unwrap()
    );
    let lines = vec![(
        1,
        Line {
            text,
            secrets: None,
        },
    )];
    for command in [begin, Backup::Store { id, lines }] {
        let done = registry.handle(&Command::Backup(command), "", NOW).unwrap();
        assert_eq!(done.0, Reply::Json);
    }
    let imported = taken(&mut registry);
    assert_eq!((imported.len(), &imported[0]), (2, &ended[0]));
    // So does whoever reads it.
    send(&mut registry, ask(Act::Find, &["a"]), "").unwrap();
    assert_eq!(taken(&mut registry), imported);
    imported.iter().for_each(|it| keep(&mut registry, it));
    assert!(open_handovers(&mut registry).is_empty());
}

//! The Registry's statements on SQLite itself, where tests of the commands don't reach.

mod plans;
mod stored;
mod trail;

use gatewright_api::message::Action;
use gatewright_controlplane::registry::handover::Origin;
use gatewright_controlplane::registry::index::Facts;
use gatewright_controlplane::registry::rows::{
    Body, Change, Document, DocumentId, Entry, Rows, SignInRow,
};
use gatewright_controlplane::registry::sessions::{SessionFacts, SessionRow};
use gatewright_protocol::sessions::{Owner, SessionQuery};
use gatewright_testkit::sql::{Fault, FaultySql, dump};
use gatewright_testkit::sqlite::Sqlite;

fn entry(id: &str, revision: u64) -> Entry {
    Entry {
        id: id.to_owned(),
        revision,
        deleted: false,
        published: None,
        updated_at: "2026-01-01T00:00:00.000Z".to_owned(),
        facts: Facts::default(),
    }
}

fn definition<'a>(id: &str, revision: u64, text: &'a str) -> Change<'a> {
    Change::Document {
        document: Document::Definition(entry(id, revision)),
        action: Action::Added,
        body: Body::Text(text),
    }
}

fn session(id: &str) -> Change<'static> {
    Change::Session {
        is_new: false,
        row: SessionRow {
            owner: Owner::Key,
            id: id.to_owned(),
            facts: SessionFacts::default(),
            ..SessionRow::default()
        },
        text: "{}",
        origin: Origin::Written,
    }
}

#[test]
fn failed_first_write_leaves_usable_tables() {
    let sql = FaultySql::<Sqlite>::default();
    let rows = Rows::new(Box::new(sql.clone()));
    sql.fail_next(Fault::BeforePersist);
    assert!(rows.commit(&[definition("a", 1, "{}")]).is_err());
    rows.commit(&[definition("a", 1, "{}")]).unwrap();
    assert_eq!(rows.entries_from("", 99).unwrap(), [entry("a", 1)]);
}

#[test]
fn a_revision_is_never_written_twice_and_nothing_is_written_with_it() {
    let sql = Sqlite::default();
    let rows = Rows::new(Box::new(sql.clone()));
    rows.commit(&[definition("a", 1, "first")]).unwrap();
    let before = dump(&sql).unwrap();
    let value = Change::Value {
        name: "generation",
        value: "1",
    };
    let changes = [value, definition("b", 1, "{}"), definition("a", 1, "other")];
    assert!(rows.commit(&changes).is_err());
    assert_eq!(dump(&sql).unwrap(), before);
    assert_eq!(rows.text("a", 1).unwrap().as_deref(), Some("first"));
}

#[test]
fn text_longer_than_a_row_round_trips_and_is_deleted_with_its_revision() {
    let sql = Sqlite::default();
    let rows = Rows::new(Box::new(sql.clone()));
    let long = "\u{20ac}1".repeat(900_000);
    rows.commit(&[definition("a", 1, &long)]).unwrap();
    rows.commit(&[definition("a", 2, "short")]).unwrap();
    assert_eq!(rows.text("a", 1).unwrap().as_deref(), Some(long.as_str()));
    assert_eq!(rows.text("a", 2).unwrap().as_deref(), Some("short"));
    let bytes: Vec<u64> = rows
        .revisions(DocumentId::api("a"), None, 9)
        .unwrap()
        .iter()
        .map(|row| row.bytes)
        .collect();
    assert_eq!(bytes, [5, 3_600_000]);
    let older = rows.older(DocumentId::api("a"), (0, 2)).unwrap().unwrap();
    assert_eq!(older.text.as_deref(), Some(long.as_str()));

    let copy = Rows::new(Box::new(Sqlite::default()));
    copy.commit(&[Change::Older(&older)]).unwrap();
    assert_eq!(copy.text("a", 1).unwrap(), older.text);

    let trim = Change::TrimRevisions {
        of: DocumentId::api("a"),
        upto: 1,
        published: None,
        gone: false,
    };
    rows.commit(&[trim]).unwrap();
    assert_eq!(rows.text("a", 1).unwrap(), None);
    assert!(!dump(&sql).unwrap().contains('\u{20ac}'));
}

#[test]
fn texts_round_trip() {
    let rows = Rows::new(Box::new(Sqlite::default()));
    let text = "{\"a\": \"ä€𝄞\u{0}\r\n\",\t1.0}";
    rows.commit(&[definition("a", 1, text)]).unwrap();
    assert_eq!(rows.text("a", 1).unwrap().as_deref(), Some(text));
    let bytes = u64::try_from(text.len()).unwrap();
    assert_eq!(
        rows.revisions(DocumentId::api("a"), None, 9).unwrap()[0].bytes,
        bytes
    );
}

#[test]
fn session_lookup_may_exceed_statement_parameters() {
    let rows = Rows::new(Box::new(Sqlite::default()));
    let ids: Vec<String> = (0..300).map(|at| format!("key {at:03}")).collect();
    let changes: Vec<_> = ids.iter().map(|id| session(id)).collect();
    rows.commit(&changes).unwrap();
    let query = SessionQuery {
        ids: ids[..250].to_vec(),
        page: Some(2),
        per_page: 100,
        ..SessionQuery::default()
    };
    let (page, total) = rows.sessions(Owner::Key, &query).unwrap();
    assert_eq!((page.len(), total), (100, 250));
    assert_eq!(page[0].id, "key 100");
}

#[test]
fn keys_are_counted_by_policy_within_their_organisation() {
    let rows = Rows::new(Box::new(Sqlite::default()));
    let key = |id: &str, org: &str, policies: &[&str], ends: u64| Change::Session {
        is_new: true,
        row: SessionRow {
            owner: Owner::Key,
            id: id.to_owned(),
            facts: SessionFacts {
                ends,
                org_id: org.to_owned(),
                policies: policies.iter().map(|id| (*id).to_owned()).collect(),
                ..SessionFacts::default()
            },
            ..SessionRow::default()
        },
        text: "{}",
        origin: Origin::Written,
    };
    rows.commit(&[
        key("1", "acme", &["p", "q"], 0),
        key("2", "acme", &["p"], 9),
        key("3", "acme", &["p", "r"], 8),
        key("4", "other", &["p", "q"], 0),
        // An id may start like an organisation.
        key("acme-5", "other", &["p"], 0),
    ])
    .unwrap();
    let counts = |policies: &[&str]| {
        let policies = policies.iter().copied().collect();
        let counts = rows.keys_with_policies("acme", &policies, 8).unwrap();
        counts.into_iter().collect::<Vec<_>>()
    };
    let one = |policy: &str, count: u32| (policy.to_owned(), count);
    assert_eq!(counts(&["p", "q", "r", "none"]), [one("p", 2), one("q", 1)]);
    assert_eq!(counts(&["q"]), [one("q", 1)]);
}

#[test]
fn expired_quiet_period_is_removed_with_the_next() {
    let sql = Sqlite::default();
    let rows = Rows::new(Box::new(sql.clone()));
    let quiet = |name: &str, until, now| Change::Quiet {
        name: name.to_owned(),
        until,
        now,
    };
    rows.commit(&[quiet("a", 100, 0), quiet("b", 200, 0)])
        .unwrap();
    assert_eq!(
        (rows.quiet("a").unwrap(), rows.quiet("c").unwrap()),
        (100, 0)
    );
    rows.commit(&[quiet("c", 300, 100)]).unwrap();
    assert!(!dump(&sql).unwrap().contains("quiet: a"));
    assert_eq!(
        (rows.quiet("b").unwrap(), rows.quiet("c").unwrap()),
        (200, 300)
    );
}

#[test]
fn sign_in_limit_holds_for_equal_times() {
    let rows = Rows::new(Box::new(Sqlite::default()));
    let sign_in = |hash: &str, seen: u64| SignInRow {
        hash: hash.to_owned(),
        begun: 5,
        seen,
        ..SignInRow::default()
    };
    let kept = |keep: u32| {
        let trim = Change::TrimSignIns {
            seen: 0,
            begun: 0,
            keep,
            of: None,
        };
        rows.commit(&[trim]).unwrap();
        let names = ["old", "a", "b", "c", "new"].into_iter();
        let kept = names.filter(|name| rows.sign_in(name).unwrap().is_some());
        kept.collect::<Vec<_>>()
    };
    for row in [
        sign_in("c", 7),
        sign_in("new", 8),
        sign_in("a", 7),
        sign_in("old", 6),
        sign_in("b", 7),
    ] {
        rows.commit(&[Change::SignIn(&row)]).unwrap();
    }
    assert_eq!(kept(5).len(), 5);
    assert_eq!(kept(4), ["a", "b", "c", "new"]);
    assert_eq!(kept(2), ["a", "new"]);
    assert_eq!(kept(1), ["new"]);
}

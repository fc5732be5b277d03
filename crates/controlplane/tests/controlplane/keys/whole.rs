//! The complete list of keys, which is read in pages so that neither side ever holds all of it.

use super::value;
use gatewright_controlplane::registry::handover::Origin;
use gatewright_controlplane::registry::rows::{Change, Rows};
use gatewright_controlplane::registry::sessions::{SessionFacts, SessionRow};
use gatewright_controlplane::registry::{Registry, stream};
use gatewright_protocol::http::Response;
use gatewright_protocol::registry::{Command, Reply, encode};
use gatewright_protocol::sessions::{Act, Owner, SessionAsk, SessionQuery};
use gatewright_testkit::sqlite::Sqlite;
use serde_json::json;

const NOW: &str = "2026-01-02T03:04:05.000Z";

/// Creates this many keys, every tenth with a tag, in no particular order.
fn filled(count: u32) -> Registry {
    let sql = Sqlite::default();
    let rows = Rows::new(Box::new(sql.clone()));
    let change = |at: u32| Change::Session {
        is_new: true,
        row: SessionRow {
            owner: Owner::Key,
            id: id(at),
            revision: 1,
            facts: SessionFacts {
                tags: at
                    .is_multiple_of(10)
                    .then(|| "tenth".to_owned())
                    .into_iter()
                    .collect(),
                ..SessionFacts::default()
            },
            ..SessionRow::default()
        },
        text: "{}",
        origin: Origin::Written,
    };
    let changes: Vec<_> = (0..count).rev().map(change).collect();
    rows.commit(&changes).unwrap();
    Registry::new(sql, "default")
}

fn id(at: u32) -> String {
    format!("{at:08x}")
}

/// Returns the text of a list, and the size of its longest page in bytes.
fn listed(registry: &mut Registry, query: SessionQuery) -> (String, usize) {
    let ask = SessionAsk {
        act: Act::List,
        query: SessionQuery {
            behind: Some(String::new()),
            ..query
        },
        ..SessionAsk::default()
    };
    let mut message = encode(&Command::Session(ask), "").unwrap();
    let (mut text, mut longest) = (String::new(), 0);
    while !message.is_empty() {
        let looked = stream::look(registry, &message, NOW).unwrap();
        let (next, page) = looked.split_once('\n').unwrap();
        text.push_str(page);
        longest = longest.max(page.len());
        message = next.to_owned();
    }
    (text, longest)
}

#[test]
fn all_keys_are_listed_in_pages_of_a_bounded_size() {
    for count in [0, 1, 9_999, 10_000, 10_001, 25_000] {
        let mut registry = filled(count);
        let (text, longest) = listed(&mut registry, SessionQuery::default());
        let ids: Vec<_> = (0..count).map(id).collect();
        assert_eq!(text, format!("{}\n", json!({ "keys": ids })), "{count}");
        assert!(longest < 120_000, "{longest}");
    }
    let mut registry = filled(25_000);
    let tagged = SessionQuery {
        tag: Some("tenth".to_owned()),
        ..SessionQuery::default()
    };
    let (text, _) = listed(&mut registry, tagged);
    let ids: Vec<_> = (0..25_000).step_by(10).map(id).collect();
    assert_eq!(value(&Response::text(200, text)), json!({ "keys": ids }));
}

#[test]
fn concurrent_changes_skip_no_other_keys() {
    let mut registry = filled(20_000);
    let query = |behind: &str| {
        Command::Session(SessionAsk {
            act: Act::List,
            query: SessionQuery {
                behind: Some(behind.to_owned()),
                ..SessionQuery::default()
            },
            ..SessionAsk::default()
        })
    };
    let (_, first) = registry.handle(&query(""), "", NOW).unwrap();
    let (next, _) = first.split_once('\n').unwrap();
    assert_eq!(next, id(9_999));
    let remove = SessionAsk {
        act: Act::Remove,
        ids: vec![next.to_owned()],
        ..SessionAsk::default()
    };
    let removed = registry.handle(&Command::Session(remove), "", NOW).unwrap();
    assert!(matches!(removed.0, Reply::Session { .. }));
    let (_, second) = registry.handle(&query(next), "", NOW).unwrap();
    let begin = format!(",\"{}\",\"{}\"", id(10_000), id(10_001));
    assert!(second.split_once('\n').unwrap().1.starts_with(&begin));
}

#[test]
fn previous_release_gets_the_list_unpaged() {
    let mut registry = filled(10_001);
    let ask = SessionAsk {
        act: Act::List,
        ..SessionAsk::default()
    };
    let (_, text) = registry.handle(&Command::Session(ask), "", NOW).unwrap();
    let list = value(&Response::text(200, text));
    assert_eq!(list["keys"].as_array().unwrap().len(), 10_001);
}

//! Rows stored by earlier versions (`stored.sql`) can be read, and their tables equal those created now.

use gatewright_api::dashboard::delivery::DeliveryState;
use gatewright_api::dashboard::shape::{AuditEntry, Subject};
use gatewright_api::message::Action;
use gatewright_controlplane::registry::rows::{Change, DocumentId, Kinds, Rows};
use gatewright_protocol::records::{AuditFilter, Kind};
use gatewright_protocol::sessions::{Owner, SessionQuery};
use gatewright_testkit::sql::{Fault, FaultySql, dump};
use gatewright_testkit::sqlite::{Row, Sql, Sqlite};

/// Returns a database with these rows.
fn earlier() -> Sqlite {
    let sql = Sqlite::default();
    let text = include_str!("stored.sql");
    for statement in text.split(";\n").filter(|text| !text.trim().is_empty()) {
        sql.query(statement, &[]).unwrap();
    }
    sql
}

/// Returns the statement that created each table and index, with white space normalised.
fn schema(sql: &Sqlite) -> Vec<String> {
    let made = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows = sql.query(made, &[]).unwrap();
    rows.into_iter()
        .map(|mut row| words(row.text().unwrap()))
        .collect()
}

fn rows() -> Rows {
    Rows::new(Box::new(earlier()))
}

#[test]
fn migrated_tables_equal_new_ones() {
    let (made, earlier) = (Sqlite::default(), earlier());
    let before = columns(&earlier);
    for sql in [&made, &earlier] {
        Rows::new(Box::new(sql.clone()))
            .entries_from("", 99)
            .unwrap();
    }
    assert_eq!(schema(&made), schema(&earlier));
    // The previous release can go on with them: its columns are unchanged, and new ones have a default. It knows
    // nothing about tables that it does not have.
    let after = columns(&earlier);
    assert!(before.iter().all(|column| after.contains(column)));
    let new = after.iter().filter(|column| !before.contains(column));
    let new: Vec<_> = new
        .filter(|(table, ..)| before.iter().any(|(known, ..)| known == table))
        .collect();
    let text = |text: &str| text.to_owned();
    let client = |at, name| (text("audit"), at, text(name), None);
    let share = (text("notice"), 3, text("share"), Some(text("''")));
    let created = (
        text("session_mark"),
        4,
        text("created_at"),
        Some(text("''")),
    );
    let after = (text("session_text"), 3, text("after"), None);
    let made = [
        client(10, "ip_address"),
        client(11, "user_agent"),
        client(12, "request_id"),
        share,
        created,
        after,
    ];
    assert_eq!(new, made.iter().collect::<Vec<_>>());
}

/// Returns the columns of all tables: table, position, name and default.
fn columns(sql: &Sqlite) -> Vec<(String, u64, String, Option<String>)> {
    let found = "SELECT t.name, c.cid, c.name, c.dflt_value FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.type = 'table' ORDER BY t.name, c.cid";
    let read = |mut row: Row| {
        (
            row.text().unwrap(),
            row.number().unwrap(),
            row.text().unwrap(),
            row.maybe_text().unwrap(),
        )
    };
    sql.query(found, &[])
        .unwrap()
        .into_iter()
        .map(read)
        .collect()
}

fn version(sql: &Sqlite) -> u64 {
    let found = "SELECT max(version) FROM schema_version";
    sql.query(found, &[]).unwrap()[0].number().unwrap()
}

#[test]
fn a_database_of_a_later_release_is_refused_and_left_alone() {
    let sql = earlier();
    Rows::new(Box::new(sql.clone()))
        .entries_from("", 99)
        .unwrap();
    let known = version(&sql);
    let later = "INSERT INTO schema_version VALUES (99)";
    sql.query(later, &[]).unwrap();
    let before = dump(&sql).unwrap();
    let rows = Rows::new(Box::new(sql.clone()));
    let value = Change::Value {
        name: "generation",
        value: "8",
    };
    // Every use is refused, not only the first.
    for refused in [
        rows.entries_from("", 99).err(),
        rows.commit(std::slice::from_ref(&value)).err(),
        rows.value("generation").err(),
    ] {
        let expected = format!(
            "its tables are of version 99, made by a later release; this one knows version {known}: deploy that release or a later one"
        );
        assert_eq!(refused.unwrap().detail, expected);
    }
    assert_eq!(dump(&sql).unwrap(), before);
}

#[test]
fn failed_migration_step_is_rolled_back() {
    let earlier = earlier();
    let sql = FaultySql::over(earlier.clone());
    let before = dump(&earlier).unwrap();
    sql.fail_next(Fault::BeforePersist);
    let rows = Rows::new(Box::new(sql));
    assert!(rows.entries_from("", 99).is_err());
    assert_eq!(dump(&earlier).unwrap(), before);
    assert_eq!(rows.entries_from("", 99).unwrap().len(), 2);
    assert!(version(&earlier) > 0);
}

#[test]
fn definitions_are_read() {
    let rows = rows();
    let entries = rows.entries_from("", 99).unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!((entries[0].id.as_str(), entries[0].deleted), ("gone", true));
    assert_eq!((entries[1].revision, entries[1].published), (2, Some(1)));
    assert_eq!(entries[1].facts.listen_path, "/orders/");
    assert_eq!(
        rows.text("orders", 1).unwrap().unwrap(),
        r#"{"name":"Order"}"#
    );
    assert_eq!(rows.text("gone", 2).unwrap(), None);
    let revisions = rows.revisions(DocumentId::api("gone"), None, 9).unwrap();
    assert_eq!(
        (revisions[0].action, revisions[0].bytes),
        (Action::Deleted, 0)
    );
    assert_eq!(
        rows.revisions(DocumentId::api("gone"), Some(2), 9).unwrap()[0].bytes,
        15
    );
    assert_eq!(rows.value("generation").unwrap().unwrap(), "7");
    assert_eq!(rows.value("none").unwrap(), None);
    assert_eq!(rows.part(7, "policies").unwrap(), ["a 1\n", "b 2\n"]);
}

#[test]
fn documents_of_the_dashboard_are_read() {
    let rows = rows();
    let records = rows.records_from(None, 99).unwrap();
    assert_eq!((records[0].kind, records[0].revision), (Kind::Policy, 3));
    assert_eq!(records[0].facts.stable_id, "gold");
    let of = DocumentId::record(Kind::Policy, &records[0].id);
    let bodies = [2, 3].map(|at| rows.older(of, (at - 1, at + 1)).unwrap().unwrap());
    assert_eq!(bodies[0].text.as_deref(), Some(r#"{"name":"Gilt"}"#));
    assert_eq!(bodies[1].patch.as_deref(), Some(r#"{"name":"Gold"}"#));
    let text = rows.text_of(of, 3).unwrap();
    assert_eq!(text.as_deref(), Some(r#"{"name":"Gold"}"#));
    let revisions = rows.revisions(of, Some(3), 1);
    assert_eq!(revisions.unwrap()[0].revision, 2);
}

#[test]
fn the_journal_is_read() {
    let rows = rows();
    assert_eq!(rows.last_notices().unwrap(), [("default".to_owned(), 4)]);
    let kind = "NoticeClientIdPChanged";
    let found = |kinds| {
        rows.notices("default", kinds, 0, (9, usize::MAX))
            .unwrap()
            .len()
    };
    let all = [
        Kinds::All,
        Kinds::Only(kind),
        Kinds::AllBut(kind),
        Kinds::Only("other"),
    ];
    assert_eq!(all.map(found), [1, 1, 0, 0]);
    assert_eq!(rows.last_audit().unwrap().unwrap().0, 9);
    let filter = AuditFilter {
        org: Some("default".to_owned()),
        subjects: vec![Subject::Ruleset, Subject::ClientIdp],
        action: Some(Action::Modified),
        limit: 9,
        ..AuditFilter::default()
    };
    let entries = rows.audit(&filter).unwrap();
    assert_eq!((entries[0].before, entries[0].after), (Some(1), None));
    let AuditEntry {
        ip_address,
        user_agent,
        request_id,
        ..
    } = &entries[0];
    assert_eq!([ip_address, user_agent, request_id], [&None; 3]);
}

#[test]
fn deliveries_and_credentials_are_read() {
    let rows = rows();
    assert_eq!(
        (rows.last_delivery().unwrap(), rows.waiting("hook").unwrap()),
        (5, 1)
    );
    assert_eq!(rows.waiting_hooks().unwrap(), ["hook"]);
    let delivery = rows.delivery("hook", "n4").unwrap().unwrap();
    assert_eq!(delivery.delivery.state, DeliveryState::Pending);
    assert_eq!(rows.pending("hook", 1).unwrap(), [delivery]);
    assert_eq!(rows.quiet("hook QuotaExceeded").unwrap(), 1_767_225_600_000);
    assert!(rows.secrets("hook").unwrap().is_some());
    assert_eq!(rows.credentials().unwrap()[0].0, "c0ffee");
}

#[test]
fn sessions_are_read() {
    let rows = rows();
    let (row, text) = rows.session(Owner::Key, "deadbeef").unwrap().unwrap();
    assert_eq!(
        (row.revision, row.reset, row.facts.ends),
        (11, 10, 1_767_830_400_000)
    );
    assert_eq!(text, r#"{"alias":"Alice"}"#);
    let query = |change: &dyn Fn(&mut SessionQuery)| {
        let mut query = SessionQuery::default();
        change(&mut query);
        rows.sessions(Owner::Key, &query).unwrap().1
    };
    let tag = |tag: &str| Some(tag.to_owned());
    assert_eq!(query(&|query| query.tag = tag("gold")), 1);
    assert_eq!(query(&|query| query.tag = tag("silver")), 0);
    assert_eq!(query(&|query| query.search = "ALI".to_owned()), 1);
    assert_eq!(query(&|query| query.filter = "dead".to_owned()), 1);
    assert_eq!(query(&|query| query.now = 1_767_830_400_000), 0);
    assert_eq!(rows.ending(1_767_830_400_000, 9).unwrap(), [row]);
}

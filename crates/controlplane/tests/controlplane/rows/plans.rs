//! SQLite's query plans: lists use an index, and never scan rows of others.

use gatewright_api::message::Action;
use gatewright_api::session::KeyState;
use gatewright_controlplane::registry::rows::{Change, DocumentId, Kinds, Older, Rows};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;
use gatewright_protocol::sessions::{Owner, SessionQuery, SessionSort};
use gatewright_testkit::sqlite::{Row, Sql, Sqlite, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// A database that records the plan of each statement.
#[derive(Clone, Debug, Default)]
struct Explained {
    sql: Sqlite,
    plans: Rc<RefCell<Vec<String>>>,
}

impl Sql for Explained {
    fn query(&self, statement: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        if !statement.starts_with("CREATE") {
            let plan = self
                .sql
                .query(&format!("EXPLAIN QUERY PLAN {statement}"), values)?;
            let steps = plan.into_iter().map(|row| match row.last() {
                Some(Value::Text(step)) => step,
                step => format!("{step:?}"),
            });
            let steps: Vec<String> = steps.collect();
            self.plans.borrow_mut().push(steps.join("; "));
        }
        self.sql.query(statement, values)
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        self.sql.bytes()
    }

    fn transaction(
        &self,
        run: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.sql.transaction(run)
    }
}

/// Scans in a plan that are not of a table: the elements of a JSON text, and the current row of a walk from index entry
/// to index entry.
const NO_TABLES: [&str; 5] = [
    "SCAN json_each VIRTUAL TABLE",
    "SCAN known",
    "SCAN CONSTANT ROW",
    "SCAN 2 CONSTANT ROWS",
    "SCAN 1 CONSTANT ROW",
];

/// Returns the steps that read more than they need. An index used only by its column `owner` counts, too, since that
/// tells keys from organisations but not one organisation's rows from another's.
fn scans(plan: &str) -> Vec<&str> {
    let steps = plan.split("; ");
    let wasteful = steps.filter(|step| {
        let table = step.starts_with("SCAN") && !NO_TABLES.iter().any(|is| step.starts_with(is));
        table || step.ends_with("(owner=?)")
    });
    wasteful.collect()
}

/// Returns the plans of the statements that `ask` runs, once the tables exist.
pub(super) fn plans(ask: impl FnOnce(&Rows)) -> Vec<String> {
    let sql = Explained::default();
    let rows = Rows::new(Box::new(sql.clone()));
    rows.value("none").unwrap();
    sql.plans.borrow_mut().clear();
    ask(&rows);
    sql.plans.take()
}

pub(super) fn by(index: &str, plans: &[String]) {
    for plan in plans {
        assert!(scans(plan).is_empty(), "{plan}");
    }
    let last = plans.last().unwrap();
    assert!(last.contains(index), "{last}");
    assert!(!last.contains("TEMP B-TREE"), "{last}");
}

#[test]
fn other_organisation_lists_use_an_index() {
    let kinds = [Kinds::All, Kinds::Only("a"), Kinds::AllBut("a")];
    for kinds in kinds {
        by(
            "(org=? AND seq>?)",
            &plans(|rows| {
                rows.notices("acme", kinds, 7, (9, 1)).unwrap();
            }),
        );
    }
    let found = [
        plans(|rows| drop(rows.deliveries("hook", Some(7), 9).unwrap())),
        plans(|rows| drop(rows.delivery("hook", "notice").unwrap())),
        plans(|rows| drop(rows.pending("hook", 9).unwrap())),
        plans(|rows| assert_eq!(rows.waiting("hook").unwrap(), 0)),
        plans(|rows| drop(rows.secrets("hook").unwrap())),
        plans(|rows| assert_eq!(rows.quiet("hook").unwrap(), 0)),
        plans(|rows| drop(rows.revisions(DocumentId::api("api"), Some(7), 9).unwrap())),
        plans(|rows| drop(rows.text("api", 7).unwrap())),
        plans(|rows| {
            drop(
                rows.revisions(DocumentId::record(Kind::Policy, "id"), Some(7), 9)
                    .unwrap(),
            )
        }),
        plans(|rows| {
            drop(
                rows.text_of(DocumentId::record(Kind::Policy, "id"), 7)
                    .unwrap(),
            )
        }),
    ];
    for plans in found {
        by("SEARCH", &plans);
    }
    for revisions in [
        plans(|rows| drop(rows.revisions(DocumentId::api("api"), Some(7), 9).unwrap())),
        plans(|rows| {
            drop(
                rows.revisions(DocumentId::record(Kind::Policy, "id"), Some(7), 9)
                    .unwrap(),
            )
        }),
    ] {
        by("id=? AND revision<?", &revisions);
    }
    by(
        "delivery_log (hook=? AND number<?)",
        &plans(|rows| drop(rows.deliveries("hook", None, 9).unwrap())),
    );
}

#[test]
fn a_patched_text_is_read_by_its_revisions() {
    let of = DocumentId::record(Kind::Policy, "id");
    let older = |revision, text: Option<&str>, patch: Option<&str>| Older {
        kind: of.kind,
        id: of.id.to_owned(),
        revision,
        action: Action::Modified,
        at: String::new(),
        text: text.map(str::to_owned),
        patch: patch.map(str::to_owned),
    };
    let found = plans(|rows| {
        let (whole, patch) = (
            older(1, Some("{}"), None),
            older(2, None, Some("{\"a\":1}")),
        );
        let stored = [Change::Older(&whole), Change::Older(&patch)];
        rows.commit(&stored).unwrap();
        let text = rows.text_of(of, 2).unwrap();
        assert_eq!(text.as_deref(), Some("{\"a\":1}"));
    });
    by("id=? AND revision=?", &found[2..3]);
    by("id=? AND revision>? AND revision<?", &found[3..]);
}

#[test]
fn startup_reads_skip_unneeded_rows() {
    by(
        "SEARCH notice",
        &plans(|rows| drop(rows.last_notices().unwrap())),
    );
    by(
        "SEARCH delivery USING COVERING INDEX delivery_due (hook>?)",
        &plans(|rows| drop(rows.waiting_hooks().unwrap())),
    );
    by(
        "SEARCH delivery",
        &plans(|rows| assert_eq!(rows.last_delivery().unwrap(), 0)),
    );
    by(
        "session_ends",
        &plans(|rows| drop(rows.ending(7, 9).unwrap())),
    );
}

#[test]
fn expired_rows_are_found_oldest_first() {
    let found = [
        plans(|rows| drop(rows.oldest_revisions(DocumentId::api("api"), 7, 9).unwrap())),
        plans(|rows| {
            drop(
                rows.oldest_revisions(DocumentId::record(Kind::Policy, "id"), 7, 9)
                    .unwrap(),
            )
        }),
        plans(|rows| drop(rows.oldest_notices("acme", 7, 9).unwrap())),
        plans(|rows| drop(rows.next_hook("hook").unwrap())),
        plans(|rows| drop(rows.surplus_deliveries("hook", 7, 9).unwrap())),
    ];
    for plans in found {
        by("SEARCH", &plans);
    }
    let mut of_handlers = plans(|rows| {
        let change = Change::TrimRevisions {
            of: DocumentId::api("api"),
            upto: 7,
            published: None,
            gone: false,
        };
        rows.commit(&[change]).unwrap();
    });
    // After the revisions, the pieces of long ones are deleted.
    let pieces = of_handlers.split_off(of_handlers.len() - 1);
    by("revision_piece USING PRIMARY KEY", &pieces);
    by("delivery_due (hook>? AND hook<?)", &of_handlers);
    for change in [
        Change::TrimAudit { upto: 7 },
        Change::TrimNotices {
            org: "acme",
            upto: 7,
        },
        Change::TrimRevisions {
            of: DocumentId::record(Kind::Policy, "id"),
            upto: 7,
            published: None,
            gone: false,
        },
        Change::RemoveDeliveries {
            hook: "hook",
            from: 1,
            to: 7,
        },
        Change::CredentialRemoved { hash: "hash" },
    ] {
        by("SEARCH", &plans(|rows| rows.commit(&[change]).unwrap()));
    }
}

/// Returns the plans that find the sessions of a query; the rest of the statement reads them by their key.
fn keys(change: impl FnOnce(&mut SessionQuery)) -> Vec<String> {
    let mut query = SessionQuery::default();
    change(&mut query);
    plans(|rows| drop(rows.sessions(Owner::Key, &query).unwrap()))
}

#[test]
fn keys_are_found_by_their_associations() {
    let some = || Some("x".to_owned());
    let found = [
        (keys(|query| query.policy = some()), "session_mark"),
        (keys(|query| query.tag = some()), "session_mark"),
        (keys(|query| query.api = some()), "session_mark"),
        (
            keys(|query| query.ids = vec!["x".to_owned()]),
            "PRIMARY KEY (owner=? AND id=?)",
        ),
    ];
    let counted = plans(|rows| {
        let policies = ["x"].into_iter().collect();
        drop(rows.keys_with_policies("acme", &policies, 7).unwrap());
    });
    let counted = (counted, "PRIMARY KEY (owner=? AND mark=? AND value=?)");
    for (plans, index) in found.into_iter().chain([counted]) {
        for plan in plans {
            assert!(scans(&plan).is_empty(), "{plan}");
            assert!(plan.contains(index), "{plan}");
        }
    }
}

#[test]
fn marks_of_a_key_are_removed_by_their_values() {
    let id = "x";
    let removed = Change::SessionRemoved {
        owner: Owner::Key,
        id,
        revision: 1,
    };
    let plans = plans(|rows| rows.commit(&[removed]).unwrap());
    let marks =
        "session_mark USING PRIMARY KEY (owner=? AND mark=? AND value=? AND created_at=? AND id=?)";
    assert!(plans[0].contains(marks), "{}", plans[0]);
    assert!(!plans[0].contains("SCAN session"), "{}", plans[0]);
}

#[test]
fn a_filter_searches_no_more_than_it_selects() {
    let sql = Explained::default();
    let rows = Rows::new(Box::new(sql.clone()));
    rows.value("none").unwrap();
    let add = |id: &str, org: &str| {
        let row = "INSERT INTO session VALUES ('key', ?, ?, '', 0, 0, 1, 1, '', '', '{}')";
        sql.sql.query(row, &[id.into(), org.into()]).unwrap();
    };
    let found = |filter: &str| {
        sql.plans.borrow_mut().clear();
        let query = SessionQuery {
            filter: filter.to_owned(),
            page: Some(1),
            per_page: 9,
            ..SessionQuery::default()
        };
        let (found, total) = rows.sessions(Owner::Key, &query).unwrap_or_default();
        let found: Vec<String> = found.into_iter().map(|row| row.id).collect();
        assert_eq!(u32::try_from(found.len()), Ok(total));
        let plans = sql.plans.borrow();
        assert!(scans(&plans[0]).is_empty(), "{}", plans[0]);
        (found.join(" "), plans[1..].join("; "))
    };
    let is_searched = |plan: &str| plan.contains("UNION ALL");
    add("a1", "acme");
    add("b2", "acme");
    let (ids, plan) = found("acme");
    assert_eq!(ids, "a1 b2");
    assert!(plan.contains("session_updated (owner=?)"), "{plan}");
    assert_eq!(found("a").0, "a1");
    for other in ["abc", "zeta"] {
        add(other, other);
        let (ids, plan) = found("acme");
        assert_eq!(ids, "a1 b2");
        assert!(
            plan.contains("session_org") && scans(&plan).is_empty() && !is_searched(&plan),
            "{plan}"
        );
        assert_eq!(found(other).0, other);
        let (ids, plan) = found("a");
        assert_eq!(
            (ids.as_str(), is_searched(&plan)),
            (["a1 abc", "a1"][usize::from(other != "abc")], true)
        );
        sql.sql
            .query("DELETE FROM session WHERE org = ?", &[other.into()])
            .unwrap();
    }
}

const ORDERS: [(SessionSort, &str); 3] = [
    (SessionSort::UpdatedAt, "session_updated"),
    (SessionSort::CreatedAt, "session_created"),
    (SessionSort::Alias, "session_sought"),
];

#[test]
fn a_page_of_all_keys_is_read_in_the_order_of_an_index() {
    for (sort, index) in ORDERS {
        let plans = keys(|query| query.sort = sort);
        let (count, page) = (&plans[0], &plans[1]);
        assert!(scans(count).len() == 1 && scans(page).len() == 1, "{page}");
        assert!(page.contains(&format!("{index} (owner=?)")), "{page}");
        assert!(page.contains("PRIMARY KEY (owner=? AND id=?)"), "{page}");
    }
}

/// The order of an index is no help in finding a few: none of a million keys were once looked for in all their rows.
#[test]
fn few_matching_keys_are_sorted_and_many_are_read_in_order() {
    let sql = Explained::default();
    let rows = Rows::new(Box::new(sql.clone()));
    rows.value("none").unwrap();
    let fill = "INSERT INTO session WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50001)
        SELECT 'key', printf('%032d', i), 'acme', 'customer', 0, 0, i, i, '', '', '{}' FROM n";
    sql.sql.query(fill, &[]).unwrap();
    let page = |query: SessionQuery| {
        sql.plans.borrow_mut().clear();
        let query = SessionQuery {
            page: Some(1),
            per_page: 1,
            ..query
        };
        let (found, total) = rows.sessions(Owner::Key, &query).unwrap_or_default();
        (
            found.len(),
            total,
            sql.plans.borrow().last().unwrap().clone(),
        )
    };
    sql.sql
        .query(
            "INSERT INTO session VALUES ('key', 'other', 'other', '', 0, 0, 1, 1, '', '', '{}')",
            &[],
        )
        .unwrap();
    for (sort, index) in ORDERS {
        let in_order = format!("{index} (owner=?)");
        let of_org = SessionQuery {
            filter: "acme".to_owned(),
            sort,
            ..SessionQuery::default()
        };
        let (_, total, plan) = page(of_org);
        // The index of organisations has their keys in the order of creation.
        let of_org = match sort {
            SessionSort::CreatedAt => "session_org (owner=? AND org=?)",
            _ => &in_order,
        };
        assert!(total == 50_001 && plan.contains(of_org), "{plan}");
        assert_eq!(
            plan.matches("session_org").count(),
            usize::from(of_org != in_order),
            "{plan}"
        );
        let state = |state| SessionQuery {
            state: Some(state),
            sort,
            ..SessionQuery::default()
        };
        let (_, total, plan) = page(state(KeyState::Active));
        assert!(total == 50_002 && plan.contains(&in_order), "{plan}");
        let (_, total, plan) = page(state(KeyState::Inactive));
        assert!(total == 0 && plan.contains("TEMP B-TREE"), "{plan}");
        assert!(
            index == "session_sought" || !plan.contains(&in_order),
            "{plan}"
        );
        let searched = SessionQuery {
            search: "50001".to_owned(),
            sort,
            ..SessionQuery::default()
        };
        let (found, total, plan) = page(searched);
        assert_eq!((found, total), (1, 1));
        assert!(
            index == "session_sought" || !plan.contains(&in_order),
            "{plan}"
        );
    }
}

//! Runs the statements of the Meter on SQLite itself, bound as in `worker/src/objects/meter.js`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

use gatewright_protocol::figures::{Close, Found, Span, Statements, Tally, read};
use gatewright_testkit::sqlite::{Row, Sql, Sqlite, Value};

mod failures;

/// A Sunday at noon, in Unix milliseconds: the start of a bucket of either width.
const NOON: u64 = 1_767_528_000_000;
const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const DAY: u64 = 24 * 60 * MINUTE;
const WEEK: u64 = 7 * DAY;

struct Meter {
    sql: Sqlite,
    statements: Statements,
}

impl Meter {
    fn new() -> Self {
        let meter = Self {
            sql: Sqlite::default(),
            statements: Statements::new(),
        };
        // Twice, as after a restart.
        meter.start();
        meter.start();
        meter
    }

    fn start(&self) {
        let version = &self.statements.version;
        self.run(version.make, &[]);
        if self.run(version.found, &[])[0].number().unwrap() == version.known {
            return;
        }
        for statement in &self.statements.schema {
            self.run(statement, &[]);
        }
        let name = |row: Row| row.into_iter().nth(1);
        let known: Vec<_> = self
            .run(&self.statements.known, &[])
            .into_iter()
            .map(name)
            .collect();
        for (name, statement) in &self.statements.added {
            if !known.contains(&Some(Value::from(name.as_str()))) {
                self.run(statement, &[]);
            }
        }
        self.run(version.reached, &[version.known.into()]);
    }

    fn run(&self, statement: &str, values: &[Value]) -> Vec<Row> {
        self.sql.query(statement, values).unwrap()
    }

    /// Adds this many requests to an API, each of which took a millisecond.
    fn add(&self, now: u64, api_id: &str, requests: u64) {
        let mut tally = tally(requests);
        let numbers = tally.columns().map(|number| Value::from(*number));
        let values: Vec<Value> = [now.into(), api_id.into()]
            .into_iter()
            .chain(numbers)
            .collect();
        for statement in &self.statements.add {
            self.run(statement, &values);
        }
    }

    fn note(&self, now: u64, hash: &str, close: &Close) {
        let values = [
            now.into(),
            hash.into(),
            "an api".into(),
            close.quota.into(),
            close.remaining.into(),
            close.renews_ms.into(),
        ];
        self.run(&self.statements.note, &values);
    }

    fn trim(&self, now: u64) {
        for statement in &self.statements.trim {
            self.run(statement, &[now.into()]);
        }
    }

    fn ask(&self, now: u64, span: &Span) -> Vec<Found> {
        let api = span.api_id.as_deref().unwrap_or_default();
        let wanted = [span.grain.into(), span.since.into(), api.into()];
        let with = |last: Value| [wanted.as_slice(), &[last]].concat();
        let mut answer = String::new();
        if span.step > 0 {
            line(
                &mut answer,
                'p',
                self.run(&self.statements.points, &with(span.step.into())),
            );
        }
        line(
            &mut answer,
            'a',
            self.run(&self.statements.apis, &with(span.most.into())),
        );
        let keys = [now.into(), api.into(), span.most.into()];
        line(&mut answer, 'k', self.run(&self.statements.keys, &keys));
        read(&answer).collect()
    }

    /// Returns how many rows a table has.
    fn rows(&self, table: &str) -> u64 {
        let mut found = self.run(&format!("SELECT count(*) FROM {table}"), &[]);
        found[0].number().unwrap()
    }
}

/// The file that the Meter reads, beside `worker/src/objects/meter.js`.
const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../worker/src/objects/statements.json"
);

#[test]
fn the_meter_reads_these_statements() {
    let statements = Statements::new().to_json().unwrap();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(FILE, &statements).unwrap();
    }
    let read = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(
        read == statements,
        "the statements have changed; run again with UPDATE_EXPECT=1"
    );
}

#[test]
fn tables_of_earlier_versions_get_the_columns_added_since() {
    // The version, and how many of the added columns it had already.
    for (version, known) in [(1_u64, 3), (3, 5)] {
        let meter = Meter {
            sql: Sqlite::default(),
            statements: Statements::new(),
        };
        for statement in VERSION_1 {
            meter.run(statement, &[]);
        }
        for (_, addition) in &meter.statements.added[..known] {
            meter.run(addition, &[]);
        }
        meter.run(meter.statements.version.make, &[]);
        meter.run(meter.statements.version.reached, &[version.into()]);
        meter.start();
        let mut found = meter.run(meter.statements.version.found, &[]);
        assert_eq!(found[0].number().unwrap(), 4);
        meter.add(NOON, "a", 3);
        let found = meter.ask(NOON, &one_api());
        assert_eq!(found, [Found::Api("a".to_owned(), tally(3))]);
    }
}

fn one_api() -> Span {
    Span {
        grain: 10,
        since: NOON / SECOND,
        most: 1,
        ..Span::default()
    }
}

#[test]
fn a_table_of_an_earlier_release_gets_the_columns_that_it_does_not_have() {
    let meter = Meter {
        sql: Sqlite::default(),
        statements: Statements::new(),
    };
    let now = &meter.statements.schema[0];
    let then = meter
        .statements
        .added
        .iter()
        .map(|(name, _)| name)
        .fold(now.clone(), |table, name| {
            table.replacen(&format!(", {name} INTEGER NOT NULL"), "", 1)
        });
    assert_ne!(&then, now);
    meter.run(&then, &[]);
    meter.start();
    meter.add(NOON, "a", 3);
    let found = meter.ask(NOON, &one_api());
    assert_eq!(found, [Found::Api("a".to_owned(), tally(3))]);
}

/// The tables of version 1, as released.
const VERSION_1: &[&str] = &[
    "CREATE TABLE bucket (
        grain INTEGER NOT NULL, at INTEGER NOT NULL, api_id TEXT NOT NULL,
        requests INTEGER NOT NULL, errors INTEGER NOT NULL, key_failures INTEGER NOT NULL,
        rate_limited INTEGER NOT NULL, quota_exceeded INTEGER NOT NULL, refused INTEGER NOT NULL,
        answered INTEGER NOT NULL, latency_ms INTEGER NOT NULL, within_1 INTEGER NOT NULL,
        within_2 INTEGER NOT NULL, within_5 INTEGER NOT NULL, within_10 INTEGER NOT NULL,
        within_25 INTEGER NOT NULL, within_50 INTEGER NOT NULL, within_100 INTEGER NOT NULL,
        within_250 INTEGER NOT NULL, within_500 INTEGER NOT NULL, within_1000 INTEGER NOT NULL,
        within_2500 INTEGER NOT NULL, within_5000 INTEGER NOT NULL, within_10000 INTEGER NOT NULL,
        within_more INTEGER NOT NULL, PRIMARY KEY (grain, at, api_id)
     ) WITHOUT ROWID",
    "CREATE TABLE close (
        hash TEXT NOT NULL, api_id TEXT NOT NULL, quota INTEGER NOT NULL, remaining INTEGER NOT NULL,
        renews INTEGER NOT NULL, seen INTEGER NOT NULL, PRIMARY KEY (hash, api_id)
     ) WITHOUT ROWID",
];

#[test]
fn the_tables_of_the_release_before_are_opened_and_everything_is_found() {
    let meter = Meter {
        sql: Sqlite::default(),
        statements: Statements::new(),
    };
    for statement in VERSION_1 {
        meter.run(statement, &[]);
    }
    let noon = NOON / SECOND;
    let sums = "7, 1, 0, 0, 0, 0, 7, 9, 6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0";
    meter.run(
        &format!("INSERT INTO bucket VALUES (10, {noon}, 'a', {sums})"),
        &[],
    );
    meter.run("INSERT INTO close VALUES ('h', 'a', 10, 1, 0, 5)", &[]);
    meter.start();
    meter.add(NOON, "a", 0);
    let mut before = Tally {
        requests: 7,
        errors: 1,
        answered: 7,
        latency_ms: 9,
        ..Tally::default()
    };
    before.buckets[..2].copy_from_slice(&[6, 1]);
    let key = Found::Key {
        hash: "h".to_owned(),
        api_id: "a".to_owned(),
        close: close(10, 1, 0),
        seen_ms: 5,
    };
    assert_eq!(
        meter.ask(NOON, &since(NOON)),
        [
            Found::Point(noon, before.clone()),
            Found::Api("a".to_owned(), before),
            key
        ]
    );
}

fn line(answer: &mut String, kind: char, rows: Vec<Row>) {
    for row in rows {
        answer.push(kind);
        for value in row {
            match value {
                Value::Integer(number) => answer.push_str(&format!(" {number}")),
                Value::Text(text) => answer.push_str(&format!(" {text}")),
                Value::Null => panic!("a sum of nothing"),
            }
        }
        answer.push('\n');
    }
}

fn tally(requests: u64) -> Tally {
    let mut tally = Tally {
        requests,
        answered: requests,
        latency_ms: requests,
        ledger_calls: requests,
        direct_counts: requests,
        leased_counts: requests,
        cache_hits: requests,
        cache_misses: requests,
        leases: requests,
        ..Tally::default()
    };
    tally.buckets[0] = requests;
    tally
}

fn close(quota: u64, remaining: u64, renews_ms: u64) -> Close {
    Close {
        quota,
        remaining,
        renews_ms,
    }
}

/// Everything since a time, in points of one minute.
fn since(ms: u64) -> Span {
    Span {
        grain: 10,
        since: ms / SECOND,
        step: 60,
        most: 10,
        ..Span::default()
    }
}

fn hashes(found: &[Found]) -> Vec<&str> {
    let keys = found.iter().filter_map(|found| match found {
        Found::Key { hash, .. } => Some(hash.as_str()),
        _ => None,
    });
    keys.collect()
}

#[test]
fn sums_grow_in_their_bucket_and_are_listed_by_point_and_by_api() {
    let meter = Meter::new();
    meter.add(NOON, "one", 1);
    meter.add(NOON + 9 * SECOND, "one", 2);
    meter.add(NOON + 50 * SECOND, "two with spaces", 9);
    meter.add(NOON + 60 * SECOND, "one", 4);
    // Three buckets of ten seconds, two of five minutes.
    assert_eq!(meter.rows("bucket"), 5);
    let noon = NOON / SECOND;
    assert_eq!(
        meter.ask(NOON, &since(NOON)),
        [
            Found::Point(noon, tally(12)),
            Found::Point(noon + 60, tally(4)),
            Found::Api("two with spaces".to_owned(), tally(9)),
            Found::Api("one".to_owned(), tally(7)),
        ]
    );
    let coarse = Span {
        grain: 300,
        step: 300,
        most: 1,
        ..since(NOON)
    };
    assert_eq!(
        meter.ask(NOON, &coarse),
        [
            Found::Point(noon, tally(16)),
            Found::Api("two with spaces".to_owned(), tally(9)),
        ]
    );
}

#[test]
fn one_api_is_listed_alone_and_in_any_case() {
    let meter = Meter::new();
    meter.add(NOON, "one", 1);
    meter.add(NOON, "two", 2);
    let one = Span {
        api_id: Some("one".to_owned()),
        most: 0,
        ..since(NOON)
    };
    assert_eq!(
        meter.ask(NOON, &one),
        [
            Found::Point(NOON / SECOND, tally(1)),
            Found::Api("one".to_owned(), tally(1)),
        ]
    );
    assert_eq!(meter.ask(NOON, &Span { step: 0, ..one }).len(), 1);
}

#[test]
fn rows_before_the_requested_time_are_not_listed() {
    let meter = Meter::new();
    meter.add(NOON, "one", 1);
    meter.add(NOON + MINUTE, "one", 2);
    let found = meter.ask(NOON, &since(NOON + 10 * SECOND));
    assert_eq!(found.last(), Some(&Found::Api("one".to_owned(), tally(2))));
}

#[test]
fn keys_are_listed_the_closest_first_until_their_window_ends() {
    let meter = Meter::new();
    meter.note(NOON, "half", &close(10, 5, NOON + MINUTE));
    meter.note(NOON, "none", &close(10, 0, 0));
    meter.note(NOON, "third", &close(9, 3, NOON + MINUTE));
    meter.note(NOON + SECOND, "half", &close(10, 4, NOON + 2 * MINUTE));
    let found = meter.ask(NOON, &since(NOON));
    assert_eq!(hashes(&found), ["none", "third", "half"]);
    assert_eq!(
        found[2],
        Found::Key {
            hash: "half".to_owned(),
            api_id: "an api".to_owned(),
            close: close(10, 4, NOON + 2 * MINUTE),
            seen_ms: NOON + SECOND,
        }
    );
    assert_eq!(
        hashes(&meter.ask(NOON + MINUTE, &since(NOON))),
        ["none", "half"]
    );
    let other = Span {
        api_id: Some("other".to_owned()),
        ..since(NOON)
    };
    assert_eq!(meter.ask(NOON, &other), []);
}

#[test]
fn buckets_are_forgotten_when_their_time_is_over() {
    let meter = Meter::new();
    meter.add(NOON, "one", 1);
    meter.trim(NOON + 60 * MINUTE + 9 * SECOND);
    assert_eq!(meter.rows("bucket WHERE grain = 10"), 1);
    meter.trim(NOON + 60 * MINUTE + 10 * SECOND);
    assert_eq!(meter.rows("bucket WHERE grain = 10"), 0);
    meter.trim(NOON + WEEK + 5 * MINUTE - 1);
    assert_eq!(meter.rows("bucket"), 1);
    meter.trim(NOON + WEEK + 5 * MINUTE);
    assert_eq!(meter.rows("bucket"), 0);
}

#[test]
fn keys_are_forgotten_with_their_window_or_when_nobody_saw_them_for_long() {
    let meter = Meter::new();
    meter.note(NOON, "renews", &close(10, 1, NOON + MINUTE));
    meter.note(NOON, "never", &close(10, 1, 0));
    meter.trim(NOON + MINUTE - 1);
    assert_eq!(meter.rows("close"), 2);
    meter.trim(NOON + MINUTE);
    assert_eq!(meter.rows("close WHERE hash = 'never'"), 1);
    assert_eq!(meter.rows("close"), 1);
    meter.trim(NOON + WEEK);
    assert_eq!(meter.rows("close"), 1);
    meter.trim(NOON + WEEK + 1);
    assert_eq!(meter.rows("close"), 0);
}

#[test]
fn the_most_recently_seen_keys_are_kept() {
    let meter = Meter::new();
    for at in 0..1010 {
        meter.note(NOON + at, &format!("key {at}"), &close(10, 1, 0));
    }
    // Keys whose window has ended take up no room of the others.
    meter.note(NOON + DAY - 1, "ended", &close(10, 1, NOON + DAY - 1));
    meter.trim(NOON + DAY);
    assert_eq!(meter.rows("close"), 1000);
    assert_eq!(meter.rows("close WHERE hash = 'key 9'"), 0);
    assert_eq!(meter.rows("close WHERE hash = 'key 10'"), 1);
}

//! Failed requests: how many of each kind, and one example.

use super::{DAY, MINUTE, Meter, NOON, SECOND, WEEK};
use gatewright_protocol::figures::Failing;
use gatewright_testkit::sqlite::Value;
use serde_json::json;

/// What is bound for failed requests of a kind: time, API, version, status, reason, count, and the example.
type Failure<'a> = (u64, &'a str, &'a str, u64, &'a str, u64, Option<&'a str>);

impl Meter {
    fn fail(&self, (now, api_id, version, status, reason, count, sample): Failure<'_>) {
        let sample = sample.map_or(Value::Null, Value::from);
        let values = [
            now.into(),
            api_id.into(),
            version.into(),
            status.into(),
            reason.into(),
            count.into(),
            sample,
        ];
        self.run(&self.statements.fail, &values);
    }

    /// Returns the reply, sums first.
    fn failures(&self, failing: &Failing) -> Vec<serde_json::Value> {
        let asked: Vec<serde_json::Value> = serde_json::from_str(&failing.ask().unwrap()).unwrap();
        let bound = |value: &serde_json::Value| match value.as_str() {
            Some(text) => Value::from(text),
            None => value.as_u64().unwrap().into(),
        };
        let values: Vec<Value> = asked.iter().map(bound).collect();
        let statements = [&self.statements.failure_sums, &self.statements.failures];
        let rows = statements.map(|statement| self.run(statement, &values));
        let rows = rows.into_iter().flatten();
        rows.map(|mut row| serde_json::from_str(&row.text().unwrap()).unwrap())
            .collect()
    }
}

/// Everything of this day.
fn failing() -> Failing {
    Failing {
        since: NOON / SECOND,
        until: (NOON + DAY) / SECOND,
        statuses: (0, 999),
        most: 100,
        ..Failing::default()
    }
}

#[test]
fn failed_requests_are_counted_by_kind_and_minute_and_the_first_of_them_is_kept() {
    let meter = Meter::new();
    let first = "{\"path\":\"/a/1\",\"key_hash\":\"k\"}";
    meter.fail((NOON, "a", "", 429, "too many", 2, Some(first)));
    meter.fail((NOON + SECOND, "a", "", 429, "too many", 3, Some("{}")));
    meter.fail((NOON + MINUTE, "a", "v2", 500, "no name", 1, None));
    meter.fail((NOON + MINUTE, "b", "", 429, "too many", 4, Some("{}")));
    let minute = NOON / SECOND;
    let found = meter.failures(&failing());
    assert_eq!(found.len(), 6);
    assert_eq!(
        found[0],
        json!({ "api_id": "a", "version": "", "status": 429, "reason": "too many", "count": 5,
            "last_seen": minute })
    );
    assert_eq!(
        found[5],
        json!({ "at": minute, "api_id": "a", "version": "", "status": 429, "reason": "too many",
            "count": 5, "sample": { "path": "/a/1", "key_hash": "k" } })
    );
    assert_eq!(found[4]["sample"], json!(null));
    let counts = |failing: Failing| -> Vec<u64> {
        let found = meter.failures(&failing);
        let sums = found.iter().filter(|row| row["last_seen"].is_u64());
        sums.map(|row| row["count"].as_u64().unwrap()).collect()
    };
    let text = str::to_owned;
    for (narrowed, expected) in [
        (
            Failing {
                api_id: text("a"),
                ..failing()
            },
            vec![5, 1],
        ),
        (
            Failing {
                version: text("v2"),
                ..failing()
            },
            vec![1],
        ),
        (
            Failing {
                statuses: (400, 499),
                ..failing()
            },
            vec![5, 4],
        ),
        (
            Failing {
                reason: text("no name"),
                ..failing()
            },
            vec![1],
        ),
        (
            Failing {
                path: text("/1"),
                ..failing()
            },
            vec![5],
        ),
        (
            Failing {
                key_hash: text("k"),
                ..failing()
            },
            vec![5],
        ),
        (
            Failing {
                since: minute + 60,
                ..failing()
            },
            vec![4, 1],
        ),
        (
            Failing {
                until: minute + 60,
                ..failing()
            },
            vec![5],
        ),
        (
            Failing {
                most: 1,
                ..failing()
            },
            vec![5],
        ),
    ] {
        assert_eq!(counts(narrowed.clone()), expected, "{narrowed:?}");
    }
}

#[test]
fn failed_requests_are_kept_for_a_week_and_so_many_of_them() {
    let meter = Meter::new();
    meter.fail((NOON, "a", "", 500, "old", 1, None));
    meter.trim(NOON + WEEK);
    assert_eq!(meter.rows("failure"), 1);
    meter.trim(NOON + WEEK + MINUTE);
    assert_eq!(meter.rows("failure"), 0);
    for number in 0..10_001 {
        let reason = number.to_string();
        meter.fail((NOON + number * MINUTE, "a", "", 500, &reason, 1, None));
    }
    meter.trim(NOON);
    assert_eq!(meter.rows("failure"), 10_000);
    let oldest = meter.run("SELECT reason FROM failure ORDER BY at LIMIT 1", &[]);
    let mut oldest = oldest.into_iter().next().unwrap();
    assert_eq!(oldest.text().unwrap(), "1");
}

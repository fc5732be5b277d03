//! Historical data is removed when its time is over, and nothing else is.

mod records;
mod revisions;

use crate::now;
use gatewright_controlplane::config::Retention;
use gatewright_controlplane::ports::Fetched;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use gatewright_testkit::sql::{Fault, dump};
use serde_json::{Value, json};

const DAY: u64 = 86_400;
const TARGET: &str = "https://hooks.example/in";

/// Retains everything; tests change single members.
const ALL: Retention = Retention {
    revisions: 2,
    revision_days: None,
    audit_days: None,
    notification_days: None,
    deliveries: 1000,
    credential_days: None,
};

fn admin(gate: &Memory, method: &str, target: &str, body: &Value) -> Response {
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    now(gate.send(method, target, &body))
}

fn call(gate: &Memory, method: &str, target: &str, body: &Value) -> Response {
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    now(gate.send_with(method, target, &body, &[("authorization", &bearer)]))
}

fn value(response: &Response) -> Value {
    assert_eq!(response.status, 200, "{}", response.body);
    serde_json::from_str(&response.body).unwrap()
}

fn api(version: u64) -> Value {
    json!({ "api_id": "a", "name": format!("v{version}"), "use_keyless": true,
        "proxy": { "listen_path": "/a/", "target_url": "http://up.example/" } })
}

/// Stores an API with this many revisions.
fn stored(revisions: u64) -> Memory {
    let gate = Memory::default();
    assert_eq!(admin(&gate, "POST", "/gateway/apis", &api(1)).status, 200);
    change(&gate, 2..=revisions);
    gate
}

fn change(gate: &Memory, revisions: std::ops::RangeInclusive<u64>) {
    for revision in revisions {
        let put = admin(gate, "PUT", "/gateway/apis/a", &api(revision));
        assert_eq!(put.status, 200, "{}", put.body);
    }
}

/// Sweeps until the next step is hours away, and returns how many steps that took.
fn sweep(gate: &Memory) -> usize {
    for step in 1..1000 {
        let due = gate.sweep().unwrap().unwrap();
        if due > gate.now_ms() + 3_600_000 {
            return step;
        }
    }
    panic!("a sweep has no end");
}

fn numbers(gate: &Memory, target: &str) -> Vec<u64> {
    let list = value(&admin(gate, "GET", target, &Value::Null));
    let revisions = list["revisions"].as_array().unwrap();
    let number = |revision: &Value| revision["revision"].as_u64().unwrap();
    revisions.iter().map(number).collect()
}

const REVISIONS: &str = "/gateway/apis/a/revisions";

fn provider(gate: &Memory, mappings: std::ops::Range<u32>) {
    let made =
        json!({ "name": "p", "client_idp_id": "kc", "jwks_uri": "https://idp.example/jwks" });
    call(gate, "POST", "/api/clientidps", &made);
    for number in mappings {
        let patch = json!({ format!("api-{number}"): { "scope_to_policy": { "s": "p" } } });
        let answer = call(gate, "PATCH", "/api/clientidps/kc/mappings", &patch);
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
}

fn sweep_later(gate: &Memory) {
    gate.wait(DAY);
    sweep(gate);
}

#[test]
fn sweep_repeats_after_hours_or_changed_settings() {
    let gate = stored(3);
    let days = |days| Retention {
        audit_days: Some(days),
        ..ALL
    };
    gate.retain(days(9));
    sweep(&gate);
    assert_eq!(
        gate.sweep().unwrap().unwrap() / 3_600_000 - gate.now_ms() / 3_600_000,
        6
    );
    gate.retain(days(9));
    assert!(gate.sweep().unwrap().unwrap() > gate.now_ms() + 3_600_000);
    gate.retain(days(8));
    assert!(gate.sweep().unwrap().unwrap() < gate.now_ms());
    gate.restart();
    assert_eq!(gate.sweep().unwrap(), None);
}

#[test]
fn failed_step_is_retried() {
    let gate = stored(9);
    gate.retain(Retention {
        revision_days: Some(0),
        ..ALL
    });
    gate.sql.fail_next(Fault::BeforePersist);
    assert!(gate.sweep().is_err());
    assert_eq!(numbers(&gate, REVISIONS).len(), 9);
    gate.sql.fail_next(Fault::AfterPersist);
    assert!(gate.sweep().is_err());
    sweep(&gate);
    assert_eq!(numbers(&gate, REVISIONS), [9, 8]);
}

#[test]
fn stored_rows_are_counted_once_a_minute() {
    let gate = stored(3);
    provider(&gate, 0..1);
    gate.stop_clock();
    let storage = || {
        value(&admin(
            &gate,
            "GET",
            "/gateway/health/storage",
            &Value::Null,
        ))
    };
    let first = storage();
    assert_eq!(
        first["rows"],
        json!({ "apis": 1, "api_revisions": 3, "documents": 1, "document_revisions": 2, "sessions": 0,
            "audit": 5, "notifications": 5, "deliveries": 0, "credentials": 0 })
    );
    assert!(first["database_bytes"].as_u64().unwrap() > 10_000);
    assert_eq!(first["database_max_bytes"], 10_000_000_000_u64);
    assert_eq!(first["swept_at"], Value::Null);
    change(&gate, 4..=4);
    assert_eq!(storage()["rows"], first["rows"]);
    gate.wait(60);
    assert_eq!(storage()["rows"]["api_revisions"], 4);
    gate.retain(Retention {
        revision_days: Some(0),
        ..ALL
    });
    while gate.sweep().unwrap().unwrap() < gate.now_ms() + 3_600_000 {
        gate.wait(1);
    }
    let last = storage();
    assert_eq!(last["rows"]["api_revisions"], 2);
    assert!(
        last["swept_at"].as_str().unwrap()
            > last["counted_at"].as_str().unwrap().get(..10).unwrap()
    );
}

//! What only tells of the past goes when its time is over, and nothing else does.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

use futures_util::FutureExt;
use gatewright_controlplane::config::Retention;
use gatewright_controlplane::ports::Fetched;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use gatewright_testkit::sql::{Fault, dump};
use serde_json::{Value, json};

const DAY: u64 = 86_400;
const TARGET: &str = "https://hooks.example/in";

/// Keeps everything but what a test changes.
const ALL: Retention = Retention {
    revisions: 2,
    revision_days: None,
    audit_days: None,
    notification_days: None,
    deliveries: 1000,
    credential_days: None,
};

fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().unwrap()
}

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

/// An API of so many revisions.
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

/// Sweeps until the next step waits for hours, and answers how many steps that took.
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

#[test]
fn old_revisions_go_but_for_the_newest_and_the_published_one() {
    let gate = stored(3);
    assert_eq!(
        admin(&gate, "GET", "/gateway/reload?block=true", &Value::Null).status,
        200
    );
    change(&gate, 4..=8);
    let before = dump(&gate.sql).unwrap();
    gate.retain(ALL);
    sweep(&gate);
    let after = dump(&gate.sql).unwrap();
    assert!(after.contains("value: swept"));
    assert_eq!(numbers(&gate, REVISIONS).len(), 8);
    assert!(before.lines().all(|line| after.contains(line)));

    gate.wait(10 * DAY);
    change(&gate, 9..=9);
    gate.wait(6 * DAY);
    // 8 was the newest until six days ago.
    gate.retain(Retention {
        revision_days: Some(7),
        ..ALL
    });
    sweep(&gate);
    assert_eq!(numbers(&gate, REVISIONS), [9, 8, 3]);
    gate.wait(2 * DAY);
    sweep(&gate);
    // Two are kept in any case.
    assert_eq!(numbers(&gate, REVISIONS), [9, 8, 3]);
    assert_eq!(
        admin(&gate, "GET", "/gateway/reload?block=true", &Value::Null).status,
        200
    );
    gate.wait(DAY);
    sweep(&gate);
    assert_eq!(numbers(&gate, REVISIONS), [9, 8]);
    let read = value(&admin(&gate, "GET", "/gateway/apis/a", &Value::Null));
    assert_eq!(read["name"], "v9");
    let gone = admin(&gate, "GET", "/gateway/apis/a/revisions/3", &Value::Null);
    assert_eq!(gone.status, 404);
}

#[test]
fn a_deletion_can_be_undone_until_its_time_is_over() {
    let gate = stored(4);
    assert_eq!(
        admin(&gate, "DELETE", "/gateway/apis/a", &Value::Null).status,
        200
    );
    gate.retain(Retention {
        revision_days: Some(7),
        ..ALL
    });
    gate.wait(6 * DAY);
    sweep(&gate);
    // Those before were over already, but a deleted one has no number of revisions for sure.
    assert_eq!(numbers(&gate, REVISIONS), [5, 4, 3, 2, 1]);
    gate.wait(DAY);
    sweep(&gate);
    assert_eq!(numbers(&gate, REVISIONS), [5]);
    // Its number is not used again.
    assert_eq!(admin(&gate, "POST", "/gateway/apis", &api(6)).status, 200);
    assert_eq!(numbers(&gate, REVISIONS), [6, 5]);
}

#[test]
fn a_waiting_delivery_keeps_the_revision_that_it_is_sent_by() {
    let gate = Memory::default();
    let handler = json!({ "handler_name": "eh_web_hook_handler",
        "handler_meta": { "method": "POST", "target_path": TARGET } });
    let heard = |version: u64| {
        let mut heard = api(version);
        heard["use_keyless"] = false.into();
        heard["event_handlers"] = json!({ "events": { "TokenCreated": [handler] } });
        heard
    };
    assert_eq!(admin(&gate, "POST", "/gateway/apis", &heard(1)).status, 200);
    assert_eq!(
        admin(&gate, "GET", "/gateway/reload?block=true", &Value::Null).status,
        200
    );
    let key = json!({ "access_rights": { "a": { "api_id": "a" } } });
    assert_eq!(admin(&gate, "POST", "/gateway/keys", &key).status, 200);
    for version in 2..=5 {
        assert_eq!(
            admin(&gate, "PUT", "/gateway/apis/a", &heard(version)).status,
            200
        );
    }
    assert_eq!(
        admin(&gate, "GET", "/gateway/reload?block=true", &Value::Null).status,
        200
    );
    gate.retain(Retention {
        revision_days: Some(0),
        ..ALL
    });
    sweep(&gate);
    assert_eq!(numbers(&gate, REVISIONS), [5, 4, 1]);
    gate.web.answer(
        TARGET,
        Ok(Fetched {
            status: 200,
            ..Fetched::default()
        }),
    );
    now(gate.deliver()).unwrap();
    assert_eq!(gate.web.take_sent().len(), 1);
    gate.wait(DAY);
    sweep(&gate);
    assert_eq!(numbers(&gate, REVISIONS), [5, 4]);
}

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

#[test]
fn what_is_left_of_a_document_can_be_read_whatever_it_is_a_patch_on() {
    let gate = Memory::default();
    provider(&gate, 0..60);
    let list = |gate: &Memory| {
        let list = value(&call(
            gate,
            "GET",
            "/api/clientidps/kc/revisions?limit=1000",
            &Value::Null,
        ));
        let revisions = list["revisions"].as_array().unwrap().clone();
        revisions
            .iter()
            .map(|revision| revision["revision"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    let text = |revision: u64| {
        let target = format!("/api/clientidps/kc/revisions/{revision}");
        call(&gate, "GET", &target, &Value::Null).body
    };
    let before: Vec<_> = list(&gate)
        .into_iter()
        .map(|number| (number, text(number)))
        .collect();
    assert_eq!(before.len(), 61);
    gate.retain(Retention {
        revisions: 5,
        revision_days: Some(0),
        ..ALL
    });
    sweep(&gate);
    let left = list(&gate);
    assert!((5..61).contains(&left.len()), "{left:?}");
    assert_eq!(
        left,
        (61 - left.len() as u64 + 1..=61).rev().collect::<Vec<_>>()
    );
    gate.retain(Retention {
        revisions: 5,
        revision_days: Some(0),
        ..ALL
    });
    for (number, before) in before.iter().filter(|(number, _)| left.contains(number)) {
        assert_eq!(&text(*number), before);
    }
    // What was deleted is gone with all its revisions, and from the list of what was deleted.
    assert_eq!(
        call(&gate, "DELETE", "/api/clientidps/kc", &Value::Null).status,
        200
    );
    sweep_later(&gate);
    assert_eq!(list(&gate), [62]);
    let deleted = value(&call(
        &gate,
        "GET",
        "/api/clientidps?deleted=true",
        &Value::Null,
    ));
    assert_eq!(deleted["total"], 0);
}

fn sweep_later(gate: &Memory) {
    gate.wait(DAY);
    sweep(gate);
}

#[test]
fn the_trail_loses_what_is_too_old_and_never_its_newest_number() {
    let gate = stored(700);
    gate.wait(9 * DAY);
    change(&gate, 701..=703);
    gate.retain(Retention {
        audit_days: Some(9),
        ..ALL
    });
    let steps = sweep(&gate);
    assert!(steps > 4, "700 rows are more than one step: {steps}");
    let seqs = |gate: &Memory| {
        let list = value(&call(gate, "GET", "/api/audit", &Value::Null));
        let entries = list["entries"].as_array().unwrap().clone();
        entries
            .iter()
            .map(|entry| entry["seq"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(seqs(&gate), [703, 702, 701]);
    gate.wait(10 * DAY);
    sweep(&gate);
    assert_eq!(seqs(&gate), [703]);
    gate.restart();
    change(&gate, 704..=704);
    assert_eq!(seqs(&gate), [704, 703]);
    assert!(
        gate.log
            .borrow()
            .iter()
            .any(|line| line == "retention: 700 rows of the past removed")
    );
}

#[test]
fn an_entry_whose_revisions_are_gone_tells_of_no_changes() {
    let gate = stored(5);
    let changes = |seq: u64| {
        let detail = value(&call(
            &gate,
            "GET",
            &format!("/api/audit/{seq}"),
            &Value::Null,
        ));
        detail["changes"].as_array().unwrap().len()
    };
    assert_eq!((changes(3), changes(4), changes(5)), (1, 1, 1));
    gate.retain(Retention {
        revision_days: Some(0),
        ..ALL
    });
    sweep(&gate);
    assert_eq!((changes(3), changes(4), changes(5)), (0, 0, 1));
}

#[test]
fn notifications_go_with_their_deliveries_but_not_before_those_have_ended() {
    let gate = Memory::default();
    let hook = json!({ "name": "h", "method": "POST", "target_path": TARGET, "webhook_id": "h", "subscriptions": ["*"] });
    assert_eq!(call(&gate, "POST", "/api/hooks", &hook).status, 200);
    provider(&gate, 0..5);
    gate.web.answer(
        TARGET,
        Ok(Fetched {
            status: 200,
            ..Fetched::default()
        }),
    );
    now(gate.deliver()).unwrap();
    provider(&gate, 5..10);
    gate.retain(Retention {
        notification_days: Some(1),
        ..ALL
    });
    gate.wait(2 * DAY);
    sweep(&gate);
    let list = |target: &str, member: &str| {
        let list = value(&call(&gate, "GET", target, &Value::Null));
        list[member].as_array().unwrap().len()
    };
    // The last five wait.
    assert_eq!(list("/api/notifications", "notifications"), 5);
    assert_eq!(list("/api/hooks/h/deliveries", "deliveries"), 5);
    now(gate.deliver()).unwrap();
    assert_eq!(gate.web.take_sent().len(), 11);
    sweep_later(&gate);
    assert_eq!(list("/api/notifications", "notifications"), 1);
    let last = value(&call(&gate, "GET", "/api/notifications", &Value::Null));
    assert_eq!(last["last"], 11);
}

#[test]
fn of_each_webhook_the_newest_deliveries_are_kept() {
    let gate = Memory::default();
    let hook = json!({ "name": "h", "method": "POST", "target_path": TARGET, "webhook_id": "h", "subscriptions": ["*"] });
    assert_eq!(call(&gate, "POST", "/api/hooks", &hook).status, 200);
    provider(&gate, 0..30);
    gate.web.answer(
        TARGET,
        Ok(Fetched {
            status: 200,
            ..Fetched::default()
        }),
    );
    while now(gate.deliver()).unwrap().is_some() {}
    let log = |gate: &Memory| {
        let list = value(&call(gate, "GET", "/api/hooks/h/deliveries", &Value::Null));
        let list = list["deliveries"].as_array().unwrap().clone();
        list.iter()
            .map(|delivery| delivery["seq"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(log(&gate).len(), 31);
    gate.retain(Retention {
        deliveries: 3,
        ..ALL
    });
    sweep(&gate);
    assert_eq!(log(&gate), [31, 30, 29]);
}

#[test]
fn a_credential_is_forgotten_some_time_after_its_end() {
    let gate = Memory::default();
    let issue = |name: &str, expires: Value| {
        let body =
            json!({ "name": name, "permissions": { "apis": "read" }, "expires_at": expires });
        let made = value(&admin(
            &gate,
            "POST",
            "/gateway/dashboard/credentials",
            &body,
        ));
        made["credential"]["id"].as_str().unwrap().to_owned()
    };
    issue("stays", Value::Null);
    let revoked = issue("revoked", Value::Null);
    issue("expires", "2026-01-03T00:00:00.000Z".into());
    issue("later", "2026-03-01T00:00:00.000Z".into());
    let target = format!("/gateway/dashboard/credentials/{revoked}");
    assert_eq!(admin(&gate, "DELETE", &target, &Value::Null).status, 200);
    gate.retain(Retention {
        credential_days: Some(5),
        ..ALL
    });
    let names = || {
        let list = value(&admin(
            &gate,
            "GET",
            "/gateway/dashboard/credentials",
            &Value::Null,
        ));
        let list = list["credentials"].as_array().unwrap().clone();
        let mut names: Vec<String> = list
            .iter()
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    sweep(&gate);
    assert_eq!(names().len(), 4);
    gate.wait(6 * DAY);
    sweep(&gate);
    assert_eq!(names(), ["expires", "later", "stays"]);
    gate.wait(3 * DAY);
    sweep(&gate);
    assert_eq!(names(), ["later", "stays"]);
    gate.restart();
    assert_eq!(names(), ["later", "stays"]);
}

#[test]
fn a_sweep_is_done_again_after_hours_or_with_other_settings() {
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
fn a_step_that_fails_is_done_again() {
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
fn what_is_stored_is_counted_once_a_minute() {
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

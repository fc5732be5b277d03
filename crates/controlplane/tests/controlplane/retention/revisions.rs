//! Revisions of documents, and how documents are reconstructed from what remains.

use super::*;

#[test]
fn old_revisions_expire_except_newest_and_published() {
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
    // Two are retained in any case.
    assert_eq!(numbers(&gate, REVISIONS), [9, 8, 3]);
    assert_eq!(
        admin(&gate, "GET", "/gateway/reload?block=true", &Value::Null).status,
        200
    );
    gate.wait(DAY);
    sweep(&gate);
    // The previous generation has served 3, and can be published again.
    assert_eq!(numbers(&gate, REVISIONS), [9, 8, 3]);
    let again = json!({ "generation": 1 });
    let back = admin(&gate, "POST", "/gateway/reload?block=true", &again);
    assert_eq!(back.status, 200, "{}", back.body);
    forget_generations(&gate);
    gate.wait(DAY);
    sweep(&gate);
    assert_eq!(numbers(&gate, REVISIONS), [9, 8]);
    let read = value(&admin(&gate, "GET", "/gateway/apis/a", &Value::Null));
    assert_eq!(read["name"], "v9");
    let gone = admin(&gate, "GET", "/gateway/apis/a/revisions/3", &Value::Null);
    assert_eq!(gone.status, 404);
}

/// Reloads until no earlier generation is retained.
fn forget_generations(gate: &Memory) {
    for _ in 0..20 {
        let reload = admin(gate, "GET", "/gateway/reload?block=true", &Value::Null);
        assert_eq!(reload.status, 200);
    }
}

#[test]
fn policies_of_retained_generations_are_kept() {
    let gate = Memory::default();
    let store = |name: &str| {
        let policy = json!({ "id": "gold", "name": name });
        assert_eq!(
            admin(&gate, "POST", "/gateway/policies", &policy).status,
            200
        );
    };
    let list = "/gateway/policies/gold/revisions";
    store("v1");
    store("v2");
    admin(&gate, "GET", "/gateway/reload?block=true", &Value::Null);
    for version in 3..=6 {
        store(&format!("v{version}"));
    }
    admin(&gate, "GET", "/gateway/reload?block=true", &Value::Null);
    gate.retain(Retention {
        revision_days: Some(0),
        ..ALL
    });
    gate.wait(DAY);
    sweep(&gate);
    assert_eq!(numbers(&gate, list), [6, 5, 4, 3, 2]);
    forget_generations(&gate);
    gate.wait(DAY);
    sweep(&gate);
    assert_eq!(numbers(&gate, list), [6, 5]);
}

#[test]
fn deletion_can_be_undone_until_retention_ends() {
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
    // The older ones were superseded long ago, but for a deleted API the time counts from the deletion.
    assert_eq!(numbers(&gate, REVISIONS), [5, 4, 3, 2, 1]);
    gate.wait(DAY);
    sweep(&gate);
    assert_eq!(numbers(&gate, REVISIONS), [5]);
    // Its number is not reused.
    assert_eq!(admin(&gate, "POST", "/gateway/apis", &api(6)).status, 200);
    assert_eq!(numbers(&gate, REVISIONS), [6, 5]);
}

#[test]
fn deleted_api_is_listed_until_retention_ends() {
    let gate = stored(1);
    let reload = || admin(&gate, "GET", "/gateway/reload?block=true", &Value::Null);
    let listed = |search: &str| {
        let target = format!("/gateway/apis?view=summary&{search}");
        value(&admin(&gate, "GET", &target, &Value::Null))["total"].clone()
    };
    assert_eq!(reload().status, 200);
    let delete = admin(&gate, "DELETE", "/gateway/apis/a", &Value::Null);
    assert_eq!(delete.status, 200);
    gate.retain(Retention {
        revision_days: Some(7),
        ..ALL
    });
    gate.wait(8 * DAY);
    // It is served until a reload.
    assert_eq!(listed("state=deleted"), 1);
    assert_eq!(reload().status, 200);
    assert_eq!(listed("state=deleted"), 0);
    assert_eq!(admin(&gate, "POST", "/gateway/apis", &api(3)).status, 200);
    assert_eq!(listed(""), 1);
    admin(&gate, "DELETE", "/gateway/apis/a", &Value::Null);
    gate.wait(6 * DAY);
    assert_eq!(listed("state=deleted"), 1);
    gate.wait(2 * DAY);
    assert_eq!(listed("state=deleted"), 0);
    // Its numbers continue nevertheless.
    assert_eq!(numbers(&gate, REVISIONS)[0], 4);
}

#[test]
fn pending_delivery_keeps_its_webhook_revision() {
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
    forget_generations(&gate);
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

#[test]
fn remaining_revisions_stay_readable() {
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
    // A deleted document loses all its revisions, and its entry in the list of deleted ones.
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

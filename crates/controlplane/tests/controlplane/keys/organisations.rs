//! The sessions of organisations (reference 1.8).

use super::{add_api, call, call_if, done, header, read, refused, value};
use futures_util::FutureExt;
use gatewright_testkit::platform::Memory;
use gatewright_testkit::sql::Fault;
use serde_json::{Value, json};

fn gateway() -> Memory {
    let memory = Memory::default();
    add_api(&memory, "a", &json!({ "org_id": "acme" }));
    add_api(&memory, "b", &json!({}));
    memory
}

#[test]
fn an_organisation_is_made_read_changed_and_removed() {
    let memory = gateway();
    let path = "org/keys/acme";
    let made = call(
        &memory,
        "POST",
        path,
        &json!({ "quota_max": 5, "quota_renewal_rate": 60 }),
    );
    assert_eq!(
        made.body.trim(),
        "{\"key\":\"acme\",\"status\":\"ok\",\"action\":\"added\"}"
    );
    let shown = read(&memory, path);
    assert_eq!(
        (&shown["quota_max"], &shown["quota_remaining"]),
        (&json!(5), &Value::Null)
    );
    assert_eq!(shown.get("date_created"), None);
    assert!(shown["last_updated"].is_string());
    let put = done(&memory, "PUT", path, &json!({ "is_inactive": true }));
    assert_eq!(put["action"], "modified");
    assert_eq!(read(&memory, path)["is_inactive"], true);
    // Nothing of the previous session stays, and what is empty is not shown.
    let sent = json!({ "is_inactive": false, "rate": 0, "access_rights": {}, "quota_renews": 7 });
    done(&memory, "POST", "org/keys/acme?reset_quota=1", &sent);
    done(&memory, "POST", path, &sent);
    let mut shown = read(&memory, path);
    shown.as_object_mut().unwrap().remove("last_updated");
    assert_eq!(shown, json!({ "quota_renews": 7 }));
    assert_eq!(read(&memory, "org/keys"), json!({ "keys": ["acme"] }));
    // The default organisation counts, too.
    done(&memory, "POST", "org/keys/default", &json!({}));
    assert_eq!(
        read(&memory, "org/keys?filter=ac"),
        json!({ "keys": ["acme"] })
    );
    assert_eq!(
        done(&memory, "DELETE", path, &Value::Null)["action"],
        "deleted"
    );
    assert_eq!(read(&memory, "org/keys"), json!({ "keys": ["default"] }));
}

#[test]
fn missing_organisation_has_the_reference_message() {
    let memory = gateway();
    let none = Value::Null;
    for path in ["org/keys/acme", "org/keys/nobody", "org/keys/%00"] {
        refused(&call(&memory, "GET", path, &none), 404, "Org not found");
    }
    for path in ["org/keys/acme", "org/keys/nobody"] {
        let answer = call(&memory, "DELETE", path, &none);
        refused(&answer, 400, "Failed to remove the key");
    }
    for path in ["org/keys?filter=none", "org/keys"] {
        assert_eq!(read(&memory, path), json!({ "keys": [] }));
    }
    let text = Value::String("{".to_owned());
    for method in ["POST", "PUT"] {
        let answer = call(&memory, method, "org/keys/acme", &text);
        refused(&answer, 400, "Request malformed");
    }
}

#[test]
fn a_session_is_made_by_either_method_and_needs_no_api() {
    let memory = gateway();
    for (method, path, action) in [
        ("POST", "org/keys/early", "added"),
        ("PUT", "org/keys/other", "modified"),
    ] {
        let made = done(&memory, method, path, &json!({ "rate": 3, "per": 1 }));
        assert_eq!(made["action"], action);
        assert_eq!(read(&memory, path)["rate"], 3);
    }
    assert_eq!(
        read(&memory, "org/keys"),
        json!({ "keys": ["early", "other"] })
    );
}

#[test]
fn conditions_hold_and_a_dry_run_stores_nothing() {
    let memory = gateway();
    let dry = |method| {
        let answer = call(&memory, method, "org/keys/acme?dry_run=true", &json!({}));
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(value(&answer)["dry_run"], true, "{method}");
        assert_eq!(header(&answer, "etag"), None, "{method}");
    };
    dry("POST");
    assert_eq!(read(&memory, "org/keys"), json!({ "keys": [] }));
    let made = call(&memory, "POST", "org/keys/acme", &json!({}));
    dry("PUT");
    dry("DELETE");
    let tag = header(&made, "etag").unwrap().to_owned();
    let new = [("if-none-match", "*")];
    assert_eq!(
        call_if(&memory, "POST", "org/keys/acme", &json!({}), &new).status,
        412
    );
    let known = [("if-match", tag.as_str())];
    assert_eq!(
        call_if(&memory, "PUT", "org/keys/acme", &json!({}), &known).status,
        200
    );
    for method in ["PUT", "DELETE"] {
        let lost = call_if(&memory, method, "org/keys/acme", &json!({}), &known);
        assert_eq!(lost.status, 412, "{method}");
    }
}

#[test]
fn organisation_without_apis_is_a_warning() {
    let memory = gateway();
    let issues = |path: &str, sent: &Value| done(&memory, "POST", path, sent)["issues"].clone();
    let key =
        |org: &str| json!({ "org_id": org, "access_rights": { "a": { "versions": ["Default"] } } });
    for (path, sent, pointer) in [
        ("org/keys/acm", json!({}), ""),
        ("keys", key("acm"), "/org_id"),
        ("keys/create", key("acm"), "/org_id"),
        ("keys/custom", key("acm"), "/org_id"),
    ] {
        let found = issues(path, &sent);
        let found = found.as_array().unwrap();
        assert_eq!(found.len(), 1, "{path}");
        assert_eq!(found[0]["severity"], "warning");
        assert_eq!(found[0]["pointer"], pointer, "{path}");
        let message = found[0]["message"].as_str().unwrap();
        assert!(message.contains("\"acm\""), "{message}");
    }
    for org in ["acme", "default"] {
        assert_eq!(issues(&format!("org/keys/{org}"), &json!({})), Value::Null);
        assert_eq!(issues("keys", &key(org)), Value::Null, "{org}");
    }
    // A deleted API has no organisation.
    done(&memory, "DELETE", "apis/a", &Value::Null);
    assert_eq!(
        issues("org/keys/acme", &json!({}))
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

/// Writes to KV what the Registry writes when its alarm fires.
fn alarm(memory: &Memory) -> Result<(), String> {
    let kept = memory.keep_up().now_or_never().unwrap();
    kept.map_err(|error| error.to_string())
}

/// Returns the list that KV has, and its number.
fn published_list(memory: &Memory) -> (Value, u64) {
    let text = memory.kv.value("orgs").unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    (list["keys"].clone(), list["version"].as_u64().unwrap())
}

#[test]
fn write_replies_after_commit_and_kv_is_updated_eventually() {
    let memory = gateway();
    memory.stop_clock();
    memory.kv.fail("put", "orgs");
    let made = call(&memory, "POST", "org/keys/acme", &json!({}));
    assert_eq!(made.status, 200, "{}", made.body);
    // Only the Registry writes the list, and not while a client waits.
    assert!(!memory.kv.take_calls().iter().any(|made| made == "put orgs"));
    assert_eq!(memory.orgs_due_at(), Some(0));
    let mut waits = Vec::new();
    for _ in 0..8 {
        alarm(&memory).unwrap_err();
        let at = memory.orgs_due_at().unwrap();
        waits.push((at - memory.now_ms()) / 1000);
        // It is not retried earlier.
        alarm(&memory).unwrap();
        memory.wait((at - memory.now_ms()) / 1000);
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 64]);
    memory.restart();
    memory.kv.heal();
    alarm(&memory).unwrap();
    assert_eq!(published_list(&memory).0, json!(["acme"]));
    assert_eq!(memory.orgs_due_at(), None);
    // A write that does not change the list does not publish it.
    done(
        &memory,
        "PUT",
        "org/keys/acme",
        &json!({ "rate": 3, "per": 1 }),
    );
    call(
        &memory,
        "DELETE",
        "org/keys/acme?dry_run=true",
        &Value::Null,
    );
    assert_eq!(memory.orgs_due_at(), None);
}

#[test]
fn kv_writes_are_limited_to_one_a_second() {
    let memory = gateway();
    memory.stop_clock();
    drop(memory.kv.take_calls());
    let mut puts = 0;
    for second in 0..3 {
        for n in 0..5 {
            let path = format!("org/keys/org{second}{n}");
            done(&memory, "POST", &path, &json!({}));
            alarm(&memory).unwrap();
        }
        let calls = memory.kv.take_calls();
        puts += calls.iter().filter(|call| *call == "put orgs").count();
        assert_eq!(puts, second + 1);
        memory.wait(1);
    }
    alarm(&memory).unwrap();
    assert_eq!(published_list(&memory).0.as_array().unwrap().len(), 15);
    let version = published_list(&memory).1;
    memory.wait(1);
    done(&memory, "DELETE", "org/keys/org00", &Value::Null);
    alarm(&memory).unwrap();
    assert_eq!(published_list(&memory).0.as_array().unwrap().len(), 14);
    assert!(published_list(&memory).1 > version);
}

#[test]
fn a_write_that_fails_changes_no_list() {
    let memory = gateway();
    done(&memory, "POST", "org/keys/acme", &json!({}));
    alarm(&memory).unwrap();
    let before = published_list(&memory);
    memory.sql.fail_next(Fault::BeforePersist);
    let failed = call(&memory, "DELETE", "org/keys/acme", &Value::Null);
    assert_eq!(failed.status, 503, "{}", failed.body);
    assert_eq!(memory.orgs_due_at(), None);
    assert_eq!(published_list(&memory), before);
}

#[test]
fn list_is_republished_on_reload() {
    let memory = gateway();
    done(&memory, "POST", "org/keys/acme", &json!({}));
    alarm(&memory).unwrap();
    let (list, version) = published_list(&memory);
    // As left by an earlier version.
    memory.kv.set("orgs", "{\"keys\":[]}");
    assert_eq!(
        call(&memory, "GET", "reload?block=true", &Value::Null).status,
        200
    );
    memory.wait(1);
    alarm(&memory).unwrap();
    assert_eq!(published_list(&memory), (list, version + 1));
}

//! The sessions of organisations (reference 1.8).

use super::{add_api, call, call_if, done, header, read, refused, value};
use gatewright_testkit::platform::Memory;
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
        (&json!(5), &json!(5))
    );
    let put = done(&memory, "PUT", path, &json!({ "is_inactive": true }));
    assert_eq!(put["action"], "modified");
    assert_eq!(read(&memory, path)["is_inactive"], true);
    assert_eq!(read(&memory, "org/keys"), json!({ "keys": ["acme"] }));
    // The default organisation is one too.
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
fn what_is_not_there_is_answered_in_the_words_of_the_reference() {
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
fn an_organisation_that_no_api_belongs_to_is_a_warning() {
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
    // An API that is gone has no organisation.
    done(&memory, "DELETE", "apis/a", &Value::Null);
    assert_eq!(
        issues("org/keys/acme", &json!({}))
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

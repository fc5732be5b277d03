//! `?strict=true`: what would have no effect is refused, and nothing is changed.

use super::{json, send};
use gatewright_testkit::platform::Memory;
use serde_json::Value;

/// A definition with a member that has no effect here, and that is not served because of it.
const PLUGIN: &str = r#"{"name":"plugged","api_id":"plugged","use_keyless":true,"proxy":{"listen_path":"/plugged/","target_url":"http://up/"},"custom_middleware":{"pre":[{"name":"f","path":"f.py"}],"driver":"python"}}"#;

/// A definition in which everything has its effect.
fn definition(id: &str, path: &str) -> String {
    format!(
        r#"{{"name":"{id}","api_id":"{id}","use_keyless":true,"proxy":{{"listen_path":"{path}","target_url":"http://up/"}}}}"#
    )
}

fn status(memory: &Memory, method: &str, target: &str, body: &str) -> (u16, Value) {
    let answer = send(memory, method, target, body);
    (answer.status, json(&answer))
}

#[test]
fn a_strict_write_stores_nothing_that_would_have_no_effect() {
    let memory = Memory::default();
    let (code, body) = status(&memory, "POST", "/gateway/apis?strict=true", PLUGIN);
    assert_eq!(code, 400, "{body}");
    assert!(
        body["message"]
            .as_str()
            .unwrap()
            .contains("/custom_middleware"),
        "{body}"
    );
    assert!(!body["issues"].as_array().unwrap().is_empty());
    assert_eq!(
        send(&memory, "GET", "/gateway/apis/plugged", "").status,
        404
    );

    let plain = definition("plain", "/plain/");
    assert_eq!(
        status(&memory, "POST", "/gateway/apis?strict=true", &plain).0,
        200
    );
    assert_eq!(send(&memory, "GET", "/gateway/apis/plain", "").status, 200);
    // A request that is refused anyway gets the same response as without the parameter.
    let (code, body) = status(&memory, "POST", "/gateway/apis?strict=true", "{");
    assert_eq!(
        (code, &body["message"]),
        (400, &Value::from("Request malformed"))
    );
    // A dry run is unchanged by the parameter.
    let (code, body) = status(
        &memory,
        "POST",
        "/gateway/apis?strict=true&dry_run=true",
        PLUGIN,
    );
    assert_eq!(code, 400, "{body}");
    let (code, body) = status(&memory, "POST", "/gateway/apis?strict=1", &plain);
    assert_eq!(code, 400, "{body}");
}

#[test]
fn strict_applies_to_every_kind_of_document() {
    let memory = Memory::default();
    let unknown = r#"{"id":"p","rate":1,"per":1,"access_rights":{},"no_such_member":1}"#;
    let key = r#"{"org_id":"default","access_rights":{"a":{"api_id":"a"}},"no_such_member":1}"#;
    for (method, target, body) in [
        ("POST", "/gateway/policies?strict=true", unknown),
        ("PUT", "/gateway/policies/p?strict=true", unknown),
        ("POST", "/gateway/keys/abcdef?strict=true", key),
        ("POST", "/gateway/org/keys/default?strict=true", key),
    ] {
        let (code, body) = status(&memory, method, target, body);
        assert_eq!(code, 400, "{method} {target}: {body}");
        let mut issues = body["issues"].as_array().unwrap().iter();
        assert!(
            issues.any(|issue| issue["pointer"] == "/no_such_member"),
            "{body}"
        );
    }
    assert_eq!(send(&memory, "GET", "/gateway/policies/p", "").status, 404);
    assert_eq!(send(&memory, "GET", "/gateway/keys/abcdef", "").status, 404);
}

#[test]
fn strict_reload_publishes_only_what_is_fully_enforced() {
    let memory = Memory::default();
    let reload = "/gateway/reload?block=true&strict=true";
    send(
        &memory,
        "POST",
        "/gateway/apis",
        &definition("plain", "/plain/"),
    );
    let (code, body) = status(&memory, "GET", reload, "");
    assert_eq!(code, 200, "{body}");
    assert_eq!(
        (&body["loaded"], &body["skipped"], &body["pending"]),
        (&1.into(), &0.into(), &0.into())
    );

    send(&memory, "POST", "/gateway/apis", PLUGIN);
    send(
        &memory,
        "POST",
        "/gateway/apis",
        &definition("other", "/other/"),
    );
    let (code, body) = status(&memory, "GET", reload, "");
    assert_eq!(code, 409, "{body}");
    assert!(
        body["details"]
            .as_str()
            .unwrap()
            .contains("API plugged would be skipped"),
        "{body}"
    );
    let (_, report) = status(&memory, "GET", "/gateway/reload/status", "");
    assert_eq!(
        (&report["loaded_total"], &report["pending_total"]),
        (&1.into(), &2.into())
    );
    assert_eq!(report["state"], "idle");

    let (code, body) = status(&memory, "GET", "/gateway/reload?block=true", "");
    assert_eq!(code, 200);
    assert_eq!((&body["loaded"], &body["skipped"]), (&2.into(), &1.into()));
}

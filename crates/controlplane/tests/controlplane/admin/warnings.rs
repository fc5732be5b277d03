//! Warnings of a write whose text is valid.

use super::{definition, json, send};
use futures_util::FutureExt;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use serde_json::Value;

/// Returns the warnings about the handlers of a definition, with the pointer of each below the events.
fn handler_issues(memory: &Memory, method: &str, target: &str, handlers: &Value) -> Vec<String> {
    let mut text: Value = serde_json::from_str(&definition("hooked", "/hooked/")).unwrap();
    let list = |settings: &Value| serde_json::json!({ "handler_name": "eh_web_hook_handler", "handler_meta": settings });
    let handlers: Vec<_> = handlers.as_array().unwrap().iter().map(list).collect();
    text["event_handlers"] = serde_json::json!({ "events": { "AuthFailure": handlers } });
    let answer = send(memory, method, target, &text.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    let body = json(&answer);
    let issues = body["issues"].as_array().cloned().unwrap_or_default();
    let line = |issue: Value| {
        let pointer = issue["pointer"].as_str().unwrap();
        let rest = pointer.strip_prefix("/event_handlers/events/AuthFailure/")?;
        Some(format!("{} {rest}", issue["severity"].as_str().unwrap()))
    };
    issues.into_iter().filter_map(line).collect()
}

#[test]
fn uncallable_webhooks_are_warned_about_on_write() {
    let memory = Memory::default();
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
    ];
    let hook =
        r#"{"name":"n","method":"POST","target_path":"https://a.example/","webhook_id":"known"}"#;
    let made = memory.send_with("POST", "/api/hooks", hook, &headers);
    assert_eq!(made.now_or_never().unwrap().status, 200);
    let handlers = serde_json::json!([
        { "method": "POST", "target_path": "https://e.example/" },
        { "method": "POST", "target_path": "http://127.0.0.1:9/" },
        { "method": "POST", "target_path": "http://10.0.0.1/", "disabled": true },
        { "id": "known" },
        { "id": "nobody" },
        { "id": "nobody", "disabled": true },
        { "id": "nobody", "method": "POST", "target_path": "https://e.example/" },
        { "method": "POST", "target_path": "nowhere" },
        { "id": "known", "method": "POST", "target_path": "http://10.0.0.1/" },
    ]);
    let expected = [
        "warning 1/handler_meta/target_path",
        "warning 4/handler_meta/id",
        "warning 7/handler_meta/target_path",
        "warning 8/handler_meta/target_path",
    ];
    for target in ["/gateway/apis?dry_run=true", "/gateway/apis"] {
        let issues = handler_issues(&memory, "POST", target, &handlers);
        assert_eq!(issues, expected, "{target}");
    }
    let issues = handler_issues(&memory, "PUT", "/gateway/apis/hooked", &handlers);
    assert_eq!(issues, expected);
    let same = serde_json::json!([{ "id": "known" }]);
    assert!(handler_issues(&memory, "PUT", "/gateway/apis/hooked", &same).is_empty());
    let restore = "/gateway/apis/hooked/revisions/1/restore";
    let body = json(&send(&memory, "POST", restore, ""));
    let issues = body["issues"].as_array().unwrap();
    assert_eq!(issues.len(), 1, "{body}");
    // A webhook of another organisation is not available to this API.
    memory.web.allow_private(true);
    let issues = handler_issues(&memory, "POST", "/gateway/apis", &handlers);
    assert_eq!(issues, &expected[1..3]);
}

#[test]
fn uncompilable_filter_is_warned_about_on_write() {
    let memory = Memory::default();
    let why = "line 1: a term was expected";
    memory
        .unreadable
        .borrow_mut()
        .insert("}".to_owned(), why.to_owned());
    let mut text: Value = serde_json::from_str(&definition("jq", "/jq/")).unwrap();
    let filter = |text: &str| serde_json::json!({ "path": "/a", "method": "POST", "filter": text });
    let lists = serde_json::json!({ "transform_jq": [filter("."), filter("}")], "transform_jq_response": [filter("}")] });
    text["version_data"] = serde_json::json!({
        "not_versioned": true,
        "versions": { "Default": { "name": "Default", "use_extended_paths": true, "extended_paths": lists } },
    });
    for (method, target) in [
        ("POST", "/gateway/apis?dry_run=true"),
        ("POST", "/gateway/apis"),
        ("PUT", "/gateway/apis/jq"),
    ] {
        let answer = send(&memory, method, target, &text.to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
        let issues = json(&answer)["issues"].clone();
        let wrong = |issue: &&Value| issue["message"].as_str().unwrap().contains(why);
        let issues: Vec<Value> = issues
            .as_array()
            .unwrap()
            .iter()
            .filter(wrong)
            .cloned()
            .collect();
        let of = "/version_data/versions/Default/extended_paths";
        let pointers = [
            format!("{of}/transform_jq/1/filter"),
            format!("{of}/transform_jq_response/0/filter"),
        ];
        let found: Vec<&str> = issues
            .iter()
            .map(|issue| issue["pointer"].as_str().unwrap())
            .collect();
        assert_eq!(found, pointers, "{method} {target}");
        assert!(issues.iter().all(|issue| issue["severity"] == "warning"));
    }
}

/// Each warning reads the text again, and the only Registry has other things to do.
#[test]
fn unknown_certificates_are_warned_about_up_to_a_number() {
    let memory = Memory::default();
    let mut text: Value = serde_json::from_str(&definition("many", "/many/")).unwrap();
    let named: Vec<String> = (0..2000).map(|id| format!("c{id}")).collect();
    text["client_certificates"] = serde_json::json!(named);
    let answer = send(&memory, "POST", "/gateway/apis", &text.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    let issues = json(&answer)["issues"].as_array().unwrap().clone();
    let unknown = issues.iter().filter(|issue| {
        let message = issue["message"].as_str().unwrap();
        message.starts_with("no certificate")
    });
    assert_eq!(unknown.count(), 100);
}

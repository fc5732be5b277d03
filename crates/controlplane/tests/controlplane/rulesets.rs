//! Rulesets of the dashboard API: forms, definitions, categories, and what is added when they are read.

use crate::{call, now, value};
use gatewright_protocol::http::{Request, Response};
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use serde_json::{Value, json};

fn form(gate: &Memory, method: &str, path: &str, parts: &[(&str, &str)]) -> Response {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        headers: vec![
            header("authorization", &format!("Bearer {DASHBOARD_TOKEN}")),
            header("content-type", "multipart/form-data; boundary=x"),
        ],
        body: b"--x--".to_vec(),
        form: Some(parts.iter().map(|(a, b)| header(a, b)).collect()),
        ..Request::default()
    };
    now(gate.answer(&request))
}

const DEFINITION: &str =
    "{\n  \"rules\": {\"a\": {\"given\": \"$\", \"then\": {\"function\": \"truthy\"}}}\n}";

#[test]
fn a_form_makes_the_same_ruleset_as_json() {
    let gate = Memory::default();
    let metadata = r#"{"name":"r","ruleset_id":"r","active":true}"#;
    let parts = [("metadata", metadata), ("ruleset", DEFINITION)];
    let made = form(&gate, "POST", "/api/rulesets", &parts);
    assert_eq!(made.status, 201, "{}", made.body);
    let stored = value(&call(&gate, "GET", "/api/rulesets/r", ""));
    assert_eq!(stored["definition"], DEFINITION);
    assert_eq!(stored["_id"], value(&made)["Meta"]);
    assert_eq!(stored["applied_rules"]["a"]["given"], "$");
}

#[test]
fn a_form_changes_only_the_fields_it_has() {
    let gate = Memory::default();
    let first = json!({"name": "r", "ruleset_id": "r", "description": "d", "action": "warn",
        "active": true, "definition": DEFINITION, "kept": 1});
    call(&gate, "POST", "/api/rulesets", &first.to_string());
    let changed = form(&gate, "PUT", "/api/rulesets/r", &[("active", "false")]);
    assert_eq!(changed.status, 200, "{}", changed.body);
    let stored = value(&changed);
    assert_eq!(
        (&stored["active"], &stored["description"], &stored["kept"]),
        (&json!(false), &json!("d"), &json!(1))
    );
    assert_eq!(stored["definition"], DEFINITION);
    assert_eq!(stored["action"], "warn");
    for (parts, status) in [
        (&[("ruleset", "[]")][..], 400),
        (&[("name", "")], 400),
        (&[("action", "block")], 400),
        (&[("ruleset_id", "other")], 400),
        (&[("org_id", "acme")], 400),
        (&[("categories", "none such")], 400),
    ] {
        let refused = form(&gate, "PUT", "/api/rulesets/r", parts);
        assert_eq!(refused.status, status, "{parts:?}");
    }
    let none = form(&gate, "PUT", "/api/rulesets/x", &[("name", "n")]);
    assert_eq!(none.status, 404);
    let read = call(&gate, "GET", "/api/rulesets/r", "");
    assert!(read.headers.contains(&("etag", "\"2\"".to_owned())));
}

#[test]
fn invalid_definition_is_refused_with_nested_issues() {
    let gate = Memory::default();
    let wrong = json!({"name": "r", "definition": "{\n  \"rules\": []\n}"});
    let refused = call(&gate, "POST", "/api/rulesets", &wrong.to_string());
    assert_eq!(refused.status, 400);
    let issue = &value(&refused)["issues"][0];
    assert_eq!(issue["pointer"], "/definition");
    assert_eq!(
        issue["message"],
        "line 2, column 12 (/rules): expected an object, found an array"
    );
}

#[test]
fn applied_rules_are_never_stored() {
    let gate = Memory::default();
    let sent = json!({"name": "r", "ruleset_id": "r", "applied_rules": {"x": 1},
        "definition": r#"{"extends":{"rules":{"a":{"x":1}}},"rules":{"a":"hint"}}"#});
    let made = call(&gate, "POST", "/api/rulesets", &sent.to_string());
    assert_eq!(made.status, 400, "the inner rule has no given");
    let sent = json!({"name": "r", "ruleset_id": "r", "applied_rules": {"x": 1}});
    call(&gate, "POST", "/api/rulesets", &sent.to_string());
    let read = call(&gate, "GET", "/api/rulesets/r", "");
    assert_eq!(value(&read)["applied_rules"], json!({}));
    let back = call(&gate, "PUT", "/api/rulesets/r", &read.body);
    assert_eq!(back.status, 200, "{}", back.body);
    assert!(value(&back).get("applied_rules").is_none(), "{}", back.body);
    let list = call(&gate, "GET", "/api/rulesets", "");
    assert!(!list.body.contains("applied_rules"));
}

#[test]
fn a_restored_document_was_updated_when_it_was_restored() {
    let gate = Memory::default();
    let documents = [
        ("rulesets", r#"{"name":"r","kept": 1.0}"#),
        (
            "clientidps",
            r#"{"name":"p","jwks_uri":"https://idp.example/jwks","kept": 1.0}"#,
        ),
    ];
    for (group, document) in documents {
        let made = value(&call(&gate, "POST", &format!("/api/{group}"), document));
        let path = format!("/api/{group}/{}", made["Meta"].as_str().unwrap());
        let first = value(&call(&gate, "GET", &path, ""));
        assert_eq!(call(&gate, "PUT", &path, document).status, 200);
        let restore = format!("{path}/revisions/1/restore");
        let dry = value(&call(&gate, "POST", &format!("{restore}?dry_run=true"), ""));
        assert_eq!(dry["changes"][0]["pointer"], "/last_updated");
        assert_eq!(call(&gate, "POST", &restore, "").status, 200);
        let revisions = value(&call(&gate, "GET", &format!("{path}/revisions"), ""));
        let text = call(&gate, "GET", &path, "").body;
        let third: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(third["last_updated"], revisions["revisions"][0]["at"]);
        assert_eq!(third["date_created"], first["date_created"]);
        assert!(text.contains("\"kept\": 1.0"), "{text}");
    }
    // A webhook has no `last_updated`.
    let hook = r#"{"name":"h","method":"POST","target_path":"https://hooks.example/"}"#;
    let made = value(&call(&gate, "POST", "/api/hooks", hook));
    let path = format!("/api/hooks/{}", made["Meta"].as_str().unwrap());
    let first = call(&gate, "GET", &path, "").body;
    assert_eq!(call(&gate, "PUT", &path, hook).status, 200);
    call(&gate, "POST", &format!("{path}/revisions/1/restore"), "");
    assert_eq!(call(&gate, "GET", &path, "").body, first);
}

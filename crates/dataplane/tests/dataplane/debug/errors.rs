//! Malformed debug requests, and requests that can't be sent or served.

use super::{admin, api, gateway};
use serde_json::{Value, json};

#[test]
fn invalid_body_has_the_reference_messages() {
    let memory = gateway(&[api("a", &json!({}))]);
    let spec = api("s", &json!({ "use_keyless": true }));
    for (body, status, message) in [
        (String::new(), 400, "Request malformed"),
        ("{".to_owned(), 400, "Request malformed"),
        ("{}".to_owned(), 400, "Spec field is missing"),
        ("null".to_owned(), 400, "Spec field is missing"),
        ("[]".to_owned(), 400, "Request malformed"),
        (
            json!({ "spec": api("s", &json!({ "name": 1 })), "request": {} }).to_string(),
            400,
            "Request malformed",
        ),
        (
            json!({ "request": {} }).to_string(),
            400,
            "Spec field is missing",
        ),
        (
            json!({ "spec": null, "request": {} }).to_string(),
            400,
            "Spec field is missing",
        ),
        (
            json!({ "spec": spec }).to_string(),
            400,
            "Request field is missing",
        ),
        (
            json!({ "api_id": "a" }).to_string(),
            400,
            "Request field is missing",
        ),
        (
            json!({ "spec": 1, "request": {} }).to_string(),
            400,
            "Request malformed",
        ),
        (
            json!({ "spec": spec, "request": [] }).to_string(),
            400,
            "Request malformed",
        ),
        (
            json!({ "api_id": 1, "request": {} }).to_string(),
            400,
            "Request malformed",
        ),
        (
            json!({ "api_id": "a", "key_hash": 1, "request": {} }).to_string(),
            400,
            "Request malformed",
        ),
        (
            json!({ "api_id": "a", "request": { "method": 1 } }).to_string(),
            400,
            "Request malformed",
        ),
        (
            json!({ "api_id": "a", "request": { "headers": { "a": [1] } } }).to_string(),
            400,
            "Request malformed",
        ),
        (
            json!({ "api_id": "x", "request": {} }).to_string(),
            404,
            "API not found.",
        ),
    ] {
        let answer = admin(&memory, "POST", "debug", &body);
        let refused: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(
            (answer.status, refused["message"].as_str()),
            (status, Some(message)),
            "{body}"
        );
        assert_eq!(refused["status"], "error", "{body}");
    }
}

#[test]
fn unsendable_request_is_an_unexpected_failure() {
    let memory = gateway(&[
        api("a", &json!({ "enable_batch_request_support": true })),
        api("b", &json!({})),
    ]);
    for request in [
        json!({ "method": "G ET" }),
        json!({ "method": "TRACE" }),
        json!({ "method": "GET", "body": "x" }),
        json!({ "headers": { "a b": ["c"] } }),
        json!({ "headers": { "a": ["c\r\nd: e"] } }),
        json!({ "path": "../b/x" }),
        json!({ "path": "/x/../../b" }),
        json!({ "path": "/%2e%2e/b" }),
        json!({ "path": "/..%2fb" }),
        json!({ "path": "//evil/x" }),
        json!({ "path": "http://evil/x" }),
        json!({ "path": "\\\\evil\\x" }),
        json!({ "path": "/x\r\nHost: evil" }),
        json!({ "path": "/gateway/batch/", "method": "POST" }),
        json!({ "path": "/gateway/rate-limits/" }),
    ] {
        let body = json!({ "api_id": "a", "request": request }).to_string();
        let answer = admin(&memory, "POST", "debug", &body);
        assert_eq!(answer.status, 500, "{request}: {}", answer.body);
        assert!(
            answer.body.contains("Unexpected failure: /request/"),
            "{request}: {}",
            answer.body
        );
    }
    assert!(memory.isolate.take_calls().is_empty());
}

#[test]
fn unservable_definition_logs_its_reason() {
    let memory = gateway(&[]);
    for (spec, reason) in [
        (json!({}), ""),
        (
            api(
                "s",
                &json!({ "use_keyless": true, "proxy": { "listen_path": "/s/", "target_url": "" } }),
            ),
            "",
        ),
        (
            api("s", &json!({ "enable_coprocess_auth": true })),
            "Not served: ",
        ),
    ] {
        let body = json!({ "spec": spec, "request": {} }).to_string();
        let answer = admin(&memory, "POST", "debug", &body);
        assert_eq!(answer.status, 400, "{spec}: {}", answer.body);
        assert!(
            answer
                .body
                .starts_with("{\"message\":\"error\",\"logs\":\""),
            "{}",
            answer.body
        );
        let refused: Value = serde_json::from_str(&answer.body).unwrap();
        let line: Value = serde_json::from_str(refused["logs"].as_str().unwrap()).unwrap();
        assert_eq!(line["level"], "error");
        assert!(line["msg"].as_str().unwrap().starts_with(reason), "{line}");
        assert!(line["time"].as_str().unwrap().starts_with("2026-01-01T"));
    }
}

#[test]
fn operator_allowed_definition_is_debugged() {
    let memory = gateway(&[]);
    let spec = api(
        "s",
        &json!({ "use_keyless": true, "enable_coprocess_auth": true }),
    );
    let body = json!({ "spec": spec, "request": {} }).to_string();
    assert_eq!(admin(&memory, "POST", "debug", &body).status, 400);
    memory.allow_unenforced("enable_coprocess_auth");
    let answer = admin(&memory, "POST", "debug", &body);
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[test]
fn a_broken_document_is_refused_with_the_pointers_of_its_issues() {
    let memory = gateway(&[]);
    for (member, document, pointer) in [
        ("spec", api("s", &json!({ "name": 1 })), "/name"),
        ("oas", json!({ "openapi": "1.0" }), "/openapi"),
    ] {
        let body = json!({ member: document, "request": {} }).to_string();
        let answer = admin(&memory, "POST", "debug", &body);
        assert_eq!(answer.status, 400, "{}", answer.body);
        let refused: Value = serde_json::from_str(&answer.body).unwrap();
        let issues = refused["issues"].as_array().unwrap();
        assert!(
            issues.iter().any(|issue| issue["pointer"] == pointer),
            "{refused}"
        );
    }
}

//! Expressions of keys and policies that match nothing here: they are reported when they are stored.

use super::done;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

/// Returns the pointers reported as badly formatted when a document is stored, in order.
fn warned(gate: &Memory, method: &str, path: &str, body: &Value) -> Vec<String> {
    let answer = done(gate, method, path, body);
    let issues = answer["issues"].as_array().into_iter().flatten();
    let formats = issues.filter(|issue| issue["code"] == "format");
    let pointer = |issue: &Value| issue["pointer"].as_str().unwrap().to_owned();
    formats.map(pointer).collect()
}

/// Returns a document whose second paths are too large, and whose third ones are not expressions.
fn document(members: &Value) -> Value {
    let large = "[^/]".repeat(4000);
    let paths = ["/fine/[0-9]+", large.as_str(), "/a("];
    let urls = paths.map(|url| json!({"url": url, "methods": ["GET"]}));
    let methods = json!([{"name": "GET", "limit": {"rate": 1, "per": 1}}]);
    let endpoints = paths.map(|path| json!({"path": path, "methods": methods}));
    let mut document = members.clone();
    document["access_rights"] = json!({"a~1": {"allowed_urls": urls, "endpoints": endpoints}});
    document
}

/// Each pointer appears once: the model reports those that are not expressions, wherever they are used.
const EXPECTED: [&str; 4] = [
    "/access_rights/a~01/allowed_urls/1/url",
    "/access_rights/a~01/allowed_urls/2/url",
    "/access_rights/a~01/endpoints/1/path",
    "/access_rights/a~01/endpoints/2/path",
];

#[test]
fn a_key_is_stored_with_a_warning_for_every_expression_that_matches_nothing() {
    let gate = Memory::default();
    let key = document(&json!({}));
    for path in ["keys", "keys/create", "keys/own-id"] {
        assert_eq!(warned(&gate, "POST", path, &key), EXPECTED, "{path}");
    }
    assert_eq!(warned(&gate, "PUT", "keys/own-id", &key), EXPECTED);
}

#[test]
fn policy_is_stored_with_a_warning_for_every_expression_that_matches_nothing() {
    let gate = Memory::default();
    let policy = document(&json!({"id": "p"}));
    assert_eq!(warned(&gate, "POST", "policies", &policy), EXPECTED);
    assert_eq!(warned(&gate, "PUT", "policies/p", &policy), EXPECTED);
}

/// Returns the pointers of rights reported as matching anywhere in a path.
fn unanchored(gate: &Memory, method: &str, path: &str, body: &Value) -> Vec<String> {
    let answer = done(gate, method, path, body);
    let issues = answer["issues"].as_array().into_iter().flatten();
    let found = issues.filter(|issue| issue["code"] == "unanchored");
    let pointer = |issue: &Value| issue["pointer"].as_str().unwrap().to_owned();
    found.map(pointer).collect()
}

/// Fault H8: expressions that start with `/` are anchored where the gateway anchors paths, others are not.
#[test]
fn unanchored_rights_are_warned_about_unless_gateway_anchors_them() {
    let methods = json!(["GET"]);
    let urls = ["/a", "b", "^/c$"].map(|url| json!({"url": url, "methods": methods}));
    let body = json!({"id": "p", "access_rights": {"x": {"allowed_urls": urls}}});
    let pointers = [
        "/access_rights/x/allowed_urls/0/url",
        "/access_rights/x/allowed_urls/1/url",
    ];
    for (binds, expected) in [(false, &pointers[..]), (true, &pointers[1..])] {
        let mut gate = Memory::default();
        gate.settings.anchors.prefix = binds;
        for (method, path) in [
            ("POST", "keys"),
            ("POST", "keys/own-id"),
            ("PUT", "keys/own-id"),
            ("POST", "policies"),
            ("PUT", "policies/p"),
            ("POST", "validate/policy"),
        ] {
            assert_eq!(unanchored(&gate, method, path, &body), expected, "{path}");
        }
    }
}

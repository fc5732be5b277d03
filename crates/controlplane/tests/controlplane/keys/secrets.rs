//! What is reported about keys elsewhere: neither a token nor the text of a session (canaries).

use super::{call, done, escaped, hashes, key, read, session};
use futures_util::FutureExt;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use gatewright_testkit::sql::dump;
use serde_json::{Value, json};

fn dashboard(memory: &Memory, path: &str) -> String {
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let headers = [("authorization", bearer.as_str())];
    let answer = memory.send_with("GET", path, "", &headers);
    let answer = answer.now_or_never().unwrap();
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.body
}

#[test]
fn the_trail_and_the_notices_name_a_key_by_its_hash_alone() {
    let memory = Memory::default();
    let sent = session(&json!({
        "alias": "named",
        "meta_data": { "note": "canary-text" },
        "hmac_string": "canary-secret",
    }));
    let (token, hash) = key(&memory, &sent);
    let path = format!("keys/{}", escaped(&token));
    done(&memory, "PUT", &path, &sent);
    let custom = done(&memory, "POST", "keys/canary-id", &sent);
    let custom = custom["key"].as_str().unwrap();
    done(&memory, "DELETE", &path, &Value::Null);
    for path in ["/api/audit?limit=100", "/api/notifications?limit=100"] {
        let said = dashboard(&memory, path);
        for secret in [token.as_str(), custom, "canary"] {
            assert!(!said.contains(secret), "{path} has {secret}: {said}");
        }
        assert!(said.contains(&hash), "{path}: {said}");
    }
}

#[test]
fn storage_contains_no_tokens() {
    let memory = Memory::default();
    let (token, hash) = key(&memory, &session(&json!({})));
    let made = done(&memory, "POST", "keys/canary-id", &session(&json!({})));
    let stored = format!("{} {:?}", dump(&memory.sql).unwrap(), memory.kv);
    for secret in [token.as_str(), made["key"].as_str().unwrap(), "canary"] {
        assert!(!stored.contains(secret), "{secret}");
    }
    assert!(stored.contains(&hash));
    assert_eq!(hashes(&memory, "").len(), 2);
    assert!(
        !read(&memory, &format!("keys/{hash}"))
            .to_string()
            .contains(&token)
    );
}

#[test]
fn an_administrator_without_the_secret_sees_no_key() {
    let memory = Memory::default();
    let (_, hash) = key(&memory, &session(&json!({})));
    let path = format!("keys/{hash}");
    for (method, path) in [
        ("GET", "keys"),
        ("GET", &path),
        ("DELETE", &path),
        ("POST", "keys"),
    ] {
        let target = format!("/gateway/{path}");
        let answer = memory
            .send_with(method, &target, "", &[])
            .now_or_never()
            .unwrap();
        assert_eq!(answer.status, 403, "{method} {path}");
    }
    assert_eq!(call(&memory, "GET", &path, &Value::Null).status, 200);
}

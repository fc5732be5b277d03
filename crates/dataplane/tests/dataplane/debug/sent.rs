//! What is sent, what comes back, and what appears in no text.

use super::{api, debug, detail, done, echo, gateway, key, names, visited};
use serde_json::{Value, json};

#[test]
fn token_is_never_shown() {
    for (auth, path, headers) in [
        (
            json!({}),
            "x",
            json!({ "Authorization": "Bearer TOKEN", "Cookie": "a=b" }),
        ),
        (
            json!({ "auth_header_name": "X-Key" }),
            "x",
            json!({ "x-key": ["TOKEN"], "Authorization": "Basic c2VjcmV0" }),
        ),
        (
            json!({ "use_param": true, "param_name": "k" }),
            "x?k=TOKEN&a=1",
            json!({}),
        ),
        (
            json!({ "use_param": true, "param_name": "k" }),
            "x?a=1&k=ENCODED",
            json!({}),
        ),
        (
            json!({ "use_cookie": true, "cookie_name": "c" }),
            "x",
            json!({ "cookie": ["a=b", "c=TOKEN"] }),
        ),
    ] {
        let memory = gateway(&[api("a", &json!({ "auth": auth }))]);
        let (token, _) = key(&memory, &json!({}));
        let encoded: String = token.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let path = path.replace("TOKEN", &token).replace("ENCODED", &encoded);
        let headers: Value =
            serde_json::from_str(&headers.to_string().replace("TOKEN", &token)).unwrap();
        let body = json!({ "api_id": "a", "request": { "path": path, "headers": headers } });
        let debugged = done(&memory, "POST", "debug", &body);
        assert_eq!(debugged["answer"]["status"], 200, "{debugged}");
        for member in ["response", "logs", "trace"] {
            let text = debugged[member].to_string();
            for secret in [token.as_str(), &encoded, "c2VjcmV0"] {
                assert!(!text.contains(secret), "{member}: {text}");
            }
        }
        // The upstream got it nonetheless.
        assert!(
            echo(&debugged).to_string().contains(&token)
                || echo(&debugged).to_string().contains(&encoded)
        );
    }
}

#[test]
fn stored_key_is_debugged_by_its_hash() {
    let memory = gateway(&[api("a", &json!({}))]);
    let (token, hash) = key(
        &memory,
        &json!({ "alias": "Shop", "quota_max": 3, "quota_renewal_rate": 3600 }),
    );
    let body = json!({ "api_id": "a", "key_hash": hash, "request": { "path": "x" } });
    for left in [2, 1] {
        let debugged = done(&memory, "POST", "debug", &body);
        assert!(
            detail(&debugged, "counters").starts_with(&format!(
                "The key has {left} of 3 requests left of its quota"
            )),
            "{debugged}"
        );
        assert_eq!(echo(&debugged)["headers"], json!([]));
        let token = detail(&debugged, "auth_token");
        assert_eq!(token.matches("Sent as a stored key").count(), 1, "{token}");
        assert!(
            detail(&debugged, "key_state")
                .starts_with("The key Shop is active, never expires and has no policies")
        );
    }
    // This also holds once the isolate knows it, and if the hash is sent as a token.
    assert_eq!(visited(&memory, &hash, "/a/x"), 403);
    assert_eq!(debug(&memory, &hash, "x")["answer"]["status"], 403);
    assert_eq!(visited(&memory, &token, "/a/x"), 200);
    assert_eq!(
        done(&memory, "POST", "debug", &body)["answer"]["status"],
        403
    );
    let gone = json!({ "api_id": "a", "key_hash": "0".repeat(64), "request": {} });
    let gone = done(&memory, "POST", "debug", &gone);
    assert_eq!(gone["answer"]["status"], 403);
    assert!(detail(&gone, "auth_token").contains("No such key is stored"));
}

#[test]
fn headers_of_the_connection_and_of_the_client_s_address_are_not_sent() {
    let memory = gateway(&[api("a", &json!({ "use_keyless": true }))]);
    let headers = json!({ "X-A": ["1", "2"], "x-a": "3", "X-Real-IP": ["127.0.0.1"], "Host": ["evil"], "Connection": ["x-a"],
        "X-Gateway-Authorization": ["secret"], "Empty": [] });
    let request = json!({ "method": "POST", "path": "/x", "headers": headers, "body": "text" });
    let debugged = done(
        &memory,
        "POST",
        "debug",
        &json!({ "api_id": "a", "request": request }),
    );
    let sent = echo(&debugged);
    assert_eq!(sent["headers"], json!([["x-a", "1, 2, 3"]]));
    let left = ". Not sent: connection, empty, host, x-gateway-authorization, x-real-ip";
    assert!(detail(&debugged, "route").ends_with(left), "{debugged}");
    assert_eq!(
        (&sent["method"], &sent["url"], &sent["body"]),
        (&json!("POST"), &json!("http://up/x"), &json!("text"))
    );
}

#[test]
fn sent_definition_is_used_without_loading() {
    let memory = gateway(&[]);
    let request = json!({ "path": "/x" });
    let spec = api("s", &json!({ "use_keyless": true }));
    let debugged = done(
        &memory,
        "POST",
        "debug",
        &json!({ "spec": spec, "request": request }),
    );
    assert_eq!(echo(&debugged)["url"], "http://up/x");
    assert_eq!(
        detail(&debugged, "route"),
        "GET /s/x to The s (s), as the definition was sent"
    );
    assert_eq!(visited(&memory, "t", "/s/x"), 404);
    let oas = json!({ "openapi": "3.0.3", "info": { "title": "Pets", "version": "1" }, "paths": {},
        "servers": [{ "url": "http://pets.example/v1" }] });
    let debugged = done(
        &memory,
        "POST",
        "debug",
        &json!({ "oas": oas, "request": request }),
    );
    assert_eq!(echo(&debugged)["url"], "http://pets.example/v1/x");
    // With the extension it is debugged as it would be served, not as it would be imported.
    let mut oas = oas;
    oas["x-gateway-api-gateway"] = json!({ "info": { "name": "Cats", "id": "c", "state": { "active": true } },
        "upstream": { "url": "http://cats.example/" }, "server": { "listenPath": { "value": "/cats/", "strip": true } } });
    let debugged = done(
        &memory,
        "POST",
        "debug",
        &json!({ "oas": oas, "request": request }),
    );
    assert_eq!(echo(&debugged)["url"], "http://cats.example/x");
}

#[test]
fn sent_definition_replaces_the_loaded_one() {
    let memory = gateway(&[api("a", &json!({})), api("b", &json!({}))]);
    let spec = api("a", &json!({ "use_keyless": true }));
    for path in ["/", "/x"] {
        let request = json!({ "method": "GET", "path": path });
        let asked = json!({ "spec": spec, "request": request });
        let debugged = done(&memory, "POST", "debug", &asked);
        assert_eq!(debugged["answer"]["status"], 200, "{path}: {debugged}");
        assert_eq!(echo(&debugged)["url"], format!("http://up{path}"));
        assert_eq!(visited(&memory, "", &format!("/a{path}")), 401);
    }
}

#[test]
fn long_response_is_cut_and_missing_one_is_noted() {
    let memory = gateway(&[api("a", &json!({ "use_keyless": true }))]);
    let long = debug(&memory, "", "long");
    assert_eq!(long["answer"]["truncated"], true);
    let body = long["answer"]["body"].as_str().unwrap();
    assert!(body.len() <= 256 * 1024 && body.len() > 256 * 1024 - 3 && body.ends_with('\u{20ac}'));
    assert_eq!(long["answer"].get("body_encoding"), None);
    let down = debug(&memory, "", "down");
    assert_eq!(down["answer"]["status"], 500);
    assert_eq!(names(&down, "refused"), ["upstream"]);
    let cause =
        "Upstream host lookup failed: its host name could not be resolved, API a, request made-up";
    assert_eq!(detail(&down, "upstream"), cause);
}

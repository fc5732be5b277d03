//! `POST /gateway/debug` over ports in memory: its errors, and that its steps tell what the data plane
//! does (reference 1.8).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use futures_util::FutureExt;
use gatewright_engine::http::Response;
use gatewright_testkit::gate::Visit;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

fn admin(memory: &Memory, method: &str, path: &str, body: &str) -> Response {
    let target = format!("/gateway/{path}");
    let sent = memory.send(method, &target, body);
    sent.now_or_never().unwrap()
}

fn done(memory: &Memory, method: &str, path: &str, body: &Value) -> Value {
    let answer = admin(memory, method, path, &body.to_string());
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

fn with(mut value: Value, more: &Value) -> Value {
    for (name, member) in more.as_object().unwrap() {
        value[name.as_str()] = member.clone();
    }
    value
}

/// A definition that listens on `/<id>/` and asks for a key.
fn api(id: &str, more: &Value) -> Value {
    let base = json!({
        "api_id": id, "name": format!("The {id}"), "use_keyless": false,
        "proxy": { "listen_path": format!("/{id}/"), "target_url": "http://up/", "strip_listen_path": true },
    });
    with(base, more)
}

fn gateway(definitions: &[Value]) -> Memory {
    let memory = Memory::default();
    for definition in definitions {
        done(&memory, "POST", "apis", definition);
    }
    done(&memory, "GET", "reload?block=true", &Value::Null);
    memory
}

/// Makes a key for `a`. Answers its token and its hash.
fn key(memory: &Memory, more: &Value) -> (String, String) {
    let session = with(json!({ "access_rights": { "a": {} } }), more);
    let made = done(memory, "POST", "keys", &session);
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    (text("key"), text("key_hash"))
}

/// What a debugged GET of `a` is answered; `token` is none if it is empty.
fn debug(memory: &Memory, token: &str, path: &str) -> Value {
    let headers = if token.is_empty() {
        json!({})
    } else {
        json!({ "Authorization": [token] })
    };
    let request = json!({ "method": "GET", "path": path, "headers": headers });
    done(
        memory,
        "POST",
        "debug",
        &json!({ "api_id": "a", "request": request }),
    )
}

fn names<'v>(debugged: &'v Value, decision: &str) -> Vec<&'v str> {
    let steps = debugged["trace"].as_array().unwrap().iter();
    let steps = steps.filter(|step| step["decision"] == decision);
    steps.map(|step| step["name"].as_str().unwrap()).collect()
}

fn detail<'v>(debugged: &'v Value, name: &str) -> &'v str {
    let steps = debugged["trace"].as_array().unwrap();
    let step = steps.iter().rfind(|step| step["name"] == name);
    step.unwrap()["detail"].as_str().unwrap()
}

/// What the upstream was sent.
fn echo(debugged: &Value) -> Value {
    serde_json::from_str(debugged["answer"]["body"].as_str().unwrap()).unwrap()
}

#[test]
fn a_body_that_is_no_question_has_the_messages_of_the_reference() {
    let memory = gateway(&[api("a", &json!({}))]);
    let spec = api("s", &json!({ "use_keyless": true }));
    for (body, status, message) in [
        (String::new(), 400, "Request malformed"),
        ("{".to_owned(), 400, "Request malformed"),
        ("{}".to_owned(), 400, "Spec field is missing"),
        ("[]".to_owned(), 400, "Spec field is missing"),
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
        let told: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(
            (answer.status, told["message"].as_str()),
            (status, Some(message)),
            "{body}"
        );
        assert_eq!(told["status"], "error", "{body}");
    }
}

#[test]
fn a_request_that_can_not_be_one_is_an_unexpected_failure_and_nothing_is_sent() {
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
    assert!(memory.guard.take_calls().is_empty());
}

#[test]
fn the_shape_is_the_reference_s_with_trace_and_answer_behind() {
    let memory = gateway(&[api("a", &json!({ "use_keyless": true }))]);
    let text = admin(
        &memory,
        "POST",
        "debug",
        r#"{"api_id":"a","request":{"path":"/x?q=1"}}"#,
    )
    .body;
    let places = [
        "{\"message\":\"ok\",\"response\":",
        "\"logs\":",
        "\"trace\":",
        "\"answer\":",
    ];
    let places = places.map(|member| text.find(member).unwrap());
    assert!(places.is_sorted() && places[0] == 0, "{text}");
    let debugged: Value = serde_json::from_str(&text).unwrap();
    let dump = debugged["response"].as_str().unwrap();
    assert!(
        dump.starts_with(
            "====== Request ======\nGET /a/x?q=1 HTTP/1.1\r\nHost: gateway.example\r\n"
        ),
        "{dump}"
    );
    assert!(
        dump.contains("\n====== Response ======\nHTTP/1.1 200\r\nContent-Type: application/json"),
        "{dump}"
    );
    let lines = debugged["logs"].as_str().unwrap().lines();
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), debugged["trace"].as_array().unwrap().len());
    assert!(
        lines
            .iter()
            .all(|line| line["api_id"] == "a" && line["level"] == "info")
    );
    assert_eq!(names(&debugged, "passed"), ["route", "forward", "upstream"]);
    assert_eq!(
        names(&debugged, "skipped"),
        ["organisation", "token", "api_rate"]
    );
    let times = debugged["trace"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["at_ms"].as_u64());
    assert!(times.is_sorted());
}

/// One situation: how it is made, and what becomes of the second request in it.
struct Case {
    definition: Value,
    session: Value,
    path: &'static str,
    status: u16,
    /// The step that refuses; "" if none does.
    refused: &'static str,
}

impl Case {
    fn new(status: u16, refused: &'static str, session: Value) -> Self {
        Self {
            definition: json!({}),
            session,
            path: "x",
            status,
            refused,
        }
    }
}

fn cases() -> Vec<Case> {
    let rights = |access: Value| json!({ "access_rights": { "a": access } });
    let urls = json!({ "allowed_urls": [{ "url": "/y", "methods": ["GET"] }] });
    vec![
        Case::new(200, "", json!({})),
        Case::new(
            200,
            "",
            json!({ "rate": 5, "per": 60, "quota_max": 5, "quota_renewal_rate": 60 }),
        ),
        Case::new(429, "rate", json!({ "rate": 1, "per": 3600 })),
        Case::new(
            403,
            "quota",
            json!({ "quota_max": 1, "quota_renewal_rate": 3600 }),
        ),
        Case::new(403, "session", json!({ "is_inactive": true })),
        Case::new(401, "session", json!({ "expires": 1 })),
        Case::new(401, "session", json!({ "certificate": "x" })),
        Case::new(403, "session", json!({ "apply_policies": ["gone"] })),
        Case::new(403, "access", json!({ "access_rights": { "b": {} } })),
        Case::new(403, "access", rights(json!({ "versions": ["other"] }))),
        Case::new(403, "access", rights(urls.clone())),
        Case {
            path: "y",
            ..Case::new(200, "", rights(urls))
        },
        Case {
            definition: json!({ "global_rate_limit": { "rate": 1, "per": 3600 } }),
            ..Case::new(429, "api_rate", json!({}))
        },
        Case {
            definition: json!({ "disable_rate_limit": true, "disable_quota": true }),
            ..Case::new(
                200,
                "",
                json!({ "rate": 1, "per": 3600, "quota_max": 1, "quota_renewal_rate": 3600 }),
            )
        },
    ]
}

/// A situation, with the token and the hash of its key.
fn situation(case: &Case) -> (Memory, String, String) {
    let memory = gateway(&[api("a", &case.definition), api("b", &json!({}))]);
    let policies = case.session.get("apply_policies").is_some();
    if policies {
        let policy =
            json!({ "id": "gone", "org_id": "", "active": true, "access_rights": { "a": {} } });
        done(&memory, "POST", "policies", &policy);
    }
    let (token, hash) = key(&memory, &case.session);
    if policies {
        done(&memory, "DELETE", "policies/gone", &Value::Null);
    }
    (memory, token, hash)
}

/// What the data plane answers to a GET.
fn visited(memory: &Memory, token: &str, path: &str) -> u16 {
    let visit = Visit {
        method: "GET",
        target: path,
        headers: &[("authorization", token)],
    };
    let answer = memory.visit(&visit).now_or_never().unwrap();
    answer.map_or_else(|refusal| refusal.failure.status(), |_| 200)
}

#[test]
fn the_steps_tell_what_the_data_plane_does() {
    for case in cases() {
        let what = json!([case.definition, case.session]);
        let path = format!("/a/{}", case.path);
        // Two requests of a client, in one gateway.
        let (memory, token, _) = situation(&case);
        visited(&memory, &token, &path);
        assert_eq!(visited(&memory, &token, &path), case.status, "{what}");
        // One of a client and a debugged one in another: by token, and as the stored key.
        for by_hash in [false, true] {
            let (memory, token, hash) = situation(&case);
            visited(&memory, &token, &path);
            let debugged = if by_hash {
                let body =
                    json!({ "api_id": "a", "key_hash": hash, "request": { "path": case.path } });
                done(&memory, "POST", "debug", &body)
            } else {
                debug(&memory, &token, case.path)
            };
            assert_eq!(
                debugged["answer"]["status"], case.status,
                "{what}: {debugged}"
            );
            let refused = names(&debugged, "refused");
            let expected: &[&str] = if case.refused.is_empty() {
                &[]
            } else {
                &[case.refused]
            };
            assert_eq!(refused, expected, "{what}: {debugged}");
            let last = if case.status == 200 {
                "upstream"
            } else {
                case.refused
            };
            let steps = debugged["trace"].as_array().unwrap();
            assert_eq!(steps.last().unwrap()["name"], last, "{what}: {debugged}");
            // It has counted like any other.
            let expected = if case.session.get("rate") == Some(&json!(5)) {
                "3 of 5 left in 60 s"
            } else {
                continue;
            };
            assert_eq!(detail(&debugged, "rate"), expected);
            assert!(detail(&debugged, "quota").starts_with("3 of 5 left, renewed in "));
        }
    }
}

#[test]
fn a_missing_or_unknown_credential_is_told_with_its_places() {
    let auth = json!({ "auth": { "auth_header_name": "X-Key", "use_param": true, "param_name": "k", "use_cookie": true, "cookie_name": "c" } });
    let memory = gateway(&[api("a", &auth)]);
    let debugged = debug(&memory, "", "x");
    assert_eq!(debugged["answer"]["status"], 401);
    assert_eq!(
        detail(&debugged, "token"),
        "None in the header x-key, the query parameter k, the cookie c"
    );
    let unknown = debug(&memory, "", "x?k=unknown-token");
    assert_eq!(unknown["answer"]["status"], 403);
    assert_eq!(names(&unknown, "refused"), ["key"]);
    assert_eq!(detail(&unknown, "token"), "In the query parameter k");
    assert!(
        !unknown["response"]
            .as_str()
            .unwrap()
            .contains("unknown-token"),
        "{unknown}"
    );
}

#[test]
fn the_token_stands_in_no_text() {
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
        // The upstream has got it all the same.
        assert!(
            echo(&debugged).to_string().contains(&token)
                || echo(&debugged).to_string().contains(&encoded)
        );
    }
}

#[test]
fn a_stored_key_is_used_by_its_hash_which_is_no_token_for_anybody_else() {
    let memory = gateway(&[api("a", &json!({}))]);
    let (token, hash) = key(
        &memory,
        &json!({ "alias": "Shop", "quota_max": 3, "quota_renewal_rate": 3600 }),
    );
    let body = json!({ "api_id": "a", "key_hash": hash, "request": { "path": "x" } });
    for left in [2, 1] {
        let debugged = done(&memory, "POST", "debug", &body);
        assert!(
            detail(&debugged, "quota").starts_with(&format!("{left} of 3 left")),
            "{debugged}"
        );
        assert_eq!(echo(&debugged)["headers"], json!([]));
        assert!(detail(&debugged, "session").starts_with("Shop: active, never ends, no policies"));
    }
    // Also now that this isolate knows it, and where the hash is sent as a token.
    assert_eq!(visited(&memory, &hash, "/a/x"), 403);
    assert_eq!(debug(&memory, &hash, "x")["answer"]["status"], 403);
    assert_eq!(visited(&memory, &token, "/a/x"), 200);
    assert_eq!(
        done(&memory, "POST", "debug", &body)["answer"]["status"],
        403
    );
    let gone = json!({ "api_id": "a", "key_hash": "0".repeat(64), "request": {} });
    let gone = done(&memory, "POST", "debug", &gone);
    assert_eq!(
        (&gone["answer"]["status"], detail(&gone, "key")),
        (&json!(403), "No such key is stored")
    );
}

#[test]
fn a_session_that_was_changed_is_told_as_such() {
    let memory = gateway(&[api("a", &json!({}))]);
    let (token, hash) = key(&memory, &json!({}));
    assert!(detail(&debug(&memory, &token, "x"), "key").starts_with("Read from the Registry: "));
    assert!(detail(&debug(&memory, &token, "x"), "key").starts_with("Known to this isolate: "));
    let session = json!({ "access_rights": { "a": {} }, "is_inactive": true });
    done(&memory, "PUT", &format!("keys/{hash}?hashed=1"), &session);
    let changed = debug(&memory, &token, "x");
    assert_eq!(
        names(&changed, "passed"),
        ["route", "token", "key", "ledger", "ledger"]
    );
    assert_eq!(names(&changed, "refused"), ["session"]);
    assert!(
        changed
            .to_string()
            .contains("knows a newer session, revision "),
        "{changed}"
    );
    done(
        &memory,
        "DELETE",
        &format!("keys/{hash}?hashed=1"),
        &Value::Null,
    );
    let deleted = debug(&memory, &token, "x");
    assert_eq!(names(&deleted, "refused"), ["key"]);
    assert!(
        detail(&deleted, "ledger").ends_with("knows no such session any more; looked for again")
    );
}

#[test]
fn organisations_and_storage_that_fails_are_told() {
    let memory = gateway(&[api("a", &json!({ "org_id": "acme" }))]);
    let (token, _) = key(&memory, &json!({ "org_id": "acme" }));
    let limited = json!({ "quota_max": 2, "quota_renewal_rate": 3600 });
    done(&memory, "POST", "org/keys/acme", &limited);
    let debugged = debug(&memory, &token, "x");
    assert!(
        detail(&debugged, "organisation").starts_with("Organisation acme: 1 of 2 left"),
        "{debugged}"
    );
    debug(&memory, &token, "x");
    let over = debug(&memory, &token, "x");
    assert_eq!(
        (&over["answer"]["status"], names(&over, "refused")),
        (&json!(403), vec!["organisation"])
    );
    done(
        &memory,
        "PUT",
        "org/keys/acme",
        &json!({ "is_inactive": true }),
    );
    let inactive = debug(&memory, &token, "x");
    assert_eq!(
        detail(&inactive, "organisation"),
        "Organisation acme: it is switched off (is_inactive)"
    );
    memory.guard.fail("consume");
    let failed = debug(&memory, &token, "x");
    assert_eq!(
        (&failed["answer"]["status"], names(&failed, "refused")),
        (&json!(503), vec!["ledger"])
    );
}

#[test]
fn a_throttled_request_tells_its_waits() {
    let memory = gateway(&[api("a", &json!({}))]);
    let limits =
        json!({ "rate": 1, "per": 3600, "throttle_interval": 2, "throttle_retry_limit": 2 });
    let (token, _) = key(&memory, &limits);
    debug(&memory, &token, "x");
    let debugged = debug(&memory, &token, "x");
    assert_eq!(names(&debugged, "refused"), ["rate"]);
    let waits = names(&debugged, "passed")
        .into_iter()
        .filter(|name| *name == "throttle");
    assert_eq!(waits.count(), 2, "{debugged}");
}

#[test]
fn what_another_api_serves_below_stays_that_api_s() {
    let nested = json!({ "proxy": { "listen_path": "/a/nested/", "target_url": "http://up/" } });
    let memory = gateway(&[api("a", &json!({ "use_keyless": true })), api("n", &nested)]);
    let debugged = debug(&memory, "", "nested/x");
    assert_eq!(
        (&debugged["answer"]["status"], names(&debugged, "refused")),
        (&json!(404), vec!["route"])
    );
    assert_eq!(debug(&memory, "", "nestedx")["answer"]["status"], 200);
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
    assert_eq!(
        (&sent["method"], &sent["url"], &sent["body"]),
        (&json!("POST"), &json!("http://up/x"), &json!("text"))
    );
}

#[test]
fn a_definition_that_was_sent_along_is_used_without_being_loaded() {
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
}

#[test]
fn a_definition_that_can_not_be_served_is_an_error_with_its_reason_in_the_logs() {
    let memory = gateway(&[]);
    for (spec, reason) in [
        (json!({}), ""),
        (api("s", &json!({ "name": 1 })), ""),
        (
            api(
                "s",
                &json!({ "use_keyless": true, "proxy": { "listen_path": "/s/", "target_url": "" } }),
            ),
            "",
        ),
        (
            api("s", &json!({ "enable_jwt": true })),
            "Not served, because it would be served without its protection",
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
        let told: Value = serde_json::from_str(&answer.body).unwrap();
        let line: Value = serde_json::from_str(told["logs"].as_str().unwrap()).unwrap();
        assert_eq!(line["level"], "error");
        assert!(line["msg"].as_str().unwrap().starts_with(reason), "{line}");
    }
}

#[test]
fn a_long_answer_is_cut_between_two_characters_and_one_that_is_missing_is_told() {
    let memory = gateway(&[api("a", &json!({ "use_keyless": true }))]);
    let long = debug(&memory, "", "long");
    assert_eq!(long["answer"]["truncated"], true);
    let body = long["answer"]["body"].as_str().unwrap();
    assert!(body.len() <= 256 * 1024 && body.len() > 256 * 1024 - 3 && body.ends_with('\u{20ac}'));
    assert_eq!(long["answer"].get("body_encoding"), None);
    let down = debug(&memory, "", "down");
    assert_eq!(down["answer"]["status"], 500);
    assert_eq!(names(&down, "refused"), ["upstream"]);
    assert_eq!(detail(&down, "upstream"), "Upstream host lookup failed");
}

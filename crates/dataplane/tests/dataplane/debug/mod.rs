//! `POST /gateway/debug` over in-memory ports: its errors, and that its steps show what the data plane does (reference
//! 1.8).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod errors;
mod sent;
mod steps;

use futures_util::FutureExt;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::Memory;
use gatewright_testkit::traffic::Visit;
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

/// A definition that listens on `/<id>/` and requires a key.
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

/// Creates a key for `a`. Returns its token and its hash.
fn key(memory: &Memory, more: &Value) -> (String, String) {
    let session = with(json!({ "access_rights": { "a": {} } }), more);
    let made = done(memory, "POST", "keys", &session);
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    (text("key"), text("key_hash"))
}

/// The answer to debugging a GET of `a`; an empty `token` is not sent.
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

/// What the upstream received.
fn echo(debugged: &Value) -> Value {
    serde_json::from_str(debugged["answer"]["body"].as_str().unwrap()).unwrap()
}

/// The status that the data plane answers a GET with.
fn visited(memory: &Memory, token: &str, path: &str) -> u16 {
    let visit = Visit {
        method: "GET",
        target: path,
        headers: &[("authorization", token)],
        body: "",
    };
    let answer = memory.visit(&visit).now_or_never().unwrap();
    answer.map_or_else(|refusal| refusal.failure.status(), |_| 200)
}

#[test]
fn response_extends_the_reference_shape() {
    let memory = gateway(&[api("a", &json!({ "use_keyless": true }))]);
    let text = admin(
        &memory,
        "POST",
        "debug",
        r#"{"api_id":"a","request":{"path":"/x?q=1"}}"#,
    )
    .body;
    let offsets = [
        "{\"message\":\"ok\",\"response\":",
        "\"logs\":",
        "\"trace\":",
        "\"answer\":",
    ];
    let offsets = offsets.map(|member| text.find(member).unwrap());
    assert!(offsets.is_sorted() && offsets[0] == 0, "{text}");
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
    assert_eq!(names(&debugged, "skipped"), ["organisation", "counters"]);
    let times = debugged["trace"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["at_ms"].as_u64());
    assert!(times.is_sorted());
}

#[test]
fn a_missing_or_unknown_credential_is_noted_with_its_locations() {
    let auth = json!({ "auth": { "auth_header_name": "X-Key", "use_param": true, "param_name": "k", "use_cookie": true, "cookie_name": "c" } });
    let memory = gateway(&[api("a", &auth)]);
    let debugged = debug(&memory, "", "x");
    assert_eq!(debugged["answer"]["status"], 401);
    assert_eq!(
        detail(&debugged, "auth_token"),
        "None in the header x-key, the query parameter k, the cookie c. Authorization field missing"
    );
    let unknown = debug(&memory, "", "x?k=unknown-token");
    assert_eq!(unknown["answer"]["status"], 403);
    assert_eq!(names(&unknown, "refused"), ["auth_token"]);
    let reason = detail(&unknown, "auth_token");
    assert!(reason.starts_with("In the query parameter k. No such key is stored"));
    assert!(
        !unknown["response"]
            .as_str()
            .unwrap()
            .contains("unknown-token"),
        "{unknown}"
    );
}

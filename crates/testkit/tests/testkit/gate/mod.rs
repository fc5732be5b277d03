//! The driver of the data plane over ports in memory: who passes, what is counted, and which objects are called
//! (reference 3.1, links 9 to 23, and 3.2).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

mod access;
mod counted;
mod driver;
mod events;
mod lifetime;
mod limits;
mod logins;
mod loops;
mod mcp;
mod organisations;
mod pattern;
mod proofs;
mod rotate;
mod routes;
mod sessions;
mod shown;
mod tokens;
mod trace;
mod versions;

use futures_util::FutureExt;
use gatewright_dataplane::failure::Failure;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::Memory;
use gatewright_testkit::traffic::{Passed, Refused, Visit};
use serde_json::{Value, json};

/// Sends a request to the administration.
fn admin(memory: &Memory, method: &str, path: &str, body: &Value) -> Response {
    let text = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let target = format!("/gateway/{path}");
    let sent = memory.send(method, &target, &text);
    sent.now_or_never().unwrap()
}

/// Sends a request that has to succeed. Returns the body.
fn admin_ok(memory: &Memory, method: &str, path: &str, body: &Value) -> Value {
    let answer = admin(memory, method, path, body);
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// Returns `value` with the members of `more` added or replaced.
fn with(mut value: Value, more: &Value) -> Value {
    for (name, member) in more.as_object().unwrap() {
        value[name.as_str()] = member.clone();
    }
    value
}

/// Returns a definition that listens on `/<id>/` and requires a key.
fn api(id: &str, more: &Value) -> Value {
    let proxy = json!({
        "listen_path": format!("/{id}/"),
        "target_url": "http://up/",
        "strip_listen_path": true,
    });
    let base = json!({ "api_id": id, "name": id, "use_keyless": false, "proxy": proxy });
    with(base, more)
}

fn reload(memory: &Memory) {
    admin_ok(memory, "GET", "reload?block=true", &Value::Null);
}

/// Stores definitions and loads them.
fn publish(memory: &Memory, definitions: &[Value]) {
    for definition in definitions {
        admin_ok(memory, "POST", "apis", definition);
    }
    reload(memory);
}

/// Returns a gateway that serves `/a/` and `/b/`, which require keys.
fn gateway() -> Memory {
    let memory = Memory::default();
    publish(&memory, &[api("a", &json!({})), api("b", &json!({}))]);
    memory
}

/// Returns a session with access to these APIs and more members.
fn session(apis: &[&str], more: &Value) -> Value {
    let mut rights = json!({});
    for id in apis {
        rights[*id] = json!({ "api_id": id, "versions": ["Default"] });
    }
    with(json!({ "access_rights": rights }), more)
}

/// Creates a key. Returns its token and its hash.
fn key(memory: &Memory, session: &Value) -> (String, String) {
    let made = admin_ok(memory, "POST", "keys", session);
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    (text("key"), text("key_hash"))
}

/// Writes a key by its hash.
fn put(memory: &Memory, hash: &str, query: &str, session: &Value) {
    let path = format!("keys/{hash}?hashed=1{query}");
    admin_ok(memory, "PUT", &path, session);
}

fn visit(memory: &Memory, visit: Visit<'_>) -> Result<Passed, Refused> {
    let visited = memory.visit(&visit);
    visited.now_or_never().unwrap()
}

/// Sends a GET with this token.
fn get(memory: &Memory, token: &str, target: &str) -> Result<Passed, Refused> {
    let headers = [("authorization", token)];
    let headers = if token.is_empty() { &[] } else { &headers[..] };
    let method = "GET";
    visit(
        memory,
        Visit {
            method,
            target,
            headers,
            body: "",
        },
    )
}

/// Returns why a GET with this token is refused; `None` if it passes.
fn refusal(memory: &Memory, token: &str, target: &str) -> Option<Failure> {
    get(memory, token, target)
        .err()
        .map(|refusal| refusal.failure)
}

/// Returns a header of a response.
fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    let mut headers = headers.iter();
    let found = headers.find(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str())
}

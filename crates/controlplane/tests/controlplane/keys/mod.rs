//! The administration of keys, policies and organisations over ports in memory: statuses, messages and what is stored
//! (reference 1.6, 1.7, 1.8).

mod certificates;
mod create;
mod expressions;
mod list;
mod logins;
mod organisations;
mod policies;
mod policy_ids;
mod rights;
mod rotate;
mod secrets;
mod update;
mod whole;

use crate::value;
use futures_util::FutureExt;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{Memory, SECRET};
use serde_json::{Value, json};

/// Sends a request to the administration. `null` means no body, a text is the body itself.
fn call(memory: &Memory, method: &str, path: &str, body: &Value) -> Response {
    call_if(memory, method, path, body, &[])
}

/// Sends a request with more headers.
fn call_if(
    memory: &Memory,
    method: &str,
    path: &str,
    body: &Value,
    more: &[(&str, &str)],
) -> Response {
    let text = match body {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let target = format!("/gateway/{path}");
    let mut headers = vec![("x-gateway-authorization", SECRET)];
    headers.extend(more);
    let sent = memory.send_with(method, &target, &text, &headers);
    sent.now_or_never().unwrap()
}

/// Sends a request that has to succeed, and returns the body.
fn done(memory: &Memory, method: &str, path: &str, body: &Value) -> Value {
    let answer = call(memory, method, path, body);
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    value(&answer)
}

fn read(memory: &Memory, path: &str) -> Value {
    done(memory, "GET", path, &Value::Null)
}

/// Asserts a refusal with this message, and returns its `details`.
fn refused(answer: &Response, status: u16, message: &str) -> String {
    let body = value(answer);
    assert_eq!(
        (answer.status, body["message"].as_str().unwrap()),
        (status, message)
    );
    assert_eq!(body["status"], "error");
    body["details"].as_str().unwrap_or_default().to_owned()
}

fn header<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
    let found = response.headers.iter().find(|(key, _)| *key == name);
    found.map(|(_, value)| value.as_str())
}

/// Returns a session with access to the API `a`, and more members.
fn session(more: &Value) -> Value {
    let mut session =
        json!({ "access_rights": { "a": { "api_id": "a", "versions": ["Default"] } } });
    for (name, member) in more.as_object().unwrap() {
        session[name.as_str()] = member.clone();
    }
    session
}

/// Creates a key, and returns its token and its hash.
fn key(memory: &Memory, session: &Value) -> (String, String) {
    let made = done(memory, "POST", "keys", session);
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    (text("key"), text("key_hash"))
}

fn hashes(memory: &Memory, query: &str) -> Vec<String> {
    let keys = read(memory, &format!("keys?{query}"))["keys"].clone();
    serde_json::from_value(keys).unwrap()
}

/// Stores an API with this id.
fn add_api(memory: &Memory, id: &str, more: &Value) {
    let mut definition = json!({ "api_id": id, "name": id, "use_keyless": true,
        "proxy": { "listen_path": format!("/{id}/"), "target_url": "http://up/" } });
    for (name, member) in more.as_object().unwrap() {
        definition[name.as_str()] = member.clone();
    }
    done(memory, "POST", "apis", &definition);
}

/// Stores a policy that grants access to the API `a`.
fn add_policy(memory: &Memory, id: &str, more: &Value) {
    let mut policy = session(more);
    policy["id"] = id.into();
    done(memory, "POST", "policies", &policy);
}

/// Escapes a token for a path.
fn escaped(token: &str) -> String {
    token
        .replace('+', "%2B")
        .replace('/', "%2F")
        .replace('=', "%3D")
}

//! The OAuth 2.0 server of APIs over ports in memory: clients, codes and tokens, and the access they give on the data
//! plane (reference 1.9 and 3.2; RFC 6749, 7009, 7636, 8414).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

mod backup;
mod clients;
mod codes;
mod ends;
mod grants;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::FutureExt;
use gatewright_controlplane::registry::sql::Sql;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{Memory, SECRET};
use gatewright_testkit::traffic::{Passed, Visit};
use serde_json::{Value, json};

/// Sends a request to the administration; `null` means no body, and a text is a form.
fn admin(memory: &Memory, method: &str, path: &str, body: &Value) -> Response {
    let (text, media) = match body {
        Value::Null => (String::new(), "application/json"),
        Value::String(text) => (text.clone(), "application/x-www-form-urlencoded"),
        value => (value.to_string(), "application/json"),
    };
    let headers = [("x-gateway-authorization", SECRET), ("content-type", media)];
    let target = format!("/gateway/{path}");
    let sent = memory.send_with(method, &target, &text, &headers);
    sent.now_or_never().unwrap()
}

/// Sends a request that has to succeed. Returns the body.
fn admin_ok(memory: &Memory, method: &str, path: &str, body: &Value) -> Value {
    let answer = admin(memory, method, path, body);
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// Sends a request that has to be refused. Returns status and message.
fn refused(memory: &Memory, method: &str, path: &str, body: &Value) -> (u16, String) {
    let answer = admin(memory, method, path, body);
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    let message = body["message"].as_str().unwrap_or_default().to_owned();
    assert_eq!(body["status"], "error", "{}", answer.body);
    (answer.status, message)
}

/// Returns a definition of an API with the OAuth server.
fn definition(id: &str, more: &Value) -> Value {
    let mut definition = json!({
        "api_id": id, "name": id, "org_id": "default", "active": true, "use_keyless": false,
        "use_oauth2": true,
        "oauth_meta": {
            "allowed_access_types": ["authorization_code", "refresh_token", "client_credentials"],
            "allowed_authorize_types": ["code", "token"],
            "auth_login_redirect": "http://login.example/approve",
        },
        "auth_configs": { "oauth": { "auth_header_name": "Authorization" } },
        "proxy": { "listen_path": format!("/{id}/"), "target_url": "http://upstream.example" },
    });
    for (name, member) in more.as_object().unwrap() {
        definition[name.as_str()] = member.clone();
    }
    definition
}

fn policy(memory: &Memory, id: &str, apis: &[&str]) {
    let rights = apis.iter().map(|api| {
        let access = json!({ "api_id": api, "api_name": api, "versions": ["Default"] });
        ((*api).to_owned(), access)
    });
    let rights: serde_json::Map<_, _> = rights.collect();
    let policy = json!({ "id": id, "name": id, "rate": 1000, "per": 60, "quota_max": -1,
        "access_rights": rights });
    admin_ok(memory, "POST", "policies", &policy);
}

/// Returns a gateway with the APIs `a` and `b` with the OAuth server, `plain` without, and a policy `p` for the first
/// two.
fn gateway() -> Memory {
    let memory = Memory::default();
    memory.stop_clock();
    for id in ["a", "b"] {
        admin_ok(&memory, "POST", "apis", &definition(id, &json!({})));
    }
    let plain = definition("plain", &json!({ "use_oauth2": false }));
    admin_ok(&memory, "POST", "apis", &plain);
    policy(&memory, "p", &["a", "b"]);
    reload(&memory);
    memory
}

fn reload(memory: &Memory) {
    admin_ok(memory, "GET", "reload?block=true", &Value::Null);
}

const BACK: &str = "http://client.example/callback";

/// Creates a client of `a` with the policy `p` and the secret `s`.
fn client(memory: &Memory, id: &str) {
    let client = json!({ "client_id": id, "secret": "s", "redirect_uri": BACK, "policy_id": "p",
        "api_id": "a" });
    admin_ok(memory, "POST", "oauth/clients/create", &client);
}

fn basic(id: &str, secret: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{id}:{secret}")))
}

/// Sends a form to a path below the listen path of `a`.
fn post_form(memory: &Memory, target: &str, headers: &[(&str, &str)], body: &str) -> (u16, Value) {
    let mut all = vec![("content-type", "application/x-www-form-urlencoded")];
    all.extend(headers);
    let answer = send(memory, "POST", target, &all, body);
    let body = serde_json::from_str(&answer.body).unwrap_or(Value::String(answer.body));
    (answer.status, body)
}

fn send(
    memory: &Memory,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Passed {
    let visit = Visit {
        method,
        target,
        headers,
        body,
    };
    match memory.visit(&visit).now_or_never().unwrap() {
        Ok(passed) => passed,
        Err(refused) => Passed {
            status: refused.failure.status(),
            body: refused.failure.message().to_owned(),
            ..Passed::default()
        },
    }
}

/// Requests a token as this client, with the secret `s`.
fn token(memory: &Memory, client: &str, body: &str) -> (u16, Value) {
    let sent = basic(client, "s");
    post_form(memory, "/a/oauth/token/", &[("authorization", &sent)], body)
}

/// Returns a token by the client credentials grant.
fn own_token(memory: &Memory, client: &str) -> String {
    let (status, body) = token(memory, client, "grant_type=client_credentials");
    assert_eq!(status, 200, "{body}");
    text(&body, "access_token")
}

/// Returns the response to an approval.
fn approve(memory: &Memory, body: &str) -> (u16, Value) {
    let secret = [("x-gateway-authorization", SECRET)];
    post_form(memory, "/a/gateway/oauth/authorize-client/", &secret, body)
}

fn text(body: &Value, name: &str) -> String {
    let found = body[name].as_str();
    found
        .unwrap_or_else(|| panic!("{name} of {body}"))
        .to_owned()
}

/// Returns the result of using a token: the status, and why it is refused.
fn use_token(memory: &Memory, target: &str, token: &str) -> (u16, String) {
    let sent = format!("Bearer {token}");
    let answer = send(memory, "GET", target, &[("authorization", &sent)], "");
    let why = if answer.status == 200 {
        String::new()
    } else {
        answer.body
    };
    (answer.status, why)
}

fn error(name: &str) -> Value {
    json!(name)
}

/// Returns the result of a statement, a text for each row.
fn rows(memory: &Memory, statement: &str) -> Vec<String> {
    let rows = memory.sql.query(statement, &[]).unwrap().into_iter();
    rows.map(|row| format!("{:?}", row.collect::<Vec<_>>()))
        .collect()
}

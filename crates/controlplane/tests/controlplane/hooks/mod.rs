//! Deliveries to webhooks, their secrets and the stream of notifications, over the ports in memory.

mod deliveries;
mod secrets;
mod streams;

use crate::{call, call_as, now, value};
use gatewright_controlplane::ports::{Fetched, Outgoing, Unfetched};
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use gatewright_testkit::sql::Fault;
use serde_json::{Value, json};

/// How many finished deliveries of a webhook are retained.
const KEPT: u32 = 500;
const TARGET: &str = "https://hooks.example/in";
const IDP: &str =
    r#"{"name":"Keycloak","client_idp_id":"kc","jwks_uri":"https://idp.example/jwks"}"#;

fn webhook(subscriptions: &[&str]) -> String {
    json!({
        "name": "h", "method": "POST", "target_path": TARGET, "webhook_id": "h",
        "subscriptions": subscriptions, "header_map": {"X-Team": "ops"},
    })
    .to_string()
}

/// Creates a provider, and a webhook that is notified about it.
fn subscribed(subscriptions: &[&str]) -> Memory {
    let gate = Memory::default();
    assert_eq!(call(&gate, "POST", "/api/clientidps", IDP).status, 201);
    let made = call(&gate, "POST", "/api/hooks", &webhook(subscriptions));
    assert_eq!(made.status, 200, "{}", made.body);
    gate
}

fn patch(gate: &Memory, n: usize) {
    let patch = json!({format!("api-{n}"): {"scope_to_policy": {"s": "p"}}}).to_string();
    let answer = call(gate, "PATCH", "/api/clientidps/kc/mappings", &patch);
    assert_eq!(answer.status, 200, "{}", answer.body);
}

fn answers(gate: &Memory, status: u16) {
    let fetched = Fetched {
        status,
        ..Fetched::default()
    };
    gate.web.answer(TARGET, Ok(fetched));
}

fn log(gate: &Memory) -> Vec<Value> {
    let answer = call(gate, "GET", "/api/hooks/h/deliveries", "");
    assert_eq!(answer.status, 200, "{}", answer.body);
    value(&answer)["deliveries"].as_array().unwrap().clone()
}

fn header<'a>(outgoing: &'a Outgoing, name: &str) -> &'a str {
    let found = outgoing.headers.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str()).unwrap()
}

fn ids(sent: &[Outgoing]) -> Vec<&str> {
    sent.iter().map(|one| header(one, "webhook-id")).collect()
}

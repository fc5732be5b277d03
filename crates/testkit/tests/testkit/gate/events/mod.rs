//! Events: which requests raise one, who receives it, and what is sent.

mod raised;
mod webhooks;

use super::{api, publish, with};
use futures_util::FutureExt;
use gatewright_controlplane::ports::{Fetched, Outgoing};
use gatewright_protocol::token::{self, HashFunction};
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use serde_json::{Value, json};

const TARGET: &str = "https://events.example/in";

fn log_handler() -> Value {
    json!({ "handler_name": "eh_log_handler", "handler_meta": { "prefix": "heard" } })
}

fn inline(more: &Value) -> Value {
    let settings =
        json!({ "method": "POST", "target_path": TARGET, "header_map": { "X-Team": "ops" } });
    json!({ "handler_name": "eh_web_hook_handler", "handler_meta": with(settings, more) })
}

/// Returns a definition with these handlers for each event that is raised.
fn definition_with(id: &str, handlers: &[Value], more: &Value) -> Value {
    let names = [
        "AuthFailure",
        "KeyExpired",
        "RatelimitExceeded",
        "QuotaExceeded",
        "OrgQuotaExceeded",
        "OrgRateLimitExceeded",
        "VersionFailure",
        "TriggerExceeded",
        "TokenCreated",
        "TokenUpdated",
        "TokenDeleted",
    ];
    let events: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| ((*name).to_owned(), json!(handlers)))
        .collect();
    let base = api(id, &json!({ "event_handlers": { "events": events } }));
    with(base, more)
}

fn gateway(handlers: &[Value]) -> Memory {
    let memory = Memory::default();
    let rated = json!({ "global_rate_limit": { "rate": 1, "per": 3600 } });
    let acme = json!({ "org_id": "acme" });
    let definitions = [
        definition_with("a", handlers, &json!({})),
        definition_with("rated", handlers, &rated),
        definition_with("acme", handlers, &acme),
        api("deaf", &json!({})),
    ];
    publish(&memory, &definitions);
    memory
}

/// Returns the lines of the log since the last call, without their prefix.
fn log_lines(memory: &Memory) -> Vec<Value> {
    let lines = memory.log.take();
    let line = |line: &String| serde_json::from_str(line.strip_prefix("heard ").unwrap()).unwrap();
    lines.iter().map(line).collect()
}

/// Returns types and messages in the log since the last call.
fn logged_types(memory: &Memory) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let lines = log_lines(memory);
    let pairs = lines
        .iter()
        .map(|line| (text(&line["Type"]), text(&line["Meta"]["Message"])));
    pairs.collect()
}

fn one(kind: &str, message: &str) -> Vec<(String, String)> {
    vec![(kind.to_owned(), message.to_owned())]
}

/// A token that belongs to no key, and the hash that a key of this custom id would have.
const UNKNOWN_TOKEN: &str = "nobody-knows-this";

fn hash_of(id: &str) -> String {
    token::hash(&token::token("", id, HashFunction::Sha256))
}

/// Returns the calls to webhooks that are due; each gets this status.
fn delivered(memory: &Memory, status: u16) -> Vec<Outgoing> {
    let fetched = Fetched {
        status,
        ..Fetched::default()
    };
    memory.web.answer(TARGET, Ok(fetched));
    memory.deliver().now_or_never().unwrap().unwrap();
    memory.web.take_sent()
}

fn body(outgoing: &Outgoing) -> Value {
    serde_json::from_str(outgoing.body.as_deref().unwrap()).unwrap()
}

fn dashboard(memory: &Memory, method: &str, target: &str, body: &str) -> Value {
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let headers = [("authorization", bearer.as_str())];
    let answer = memory.send_with(method, target, body, &headers);
    let answer = answer.now_or_never().unwrap();
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// Stores a webhook and returns its id.
fn stored_hook(memory: &Memory, subscriptions: &[&str]) -> String {
    let hook = json!({ "name": "h", "method": "POST", "target_path": TARGET, "webhook_id": "h",
        "subscriptions": subscriptions });
    let made = dashboard(memory, "POST", "/api/hooks", &hook.to_string());
    made["Meta"].as_str().unwrap().to_owned()
}

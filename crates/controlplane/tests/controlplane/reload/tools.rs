//! Selections that publish an API whose operations are the tools of an MCP proxy.

use super::{Memory, Platform, reload, send, serves, status};
use serde_json::{Value, json};

on_every_kv!(
    unselected_proxy_stays_served,
    strict_reload_checks_proxies_of_changed_apis,
);

const EXTENSION: &str = "x-gateway-api-gateway";

/// Returns an API with an operation of this name.
fn document(operation: &str) -> Value {
    json!({
        "openapi": "3.0.3",
        "info": { "title": "a", "version": "1" },
        "paths": { "/users": {
            "get": { "operationId": operation, "responses": { "200": { "description": "" } } },
        } },
        EXTENSION: {
            "info": { "id": "a", "name": "a", "state": { "active": true } },
            "upstream": { "url": "http://up/" },
            "server": { "listenPath": { "value": "/a/", "strip": true } },
        },
    })
}

/// Returns a proxy whose only tool is the operation `list` of that API.
fn proxy() -> Value {
    let mut proxy = document("list");
    proxy["paths"] = json!({});
    proxy[EXTENSION] = json!({
        "info": { "id": "tools", "name": "tools", "state": { "active": true } },
        "upstream": { "url": "gateway://a/mcp" },
        "server": { "listenPath": { "value": "/tools/", "strip": true } },
    });
    proxy["x-gateway-mcp-server"] =
        json!({ "primitives": [{ "source": { "operationId": "list" }, "allow": true }] });
    proxy
}

fn put(memory: &Memory, operation: &str) {
    let text = document(operation).to_string();
    let answer = send(memory, "PUT", "/gateway/apis/oas/a", &text);
    assert_eq!(answer.status, 200, "{}", answer.body);
}

/// Creates a gateway that serves the API and its proxy, where the API has lost the operation since.
fn lost(platform: Platform) -> Memory {
    let memory = platform();
    for (target, body) in [
        ("/gateway/apis/oas", document("list")),
        ("/gateway/mcps", proxy()),
    ] {
        let answer = send(&memory, "POST", target, &body.to_string());
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    assert_eq!(reload(&memory), 200);
    assert_eq!(serves(&memory, "/tools/x").as_deref(), Some("tools"));
    put(&memory, "other");
    memory
}

fn publish(memory: &Memory, apis: &[&str], strict: bool) -> (u16, Value) {
    let target = format!("/gateway/reload?block=true&strict={strict}");
    let answer = send(memory, "POST", &target, &json!({"apis": apis}).to_string());
    (answer.status, serde_json::from_str(&answer.body).unwrap())
}

fn unselected_proxy_stays_served(platform: Platform) {
    let memory = lost(platform);
    let before = status(&memory);
    for strict in [false, true] {
        let (code, answer) = publish(&memory, &["a"], strict);
        assert_eq!(code, 409, "{answer}");
        assert_eq!(
            answer["message"],
            "Nothing was published. The MCP proxy tools has its tools from the API a: select tools too"
        );
        assert_eq!(answer["issues"][0]["pointer"], "/apis");
        assert_eq!(status(&memory), before);
    }
    assert_eq!(serves(&memory, "/tools/x").as_deref(), Some("tools"));
    // Selecting the proxy, too, is a deliberate choice, even if it has no pending change.
    let (code, answer) = publish(&memory, &["a", "tools"], false);
    assert_eq!(code, 200, "{answer}");
    assert_eq!(serves(&memory, "/tools/x"), None);
    // A proxy that is not served can't be taken out of service.
    put(&memory, "another");
    let (code, answer) = publish(&memory, &["a"], false);
    assert_eq!(code, 200, "{answer}");
    put(&memory, "list");
    let (code, answer) = publish(&memory, &["a"], true);
    assert_eq!(code, 200, "{answer}");
    assert_eq!(serves(&memory, "/tools/x").as_deref(), Some("tools"));
}

fn strict_reload_checks_proxies_of_changed_apis(platform: Platform) {
    let memory = lost(platform);
    let (code, answer) = publish(&memory, &["a", "tools"], true);
    assert_eq!(code, 409, "{answer}");
    let reasons = answer.to_string();
    assert!(
        reasons.contains("API tools would be skipped") && reasons.contains("unknown source"),
        "{reasons}"
    );
    assert_eq!(serves(&memory, "/tools/x").as_deref(), Some("tools"));
}

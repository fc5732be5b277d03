//! Rights that do not fit the API they are for (reference 1.6, rule 1).

use super::{add_api, call, done, key, refused};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

fn gateway() -> Memory {
    let memory = Memory::default();
    add_api(&memory, "a", &json!({}));
    add_api(&memory, "tools", &json!({ "application_protocol": "mcp" }));
    memory
}

fn rights(api: &str, members: &Value) -> Value {
    json!({ "access_rights": { api: members } })
}

const MCP: &str = "MCP fields can only be configured on MCP Proxies, API \"a\" is not an MCP Proxy";
const HTTP: &str = "HTTP/REST and GraphQL fields cannot be configured on MCP Proxies, \
                    API \"tools\" is an MCP Proxy";

const TYPE: &str = "invalid MCP primitive type \"Tool\": must be one of tool, resource, prompt";

fn misfits() -> Vec<(Value, &'static str)> {
    let mcp = [
        json!({ "json_rpc_methods": [{ "name": "m", "limit": { "rate": 1, "per": 1 } }] }),
        json!({ "json_rpc_methods_access_rights": { "allowed": ["m"] } }),
        json!({ "mcp_primitives": [{ "type": "tool", "name": "t" }] }),
        json!({ "mcp_access_rights": { "tools": { "blocked": ["t"] } } }),
    ];
    let http = [
        json!({ "allowed_urls": [{ "url": "/x", "methods": ["GET"] }] }),
        json!({ "endpoints": [{ "path": "/x", "methods": [] }] }),
        json!({ "restricted_types": [{ "name": "T", "fields": ["f"] }] }),
        json!({ "allowed_types": [{ "name": "T", "fields": ["f"] }] }),
        json!({ "field_access_rights": [{ "type_name": "T", "field_name": "f" }] }),
        json!({ "disable_introspection": true }),
    ];
    let wrong = json!({ "mcp_primitives": [{ "type": "tool", "name": "t" }, { "type": "Tool", "name": "t" }] });
    let wrong = ["tools", "unknown"].map(|api| (rights(api, &wrong), TYPE));
    let mcp = mcp.iter().map(|members| (rights("a", members), MCP));
    let http = http.iter().map(|members| (rights("tools", members), HTTP));
    mcp.chain(http).chain(wrong).collect()
}

#[test]
fn key_with_invalid_rights_is_refused() {
    let memory = gateway();
    let (_, hash) = key(&memory, &rights("a", &json!({})));
    for (session, message) in misfits() {
        for (method, path) in [
            ("POST", "keys".to_owned()),
            ("POST", "keys/custom".to_owned()),
            ("POST", "keys/create".to_owned()),
            ("POST", format!("keys/{hash}?hashed=1")),
            ("PUT", format!("keys/{hash}?hashed=1")),
        ] {
            refused(&call(&memory, method, &path, &session), 400, message);
        }
    }
}

#[test]
fn policy_with_invalid_rights_is_refused() {
    let memory = gateway();
    let mut fits = rights("a", &json!({}));
    fits["id"] = "p".into();
    done(&memory, "POST", "policies", &fits);
    for (mut policy, message) in misfits() {
        policy["id"] = "p".into();
        refused(&call(&memory, "POST", "policies", &policy), 400, message);
        refused(&call(&memory, "PUT", "policies/p", &policy), 400, message);
    }
}

#[test]
fn valid_empty_or_unknown_api_rights_are_stored() {
    let memory = gateway();
    let empty = json!({ "allowed_urls": [], "mcp_access_rights": { "tools": { "allowed": [] } } });
    let http = json!({ "allowed_urls": [{ "url": "/x", "methods": ["GET"] }] });
    let mcp = json!({ "mcp_access_rights": { "tools": { "blocked": ["t"] } } });
    for session in [
        rights("a", &empty),
        rights("tools", &empty),
        rights("a", &http),
        rights("tools", &mcp),
        rights("unknown", &http),
        rights("unknown", &mcp),
    ] {
        key(&memory, &session);
    }
}

/// Returns the warnings about what a key or a policy names but does not exist.
fn warned(memory: &Memory, method: &str, path: &str, body: &Value) -> Vec<String> {
    let answer = done(memory, method, path, body);
    let issues = answer["issues"].as_array().into_iter().flatten();
    let conflicts = issues.filter(|issue| issue["code"] == "conflict");
    let pointer = |issue: &Value| issue["pointer"].as_str().unwrap().to_owned();
    conflicts.map(pointer).collect()
}

/// Fault G12: a key for a version that does not exist was stored without a warning, and had access to nothing.
#[test]
fn unknown_api_versions_are_reported() {
    let memory = gateway();
    let versions = json!({ "one": { "name": "v1" }, "v2": {} });
    let own = json!({ "version_data": { "versions": versions } });
    add_api(&memory, "versioned", &own);
    let any = json!({ "version_data": { "not_versioned": true, "versions": versions } });
    add_api(&memory, "any", &any);
    let base =
        json!({ "definition": { "enabled": true, "name": "v1", "versions": { "v2": "child" } } });
    add_api(&memory, "base", &base);
    add_api(&memory, "child", &json!({}));
    let wanted = json!({ "versions": ["v1", "v2", "v3"] });
    let named = ["versioned", "any", "base", "child"];
    let rights: serde_json::Map<_, _> = named
        .iter()
        .map(|api| ((*api).to_owned(), wanted.clone()))
        .collect();
    let body = json!({ "id": "p", "access_rights": rights });
    for (method, path) in [
        ("POST", "keys"),
        ("POST", "keys/own-id"),
        ("PUT", "keys/own-id"),
        ("POST", "keys/create"),
        ("POST", "policies"),
        ("PUT", "policies/p"),
    ] {
        assert_eq!(
            warned(&memory, method, path, &body),
            ["/access_rights/versioned/versions/2"],
            "{method} {path}"
        );
    }
    assert!(
        warned(
            &memory,
            "POST",
            "keys",
            &json!({ "access_rights": { "versioned": {} } })
        )
        .is_empty()
    );
}

/// Fault H6: a right at an API that is not stored was accepted without a warning, and granted nothing. Invalid ids are
/// reported already.
#[test]
fn unknown_apis_are_reported_with_suggestions() {
    let memory = gateway();
    add_api(&memory, "inventory", &json!({}));
    let body = json!({ "id": "p", "access_rights": { "inventory": {}, "inventry": {}, "no~such": {}, "a/b": {} } });
    for (method, path) in [
        ("POST", "keys"),
        ("POST", "keys/own-id"),
        ("PUT", "keys/own-id"),
        ("POST", "policies"),
        ("PUT", "policies/p"),
    ] {
        let answer = done(&memory, method, path, &body);
        let issues = answer["issues"].as_array().unwrap().iter();
        let said: Vec<_> = issues
            .filter(|issue| issue["code"] == "conflict")
            .map(|issue| {
                (
                    issue["pointer"].as_str().unwrap(),
                    issue["message"].as_str().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            said,
            [
                (
                    "/access_rights/inventry",
                    r#"no stored API has the id "inventry"; did you mean "inventory"?"#
                ),
                (
                    "/access_rights/no~0such",
                    r#"no stored API has the id "no~such", so this right opens nothing until one has"#
                ),
            ],
            "{method} {path}"
        );
    }
}

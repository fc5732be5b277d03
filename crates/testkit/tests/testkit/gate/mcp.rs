//! Keys at MCP proxies: how their access rights and rates apply to messages (reference 6.4).

use super::{api, get, header, key, publish, put, visit};
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use gatewright_testkit::traffic::Visit;
use serde_json::{Value, json};

fn gateway() -> Memory {
    let memory = Memory::default();
    let names =
        json!({ "tools": [{ "name": "open", "open": true }, { "name": "off", "block": true }] });
    let mcp = json!({ "application_protocol": "mcp", "openapi": { "mcp": names } });
    let bare = json!({ "application_protocol": "mcp" });
    publish(&memory, &[api("m", &mcp), api("b", &bare)]);
    memory
}

/// Returns the response to a message, if it is not forwarded: the status, the code and the text of the error.
fn refused(
    memory: &Memory,
    token: &str,
    target: &str,
    message: &str,
) -> Option<(u16, i64, String)> {
    let sent = [
        ("content-type", "application/json"),
        ("authorization", token),
    ];
    let headers = if token.is_empty() {
        &sent[..1]
    } else {
        &sent[..]
    };
    let asked = Visit {
        method: "POST",
        target,
        headers,
        body: message,
    };
    let refused = visit(memory, asked).err()?;
    let body: Value = serde_json::from_str(&refused.body).unwrap();
    let error = &body["error"];
    assert_eq!(body["id"], json!(1), "{body}");
    let status = error["data"]["http_code"].as_u64().unwrap();
    assert_eq!(status, u64::from(refused.failure.status()), "{body}");
    let text = error["message"].as_str().unwrap().to_owned();
    Some((
        refused.failure.status(),
        error["code"].as_i64().unwrap(),
        text,
    ))
}

fn message(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
}

fn call(name: &str) -> String {
    message("tools/call", &json!({ "name": name }))
}

#[test]
fn a_header_with_a_name_is_compared_where_the_message_has_one() {
    let memory = Memory::default();
    let open = json!({ "application_protocol": "mcp", "use_keyless": true });
    publish(&memory, &[api("m", &open)]);
    let refusal = |name: &str, message: String| {
        let asked = Visit {
            method: "POST",
            target: "/m/",
            headers: &[("content-type", "application/json"), ("mcp-name", name)],
            body: &message,
        };
        visit(&memory, asked).err().map(|refused| refused.failure)
    };
    for method in ["tools/list", "ping", "resources/subscribe"] {
        assert_eq!(refusal("x", message(method, &json!({}))), None, "{method}");
    }
    let unsubscribe = message("resources/unsubscribe", &json!({ "uri": "y" }));
    assert_eq!(refusal("x", unsubscribe), Some(Failure::RpcHeaders));
    assert_eq!(refusal("x", call("y")), Some(Failure::RpcHeaders));
    assert_eq!(refusal("y", call("y")), None);
}

#[test]
fn rights_of_a_key_are_asked_before_the_lists_of_the_proxy() {
    let memory = gateway();
    let rights = json!({ "access_rights": { "m": {
        "json_rpc_methods_access_rights": { "blocked": ["prompts/.*"] },
        "mcp_access_rights": { "tools": { "allowed": ["get_.*", "off"] } },
    } } });
    let (token, hash) = key(&memory, &rights);
    let refusal = |message: &str| refused(&memory, &token, "/m/", message);
    let unavailable = |text: &str| Some((403, -32_002, text.to_owned()));
    assert_eq!(refusal(&call("get_x")), None);
    assert_eq!(
        refusal(&call("set")),
        unavailable("tool 'set' is not available")
    );
    assert_eq!(
        refusal(&call("off")),
        unavailable("Requested endpoint is forbidden")
    );
    let prompts = message("prompts/list", &json!({}));
    assert_eq!(
        refusal(&prompts),
        unavailable("method 'prompts/list' is not available")
    );
    // Access rights that are withdrawn between a list and a call apply to the call.
    let less = json!({ "access_rights": { "m": { "mcp_access_rights": { "tools": { "blocked": ["get_x"] } } } } });
    put(&memory, &hash, "", &less);
    assert_eq!(
        refusal(&call("get_x")),
        unavailable("tool 'get_x' is not available")
    );
    assert_eq!(refusal(&call("set")), None);
}

#[test]
fn rights_of_a_key_apply_to_whatever_a_message_refers_to() {
    let memory = gateway();
    let blocked = json!({ "prompts": { "blocked": ["secret"] }, "resources": { "blocked": ["file:///secret"] } });
    let rights = json!({ "access_rights": { "b": {
        "json_rpc_methods_access_rights": { "blocked": ["tools/call"] },
        "mcp_access_rights": blocked,
    } } });
    let (token, _) = key(&memory, &rights);
    let refusal = |message: &str| refused(&memory, &token, "/b/", message);
    let completed = |reference: &Value| {
        refusal(&message(
            "completion/complete",
            &json!({ "ref": reference }),
        ))
    };
    let unavailable = |text: &str| Some((403, -32_002, text.to_owned()));
    assert_eq!(
        completed(&json!({ "type": "ref/prompt", "name": "secret" })),
        unavailable("prompt 'secret' is not available")
    );
    assert_eq!(
        completed(&json!({ "type": "ref/prompt", "name": "open" })),
        None
    );
    assert_eq!(
        completed(&json!({ "type": "ref/resource", "uri": "FILE:/secret" })),
        unavailable("resource 'FILE:/secret' is not available")
    );
    let listened = json!({ "notifications": { "resourceSubscriptions": ["file:///secret"] } });
    assert_eq!(
        refusal(&message("subscriptions/listen", &listened)),
        unavailable("resource 'file:///secret' is not available")
    );
    // What a client answers to the server has no method that a key could lack.
    assert_eq!(refusal(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), None);
}

#[test]
fn what_is_not_read_is_read_for_a_key_with_rules() {
    let memory = gateway();
    let post = |token: &str, body: &str| {
        let headers = [("content-type", "text/plain"), ("authorization", token)];
        let asked = Visit {
            method: "POST",
            target: "/b/",
            headers: &headers,
            body,
        };
        visit(&memory, asked).err().map(|refused| refused.failure)
    };
    let (free, _) = key(&memory, &json!({ "access_rights": { "b": {} } }));
    assert_eq!(post(&free, "anything"), None);
    let blocked = json!({ "mcp_access_rights": { "tools": { "blocked": ["t"] } } });
    let (ruled, _) = key(&memory, &json!({ "access_rights": { "b": blocked } }));
    assert_eq!(post(&ruled, "anything"), Some(Failure::RpcParse));
    assert_eq!(post(&ruled, &call("t")), Some(Failure::ResourceDisallowed));
    assert_eq!(post(&ruled, &call("u")), None);
    let put = |token: &str| {
        let asked = Visit {
            method: "PUT",
            target: "/b/",
            headers: &[("authorization", token)],
            body: &call("t"),
        };
        visit(&memory, asked).err().map(|refused| refused.failure)
    };
    assert_eq!(put(&free), None);
    assert_eq!(put(&ruled), Some(Failure::MethodNotAllowed));
    // Its rates count, too.
    let rate = json!({ "type": "tool", "name": "t", "limit": { "rate": 1, "per": 3600 } });
    let rates = json!({ "access_rights": { "b": { "mcp_primitives": [rate] } } });
    let (limited, _) = key(&memory, &rates);
    let calls = [post(&limited, &call("t")), post(&limited, &call("t"))];
    assert_eq!(calls, [None, Some(Failure::RateLimit)]);
    assert_eq!(post(&limited, &call("u")), None);
}

#[test]
fn rates_of_methods_and_primitives_replace_the_rate_of_the_key() {
    let memory = gateway();
    let rate = |rate: i64| json!({ "rate": rate, "per": 3600 });
    let rights = json!({ "rate": 1, "per": 3600, "access_rights": { "b": {
        "json_rpc_methods": [{ "name": "tools/call", "limit": rate(3) }],
        "mcp_primitives": [{ "type": "tool", "name": "t", "limit": rate(2) }],
    } } });
    let (token, _) = key(&memory, &rights);
    let refusal = |message: &str| refused(&memory, &token, "/b/", message);
    let limited = Some((429, -32_003, "Rate Limit Exceeded".to_owned()));
    assert_eq!(
        [
            refusal(&call("t")),
            refusal(&call("t")),
            refusal(&call("t"))
        ],
        [None, None, limited.clone()]
    );
    assert_eq!(
        [refusal(&call("u")), refusal(&call("u"))],
        [None, limited.clone()]
    );
    let ping = message("ping", &json!({}));
    assert_eq!([refusal(&ping), refusal(&ping)], [None, limited]);
}

#[test]
fn a_list_that_has_to_be_filtered_does_not_come_from_another_chain() {
    let memory = Memory::default();
    let blocks = json!({ "tools": [{ "name": "off", "block": true }] });
    let proxy =
        json!({ "listen_path": "/l/", "target_url": "gateway://open/", "strip_listen_path": true });
    let looping = json!({ "use_keyless": true, "application_protocol": "mcp", "openapi": { "mcp": blocks }, "proxy": proxy });
    publish(
        &memory,
        &[
            api("l", &looping),
            api("open", &json!({ "use_keyless": true })),
        ],
    );
    let list = refused(&memory, "", "/l/", &message("tools/list", &json!({})));
    assert_eq!(
        list,
        Some((500, -32_603, "Couldn't detect target".to_owned()))
    );
    assert_eq!(refused(&memory, "", "/l/", &call("on")), None);
}

#[test]
fn a_missing_credential_is_an_error_that_says_where_to_get_one() {
    let memory = gateway();
    let missing = Some((401, -32_001, "Authorization field missing".to_owned()));
    assert_eq!(refused(&memory, "", "/m/", &call("get")), missing);
    assert_eq!(
        refused(&memory, "", "/m/", &call("open")),
        None,
        "it is open to everybody"
    );
    let stream = get(&memory, "", "/m/").err().unwrap();
    assert_eq!(stream.failure, Failure::CredentialMissing);
    let challenge = header(&stream.headers, "www-authenticate").unwrap();
    assert!(
        challenge.ends_with("/m/.well-known/oauth-protected-resource\""),
        "{challenge}"
    );
    let (other, _) = key(&memory, &json!({ "access_rights": { "b": {} } }));
    let foreign = get(&memory, &other, "/m/").err().unwrap();
    assert_eq!(foreign.failure, Failure::ApiDisallowed);
    assert_eq!(header(&foreign.headers, "www-authenticate"), None);
}

#[test]
fn a_message_without_a_version_is_answered_as_a_message() {
    let memory = Memory::default();
    let chooser = json!({ "enabled": true, "name": "one", "location": "header", "key": "v", "versions": { "two": "b" } });
    let open = json!({ "application_protocol": "mcp", "use_keyless": true, "definition": chooser });
    let child = json!({ "application_protocol": "mcp", "use_keyless": true });
    publish(&memory, &[api("m", &open), api("b", &child)]);
    let sent = |method: &str, version: &str, body: &str| {
        let headers = [("content-type", "application/json"), ("v", version)];
        let asked = Visit {
            method,
            target: "/m/",
            headers: if version.is_empty() {
                &headers[..1]
            } else {
                &headers
            },
            body,
        };
        let refused = visit(&memory, asked).err()?;
        Some((
            refused.failure,
            serde_json::from_str(&refused.body).unwrap(),
        ))
    };
    let ping = message("ping", &json!({}));
    let error = |code: i64, text: &str, status: u16| json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": code, "message": text, "data": { "http_code": status } } });
    assert_eq!(sent("POST", "one", &ping), None);
    assert_eq!(sent("POST", "two", &ping), None);
    let unknown = "This API version does not seem to exist";
    assert_eq!(
        sent("POST", "nine", &ping),
        Some((Failure::VersionUnknown, error(-32_601, unknown, 404)))
    );
    let missing = error(-32_002, "Version information not found", 403);
    assert_eq!(
        sent("POST", "", &ping),
        Some((Failure::VersionMissing, missing))
    );
    // What is no message is refused as such before a version is looked for.
    let (failure, _) = sent("POST", "nine", "{broken").unwrap();
    assert_eq!(failure, Failure::RpcParse);
    assert_eq!(
        sent("GET", "nine", ""),
        Some((Failure::VersionUnknown, json!({ "error": unknown })))
    );
}

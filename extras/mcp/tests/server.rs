//! The gateway as the server of tools that are operations of an API.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use gatewright_extra_mcp::call;
use serde_json::{Value, json};

const ABOUT: &str = r#"{"server":{"name":"T","version":"1"},"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b"}]}"#;

/// Returns the response to a message: status and body.
fn answered(settings: &str, facts: &Value, message: &str) -> (u64, Value) {
    let answer = call("asked", settings, &facts.to_string(), message.as_bytes());
    assert_eq!(answer.len(), 1, "{answer:?}");
    let report: Value = serde_json::from_str(&answer[0]).unwrap();
    let status = report["answer"]["status"].as_u64().unwrap();
    let body = report["answer"]["body"].as_str().unwrap();
    (status, serde_json::from_str(body).unwrap_or_default())
}

fn legacy(method: &str, params: &Value) -> (u64, Value) {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    answered(ABOUT, &json!({ "headers": {} }), &message.to_string())
}

/// Returns a message of the revision without sessions, with its headers and `_meta` modified by `change`.
fn modern(
    method: &str,
    name: Option<&str>,
    change: impl FnOnce(&mut Value, &mut Value),
) -> (u64, Value) {
    let mut headers = json!({ "version": "2026-07-28", "method": method, "name": name });
    let mut meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {} });
    change(&mut headers, &mut meta);
    let message = json!({ "jsonrpc": "2.0", "id": "x", "method": method, "params": { "name": name, "_meta": meta } });
    answered(ABOUT, &json!({ "headers": headers }), &message.to_string())
}

#[test]
fn a_session_begins_and_goes_on_without_one() {
    let (status, body) = legacy("initialize", &json!({ "protocolVersion": "2025-06-18" }));
    assert_eq!(status, 200);
    assert_eq!(
        body["result"],
        json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} }, "serverInfo": { "name": "T", "version": "1" } })
    );
    let (_, body) = legacy("initialize", &json!({ "protocolVersion": "1999-01-01" }));
    assert_eq!(body["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(
        legacy("ping", &Value::Null),
        (200, json!({ "jsonrpc": "2.0", "id": 1, "result": {} }))
    );
    let (_, body) = legacy("tools/list", &json!({}));
    assert_eq!(
        body["result"],
        json!({ "tools": [{ "name": "a", "inputSchema": { "type": "object" } }, { "name": "b" }] })
    );
    for (method, params, code) in [
        ("tools/list", json!({ "cursor": "2" }), -32_602),
        ("tools/call", json!({ "name": "c" }), -32_602),
        ("resources/list", json!({}), -32_601),
        ("server/discover", json!({}), -32_601),
    ] {
        let (status, body) = legacy(method, &params);
        assert_eq!(
            (status, &body["error"]["code"]),
            (200, &json!(code)),
            "{method}"
        );
    }
    let notified = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(answered(ABOUT, &json!({}), notified), (202, Value::Null));
    for message in [
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#,
    ] {
        let (status, body) = answered(ABOUT, &json!({}), message);
        assert_eq!((status, &body["error"]["code"]), (400, &json!(-32_600)));
    }
}

#[test]
fn sessionless_message_is_self_contained() {
    let (status, body) = modern("server/discover", None, |_, _| {});
    assert_eq!(status, 200);
    assert_eq!(body["result"]["resultType"], "complete");
    assert_eq!(body["result"]["supportedVersions"][0], "2026-07-28");
    let (_, body) = modern("tools/list", None, |_, _| {});
    assert_eq!(body["result"]["cacheScope"], "public");
    assert_eq!(body["result"]["ttlMs"], 0);
    let remove = |name: &'static str| {
        move |headers: &mut Value, _: &mut Value| {
            headers.as_object_mut().unwrap().remove(name);
        }
    };
    let (status, body) = modern("tools/list", None, remove("method"));
    assert_eq!((status, &body["error"]["code"]), (400, &json!(-32_020)));
    let (status, body) = modern("tools/call", Some("a"), remove("name"));
    assert_eq!((status, &body["error"]["code"]), (400, &json!(-32_020)));
    let (status, body) = modern("tools/list", None, remove("version"));
    assert_eq!((status, &body["error"]["code"]), (400, &json!(-32_020)));
    let (status, body) = modern("tools/list", None, |headers, meta| {
        headers["version"] = "2030-01-01".into();
        meta["io.modelcontextprotocol/protocolVersion"] = "2030-01-01".into();
    });
    assert_eq!((status, &body["error"]["code"]), (400, &json!(-32_022)));
    assert_eq!(body["error"]["data"]["requested"], "2030-01-01");
    let (status, body) = modern("tools/list", None, |_, meta| {
        meta.as_object_mut()
            .unwrap()
            .remove("io.modelcontextprotocol/clientCapabilities");
    });
    assert_eq!((status, &body["error"]["code"]), (400, &json!(-32_602)));
    let (status, body) = modern("tools/list", None, |_, meta| *meta = json!({}));
    assert_eq!((status, &body["error"]["code"]), (400, &json!(-32_602)));
    for method in ["initialize", "ping", "prompts/list"] {
        let (status, body) = modern(method, None, |_, _| {});
        assert_eq!(
            (status, &body["error"]["code"]),
            (404, &json!(-32_601)),
            "{method}"
        );
    }
}

#[test]
fn forbidden_tools_are_not_revealed() {
    let message = |method: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
    let facts =
        |filter: Value, lists: Value| json!({ "headers": {}, "filter": filter, "lists": lists });
    let filter =
        json!({ "list": "tools/list", "rights": { "allowed": ["a|b"], "blocked": ["b"] } });
    let (_, body) = answered(ABOUT, &facts(filter, json!({})), &message("tools/list"));
    assert_eq!(body["result"]["tools"].as_array().map(Vec::len), Some(1));
    let lists = json!({ "openapi": { "mcp": { "tools": [{ "name": "b", "allow": true }] } } });
    let filter = json!({ "list": "tools/list", "rights": null });
    let (_, body) = answered(ABOUT, &facts(filter, lists), &message("tools/list"));
    assert_eq!(body["result"]["tools"], json!([{ "name": "b" }]));
    let (_, body) = answered(
        ABOUT,
        &facts(json!({ "lost": ["tools"] }), json!({})),
        &message("initialize"),
    );
    assert_eq!(body["result"]["capabilities"], json!({}));
}

/// Returns the request for a call: the report about it, and its body.
fn requested(settings: &Value, arguments: &Value) -> Result<(Value, String), String> {
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": "t", "arguments": arguments } });
    let facts = json!({ "headers": {} }).to_string();
    let answer = call(
        "asked",
        &settings.to_string(),
        &facts,
        message.to_string().as_bytes(),
    );
    let report: Value = serde_json::from_str(&answer[0]).unwrap();
    match answer.len() {
        3 => {
            assert_eq!(answer[2], r#"{"id":"7","modern":false}"#);
            Ok((report["request"].clone(), answer[1].clone()))
        }
        _ => {
            let body: Value =
                serde_json::from_str(report["answer"]["body"].as_str().unwrap()).unwrap();
            assert!(
                body["result"]["isError"] == true || body["error"]["code"] == -32_602,
                "{body}"
            );
            Err(body["result"]["content"][0]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned())
        }
    }
}

fn tool(path: &str, arguments: &Value) -> Value {
    json!({ "method": "GET", "path": path, "arguments": arguments })
}

fn argument(location: &str, name: &str, style: &str, explode: bool) -> Value {
    json!({ "name": name, "source": name, "in": location, "style": style, "explode": explode })
}

#[test]
fn arguments_go_to_their_parameter_locations() {
    let list = json!(["a b", "c/d"]);
    let object = json!({ "k": "v&", "n": 1.50 });
    for (style, explode, value, expected) in [
        ("form", true, json!("ü&"), "q=%C3%BC%26"),
        ("form", true, list.clone(), "q=a%20b&q=c%2Fd"),
        ("form", false, list.clone(), "q=a%20b,c%2Fd"),
        ("spaceDelimited", false, list.clone(), "q=a%20b%20c%2Fd"),
        ("pipeDelimited", false, list.clone(), "q=a%20b%7Cc%2Fd"),
        ("form", true, object.clone(), "k=v%26&n=1.5"),
        ("form", false, object.clone(), "q=k,v%26,n,1.5"),
        (
            "deepObject",
            true,
            object.clone(),
            "q%5Bk%5D=v%26&q%5Bn%5D=1.5",
        ),
        (
            "json",
            false,
            list.clone(),
            "q=%5B%22a%20b%22%2C%22c%2Fd%22%5D",
        ),
        ("form", true, json!(true), "q=true"),
    ] {
        let settings = tool("/x", &json!([argument("query", "q", style, explode)]));
        let (request, _) = requested(&settings, &json!({ "q": value })).unwrap();
        assert_eq!(request["query"], expected, "{style} {explode}");
    }
    for (style, explode, value, expected) in [
        ("simple", false, json!("a/b?c#d"), "/x/a%2Fb%3Fc%23d/y"),
        ("simple", false, list.clone(), "/x/a%20b,c%2Fd/y"),
        ("label", true, list.clone(), "/x/.a%20b.c%2Fd/y"),
        ("matrix", false, json!(5), "/x/;p=5/y"),
        ("matrix", true, list.clone(), "/x/;p=a%20b;p=c%2Fd/y"),
        ("simple", true, object.clone(), "/x/k=v%26,n=1.5/y"),
        ("simple", false, json!("..%2e"), "/x/..%252e/y"),
        ("simple", false, json!("{p}"), "/x/%7Bp%7D/y"),
    ] {
        let settings = tool("/x/{p}/y", &json!([argument("path", "p", style, explode)]));
        let (request, _) = requested(&settings, &json!({ "p": value })).unwrap();
        assert_eq!(request["path"], expected, "{style} {explode}");
    }
    let settings = tool(
        "/x",
        &json!([
            argument("header", "X-A", "simple", false),
            argument("cookie", "c", "form", true)
        ]),
    );
    let (request, body) = requested(&settings, &json!({ "X-A": ["1", 2], "c": "a;b" })).unwrap();
    assert_eq!(request["headers"]["x-a"], "1,2");
    assert_eq!(request["headers"]["cookie"], "c=a%3Bb");
    assert_eq!(request["headers"]["mcp-session-id"], Value::Null);
    assert_eq!(body, "");
}

#[test]
fn body_is_built_from_members_or_given_directly() {
    let members = json!([
        argument("body", "a", "simple", false),
        argument("body", "b", "simple", false)
    ]);
    let with = |media: &str, arguments: &Value| json!({ "method": "POST", "path": "/x", "arguments": arguments, "media": media });
    let json = with("application/json", &members);
    let (request, body) = requested(
        &json,
        &json!({ "b": null, "a": [1.0, 9_007_199_254_740_993_i64] }),
    )
    .unwrap();
    assert_eq!(body, r#"{"a":[1.0,9007199254740993],"b":null}"#);
    assert_eq!(request["headers"]["content-type"], "application/json");
    assert_eq!(requested(&json, &json!({})).unwrap().1, "{}");
    let form = with("application/x-www-form-urlencoded", &members);
    assert_eq!(
        requested(&form, &json!({ "a": ["x y", 1], "b": "&" }))
            .unwrap()
            .1,
        "a=x%20y&a=1&b=%26"
    );
    let entire = json!([{ "name": "body", "source": "", "in": "body" }]);
    let entire = with("application/json", &entire);
    assert_eq!(
        requested(&entire, &json!({ "body": [1] })).unwrap().1,
        "[1]"
    );
    let (request, body) = requested(&entire, &json!({})).unwrap();
    assert_eq!(
        (body.as_str(), &request["headers"]["content-type"]),
        ("", &Value::Null)
    );
}

#[test]
fn no_argument_escapes_its_location() {
    let path = tool(
        "/x/{p}/y",
        &json!([{ "name": "p", "source": "p", "in": "path", "required": true }]),
    );
    let elsewhere = "an argument of the path leads to another path";
    for (arguments, why) in [
        (json!({ "p": ".." }), elsewhere),
        (json!({ "p": "." }), elsewhere),
        (json!({ "p": "../../secret" }), elsewhere),
        (json!({ "p": "a/../b" }), elsewhere),
        (json!({ "p": "a//b" }), elsewhere),
        (json!({ "p": "/b" }), elsewhere),
        (json!({ "p": "..\\..\\b" }), elsewhere),
        (json!({ "p": "..;/b" }), elsewhere),
        (json!({ "p": "%2e%2e/b" }), elsewhere),
        (json!({ "p": "%252e%252e%252fb" }), elsewhere),
        (json!({ "p": ".\t./b" }), elsewhere),
        (json!({ "p": "" }), "argument p is empty"),
        (json!({ "p": [] }), "argument p is empty"),
        (json!({}), "missing required argument: p"),
        (json!({ "p": null }), "missing required argument: p"),
        (json!({ "p": "a", "q": 1 }), "unknown argument: q"),
        (json!([]), ""),
    ] {
        assert_eq!(
            requested(&path, &arguments),
            Err(why.to_owned()),
            "{arguments}"
        );
    }
    let (request, _) = requested(&path, &json!({ "p": "a/b;c?d..e" })).unwrap();
    assert_eq!(request["path"], "/x/a%2Fb%3Bc%3Fd..e/y");
    let two = tool(
        "/x/{a}{b}",
        &json!([
            argument("path", "a", "simple", false),
            argument("path", "b", "simple", false)
        ]),
    );
    assert!(requested(&two, &json!({ "a": ".", "b": "." })).is_err());
    for (name, value) in [
        ("X-A", "a\r\nX-B: 1"),
        ("X-A", "ü"),
        ("Host", "other"),
        ("X A", "a"),
        ("Content-Length", "5"),
    ] {
        let header = tool("/x", &json!([argument("header", name, "simple", false)]));
        assert!(
            requested(&header, &json!({ name: value })).is_err(),
            "{name}"
        );
    }
}

#[test]
fn last_duplicate_member_wins() {
    let settings = tool("/x", &json!([argument("query", "q", "form", true)])).to_string();
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"q":"a"}},
        "params":{"name":"t","arguments":{"q":"b","q":"c"}}}"#;
    let answer = call("asked", &settings, r#"{"headers":{}}"#, message.as_bytes());
    assert!(answer[0].contains("\"query\":\"q=c\""), "{answer:?}");
}

/// Returns the result for a response of the API.
fn result(status: u16, media: &str, body: &[u8], modern: bool, settings: &str) -> Value {
    let context = json!({ "id": "\"i\"", "modern": modern });
    result_with(status, media, body, &context, settings)
}

/// The same, with the given context of the call.
fn result_with(status: u16, media: &str, body: &[u8], context: &Value, settings: &str) -> Value {
    let head = json!({ "status": status, "headers": { "content-type": [media] } });
    let facts = format!("{head}\n{context}");
    let answer = call("result", settings, &facts, body);
    let message: Value = serde_json::from_str(&answer[1]).unwrap();
    assert_eq!(message["id"], "i");
    message["result"].clone()
}

#[test]
fn an_answer_of_the_api_is_a_result() {
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    assert_eq!(
        result(
            200,
            "application/json; charset=utf-8",
            br#"{"a":1.0}"#,
            true,
            ""
        ),
        json!({ "resultType": "complete", "content": text("{\"a\":1.0}"), "structuredContent": { "a": 1.0 }, "isError": false })
    );
    assert_eq!(
        result(200, "application/json", b"[1]", false, ""),
        json!({ "content": text("[1]"), "isError": false })
    );
    assert_eq!(
        result(404, "application/json", br#"{"error":"no"}"#, false, ""),
        json!({ "content": text("{\"error\":\"no\"}"), "isError": true })
    );
    assert_eq!(
        result(503, "text/plain", b"", false, ""),
        json!({ "content": text("HTTP 503"), "isError": true })
    );
    assert_eq!(
        result(200, "application/json", br#"{"a":"#, false, "cut"),
        json!({ "content": text("{\"a\":"), "isError": false })
    );
    assert_eq!(
        result(200, "image/png", b"\x89PNG", false, ""),
        json!({ "content": [{ "type": "image", "data": "iVBORw==", "mimeType": "image/png" }], "isError": false })
    );
}

#[test]
fn output_schema_is_passed_on_with_the_call() {
    let mut settings = tool("/x", &json!([]));
    settings["output"] = json!({ "type": "object" });
    let message =
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}"#.as_bytes();
    let answer = call("asked", &settings.to_string(), "{}", message);
    assert_eq!(
        answer[2],
        r#"{"id":"7","modern":false,"output":{"type":"object"}}"#
    );
}

#[test]
fn response_violating_the_output_schema_is_an_error() {
    let pet = json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "integer" },
        "kind": { "anyOf": [{ "type": "string", "enum": ["cat", "dog"] }, { "type": "null" }] },
        "young": { "type": "array", "items": { "$ref": "#/$defs/Pet" } }, "one": { "const": 1 },
        "more": { "type": "object", "properties": { "n": {} }, "additionalProperties": { "type": ["string", "null"] } } } });
    let mut schema = pet.clone();
    schema["$defs"] = json!({ "Pet": pet, "Loop": { "allOf": [{ "$ref": "#/$defs/Loop" }] },
        "Wide": { "anyOf": [{ "$ref": "#/$defs/Wide" }, { "$ref": "#/$defs/Wide" }] } });
    schema["properties"]["loop"] = json!({ "$ref": "#/$defs/Loop" });
    schema["properties"]["wide"] = json!({ "$ref": "#/$defs/Wide" });
    let context = json!({ "id": "\"i\"", "modern": false, "output": schema });
    let answered = |status, media, body: &Value, settings| {
        result_with(
            status,
            media,
            body.to_string().as_bytes(),
            &context,
            settings,
        )
    };
    let json = "application/json";
    for body in [
        json!({ "id": 1 }),
        json!({ "id": 1.0, "other": [], "kind": null, "one": 1.0 }),
        json!({ "id": -2, "kind": "dog", "young": [{ "id": 3, "young": [] }], "more": { "n": 5, "a": null } }),
    ] {
        let result = answered(200, json, &body, "");
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(result["structuredContent"], body);
    }
    for (body, why) in [
        (json!({}), "the member id is missing"),
        (json!({ "id": "1" }), "/id: it is a string, not integer"),
        (json!({ "id": 1.5 }), "/id: it is a number, not integer"),
        (
            json!({ "id": 1, "kind": "cow" }),
            "/kind: it fits none of the alternatives",
        ),
        (
            json!({ "id": 1, "young": [{ "id": 2 }, {}] }),
            "/young/1: the member id is missing",
        ),
        (
            json!({ "id": 1, "more": { "a/b": 5 } }),
            "/more/a~1b: it is a number, not string or null",
        ),
        (json!({ "id": 1, "one": 2 }), "/one: it is another value"),
        (
            json!({ "id": 1, "loop": 2 }),
            "/loop: it takes too many steps to say whether this fits",
        ),
        (
            json!({ "id": 1, "wide": 2 }),
            "/wide: it fits none of the alternatives",
        ),
        (json!([]), "it is no JSON object"),
    ] {
        let result = answered(201, json, &body, "");
        let context = format!(
            "The API has answered with status 201, but not as the outputSchema of the tool says: {why}"
        );
        assert_eq!(result["content"][0]["text"], body.to_string());
        assert_eq!(result["content"][1]["text"], context);
        assert_eq!(
            (&result["isError"], &result["structuredContent"]),
            (&json!(true), &Value::Null)
        );
    }
    for (status, media, settings) in [(200, "text/plain", ""), (304, json, ""), (200, json, "cut")]
    {
        let body = if status == 304 {
            json!("")
        } else {
            json!({ "id": 1 })
        };
        let result = answered(status, media, &body, settings);
        assert_eq!(result["isError"], true, "{status} {media} {settings}");
    }
    // An error of the API is returned as usual.
    let result = answered(404, json, &json!({ "error": "no" }), "");
    assert_eq!(result["content"].as_array().map(Vec::len), Some(1));
    let twice = br#"{"id":1,"id":"x"}"#;
    assert_eq!(
        result_with(200, json, twice, &context, "")["isError"],
        true,
        "the last one counts"
    );
}

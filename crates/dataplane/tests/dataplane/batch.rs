//! Batches over an in-memory dispatcher: order, limits, isolation.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use futures_util::FutureExt;
use gatewright_dataplane::batch::{Base, Scope, run};
use gatewright_dataplane::config::BatchLimits;
use gatewright_dataplane::driver::{Routed, route};
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::Memory;
use gatewright_testkit::traffic::Visit;
use serde_json::{Value, json};
use std::rc::Rc;

/// A definition whose upstream answers with as many bytes as requested.
fn definition(id: &str, path: &str, more: &Value) -> Value {
    let mut definition = json!({
        "name": id, "api_id": id, "use_keyless": true, "enable_batch_request_support": true,
        "proxy": { "listen_path": path, "target_url": format!("http://{id}"), "strip_listen_path": true },
    });
    for (name, member) in more.as_object().unwrap() {
        definition[name.as_str()] = member.clone();
    }
    definition
}

fn admin(memory: &Memory, method: &str, path: &str, body: &Value) -> Value {
    let target = format!("/gateway/{path}");
    let body = body.to_string();
    let answer = memory.send(method, &target, &body).now_or_never().unwrap();
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

fn gateway(of_a: &Value) -> Memory {
    let memory = Memory::default();
    load(&memory, of_a);
    memory
}

/// Publishes three APIs, the first with these members as well.
fn load(memory: &Memory, of_a: &Value) {
    let none = json!({});
    for (id, path, more) in [
        ("a", "/a/", of_a),
        ("nested", "/a/nested/", &none),
        ("b", "/b/", &none),
    ] {
        admin(memory, "POST", "apis", &definition(id, path, more));
    }
    admin(memory, "GET", "reload?block=true", &json!({}));
}

/// Sends a batch to `/a/`.
fn sent(memory: &Memory, limits: &BatchLimits, body: &str) -> Response {
    let snapshot = memory.snapshot().unwrap();
    let isolate = memory.isolate();
    let api = Rc::clone(snapshot.router.get("a").unwrap());
    let scope = Scope {
        snapshot: &snapshot,
        isolate: &isolate,
        api: &api,
        base: &Base::listening(&api),
        scheme: "http",
        authority: "h",
        connection_address: "192.0.2.7".into(),
        client_address: "192.0.2.7".into(),
    };
    let ran = run(&scope, limits, body.as_bytes(), memory);
    ran.now_or_never().unwrap()
}

fn batch_with(limits: &BatchLimits, body: &str) -> (Response, Vec<String>) {
    let memory = gateway(&json!({}));
    let response = sent(&memory, limits, body);
    let calls = memory.upstream_calls.take();
    (response, calls)
}

fn batch(body: &Value) -> (Response, Vec<String>) {
    batch_with(&BatchLimits::default(), &body.to_string())
}

/// What the upstream received: method, address, body.
fn echo(unit: &Value) -> Value {
    let echo: Value = serde_json::from_str(unit["body"].as_str().unwrap()).unwrap();
    json!([echo["method"], echo["url"], echo["body"]])
}

fn units(response: &Response) -> Vec<Value> {
    assert_eq!(response.status, 200, "{}", response.body);
    serde_json::from_str(&response.body).unwrap()
}

#[test]
fn answers_come_in_request_order_and_failures_keep_their_place() {
    for sequential in [false, true] {
        let (response, _) = batch(&json!({
            "suppress_parallel_execution": sequential,
            "requests": [
                {"relative_url": "one?x=1", "method": "GET"},
                {"relative_url": "down"},
                {"relative_url": "/two", "method": "POST", "body": "text"},
            ],
        }));
        let units = units(&response);
        assert_eq!(echo(&units[0]), json!(["GET", "http://a/one?x=1", ""]));
        let media = json!(["application/json"]);
        assert_eq!(units[0]["headers"]["Content-Type"], media);
        assert_eq!(
            (&units[1]["relative_url"], &units[1]["code"]),
            (&"down".into(), &500.into())
        );
        assert_eq!(units[1]["error"], "Upstream host lookup failed");
        assert_eq!(units[0].get("error"), None);
        assert_eq!(echo(&units[2]), json!(["POST", "http://a/two", "text"]));
    }
}

#[test]
fn one_bad_item_prevents_sending() {
    for bad in [
        "../b/x",
        "%2e%2e/b",
        "http://../../b/x",
        "\\\\b\\x",
        "x\r\n",
        "gateway/batch/",
    ] {
        let (response, sent) =
            batch(&json!({"requests": [{"relative_url": "ok"}, {"relative_url": bad}]}));
        let body: Value = serde_json::from_str(&response.body).unwrap();
        assert_eq!(response.status, 400, "{bad}");
        assert_eq!(
            body["message"],
            "Batch request creation failed , request structure malformed"
        );
        assert_eq!(body["issues"][0]["pointer"], "/requests/1/relative_url");
        assert!(sent.is_empty(), "{bad}");
    }
}

#[test]
fn batch_sent_to_id_resolves_items_below_listen_path() {
    let snapshot = gateway(&json!({})).snapshot().unwrap();
    let routed = route(&snapshot, "h", "/nested/gateway/batch/", "");
    let Routed::Api(found, path) = routed else {
        panic!("{routed:?}");
    };
    assert!(found.by_id);
    let base = Base {
        path: "/a/nested".to_owned(),
        by_id: false,
    };
    assert_eq!(Base::of(&found, &path), base);
}

#[test]
fn foreign_host_is_treated_as_path_of_the_api() {
    let (response, sent) = batch(&json!({"requests": [
        {"relative_url": "//b/x"}, {"relative_url": "http://b/x?y"}, {"relative_url": "items:search"},
    ]}));
    assert_eq!(units(&response)[1]["relative_url"], "http://b/x?y");
    assert_eq!(
        sent,
        [
            "http://a/b/x",
            "http://a/http:/b/x?y",
            "http://a/items:search"
        ]
    );
}

/// Upstreams believe the header in which the operator's proxy tells them who the client is.
#[test]
fn an_item_does_not_claim_another_client_in_the_trusted_header() {
    let rewrites = json!([{ "path": "/", "method": "GET", "match_pattern": ".*",
        "rewrite_to": "/by-$gateway_context.headers_Fly_Client_Ip" }]);
    let versions = json!({ "Default": { "name": "Default", "use_extended_paths": true,
        "extended_paths": { "url_rewrites": rewrites } } });
    let more = json!({ "enable_context_vars": true,
        "version_data": { "not_versioned": true, "versions": versions } });
    let items = json!({ "requests": [{ "headers": { "Fly-Client-IP": "127.0.0.1" } }] });
    for (trusted, url) in [
        (None, "http://a/by-127.0.0.1"),
        (Some("fly-client-ip"), "http://a/by-"),
    ] {
        let mut memory = Memory::default();
        memory.settings.client_ip_header = trusted.map(str::to_owned);
        load(&memory, &more);
        sent(&memory, &BatchLimits::default(), &items.to_string());
        assert_eq!(memory.upstream_calls.take(), [url], "{trusted:?}");
    }
}

#[test]
fn nested_api_keeps_its_paths() {
    // The last two are the nested one for an upstream that drops parameters or decodes twice.
    let items = [
        "nested/x",
        "nestedx",
        "x/..;/nested/x",
        "x/%252e%252e/nested/x",
    ];
    let items = items.map(|item| json!({ "relative_url": item }));
    let (response, sent) = batch(&json!({ "requests": items }));
    let units = units(&response);
    let codes = [0, 1, 2, 3].map(|at| units[at]["code"].as_i64().unwrap());
    assert_eq!(codes, [404, 200, 404, 404]);
    assert_eq!(sent, ["http://a/nestedx"]);
}

#[test]
fn batch_limits_are_enforced() {
    let limits = BatchLimits {
        requests: 2,
        request_bytes: 200,
        response_bytes: 10,
        total_bytes: 15,
        timeout_seconds: 1,
    };
    let (response, sent) = batch_with(&limits, &json!({"requests": [{}, {}, {}]}).to_string());
    assert_eq!((response.status, sent.len()), (413, 0));
    let (response, _) = batch_with(
        &limits,
        &json!({"requests": [{"body": "x".repeat(200)}]}).to_string(),
    );
    assert_eq!(response.status, 413);
    let sizes = |first: &str, second: &str| {
        let body = json!({"requests": [{"relative_url": first}, {"relative_url": second}], "suppress_parallel_execution": true});
        let (response, _) = batch_with(&limits, &body.to_string());
        units(&response)
            .iter()
            .map(|unit| unit["code"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(sizes("size/11", "size/10"), [413, 200]);
    assert_eq!(sizes("size/10", "size/6"), [200, 413]);
    assert_eq!(sizes("size/10", "size/5"), [200, 200]);
}

#[test]
fn an_empty_batch_is_an_empty_array() {
    for body in ["{}", "null", "{\"requests\":[]}"] {
        assert_eq!(batch_with(&BatchLimits::default(), body).0.body, "[]\n");
    }
}

/// Attack A4: the path lists of an API are checked for each item, in every spelling of its path.
#[test]
fn items_meet_the_path_lists_of_the_api() {
    let rows = |paths: &[(&str, &str)]| {
        let rows = paths
            .iter()
            .map(|(path, method)| json!({ "path": path, "method": method }));
        rows.collect::<Vec<_>>()
    };
    let lists = json!({
        "white_list": rows(&[("/open", "GET"), ("/blocked", "GET"), ("/inner", "GET")]),
        "black_list": rows(&[("/blocked", "GET")]),
        "internal": rows(&[("/inner", "GET")]),
    });
    let version = json!({ "name": "Default", "use_extended_paths": true, "extended_paths": lists });
    let memory = gateway(&json!({
        "version_data": { "not_versioned": true, "versions": { "Default": version } },
    }));
    let cases = [
        ("GET", "open", 200),
        ("POST", "open", 403),
        ("HEAD", "open", 403),
        ("GET", "other", 403),
        ("GET", "blocked", 403),
        ("GET", "%62locked", 403),
        ("GET", "x/../blocked", 403),
        ("GET", "inner", 403),
        ("GET", "%69nner?open", 403),
    ];
    let items: Vec<Value> = cases
        .iter()
        .map(|(method, url, _)| json!({ "method": method, "relative_url": url }))
        .collect();
    let body = json!({ "requests": items }).to_string();
    let units = units(&sent(&memory, &BatchLimits::default(), &body));
    for (unit, (method, url, code)) in units.iter().zip(cases) {
        assert_eq!(unit["code"], code, "{method} {url}");
    }
    assert_eq!(units.len(), cases.len());
    assert_eq!(memory.upstream_calls.take().len(), 1);
}

/// A gateway whose API `a` requires a key, and a key for it.
fn keyed() -> (Memory, String) {
    let memory = gateway(&json!({ "use_keyless": false }));
    let session =
        json!({ "access_rights": { "a": {} }, "quota_max": 9, "quota_renewal_rate": 3600 });
    let made = admin(&memory, "POST", "keys", &session);
    let token = made["key"].as_str().unwrap().to_owned();
    (memory, token)
}

#[test]
fn items_are_answered_as_single_requests_are() {
    let (memory, token) = keyed();
    let headers = [("authorization", token.as_str())];
    let single = |target| {
        let visit = Visit {
            method: "GET",
            target,
            headers: &headers,
            body: "",
        };
        memory.visit(&visit).now_or_never().unwrap().unwrap()
    };
    let authorization = json!({ "Authorization": token });
    let item = |url: &str| json!({ "relative_url": url, "headers": authorization });
    let body = json!({ "suppress_parallel_execution": true,
        "requests": [item("one"), item("gateway/rate-limits/"), { "relative_url": "one" }] });
    let alone = single("/a/one");
    let units = units(&sent(&memory, &BatchLimits::default(), &body.to_string()));

    let names = |unit: &Value| {
        let names = unit["headers"].as_object().unwrap().keys();
        names
            .map(|name| name.to_ascii_lowercase())
            .collect::<Vec<_>>()
    };
    let mut expected: Vec<_> = alone.headers.iter().map(|(name, _)| name.clone()).collect();
    expected.sort_unstable();
    assert_eq!(names(&units[0]), expected);
    assert_eq!(units[0]["headers"]["X-Ratelimit-Remaining"], json!(["7"]));

    // An item can also ask for the standing of the limits, which counts nothing.
    assert_eq!(units[1]["code"], 200, "{}", units[1]);
    let body = units[1]["body"].as_str().unwrap();
    assert_eq!(body, single("/a/gateway/rate-limits/").body);
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["quota"]["quota_remaining"], 7);

    assert_eq!(units[2]["code"], 401);
    assert_eq!(units[2]["error"], "Authorization field missing");
}

#[test]
fn items_that_run_at_once_share_the_limits_of_their_key() {
    let (memory, token) = keyed();
    let authorization = json!({ "Authorization": token });
    let items: Vec<Value> = (0..12)
        .map(|number| json!({ "relative_url": format!("{number}"), "headers": authorization }))
        .collect();
    let body = json!({ "requests": items }).to_string();
    let units = units(&sent(&memory, &BatchLimits::default(), &body));
    let codes: Vec<_> = units
        .iter()
        .map(|unit| unit["code"].as_u64().unwrap())
        .collect();
    assert_eq!(
        codes.iter().filter(|code| **code == 200).count(),
        9,
        "{codes:?}"
    );
    assert_eq!(
        codes.iter().filter(|code| **code == 403).count(),
        3,
        "{codes:?}"
    );
}

//! The fast path: which APIs may use it, and that its result equals the driver's.

mod organisations;

use super::{
    Given, Next, OwnRoute, Routed, Run, Sending, UpstreamAnswer, is_plain, own_route, plain_url,
    route,
};
use crate::chain::{ORDER, Settings};
use crate::errors::GatewayErrors;
use crate::exchange::{Entry, Request};
use crate::headers::{Fields, Headers};
use crate::snapshot::{Api, Snapshot};
use gatewright_model::json::parse;
pub(super) use organisations::isolate;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::rc::Rc;

/// A definition that only forwards.
pub(super) fn bare() -> Value {
    json!({
        "api_id": "a", "name": "a", "active": true, "use_keyless": true,
        "proxy": { "listen_path": "/a/", "target_url": "http://up/base/", "strip_listen_path": true },
    })
}

/// Merges the members of `more` into `value`, recursively.
pub(super) fn merge(value: &mut Value, more: &Value) {
    match (value, more) {
        (Value::Object(own), Value::Object(more)) => {
            for (name, member) in more {
                merge(own.entry(name.clone()).or_insert(Value::Null), member);
            }
        }
        (value, more) => *value = more.clone(),
    }
}

fn version(members: &Value) -> Value {
    json!({ "version_data": { "not_versioned": true, "versions": { "Default": members } } })
}

fn list(name: &str, row: &Value) -> Value {
    version(&json!({ "use_extended_paths": true, "extended_paths": { name: [row] } }))
}

/// A definition for each link that makes its chain contain the link.
fn demonstrations() -> Vec<(&'static str, Value)> {
    let row = |more: Value| {
        let mut row = json!({ "path": "/x", "method": "GET" });
        merge(&mut row, &more);
        row
    };
    let mock = json!({ "code": 200, "body": "b", "headers": {} });
    let keyed = json!({ "use_keyless": false });
    vec![
        ("expiry", json!({ "expiration": "2100-01-01 00:00" })),
        (
            "cache",
            json!({ "cache_options": { "enable_cache": true, "cache_all_safe_requests": true } }),
        ),
        ("expiry", version(&json!({ "expires": "2100-01-01 00:00" }))),
        ("mock_response", list("mock_response", &row(mock))),
        ("path_lists", list("black_list", &row(json!({})))),
        ("path_lists", list("white_list", &row(json!({})))),
        ("path_lists", list("ignored", &row(json!({})))),
        ("path_lists", list("internal", &row(json!({})))),
        (
            "path_lists",
            version(&json!({ "paths": { "black_list": ["/x"] } })),
        ),
        ("mcp_message", json!({ "application_protocol": "mcp" })),
        ("mcp_access", json!({ "application_protocol": "mcp" })),
        (
            "resource_metadata",
            json!({ "openapi": { "protected_resource_metadata": { "enabled": true } } }),
        ),
        ("cors", json!({ "CORS": { "enable": true } })),
        ("address_lists", json!({ "allowed_ips": ["10.0.0.1"] })),
        ("address_lists", json!({ "blacklisted_ips": ["10.0.0.1"] })),
        ("size_limits", version(&json!({ "global_size_limit": 10 }))),
        (
            "size_limits",
            list("size_limits", &row(json!({ "size_limit": 10 }))),
        ),
        (
            "context_variables",
            json!({ "enable_context_vars": true, "tags": ["$gateway_context.request_data_x"] }),
        ),
        (
            "external_oauth",
            json!({ "use_keyless": false, "external_oauth": { "enabled": true } }),
        ),
        ("client_certificate", json!({ "use_mutual_tls_auth": true })),
        (
            "basic_auth",
            json!({ "use_keyless": false, "use_basic_auth": true }),
        ),
        (
            "hmac",
            json!({ "use_keyless": false, "enable_signature_checking": true }),
        ),
        ("oauth", json!({ "use_keyless": false, "use_oauth2": true })),
        ("jwt", json!({ "use_keyless": false, "enable_jwt": true })),
        (
            "openid",
            json!({ "use_keyless": false, "use_openid": true }),
        ),
        ("auth_token", keyed.clone()),
        (
            "strip_auth_data",
            json!({ "use_keyless": false, "strip_auth_data": true }),
        ),
        ("key_state", keyed.clone()),
        ("access_rights", keyed.clone()),
        ("granular_access", keyed.clone()),
        ("key_limits", keyed),
        (
            "api_rate_limit",
            json!({ "global_rate_limit": { "rate": 1, "per": 1 } }),
        ),
        (
            "api_rate_limit",
            list("rate_limit", &row(json!({ "rate": 1, "per": 1 }))),
        ),
        (
            "transform",
            list(
                "transform",
                &row(
                    json!({ "template_data": { "template_mode": "blob", "template_source": "eA==", "input_type": "json" } }),
                ),
            ),
        ),
        (
            "transform_response",
            list(
                "transform_response",
                &row(
                    // As the `base64` command writes it.
                    json!({ "template_data": { "template_mode": "blob", "template_source": "eA\n==\n" } }),
                ),
            ),
        ),
        (
            "transform_jq",
            list("transform_jq", &row(json!({ "filter": "." }))),
        ),
        (
            "transform_jq_response",
            list("transform_jq_response", &row(json!({ "filter": "." }))),
        ),
        (
            "transform_headers",
            version(&json!({ "global_headers": { "X-A": "1" } })),
        ),
        (
            "transform_headers",
            version(&json!({ "global_headers_remove": ["X-A"] })),
        ),
        (
            "transform_headers",
            list(
                "transform_headers",
                &row(json!({ "add_headers": { "X-A": "1" } })),
            ),
        ),
        (
            "url_rewrites",
            list(
                "url_rewrites",
                &row(json!({ "match_pattern": "x", "rewrite_to": "/y" })),
            ),
        ),
        (
            "method_transforms",
            list("method_transforms", &row(json!({ "to_method": "POST" }))),
        ),
        (
            "hard_timeouts",
            list("hard_timeouts", &row(json!({ "timeout": 1 }))),
        ),
        (
            "hard_timeouts",
            version(&json!({ "global_enforce_timeout": "1s" })),
        ),
        (
            "mcp_tools",
            json!({ "application_protocol": "mcp", "openapi": { "mcp": { "catalogue": { "api": "b" } } } }),
        ),
        (
            "loop_target",
            json!({ "proxy": { "target_url": "gateway://b/" } }),
        ),
        (
            "upstream_auth",
            json!({ "upstream_auth": { "enabled": true, "basic_auth": { "enabled": true, "username": "u", "password": "p" } } }),
        ),
        (
            "upstream_oauth",
            json!({ "upstream_auth": { "enabled": true, "oauth": { "enabled": true, "client_credentials": {} } } }),
        ),
        (
            "service_discovery",
            json!({ "proxy": { "service_discovery": { "use_discovery_service": true, "query_endpoint": "http://r" } } }),
        ),
        (
            "uptime_tests",
            json!({ "proxy": { "enable_load_balancing": true, "check_host_against_uptime_tests": true } }),
        ),
        (
            "validate_json",
            list("validate_json", &row(json!({ "schema": {} }))),
        ),
        (
            "validate_request",
            json!({ "openapi": { "validate_request": { "routes": [], "settings": [] } } }),
        ),
        (
            "operation_mocks",
            json!({ "openapi": { "mock_response": { "routes": [] } } }),
        ),
        (
            "request_signing",
            json!({ "request_signing": { "is_enabled": true } }),
        ),
        (
            "load_balancing",
            json!({ "proxy": { "enable_load_balancing": true, "target_list": ["http://up"] } }),
        ),
        (
            "circuit_breakers",
            list("circuit_breakers", &row(json!({ "samples": 1 }))),
        ),
        (
            "response_headers",
            version(&json!({ "global_response_headers": { "X-A": "1" } })),
        ),
        (
            "response_headers",
            list(
                "transform_response_headers",
                &row(json!({ "add_headers": { "X-A": "1" } })),
            ),
        ),
        (
            "response_processors",
            json!({ "response_processors": [{ "name": "header_injector", "options": { "add_headers": { "X-A": "1" } } }] }),
        ),
    ]
}

/// Definitions that add no link but that the fast path can't serve.
fn others() -> Vec<Value> {
    let two = json!({ "one": { "name": "one" }, "two": { "name": "two" } });
    vec![
        json!({ "error_overrides": { "404": [{ "response": { "status_code": 410 } }] } }),
        json!({ "definition": { "location": "header", "key": "v" }, "version_data": { "versions": two } }),
        json!({ "definition": { "enabled": true, "name": "one", "default": "one", "location": "header", "key": "v", "versions": { "two": "b" } } }),
    ]
}

pub(super) fn api(definition: &Value, settings: &Settings) -> Api {
    let text = definition.to_string();
    Api::read(&parse(&text).unwrap(), 1, settings)
}

#[test]
fn every_link_has_an_example_and_disables_the_fast_path() {
    let isolate = isolate(&[]);
    let settings = Settings::default();
    assert!(is_plain(&api(&bare(), &settings), &*isolate));
    for (link, more) in demonstrations() {
        let mut definition = bare();
        merge(&mut definition, &more);
        let api = api(&definition, &settings);
        let links = &api.chains[0].chain.links;
        assert!(
            links.iter().any(|made| made.name() == link),
            "{link}: {more}"
        );
        assert!(!is_plain(&api, &*isolate), "{link}: {more}");
    }
    // These are in every chain and do nothing in a bare one.
    let everywhere = ["organisation", "counters"];
    for info in ORDER {
        let shown = demonstrations().iter().any(|(link, _)| *link == info.name);
        assert_eq!(shown, !everywhere.contains(&info.name), "{}", info.name);
    }
    for more in others() {
        let mut definition = bare();
        merge(&mut definition, &more);
        assert!(!is_plain(&api(&definition, &settings), &*isolate), "{more}");
    }
}

#[test]
fn gateway_rules_disable_the_fast_path() {
    let definition = bare();
    let plain = |settings: &Settings, orgs| is_plain(&api(&definition, settings), &*isolate(orgs));
    let settings = Settings::default();
    assert!(plain(&settings, &[]) && plain(&settings, &["other"]));
    assert!(!plain(&settings, &["default"]));
    // The fast path applies the gateway's time limit too.
    let timed = Settings {
        default_timeout_ms: 1,
        ..Settings::default()
    };
    assert!(plain(&timed, &[]));
    let overrides = r#"{"404":[{"response":{"status_code":410}}]}"#;
    let overrides = parse(overrides).unwrap();
    let errors = GatewayErrors::read(Some(&overrides), None, false);
    let ruled = Settings {
        errors: Rc::new(errors),
        ..Settings::default()
    };
    assert!(!plain(&ruled, &[]));
}

/// Sends a request to these APIs. Returns the fast path's URL, if the API may use it, and what the driver wants first.
fn both_ways(
    definitions: &[Value],
    method: &str,
    path: &str,
    query: &str,
) -> Option<(Option<String>, Next)> {
    let settings = Settings::default();
    let mut snapshot = Snapshot::empty(1, settings.clone());
    for definition in definitions {
        snapshot.add(api(definition, &settings));
    }
    let snapshot = Rc::new(snapshot);
    let Routed::Api(found, path) = route(&snapshot, "h", path, query) else {
        return None;
    };
    let isolate = isolate(&[]);
    let rest = path.decoded().get(found.listen..).unwrap_or_default();
    assert_eq!(own_route(&found.api, rest), OwnRoute::None);
    let fastest = is_plain(&found.api, &*isolate).then(|| plain_url(&found, &path, query).unwrap());
    let request = Request {
        method: method.to_owned(),
        scheme: "http",
        authority: "h".to_owned(),
        path,
        query: query.to_owned(),
        has_bare_query: false,
        headers: Headers::new(Rc::new(Fields(vec![("x-a".to_owned(), "1".to_owned())]))),
        connection_address: "127.0.0.1".into(),
        client_address: None,
        entry: Entry::Client,
        sent_as: None,
        now_ms: 0,
    };
    let mut run = Run::new(&snapshot, &isolate, &found, request, None);
    let next = run.advance(Given::Start);
    if matches!(next, Next::Send(_)) {
        let answer = UpstreamAnswer {
            status: 500,
            body: None,
        };
        let passed = run.advance(Given::Upstream(answer));
        assert!(
            fastest.is_none() || matches!(passed, Next::Pass(_)),
            "{passed:?}"
        );
    }
    Some((fastest, next))
}

#[test]
fn requests_sent_directly_still_pass_the_proxy() {
    let cors = json!({ "CORS": { "enable": true, "options_passthrough": true } });
    let sent = |more: &Value| {
        let mut definition = bare();
        merge(&mut definition, &cors);
        merge(&mut definition, more);
        let mut open = bare();
        let elsewhere = json!({ "api_id": "b", "proxy": { "listen_path": "/b/" } });
        merge(&mut open, &elsewhere);
        let (_, next) = both_ways(&[definition, open], "OPTIONS", "/a/x", "q=1").unwrap();
        let Next::Send(sending) = next else {
            panic!("{next:?}")
        };
        sending
    };
    let looped = sent(&json!({ "proxy": { "target_url": "gateway://b/" } }));
    assert_eq!(looped.url, "http://up/base/x?q=1");
    let timed = sent(&version(&json!({ "global_enforce_timeout": "2s" })));
    assert_eq!(timed.timeout_ms, 2000);
}

#[test]
fn no_path_leaves_its_target_when_the_listen_path_is_stripped() {
    let served = |listen: &str, strips: bool| {
        let mut definition = bare();
        let proxy = json!({ "listen_path": listen, "strip_listen_path": strips });
        merge(&mut definition, &json!({ "proxy": proxy }));
        definition
    };
    let url = |definitions: &[Value], path: &str| {
        let next = both_ways(definitions, "GET", path, "").map(|(_, next)| next)?;
        let Next::Send(sending) = next else {
            panic!("{next:?}")
        };
        Some(sending.url)
    };
    for path in ["/a../x", "/a%2e%2e/x", "/a./x", "/a..;/x", "/a..%5Cx"] {
        assert_eq!(url(&[served("/a", true)], path), None, "{path}");
        let kept = format!("http://up/base{path}");
        assert_eq!(url(&[served("/a", false)], path), Some(kept), "{path}");
    }
    let mut looping = served("/b/", true);
    let rewrite = json!({ "path": "/", "method": "GET", "match_pattern": "/b/(.*)", "rewrite_to": "gateway://a/$1" });
    merge(&mut looping, &list("url_rewrites", &rewrite));
    merge(&mut looping, &json!({ "api_id": "b", "name": "b" }));
    let inner = url(&[served("/a", true), looping], "/b/a../x");
    assert_eq!(inner.as_deref(), Some("http://up/base/a../x"));
}

#[test]
fn options_left_to_the_upstream_pass_the_version_check() {
    let first = |more: &Value, method: &str| {
        let mut definition = bare();
        let cors = json!({ "CORS": { "enable": true, "options_passthrough": true } });
        merge(&mut definition, &cors);
        merge(&mut definition, more);
        both_ways(&[definition], method, "/a/x", "").unwrap().1
    };
    let named = json!({ "location": "header", "key": "v" });
    for refusing in [
        json!({ "expiration": "1969-01-01 00:00" }),
        list("black_list", &json!({ "path": "/x" })),
        list(
            "mock_response",
            &json!({ "path": "/x", "method": "OPTIONS" }),
        ),
        json!({ "definition": named, "version_data": { "versions": { "v": {} } } }),
    ] {
        assert!(
            matches!(first(&refusing, "OPTIONS"), Next::Send(_)),
            "{refusing}"
        );
    }
    let blocked = list("black_list", &json!({ "path": "/x" }));
    assert!(matches!(first(&blocked, "GET"), Next::Answer(_)));
}

proptest! {
    /// Any combination of these keeps an API off the fast path, as each one alone does.
    #[test]
    fn enforced_links_are_never_skipped(picks in proptest::collection::vec(0_usize..64, 1..5)) {
        let parts: Vec<Value> = demonstrations().into_iter().map(|(_, more)| more).chain(others()).collect();
        let mut definition = bare();
        for pick in picks {
            merge(&mut definition, parts.iter().cycle().nth(pick).unwrap());
        }
        prop_assert!(!is_plain(&api(&definition, &Settings::default()), &*isolate(&[])), "{}", definition);
    }

    /// The fast path equals the driver's result: the same URL, nothing changed, nothing inspected.
    #[test]
    fn fast_path_matches_the_driver(
        listen in prop::sample::select(vec!["/a/", "/a", "/", "/a/{b}/", "/a/{b}", "/elsewhere/"]),
        target in prop::sample::select(vec!["http://up", "http://up/", "https://up:1/base", "http://up/base/?k=v"]),
        (strips, keeps_slash) in any::<(bool, bool)>(),
        path in "(/|/a|/a/|/ab|/a/[a-c%é;\\[ ]{0,4}|/a/b/(x|%2F|%41|c/d|ü|x/){0,3})",
        query in "(|a=1|a=%20&b|&)",
        method in prop::sample::select(vec!["GET", "POST", "get"]),
    ) {
        let mut definition = bare();
        merge(&mut definition, &json!({ "proxy": { "listen_path": listen, "target_url": target,
            "strip_listen_path": strips, "disable_strip_slash": keeps_slash } }));
        if let Some((fastest, next)) = both_ways(&[definition], method, &path, &query) {
            let expected = Sending { url: fastest.expect("a plain API"), ..Sending::default() };
            let Next::Send(sending) = next else { panic!("{next:?}") };
            prop_assert_eq!(*sending, expected);
        }
    }
}

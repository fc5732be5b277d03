use crate::chain::{Need, Settings, Step};
use crate::exchange::Route;
use crate::failure::{Failure, FailureReply, Reply};
use crate::mcp::read;
use crate::testing::{End, Sent, chain, exchange, request, send_body};
use gatewright_model::openapi::{DocumentKind, compile};

fn definition(mcp: &str, members: &str) -> String {
    format!(
        r#"{{"application_protocol":"mcp","use_keyless":true,"openapi":{{"kind":"mcp","mcp":{{{mcp}}}}},
            "version_data":{{"versions":{{"v":{{"name":"v","use_extended_paths":true{members}}}}}}}}}"#
    )
}

const JSON: &[(&str, &str)] = &[("Content-Type", "application/json")];

fn post(definition: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Sent {
    send_body(definition, request("POST", path, headers), body)
}

fn call(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

fn failure(sent: &Sent) -> Option<Failure> {
    match &sent.end {
        End::Reply(Reply::Failure(FailureReply { failure, .. })) => Some(*failure),
        _ => None,
    }
}

#[test]
fn a_post_of_json_is_a_message() {
    let bare = definition("", "");
    let ping = call("ping", "{}");
    let sent = post(&bare, "/deep?q=1", JSON, &ping);
    assert_eq!(sent.end, End::Sent);
    assert_eq!(sent.exchange.rpc.as_ref().unwrap().method, "ping");
    for (media, is_read) in [
        ("application/json; charset=utf-8", true),
        ("Application/JSON", true),
        ("application/json-patch+json", true),
        ("text/plain", false),
        ("", false),
    ] {
        let sent = post(&bare, "/", &[("Content-Type", media)], "{broken");
        assert_eq!(
            failure(&sent) == Some(Failure::RpcParse),
            is_read,
            "{media}"
        );
    }
    for method in ["GET", "DELETE", "PUT"] {
        let sent = send_body(&bare, request(method, "/", JSON), "{broken");
        assert!(
            sent.exchange.rpc.is_none() && sent.end == End::Sent,
            "{method}"
        );
    }
}

#[test]
fn a_post_of_another_type_is_read_where_there_are_rules() {
    for mcp in [
        r#""tools":[{"name":"a","block":true}]"#,
        r#""methods":["/tools/call"]"#,
    ] {
        let ruled = definition(mcp, "");
        let plain = [("Content-Type", "text/plain")];
        assert_eq!(
            failure(&post(&ruled, "/", &plain, "{broken")),
            Some(Failure::RpcParse)
        );
        let sent = post(&ruled, "/", &[], &call("ping", "{}"));
        assert!(sent.exchange.rpc.is_some(), "{mcp}");
    }
}

/// Many servers read a message without looking at the method.
#[test]
fn only_a_post_may_have_a_message_where_there_are_rules() {
    let ruled = definition(r#""tools":[{"name":"a","block":true}]"#, "");
    let message = call("tools/call", r#"{"name":"a"}"#);
    for (method, headers, is_refused) in [
        ("PUT", &[][..], true),
        ("PATCH", &[], true),
        ("PROPFIND", &[], true),
        ("GET", &[], false),
        ("DELETE", &[("Content-Length", "0")], false),
        ("GET", &[("Content-Length", "9")], true),
        ("DELETE", &[("Transfer-Encoding", "chunked")], true),
        ("OPTIONS", &[("Content-Length", "9")], true),
    ] {
        let sent = send_body(&ruled, request(method, "/", headers), &message);
        let refused = failure(&sent) == Some(Failure::MethodNotAllowed);
        assert_eq!(refused, is_refused, "{method} {headers:?}");
        assert_eq!(sent.end == End::Sent, !is_refused, "{method} {headers:?}");
    }
}

#[test]
fn the_path_of_a_method_is_for_messages() {
    let ruled = definition(r#""methods":["/tools/call"]"#, "");
    for path in ["/tools/call", "/tools/call/"] {
        let sent = post(&ruled, path, JSON, &call("tools/call", r#"{"name":"a"}"#));
        assert_eq!(failure(&sent), Some(Failure::EndpointForbidden), "{path}");
        assert!(sent.exchange.rpc.is_none());
    }
    let sent = post(&ruled, "/tools/list", JSON, &call("ping", "{}"));
    assert_eq!(sent.end, End::Sent);
    assert_eq!(
        send_body(&ruled, request("GET", "/tools/call", &[]), "").end,
        End::Sent
    );
}

#[test]
fn body_length_is_checked_before_its_content() {
    let limited = definition("", r#","global_size_limit":20"#);
    let too_long = [
        ("Content-Type", "application/json"),
        ("Content-Length", "21"),
    ];
    let sent = post(&limited, "/", &too_long, "{broken");
    assert_eq!(failure(&sent), Some(Failure::BodyTooLarge));
    assert!(sent.exchange.rpc.is_none());
    let unread = "x".repeat(2 * 1024 * 1024);
    let sent = post(&definition("", ""), "/", JSON, &unread);
    assert_eq!(failure(&sent), Some(Failure::BodyOverLimit));
}

#[test]
fn headers_must_agree_with_the_body() {
    let bare = definition("", "");
    let body = call("tools/call", r#"{"name":"get"}"#);
    for (headers, expected) in [
        (
            &[("Mcp-Method", "tools/call"), ("Mcp-Name", "get")][..],
            None,
        ),
        (&[("Mcp-Method", "tools/list")], Some(Failure::RpcHeaders)),
        (&[("Mcp-Method", "Tools/Call")], Some(Failure::RpcHeaders)),
        (&[("Mcp-Name", "set")], Some(Failure::RpcHeaders)),
        (&[("Mcp-Name", "get, set")], Some(Failure::RpcHeaders)),
        (&[("Mcp-Name", "=?base64?Z2V0?=")], None),
        (
            &[("Mcp-Name", "=?base64?c2V0?=")],
            Some(Failure::RpcHeaders),
        ),
    ] {
        let mut all = JSON.to_vec();
        all.extend_from_slice(headers);
        let sent = post(&bare, "/", &all, &body);
        assert_eq!(failure(&sent), expected, "{headers:?}");
    }
    let named = [JSON, &[("Mcp-Name", "get")]].concat();
    let sent = post(&bare, "/", &named, &call("tools/list", "{}"));
    assert_eq!(failure(&sent), None, "this one names nothing");
}

const RULES: &str = r#","global_headers":{"X-Global":"1","X-Both":"global"},"extended_paths":{"transform_headers":[
    {"path":"^/tools/call$","method":"POST","add_headers":{"X-Method":"call","X-Both":"method"}},
    {"path":"^/mcp-tool:get_weather$","method":"POST","add_headers":{"X-Tool":"weather","X-Both":"tool"}},
    {"path":"^/mcp-resource:file%3A%2F%2F%2Frepo%2F%2A$","method":"POST","add_headers":{"X-Tool":"repo"}},
    {"path":"^/mcp-resource:file%3A%2F%2F%2Frepo%2Fdocs%2F%2A$","method":"POST","add_headers":{"X-Tool":"docs"}}],
    "size_limits":[{"path":"^/tools/call$","method":"POST","size_limit":90},
    {"path":"^/mcp-tool:small$","method":"POST","size_limit":40}],
    "hard_timeouts":[{"path":"^/tools/call$","method":"POST","timeout":9},
    {"path":"^/mcp-tool:small$","method":"POST","timeout":3},{"path":"^/mcp-tool:get_weather$","method":"POST","timeout":0}]}"#;
const NAMES: &str = r#""methods":["/tools/call"],"tools":[{"name":"get_weather"},{"name":"small"}],
    "resources":[{"name":"file:///repo/*"},{"name":"file:///repo/docs/*"},{"name":"file:///repo/docs/a"}]"#;

#[test]
fn rules_of_the_method_and_of_the_primitive_both_apply() {
    let ruled = definition(NAMES, RULES);
    let seen = |body: &str, path: &str| {
        let headers = [JSON, &[("Content-Length", "30")]].concat();
        let sent = post(&ruled, path, &headers, body);
        let value = |name| sent.header(name).unwrap_or("-").to_owned();
        let names = ["x-global", "x-method", "x-tool", "x-both"].map(value);
        (names.join(" "), sent.exchange.timeout_ms)
    };
    let named =
        |method: &str, name: &str, value: &str| call(method, &format!(r#"{{"{name}":"{value}"}}"#));
    for (body, headers, timeout) in [
        (
            named("tools/call", "name", "get_weather"),
            "1 call weather tool",
            Some(9000),
        ),
        (
            named("tools/call", "name", "other"),
            "1 call - method",
            Some(9000),
        ),
        (
            named("tools/call", "name", "small"),
            "1 call - method",
            Some(3000),
        ),
        (named("tools/list", "name", "x"), "1 - - global", None),
        (
            named("resources/read", "uri", "file:///repo/x"),
            "1 - repo global",
            None,
        ),
        (
            named("resources/read", "uri", "file:///repo/docs/x"),
            "1 - docs global",
            None,
        ),
        (
            named("resources/read", "uri", "file:///repo/docs/a"),
            "1 - - global",
            None,
        ),
    ] {
        assert_eq!(seen(&body, "/"), (headers.to_owned(), timeout), "{body}");
        // Whichever path it is sent to.
        assert_eq!(seen(&body, "/mcp-tool:get_weather").0, headers, "{body}");
    }
    let limited = |length: &str, name: &str| {
        let headers = [JSON, &[("Content-Length", length)]].concat();
        let sent = post(&ruled, "/", &headers, &named("tools/call", "name", name));
        failure(&sent)
    };
    assert_eq!(limited("91", "other"), Some(Failure::BodyTooLarge));
    assert_eq!(limited("41", "small"), Some(Failure::BodyTooLarge));
    assert_eq!(limited("40", "small"), None);
}

#[test]
fn a_primitive_may_be_open_to_everybody() {
    let open = definition(
        r#""tools":[{"name":"open","open":true},{"name":"Open"}]"#,
        "",
    );
    let ignored = |name: &str| {
        let body = call("tools/call", &format!(r#"{{"name":"{name}"}}"#));
        post(&open, "/", JSON, &body).exchange.ignored
    };
    assert!(ignored("open"));
    assert!(!ignored("Open") && !ignored("other"));
}

/// Servers resolve dots in addresses.
#[test]
fn an_open_prefix_opens_nothing_that_leads_out_of_it() {
    let open = definition(
        r#""resources":[{"name":"file:///public/*","open":true}]"#,
        "",
    );
    for (uri, is_open) in [
        ("file:///public/a", true),
        ("file:///public/../private/a", false),
        ("file:///public/%2e%2e/private/a", false),
    ] {
        let body = call("resources/read", &format!(r#"{{"uri":"{uri}"}}"#));
        let sent = post(&open, "/", JSON, &body);
        assert_eq!(sent.exchange.ignored, is_open, "{uri}");
    }
}

#[test]
fn mocks_and_validation_of_an_operation_apply_to_the_messages_of_its_method() {
    let document = r#"{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{
        "/ping":{"post":{"operationId":"ping"}},
        "/tools/call":{"post":{"operationId":"call","requestBody":{"content":{"application/json":{"schema":{}}}}}}},
        "x-gateway-api-gateway":{"info":{"name":"n","state":{"active":true}},"upstream":{"url":"http://up"},
        "server":{"listenPath":{"value":"/"}},"middleware":{"operations":{
        "ping":{"mockResponse":{"enabled":true,"body":"pong"}},"call":{"validateRequest":{"enabled":true}}}}}}"#;
    let definition = compile(document, DocumentKind::Mcp).unwrap();
    for path in ["/", "/deep", "/tools/call/deep"] {
        let sent = post(&definition, path, JSON, &call("ping", "{}"));
        let answer = sent.answer().map(|answer| &*answer.body);
        assert_eq!(answer, Some("pong"), "{path}");
        let sent = post(&definition, path, JSON, &call("initialize", "{}"));
        assert_eq!(sent.end, End::Sent, "{path}");
        let chain = chain(&definition, &Settings::default());
        let mut links = chain.links.iter();
        let validates = links
            .find(|link| link.name() == "validate_request")
            .unwrap();
        for (method, is_validated) in [("tools/call", true), ("tools/list", false)] {
            let mut exchange =
                exchange(request("POST", path, JSON), Route::default(), chain.clone());
            exchange.rpc = Some(read(call(method, r#"{"name":"a"}"#).as_bytes()).unwrap());
            let step = validates.request(&mut exchange);
            assert_eq!(
                matches!(step, Step::Need(Need::Extra(_))),
                is_validated,
                "{method} {path}"
            );
        }
    }
}

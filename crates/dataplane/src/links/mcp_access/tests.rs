use crate::chain::Settings;
use crate::errors::Client;
use crate::exchange::{Request, Route};
use crate::failure::Reply;
use crate::identity::{Credential, Identity, Method};
use crate::sessions::Known;
use crate::testing::{End, Sent, chain, exchange, pass, request, send_body};
use std::collections::BTreeMap;
use std::rc::Rc;

const JSON: &[(&str, &str)] = &[("Content-Type", "application/json")];

const DEFINITION: &str = r#"{"application_protocol":"mcp","use_keyless":true,"openapi":{"kind":"mcp","mcp":{
    "tools":[{"name":"get_weather","allow":true},{"name":"get_forecast"}],
    "resources":[{"name":"file:///secret","block":true}],"prompts":[{"name":"delete","block":true}]}}}"#;

fn post(method: &str, params: &str) -> Sent {
    let body = format!(r#"{{"jsonrpc":"2.0","id":"i","method":"{method}","params":{params}}}"#);
    send_body(DEFINITION, request("POST", "/", JSON), &body)
}

fn answer(sent: &Sent) -> Option<String> {
    let End::Reply(Reply::Failure(refusal)) = &sent.end else {
        return None;
    };
    let exchange = &sent.exchange;
    let id = exchange.rpc.as_ref().map(|message| message.id.as_str());
    let errors = &exchange.chain.errors;
    let answered = errors.answer_to(id, refusal, Client::of(exchange));
    assert_eq!(answered.answer.status, 403);
    Some(answered.answer.body)
}

#[test]
fn forbidden_methods_are_refused_with_a_json_rpc_error() {
    let refused = |words: &str| {
        Some(format!(
            r#"{{"jsonrpc":"2.0","error":{{"code":-32002,"message":"{words}","data":{{"http_code":403}}}},"id":"i"}}"#
        ))
    };
    let disallowed = refused("access to this resource has been disallowed");
    for (method, params, expected) in [
        ("tools/call", r#"{"name":"get_weather"}"#, None),
        (
            "tools/call",
            r#"{"name":"get_forecast"}"#,
            disallowed.clone(),
        ),
        ("tools/call", r#"{"name":"GET_WEATHER"}"#, disallowed),
        ("tools/call", r#"{"name":"get_w\u0065ather"}"#, None),
        (
            "prompts/get",
            r#"{"name":"delete"}"#,
            refused("Requested endpoint is forbidden"),
        ),
        ("prompts/get", r#"{"name":"review"}"#, None),
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"delete"},"argument":{}}"#,
            refused("Requested endpoint is forbidden"),
        ),
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"review"},"argument":{}}"#,
            None,
        ),
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/resource","uri":"FILE:///secret"}}"#,
            refused("Requested endpoint is forbidden"),
        ),
        (
            "subscriptions/listen",
            r#"{"notifications":{"resourceSubscriptions":["file:///a","file:///secret"]}}"#,
            refused("Requested endpoint is forbidden"),
        ),
        (
            "subscriptions/listen",
            r#"{"notifications":{"resourceSubscriptions":["file:///a"]}}"#,
            None,
        ),
        ("resources/read", r#"{"uri":"file:///a"}"#, None),
        ("tools/list", "{}", None),
    ] {
        assert_eq!(answer(&post(method, params)), expected, "{method} {params}");
    }
}

#[test]
fn lists_are_filtered_if_anything_is_forbidden() {
    for (method, facts) in [
        ("tools/list", Some(r#"{"list":"tools/list","rights":null}"#)),
        (
            "prompts/list",
            Some(r#"{"list":"prompts/list","rights":null}"#),
        ),
        (
            "resources/list",
            Some(r#"{"list":"resources/list","rights":null}"#),
        ),
        ("initialize", None),
        ("ping", None),
    ] {
        let sent = post(method, "{}");
        let asked = sent.exchange.answer_calls.front();
        assert_eq!(asked.map(|call| call.facts.as_str()), facts, "{method}");
        if let Some(call) = asked {
            let settings = r#"{"openapi":{"mcp":{"tools":[{"name":"get_weather","allow":true},{"name":"get_forecast"}],"resources":[{"name":"file:///secret","block":true}],"prompts":[{"name":"delete","block":true}]}}}"#;
            assert_eq!(
                (call.module, call.function, &*call.settings),
                ("mcp", "filter", settings)
            );
        }
    }
}

/// A stream may have the answer to any message of its session, also one that has been answered before.
#[test]
fn streams_are_filtered_event_by_event() {
    let facts = r#"[{"list":"tools/list","rights":null},{"list":"resources/list","rights":null},{"list":"resources/templates/list","rights":null},{"list":"prompts/list","rights":null}]"#;
    let open = r#"{"application_protocol":"mcp","use_keyless":true}"#;
    for (definition, facts) in [(DEFINITION, Some(facts)), (open, None)] {
        let resumed = request("GET", "/", &[("Last-Event-ID", "s1_0")]);
        let sent = send_body(definition, resumed, "");
        assert_eq!(sent.end, End::Sent);
        assert!(!sent.removes("last-event-id"));
        assert!(sent.exchange.answer_calls.is_empty());
        let call = sent.exchange.event_call.as_ref();
        assert_eq!(call.map(|call| call.facts.as_str()), facts);
    }
    assert_eq!(
        post("tools/call", r#"{"name":"get_weather"}"#)
            .exchange
            .event_call,
        None
    );
}

#[test]
fn streams_are_not_resumed_where_a_key_may_not_use_a_method_with_filtered_answers() {
    for (rules, removed) in [(r#""tools/list""#, true), (r#""ping""#, false)] {
        let sent = request("GET", "/", &[("Last-Event-ID", "s1_0")]);
        let sent = with_blocked(sent, rules, "");
        assert_eq!(sent.end, End::Sent);
        assert_eq!(sent.removes("last-event-id"), removed, "{rules}");
    }
}

/// Sends a request with a key for which these methods are blocked.
fn with_blocked(sent: Request, rules: &str, body: &str) -> Sent {
    let settings = Settings {
        max_body_bytes: 1024,
        ..Settings::default()
    };
    let chain = chain(DEFINITION, &settings);
    let mut exchange = exchange(sent, Route::default(), chain);
    let session = format!(
        r#"{{"access_rights":{{"":{{"json_rpc_methods_access_rights":{{"blocked":[{rules}]}}}}}}}}"#
    );
    let known = Known::new("h".to_owned(), 1, session, (1, &BTreeMap::new()));
    exchange.identity = Some(Identity {
        method: Method::Token,
        credential: Credential::Token("t".to_owned()),
        known: Rc::new(known),
        client: None,
    });
    pass(exchange, body)
}

#[test]
fn capabilities_are_hidden_whose_methods_a_key_may_not_use() {
    let asked = |rules: &str| {
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
        let calls = with_blocked(request("POST", "/", JSON), rules, body)
            .exchange
            .answer_calls;
        calls.front().map(|call| call.facts.clone())
    };
    for (rules, lost) in [
        (r#""ping""#, None),
        (
            r#""prompts/get","tools/.*""#,
            Some(r#"["tools","prompts"]"#),
        ),
        (r#""resources/templates/list""#, Some(r#"["resources"]"#)),
        (r#""sampling/createMessage""#, Some(r#"["sampling"]"#)),
    ] {
        let facts = lost.map(|lost| format!(r#"{{"lost":{lost}}}"#));
        assert_eq!(asked(rules), facts, "{rules}");
    }
}

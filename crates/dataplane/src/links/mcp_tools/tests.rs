use crate::chain::{Link, Loop, Need, Settings, Step};
use crate::exchange::{Body, Exchange, Route};
use crate::extras::{ExtraCall, Extracted};
use crate::failure::{Failure, Reply};
use crate::testing::{chain, exchange, request};

const DEFINITION: &str = r#"{"application_protocol":"mcp","use_keyless":true,"proxy":{"target_url":"gateway://orders/mcp"},
    "openapi":{"mcp":{"tools":[{"name":"drop","block":true}],"catalogue":{"api":"orders","server":{"name":"T"},"tools":[
    {"tool":{"name":"get"},"call":{"method":"GET","path":"/orders/{id}"}},{"tool":{"name":"drop"},"call":{"method":"DELETE","path":"/x"}}]}}}}"#;

const JSON: &[(&str, &str)] = &[("Content-Type", "application/json"), ("Mcp-Name", "get")];

/// A message that the preceding links have admitted.
fn sent(method: &str, body: &str, headers: &[(&str, &str)]) -> Exchange {
    let settings = Settings {
        max_body_bytes: 1024,
        client_ip_header: Some("x-client".to_owned()),
        ..Settings::default()
    };
    let chain = chain(DEFINITION, &settings);
    let mut exchange = exchange(request(method, "/", headers), Route::default(), chain);
    exchange.body = Body::Read(body.into());
    exchange
}

fn step(exchange: &mut Exchange) -> Step {
    let chain = std::rc::Rc::clone(&exchange.chain);
    let link = chain
        .links
        .iter()
        .find(|link| matches!(link, Link::McpTools(_)));
    link.unwrap().request(exchange)
}

fn asked(exchange: &mut Exchange) -> ExtraCall {
    match step(exchange) {
        Step::Need(Need::Extra(call)) => *call,
        step => unreachable!("{step:?}"),
    }
}

fn reported(exchange: &mut Exchange, report: &str) -> Step {
    exchange.extracted = Some(Extracted::Report {
        text: report.to_owned(),
        replaced: false,
    });
    step(exchange)
}

#[test]
fn a_call_is_a_request_to_the_api() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get"}}"#;
    let mut exchange = sent("POST", body, JSON);
    let call = asked(&mut exchange);
    assert_eq!((call.module, call.function), ("mcp", "asked"));
    assert_eq!(&*call.settings, r#"{"method":"GET","path":"/orders/{id}"}"#);
    assert_eq!(call.facts, r#"{"headers":{"name":"get"}}"#);
    let report = r#"{"request":{"method":"GET","path":"/orders/a%2Fb","query":"q=1","headers":{"accept":"x","mcp-name":null}}}"#;
    let expected = Loop {
        api: "orders".to_owned(),
        path: "/orders/a%2Fb".to_owned(),
        query: "q=1".to_owned(),
        method: Some("GET".to_owned()),
        counts: true,
        missing: Failure::Target,
        ..Loop::default()
    };
    assert_eq!(reported(&mut exchange, report), Step::Loop(expected));
    assert_eq!(exchange.headers().get("mcp-name"), Some(None));
    assert_eq!(exchange.headers().get("accept"), Some(Some("x")));
}

#[test]
fn api_receives_the_upstream_credential_of_the_proxy() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get"}}"#;
    let mut exchange = sent("POST", body, JSON);
    let credential = ("authorization".to_owned(), "Basic eA==".to_owned());
    exchange.upstream_credential = Some(credential.into());
    let report =
        r#"{"request":{"method":"GET","path":"/a","query":"","headers":{"authorization":"mine"}}}"#;
    assert!(matches!(reported(&mut exchange, report), Step::Loop(_)));
    assert_eq!(
        exchange.headers().get("authorization"),
        Some(Some("Basic eA=="))
    );
}

/// The document of an API may have any header as a parameter, and so as an argument.
#[test]
fn an_argument_claims_no_other_client_or_method() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get"}}"#;
    for (name, is_sent) in [
        ("x-tenant", true),
        ("x-real-ip", false),
        ("x_real_ip", false),
        ("x-forwarded-for", false),
        ("x-http-method-override", false),
        ("x-client", false),
    ] {
        let mut exchange = sent("POST", body, JSON);
        let report = format!(
            r#"{{"request":{{"method":"GET","path":"/a","query":"","headers":{{"{name}":"mine"}}}}}}"#
        );
        assert!(matches!(reported(&mut exchange, &report), Step::Loop(_)));
        let found = exchange.headers().get(name);
        assert_eq!(found == Some(Some("mine")), is_sent, "{name}");
    }
}

#[test]
fn other_messages_are_answered_by_the_module() {
    for (method, params) in [("tools/call", r#"{"name":"other"}"#), ("ping", "{}")] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let mut exchange = sent("POST", &body, &JSON[..1]);
        let call = asked(&mut exchange);
        assert_eq!(
            &*call.settings,
            r#"{"server":{"name":"T"},"tools":[{"name":"get"},{"name":"drop"}]}"#
        );
        let answer = r#"{"answer":{"status":200,"body":"{}"}}"#;
        let Step::Reply(Reply::Answer(answer)) = reported(&mut exchange, answer) else {
            unreachable!("{method}");
        };
        assert_eq!((answer.status, answer.body.as_str()), (200, "{}"));
    }
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let facts = asked(&mut sent("POST", body, &JSON[..1])).facts;
    assert_eq!(
        facts,
        r#"{"headers":{},"lists":{"openapi":{"mcp":{"tools":[{"name":"drop","block":true}]}}},"filter":{"list":"tools/list","rights":null}}"#
    );
}

#[test]
fn only_messages_pass() {
    let mut stream = sent("GET", "", &[]);
    let Step::Reply(Reply::Answer(answer)) = step(&mut stream) else {
        unreachable!("a GET");
    };
    assert_eq!(answer.status, 405);
    assert_eq!(answer.headers, [("allow".to_owned(), "POST".to_owned())]);
    // It was not read before because its content type is not JSON.
    let refused = |step| match step {
        Step::Reply(Reply::Failure(refusal)) => refusal.failure,
        step => unreachable!("{step:?}"),
    };
    let text = &[("Content-Type", "text/plain")];
    assert_eq!(
        refused(step(&mut sent("POST", "hello", text))),
        Failure::RpcParse
    );
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for report in [r#"{"broken":"x"}"#, "", r#"{"request":{"path":"/%zz"}}"#] {
        let failure = refused(reported(&mut sent("POST", ping, JSON), report));
        assert_eq!(failure, Failure::Upstream, "{report}");
    }
    let mut exchange = sent("POST", ping, JSON);
    exchange.extracted = Some(Extracted::Failed);
    assert_eq!(refused(step(&mut exchange)), Failure::Upstream);
}

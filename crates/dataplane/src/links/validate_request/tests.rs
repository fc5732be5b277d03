use crate::chain::{Middleware, Need, Step};
use crate::exchange::{Exchange, Route};
use crate::extras::{ExtraCall, Extracted};
use crate::failure::{FailureReply, Reply};
use crate::testing::{chain, exchange, request};
use gatewright_model::openapi::{DocumentKind, compile};

const DOCUMENT: &str = r#"{"openapi":"3.0.3","paths":{
    "/n/fixed":{"get":{"operationId":"fixed"}},
    "/n/{n}":{"get":{"operationId":"n","parameters":[{"name":"n","in":"path","required":true,"schema":{"type":"integer"}},
        {"name":"X-T","in":"header","schema":{"type":"string"}}]},
        "post":{"operationId":"p","requestBody":{"content":{"application/json":{"schema":{}}}}}}},
    "x-gateway-api-gateway":{"info":{"name":"n","state":{"active":true}},"server":{"listenPath":{"value":"/a/"}},
    "upstream":{"url":"http://up"},"middleware":{"operations":{"n":{"validateRequest":{"enabled":true}},
        "p":{"validateRequest":{"enabled":true}}}}}}"#;

/// A request to the API, which listens on `/a/`, at this link.
fn asked(method: &str, path: &str, listen: usize) -> (super::ValidateRequest, Exchange) {
    let definition = compile(DOCUMENT, DocumentKind::Oas).unwrap();
    let value = gatewright_model::json::parse(&definition).unwrap();
    let settings = crate::chain::Settings {
        max_body_bytes: 9,
        ..crate::chain::Settings::default()
    };
    let mut compiler = crate::chain::Compiler::new(&value, None, &settings);
    let link = super::ValidateRequest::compile(&mut compiler).unwrap();
    let route = Route {
        listen,
        ..Route::default()
    };
    let request = request(method, path, &[("X-T", "t"), ("X-Other", "o")]);
    let chain = chain(&definition, &settings);
    (link, exchange(request, route, chain))
}

fn call(method: &str, path: &str) -> Option<ExtraCall> {
    let (link, mut exchange) = asked(method, path, 3);
    match link.request(&mut exchange) {
        Step::Next => None,
        Step::Need(Need::Extra(call)) => Some(*call),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn module_receives_what_the_operation_checks() {
    let call_of_get = call("GET", "/a/n/1%2F2?q=x%20y").unwrap();
    assert_eq!(
        call_of_get.facts,
        r#"{"first":0,"count":1,"segments":["n","1/2"],"query":"q=x%20y","headers":{"x-t":"t"}}"#
    );
    assert_eq!(call_of_get.max, 0, "no body is read");
    let call_of_post = call("POST", "/a/n/1").unwrap();
    assert_eq!((call_of_post.max, call_of_post.function), (9, "request"));
    assert_ne!(call_of_get.settings, call_of_post.settings);
}

#[test]
fn no_path_spelling_bypasses_a_rule() {
    for path in ["/a/n/x", "/a/n/x/", "/a/%6E/x", "/a/n%2Fx", "/a/n/fixe%64x"] {
        assert!(call("GET", path).is_some(), "{path}");
    }
    for path in [
        "/a/n/fixed",
        "/a/n/fixed/",
        "/a/n",
        "/a/n/x/y",
        "/a/N/x",
        "/a/other",
    ] {
        assert!(call("GET", path).is_none(), "{path}");
    }
    assert!(call("DELETE", "/a/n/1").is_none());
}

#[test]
fn the_report_refuses_or_fills_in() {
    let of = |extracted: Extracted| {
        let (link, mut exchange) = asked("GET", "/a/n/1", 3);
        exchange.extracted = Some(extracted);
        let step = link.request(&mut exchange);
        (step, exchange)
    };
    let report = |text: &str| Extracted::Report {
        text: text.to_owned(),
        replaced: false,
    };
    let refused = |step: Step| match step {
        Step::Reply(Reply::Failure(FailureReply {
            status,
            message,
            failure,
            ..
        })) => (
            status.unwrap_or_else(|| failure.status()),
            message.to_string(),
        ),
        other => unreachable!("{other:?}"),
    };
    let (step, _) = of(report(r#"{"refused":{"status":409,"message":"no"}}"#));
    assert_eq!(refused(step), (409, "no".to_owned()));
    for (extracted, status) in [
        (report("?"), 500),
        (report(r#"{"broken":"x"}"#), 500),
        (Extracted::Failed, 500),
        (Extracted::TooLarge, 413),
    ] {
        assert_eq!(refused(of(extracted).0).0, status);
    }
    let (step, exchange) = of(report(r#"{"query":"a=1","headers":{"x-mode":"fast"}}"#));
    assert_eq!(step, Step::Next);
    assert_eq!(exchange.query.as_deref(), Some("a=1"));
    assert_eq!(exchange.header("x-mode").as_deref(), Some("fast"));
}

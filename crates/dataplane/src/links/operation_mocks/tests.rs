use crate::chain::{Compiler, Middleware, Need, Settings, Step};
use crate::exchange::Route;
use crate::extras::Extracted;
use crate::failure::{Answer, Reply};
use crate::testing::{chain, exchange, request};
use gatewright_model::openapi::{DocumentKind, compile};

const DOCUMENT: &str = r#"{"openapi":"3.0.3","paths":{
    "/pets":{"get":{"operationId":"pets","responses":{"200":{"content":{
        "application/json":{"examples":{"many":{"value":[1,2]},"few":{"value":[1]}}},"text/plain":{"example":"a list"}},
        "headers":{"X-Total":{"schema":{"type":"integer","example":2}}}},
        "404":{"content":{"application/json":{"example":{"error":"none"}}}},"5XX":{"content":{"*/*":{"example":"down"}}}}},
        "head":{"operationId":"head","responses":{"200":{"content":{"application/json":{"example":1}}}}}},
    "/plain":{"get":{"operationId":"plain"}},"/Case":{"get":{"operationId":"case"}},
    "/i/{num}":{"get":{"operationId":"num","parameters":[{"name":"num","in":"path","schema":{"type":"integer"}}]}},
    "/i/{name}":{"get":{"operationId":"name","parameters":[{"name":"name","in":"path","schema":{"pattern":"^[a-z]+$"}}]}},
    "/fixed":{"get":{"operationId":"fixed","responses":{"200":{"content":{"application/json":{"example":1}}},
        "202":{"content":{"application/xml":{"examples":{"a":{"value":"<a/>"},"b":{"value":"<b/>"}}}}}}}}},
    "x-gateway-api-gateway":{"info":{"name":"n","state":{"active":true}},"server":{"listenPath":{"value":"/"}},
    "upstream":{"url":"http://up"},"middleware":{"operations":{
        "pets":{"mockResponse":{"enabled":true,"fromOASExamples":{"enabled":true}}},
        "head":{"mockResponse":{"enabled":true,"fromOASExamples":{"enabled":true}}},
        "fixed":{"mockResponse":{"enabled":true,"fromOASExamples":{"enabled":true,"code":202,"contentType":"application/xml","exampleName":"b"}}},
        "plain":{"mockResponse":{"enabled":true,"code":201,"body":"<p>","headers":[{"name":"X-M","value":"1"}]}},
        "case":{"mockResponse":{"enabled":true,"body":"c"}},
        "num":{"mockResponse":{"enabled":true,"body":"number"}},"name":{"mockResponse":{"enabled":true,"body":"name"}}},
        "global":{"ignoreCase":{"enabled":true}}}}}"#;

fn step(method: &str, path: &str, headers: &[(&str, &str)], given: Option<Extracted>) -> Step {
    let definition = compile(DOCUMENT, DocumentKind::Oas).unwrap();
    let value = gatewright_model::json::parse(&definition).unwrap();
    let settings = Settings::default();
    let version = value.pointer("/version_data/versions/Default").unwrap();
    let mut compiler = Compiler::new(&value, Some(("Default", version)), &settings);
    let link = super::OperationMocks::compile(&mut compiler).unwrap();
    let route = Route {
        listen: 1,
        ..Route::default()
    };
    let request = request(method, path, headers);
    let mut exchange = exchange(request, route, chain(&definition, &settings));
    exchange.extracted = given;
    link.request(&mut exchange)
}

fn shown(step: Step) -> String {
    match step {
        Step::Reply(Reply::Answer(Answer {
            status,
            headers,
            body,
        })) => {
            let headers: Vec<String> = headers
                .iter()
                .map(|(name, value)| format!("{name}: {value}"))
                .collect();
            format!("{status} {} {body}", headers.join("|"))
        }
        Step::Reply(Reply::Failure(refusal)) => format!("{} {}", refusal.status(), refusal.message),
        Step::Next => "next".to_owned(),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn a_request_chooses_the_example() {
    const NONE: &str = "500 failed to mock response: mock: there is no example response for the";
    for (path, headers, expected) in [
        (
            "/pets",
            &[][..],
            "200 x-total: 2|content-type: application/json [1]".to_owned(),
        ),
        (
            "/pets",
            &[(super::NAME, "many")],
            "200 x-total: 2|content-type: application/json [1,2]".to_owned(),
        ),
        (
            "/pets",
            &[(super::NAME, "all")],
            format!("{NONE} example name: all"),
        ),
        (
            "/pets",
            &[(super::CODE, "404")],
            r#"404 content-type: application/json {"error":"none"}"#.to_owned(),
        ),
        (
            "/pets",
            &[(super::CODE, "418")],
            format!("{NONE} code: 418"),
        ),
        (
            "/pets",
            &[(super::CODE, "503")],
            "503 content-type: application/json \"down\"".to_owned(),
        ),
        (
            "/pets",
            &[(super::CODE, "many")],
            "500 failed to mock response: mock: given code many is not a valid integer value"
                .to_owned(),
        ),
        (
            "/pets",
            &[("accept", "text/plain")],
            "200 x-total: 2|content-type: text/plain a list".to_owned(),
        ),
        (
            "/pets",
            &[("accept", "text/plain"), (super::NAME, "many")],
            "200 x-total: 2|content-type: text/plain a list".to_owned(),
        ),
        (
            "/pets",
            &[("accept", "text/*;q=0.5")],
            "200 x-total: 2|content-type: text/plain a list".to_owned(),
        ),
        (
            "/pets",
            &[("accept", "text/html, application/json;q=0.9")],
            "200 x-total: 2|content-type: application/json [1]".to_owned(),
        ),
        (
            "/pets",
            &[("accept", "image/png")],
            format!("{NONE} content type: image/png"),
        ),
        (
            "/fixed",
            &[],
            "202 content-type: application/xml <b/>".to_owned(),
        ),
        (
            "/fixed",
            &[(super::NAME, "a")],
            "202 content-type: application/xml <a/>".to_owned(),
        ),
        (
            "/fixed",
            &[(super::CODE, "200"), ("accept", "application/json")],
            "200 content-type: application/json 1".to_owned(),
        ),
        (
            "/plain",
            &[],
            "201 x-m: 1|content-type: text/plain; charset=utf-8 <p>".to_owned(),
        ),
        (
            "/cASE",
            &[],
            "200 content-type: text/plain; charset=utf-8 c".to_owned(),
        ),
        ("/other", &[], "next".to_owned()),
    ] {
        assert_eq!(
            shown(step("GET", path, headers, None)),
            expected,
            "{path} {headers:?}"
        );
    }
    assert_eq!(shown(step("HEAD", "/pets", &[], None)), "200  ");
    assert_eq!(shown(step("POST", "/pets", &[], None)), "next");
}

#[test]
fn module_distinguishes_operations_by_parameters() {
    let Step::Need(Need::Extra(call)) = step("GET", "/i/42", &[], None) else {
        unreachable!()
    };
    assert_eq!((call.function, call.max), ("operation", 0));
    assert_eq!(call.facts, r#"{"first":0,"count":2,"segments":["i","42"]}"#);
    for (report, expected) in [
        (
            r#"{"candidate":0}"#,
            "200 content-type: text/plain; charset=utf-8 number",
        ),
        (
            r#"{"candidate":1}"#,
            "200 content-type: text/plain; charset=utf-8 name",
        ),
        ("{}", "next"),
    ] {
        let given = Extracted::Report {
            text: report.to_owned(),
            replaced: false,
        };
        let step = step("GET", "/i/42", &[], Some(given));
        assert_eq!(shown(step), expected, "{report}");
    }
}

//! A filter's input, and the effects of its value.

use gatewright_extra_jq::call;

fn ran(filter: &str, facts: &str, body: &str) -> Vec<String> {
    call("transform", filter, facts, body.as_bytes())
}

#[test]
fn a_filter_gets_body_and_context_and_makes_body_headers_and_variables() {
    let filter = r#"{"body": (.body + {path: ._tyk_context.path, agent: ._gateway_context.headers_User_Agent}),
        "rewrite_headers": {"X-Added": "test", "X-Number": 5}, "tyk_context": {"origin": "CSE", "device": .body.ID}}"#;
    let facts = r#"{"now":5,"context":{"path":"/post","headers_User_Agent":"ua"}}"#;
    assert_eq!(
        ran(filter, facts, r#"{"ID":"d"}"#),
        [
            r#"{"headers":{"X-Added":"test","X-Number":"5"},"context":{"origin":"CSE","device":"d"}}"#,
            r#"{"ID":"d","path":"/post","agent":"ua"}"#
        ]
    );
}

#[test]
fn a_filter_of_an_answer_gets_its_headers() {
    let filter = r#"{"body": .response_headers, "rewrite_headers": {"a": .body.x}}"#;
    let facts = "{\"status\":200,\"headers\":{\"Content-Type\":[\"text/plain\"]}}\n{\"now\":1}";
    assert_eq!(
        ran(filter, facts, r#"{"x":"y"}"#),
        [
            r#"{"headers":{"a":"y"}}"#,
            r#"{"Content-Type":["text/plain"]}"#
        ]
    );
}

#[test]
fn failing_filter_leaves_the_body() {
    for (filter, body, why) in [
        (".body | error(\"no\")", "{}", "no"),
        ("empty", "{}", "the filter makes no value"),
        (".", "no json", "the body is not JSON"),
        (".", "{} {}", "the body is not JSON"),
        ("{}", "{}", "the filter makes no object with a body"),
        (".body.a.b", r#"{"a":5}"#, "cannot index 5 with \"b\""),
        ("{body: ", "{}", "at the end: closing brace was expected"),
        ("{body: nosuch}", "{}", "the filter nosuch is not known"),
        ("{body: $ENV}", "{}", "the variable $ENV is not known"),
        ("{body: env}", "{}", "the filter env is not known"),
        ("{body: input}", "{}", "the filter input is not known"),
        ("import \"a\" as a; .", "{}", "modules can't be loaded here"),
        ("{body: halt}", "{}", "halt is not possible here"),
    ] {
        let answer = ran(filter, "{}", body);
        assert_eq!(answer.len(), 1, "{filter}");
        assert!(
            answer[0].contains(&why.replace('"', "\\\"")),
            "{filter}: {answer:?}"
        );
    }
}

#[test]
fn invalid_filter_has_a_position() {
    for (filter, place) in [
        ("{body: ", r#""line":1,"column":8}"#),
        ("{\n  body: (.body | nosuch)\n}", r#""line":2,"column":18}"#),
        ("{body: \"𝄞\" + $x}", r#""line":1,"column":15}"#),
        ("{body: .a b}", r#""line":1,"column":11}"#),
        ("{body: 1]", r#""line":1,"column":9}"#),
    ] {
        let answer = ran(filter, "{}", "{}").join("");
        assert!(answer.ends_with(place), "{filter}: {answer}");
        assert_eq!(call("check", filter, "", b"").join(""), answer);
    }
}

#[test]
fn checking_does_not_run_the_filter() {
    for filter in [".", "error(\"no\")", "empty", "{body: (1 | tostring)}"] {
        assert_eq!(call("check", filter, "", b"[1"), ["{}"], "{filter}");
    }
}

#[test]
fn missing_body_is_an_empty_object_and_time_is_available() {
    assert_eq!(ran("{body: .body}", "{}", "")[1], "{}");
    assert_eq!(
        ran("{body: now}", "{\"now\":1700000000}", "")[1],
        "1700000000.0"
    );
}

#[test]
fn without_a_body_only_headers_change() {
    assert_eq!(
        ran("{rewrite_headers: {a: null, b: true}}", "{}", "{}"),
        [r#"{"headers":{"b":"true"}}"#]
    );
}

//! What errors look like, compared with recorded answers.

use super::*;
use crate::chain::{Chain, Settings};
use crate::failure::{Failure, Reply};
use crate::testing::chain;
use gatewright_model::json::parse;

const JSON: Client = Client {
    is_head: false,
    format: Format::Json,
};
const HEAD: Client = Client {
    is_head: true,
    format: Format::Json,
};
const XML: Client = Client {
    is_head: false,
    format: Format::Xml("application/xml"),
};

fn rules(overrides: &str) -> Rc<Chain> {
    let definition = format!(r#"{{"error_overrides":{overrides}}}"#);
    chain(&definition, &Settings::default())
}

fn answered(chain: &Chain, failure: Failure, client: Client) -> (u16, String) {
    let answer = chain.errors.answer(&failure.into(), client).answer;
    (answer.status, answer.body)
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    let mut named = headers.iter().filter(|(known, _)| known == name);
    let (_, value) = named.next()?;
    assert!(named.next().is_none(), "{name} twice");
    Some(value)
}

fn json(message: &str) -> String {
    format!("{{\n    \"error\": \"{message}\"\n}}")
}

#[test]
fn an_error_is_answered_in_the_format_of_the_request() {
    let rules = ErrorRules::default();
    for failure in Failure::ALL {
        let answer = rules.answer(&(*failure).into(), JSON).answer;
        assert_eq!(answer.status, failure.status());
        if failure.is_plain_text() {
            assert_eq!(answer.body, failure.message());
            let media = header(&answer.headers, "content-type");
            assert_eq!(media, Some("text/plain; charset=utf-8"));
            assert_eq!(header(&answer.headers, "x-generator"), None);
        } else {
            let read: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
            assert_eq!(read["error"], failure.message());
            assert_eq!(header(&answer.headers, "x-generator"), Some("Gatewright"));
        }
        assert_eq!(rules.answer(&(*failure).into(), HEAD).answer.body, "");
    }
    let xml = rules.answer(&Failure::Quota.into(), XML).answer;
    assert_eq!(
        header(&xml.headers, "content-type"),
        Some("application/xml")
    );
    assert_eq!(
        xml.body,
        "<?xml version = \"1.0\" encoding = \"UTF-8\"?>\n<error>Quota exceeded</error>\n"
    );
}

#[test]
fn headers_of_the_error_stay() {
    let Reply::Failure(mut reply) = Reply::saying(Failure::CredentialMissing, "a \"b\"".into())
    else {
        unreachable!()
    };
    reply.headers = vec![("www-authenticate".into(), "Basic".into())];
    let chain = rules(r#"{"401":[{"response":{"headers":{"X-Kind":" k\r\nl "}}}]}"#);
    let answer = chain.errors.answer(&reply, JSON).answer;
    assert_eq!(header(&answer.headers, "www-authenticate"), Some("Basic"));
    assert_eq!(header(&answer.headers, "x-kind"), Some("k  l"));
    assert_eq!((answer.status, answer.body), (401, json("a \\\"b\\\"")));
}

const BY_STATUS: &str = r#"{
    "401":[{"response":{"status_code":407,"message":"Send <your> key","headers":{"X-Help":"https://docs"}}},
           {"response":{"status_code":402,"message":"never"}}],
    "4xx":[{"response":{"status_code":0,"body":"{\"problem\":{{.StatusCode}}}",
            "headers":{"X-Kind":"client","Content-Type":"application/problem+json"}}}],
    "429":[{"response":{"body":"slow down","headers":{"Content-Type":"text/plain"}}}],
    "500":[],"4XX":[{"response":{"message":"never"}}],"40x":[],"4":[]}"#;

#[test]
fn an_exact_status_comes_before_its_class() {
    let chain = rules(BY_STATUS);
    let missing = Failure::CredentialMissing;
    assert_eq!(
        answered(&chain, missing, JSON),
        (407, json("Send \\u003Cyour\\u003E key"))
    );
    let (_, xml) = answered(&chain, missing, XML);
    assert!(xml.ends_with("<error>Send &lt;your&gt; key</error>\n"));
    let unknown = Failure::CredentialUnknown.into();
    let found = chain.errors.answer(&unknown, HEAD);
    assert_eq!(found.rule, Some("/error_overrides/4xx/0"));
    assert_eq!((found.answer.status, found.answer.body.as_str()), (403, ""));
    let headers = found.answer.headers;
    assert_eq!(header(&headers, "x-kind"), Some("client"));
    assert_eq!(
        header(&headers, "content-type"),
        Some("application/problem+json")
    );
    assert_eq!(
        answered(&chain, Failure::EndpointForbidden, JSON),
        (403, r#"{"problem":403}"#.to_owned())
    );
    assert_eq!(
        answered(&chain, Failure::RateLimit, JSON),
        (429, "slow down".to_owned())
    );
    assert_eq!(
        answered(&chain, Failure::Upstream, JSON),
        (500, json(Failure::Upstream.message()))
    );
    assert_eq!(answered(&chain, Failure::NoRoute, JSON).1, "Not Found");
    assert_eq!(
        chain.origins.last().map(|origin| origin.link),
        Some("error_overrides")
    );
}

#[test]
fn a_rule_can_ask_for_the_kind_or_the_message() {
    let chain = rules(
        r#"{"403":[{"match":{"flag":"QEX","message_pattern":"this resource"},"response":{"status_code":429,"message":"flag QEX"}},
                   {"match":{"message_pattern":"(?i)FORBIDDEN"},"response":{"status_code":200,"message":"nothing here"}},
                   {"match":{"body_field":"error"},"response":{"message":"never"}},
                   {"match":{"message_pattern":"("},"response":{"message":"never"}},
                   {"match":{"flag":"EAD","message_pattern":"("},"response":{"message":"never"}},
                   {"response":{"body":"{{.Message"}},{"response":{"template":"file"}},
                   {"match":{},"response":{"template":"error","message":"go away"}}],
            "5xx":[{"match":{"flag":"UCF"},"response":{"status_code":502,"message":"flag UCF"}}]}"#,
    );
    for (failure, answer) in [
        (Failure::Quota, (429, json("flag QEX"))),
        (Failure::ResourceDisallowed, (429, json("flag QEX"))),
        (Failure::EndpointForbidden, (200, json("nothing here"))),
        (Failure::ApiDisallowed, (403, json("go away"))),
        (Failure::UpstreamRefused, (502, json("flag UCF"))),
        (Failure::Upstream, (500, json(Failure::Upstream.message()))),
    ] {
        assert_eq!(answered(&chain, failure, JSON), answer, "{failure:?}");
    }
    let flagged = FailureReply {
        flag: Some("QEX".to_owned()),
        ..Failure::CredentialUnknown.into()
    };
    assert_eq!(chain.errors.answer(&flagged, JSON).answer.status, 429);
}

#[test]
fn variables_are_escaped_for_the_response_format() {
    for (media, client, body) in [
        (
            "application/xml; charset=utf-8",
            JSON,
            "a &amp; &#34;b&#34;",
        ),
        ("application/problem+xml", JSON, "a &amp; &#34;b&#34;"),
        ("application/problem+json", XML, "a \\u0026 \\\"b\\\""),
        ("text/plain", JSON, "a \\u0026 \\\"b\\\""),
        ("text/plain", XML, "a &amp; &#34;b&#34;"),
    ] {
        let chain = rules(&format!(
            r#"{{"403":[{{"response":{{"headers":{{"Content-Type":"{media}"}},"message":"a & \"b\"","body":"{{{{.Message}}}}"}}}}]}}"#
        ));
        assert_eq!(
            answered(&chain, Failure::Quota, client),
            (403, body.to_owned()),
            "{media}"
        );
    }
}

#[test]
fn the_rules_of_the_gateway_come_after_those_of_the_api() {
    let overrides = r#"{"403":[{"response":{"message":"gateway"}}],"5xx":[{"response":{"message":"gateway"}}]}"#;
    let messages = r#"{"auth.auth_field_missing":{"message":"Who?","code":499},"auth.key_not_found":{"message":"","code":0}}"#;
    let errors = GatewayErrors::read(
        Some(&parse(overrides).unwrap()),
        Some(&parse(messages).unwrap()),
        true,
    );
    let settings = Settings {
        errors: Rc::new(errors),
        ..Settings::default()
    };
    let own =
        r#""error_overrides":{"4xx":[{"match":{"flag":"QEX"},"response":{"message":"own"}}]}"#;
    let api = chain(&format!("{{{own}}}"), &settings);
    assert_eq!(answered(&api, Failure::Quota, JSON), (403, json("own")));
    assert_eq!(
        answered(&api, Failure::CredentialUnknown, JSON),
        (403, json("gateway"))
    );
    assert_eq!(
        answered(&api, Failure::CredentialMissing, JSON),
        (499, json("Who?"))
    );
    let answer = api.errors.answer(&Failure::Quota.into(), JSON).answer;
    assert_eq!(header(&answer.headers, "x-generator"), None);
    let off = chain(
        &format!(r#"{{"error_overrides_disabled":true,{own}}}"#),
        &settings,
    );
    assert_eq!(answered(&off, Failure::Quota, JSON), (403, json("gateway")));
    assert!(!off.is_plain());
}

const OF_UPSTREAM: &str = r#"{
    "500":[{"response":{"status_code":504,"message":"The database is slow"},"match":{"body_field":"error.code","body_value":"DB_TIMEOUT"}},
           {"response":{"status_code":502,"body":"{\"error\":\"upstream said no\"}"},"match":{"message_pattern":"(?i)stack trace"}}],
    "404":[{"response":{"status_code":410,"headers":{"X-Gone":"yes"}}}],
    "409":[{"match":{"body_field":"code","body_value":"E[0-9]+"},"response":{"status_code":422}}],
    "5xx":[{"response":{"body":"{\"error\":\"try later\"}","headers":{"X-Retry":"5"}},"match":{"flag":"URS"}}],
    "422":[{"match":{"flag":"URS"},"response":{"message":"never"}}],
    "502":[{"match":{"flag":"URS","message_pattern":"x"},"response":{"message":"flag"}}],
    "410":[{"match":{"flag":"URS","body_field":"code","body_value":"E1"},"response":{"status_code":404}}],
    "200":[{"response":{"status_code":500,"message":"never"}}]}"#;

#[test]
fn status_decides_whether_the_body_is_read() {
    let chain = rules(OF_UPSTREAM);
    let body = Inspect::Body { max: 4096 };
    for (status, client, inspects) in [
        (500, JSON, body),
        (500, HEAD, Inspect::Head),
        (503, JSON, Inspect::Head),
        (404, JSON, Inspect::Head),
        (409, JSON, body),
        (409, HEAD, Inspect::No),
        (422, JSON, Inspect::No),
        (502, JSON, Inspect::Head),
        (410, JSON, Inspect::No),
        (429, JSON, Inspect::No),
        (200, JSON, Inspect::No),
    ] {
        assert_eq!(chain.errors.inspects(status, client), inspects, "{status}");
    }
    assert!(rules("{}").is_plain());
}

#[test]
fn upstream_error_is_replaced() {
    let chain = rules(OF_UPSTREAM);
    let upstream = |status, body, client| {
        let found = chain.errors.upstream(status, body, client)?;
        Some((found.status, found.headers, found.body))
    };
    let typed = |media: &str| vec![("content-type".to_owned(), media.to_owned())];
    let long = format!(
        r#"{{"error":{{"code":"DB_TIMEOUT"}},"x":"{}é"}}"#,
        "é".repeat(4096)
    );
    for body in [r#"{"error":{"code":"DB_TIMEOUT"}}"#, &long] {
        assert_eq!(
            upstream(500, Some(body), JSON),
            Some((
                504,
                typed("application/json"),
                Some(json("The database is slow"))
            ))
        );
    }
    assert_eq!(
        upstream(500, Some("<pre>Stack Trace: x</pre>"), JSON),
        Some((
            502,
            typed("application/json"),
            Some(r#"{"error":"upstream said no"}"#.into())
        ))
    );
    let late = || {
        let mut headers = typed("application/json");
        headers.push(("x-retry".to_owned(), "5".to_owned()));
        headers
    };
    let body = Some(r#"{"error":"try later"}"#.to_owned());
    let behind = format!("{}stack trace", " ".repeat(4096));
    for other in ["{}", &behind] {
        assert_eq!(
            upstream(500, Some(other), JSON),
            Some((500, late(), body.clone()))
        );
    }
    assert_eq!(
        upstream(500, None, HEAD),
        Some((500, late(), Some(String::new())))
    );
    let (_, headers, _) = upstream(503, None, XML).unwrap();
    assert_eq!(header(&headers, "content-type"), Some("application/xml"));
    let gone = vec![("x-gone".to_owned(), "yes".to_owned())];
    assert_eq!(upstream(404, None, JSON), Some((410, gone, None)));
    assert_eq!(
        upstream(409, Some(r#"{"code":"E12"}"#), JSON),
        Some((422, Vec::new(), None))
    );
    assert_eq!(upstream(409, Some(r#"{"code":"x"}"#), JSON), None);
    assert_eq!(upstream(409, Some(r#"{"code":"xE12"}"#), JSON), None);
    assert_eq!(upstream(410, Some(r#"{"code":"E1"}"#), JSON), None);
    assert_eq!(upstream(200, None, JSON), None);
    assert_eq!(upstream(429, None, JSON), None);
}

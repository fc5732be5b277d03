use crate::testing::{End, Sent, send};

const ORIGIN: (&str, &str) = ("Origin", "https://app.example.com");
const METHOD: &str = "Access-Control-Request-Method";
const HEADERS: &str = "Access-Control-Request-Headers";
const PREFLIGHT_VARY: &str =
    "vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers";

fn listed(more: &str) -> String {
    format!(
        r#"{{"blacklisted_ips":["192.0.2.66"],"CORS":{{"enable":true,"allowed_origins":["https://app.example.com","https://*.shop.example"],
            "allowed_methods":["GET","PUT"],"allowed_headers":["Authorization","X-Trace"],
            "exposed_headers":["x-page-count","X-Total"],"allow_credentials":true,"max_age":600{more}}}}}"#
    )
}

fn lines(headers: &[(String, String)]) -> Vec<String> {
    let line = |(name, value): &(String, String)| format!("{name}: {value}");
    headers.iter().map(line).collect()
}

fn options(definition: &str, headers: &[(&str, &str)]) -> (u16, Vec<String>) {
    let sent = send(definition, "OPTIONS", "/orders", headers);
    let answer = sent.answer().unwrap();
    assert_eq!(answer.body, "");
    (answer.status, lines(&answer.headers))
}

fn of_upstream(sent: &Sent, headers: &[(&str, &str)]) -> Vec<String> {
    lines(&sent.answered(headers))
}

#[test]
fn allowed_preflight_is_granted() {
    let definition = listed("");
    let asked = [ORIGIN, (METHOD, "PUT"), (HEADERS, "x-trace, Authorization")];
    assert_eq!(
        options(&definition, &asked),
        (
            204,
            [
                PREFLIGHT_VARY,
                "access-control-allow-origin: https://app.example.com",
                "access-control-allow-methods: PUT",
                "access-control-allow-headers: x-trace, Authorization",
                "access-control-allow-credentials: true",
                "access-control-max-age: 600",
            ]
            .map(str::to_owned)
            .to_vec()
        )
    );
}

#[test]
fn disallowed_preflight_is_not_granted() {
    let definition = listed("");
    for asked in [
        vec![ORIGIN, (METHOD, "DELETE")],
        vec![ORIGIN, (METHOD, "put")],
        vec![ORIGIN, (METHOD, "PUT"), (HEADERS, "x-other")],
        vec![("Origin", "https://evil.example"), (METHOD, "PUT")],
        vec![("Origin", "https://app.example.com:444"), (METHOD, "PUT")],
        vec![(METHOD, "PUT")],
    ] {
        let expected = (204, vec![PREFLIGHT_VARY.to_owned()]);
        assert_eq!(options(&definition, &asked), expected, "{asked:?}");
    }
}

#[test]
fn another_options_is_answered_too() {
    let definition = listed("");
    assert_eq!(
        options(&definition, &[ORIGIN]),
        (
            200,
            [
                "vary: Origin",
                "access-control-allow-origin: https://app.example.com",
                "access-control-allow-credentials: true",
                "access-control-expose-headers: X-Page-Count, X-Total",
            ]
            .map(str::to_owned)
            .to_vec()
        )
    );
    assert_eq!(
        options(&definition, &[]),
        (200, vec!["vary: Origin".to_owned()])
    );
}

#[test]
fn empty_lists_have_defaults() {
    let definition =
        r#"{"CORS":{"enable":true,"allowed_origins":[],"max_age":-1,"allow_credentials":true}}"#;
    for (method, headers, is_allowed) in [
        ("POST", "x-requested-with,accept, Content-Type", true),
        ("HEAD", "", true),
        ("OPTIONS", "", true),
        ("PUT", "", false),
        ("GET", "authorization", false),
    ] {
        let (status, lines) = options(definition, &[ORIGIN, (METHOD, method), (HEADERS, headers)]);
        assert_eq!(status, 204);
        let origin = "access-control-allow-origin: *".to_owned();
        assert_eq!(lines.contains(&origin), is_allowed, "{method} {headers}");
        let age = "access-control-max-age: 0".to_owned();
        assert_eq!(lines.contains(&age), is_allowed, "{method} {headers}");
        let has_headers = lines
            .iter()
            .any(|line| line.starts_with("access-control-allow-headers"));
        assert_eq!(
            has_headers,
            is_allowed && !headers.is_empty(),
            "{method} {headers}"
        );
    }
    let any = r#"{"CORS":{"enable":true,"allowed_headers":["*"]}}"#;
    let (_, lines) = options(any, &[ORIGIN, (METHOD, "GET"), (HEADERS, "x-any")]);
    assert_eq!(lines.len(), 4);
}

#[test]
fn origins_match_in_full_ignoring_case() {
    let definition = listed("");
    for (origin, is_allowed) in [
        ("https://App.Example.Com", true),
        ("https://a.b.shop.example", true),
        ("https://shop.example", false),
        ("https://.shop.example.evil", false),
        ("http://app.example.com", false),
        ("null", false),
    ] {
        let sent = send(&definition, "GET", "/", &[("Origin", origin)]);
        let line = format!("access-control-allow-origin: {origin}");
        assert_eq!(
            of_upstream(&sent, &[]).contains(&line),
            is_allowed,
            "{origin}"
        );
    }
}

#[test]
fn upstream_response_gets_cors_headers() {
    let definition = listed("");
    let upstream = [
        ("Vary", "Accept-Language"),
        ("Access-Control-Allow-Origin", "https://other.example"),
        ("Access-Control-Allow-Methods", "POST"),
    ];
    let allowed = send(&definition, "GET", "/", &[ORIGIN]);
    assert_eq!(allowed.end, End::Sent);
    assert_eq!(
        of_upstream(&allowed, &upstream),
        [
            "Vary: Origin, Accept-Language",
            "Access-Control-Allow-Methods: POST",
            "access-control-allow-origin: https://app.example.com",
            "access-control-allow-credentials: true",
            "access-control-expose-headers: X-Page-Count, X-Total",
        ]
    );
    for (method, headers) in [
        ("GET", vec![("Origin", "https://evil.example")]),
        ("POST", vec![ORIGIN]),
        ("GET", vec![]),
    ] {
        let sent = send(&definition, method, "/", &headers);
        let lines = of_upstream(&sent, &upstream);
        assert_eq!(lines[0], "Vary: Origin, Accept-Language");
        assert_eq!(
            lines[1],
            "Access-Control-Allow-Origin: https://other.example"
        );
        assert_eq!(lines.len(), 3, "{method} {headers:?}");
    }
}

#[test]
fn later_refusals_get_cors_headers() {
    let blocked = [ORIGIN, ("X-Real-IP", "192.0.2.66")];
    let refused = send(&listed(""), "GET", "/", &blocked);
    assert_eq!(refused.status(), Some(403));
    assert_eq!(refused.exchange.every_answer.len(), 4);
}

#[test]
fn options_can_be_left_to_the_upstream() {
    let definition = listed(r#","options_passthrough":true"#);
    let asked = [ORIGIN, (METHOD, "PUT"), ("X-Real-IP", "192.0.2.66")];
    let sent = send(&definition, "OPTIONS", "/", &asked);
    assert_eq!(sent.end, End::Sent);
    assert!(sent.exchange.every_answer.is_empty());
    let other = send(&definition, "GET", "/", &[ORIGIN]);
    assert_eq!(other.exchange.every_answer.len(), 4);
}

#[test]
fn disabled_by_default() {
    for definition in [
        r#"{"CORS":{"allowed_origins":["*"]}}"#,
        r#"{"CORS":{"enable":false}}"#,
        "{}",
    ] {
        assert_eq!(send(definition, "OPTIONS", "/", &[ORIGIN]).end, End::Sent);
    }
}

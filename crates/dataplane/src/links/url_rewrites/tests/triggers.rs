use super::{GET, TestRequest, ask, definition, shown};
use crate::testing::End;

/// Where a request goes under a rule with triggers.
fn routed(rest: &str, triggers: &str, asked: &TestRequest<'_>) -> String {
    let method = asked.method;
    let rule = format!(
        r#"{{"path":"","method":"{method}","match_pattern":"/p/(.*)","rewrite_to":"/default/$1","triggers":[{triggers}]}}"#
    );
    shown(&ask(&definition(rest, &rule), asked))
}

fn trigger(on: &str, options: &str, to: &str) -> String {
    format!(r#"{{"on":"{on}","options":{{{options}}},"rewrite_to":"{to}"}}"#)
}

fn header(triggers: &str, headers: &[(&str, &str)]) -> String {
    let path = "/base/p/x";
    routed(
        "",
        triggers,
        &TestRequest {
            path,
            headers,
            ..GET
        },
    )
}

#[test]
fn headers() {
    let options =
        r#""header_matches":{"x-kind":{"match_rx":"^(vip)-(\\w+)$"},"X-B":{"match_rx":"b"}}"#;
    let to = "/k/$1/$gateway_context.trigger-0-X-Kind-0/$gateway_context.trigger-0-X-Kind-0-1/$gateway_context.trigger-0-x-kind-0-0";
    let any = trigger("any", options, to);
    let all = trigger("all", options, to);
    let both = [("x-kind", "vip-eu"), ("x-b", "abc")];
    assert_eq!(header(&any, &both[..1]), "/k/x/vip-eu/eu/vip");
    assert_eq!(header(&all, &both), "/k/x/vip-eu/eu/vip");
    assert_eq!(header(&all, &both[..1]), "/default/x");
    assert_eq!(header(&any, &[("x-kind", "other")]), "/default/x");
    let reverse = trigger(
        "all",
        r#""header_matches":{"X-A":{"match_rx":"^a$","reverse":true}}"#,
        "/not-a",
    );
    assert_eq!(header(&reverse, &[("x-a", "b")]), "/not-a");
    assert_eq!(header(&reverse, &[("x-a", "a")]), "/default/x");
    assert_eq!(header(&reverse, &[]), "/default/x");
    let host = trigger(
        "any",
        r#""header_matches":{"host":{"match_rx":"."},"X-A":{"match_rx":"a"}}"#,
        "/host",
    );
    assert_eq!(header(&host, &[("host", "a")]), "/default/x");
    assert_eq!(header(&host, &[("host", "a"), ("x-a", "a")]), "/host");
    let broken = trigger(
        "all",
        r#""header_matches":{"X-A":{"match_rx":"a(","reverse":true}}"#,
        "/never",
    );
    assert_eq!(header(&broken, &[("x-a", "b")]), "/default/x");
}

#[test]
fn first_matching_trigger_wins() {
    let two = [
        trigger("any", "", "/never"),
        trigger(
            "any",
            r#""header_matches":{"X-A":{"match_rx":"1"}}"#,
            "/one",
        ),
        trigger(
            "any",
            r#""header_matches":{"X-A":{"match_rx":"2"}}"#,
            "/two",
        ),
    ];
    let two = two.join(",");
    assert_eq!(header(&two, &[("x-a", "12")]), "/one");
    assert_eq!(header(&two, &[("x-a", "2")]), "/two");
    assert_eq!(header(&two, &[]), "/default/x");
    assert_eq!(header(&trigger("all", "", "/always"), &[]), "/always");
    assert_eq!(header(r#"{"rewrite_to":"/always"}"#, &[]), "/always");
    assert_eq!(
        header(&trigger("all", "", "gateway://self/y"), &[]),
        "gateway://self/y"
    );
}

#[test]
fn query_values() {
    let triggers = [
        trigger(
            "any",
            r#""query_val_matches":{"region":{"match_rx":"^eu-(\\w+)$"}}"#,
            "/region/$gateway_context.trigger-0-region-0-0",
        ),
        trigger(
            "all",
            r#""query_val_matches":{"a":{"match_rx":"^1$"},"b":{"match_rx":"^$"}}"#,
            "/both/$gateway_context.trigger-1-a-0",
        ),
        trigger(
            "any",
            r#""query_val_matches":{"list":{"match_rx":"^[xy]$"}}"#,
            "/second/$gateway_context.trigger-2-list-1",
        ),
    ];
    let triggers = triggers.join(",");
    for (query, expected) in [
        ("region=eu-west", "/region/west"),
        ("region=us-east&b=", "/default/x?region=us-east&b="),
        ("a=1&b=", "/both/1"),
        ("a=1", "/default/x?a=1"),
        ("list=x&list=y", "/second/y"),
        ("list=z&list=y", "/second/y"),
        ("list=x&list=z", "/second/"),
    ] {
        let path = &format!("/base/p/x?{query}");
        assert_eq!(
            routed("", &triggers, &TestRequest { path, ..GET }),
            expected,
            "{query}"
        );
    }
}

#[test]
fn parts_of_the_path() {
    let triggers = [
        trigger(
            "any",
            r#""path_part_matches":{"pathpart":{"match_rx":"^v([0-9]+)$"}}"#,
            "/versioned/$gateway_context.trigger-0-pathpart-0-0/$1",
        ),
        trigger(
            "any",
            r#""path_part_matches":{"seg":{"match_rx":"^dup"}}"#,
            "/twice/$gateway_context.trigger-1-seg-0/$gateway_context.trigger-1-seg-1",
        ),
        trigger(
            "any",
            r#""path_part_matches":{"none":{"match_rx":"^stop$","reverse":true}}"#,
            "/no-stop",
        ),
    ];
    let triggers = triggers.join(",");
    for (path, expected) in [
        ("/base/p/v2/items?x=1", "/versioned/2/v2/items?x=1"),
        ("/base/p/dup1/mid/dup2", "/twice/dup/dup"),
        ("/base/p/stop", "/default/stop"),
        ("/base/p/go", "/no-stop"),
    ] {
        assert_eq!(
            routed("", &triggers, &TestRequest { path, ..GET }),
            expected,
            "{path}"
        );
    }
    // A condition of an OpenAPI document names a parameter of its path.
    let rule = r#"{"path":"/p/{kind}/{id}","method":"GET","match_pattern":".*","rewrite_to":"/default",
        "triggers":[{"on":"all","options":{"path_part_matches":{"id":{"match_rx":"^a"}}},"rewrite_to":"/a"}]}"#;
    let oas = definition(r#""is_oas":true,"#, rule);
    for (path, expected) in [("/base/p/b/a1", "/a"), ("/base/p/a/b", "/default")] {
        assert_eq!(
            shown(&ask(&oas, &TestRequest { path, ..GET })),
            expected,
            "{path}"
        );
    }
}

#[test]
fn context_and_metadata_compare_as_strings() {
    let on = r#""enable_context_vars":true,"#;
    let triggers = [
        trigger(
            "any",
            r#""request_context_matches":{"headers_X_Kind":{"match_rx":"^(vip)-(\\w+)$"}}"#,
            "/kind/$gateway_context.trigger-0-headers_X_Kind/$gateway_context.trigger-0-headers_X_Kind-1",
        ),
        trigger(
            "all",
            r#""request_context_matches":{"request_data_a":{"match_rx":"^1"},"cookies_sid":{"match_rx":"^s"}}"#,
            "/pair/$gateway_context.request_data_a",
        ),
        trigger(
            "any",
            r#""request_context_matches":{"path_parts":{"match_rx":"p"}}"#,
            "/parts",
        ),
    ];
    let triggers = triggers.join(",");
    let vip = [("x-kind", "vip-eu")];
    let kind = TestRequest {
        path: "/base/p/x",
        headers: &vip,
        ..GET
    };
    assert_eq!(routed(on, &triggers, &kind), "/kind/vip-eu/eu");
    assert_eq!(routed("", &triggers, &kind), "/default/x");
    let pair = TestRequest {
        path: "/base/p/x?a=12",
        headers: &[("cookie", "sid=s1")],
        ..GET
    };
    assert_eq!(routed(on, &triggers, &pair), "/pair/12");

    let meta = trigger(
        "all",
        r#""session_meta_matches":{"tier":{"match_rx":"^(g)old$"}}"#,
        "/$gateway_context.trigger-0-tier/$gateway_context.trigger-0-tier-0/$gateway_meta.tier",
    );
    for (tier, expected) in [
        (r#"{"tier":"gold"}"#, "/gold/g/gold"),
        (r#"{"tier":"iron"}"#, "/default/x"),
        (r#"{"tier":7}"#, "/default/x"),
        ("", "/default/x"),
    ] {
        let asked = TestRequest {
            path: "/base/p/x",
            meta: tier,
            ..GET
        };
        assert_eq!(routed("", &meta, &asked), expected, "{tier}");
    }
    let number = trigger(
        "all",
        r#""session_meta_matches":{"n":{"match_rx":"7"}}"#,
        "/never",
    );
    let asked = TestRequest {
        path: "/base/p/x",
        meta: r#"{"n":7}"#,
        ..GET
    };
    assert_eq!(routed("", &number, &asked), "/default/x");
}

#[test]
fn claims_compare_as_strings() {
    let on = r#""enable_context_vars":true,"#;
    let triggers = [
        trigger(
            "any",
            r#""request_context_matches":{"jwt_claims_n":{"match_rx":"2"},"jwt_claims_l":{"match_rx":"a"},"jwt_claims_b":{"match_rx":"t"}}"#,
            "/never",
        ),
        trigger(
            "any",
            r#""request_context_matches":{"jwt_claims_sub":{"match_rx":"^an"}}"#,
            "/$gateway_context.jwt_claims_sub/$gateway_context.jwt_claims_n/$gateway_context.jwt_claims_l/$gateway_context.jwt_claims_b",
        ),
    ];
    let asked = TestRequest {
        path: "/base/p/x",
        claims: r#"{"sub":"ann","n":2.5e1,"l":["a",1],"b":true,"o":{}}"#,
        ..GET
    };
    assert_eq!(
        routed(on, &triggers.join(","), &asked),
        "/ann/25/a%2C1/true"
    );
}

fn post<'a>(path: &'a str, body: &'a str) -> TestRequest<'a> {
    TestRequest {
        method: "POST",
        path,
        body,
        ..GET
    }
}

#[test]
fn payloads() {
    let words = trigger(
        "all",
        r#""payload_matches":{"match_rx":"(w)(\\d)"}"#,
        "/$gateway_context.trigger-0-payload/$gateway_context.trigger-0-payload-1/$gateway_context.trigger-0-payload-1-1",
    );
    assert_eq!(
        routed("", &words, &post("/base/p/x", "w1 and w2")),
        "/w1/w2/2"
    );
    assert_eq!(routed("", &words, &post("/base/p/x", "none")), "/default/x");
    let anything = trigger("all", r#""payload_matches":{"match_rx":".*"}"#, "/some");
    assert_eq!(routed("", &anything, &post("/base/p/x", "")), "/default/x");
    let reverse = trigger(
        "all",
        r#""payload_matches":{"match_rx":"stop","reverse":true}"#,
        "/go",
    );
    assert_eq!(routed("", &reverse, &post("/base/p/x", "")), "/go");
    assert_eq!(
        routed("", &reverse, &post("/base/p/x", "stop")),
        "/default/x"
    );
    let long = "x".repeat(65);
    assert_eq!(
        routed("", &reverse, &post("/base/p/x", &long)),
        "request entity too large"
    );
}

#[test]
fn body_is_read_only_if_it_decides() {
    let long = "x".repeat(65);
    let options = r#""header_matches":{"X-A":{"match_rx":"a"}},"payload_matches":{"match_rx":"x"}"#;
    let with = |on: &str, headers: &[(&str, &str)]| {
        let asked = TestRequest {
            headers,
            ..post("/base/p/x", &long)
        };
        routed("", &trigger(on, options, "/t"), &asked)
    };
    assert_eq!(with("all", &[]), "/default/x");
    assert_eq!(with("any", &[("x-a", "a")]), "/t");
    assert_eq!(with("all", &[("x-a", "a")]), "request entity too large");
    // If the address doesn't match, there is nothing to decide.
    let rule = r#"{"path":"","method":"POST","match_pattern":"/other","rewrite_to":"/d",
        "triggers":[{"options":{"payload_matches":{"match_rx":"x"}},"rewrite_to":"/t"}]}"#;
    assert_eq!(
        ask(&definition("", rule), &post("/base/p/x", &long)).end,
        End::Sent
    );
}

#[test]
fn form_fields_are_matched() {
    let on = r#""enable_context_vars":true,"#;
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let fields = trigger(
        "all",
        r#""request_context_matches":{"request_data_a":{"match_rx":"^1$"}}"#,
        "/f/$gateway_context.request_data_b",
    );
    let asked = TestRequest {
        headers: &form,
        ..post("/base/p/x", "a=1&b=two")
    };
    assert_eq!(routed(on, &fields, &asked), "/f/two");
}

#[test]
fn several_kinds_in_one() {
    let options = r#""header_matches":{"X-A":{"match_rx":"a"}},"query_val_matches":{"q":{"match_rx":"[0-9]+"}},"payload_matches":{"match_rx":"\\w+"}"#;
    let all = trigger(
        "all",
        options,
        "/all/$gateway_context.trigger-0-q-0/$gateway_context.trigger-0-payload-0",
    );
    let headers = [("x-a", "a")];
    let asked = |body| TestRequest {
        headers: &headers,
        ..post("/base/p/x?q=12", body)
    };
    assert_eq!(routed("", &all, &asked("word")), "/all/12/word");
    assert_eq!(routed("", &all, &asked("")), "/default/x?q=12");
    // Of `any`, only the first kind that holds sets variables.
    let any = trigger(
        "any",
        options,
        "/any/$gateway_context.trigger-0-X-A-0/$gateway_context.trigger-0-q-0/$gateway_context.trigger-0-payload-0",
    );
    assert_eq!(routed("", &any, &asked("word")), "/any/a//");
    let other = TestRequest {
        headers: &[("x-a", "b")],
        ..asked("word")
    };
    assert_eq!(routed("", &any, &other), "/any//12/");
}

use crate::exchange::Entry;
use crate::failure::Reply;
use crate::testing::{End, Sent, request, send, send_body};

fn version(inside: &str) -> String {
    format!(r#"{{"version_data":{{"versions":{{"v":{{{inside}}}}}}}}}"#)
}

fn extended(lists: &str) -> String {
    version(&format!(
        r#""use_extended_paths":true,"extended_paths":{{{lists}}}"#
    ))
}

fn status(definition: &str, method: &str, path: &str) -> Option<u16> {
    send(definition, method, path, &[]).status()
}

/// Sends a request that comes from another chain.
fn looped(definition: &str, method: &str, path: &str) -> Sent {
    let mut request = request(method, path, &[]);
    request.entry = Entry::Loop { counts: false };
    send_body(definition, request, "")
}

#[test]
fn an_allow_list_refuses_all_else() {
    let definition = extended(
        r#""white_list":[{"path":"/pets","method":"GET"},{"path":"/pets","method":"POST"},{"path":"/any"},
            {"path":"/lower","method":"get"},{"path":"/off","disabled":true},{"path":"/Case","ignore_case":true}]"#,
    );
    for (method, path, refused) in [
        ("GET", "/pets?x=1", false),
        ("POST", "/pets", false),
        ("PUT", "/pets", true),
        ("HEAD", "/pets", true),
        ("OPTIONS", "/any", false),
        ("GET", "/lower", true),
        ("GET", "/off", true),
        ("GET", "/CASE/x", false),
        ("GET", "/Pets", true),
        ("GET", "/", true),
    ] {
        let expected = refused.then_some(403);
        assert_eq!(
            status(&definition, method, path),
            expected,
            "{method} {path}"
        );
    }
}

#[test]
fn mcp_method_allow_list_applies_to_messages() {
    let list = |rows: &str| {
        let lists = extended(&format!(r#""white_list":[{rows}]"#));
        format!(
            r#"{{"application_protocol":"mcp","use_keyless":true,{}"#,
            lists.strip_prefix('{').unwrap()
        )
    };
    let message = |name: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{name}","params":{{"name":"a"}}}}"#)
    };
    let refusal = |definition: &str, method: &str, body: &str| {
        let request = request(method, "/", &[("Content-Type", "application/json")]);
        match send_body(definition, request, body).end {
            End::Reply(Reply::Failure(reply)) => Some(reply.message.into_owned()),
            _ => None,
        }
    };
    let of_message = Some("Access to this operation has been disallowed");
    let of_path = Some("Requested endpoint is forbidden");
    let methods = r#"{"path":"/tools/call","method":"POST"}"#;
    for (rows, method, body, expected) in [
        (methods, "POST", message("tools/call"), None),
        (methods, "POST", message("tools/list"), of_message),
        (methods, "POST", message("initialize"), of_message),
        // An answer to the server has no method.
        (
            methods,
            "POST",
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(),
            None,
        ),
        (methods, "GET", String::new(), None),
        (methods, "DELETE", String::new(), None),
        (
            r#"{"path":"/health","method":"GET"}"#,
            "GET",
            String::new(),
            of_path,
        ),
        (
            r#"{"path":"/health","method":"GET"}"#,
            "DELETE",
            String::new(),
            None,
        ),
        (
            r#"{"path":"/health","method":"GET"}"#,
            "POST",
            message("tools/call"),
            of_message,
        ),
        (r#"{"path":"/any"}"#, "GET", String::new(), of_path),
    ] {
        assert_eq!(
            refusal(&list(rows), method, &body).as_deref(),
            expected,
            "{rows} {method} {body}"
        );
    }
}

#[test]
fn list_of_disabled_rows_has_no_effect() {
    let definition = extended(r#""white_list":[{"path":"/a","disabled":true}]"#);
    assert_eq!(status(&definition, "GET", "/b"), None);
}

#[test]
fn actions_answer_on_every_list_and_leave_the_other_methods() {
    let reply = r#"{"action":"reply","code":418,"data":"short","headers":{"X-Pot":"tea"}}"#;
    let go = r#"{"action":"no_action","code":200,"data":"","headers":{}}"#;
    let row = |path: &str| {
        format!(r#"[{{"path":"{path}","method_actions":{{"GET":{reply},"POST":{go}}}}}]"#)
    };
    let (allow, block, ignore) = (row("/allow"), row("/block"), row("/ignore"));
    let definition = extended(&format!(
        r#""white_list":{allow},"black_list":{block},"ignored":{ignore}"#
    ));
    for path in ["/allow", "/block", "/ignore"] {
        let answered = send(&definition, "GET", path, &[]);
        let answer = answered.answer().unwrap();
        assert_eq!((answer.status, answer.body.as_str()), (418, "short"));
        assert_eq!(answer.headers.first().unwrap().1, "tea");
        assert!(!answered.exchange.ignored);
    }
    for (method, path, expected) in [
        ("POST", "/allow", None),
        ("PUT", "/allow", Some(403)),
        ("POST", "/block", Some(403)),
        ("POST", "/ignore", None),
        ("PUT", "/ignore", Some(403)),
    ] {
        assert_eq!(
            status(&definition, method, path),
            expected,
            "{method} {path}"
        );
    }
    let only_reply = extended(&format!(
        r#""white_list":[{{"path":"/a","method_actions":{{"GET":{reply}}}}}]"#
    ));
    assert_eq!(status(&only_reply, "POST", "/a"), Some(403));
}

#[test]
fn ignored_beats_blocked_and_blocked_beats_allowed() {
    let definition = extended(
        r#""ignored":[{"path":"/ib"},{"path":"/iw"},{"path":"/one","method":"GET"}],
            "black_list":[{"path":"/ib"},{"path":"/bw"},{"path":"/one"}],
            "white_list":[{"path":"/iw"},{"path":"/bw"},{"path":"/w"}]"#,
    );
    for (method, path, expected, ignored) in [
        ("GET", "/ib", None, true),
        ("GET", "/iw", None, true),
        ("GET", "/bw", Some(403), false),
        ("GET", "/w", None, false),
        ("GET", "/one", None, true),
        ("POST", "/one", Some(403), false),
        ("GET", "/other", Some(403), false),
    ] {
        let sent = send(&definition, method, path, &[]);
        assert_eq!(
            (sent.status(), sent.exchange.ignored),
            (expected, ignored),
            "{method} {path}"
        );
    }
}

#[test]
fn a_mock_comes_before_the_lists() {
    let definition = extended(
        r#""mock_response":[{"path":"/m","method":"GET","body":"m"}],"black_list":[{"path":"/m"}]"#,
    );
    assert_eq!(status(&definition, "GET", "/m"), Some(200));
    assert_eq!(status(&definition, "PUT", "/m"), Some(403));
}

/// Lists are ordered, and so are their entries; a reply is what its entry does, not a separate list.
#[test]
fn reply_names_its_row() {
    let reply = r#"{"GET":{"action":"reply","code":418}}"#;
    let definition = extended(&format!(
        r#""white_list":[{{"path":"/b","method_actions":{reply}}},{{"path":"/w","method":"GET"}},
            {{"path":"/w","method_actions":{reply}}}],
            "black_list":[{{"path":"/b"}},{{"path":"/i","method_actions":{reply}}}],
            "ignored":[{{"path":"/i"}}]"#
    ));
    for (path, expected) in [("/b", Some(403)), ("/w", None), ("/i", None)] {
        assert_eq!(status(&definition, "GET", path), expected, "{path}");
    }
}

#[test]
fn an_internal_path_is_closed_before_anything_answers_or_opens_it() {
    let definition = extended(
        r#""internal":[{"path":"/m","method":"GET"},{"path":"/i","method":"GET"}],
            "mock_response":[{"path":"/m","method":"GET"},{"path":"/m","method":"PUT"}],"ignored":[{"path":"/i"}]"#,
    );
    for (method, path, outside, inside) in [
        ("GET", "/m", Some(403), Some(200)),
        ("PUT", "/m", Some(200), Some(200)),
        ("GET", "/i", Some(403), None),
        ("PUT", "/i", None, None),
    ] {
        let sent = status(&definition, method, path);
        assert_eq!(sent, outside, "{method} {path}");
        let sent = looped(&definition, method, path).status();
        assert_eq!(sent, inside, "{method} {path}");
    }
}

#[test]
fn internal_paths_are_reached_by_loops_only() {
    let definition = extended(
        r#""internal":[{"path":"/in","method":"GET"},{"path":"/whole"},{"path":"/both","method":"GET"}],
            "white_list":[{"path":"/in"}],"black_list":[{"path":"/both"}]"#,
    );
    for (method, path, outside, inside) in [
        ("GET", "/in", Some(403), None),
        ("POST", "/in", None, None),
        ("PUT", "/whole", Some(403), None),
        ("GET", "/both", Some(403), Some(403)),
        ("GET", "/else", Some(403), Some(403)),
    ] {
        assert_eq!(
            status(&definition, method, path),
            outside,
            "{method} {path}"
        );
        assert_eq!(
            looped(&definition, method, path).status(),
            inside,
            "{method} {path}"
        );
    }
}

#[test]
fn simple_lists_count_without_extended_ones_only() {
    let lists = r#""paths":{"black_list":["/bad/{id}$","/both"],"ignored":["/health","/both"],"white_list":[]},
        "extended_paths":{"black_list":[{"path":"/extended"}]}"#;
    let simple = version(&format!(r#""use_extended_paths":false,{lists}"#));
    for (path, expected, ignored) in [
        ("/health", None, true),
        ("/both", None, true),
        ("/bad/1", Some(403), false),
        ("/bad/1/x", None, false),
        ("/Health", None, false),
        ("/extended", None, false),
    ] {
        let sent = send(&simple, "POST", path, &[]);
        assert_eq!(
            (sent.status(), sent.exchange.ignored),
            (expected, ignored),
            "{path}"
        );
    }
    let extended = version(&format!(r#""use_extended_paths":true,{lists}"#));
    assert_eq!(status(&extended, "GET", "/bad/1"), None);
    assert_eq!(status(&extended, "GET", "/extended"), Some(403));
    let allow = version(r#""paths":{"white_list":["/a","/b"]},"ignore_endpoint_case":true"#);
    assert_eq!(status(&allow, "GET", "/A"), None);
    assert_eq!(status(&allow, "GET", "/c"), Some(403));
}

#[test]
fn a_preflight_skips_the_lists_with_cors_only() {
    let lists = r#""version_data":{"versions":{"v":{"use_extended_paths":true,"extended_paths":{"black_list":[{"path":"/a"}]}}}}"#;
    let with = format!(r#"{{"CORS":{{"enable":true}},{lists}}}"#);
    let without = format!(r#"{{"CORS":{{"enable":false}},{lists}}}"#);
    let origin = ("Origin", "https://a.example");
    let asks = ("Access-Control-Request-Method", "GET");
    for (definition, method, headers, expected) in [
        (&with, "OPTIONS", vec![origin, asks], Some(204)),
        (&with, "OPTIONS", vec![asks], Some(403)),
        (&with, "OPTIONS", vec![origin], Some(403)),
        (&with, "GET", vec![origin, asks], Some(403)),
        (&without, "OPTIONS", vec![origin, asks], Some(403)),
    ] {
        let sent = send(definition, method, "/a", &headers);
        assert_eq!(sent.status(), expected, "{method} {headers:?}");
    }
}

#[test]
fn invalid_row_allows_nothing() {
    for (list, expected) in [
        (r#""black_list":[{"path":"/a("}]"#, Some(403)),
        (r#""black_list":[{"path":"/a(","method":"PUT"}]"#, None),
        (r#""internal":[{"path":"/a(","method":"GET"}]"#, Some(403)),
        (r#""white_list":[{"path":"/a("}]"#, Some(403)),
        (r#""ignored":[{"path":"/a("}]"#, None),
        (r#""ignored":[{"path":"/a","method_actions":{}}]"#, None),
        (
            r#""white_list":[{"path":"/a","method":"GET","method_actions":{}}]"#,
            Some(403),
        ),
        (
            r#""black_list":[{"path":"/a","method_actions":{}}]"#,
            Some(403),
        ),
        (
            r#""white_list":[{"path":"/a","method_actions":{"GET":{"action":"odd"}}}]"#,
            Some(403),
        ),
        (
            r#""white_list":[{"path":"/a","method_actions":{"GET":{}}}]"#,
            Some(403),
        ),
        (
            r#""ignored":[{"path":"/a","method_actions":{"GET":{"code":200}}}]"#,
            None,
        ),
        (
            r#""black_list":[{"path":"/a","method_actions":{"GET":{"action":"odd"}}}]"#,
            Some(403),
        ),
        (
            r#""ignored":[{"path":"/a","method_actions":{"GET":{"action":"odd"}}}]"#,
            None,
        ),
    ] {
        let sent = send(&extended(list), "GET", "/a", &[]);
        assert_eq!(sent.status(), expected, "{list}");
        assert!(!sent.exchange.ignored, "{list}");
    }
    let internal = extended(r#""internal":[{"path":"/a("}],"white_list":[{"path":"/b"}]"#);
    assert_eq!(looped(&internal, "GET", "/c").status(), Some(403));
    assert_eq!(looped(&internal, "GET", "/b").status(), None);
}

#[test]
fn link_names_its_lists_as_origin() {
    let definition =
        extended(r#""black_list":[{"path":"/a"},{"path":"/b"}],"ignored":[{"path":"/c"}]"#);
    let sent = send(&definition, "GET", "/", &[]);
    let origin = sent.exchange.chain.origins.first().unwrap();
    assert_eq!(origin.link, "path_lists");
    let lists = "/version_data/versions/v/extended_paths";
    assert_eq!(
        origin.pointers,
        [format!("{lists}/ignored"), format!("{lists}/black_list")]
    );
    assert_eq!(origin.detail, "1 rule, 2 rules");
    let broken = extended(r#""black_list":[{"path":"/a("},{"path":"/b"}]"#);
    let sent = send(&broken, "GET", "/", &[]);
    let origin = sent.exchange.chain.origins.first().unwrap();
    assert_eq!(
        origin.detail,
        "2 rules (1 can't be read and close every path)"
    );
}

#[test]
fn ambiguous_path_passes_no_list() {
    let lists = [
        r#""white_list":[{"path":"/open"}]"#,
        r#""black_list":[{"path":"/closed"}]"#,
        r#""ignored":[{"path":"/open"}]"#,
        r#""internal":[{"path":"/closed"}]"#,
    ];
    for list in lists {
        let definition = extended(list);
        for path in [
            "/open/..;/x",
            "/open/..;a=b/x",
            "/open/..%5Cx",
            "/open%5C..%5Cx",
            "/open/%252e%252e/x",
            "/open/%25252e./x",
            "/open/..%09/x",
            "/open/..%3f",
        ] {
            assert_eq!(status(&definition, "GET", path), Some(403), "{list} {path}");
        }
        for path in ["/open/x;a=..", "/open/a%5Cb", "/open/...;/x", "/open/%252e"] {
            assert_eq!(status(&definition, "GET", path), None, "{list} {path}");
        }
    }
    assert_eq!(status("{}", "GET", "/open/..;/x"), None);
}

/// Upstreams that drop parameters, decode twice or take `?` for the start of a query.
#[test]
fn lists_open_only_what_they_open_in_every_reading_of_a_path() {
    let open = extended(r#""white_list":[{"path":"\\.css$"},{"path":"^/open/"},{"path":";v=1$"}]"#);
    for (path, expected) in [
        ("/x.css", None),
        ("/x;a.css", Some(403)),
        ("/admin;.css", Some(403)),
        ("/admin%3F.css", Some(403)),
        ("/admin%253F.css", Some(403)),
        ("/open/x;a=b", None),
        ("/open/x%3Fy", None),
        ("/cars;v=1", None),
    ] {
        assert_eq!(status(&open, "GET", path), expected, "{path}");
    }
    let ignored = extended(r#""ignored":[{"path":"\\.css$"}]"#);
    for (path, expected) in [("/x.css", true), ("/admin;.css", false)] {
        let sent = send(&ignored, "GET", path, &[]);
        assert_eq!(sent.exchange.ignored, expected, "{path}");
    }
}

use crate::chain::trace::{Outcome, Phase, Trace};
use crate::chain::{Loop, Settings};
use crate::exchange::{Entry, Route, Target};
use crate::failure::{Failure, Reply};
use crate::testing::{End, Sent, chain, pass, request};
use gatewright_model::session::Session;
use std::rc::Rc;

/// A definition with rules that listens on `/base/`.
fn definition(rest: &str, rules: &str) -> String {
    format!(
        r#"{{"proxy":{{"listen_path":"/base/","strip_listen_path":true}},{rest}
            "version_data":{{"not_versioned":true,"versions":{{"v":{{"use_extended_paths":true,
            "extended_paths":{{"url_rewrites":[{rules}]}}}}}}}}}}"#
    )
}

/// A request with a body, and the metadata and claims of its key.
struct TestRequest<'a> {
    method: &'a str,
    path: &'a str,
    headers: &'a [(&'a str, &'a str)],
    body: &'a str,
    meta: &'a str,
    claims: &'a str,
}

const GET: TestRequest<'_> = TestRequest {
    method: "GET",
    path: "",
    headers: &[],
    body: "",
    meta: "",
    claims: "",
};

fn ask(definition: &str, asked: &TestRequest<'_>) -> Sent {
    let settings = Settings {
        max_body_bytes: 64,
        ..Settings::default()
    };
    let route = Route {
        listen: 6,
        ..Route::default()
    };
    let request = request(asked.method, asked.path, asked.headers);
    let mut exchange = crate::testing::exchange(request, route, chain(definition, &settings));
    if !asked.meta.is_empty() {
        let text = format!(r#"{{"meta_data":{}}}"#, asked.meta);
        exchange.key.session = Some(Rc::new(Session::parse(&text).unwrap()));
    }
    exchange.key.claims = asked.claims.into();
    pass(exchange, asked.body)
}

/// Describes where a request goes.
fn shown(sent: &Sent) -> String {
    match (&sent.end, &sent.exchange.target) {
        (End::Loop(to), _) => to.address(),
        (End::Reply(Reply::Failure(reply)), _) => reply.message.to_string(),
        (_, Target::Asked) => "as asked".to_owned(),
        (_, Target::Absolute(url)) => url.clone(),
        (_, Target::Path { path, query }) if query.is_empty() => path.clone(),
        (_, Target::Path { path, query }) => format!("{path}?{query}"),
        (_, Target::Loop(_)) => unreachable!("the last link sends it"),
    }
}

/// Where a GET goes under a single rule for all paths.
fn rewritten(pattern: &str, to: &str, path: &str) -> String {
    let rule =
        format!(r#"{{"path":"","method":"GET","match_pattern":"{pattern}","rewrite_to":"{to}"}}"#);
    let rest = r#""enable_context_vars":true,"#;
    shown(&ask(&definition(rest, &rule), &TestRequest { path, ..GET }))
}

#[test]
fn groups_are_substituted_into_the_new_path() {
    for (pattern, to, path, expected) in [
        (
            "/widgets/([0-9]+)/parts/([a-z]+)",
            "/parts/$2/of/$1/$1",
            "/base/widgets/12/parts/bolt",
            "/parts/bolt/of/12/12",
        ),
        (
            "/whole/[a-z]+",
            "/got$0/end",
            "/base/whole/abc/def",
            "/got/whole/abc/end",
        ),
        (
            "/missing/(.*)",
            "/m/$1/$2/x$3y",
            "/base/missing/a/b",
            "/m/a/b//xy",
        ),
        (
            "/named/(?P<id>[0-9]+)(?:-(draft))?",
            "/n/$1/$2/${id}",
            "/base/named/7-draft",
            "/n/7/draft/$%7Bid%7D",
        ),
        (
            "/named/([0-9]+)(?:-(draft))?",
            "/n/$1/$2x",
            "/base/named/7",
            "/n/7/x",
        ),
        (
            "^/anchored/(.*)$",
            "/never/$1",
            "/base/anchored/x?y=1",
            "as asked",
        ),
        ("(?i)/CASE/(A+)", "/c/$1", "/base/case/aaa", "/c/aaa"),
        ("/rel", "relative/path", "/base/rel?q=1", "/relative/path"),
        ("/d", "", "/base/d?x=1", "/"),
        ("x", "/cost/$/$$1/$a", "/base/x", "/cost/$/$/$a"),
        ("(x)(y)?", "/$10/$1", "/base/x", "//x"),
        (
            "find\\\\?name=(\\\\w+)&city=(\\\\w+)",
            "/$2/$1?was=$0",
            "/base/find?name=ann&city=rome",
            "/rome/ann?was=find?name=ann&city=rome",
        ),
        ("enc/(.*)", "/e/$1", "/base/enc/a%20b%2fc", "/e/a%20b%2fc"),
        ("frag", "/f?a=1#part$0", "/base/frag", "/f?a=1"),
        (
            "blank",
            "/a b/é?q=a b|c",
            "/base/blank",
            "/a%20b/%C3%A9?q=a%20b|c",
        ),
        ("hundred", "/100%/x", "/base/hundred", "/100%25/x"),
    ] {
        assert_eq!(rewritten(pattern, to, path), expected, "{pattern}");
    }
}

#[test]
fn leading_listen_path_is_stripped_again() {
    assert_eq!(rewritten("(.*)", "$1", "/base/x/y?z=1"), "/x/y?z=1");
    assert_eq!(rewritten("(.*)", "$1", "/b%61se/x"), "/x");
    assert_eq!(rewritten("x", "/base/new", "/base/x"), "/new");
    assert_eq!(rewritten("x", "/base", "/base/x"), "/base");
    // In an absolute URL, too: it is stripped when the request is sent.
    assert_eq!(
        rewritten("(.*)", "http://two$1", "/base/x/y?z=1"),
        "http://two/x/y?z=1"
    );
    assert_eq!(
        rewritten("x", "http://two/base/new", "/base/x"),
        "http://two/new"
    );
    let kept = r#"{"version_data":{"versions":{"v":{"use_extended_paths":true,"extended_paths":{"url_rewrites":[
        {"path":"","method":"GET","match_pattern":"(.*)","rewrite_to":"$1/z"}]}}}}}"#;
    assert_eq!(
        shown(&ask(
            kept,
            &TestRequest {
                path: "/base/x",
                ..GET
            }
        )),
        "/base/x/z"
    );
}

#[test]
fn unmatched_path_is_tried_decoded() {
    for (pattern, path, expected) in [
        ("/a b/(.*)", "/base/a%20b/c%2Fd", "/n/c/d"),
        (
            "/a b/(.*)",
            "/base/a%20b/50%25?q=%3f%23",
            "/n/50%25?q=%3F%23",
        ),
        ("/a b/(.*)", "/base/a%20b/what%3Fx=1", "/n/what%3Fx=1"),
        ("q=(x y)$", "/base/f?q=x%20y", "/n/x%20y"),
        ("/a b/(.*)", "/base/a%2520b/x", "as asked"),
    ] {
        assert_eq!(rewritten(pattern, "/n/$1", path), expected, "{path}");
    }
}

#[test]
fn a_composed_path_does_not_climb() {
    for (to, query, expected) in [
        ("/s/$1", "q=../../admin", "/admin"),
        ("/s/$1/e", "q=%2e%2e", "/e"),
        ("/s/$1", "q=..%2f..%2fadmin", "/admin"),
        ("/s/$1", "q=a/./b/..", "/s/a/"),
        ("/s/$1", "q=...", "/s/..."),
        ("/s/$1", "q=a%252e", "/s/a%252e"),
        ("http://up/v2/$1?k=1", "q=/../../x", "http://up/x?k=1"),
        ("gateway://self/in/$1", "q=../x//y", "gateway://self/x/y"),
    ] {
        let path = format!("/base/find?{query}");
        assert_eq!(rewritten("q=(.*)", to, &path), expected, "{to} {query}");
    }
}

#[test]
fn an_absolute_address_is_one_of_the_definition() {
    for (pattern, to, path, expected) in [
        (
            "/two/(.*)",
            "http://two:1/moved/$1",
            "/base/two/a/b?x=1",
            "http://two:1/moved/a/b?x=1",
        ),
        (
            "/x",
            "https://up/fixed?own=1#f",
            "/base/x?lost=1",
            "https://up/fixed?own=1",
        ),
        ("/x", "http://up", "/base/x", "http://up/"),
        ("/x", "http://up?a=1", "/base/x", "http://up/?a=1"),
        ("/x(.*)", "http://up:80$1", "/base/x/y", "http://up:80/y"),
        (
            "to=(.*)",
            "$gateway_context.request_data_to/y",
            "/base/x?to=http%3A%2F%2Fup%2Fz",
            "http://up/z/y",
        ),
        (
            "to=(.*)",
            "$gateway_context.request_data_to/y",
            "/base/x?to=up",
            "/up/y",
        ),
        // Captured text can't make an address absolute, or change its host.
        (
            "to=(.*)",
            "$1",
            "/base/x?to=http://evil/x",
            "/http://evil/x",
        ),
        (
            "to=(.*)",
            "$1",
            "/base/x?to=gateway://internal/x",
            "/gateway://internal/x",
        ),
        (
            "/x(.*)",
            "http://up:80$1",
            "/base/x@evil",
            "There was a problem proxying the request",
        ),
        (
            "/x(.*)",
            "http://up$1/y",
            "/base/x.evil",
            "There was a problem proxying the request",
        ),
    ] {
        assert_eq!(rewritten(pattern, to, path), expected, "{to} {path}");
    }
}

#[test]
fn variables_are_escaped_and_captures_are_not_expanded() {
    let to = "/$gateway_context.request_data_id/$gateway_context.headers_Nope/end";
    assert_eq!(
        rewritten("ctx", to, "/base/ctx?id=a%20b%2Fc"),
        "/a+b%2Fc//end"
    );
    let named = rewritten("x/(.*)", "/n/$1", "/base/x/$gateway_context.path");
    assert_eq!(named, "/n/$gateway_context.path");
}

#[test]
fn the_first_rule_of_a_path_and_method_counts() {
    let rules = r#"{"path":"/a","method":"GET","match_pattern":"/a","rewrite_to":"/disabled","disabled":true},
        {"path":"/a","method":"GET","match_pattern":"/nowhere","rewrite_to":"/first-without-match"},
        {"path":"/a","method":"GET","match_pattern":"/a","rewrite_to":"/second"},
        {"path":"/a","method":"POST","match_pattern":"/a","rewrite_to":"/posted"},
        {"path":"/b","method":"get","match_pattern":"/b","rewrite_to":"/lowercase-method"},
        {"path":"/c","match_pattern":"/c","rewrite_to":"/no-method"},
        {"path":"/broken","method":"GET","match_pattern":"/broken([a-z","rewrite_to":"/x"}"#;
    let definition = definition("", rules);
    let shown = |method, path| {
        shown(&ask(
            &definition,
            &TestRequest {
                method,
                path,
                ..GET
            },
        ))
    };
    for (method, path, expected) in [
        ("GET", "/base/a?x=1", "as asked"),
        ("POST", "/base/a", "/posted"),
        ("PUT", "/base/a", "as asked"),
        ("GET", "/base/b", "as asked"),
        ("GET", "/base/c", "as asked"),
        (
            "GET",
            "/base/broken",
            "URLRewrite regexp error /broken([a-z",
        ),
    ] {
        assert_eq!(shown(method, path), expected, "{method} {path}");
    }
    let broken = ask(
        &definition,
        &TestRequest {
            path: "/base/broken",
            ..GET
        },
    );
    assert_eq!(broken.status(), Some(Failure::RewriteExpression.status()));
}

#[test]
fn loop_follows_the_definition() {
    let to = |to: &str, path: &str| {
        let rule = format!(
            r#"{{"path":"","method":"GET","match_pattern":"/in(.*)","rewrite_to":"{to}"}}"#
        );
        ask(&definition("", &rule), &TestRequest { path, ..GET }).end
    };
    let plain = |api: &str, path: &str, query: &str| {
        End::Loop(Loop {
            api: api.into(),
            path: path.into(),
            query: query.into(),
            ..Loop::default()
        })
    };
    assert_eq!(
        to("gateway://self/x$1", "/base/in/7?a=1"),
        plain("self", "/x/7", "a=1")
    );
    assert_eq!(
        to("tyk://An API #tag/named?n=1", "/base/in"),
        plain("An API #tag", "/named", "n=1")
    );
    assert_eq!(to("gateway://id-1", "/base/in"), plain("id-1", "", ""));
    // A path may be captured including its slash, if the definition writes none.
    assert_eq!(
        to("gateway://self$1", "/base/in/7?a=1"),
        plain("self", "/7", "a=1")
    );
    assert_eq!(
        to("gateway://self$1?n=1", "/base/in/7"),
        plain("self", "/7", "n=1")
    );
    assert_eq!(
        to("gateway://self$1/own", "/base/in/7"),
        plain("self/7", "/own", "")
    );
    assert_eq!(
        to("gateway://id-1?check_limits=false", "/base/in"),
        plain("id-1", "", "check_limits=false")
    );
    let all = "gateway://self/x?a=1&method=PUT&b=2&loop_limit=3&check_limits=true&c";
    let expected = Loop {
        path: "/x".into(),
        query: "a=1&b=2&c".into(),
        method: Some("PUT".into()),
        limit: Some(3),
        counts: true,
        ..Loop::default()
    };
    assert_eq!(to(all, "/base/in"), End::Loop(expected));
    // The client's query is a parameter of the inner request and nothing else.
    let sent = "method=DELETE&loop_limit=99&check_limits=true";
    assert_eq!(
        to("gateway://self/x$1", &format!("/base/in?{sent}")),
        plain("self", "/x", sent)
    );
    assert_eq!(
        to("gateway://self/x?loop_limit=many", "/base/in"),
        plain("self", "/x", "")
    );
}

#[test]
fn inner_pass_has_no_listen_path() {
    let rule = r#"{"path":"/in","method":"GET","match_pattern":"^/in/(.*)","rewrite_to":"/$1"}"#;
    let inner = crate::exchange::Request {
        entry: Entry::Loop { counts: false },
        ..request("GET", "/in/base/x", &[])
    };
    let chain = chain(&definition("", rule), &Settings::default());
    let sent = pass(crate::testing::exchange(inner, Route::default(), chain), "");
    assert_eq!(shown(&sent), "/x");
}

#[test]
fn trace_records_the_rewrite() {
    let rule = r#"{"path":"","method":"GET","match_pattern":"/x","rewrite_to":"/d",
        "triggers":[{"rewrite_to":"gateway://self/y?a=1"}]}"#;
    let chain = chain(&definition("", rule), &Settings::default());
    let mut exchange = crate::testing::exchange(request("GET", "/x", &[]), Route::default(), chain);
    exchange.trace = Some(Trace::default());
    let mut trace = pass(exchange, "").exchange.trace.unwrap();
    trace.end("url_rewrites", Phase::Request, Outcome::Passed, 0);
    let steps = trace.into_steps();
    let step = steps.first().unwrap();
    assert!(
        step.detail
            .starts_with("Trigger 0 holds. The address is rewritten")
    );
    let target = step.changes.first().unwrap();
    assert_eq!(target.to.as_deref(), Some("gateway://self/y?a=1"));
}

mod triggers;

use super::*;
use gatewright_model::amount::Amount;

fn url(url: &str, methods: &[&str]) -> AllowedUrl {
    AllowedUrl {
        url: url.to_owned(),
        methods: methods.iter().map(|method| (*method).to_owned()).collect(),
    }
}

fn allows(rule: &str, path: &str, anchors: Anchors) -> bool {
    let urls = Urls::new(&[url(rule, &["GET"])], anchors);
    urls.rule("GET", &[path]).is_some()
}

#[test]
fn an_expression_is_looked_for_anywhere() {
    for (rule, path, expected) in [
        ("/users", "/api/users/7", true),
        ("/users", "/api/user", false),
        ("^/users", "/api/users", false),
        ("^/users$", "/users", true),
        ("/users/[0-9]+$", "/users/12", true),
        ("/users/[0-9]+$", "/users/12/x", false),
        ("/users/{id}/posts", "/users/a.b/posts", true),
        ("/users/{id}/posts", "/users/a/b/posts", false),
        ("/a/*", "/a", false),
        ("/a/*", "/api/a/b/c", true),
        ("/a/*/c", "/api/a/b/c", true),
        ("/a/*/c", "/api/a/b/b/c", false),
        ("/v1.0/x", "/v1.0/x", true),
        ("/a|/b", "/x/b", true),
        ("", "/anything", true),
        ("/é", "/é", true),
    ] {
        assert_eq!(
            allows(rule, path, Anchors::default()),
            expected,
            "{rule} {path}"
        );
    }
}

#[test]
fn ends_hold_for_plain_texts_and_for_every_alternative() {
    let both = Anchors {
        prefix: true,
        suffix: true,
    };
    let prefix = Anchors {
        suffix: false,
        ..both
    };
    for (rule, path, anchors, expected) in [
        ("/a", "/a", both, true),
        ("/a", "/a/b", both, false),
        ("/a", "/x/a", both, false),
        ("a", "/x/a", both, true),
        ("/a|/b", "/x/b", both, false),
        ("/a|/b", "/b", both, true),
        ("/a|/b", "/b/c", both, false),
        ("^/a$", "/a", both, true),
        ("/a", "/a/b", prefix, true),
        ("/a.", "/x/ab", prefix, false),
    ] {
        assert_eq!(
            allows(rule, path, anchors),
            expected,
            "{rule} {path} {anchors:?}"
        );
    }
}

#[test]
fn any_form_of_the_path_and_any_rule_will_do() {
    let rules = [
        url("^/a", &["GET"]),
        url("^/b", &["PUT", "POST"]),
        url("^/a", &["DELETE"]),
        url("^/c", &[]),
    ];
    let urls = Urls::new(&rules, Anchors::default());
    assert_eq!(urls.rule("GET", &["/listen/a", "/a"]), Some(0));
    assert_eq!(urls.rule("DELETE", &["/a"]), Some(2));
    assert_eq!(urls.rule("POST", &["/b"]), Some(1));
    assert_eq!(urls.rule("post", &["/b"]), None);
    assert_eq!(urls.rule("PUT", &["/a"]), None);
    assert_eq!(urls.rule("GET", &["/c"]), None);
    assert_eq!(urls.rule("GET", &[]), None);
    assert!(Urls::default().is_empty());
}

#[test]
fn an_unusable_expression_matches_nothing_and_is_reported() {
    // Braces are templates, so only a long expression gets large.
    let huge = "[^/]".repeat(4000);
    let rules = [
        url("/fine", &["GET"]),
        url("(", &["GET"]),
        url(&huge, &["GET"]),
        url(r"\pL", &["GET"]),
        url("/[a-z]", &["GET"]),
    ];
    assert_eq!(unusable(&rules), [1, 2, 3]);
    let urls = Urls::new(&rules, Anchors::default());
    assert_eq!(urls.rule("GET", &["(", "aaaa"]), None);
    assert!(urls.rule("GET", &["/fine"]).is_some());
    let mut many = vec![url("/[a-z]", &["GET"]); MAX_EXPRESSIONS + 1];
    many.push(url("/plain", &["GET"]));
    assert_eq!(unusable(&many), [MAX_EXPRESSIONS]);
    let endpoint = |path: &str| Endpoint {
        path: path.to_owned(),
        ..Endpoint::default()
    };
    assert_eq!(
        unusable_endpoints(&[endpoint("/a/*/{id}"), endpoint("/a(")]),
        [1]
    );
}

#[test]
fn the_first_endpoint_with_the_method_has_the_rate() {
    let rate = |rate: i64| Rate {
        rate: Amount::whole(rate),
        per: Amount::whole(1),
        smoothing: None,
    };
    let endpoint = |path: &str, methods: &[(&str, i64)]| Endpoint {
        path: path.to_owned(),
        methods: methods
            .iter()
            .map(|(name, number)| ((*name).to_owned(), rate(*number)))
            .collect(),
    };
    let rules = [
        endpoint("/users/{id}", &[("GET", 1)]),
        endpoint("/users", &[("get", 2), ("PUT", -1)]),
        endpoint("/files/*", &[("GET", 3)]),
    ];
    let endpoints = Endpoints::new(&rules, Anchors::default());
    let found = |method, path| {
        let found = endpoints.rate(method, &[path])?;
        Some((found.name, found.rate.rate.floor()))
    };
    let some = |name: &str, rate| Some((name.to_owned(), rate));
    assert_eq!(found("GET", "/users/7"), some("GET:/users/{id}", 1));
    assert_eq!(found("get", "/users"), some("GET:/users", 2));
    assert_eq!(found("PUT", "/users/7"), some("PUT:/users", -1));
    assert_eq!(found("GET", "/files/a/b"), some("GET:/files/*", 3));
    assert_eq!(found("GET", "/other"), None);
    assert_eq!(found("DELETE", "/users"), None);
}

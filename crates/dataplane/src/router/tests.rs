//! Which API a host and a path belong to.

use super::*;

fn router(strict: bool, apis: &[(&str, &str, &str)]) -> Router<String> {
    let mut router = Router::new(strict);
    for (id, domain, listen_path) in apis {
        let (internal, listen_path) = match listen_path.strip_prefix('!') {
            Some(path) => (true, path),
            None => (false, *listen_path),
        };
        let served = Served {
            api_id: id,
            domain,
            listen_path,
            internal,
        };
        router.add(served, Rc::new((*id).to_owned()));
    }
    router
}

fn found(router: &Router<String>, host: &str, path: &str) -> Option<(String, usize)> {
    let found = router.find(host, path)?;
    Some((found.api.to_string(), found.listen))
}

#[test]
fn the_longest_listen_path_wins() {
    let apis = [
        ("root", "", "/"),
        ("app", "", "/app"),
        ("inner", "", "/app/inner/"),
        ("user", "", "/users/{id}/"),
        ("number", "", "/users/{id:[0-9]{2}}/x/"),
        ("café", "", "/café/"),
    ];
    let router = router(false, &apis);
    for (path, api, listen) in [
        ("/", "root", 1),
        ("/x", "root", 1),
        ("/app", "app", 4),
        ("/apple", "app", 4),
        ("/app/inner", "app", 4),
        ("/app/inner/x", "inner", 11),
        ("/users/7/x/y", "user", 9),
        ("/users/77/x/y", "number", 12),
        ("/users/", "root", 1),
        ("/caf\u{e9}/p", "café", 7),
    ] {
        assert_eq!(
            found(&router, "h", path),
            Some((api.to_owned(), listen)),
            "{path}"
        );
    }
}

#[test]
fn strict_routes_end_at_a_segment() {
    let router = router(true, &[("a", "", "/a"), ("t", "", "/t/{x}")]);
    assert!(found(&router, "h", "/a/x").is_some());
    assert!(found(&router, "h", "/a").is_some());
    assert_eq!(found(&router, "h", "/ab"), None);
    assert_eq!(
        found(&router, "h", "/t/1/y").map(|(_, listen)| listen),
        Some(4)
    );
}

#[test]
fn an_api_with_a_domain_is_served_there_only() {
    let apis = [
        ("any", "", "/x/"),
        ("shop", "shop.example", "/x/"),
        ("sub", "{sub}.shop.example", "/x/"),
        ("letters", "{sub:[a-c]+}.example", "/x/"),
    ];
    let router = router(false, &apis);
    for (host, api) in [
        ("other.example", "any"),
        ("shop.example:8787", "shop"),
        ("eu.shop.example", "sub"),
        ("a.b.shop.example", "any"),
        ("abc.example", "letters"),
    ] {
        assert_eq!(
            found(&router, host, "/x/1").map(|(api, _)| api).as_deref(),
            Some(api),
            "{host}"
        );
    }
    // By its id, too.
    assert!(found(&router, "shop.example", "/shop/1").is_some());
    assert_eq!(found(&router, "h", "/shop/1"), None);
    assert!(found(&router, "eu.shop.example", "/sub/1").is_some());
}

#[test]
fn of_the_domains_of_a_host_the_longest_listen_path_wins() {
    let apis = [
        ("any", "", "/x/y/z/"),
        ("one", "one.example", "/x/"),
        ("short", "{sub}.example", "/x/y/"),
        ("deep", "{sub:o.*}.example", "/x/y/{id}/w/"),
    ];
    let router = router(false, &apis);
    for (path, api) in [
        ("/x/1", "one"),
        ("/x/y/1", "short"),
        ("/x/y/z/1", "short"),
        ("/x/y/z/w/1", "deep"),
    ] {
        let found = found(&router, "one.example", path);
        assert_eq!(found.map(|(api, _)| api).as_deref(), Some(api), "{path}");
    }
}

#[test]
fn a_template_may_be_a_part_of_a_segment_or_label() {
    let apis = [
        ("numbered", "", "/v{n}/"),
        ("json", "", "/a-{id:[0-9]+}.json/"),
        ("two", "", "/t/{a}-{b}"),
        ("pre", "pre-{s}.example.com", "/"),
        ("digits", "{s:\\D+}{n:[0-9]}.example.com", "/"),
    ];
    let router = router(false, &apis);
    for (host, path, expected) in [
        ("h", "/v12/x", Some(("numbered", 5))),
        ("h", "/v/x", None),
        ("h", "/a-7.json/x", Some(("json", 10))),
        ("h", "/a-x.json/x", None),
        ("h", "/a-7xjson/x", None),
        ("h", "/t/1-2/x", Some(("two", 6))),
        ("pre-a.example.com", "/x", Some(("pre", 1))),
        ("pre-.example.com", "/x", None),
        ("pre-a.b.example.com", "/x", None),
        ("shop1.example.com", "/x", Some(("digits", 1))),
    ] {
        let expected = expected.map(|(api, listen)| (api.to_owned(), listen));
        assert_eq!(found(&router, host, path), expected, "{host}{path}");
    }
}

#[test]
fn a_slash_at_the_end_makes_another_listen_path() {
    for strict in [false, true] {
        let router = router(strict, &[("bare", "", "/a"), ("open", "", "/a/")]);
        for (path, api) in [
            ("/a", Some("bare")),
            ("/a/", Some("open")),
            ("/a/x", Some("open")),
        ] {
            let found = found(&router, "h", path).map(|(api, _)| api);
            assert_eq!(found.as_deref(), api, "{path}");
        }
        assert_eq!(found(&router, "h", "/ab").is_some(), !strict);
    }
}

#[test]
fn id_is_tried_at_the_position_of_its_listen_path() {
    let apis = [
        ("root", "", "/"),
        ("long-id", "", "/short/"),
        ("other", "", "/longer-than/"),
        ("orders", "", "/very/long/path/"),
        ("by-name", "", "/orders/"),
        ("shop", "shop.example", "/s/"),
        ("all", "all.example", "/"),
        ("hidden", "", "!/hidden/"),
    ];
    let router = router(false, &apis);
    for (host, path, api) in [
        ("h", "/long-id/x", "long-id"),
        ("h", "/other/x", "other"),
        ("h", "/root/x", "root"),
        ("h", "/orders/x", "by-name"),
        ("h", "/hidden/x", "root"),
        ("h", "/shop/x", "root"),
        ("shop.example", "/shop/x", "shop"),
        // APIs with a domain precede those without.
        ("all.example", "/other/x", "all"),
    ] {
        let found = found(&router, host, path).map(|(api, _)| api);
        assert_eq!(found.as_deref(), Some(api), "{host}{path}");
    }
}

#[test]
fn id_replaces_listen_path_of_api_with_clients() {
    let router = router(false, &[("one", "", "/a/"), ("two", "", "!/b/")]);
    assert_eq!(found(&router, "h", "/one/x"), Some(("one".to_owned(), 5)));
    for path in ["/one", "/two/x", "/b/x"] {
        assert_eq!(found(&router, "h", path), None, "{path}");
    }
    assert!(router.get("two").is_some());
}

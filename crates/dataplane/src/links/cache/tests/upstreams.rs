//! Directives in answers, which matter if the upstream controls caching.

use super::{CONTROL, Cache, DATE, Outcome, SAFE};
use crate::testing::request;

#[test]
fn upstream_may_control_the_ttl() {
    for (answer, seconds) in [
        (vec![("cache-control", "max-age=100")], Some(100)),
        (
            vec![("cache-control", "max-age=100, s-maxage=10")],
            Some(10),
        ),
        (
            vec![("cache-control", "max-age=100"), ("age", "40")],
            Some(60),
        ),
        (vec![("cache-control", "max-age=0")], None),
        (vec![("cache-control", "no-cache, max-age=9")], None),
        (
            vec![DATE, ("expires", "Thu, 01 Jan 2026 00:00:30 GMT")],
            Some(30),
        ),
        (
            vec![("cache-control", "max-age=5"), ("expires", "0")],
            Some(5),
        ),
        (vec![("expires", "0")], None),
        (
            vec![
                ("cache-control", "max-age=9"),
                ("date", "Wed, 31 Dec 2025 23:59:55 GMT"),
            ],
            Some(4),
        ),
        (
            vec![
                ("x-gateway-cache-action-set-ttl", "7"),
                ("cache-control", "max-age=5"),
            ],
            Some(7),
        ),
        (vec![("x-gateway-cache-action-set-ttl", "soon")], Some(60)),
        (vec![("x-gateway-cache-action-set-ttl", "-1")], None),
        (vec![], Some(60)),
    ] {
        let expected = seconds.map_or(Outcome::Sent, Outcome::Kept);
        assert_eq!(
            Cache::new(CONTROL).get("/a", &[], &answer),
            expected,
            "{answer:?}"
        );
    }
    // Otherwise only the definition matters.
    let outcome = Cache::new(SAFE).get("/a", &[], &[("cache-control", "max-age=5, no-cache")]);
    assert_eq!(outcome, Outcome::Kept(60));
    let own = r#"{"cache_options":{"enable_cache":true,"cache_all_safe_requests":true,"cache_response_codes":[200],
        "enable_upstream_cache_control":true,"cache_control_ttl_header":"X-Ttl","cache_timeout":0}}"#;
    let outcome = |status, answer: &[(&str, &str)]| {
        Cache::new(own).send(request("GET", "/a", &[]), "", status, answer)
    };
    assert_eq!(outcome(200, &[("x-ttl", "9")]), Outcome::Kept(9));
    assert_eq!(outcome(404, &[("x-ttl", "9")]), Outcome::Sent);
    let set = ("x-gateway-cache-action-set", "1");
    assert_eq!(outcome(404, &[("x-ttl", "9"), set]), Outcome::Kept(9));
    assert_eq!(outcome(200, &[]), Outcome::Sent);
}

#[test]
fn status_decides_whether_the_configured_ttl_applies() {
    let outcome = |status, answer: &[(&str, &str)]| {
        Cache::new(CONTROL).send(request("GET", "/a", &[]), "", status, answer)
    };
    for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] {
        assert_eq!(outcome(status, &[]), Outcome::Kept(60), "{status}");
    }
    for status in [201, 202, 302, 403, 502, 503, 504, 599] {
        assert_eq!(outcome(status, &[]), Outcome::Sent, "{status}");
        let public = [("cache-control", "public")];
        assert_eq!(outcome(status, &public), Outcome::Kept(60), "{status}");
        let says = [("cache-control", "max-age=9")];
        assert_eq!(outcome(status, &says), Outcome::Kept(9), "{status}");
    }
    let understand = [("cache-control", "max-age=9, no-store, must-understand")];
    assert_eq!(
        (outcome(200, &understand), outcome(599, &understand)),
        (Outcome::Kept(9), Outcome::Sent)
    );
}

#[test]
fn targeted_cache_control_overrides_the_general_one() {
    for (answer, seconds) in [
        (
            vec![
                ("cdn-cache-control", "max-age=9"),
                ("cache-control", "no-store"),
            ],
            Some(9),
        ),
        (
            vec![
                ("cdn-cache-control", "max-age=9"),
                ("cache-control", "max-age=5"),
            ],
            Some(9),
        ),
        (
            vec![("cdn-cache-control", "max-age=9"), ("age", "5")],
            Some(4),
        ),
        (
            vec![
                ("cdn-cache-control", "max-age=0"),
                DATE,
                ("expires", "Thu, 01 Jan 2026 00:00:30 GMT"),
            ],
            None,
        ),
        (
            vec![("cdn-cache-control", "public"), ("expires", "0")],
            Some(60),
        ),
        (
            vec![
                ("cdn-cache-control", "no-store"),
                ("cache-control", "max-age=5"),
            ],
            None,
        ),
        (
            vec![
                ("cdn-cache-control", "private"),
                ("cache-control", "max-age=5"),
            ],
            None,
        ),
        (
            vec![
                ("cdn-cache-control", "no-cache"),
                ("cache-control", "max-age=5"),
            ],
            None,
        ),
        (
            vec![
                ("cdn-cache-control", "max-age=9, &"),
                ("cache-control", "no-store"),
            ],
            None,
        ),
    ] {
        let expected = seconds.map_or(Outcome::Sent, Outcome::Kept);
        assert_eq!(
            Cache::new(CONTROL).get("/a", &[], &answer),
            expected,
            "{answer:?}"
        );
    }
}

#[test]
fn head_response_validates_the_stored_get() {
    const MODIFIED: &str = "Wed, 31 Dec 2025 00:00:00 GMT";
    let kept = [
        ("cache-control", "max-age=60"),
        ("etag", "\"v\""),
        ("last-modified", MODIFIED),
        ("content-length", "3"),
    ];
    let mut cache = Cache::new(CONTROL);
    assert_eq!(cache.head(&[], 200, &[]), None, "nothing is kept");
    cache.get("/a", &[], &kept);
    for (status, answer, expected) in [
        (200, &[][..], Some("holds")),
        (
            200,
            &[("etag", "\"v\""), ("content-length", "3")],
            Some("holds"),
        ),
        (200, &[("last-modified", MODIFIED)], Some("holds")),
        (200, &[("etag", "\"w\"")], Some("forget")),
        (200, &[("last-modified", "x")], Some("forget")),
        (200, &[("content-length", "4")], Some("forget")),
        // Errors say nothing about the resource (RFC 9111 section 4.3.5).
        (500, &[], None),
        (404, &[], None),
    ] {
        let said = cache.head(&[], status, answer);
        assert_eq!(said.as_deref(), expected, "{status} {answer:?}");
    }
}

#[test]
fn head_updates_the_matching_get_entry() {
    let mut cache = Cache::new(CONTROL);
    let kept = [
        ("cache-control", "max-age=60"),
        ("etag", "\"v\""),
        ("vary", "x"),
    ];
    cache.get("/a", &[("x", "1")], &kept);
    let other = [("etag", "\"w\"")];
    let said = cache.head(&[("x", "1")], 200, &other);
    assert_eq!(said.as_deref(), Some("forget"));
    let said = cache.head(&[("x", "2")], 200, &other);
    assert_ne!(said.as_deref(), Some("forget"), "no answer is kept for it");
    // An entry that caches answers to GET only.
    let row = r#"{"cache_options":{"enable_cache":true,"enable_upstream_cache_control":true},"version_data":{"not_versioned":true,"versions":
        {"Default":{"name":"Default","use_extended_paths":true,"extended_paths":{"advance_cache_config":[{"path":"/a","method":"GET"}]}}}}}"#;
    let mut cache = Cache::new(row);
    cache.get("/a", &[], &kept[..2]);
    assert_eq!(cache.head(&[], 200, &other).as_deref(), Some("forget"));
}

#[test]
fn methods_are_cached_separately_without_upstream_control() {
    let mut cache = Cache::new(SAFE);
    cache.get("/a", &[], &[("content-length", "3")]);
    assert_eq!(cache.head(&[], 200, &[("content-length", "4")]), None);
}

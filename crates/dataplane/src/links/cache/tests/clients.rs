//! What clients demand of the cache: a maximum age, an answer they already have, and parts of one.

use super::{CONTROL, Cache, Outcome, SAFE, later};
use crate::caching::{Range, Then};
use crate::chain::Step;
use crate::headers::AnswerEdit;
use crate::testing::request;

/// The use of an answer with this `Cache-Control` and an `ETag`, after `seconds` seconds.
fn beyond(control: &str, seconds: u64, asked: &str) -> Option<Option<Then>> {
    let mut cache = Cache::new(CONTROL);
    cache.get("/a", &[], &[("cache-control", control), ("etag", "\"v\"")]);
    let request = later(seconds, request("GET", "/a", &[("cache-control", asked)]));
    match cache.exchange(request, "").1 {
        Some(Step::Reuse(reuse)) => Some(reuse.then),
        None => None,
        step => unreachable!("{step:?}"),
    }
}

#[test]
fn stale_response_needs_consent_of_both_sides() {
    assert_eq!(beyond("max-age=5", 4, ""), Some(None));
    assert_eq!(beyond("max-age=5", 5, ""), None);
    assert_eq!(beyond("max-age=5", 5, "max-stale"), Some(None));
    assert_eq!(beyond("max-age=5", 8, "max-stale=3"), Some(None));
    assert_eq!(beyond("max-age=5", 9, "max-stale=3"), None);
    assert_eq!(beyond("max-age=5", 8, "max-stale=3, max-age=7"), None);
    assert_eq!(beyond("max-age=5", 8, "max-stale=3, no-cache"), None);
    let renews = "max-age=5, stale-while-revalidate=4";
    assert_eq!(beyond(renews, 9, ""), Some(Some(Then::Renew)));
    assert_eq!(beyond(renews, 10, ""), None);
    assert_eq!(beyond(renews, 9, "min-fresh=1"), None);
    for forbids in [
        "must-revalidate",
        "proxy-revalidate",
        "s-maxage=5",
        "no-cache",
    ] {
        let control = format!("{renews}, {forbids}");
        assert_eq!(beyond(&control, 6, "max-stale=9"), None, "{forbids}");
    }
    assert_eq!(beyond("max-age=5, no-cache", 1, ""), None);
}

#[test]
fn client_may_demand_a_fresher_response() {
    let mut cache = Cache::new(CONTROL);
    let answer = [("cache-control", "max-age=60")];
    let only = cache.get("/a", &[("cache-control", "only-if-cached")], &answer);
    assert_eq!(only, Outcome::Failed(504));
    assert_eq!(cache.get("/a", &[], &answer), Outcome::Kept(60));
    let at = |seconds, asked: &str| {
        let request = later(seconds, request("GET", "/a", &[("cache-control", asked)]));
        match cache.exchange(request, "").1 {
            Some(Step::Reuse(reuse)) => {
                let age = reuse.answer.iter().find(|edit| edit.name() == "age");
                age.and_then(AnswerEdit::value).map(str::to_owned)
            }
            _ => None,
        }
    };
    assert_eq!(at(10, "").as_deref(), Some("10"));
    assert_eq!(at(10, "only-if-cached").as_deref(), Some("10"));
    assert_eq!(at(10, "max-age=10").as_deref(), Some("10"));
    assert_eq!(at(10, "max-age=9"), None);
    assert_eq!(at(10, "min-fresh=50").as_deref(), Some("10"));
    assert_eq!(at(10, "min-fresh=51"), None);
    assert_eq!(at(10, "no-cache"), None);
    let pragma =
        |asked: &[(&str, &str)]| cache.exchange(request("GET", "/a", asked), "").1.is_none();
    assert!(pragma(&[("pragma", "no-cache")]));
    assert!(!pragma(&[
        ("pragma", "foo"),
        ("cache-control", "nothing-to-see-here")
    ]));
    assert!(!pragma(&[
        ("pragma", "no-cache"),
        ("cache-control", "max-age=60")
    ]));
}

#[test]
fn client_with_current_copy_gets_not_modified() {
    let modified = ("last-modified", "Wed, 31 Dec 2025 00:00:00 GMT");
    let known = |status, asked: &[(&str, &str)]| {
        let mut cache = Cache::new(SAFE);
        let get = |asked: &[(&str, &str)]| request("GET", "/a", asked);
        cache.send(get(&[]), "", status, &[("etag", "\"v1\""), modified]);
        match cache.exchange(get(asked), "").1 {
            Some(Step::Reuse(reuse)) => (reuse.status, reuse.is_known),
            step => unreachable!("{step:?}"),
        }
    };
    for (asked, expected) in [
        (vec![("if-none-match", "\"v0\", \"v1\"")], 304),
        (vec![("if-none-match", "W/\"v1\"")], 304),
        (vec![("if-none-match", "*")], 304),
        (vec![("if-none-match", "\"v2\"")], 200),
        (vec![("if-none-match", "v1")], 200),
        (
            vec![("if-modified-since", "Wed, 31 Dec 2025 00:00:00 GMT")],
            304,
        ),
        (
            vec![("if-modified-since", "Tue, 30 Dec 2025 00:00:00 GMT")],
            200,
        ),
        (
            vec![
                ("if-none-match", "\"v2\""),
                ("if-modified-since", "Thu, 01 Jan 2026 00:00:00 GMT"),
            ],
            200,
        ),
        (vec![], 200),
    ] {
        assert_eq!(known(200, &asked), (expected, expected == 304), "{asked:?}");
    }
    assert_eq!(known(404, &[("if-none-match", "\"v1\"")]), (404, false));
    // Without `Last-Modified` it counts as created when received.
    for (since, expected) in [
        ("Thu, 01 Jan 2026 00:00:00 GMT", true),
        ("Wed, 31 Dec 2025 23:59:59 GMT", false),
    ] {
        let mut cache = Cache::new(SAFE);
        cache.get("/a", &[], &[]);
        let Outcome::Reused(reuse) = cache.get("/a", &[("if-modified-since", since)], &[]) else {
            panic!("not reused")
        };
        assert_eq!(reuse.is_known, expected, "{since}");
    }
}

/// The range cut from a cached answer with these headers.
fn cut(method: &str, answer: &[(&str, &str)], asked: &[(&str, &str)]) -> Option<Range> {
    let mut cache = Cache::new(CONTROL);
    cache.send(request(method, "/a", &[]), "", 200, answer);
    match cache.exchange(request(method, "/a", asked), "").1 {
        Some(Step::Reuse(reuse)) => reuse.range,
        step => unreachable!("{step:?}"),
    }
}

#[test]
fn single_range_is_served_from_the_cache() {
    for (asked, expected) in [
        ("bytes=0-1", Some((Some(0), Some(1)))),
        ("Bytes = 5-", Some((Some(5), None))),
        ("bytes=-3", Some((None, Some(3)))),
        ("bytes=7-7", Some((Some(7), Some(7)))),
        ("bytes=2-1", None),
        ("bytes=-", None),
        ("bytes=+1-2", None),
        ("bytes=1- 2", None),
        ("bytes=0-1,3-4", None),
        ("bytes=0-1, bytes=3-4", None),
        ("bytes=9999999999999999999-", None),
        ("lines=0-1", None),
        ("bytes", None),
    ] {
        assert_eq!(cut("GET", &[], &[("range", asked)]), expected, "{asked}");
    }
    let asked = [("range", "bytes=0-1")];
    for method in ["HEAD", "OPTIONS"] {
        assert_eq!(cut(method, &[], &asked), None, "{method}");
    }
    // A client that already has the answer gets no part of it.
    let has = [("range", "bytes=0-1"), ("if-none-match", "\"v\"")];
    assert_eq!(cut("GET", &[("etag", "\"v\"")], &has), None);
    // Only a complete answer to a GET has parts.
    let mut cache = Cache::new(SAFE);
    cache.send(request("GET", "/a", &[]), "", 404, &[]);
    let Outcome::Reused(reuse) = cache.get("/a", &asked, &[]) else {
        panic!("not reused")
    };
    assert_eq!((reuse.status, reuse.range), (404, None));
}

#[test]
fn if_range_must_match_the_stored_response() {
    const MODIFIED: &str = "Wed, 31 Dec 2025 23:59:59 GMT";
    const NOW: &str = "Thu, 01 Jan 2026 00:00:00 GMT";
    for (answer, asked, expected) in [
        (("etag", "\"v\""), "\"v\"", true),
        (("etag", "\"v\""), "\"w\"", false),
        (("etag", "W/\"v\""), "W/\"v\"", false),
        (("etag", "W/\"v\""), "\"v\"", false),
        (("last-modified", MODIFIED), MODIFIED, true),
        (("last-modified", MODIFIED), NOW, false),
        // Created in the second in which it was received: there may have been another version within it.
        (("last-modified", NOW), NOW, false),
        (("x", "y"), NOW, false),
        (("x", "y"), "", false),
    ] {
        let asked = [("range", "bytes=0-1"), ("if-range", asked)];
        let found = cut("GET", &[answer], &asked).is_some();
        assert_eq!(found, expected, "{answer:?} {asked:?}");
    }
}

#[test]
fn partial_responses_are_not_cached_but_full_ones_are() {
    let asked = [("range", "bytes=0-1")];
    let mut cache = Cache::new(SAFE);
    let part = cache.send(request("GET", "/a", &asked), "", 206, &[]);
    assert_eq!(part, Outcome::Sent);
    assert_eq!(cache.get("/a", &asked, &[]), Outcome::Kept(60));
    assert!(matches!(cache.get("/a", &[], &[]), Outcome::Reused(_)));
}

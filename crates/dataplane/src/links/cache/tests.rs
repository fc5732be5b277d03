//! What is stored and reused, through the link and the rules behind it.

mod clients;
mod upstreams;

use crate::caching::{self, Aim, Entry, Keep, Kept, Reuse, check_get, keep};
use crate::chain::{Need, Settings, Step};
use crate::exchange::{Body, Exchange, Request, Route};
use crate::headers::{AnswerEdit, Fields};
use crate::identity::{Credential, Identity, Method};
use crate::sessions::Known;
use crate::testing::{End, NOW_MS, chain, exchange, request, send_body};
use std::collections::BTreeMap;
use std::rc::Rc;

const SAFE: &str = r#"{"cache_options":{"enable_cache":true,"cache_all_safe_requests":true}}"#;
const CONTROL: &str = r#"{"cache_options":{"enable_cache":true,"cache_all_safe_requests":true,
    "enable_upstream_cache_control":true}}"#;

/// The `Date` of an answer received at [`NOW_MS`].
const DATE: (&str, &str) = ("date", "Thu, 01 Jan 2026 00:00:00 GMT");

/// An in-memory cache in front of an API with this definition.
struct Cache {
    definition: String,
    stored: BTreeMap<String, String>,
}

/// The outcome of a request.
#[derive(Debug, PartialEq)]
enum Outcome {
    /// Sent to the upstream; its answer is cached and fresh for this many seconds.
    Kept(u64),
    /// Sent to the upstream; its answer is not cached.
    Sent,
    /// Sent to the upstream, invalidating what is cached for its address.
    Forgot,
    Reused(Reuse),
    Failed(u16),
}

fn headers(list: &[(&str, &str)]) -> Fields {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Fields(list.iter().map(own).collect())
}

impl Cache {
    fn new(definition: &str) -> Self {
        Self {
            definition: definition.to_owned(),
            stored: BTreeMap::new(),
        }
    }

    fn exchange(&self, request: Request, body: &str) -> (Exchange, Option<Step>) {
        let settings = Settings {
            max_body_bytes: 100,
            ..Settings::default()
        };
        let chain = chain(&self.definition, &settings);
        let route = Route {
            listen: 1,
            ..Route::default()
        };
        let mut exchange = exchange(request, route, Rc::clone(&chain));
        for link in &chain.links {
            let end = loop {
                match link.request(&mut exchange) {
                    Step::Need(Need::Body { .. }) => exchange.body = Body::Read(body.into()),
                    Step::Need(Need::Cached) => {
                        let Some(Aim::Answer(asking)) =
                            exchange.caching.as_ref().map(|caching| caching.aim.clone())
                        else {
                            unreachable!()
                        };
                        exchange.found(self.stored.get(&asking.key).map(String::as_str));
                    }
                    step => break step,
                }
            };
            if end != Step::Next {
                return (exchange, Some(end));
            }
        }
        (exchange, None)
    }

    /// Sends a request that the upstream answers with this at once.
    fn send(
        &mut self,
        request: Request,
        body: &str,
        status: u16,
        answer: &[(&str, &str)],
    ) -> Outcome {
        let (exchange, end) = self.exchange(request, body);
        match end {
            Some(Step::Reuse(reuse)) => return Outcome::Reused(reuse),
            Some(Step::Reply(crate::failure::Reply::Failure(failure))) => {
                return Outcome::Failed(failure.failure.status());
            }
            Some(step) => unreachable!("{step:?}"),
            None => {}
        }
        let now = exchange.request.now_ms;
        match keep(&exchange, (status, &headers(answer)), (now, now), false) {
            None => Outcome::Sent,
            Some(Keep::Forget) => Outcome::Forgot,
            Some(Keep::Kept(kept)) => {
                let Kept {
                    until_ms,
                    answer,
                    choice,
                    ..
                } = *kept;
                let Some(Entry::Answer(noted)) = Entry::read(&answer.1) else {
                    unreachable!()
                };
                assert!(until_ms >= noted.until_ms);
                self.stored.extend([answer].into_iter().chain(choice));
                Outcome::Kept(noted.until_ms.saturating_sub(now) / 1000)
            }
        }
    }

    /// What a HEAD with this answer from the upstream says about the cached answer to the GET.
    fn head(&self, asked: &[(&str, &str)], status: u16, answer: &[(&str, &str)]) -> Option<String> {
        let (exchange, end) = self.exchange(request("HEAD", "/a", asked), "");
        assert_eq!(end, None);
        let get = exchange.caching.as_ref()?.get.as_ref()?;
        let answer = headers(answer);
        let said = |key: &str| {
            let noted = self.stored.get(key).map(String::as_str);
            check_get(&exchange, noted.unwrap_or_default(), (status, &answer))
        };
        match said(&get.key)? {
            key if self.stored.contains_key(&key) => said(&key),
            said => Some(said),
        }
    }

    fn get(&mut self, path: &str, asked: &[(&str, &str)], answer: &[(&str, &str)]) -> Outcome {
        self.send(request("GET", path, asked), "", 200, answer)
    }

    /// Whether a second request is answered with what a first one has stored.
    fn shares(definition: &str, first: Request, second: Request) -> bool {
        let mut cache = Self::new(definition);
        assert_eq!(cache.send(first, "b", 200, &[]), Outcome::Kept(60));
        matches!(cache.send(second, "b", 200, &[]), Outcome::Reused(_))
    }
}

fn later(seconds: u64, request: Request) -> Request {
    Request {
        now_ms: NOW_MS.saturating_add(seconds.saturating_mul(1000)),
        ..request
    }
}

#[test]
fn stored_response_is_used_until_it_expires() {
    let mut cache = Cache::new(SAFE);
    assert_eq!(cache.get("/a", &[], &[]), Outcome::Kept(60));
    let Outcome::Reused(reuse) = cache.get("/a", &[], &[]) else {
        panic!("not reused")
    };
    let mark = AnswerEdit::Set("x-gateway-cached-response".to_owned(), "1".to_owned());
    assert_eq!((reuse.status, reuse.is_known), (200, false));
    assert_eq!(reuse.answer, [mark]);
    let get = |seconds| later(seconds, request("GET", "/a", &[]));
    assert!(matches!(
        cache.send(get(59), "", 200, &[]),
        Outcome::Reused(_)
    ));
    assert_eq!(cache.send(get(60), "", 200, &[]), Outcome::Kept(60));
}

#[test]
fn distinct_requests_have_distinct_entries() {
    let by_header = r#"{"cache_options":{"enable_cache":true,"cache_all_safe_requests":true,"cache_by_headers":["X-Tenant"]}}"#;
    let get = |path: &str, headers: &[(&str, &str)]| request("GET", path, headers);
    let first = || get("/a?x=1", &[("x-tenant", "a")]);
    let elsewhere = |address: &str| Request {
        connection_address: address.into(),
        ..first()
    };
    for (second, expected) in [
        (first(), true),
        (
            get(
                "/a?x=1",
                &[("X-TENANT", "a"), ("cookie", "s=1"), ("accept", "x/y")],
            ),
            true,
        ),
        (get("/a?x=2", &[("x-tenant", "a")]), false),
        (get("/A?x=1", &[("x-tenant", "a")]), false),
        (get("/a?x=1", &[("x-tenant", "b")]), false),
        (get("/a?x=1", &[]), false),
        (request("HEAD", "/a?x=1", &[("x-tenant", "a")]), false),
        (request("OPTIONS", "/a?x=1", &[("x-tenant", "a")]), false),
        (elsewhere("192.0.2.1"), false),
        // A header's statement about the client is not enough to get what is cached for another one.
        (
            get("/a?x=1", &[("x-tenant", "a"), ("x-real-ip", "192.0.2.1")]),
            false,
        ),
        (
            get("/a?x=1", &[("x-tenant", "a"), ("authorization", "Basic x")]),
            false,
        ),
        (
            get(
                "/a?x=1",
                &[("x-tenant", "a"), ("x-forwarded-prefix", "/evil")],
            ),
            false,
        ),
    ] {
        let words = format!("{second:?}");
        assert_eq!(
            Cache::shares(by_header, first(), second),
            expected,
            "{words}"
        );
    }
    assert!(!Cache::shares(SAFE, get("/a", &[]), get("/a?", &[])));
    assert!(Cache::shares(SAFE, get("/a?", &[]), get("/a?", &[])));
}

#[test]
fn bearer_prefix_shares_the_cache_entry() {
    let place = |authorization: &str, has_key: bool| {
        let headers = [("authorization", authorization)];
        let (mut exchange, _) = Cache::new(SAFE).exchange(request("GET", "/a", &headers), "");
        let text = "{\"access_rights\":{\"a\":{}}}".to_owned();
        let known = Known::new("h".to_owned(), 1, text, (1, &BTreeMap::new()));
        exchange.identity = has_key.then(|| Identity {
            method: Method::Token,
            credential: Credential::Token("t".to_owned()),
            known: Rc::new(known),
            client: None,
        });
        caching::place(&exchange, "GET", &[], &[]).key
    };
    assert_eq!(place("t", true), place("Bearer t", true));
    assert_ne!(place("t", true), place("Basic t", true));
    assert_ne!(place("t", false), place("Bearer t", false));
}

/// The session is often that of a key which many people's application shares; a token in another header says who it is.
#[test]
fn everybody_that_a_request_is_authenticated_as_counts() {
    let place = |user: &str, claims: &str| {
        let (mut exchange, _) = Cache::new(SAFE).exchange(request("GET", "/a", &[]), "");
        exchange.key.claims = claims.into();
        for (method, hash) in [(Method::Jwt, user), (Method::Token, "application")] {
            let text = "{\"access_rights\":{\"a\":{}}}".to_owned();
            exchange.identify(Identity {
                method,
                credential: Credential::Token(hash.to_owned()),
                known: Rc::new(Known::new(hash.to_owned(), 1, text, (1, &BTreeMap::new()))),
                client: None,
            });
        }
        let own = caching::place(&exchange, "GET", &[], &[]).key;
        // The same after a loop to an API that requires no key.
        let (mut inner, _) = Cache::new(SAFE).exchange(request("GET", "/a", &[]), "");
        inner.succeed(&mut exchange);
        [own, caching::place(&inner, "GET", &[], &[]).key]
    };
    let first = place("alice", r#"{"tenant":"a"}"#);
    assert_eq!(first, place("alice", r#"{"tenant":"a"}"#));
    for other in [
        place("bob", r#"{"tenant":"a"}"#),
        place("alice", r#"{"tenant":"b"}"#),
    ] {
        assert!(first.iter().zip(&other).all(|(one, other)| one != other));
    }
}

#[test]
fn only_configured_requests_are_cached() {
    let lists = r#"{"cache_options":{"enable_cache":true,"cache_response_codes":[200]},
        "version_data":{"versions":{"v":{"use_extended_paths":true,"extended_paths":{"cache":["/list/{id}"],
        "advance_cache_config":[
            {"path":"/own","method":"GET","timeout":5,"cache_response_codes":[404]},
            {"path":"/api","method":"GET"},
            {"path":"/list","method":"GET","timeout":5,"cache_response_codes":[500]},
            {"path":"/post","method":"POST","cache_key_regex":"id=[0-9]+"},
            {"path":"/invalid","method":"POST","cache_key_regex":"("},
            {"path":"/whole","method":"POST"},
            {"path":"/off","method":"GET","disabled":true}]}}}}}"#;
    let outcome = |method: &str, path: &str, status: u16| {
        let length: &[(&str, &str)] = if method == "GET" {
            &[]
        } else {
            &[("content-length", "1")]
        };
        Cache::new(lists).send(request(method, path, length), "b", status, &[])
    };
    for (method, path, status, expected) in [
        ("GET", "/list/1", 200, Outcome::Kept(60)),
        ("GET", "/list/1/sub", 200, Outcome::Kept(60)),
        ("GET", "/list/1", 500, Outcome::Sent),
        ("GET", "/own", 404, Outcome::Kept(5)),
        ("GET", "/own", 200, Outcome::Sent),
        ("GET", "/api", 200, Outcome::Kept(60)),
        ("GET", "/api", 500, Outcome::Sent),
        ("GET", "/off", 200, Outcome::Sent),
        ("GET", "/else", 200, Outcome::Sent),
        ("POST", "/post", 200, Outcome::Kept(60)),
        ("POST", "/invalid", 200, Outcome::Sent),
        ("POST", "/else", 200, Outcome::Sent),
        ("POST", "/list/1", 200, Outcome::Forgot),
        ("DELETE", "/own", 204, Outcome::Forgot),
        ("DELETE", "/own", 404, Outcome::Sent),
    ] {
        assert_eq!(
            outcome(method, path, status),
            expected,
            "{method} {path} {status}"
        );
    }
    let mut cache = Cache::new(lists);
    let mut post = |path: &str, body: &str| {
        let length = body.len().to_string();
        let request = request("POST", path, &[("content-length", &length)]);
        matches!(cache.send(request, body, 200, &[]), Outcome::Reused(_))
    };
    assert!(!post("/post", "id=1&t=a"));
    assert!(post("/post", "id=1&t=b"));
    assert!(!post("/post", "id=2&t=a"));
    assert!(!post("/whole", "a"));
    assert!(!post("/whole", "b"));
    assert!(post("/whole", "a"));
}

#[test]
fn setting_for_all_safe_requests_wins_over_entries() {
    let definition = r#"{"cache_options":{"enable_cache":true,"cache_all_safe_requests":true},
        "version_data":{"versions":{"v":{"use_extended_paths":true,"extended_paths":{"advance_cache_config":[
            {"path":"/a","method":"GET","timeout":5,"cache_response_codes":[404]},
            {"path":"/a","method":"PUT","timeout":5}]}}}}}"#;
    for (method, seconds) in [("GET", 60), ("PUT", 5)] {
        let sent = Cache::new(definition).send(request(method, "/a", &[]), "", 200, &[]);
        assert_eq!(sent, Outcome::Kept(seconds), "{method}");
    }
}

#[test]
fn requests_unfit_for_caching_bypass_the_cache() {
    for header in [
        ("if-match", "\"a\""),
        ("if-unmodified-since", "x"),
        ("upgrade", "websocket"),
        ("content-length", "1"),
        ("transfer-encoding", "chunked"),
        ("cache-control", "no-store"),
    ] {
        let outcome = Cache::new(SAFE).get("/a", &[header], &[]);
        assert_eq!(outcome, Outcome::Sent, "{header:?}");
    }
    for off in [
        r#"{"cache_options":{"cache_all_safe_requests":true}}"#,
        r#"{"cache_options":{"enable_cache":true}}"#,
        r#"{"cache_options":{"enable_cache":true,"cache_all_safe_requests":true,"cache_timeout":0}}"#,
    ] {
        assert_eq!(Cache::new(off).get("/a", &[], &[]), Outcome::Sent, "{off}");
        assert_eq!(send_body(off, request("GET", "/a", &[]), "").end, End::Sent);
    }
}

#[test]
fn conditional_writes_invalidate_like_others() {
    for header in [
        ("if-match", "\"a\""),
        ("if-unmodified-since", "x"),
        ("upgrade", "h2c"),
    ] {
        let put = |status| Cache::new(SAFE).send(request("PUT", "/a", &[header]), "b", status, &[]);
        assert_eq!(put(200), Outcome::Forgot, "{header:?}");
        assert_eq!(put(412), Outcome::Sent, "{header:?}");
    }
}

#[test]
fn private_responses_are_never_cached() {
    for definition in [SAFE, CONTROL] {
        for answer in [
            ("set-cookie", "a=b"),
            ("cache-control", "private, max-age=60"),
            ("cache-control", "no-store"),
            ("cache-control", "max-age=60, PRIVATE=\"x\""),
            ("vary", "accept, *"),
        ] {
            let outcome = Cache::new(definition).get("/a", &[], &[answer]);
            assert_eq!(outcome, Outcome::Sent, "{answer:?}");
        }
        let outcome =
            |status| Cache::new(definition).send(request("GET", "/a", &[]), "", status, &[]);
        assert_eq!((outcome(206), outcome(304)), (Outcome::Sent, Outcome::Sent));
        let of_500 = if definition == SAFE {
            Outcome::Kept(60)
        } else {
            Outcome::Sent
        };
        assert_eq!((outcome(500), outcome(204)), (of_500, Outcome::Kept(60)));
    }
    let authorized = |answer: &[(&str, &str)]| {
        Cache::new(CONTROL).get("/a", &[("authorization", "Basic x")], answer)
    };
    assert_eq!(authorized(&[("cache-control", "max-age=5")]), Outcome::Sent);
    for shared in [
        "public, max-age=5",
        "max-age=5, must-revalidate",
        "s-maxage=5",
    ] {
        assert_eq!(
            authorized(&[("cache-control", shared)]),
            Outcome::Kept(5),
            "{shared}"
        );
    }
}

#[test]
fn vary_stores_each_variant() {
    let mut cache = Cache::new(SAFE);
    let vary = [("vary", "Accept-Language, accept")];
    let mut get = |language: &str| {
        let outcome = cache.get("/a", &[("accept-language", language)], &vary);
        matches!(outcome, Outcome::Reused(_))
    };
    assert!(!get("en"));
    assert!(!get("de"));
    assert!(get("en"));
    assert!(get("de"));
    assert!(matches!(cache.get("/a", &[], &vary), Outcome::Kept(60)));
    let empty = [("accept-language", "")];
    assert!(matches!(cache.get("/a", &empty, &vary), Outcome::Kept(60)));
    let mut cache = Cache::new(SAFE);
    let vary = [("vary", "Accept-Language, foo")];
    let mut get = |language: &str, foo: &str| {
        let asked = [("accept-language", language), ("foo", foo)];
        matches!(cache.get("/a", &asked, &vary), Outcome::Reused(_))
    };
    assert!(!get("en, de", "A,b"));
    assert!(get("EN,de", "A, b"));
    assert!(!get("de, en", "A, b"));
    assert!(!get("en, de", "a, b"));
}

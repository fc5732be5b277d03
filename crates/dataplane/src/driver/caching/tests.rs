//! Stale cached answers, from the request to the end of the run.

use crate::caching::{Entry, Noted, Reuse, Then};
use crate::chain::Settings;
use crate::driver::tests::{api, bare, isolate, merge};
use crate::driver::{Given, Next, Routed, Run, Sending, UpstreamAnswer, Wanted, route};
use crate::exchange::Request;
use crate::failure::Failure;
use crate::headers::AnswerEdit;
use crate::snapshot::Snapshot;
use crate::testing::{NOW_MS, request};
use serde_json::json;
use std::rc::Rc;

/// An answer that came ten seconds ago and was fresh for five.
fn noted() -> Noted {
    Noted {
        stored_ms: NOW_MS - 10_000,
        until_ms: NOW_MS - 5_000,
        status: 200,
        tells_age: true,
        may_be_stale: true,
        etag: "\"v\"".to_owned(),
        modified: "Wed, 31 Dec 2025 00:00:00 GMT".to_owned(),
        ..Noted::default()
    }
}

/// A run that has found this in the cache, and what it wants next.
fn found(noted: Noted, headers: &[(&str, &str)]) -> (Run, Next) {
    let mut definition = bare();
    let options = json!({ "enable_cache": true, "cache_all_safe_requests": true, "enable_upstream_cache_control": true });
    merge(&mut definition, &json!({ "cache_options": options }));
    let settings = Settings::default();
    let mut snapshot = Snapshot::empty(1, settings.clone());
    snapshot.add(api(&definition, &settings));
    let snapshot = Rc::new(snapshot);
    let Routed::Api(target, path) = route(&snapshot, "h", "/a/x", "") else {
        panic!("no API")
    };
    let request = Request {
        path,
        ..request("GET", "/a/x", headers)
    };
    let isolate = isolate(&[]);
    let mut run = Run::new(&snapshot, &isolate, &target, request, None);
    let next = run.advance(Given::Start);
    assert!(matches!(next, Next::Need(Wanted::Cached(_))), "{next:?}");
    let next = run.advance(Given::Cached(Some(Entry::Answer(noted).write())));
    (run, next)
}

fn sent(next: Next) -> Sending {
    match next {
        Next::Send(sending) => *sending,
        next => panic!("{next:?}"),
    }
}

fn header<'a>(sending: &'a Sending, name: &str) -> Option<Option<&'a str>> {
    let mut headers = sending.headers.iter();
    headers
        .find(|(own, _)| *own == name)
        .map(|(_, value)| value)
}

fn reused(next: Next) -> Option<Reuse> {
    match next {
        Next::Reuse(reuse) => Some(*reuse),
        Next::Pass(_) | Next::Answer(_) => None,
        next => panic!("{next:?}"),
    }
}

fn status(status: u16) -> Given {
    Given::Upstream(UpstreamAnswer { status, body: None })
}

#[test]
fn stored_response_is_revalidated_upstream() {
    let (mut run, next) = found(noted(), &[("if-none-match", "\"own\"")]);
    let sending = sent(next);
    assert_eq!(header(&sending, "if-none-match"), Some(Some("\"v\"")));
    let modified = Some(Some("Wed, 31 Dec 2025 00:00:00 GMT"));
    assert_eq!(header(&sending, "if-modified-since"), modified);
    let reuse = reused(run.advance(status(304))).unwrap();
    assert_eq!((reuse.status, reuse.is_known), (200, false));
    assert_eq!(reuse.then, Some(Then::Refresh));
    assert!(!reuse.answer.iter().any(|edit| edit.name() == "age"));
    // A client that already has the cached answer gets a 304.
    let (mut run, next) = found(noted(), &[("if-none-match", "\"v\"")]);
    sent(next);
    assert_eq!(reused(run.advance(status(304))).unwrap().status, 304);
    // Another answer replaces it.
    let (mut run, next) = found(noted(), &[]);
    sent(next);
    assert_eq!(reused(run.advance(status(200))), None);
}

#[test]
fn client_condition_does_not_revalidate_the_entry() {
    let bare = Noted {
        etag: String::new(),
        modified: String::new(),
        ..noted()
    };
    let (mut run, next) = found(bare, &[("if-none-match", "\"own\"")]);
    assert_eq!(header(&sent(next), "if-none-match"), None);
    assert_eq!(reused(run.advance(status(304))), None);
}

#[test]
fn stale_response_replaces_an_error_only_if_allowed() {
    let error = |noted: Noted, asked: &str, given: Given| {
        let (mut run, next) = found(noted, &[("cache-control", asked)]);
        sent(next);
        reused(run.advance(given)).map(|reuse| (reuse.status, reuse.then))
    };
    let allowed = |error_seconds| Noted {
        error_seconds,
        ..noted()
    };
    for code in [500, 502, 503, 504] {
        assert_eq!(
            error(allowed(5), "", status(code)),
            Some((200, None)),
            "{code}"
        );
    }
    let failed = || Given::Failed(Failure::UpstreamRefused);
    assert_eq!(error(allowed(5), "", failed()), Some((200, None)));
    assert_eq!(error(allowed(4), "", failed()), None);
    assert_eq!(error(allowed(0), "", failed()), None);
    assert_eq!(
        error(allowed(0), "stale-if-error=5", failed()),
        Some((200, None))
    );
    assert_eq!(error(allowed(9), "no-cache", failed()), None);
    assert_eq!(error(allowed(9), "", status(404)), None);
    assert_eq!(error(allowed(9), "", status(501)), None);
    let forbidden = Noted {
        may_be_stale: false,
        ..allowed(9)
    };
    assert_eq!(error(forbidden, "stale-if-error=9", failed()), None);
}

#[test]
fn stale_response_is_revalidated_in_the_background() {
    let stale = Noted {
        while_seconds: 9,
        ..noted()
    };
    let asked = [("range", "bytes=0-1"), ("if-range", "\"v\"")];
    let (mut run, next) = found(stale, &asked);
    let reuse = reused(next).unwrap();
    assert_eq!(reuse.then, Some(Then::Renew));
    assert_eq!(reuse.range, Some((Some(0), Some(1))));
    let age = AnswerEdit::Set("age".to_owned(), "10".to_owned());
    assert!(reuse.answer.contains(&age));
    let sending = sent(run.advance(Given::Time));
    assert_eq!(header(&sending, "if-none-match"), Some(Some("\"v\"")));
    // The next answer is cached in full, whichever range of this one was wanted.
    assert_eq!(header(&sending, "range"), Some(None));
    assert_eq!(header(&sending, "if-range"), Some(None));
    assert!(matches!(
        run.advance(Given::Failed(Failure::Upstream)),
        Next::Answer(_)
    ));
    assert_eq!(run.failure, None);
    // Without a validator it is not the client's copy that is confirmed.
    let bare = Noted {
        while_seconds: 9,
        etag: String::new(),
        modified: String::new(),
        ..noted()
    };
    let (mut run, next) = found(bare, &[("if-none-match", "\"own\"")]);
    assert_eq!(reused(next).unwrap().then, Some(Then::Renew));
    let sending = sent(run.advance(Given::Time));
    assert_eq!(header(&sending, "if-none-match"), Some(None));
}

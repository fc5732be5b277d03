//! Rates and quotas of keys, of their APIs and endpoints, and of APIs themselves.

use super::{
    Visit, admin, api, gateway, get, header, key, publish, put, refusal, session, visit, with,
};
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

/// Returns how many of this many requests pass.
pub(super) fn count_passing(memory: &Memory, token: &str, target: &str, sent: usize) -> usize {
    let passes = |_: &usize| refusal(memory, token, target).is_none();
    (0..sent).filter(passes).count()
}

fn number(headers: &[(String, String)], name: &str) -> u64 {
    header(headers, name).unwrap().parse().unwrap()
}

#[test]
fn a_rate_refuses_until_its_window_has_moved_on() {
    let memory = gateway();
    let members = json!({ "rate": 3, "per": 600 });
    let (token, _) = key(&memory, &session(&["a"], &members));
    assert_eq!(count_passing(&memory, &token, "/a/x", 5), 3);
    let refused = get(&memory, &token, "/a/x").unwrap_err();
    assert_eq!(refused.failure, Failure::RateLimit);
    let retry = number(&refused.headers, "retry-after");
    assert!((500..=600).contains(&retry), "{retry}");
    let policy = header(&refused.headers, "ratelimit-policy");
    assert_eq!(policy, Some("\"rate\";q=3;w=600"));
    assert_eq!(header(&refused.headers, "x-ratelimit-limit"), None);
    memory.wait(retry);
    assert!(count_passing(&memory, &token, "/a/x", 5) >= 1);
}

#[test]
fn less_than_one_request_in_a_period_is_one_in_a_longer_one() {
    let memory = gateway();
    let members = json!({ "rate": 0.5, "per": 600 });
    let (token, _) = key(&memory, &session(&["a"], &members));
    assert_eq!(count_passing(&memory, &token, "/a/x", 5), 1);
    memory.wait(900);
    assert_eq!(count_passing(&memory, &token, "/a/x", 5), 0);
    memory.wait(300);
    assert_eq!(count_passing(&memory, &token, "/a/x", 5), 1);
}

#[test]
fn a_quota_is_exact_and_shows_how_it_stands() {
    let memory = gateway();
    let members = json!({ "quota_max": 3, "quota_renewal_rate": 3600 });
    let (token, _) = key(&memory, &session(&["a"], &members));
    let begin = memory.now_ms() / 1000;
    for left in [2, 1, 0] {
        let headers = get(&memory, &token, "/a/x").unwrap().headers;
        assert_eq!(number(&headers, "x-ratelimit-limit"), 3);
        assert_eq!(number(&headers, "x-ratelimit-remaining"), left);
        let reset = number(&headers, "x-ratelimit-reset") - begin;
        assert!((3600..3630).contains(&reset), "{reset}");
    }
    let refused = get(&memory, &token, "/a/x").unwrap_err();
    assert_eq!(refused.failure, Failure::Quota);
    assert!(number(&refused.headers, "retry-after") <= 3600);
    memory.wait(3600);
    assert_eq!(count_passing(&memory, &token, "/a/x", 5), 3);
}

#[test]
fn a_quota_that_never_renews_reports_no_time() {
    let memory = gateway();
    let (token, _) = key(&memory, &session(&["a"], &json!({ "quota_max": 1 })));
    let headers = get(&memory, &token, "/a/x").unwrap().headers;
    assert_eq!(header(&headers, "x-ratelimit-reset"), Some("0"));
    assert_eq!(header(&headers, "ratelimit"), Some("\"quota\";r=0"));
    let refused = get(&memory, &token, "/a/x").unwrap_err();
    assert_eq!(refused.failure, Failure::Quota);
    assert_eq!(header(&refused.headers, "retry-after"), None);
}

#[test]
fn what_a_rate_refuses_is_not_counted_against_the_quota() {
    let memory = gateway();
    let members = json!({ "rate": 2, "per": 600, "quota_max": 3, "quota_renewal_rate": 36000 });
    let (token, _) = key(&memory, &session(&["a"], &members));
    assert_eq!(count_passing(&memory, &token, "/a/x", 10), 2);
    memory.wait(600);
    assert_eq!(count_passing(&memory, &token, "/a/x", 10), 1);
    // The rate refuses before the quota does.
    memory.wait(600);
    assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::Quota));
}

#[test]
fn limits_of_an_api_have_counters_of_their_own() {
    let memory = gateway();
    publish(&memory, &[api("c", &json!({}))]);
    let rights = json!({
        "a": { "limit": { "quota_max": 1, "quota_renewal_rate": 3600 } },
        "b": { "limit": { "quota_max": 2, "quota_renewal_rate": 3600 } },
        "c": { "limit": { "quota_max": 0 } },
    });
    let members = json!({ "access_rights": rights, "quota_max": 4, "quota_renewal_rate": 3600 });
    let (token, hash) = key(&memory, &members);
    for (target, passed) in [("/a/x", 1), ("/b/x", 2), ("/c/x", 4), ("/a/x", 0)] {
        assert_eq!(
            count_passing(&memory, &token, target, 9),
            passed,
            "{target}"
        );
    }
    let read = admin(&memory, "GET", &format!("keys/{hash}"), &Value::Null);
    let read: Value = serde_json::from_str(&read.body).unwrap();
    // The remaining quota is hidden when it is used up, but the end of the window is shown (reference 1.6, item 12).
    assert_eq!(read.get("quota_remaining"), None);
    assert!(read["quota_renews"].is_u64());
    for api in ["a", "b"] {
        let limit = &read["access_rights"][api]["limit"];
        assert_eq!(limit.get("quota_remaining"), None, "{api}");
        assert!(limit["quota_renews"].is_u64(), "{api}");
    }
}

#[test]
fn several_policies_count_apart_and_one_together() {
    let memory = gateway();
    let quota = |id: &str, apis: &[&str], max: u32| {
        let limits = json!({ "id": id, "quota_max": max, "quota_renewal_rate": 3600 });
        let stored = admin(&memory, "POST", "policies", &session(apis, &limits));
        assert_eq!(stored.status, 200, "{}", stored.body);
    };
    quota("both", &["a", "b"], 3);
    quota("left", &["a"], 1);
    quota("right", &["b"], 2);
    super::reload(&memory);
    let (token, _) = key(&memory, &json!({ "apply_policies": ["both"] }));
    assert_eq!(count_passing(&memory, &token, "/a/x", 2), 2);
    assert_eq!(count_passing(&memory, &token, "/b/x", 9), 1);
    let (token, hash) = key(&memory, &json!({ "apply_policies": ["left", "right"] }));
    assert_eq!(count_passing(&memory, &token, "/a/x", 9), 1);
    let read = admin(&memory, "GET", &format!("keys/{hash}"), &Value::Null);
    let read: Value = serde_json::from_str(&read.body).unwrap();
    let left = |api: &str| read["access_rights"][api]["limit"]["quota_remaining"].clone();
    assert_eq!((left("a"), left("b")), (Value::Null, json!(2)), "{read}");
    assert_eq!(count_passing(&memory, &token, "/b/x", 9), 2);
}

#[test]
fn an_endpoint_rate_replaces_the_rate_of_the_key() {
    let memory = gateway();
    let limit = |rate: i64| json!({ "rate": rate, "per": 3600 });
    let endpoints = json!([
        { "path": "/slow", "methods": [{ "name": "GET", "limit": limit(1) }] },
        { "path": "/free", "methods": [{ "name": "get", "limit": limit(-1) }] },
        // The listen path is no part of what an endpoint matches.
        { "path": "/a", "methods": [{ "name": "GET", "limit": limit(1) }] },
    ]);
    let rights = json!({ "a": { "endpoints": endpoints } });
    let members = json!({ "access_rights": rights, "rate": 2, "per": 3600 });
    let (token, _) = key(&memory, &members);
    assert_eq!(count_passing(&memory, &token, "/a/slow", 5), 1);
    assert_eq!(count_passing(&memory, &token, "/a/free", 5), 5);
    assert_eq!(count_passing(&memory, &token, "/a/other", 5), 2);
    let (token, _) = key(&memory, &members);
    let post = Visit {
        method: "POST",
        target: "/a/slow",
        headers: &[("authorization", &token)],
        body: "",
    };
    let passed = (0..5).filter(|_| visit(&memory, post).is_ok()).count();
    assert_eq!(passed, 2);
}

#[test]
fn an_api_can_ignore_rates_and_quotas_and_have_a_rate_itself() {
    let memory = Memory::default();
    let global = |more: Value| json!({ "global_rate_limit": with(json!({ "rate": 3, "per": 3600 }), &more) });
    publish(
        &memory,
        &[
            api("rates", &json!({ "disable_quota": true })),
            api("quotas", &json!({ "disable_rate_limit": true })),
            api("whole", &global(json!({}))),
            api("off", &global(json!({ "disabled": true }))),
            api(
                "open",
                &with(global(json!({})), &json!({ "use_keyless": true })),
            ),
            api(
                "idle",
                &with(global(json!({})), &json!({ "disable_rate_limit": true })),
            ),
        ],
    );
    let members = json!({ "rate": 2, "per": 3600, "quota_max": 4, "quota_renewal_rate": 36000 });
    for (id, passed, failure) in [
        ("rates", 2, Failure::RateLimit),
        ("quotas", 4, Failure::Quota),
        ("idle", 4, Failure::Quota),
        ("off", 2, Failure::RateLimit),
    ] {
        let (token, _) = key(&memory, &session(&[id], &members));
        let target = format!("/{id}/x");
        assert_eq!(count_passing(&memory, &token, &target, 9), passed, "{id}");
        assert_eq!(refusal(&memory, &token, &target), Some(failure), "{id}");
    }
    // Two keys share the API's rate, as does everyone without a key.
    let pair = [(); 2].map(|()| key(&memory, &session(&["whole"], &json!({}))).0);
    let passed = pair.map(|token| count_passing(&memory, &token, "/whole/x", 2));
    assert_eq!(passed, [2, 1]);
    assert_eq!(count_passing(&memory, "", "/open/x", 5), 3);
    let refused = get(&memory, "", "/open/x").unwrap_err();
    assert_eq!(refused.failure, Failure::ApiRate);
    assert!(number(&refused.headers, "retry-after") > 3000);
    memory.isolate.take_calls();
    assert_eq!(refusal(&memory, "", "/open/x"), Some(Failure::ApiRate));
    assert_eq!(memory.isolate.take_calls(), ["api:open"]);
}

#[test]
fn a_write_starts_the_counters_anew_unless_it_says_otherwise() {
    let memory = gateway();
    let members = json!({ "quota_max": 2, "quota_renewal_rate": 36000, "rate": 2, "per": 36000 });
    let sent = session(&["a"], &members);
    let (token, hash) = key(&memory, &sent);
    assert_eq!(count_passing(&memory, &token, "/a/x", 9), 2);
    put(&memory, &hash, "&suppress_reset=1", &sent);
    assert_eq!(count_passing(&memory, &token, "/a/x", 9), 0);
    put(&memory, &hash, "&suppress_reset=0", &sent);
    assert_eq!(count_passing(&memory, &token, "/a/x", 9), 2);
    // A limit that is raised without a reset keeps its usage.
    let more = with(sent, &json!({ "quota_max": 5, "rate": 5 }));
    put(&memory, &hash, "&suppress_reset=1", &more);
    assert_eq!(count_passing(&memory, &token, "/a/x", 9), 3);
}

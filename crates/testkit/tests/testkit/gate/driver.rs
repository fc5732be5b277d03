//! What the driver asks for, in which rounds, and how it reacts to answers that change its decision.

use super::limits::count_passing;
use super::{
    Visit, admin_ok, api, gateway, get, header, key, publish, put, refusal, session, visit, with,
};
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

const HOUR: u64 = 3600;

fn quota(max: u64) -> Value {
    json!({ "quota_max": max, "quota_renewal_rate": HOUR })
}

fn patterned(apis: &[&str], limits: &Value) -> Value {
    let mut sent = session(apis, limits);
    sent["meta_data"] = json!({ "rate_limit_pattern": "together" });
    sent
}

/// Reduces the objects called in these rounds to the kinds of their names.
fn kinds(rounds: &[Vec<String>]) -> Vec<Vec<&str>> {
    let kind = |name: &String| match name.split_once(':').map_or(name.as_str(), |(kind, _)| kind) {
        "key" => "key",
        "pattern" => "pattern",
        "api" => "api",
        "org" => "org",
        _ => "registry",
    };
    let round = |round: &Vec<String>| round.iter().map(kind).collect();
    rounds.iter().map(round).collect()
}

/// Returns what is left of a quota after a request that passes.
#[track_caller]
fn left(memory: &Memory, token: &str, target: &str) -> u64 {
    let passed = get(memory, token, target).unwrap();
    let shown = header(&passed.headers, "x-ratelimit-remaining");
    shown.unwrap().parse().unwrap()
}

#[test]
fn all_limits_of_a_request_are_checked_in_one_round() {
    let memory = Memory::default();
    let rated = json!({ "global_rate_limit": { "rate": 9, "per": HOUR } });
    publish(&memory, &[api("a", &rated)]);
    admin_ok(&memory, "POST", "org/keys/default", &quota(9));
    let (token, _) = key(&memory, &patterned(&["a"], &quota(9)));
    assert_eq!(left(&memory, &token, "/a/x"), 8);
    memory.isolate.take_rounds();
    assert_eq!(left(&memory, &token, "/a/x"), 7);
    let asked = memory.isolate.take_rounds();
    assert_eq!(kinds(&asked), [["org", "key", "pattern", "api"]]);
}

#[test]
fn what_lives_in_the_isolate_is_counted_without_a_call() {
    let memory = Memory::default();
    memory.isolate.host_ledgers();
    memory.stop_clock();
    let rated = json!({ "global_rate_limit": { "rate": 9, "per": HOUR } });
    publish(&memory, &[api("a", &rated)]);
    admin_ok(&memory, "POST", "org/keys/default", &quota(900));
    let (token, hash) = key(&memory, &patterned(&["a"], &quota(900)));
    assert_eq!(left(&memory, &token, "/a/x"), 899);
    memory.isolate.take_rounds();
    assert_eq!(left(&memory, &token, "/a/x"), 898);
    assert_eq!(
        kinds(&memory.isolate.take_rounds()),
        Vec::<Vec<&str>>::new()
    );
    // An hourly rate is stored in advance for one request at a time.
    assert_eq!(left(&memory, &token, "/a/x"), 897);
    assert_eq!(kinds(&memory.isolate.take_rounds()), [["api"]]);
    put(
        &memory,
        &hash,
        "&suppress_reset=1",
        &with(
            patterned(&["a"], &quota(900)),
            &json!({ "is_inactive": true }),
        ),
    );
    let refused = get(&memory, &token, "/a/x").unwrap_err();
    assert_eq!(refused.failure, Failure::KeyInactive);
}

#[test]
fn a_refusal_without_a_call_gives_back_what_others_have_counted() {
    let memory = Memory::default();
    memory.isolate.host_ledgers();
    memory.stop_clock();
    let rated = json!({ "global_rate_limit": { "rate": 2, "per": 1 } });
    publish(&memory, &[api("a", &rated), api("b", &json!({}))]);
    let (token, _) = key(&memory, &session(&["a", "b"], &quota(9000)));
    assert_eq!(left(&memory, &token, "/a/x"), 8999);
    assert_eq!(left(&memory, &token, "/a/x"), 8998);
    memory.isolate.take_rounds();
    let refused = get(&memory, &token, "/a/x").unwrap_err();
    assert_eq!(refused.failure, Failure::ApiRate);
    // The key comes before the API: the request passed its limits.
    assert_eq!(left(&memory, &token, "/b/x"), 8996);
    assert_eq!(
        kinds(&memory.isolate.take_rounds()),
        Vec::<Vec<&str>>::new()
    );
}

#[test]
fn a_changed_session_is_decided_again_and_what_a_pattern_has_counted_is_given_back() {
    let memory = gateway();
    let sent = patterned(&["a"], &quota(5));
    let (token, hash) = key(&memory, &sent);
    assert_eq!(left(&memory, &token, "/a/x"), 4);
    put(
        &memory,
        &hash,
        "&suppress_reset=1",
        &with(sent, &json!({ "alias": "changed" })),
    );
    memory.isolate.take_rounds();
    assert_eq!(left(&memory, &token, "/a/x"), 3);
    let asked = memory.isolate.take_rounds();
    let rounds = [
        vec!["key", "pattern"],
        vec!["pattern"],
        vec!["key", "pattern"],
    ];
    assert_eq!(kinds(&asked), rounds);
    assert_eq!(left(&memory, &token, "/a/x"), 2);
}

#[test]
fn a_session_that_is_gone_is_looked_for_again_and_nothing_stays_counted() {
    let memory = gateway();
    let (token, hash) = key(&memory, &patterned(&["a"], &quota(5)));
    let (other, _) = key(&memory, &patterned(&["a"], &quota(5)));
    assert_eq!(left(&memory, &token, "/a/x"), 4);
    admin_ok(
        &memory,
        "DELETE",
        &format!("keys/{hash}?hashed=1"),
        &Value::Null,
    );
    memory.isolate.take_rounds();
    assert_eq!(
        refusal(&memory, &token, "/a/x"),
        Some(Failure::CredentialUnknown)
    );
    let asked = memory.isolate.take_rounds();
    let rounds = [vec!["key", "pattern"], vec!["pattern"], vec!["registry"]];
    assert_eq!(kinds(&asked), rounds);
    assert_eq!(left(&memory, &other, "/a/x"), 3);
}

#[test]
fn a_key_that_is_looked_for_again_is_found_although_its_token_was_taken_out() {
    let memory = Memory::default();
    publish(&memory, &[api("a", &json!({ "strip_auth_data": true }))]);
    let legacy = gatewright_protocol::token::hash("bob");
    let path = format!("keys/{legacy}?hashed=1");
    admin_ok(&memory, "POST", &path, &session(&["a"], &json!({})));
    assert_eq!(refusal(&memory, "bob", "/a/x"), None);
    admin_ok(&memory, "POST", "keys/bob", &session(&["a"], &json!({})));
    admin_ok(&memory, "DELETE", &path, &Value::Null);
    let sent = get(&memory, "bob", "/a/x").unwrap().sent.unwrap();
    assert_eq!(sent.headers.get("authorization"), Some(None));
}

#[test]
fn a_version_stays_out_of_a_query_that_loses_its_token() {
    let memory = Memory::default();
    let versions = json!({
        "strip_auth_data": true,
        "auth": { "use_param": true, "param_name": "k" },
        "definition": { "location": "url-param", "key": "v", "strip_versioning_data": true },
        "version_data": { "versions": { "one": { "name": "one" }, "two": { "name": "two" } } },
    });
    publish(&memory, &[api("a", &versions)]);
    let rights = json!({ "access_rights": { "a": { "versions": ["one"] } } });
    let (token, _) = key(&memory, &rights);
    let token = token.replace('=', "%3D");
    let sent = get(&memory, "", &format!("/a/x?v=one&k={token}&q=1")).unwrap();
    assert_eq!(sent.url(), "http://up/x?q=1");
}

#[test]
fn a_refusal_with_an_old_session_is_none_before_the_ledger_has_confirmed_it() {
    let memory = gateway();
    for before in [
        session(&["b"], &json!({})),
        session(&["a"], &json!({ "is_inactive": true })),
        session(&["a"], &json!({ "expires": 1 })),
        json!({ "access_rights": { "a": { "allowed_urls": [{ "url": "/no", "methods": ["GET"] }] } } }),
    ] {
        let (token, hash) = key(&memory, &before);
        let failure = refusal(&memory, &token, "/a/x");
        assert!(failure.is_some(), "{before}");
        memory.isolate.take_rounds();
        assert_eq!(refusal(&memory, &token, "/a/x"), failure, "{before}");
        assert_eq!(kinds(&memory.isolate.take_rounds()), [["key"]]);
        put(&memory, &hash, "", &session(&["a"], &json!({})));
        assert_eq!(refusal(&memory, &token, "/a/x"), None, "{before}");
        assert_eq!(kinds(&memory.isolate.take_rounds()), [["key"], ["key"]]);
    }
}

#[test]
fn a_refused_key_and_its_organisation_are_asked_at_once() {
    let memory = gateway();
    admin_ok(&memory, "POST", "org/keys/default", &quota(9));
    let (token, _) = key(&memory, &session(&["b"], &json!({})));
    let failure = Some(Failure::ApiDisallowed);
    assert_eq!(refusal(&memory, &token, "/a/x"), failure);
    memory.isolate.take_rounds();
    assert_eq!(refusal(&memory, &token, "/a/x"), failure);
    assert_eq!(kinds(&memory.isolate.take_rounds()), [["org", "key"]]);
    admin_ok(
        &memory,
        "PUT",
        "org/keys/default",
        &json!({ "is_inactive": true }),
    );
    // Nobody learns a key's access rights while its organisation is disabled.
    assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::OrgInactive));
    assert_eq!(refusal(&memory, &token, "/b/x"), Some(Failure::OrgInactive));
}

#[test]
fn a_throttled_key_is_asked_again_alone() {
    let memory = Memory::default();
    let rated = json!({ "global_rate_limit": { "rate": 9, "per": 90_000 } });
    publish(&memory, &[api("a", &rated)]);
    let throttle =
        json!({ "rate": 1, "per": 1000, "throttle_interval": 400, "throttle_retry_limit": 3 });
    let (token, _) = key(&memory, &session(&["a"], &throttle));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    memory.isolate.take_rounds();
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    let asked = memory.isolate.take_rounds();
    let alone = vec!["key"];
    let rounds = [vec!["key", "api"], alone.clone(), alone.clone(), alone];
    assert_eq!(kinds(&asked), rounds);
    assert_eq!(memory.isolate.take_waits(), [400_000; 3]);
}

#[test]
fn what_refused_behind_a_throttled_key_is_asked_again_with_it() {
    let memory = Memory::default();
    let rated = json!({ "global_rate_limit": { "rate": 1, "per": 300 } });
    publish(&memory, &[api("a", &rated)]);
    let throttle =
        json!({ "rate": 1, "per": 300, "throttle_interval": 400, "throttle_retry_limit": 1 });
    let (token, _) = key(&memory, &session(&["a"], &throttle));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    memory.isolate.take_rounds();
    // Both refuse, the key first; after it has waited, both have room.
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    let asked = memory.isolate.take_rounds();
    assert_eq!(kinds(&asked), [["key", "api"], ["key", "api"]]);
}

#[test]
fn an_unreachable_ledger_denies_access_and_costs_the_others_nothing() {
    let memory = Memory::default();
    let rated = json!({ "global_rate_limit": { "rate": 9, "per": HOUR } });
    publish(&memory, &[api("a", &rated)]);
    admin_ok(&memory, "POST", "org/keys/default", &quota(9));
    let (token, hash) = key(&memory, &patterned(&["a"], &quota(9)));
    let mut shown = left(&memory, &token, "/a/x");
    memory.isolate.take_rounds();
    let own = format!("key:{hash}");
    for ledger in ["org:default", own.as_str(), "api:a"] {
        memory.isolate.fail(ledger);
        let failure = Some(Failure::LimitsUnavailable);
        assert_eq!(refusal(&memory, &token, "/a/x"), failure, "{ledger}");
        memory.isolate.heal();
        shown -= 1;
        assert_eq!(left(&memory, &token, "/a/x"), shown, "{ledger}");
    }
    let org = admin_ok(&memory, "GET", "org/keys/default", &Value::Null);
    assert_eq!(org["quota_remaining"], 5);
    assert_eq!(count_passing(&memory, &token, "/a/x", 9), 5);
}

#[test]
fn a_session_that_can_not_be_looked_for_closes_before_anything_is_counted() {
    let memory = gateway();
    let (token, _) = key(&memory, &session(&["a"], &quota(1)));
    memory.isolate.fail("session");
    assert_eq!(
        refusal(&memory, &token, "/a/x"),
        Some(Failure::LimitsUnavailable)
    );
    memory.isolate.heal();
    assert_eq!(left(&memory, &token, "/a/x"), 0);
}

#[test]
fn a_body_is_read_only_where_a_link_asks_for_it_and_then_sent_as_it_was() {
    let memory = Memory::default();
    let rewrite = |url: &str| json!([{ "path": "/form", "method": "POST", "match_pattern": "/form", "rewrite_to": url }]);
    let version = |url: &str| json!({ "name": "Default", "use_extended_paths": true, "extended_paths": { "url_rewrites": rewrite(url) } });
    let open = |id: &str, url: &str| {
        api(
            id,
            &json!({ "use_keyless": true, "enable_context_vars": true,
            "version_data": { "not_versioned": true, "versions": { "Default": version(url) } } }),
        )
    };
    publish(
        &memory,
        &[
            open("a", "/$gateway_context.request_data_who"),
            open("b", "/fixed"),
        ],
    );
    let post = |target: &str| {
        let headers = &[("content-type", "application/x-www-form-urlencoded")];
        let sent = Visit {
            method: "POST",
            target,
            headers,
            body: "who=me",
        };
        visit(&memory, sent).unwrap()
    };
    let asked = post("/a/form");
    assert_eq!(asked.url(), "http://up/me");
    assert_eq!(asked.sent.unwrap().body.as_deref(), Some(&b"who=me"[..]));
    let streamed = post("/b/form").sent.unwrap();
    assert_eq!(
        (streamed.url.as_str(), streamed.body),
        ("http://up/fixed", None)
    );
}

//! Requests that go to another chain: who checks their key, and who counts them (reference 3.12).

use super::{admin_ok, api, get, header, key, publish, refusal, session};
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

/// Returns a definition whose path `/in` goes to this address.
fn looping(id: &str, to: &str) -> Value {
    let row = json!({ "path": "/in", "method": "GET", "match_pattern": "/in", "rewrite_to": to });
    let version = json!({ "name": "Default", "use_extended_paths": true, "extended_paths": { "url_rewrites": [row] } });
    let versions = json!({ "not_versioned": true, "versions": { "Default": version } });
    api(id, &json!({ "version_data": versions }))
}

fn quota(max: u64) -> Value {
    json!({ "quota_max": max, "quota_renewal_rate": 3600 })
}

/// Returns what is left by the key's record.
fn left(memory: &Memory, hash: &str) -> Value {
    let read = admin_ok(memory, "GET", &format!("keys/{hash}"), &Value::Null);
    read["quota_remaining"].clone()
}

#[test]
fn an_inner_api_checks_the_key_and_counts_only_if_it_is_asked_to() {
    let memory = Memory::default();
    let rated = json!({ "global_rate_limit": { "rate": 2, "per": 3600 } });
    publish(
        &memory,
        &[
            looping("once", "gateway://inner/x"),
            looping("twice", "gateway://inner/x?check_limits=true"),
            api("inner", &rated),
        ],
    );
    let (token, hash) = key(&memory, &session(&["once", "twice", "inner"], &quota(9)));
    let ledger = format!("key:{hash}");
    for (target, after, rounds) in [
        ("/once/in", 8, vec![vec![ledger.as_str()]; 2]),
        (
            "/twice/in",
            6,
            vec![vec![ledger.as_str()], vec![&ledger, "api:inner"]],
        ),
        ("/once/in", 5, vec![vec![ledger.as_str()]; 2]),
    ] {
        let passed = get(&memory, &token, target).unwrap();
        assert_eq!(passed.url(), "http://up/x", "{target}");
        assert_eq!(left(&memory, &hash), after, "{target}");
        let mut asked = memory.isolate.take_rounds();
        asked.retain(|round| *round != ["session"]);
        assert_eq!(asked, rounds, "{target}");
    }
    let (token, _) = key(&memory, &session(&["once"], &json!({})));
    let refused = Some(Failure::ApiDisallowed);
    assert_eq!(refusal(&memory, &token, "/once/in"), refused);
    assert_eq!(refusal(&memory, &token, "/once/x"), None);
}

#[test]
fn an_api_that_is_a_target_counts_and_hides_as_for_a_client() {
    let memory = Memory::default();
    let outer = json!({ "target_url": "gateway://inner/", "strip_listen_path": true });
    let target = |id: &str, keyless: bool| {
        let mut proxy = outer.clone();
        proxy["listen_path"] = json!(format!("/{id}/"));
        api(id, &json!({ "use_keyless": keyless, "proxy": proxy }))
    };
    let row = json!({ "path": "/hidden", "method": "GET" });
    let version = json!({ "name": "Default", "use_extended_paths": true, "extended_paths": { "internal": [row] } });
    let versions = json!({ "not_versioned": true, "versions": { "Default": version } });
    publish(
        &memory,
        &[
            target("open", true),
            target("closed", false),
            looping("loop", "gateway://open/hidden"),
            api("inner", &json!({ "version_data": versions })),
        ],
    );
    let (token, hash) = key(&memory, &session(&["closed", "inner", "loop"], &quota(9)));
    for (target, after) in [("/open/x", 8), ("/closed/x", 6)] {
        let passed = get(&memory, &token, target).unwrap();
        assert_eq!(passed.url(), "http://up/x", "{target}");
        assert_eq!(left(&memory, &hash), after, "{target}");
    }
    let hidden = Some(Failure::EndpointForbidden);
    assert_eq!(refusal(&memory, &token, "/open/hidden"), hidden);
    assert_eq!(refusal(&memory, &token, "/loop/in"), None);
}

#[test]
fn a_removed_token_still_opens_the_apis_that_follow() {
    let memory = Memory::default();
    let stripping = |id: &str, to: &str| {
        let mut definition = looping(id, to);
        definition["strip_auth_data"] = json!(true);
        definition
    };
    publish(
        &memory,
        &[
            stripping("a", "gateway://self/x"),
            stripping("b", "gateway://inner/x"),
            api("inner", &json!({})),
        ],
    );
    let (token, hash) = key(&memory, &session(&["a", "b", "inner"], &quota(9)));
    let passed = get(&memory, &token, "/a/in").unwrap();
    assert_eq!(passed.url(), "http://up/x");
    let sent = passed.sent.as_ref().unwrap();
    assert_eq!(sent.headers.get("authorization"), Some(None));
    assert_eq!(left(&memory, &hash), 8, "it counts once");
    let missing = Some(Failure::CredentialMissing);
    assert_eq!(refusal(&memory, &token, "/b/in"), None);
    assert_eq!(left(&memory, &hash), 7, "it counts once");
    assert_eq!(refusal(&memory, "", "/a/in"), missing);
    super::put(&memory, &hash, "", &session(&["b"], &json!({})));
    for target in ["/a/in", "/b/in"] {
        let disallowed = Some(Failure::ApiDisallowed);
        assert_eq!(refusal(&memory, &token, target), disallowed, "{target}");
    }
}

#[test]
fn who_passed_a_chain_needs_no_token_for_the_next_one() {
    let memory = Memory::default();
    let config = json!({ "authToken": { "auth_header_name": "x-inner" } });
    let asking = json!({ "use_standard_auth": true, "auth_configs": config });
    let mut foreign = asking.clone();
    foreign["org_id"] = json!("another");
    let mut open = looping("open", "gateway://inner/x");
    open["use_keyless"] = json!(true);
    publish(
        &memory,
        &[
            looping("near", "gateway://inner/x"),
            looping("far", "gateway://open/in"),
            looping("counts", "gateway://inner/x?check_limits=true"),
            looping("abroad", "gateway://foreign/x"),
            open,
            api("inner", &asking),
            api("foreign", &foreign),
        ],
    );
    let all = ["near", "far", "counts", "abroad", "inner", "foreign"];
    let (token, _) = key(&memory, &session(&all, &json!({})));
    let (without, _) = key(&memory, &session(&all[..4], &json!({})));
    let missing = Some(Failure::CredentialMissing);
    for (target, refused) in [
        ("/near/in", None),
        ("/far/in", None),
        ("/counts/in", missing),
        ("/abroad/in", missing),
        ("/open/in", missing),
    ] {
        assert_eq!(refusal(&memory, &token, target), refused, "{target}");
    }
    for target in ["/near/in", "/far/in"] {
        let disallowed = Some(Failure::ApiDisallowed);
        assert_eq!(refusal(&memory, &without, target), disallowed, "{target}");
    }
}

#[test]
fn a_refusal_of_an_inner_api_is_confirmed_too() {
    let memory = Memory::default();
    publish(
        &memory,
        &[looping("a", "gateway://inner/x"), api("inner", &json!({}))],
    );
    let (token, hash) = key(&memory, &session(&["a"], &json!({})));
    assert_eq!(
        refusal(&memory, &token, "/a/in"),
        Some(Failure::ApiDisallowed)
    );
    let both = session(&["a", "inner"], &json!({}));
    super::put(&memory, &hash, "", &both);
    assert_eq!(refusal(&memory, &token, "/a/in"), None);
}

#[test]
fn a_circle_ends() {
    let memory = Memory::default();
    publish(
        &memory,
        &[
            looping("usual", "gateway://self/usual/in"),
            looping("short", "gateway://self/short/in?loop_limit=2"),
            looping("none", "gateway://nowhere/x"),
        ],
    );
    let (token, _) = key(&memory, &session(&["usual", "short", "none"], &quota(99)));
    for (id, limit, passes) in [("usual", 5, 7), ("short", 2, 4)] {
        memory.isolate.take_rounds();
        let refused = get(&memory, &token, &format!("/{id}/in")).unwrap_err();
        assert_eq!(refused.failure, Failure::LoopTooDeep, "{id}");
        let words = format!("Found more than {limit} loops");
        assert!(refused.body.contains(&words), "{}", refused.body);
        // Each pass has checked whether the session is still current.
        let mut asked = memory.isolate.take_rounds();
        asked.retain(|round| *round != ["session"]);
        assert_eq!(asked.len(), passes, "{id}");
    }
    assert_eq!(
        refusal(&memory, &token, "/none/in"),
        Some(Failure::LoopTarget)
    );
}

#[test]
fn numbers_of_a_key_s_limits_come_with_the_inner_api_s_answer() {
    let memory = Memory::default();
    publish(
        &memory,
        &[
            looping("a", "gateway://inner/x"),
            looping("b", "gateway://open/x"),
            api("inner", &json!({})),
            api("open", &json!({ "use_keyless": true })),
            looping("c", "gateway://versioned/x"),
            keyless("versioned", &one_version(&json!({}))),
        ],
    );
    let (token, _) = key(&memory, &session(&["a", "b", "c", "inner"], &quota(9)));
    for (target, left) in [("/a/in", "8"), ("/b/in", "7"), ("/c/in", "6")] {
        let passed = get(&memory, &token, target).unwrap();
        let shown = header(&passed.headers, "x-ratelimit-remaining");
        assert_eq!(shown, Some(left), "{target}");
    }
}

/// Returns the members of an API whose only version has these members.
fn one_version(more: &Value) -> Value {
    let version = super::with(json!({ "name": "one" }), more);
    let data =
        json!({ "not_versioned": false, "default_version": "one", "versions": { "one": version } });
    json!({ "definition": { "location": "header", "key": "v" }, "version_data": data })
}

/// Returns an API without keys whose versions have these members.
fn keyless(id: &str, more: &Value) -> Value {
    super::with(api(id, &json!({ "use_keyless": true })), more)
}

fn rewriting(name: &str, to: &str) -> Value {
    let row = json!({ "path": "/in", "method": "GET", "match_pattern": "/in", "rewrite_to": to });
    json!({ "name": name, "use_extended_paths": true, "extended_paths": { "url_rewrites": [row] } })
}

#[test]
fn a_listen_path_is_taken_off_in_an_inner_pass_too() {
    let memory = Memory::default();
    let versions = |to: &str| json!({ "version_data": { "not_versioned": true, "versions": { "Default": rewriting("Default", to) } } });
    publish(
        &memory,
        &[
            keyless("outer", &versions("gateway://inner/inner/x")),
            keyless("itself", &versions("gateway://self/itself/x?y=1")),
            keyless("inner", &json!({ "internal": true })),
        ],
    );
    for (target, url) in [
        ("/outer/in", "http://up/x"),
        ("/itself/in", "http://up/x?y=1"),
    ] {
        assert_eq!(get(&memory, "", target).unwrap().url(), url, "{target}");
    }
}

#[test]
fn a_request_that_loops_to_itself_stays_in_its_version() {
    let memory = Memory::default();
    let mut second = rewriting("two", "gateway://self/x");
    second["override_target"] = json!("http://two/");
    let versions = json!({ "one": rewriting("one", "/never"), "two": second });
    let chooser =
        |location: &str| json!({ "location": location, "key": "v", "strip_versioning_data": true });
    let data = json!({ "not_versioned": false, "default_version": "", "versions": versions });
    let versioned = |id, location| {
        keyless(
            id,
            &json!({ "definition": chooser(location), "version_data": data }),
        )
    };
    publish(
        &memory,
        &[versioned("query", "url-param"), versioned("path", "url")],
    );
    for target in ["/query/in?v=two", "/path/two/in"] {
        let passed = get(&memory, "", target).unwrap();
        assert_eq!(passed.url(), "http://two/x", "{target}");
    }
}

#[test]
fn the_metadata_of_a_key_is_known_to_an_inner_api_without_keys() {
    let memory = Memory::default();
    let tier = json!({ "global_headers": { "X-Tier": "[$gateway_meta.tier]" } });
    let version = super::with(tier.clone(), &json!({ "name": "Default" }));
    let headers =
        json!({ "version_data": { "not_versioned": true, "versions": { "Default": version } } });
    publish(
        &memory,
        &[
            looping("a", "gateway://open/x"),
            keyless("open", &headers),
            looping("b", "gateway://versioned/x"),
            keyless("versioned", &one_version(&tier)),
        ],
    );
    let with_tier = session(&["a", "b"], &json!({ "meta_data": { "tier": "gold" } }));
    let (token, _) = key(&memory, &with_tier);
    for (token, target, tier) in [
        (token.as_str(), "/a/in", "[gold]"),
        (&token, "/b/in", "[gold]"),
        ("", "/open/x", "[]"),
    ] {
        let passed = get(&memory, token, target).unwrap();
        let sent = passed.sent.as_ref().unwrap();
        assert_eq!(sent.headers.get("x-tier"), Some(Some(tier)), "{target}");
    }
}

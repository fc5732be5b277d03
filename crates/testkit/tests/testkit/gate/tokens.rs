//! Where a token may be, what counts as one, and what is removed from the request.

use super::{Visit, admin, admin_ok, api, gateway, get, key, publish, refusal, session, visit};
use gatewright_dataplane::failure::Failure;
use gatewright_protocol::token::{HashFunction, TOKEN_MAX_BYTES, token};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

#[test]
fn without_a_token_nobody_is_asked() {
    let memory = gateway();
    for sent in ["", " "] {
        let failure = Some(Failure::CredentialMissing);
        assert_eq!(refusal(&memory, sent, "/a/x"), failure, "{sent:?}");
    }
    assert!(memory.isolate.take_calls().is_empty());
}

#[test]
fn a_token_that_can_not_be_a_key_of_this_api_is_refused_without_a_call() {
    let memory = gateway();
    let foreign = token("acme", "0123", HashFunction::Sha256);
    let long = "x".repeat(TOKEN_MAX_BYTES + 1);
    for sent in ["ab", "Bearer ab", foreign.as_str(), long.as_str()] {
        let failure = Some(Failure::CredentialUnknown);
        assert_eq!(refusal(&memory, sent, "/a/x"), failure, "{sent:?}");
    }
    assert!(memory.isolate.take_calls().is_empty());
}

#[test]
fn an_unknown_token_costs_one_question_and_a_hash_is_no_token() {
    let memory = gateway();
    let (_, hash) = key(&memory, &session(&["a"], &json!({})));
    let failure = Some(Failure::CredentialUnknown);
    // With the first one, the Registry says that all Ledgers keep their sessions.
    assert_eq!(refusal(&memory, "nobody", "/a/x"), failure);
    assert_eq!(memory.isolate.take_calls(), ["registry"]);
    for sent in ["nonsense", "org:default", hash.as_str()] {
        assert_eq!(refusal(&memory, sent, "/a/x"), failure, "{sent:?}");
        assert_eq!(memory.isolate.take_calls(), ["session"], "{sent:?}");
    }
}

/// Fault H2: a flood of wrong tokens made the single Registry query its tables up to seven times for each.
#[test]
fn a_flood_of_wrong_tokens_asks_no_more_than_its_share_and_not_the_registry() {
    let memory = gateway();
    memory.stop_clock();
    let failure = Some(Failure::CredentialUnknown);
    memory.sql.take_queries();
    for number in 0..200 {
        assert_eq!(
            refusal(&memory, &format!("wrong {number}"), "/a/x"),
            failure
        );
    }
    assert_eq!(memory.isolate.take_calls().len(), 40);
    // The Registry says once that all Ledgers keep their sessions.
    assert_eq!(memory.sql.take_queries(), 2);
    // A Ledger is asked about the same token only once in a while, whoever sends it.
    assert_eq!(refusal(&memory, "wrong 0", "/a/x"), failure);
    memory.wait(2);
    for _ in 0..50 {
        assert_eq!(refusal(&memory, "wrong 0", "/a/x"), failure);
    }
    assert_eq!(memory.isolate.take_calls().len(), 1);
    // Known keys still work, and a new one as soon as its address has waited.
    let (token, _) = key(&memory, &session(&["a"], &json!({})));
    memory.wait(4);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    for number in 0..200 {
        assert_eq!(
            refusal(&memory, &format!("wronger {number}"), "/a/x"),
            failure
        );
    }
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
}

#[test]
fn a_key_works_at_once_although_its_token_was_none_a_moment_ago() {
    let memory = gateway();
    memory.stop_clock();
    let failure = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(&memory, "bob", "/a/x"), failure);
    let sent = session(&["a"], &json!({}));
    admin_ok(&memory, "POST", "keys/bob?dry_run=true", &sent);
    assert!(memory.isolate.take_waits().is_empty());
    let made = admin_ok(&memory, "POST", "keys/bob", &sent);
    assert_eq!(memory.isolate.take_waits(), [2500]);
    assert_eq!(refusal(&memory, "bob", "/a/x"), None);
    // A recreated key, too.
    let path = format!("keys/{}", made["key_hash"].as_str().unwrap());
    admin_ok(&memory, "DELETE", &path, &Value::Null);
    assert_eq!(refusal(&memory, "bob", "/a/x"), failure);
    admin_ok(&memory, "POST", "keys/bob", &sent);
    assert_eq!(memory.isolate.take_waits(), [2500]);
    assert_eq!(refusal(&memory, "bob", "/a/x"), None);
    // An administrator who only reads a key makes no isolate remember its absence.
    let looked = admin(&memory, "GET", "keys/carl", &Value::Null);
    assert_eq!(looked.status, 404);
    admin_ok(&memory, "POST", "keys/carl", &sent);
    assert!(memory.isolate.take_waits().is_empty());
    // A key that nobody has tried is created without waiting.
    assert_eq!(refusal(&memory, "anna", "/a/x"), failure);
    let (token, _) = key(&memory, &sent);
    admin_ok(&memory, "POST", "keys/emma", &sent);
    assert!(memory.isolate.take_waits().is_empty());
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
}

#[test]
fn using_removed_keys_does_not_count_as_making_up_tokens() {
    let memory = gateway();
    let sent = session(&["a"], &json!({}));
    let keys: Vec<_> = (0..60).map(|_| key(&memory, &sent)).collect();
    let (fresh, _) = key(&memory, &sent);
    memory.stop_clock();
    for (token, _) in &keys {
        assert_eq!(refusal(&memory, token, "/a/x"), None);
    }
    let failure = Some(Failure::CredentialUnknown);
    for (token, hash) in &keys {
        admin_ok(&memory, "DELETE", &format!("keys/{hash}"), &Value::Null);
        assert_eq!(refusal(&memory, token, "/a/x"), failure);
    }
    assert_eq!(refusal(&memory, &fresh, "/a/x"), None);
}

#[test]
fn few_wrong_tokens_of_a_batch_are_asked_for() {
    let memory = Memory::default();
    let batch = json!({ "enable_batch_request_support": true });
    publish(&memory, &[api("a", &batch)]);
    let keys: Vec<String> = (0..40)
        .map(|_| key(&memory, &session(&["a"], &json!({}))).0)
        .collect();
    memory.stop_clock();
    let item = |token: &str| json!({ "relative_url": "x", "headers": { "authorization": token } });
    let statuses = |items: Vec<Value>| {
        memory.isolate.take_calls();
        let answer = admin_ok(
            &memory,
            "POST",
            "apis/a/batch",
            &json!({ "requests": items }),
        );
        let units = answer.as_array().unwrap().iter();
        let codes: Vec<u64> = units.map(|unit| unit["code"].as_u64().unwrap()).collect();
        let asked = memory.isolate.take_calls();
        (
            codes,
            asked
                .iter()
                .filter(|name| ["session", "registry"].contains(&name.as_str()))
                .count(),
        )
    };
    // Those of valid keys are given back.
    let (codes, asked) = statuses(keys.iter().map(|token| item(token)).collect());
    assert_eq!((codes, asked), (vec![200; 40], 40));
    let wrong = |number| item(&format!("wrong {number}"));
    let (codes, asked) = statuses((0..100).map(wrong).collect());
    assert_eq!((codes, asked), (vec![403; 100], 40));
}

#[test]
fn a_custom_id_is_a_token_too() {
    let memory = gateway();
    let made = admin_ok(&memory, "POST", "keys/bob", &session(&["a"], &json!({})));
    assert_eq!(refusal(&memory, "bob", "/a/x"), None);
    assert_eq!(
        refusal(&memory, made["key"].as_str().unwrap(), "/a/x"),
        None
    );
    let failure = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(&memory, "bobby", "/a/x"), failure);
}

#[test]
fn the_variable_of_a_token_is_the_whole_token_of_a_custom_id() {
    let memory = Memory::default();
    let headers = json!({ "X-Token": "$gateway_context.token" });
    let version =
        json!({ "name": "Default", "use_extended_paths": true, "global_headers": headers });
    let versions = json!({ "not_versioned": true, "versions": { "Default": version } });
    let more = json!({ "enable_context_vars": true, "version_data": versions });
    publish(&memory, &[api("a", &more)]);
    let made = admin_ok(&memory, "POST", "keys/bob", &session(&["a"], &json!({})));
    let whole = made["key"].as_str().unwrap();
    for sent in ["bob", "Bearer bob", whole] {
        let sent = get(&memory, sent, "/a/x").unwrap().sent.unwrap();
        let received = sent
            .headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("x-token"))
            .and_then(|(_, value)| value);
        assert_eq!(received, Some(whole));
    }
}

#[test]
fn the_same_custom_id_in_two_organisations_is_two_keys() {
    let memory = Memory::default();
    let of = |org| api(org, &json!({ "org_id": org }));
    publish(&memory, &[of("acme"), of("other")]);
    for org in ["acme", "other"] {
        let members = json!({ "org_id": org, "quota_max": 1, "quota_renewal_rate": 3600 });
        admin_ok(&memory, "POST", "keys/bob", &session(&[org], &members));
    }
    // An isolate that knows one of them must not take it for the other.
    for org in ["acme", "other"] {
        let target = format!("/{org}/x");
        assert_eq!(refusal(&memory, "bob", &target), None, "{org}");
        assert_eq!(
            refusal(&memory, "bob", &target),
            Some(Failure::Quota),
            "{org}"
        );
    }
}

#[test]
fn tokens_from_elsewhere_are_found_by_every_hash_that_they_name() {
    let memory = Memory::default();
    let org = "54de205930c55e15bd000001";
    publish(&memory, &[api("a", &json!({ "org_id": org }))]);
    let legacy = format!("{org}9d1e0fc04d1e4c6a9d1e0fc04d1e4c6a");
    let of = |function| token(org, "9d1e0fc0", function);
    let unnamed = {
        use base64::Engine as _;
        base64::prelude::BASE64_STANDARD.encode(format!("{{\"org\":\"{org}\",\"id\":\"1\"}}"))
    };
    for sent in [
        legacy.as_str(),
        &unnamed,
        &of(HashFunction::Murmur32),
        &of(HashFunction::Murmur64),
        &of(HashFunction::Murmur128),
        &of(HashFunction::Sha256),
    ] {
        // The hash as another gateway has stored it.
        let hash = gatewright_protocol::token::hash(sent);
        let path = format!("keys/{hash}?hashed=1");
        let imported = session(&["a"], &json!({ "org_id": org, "alias": "imported" }));
        let made = admin_ok(&memory, "POST", &path, &imported);
        assert_eq!(
            (&made["key"], &made["key_hash"]),
            (&json!(hash), &json!(hash))
        );
        assert_eq!(refusal(&memory, sent, "/a/x"), None, "{sent}");
    }
    // Half of a legacy token is a custom id.
    assert_eq!(refusal(&memory, &legacy[org.len()..], "/a/x"), None);
}

#[test]
fn a_session_of_another_organisation_opens_nothing() {
    let memory = gateway();
    publish(&memory, &[api("c", &json!({ "org_id": "acme" }))]);
    let hash = gatewright_protocol::token::hash("legacy-token");
    let path = format!("keys/{hash}?hashed=1");
    let members = json!({ "org_id": "acme" });
    admin_ok(&memory, "POST", &path, &session(&["a", "c"], &members));
    assert_eq!(refusal(&memory, "legacy-token", "/c/x"), None);
    let failure = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(&memory, "legacy-token", "/a/x"), failure);
}

const EVERYWHERE: &str = r#"{"authToken":{"auth_header_name":"X-Key","use_param":true,
    "param_name":"k","use_cookie":true,"cookie_name":"c"}}"#;

#[test]
fn a_token_is_read_where_the_definition_says_and_removed_from_the_request() {
    let memory = Memory::default();
    let configs: Value = serde_json::from_str(EVERYWHERE).unwrap();
    let more = json!({ "auth_configs": configs, "strip_auth_data": true });
    publish(&memory, &[api("a", &more)]);
    let (token, _) = key(&memory, &session(&["a"], &json!({})));
    let cookie = format!("a=1; c={token}; b=2");
    let alone = format!("c={token}");
    let query = format!("/a/x?y=1&k={}&z=2", token.replace('=', "%3D"));
    let go = |target: &str, headers: &[(&str, &str)]| {
        let method = "GET";
        visit(
            &memory,
            Visit {
                method,
                target,
                headers,
                body: "",
            },
        )
    };
    let edits = |target: &str, headers: &[(&str, &str)]| {
        let sent = go(target, headers).unwrap().sent.unwrap();
        let edit =
            |(name, value): (&str, Option<&str>)| (name.to_owned(), value.map(str::to_owned));
        (sent.url, sent.headers.iter().map(edit).collect::<Vec<_>>())
    };
    let gone = |name: &str| vec![(name.to_owned(), None)];
    let left = |kept: &str| vec![("cookie".to_owned(), Some(kept.to_owned()))];
    let plain = "http://up/x".to_owned();

    let sent = edits("/a/x?y=1", &[("x-key", &token)]);
    assert_eq!(sent, ("http://up/x?y=1".to_owned(), gone("x-key")));
    let sent = edits(&query, &[]);
    assert_eq!(sent, ("http://up/x?y=1&z=2".to_owned(), vec![]));
    let sent = edits("/a/x", &[("cookie", &cookie)]);
    assert_eq!(sent, (plain.clone(), left("a=1; b=2")));
    assert_eq!(
        edits("/a/x", &[("cookie", &alone)]),
        (plain, gone("cookie"))
    );
    // A later source overrides an earlier one, right or wrong.
    let refused = go(&query, &[("cookie", "c=wrong")]).unwrap_err();
    assert_eq!(refused.failure, Failure::CredentialUnknown);
    let refused = go("/a/x", &[("authorization", &token)]).unwrap_err();
    assert_eq!(refused.failure, Failure::CredentialMissing);
}

#[test]
fn a_token_stays_in_the_request_unless_the_definition_says_otherwise() {
    let memory = gateway();
    let (token, _) = key(&memory, &session(&["a"], &json!({})));
    let passed = get(&memory, &token, "/a/x").unwrap();
    assert!(passed.sent.unwrap().headers.iter().next().is_none());
    let gone = admin(&memory, "DELETE", "apis/a", &Value::Null);
    assert_eq!(gone.status, 200);
}

//! What a request has counted against before something else refuses it.

use super::{api, done, get, header, key, publish, put, session, why};
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

const HOUR: u64 = 3600;

fn quota(max: u64) -> Value {
    json!({ "quota_max": max, "quota_renewal_rate": HOUR })
}

/// A gateway whose API `a` lets one request an hour through, and `b` any number.
fn gateway() -> Memory {
    let memory = Memory::default();
    let rated = json!({ "global_rate_limit": { "rate": 1, "per": HOUR } });
    publish(&memory, &[api("a", &rated), api("b", &json!({}))]);
    memory
}

/// What is left of the quota of an organisation.
fn left(memory: &Memory) -> Value {
    let org = done(memory, "GET", "org/keys/default", &Value::Null);
    org["quota_remaining"].clone()
}

#[test]
fn the_rate_of_an_api_takes_no_quota() {
    let memory = gateway();
    done(&memory, "POST", "org/keys/default", &quota(10));
    let (token, hash) = key(&memory, &session(&["a", "b"], &quota(2)));
    assert_eq!(why(&memory, &token, "/a/x"), None);
    memory.guard.take_calls();
    for _ in 0..5 {
        assert_eq!(why(&memory, &token, "/a/x"), Some(Failure::ApiRate));
        let own = format!("key:{hash}");
        let calls = ["org:default", &own, "api:a", "org:default", &own];
        assert_eq!(memory.guard.take_calls(), calls);
    }
    assert_eq!(left(&memory), 9);
    let passed = get(&memory, &token, "/b/x").unwrap();
    assert_eq!(header(&passed.headers, "x-ratelimit-remaining"), Some("0"));
    assert_eq!(why(&memory, &token, "/b/x"), Some(Failure::Quota));
}

#[test]
fn a_refused_key_takes_nothing_of_its_organisation() {
    let memory = gateway();
    done(&memory, "POST", "org/keys/default", &quota(10));
    let (token, hash) = key(&memory, &session(&["b"], &quota(1)));
    assert_eq!(why(&memory, &token, "/b/x"), None);
    assert_eq!(left(&memory), 9);
    for (members, failure) in [
        (quota(1), Failure::Quota),
        (json!({ "is_inactive": true }), Failure::KeyInactive),
    ] {
        put(
            &memory,
            &hash,
            "&suppress_reset=1",
            &session(&["b"], &members),
        );
        assert_eq!(why(&memory, &token, "/b/x"), Some(failure));
    }
    assert_eq!(
        why(&memory, "unknown", "/b/x"),
        Some(Failure::CredentialUnknown)
    );
    assert_eq!(why(&memory, "", "/b/x"), Some(Failure::CredentialMissing));
    assert_eq!(left(&memory), 9);
}

#[test]
fn what_keys_count_together_is_given_back_there() {
    let memory = gateway();
    let mut sent = session(&["a", "b"], &quota(2));
    sent["meta_data"] = json!({ "rate_limit_pattern": "together" });
    let (token, _) = key(&memory, &sent);
    let (other, _) = key(&memory, &sent);
    assert_eq!(why(&memory, &token, "/a/x"), None);
    for token in [&token, &other] {
        assert_eq!(why(&memory, token, "/a/x"), Some(Failure::ApiRate));
    }
    assert_eq!(why(&memory, &other, "/b/x"), None);
    assert_eq!(why(&memory, &token, "/b/x"), Some(Failure::Quota));
}

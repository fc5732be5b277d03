//! What a request has counted against before something else refuses it.

use super::{admin_ok, api, get, header, key, publish, put, refusal, session};
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

const HOUR: u64 = 3600;

fn quota(max: u64) -> Value {
    json!({ "quota_max": max, "quota_renewal_rate": HOUR })
}

/// Returns a gateway whose API `a` lets one request an hour through, and `b` any number.
fn gateway() -> Memory {
    let memory = Memory::default();
    let rated = json!({ "global_rate_limit": { "rate": 1, "per": HOUR } });
    publish(&memory, &[api("a", &rated), api("b", &json!({}))]);
    memory
}

/// Returns what is left of the quota of an organisation.
fn left(memory: &Memory) -> Value {
    let org = admin_ok(memory, "GET", "org/keys/default", &Value::Null);
    org["quota_remaining"].clone()
}

#[test]
fn what_the_rate_of_an_api_refuses_has_been_counted_by_the_limits_before_it() {
    let memory = gateway();
    admin_ok(&memory, "POST", "org/keys/default", &quota(10));
    let (token, hash) = key(&memory, &session(&["a", "b"], &quota(4)));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    memory.isolate.take_calls();
    for _ in 0..2 {
        assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::ApiRate));
        let own = format!("key:{hash}");
        let together = ["org:default".to_owned(), own, "api:a".to_owned()];
        assert_eq!(memory.isolate.take_rounds(), [together.to_vec()]);
    }
    assert_eq!(left(&memory), 7);
    let passed = get(&memory, &token, "/b/x").unwrap();
    assert_eq!(header(&passed.headers, "x-ratelimit-remaining"), Some("0"));
    assert_eq!(refusal(&memory, &token, "/b/x"), Some(Failure::Quota));
}

#[test]
fn what_a_key_refuses_has_been_counted_by_its_organisation() {
    let memory = gateway();
    admin_ok(&memory, "POST", "org/keys/default", &quota(10));
    let (token, hash) = key(&memory, &session(&["b"], &quota(1)));
    assert_eq!(refusal(&memory, &token, "/b/x"), None);
    assert_eq!(left(&memory), 9);
    let inactive = json!({ "is_inactive": true });
    for (members, failure, after) in [
        (quota(1), Failure::Quota, 8),
        (inactive, Failure::KeyInactive, 7),
    ] {
        let changed = session(&["b"], &members);
        put(&memory, &hash, "&suppress_reset=1", &changed);
        assert_eq!(refusal(&memory, &token, "/b/x"), Some(failure));
        assert_eq!(left(&memory), after, "{members}");
    }
    let unknown = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(&memory, "unknown", "/b/x"), unknown);
    assert_eq!(
        refusal(&memory, "", "/b/x"),
        Some(Failure::CredentialMissing)
    );
    assert_eq!(left(&memory), 5);
}

#[test]
fn what_refuses_first_leaves_the_limits_behind_it_as_they_were() {
    let memory = Memory::default();
    let rated = json!({ "global_rate_limit": { "rate": 5, "per": HOUR } });
    publish(&memory, &[api("a", &rated)]);
    admin_ok(&memory, "POST", "org/keys/default", &quota(2));
    let sent = session(&["a"], &quota(9));
    let (token, hash) = key(&memory, &sent);
    for _ in 0..2 {
        assert_eq!(refusal(&memory, &token, "/a/x"), None);
    }
    memory.isolate.take_calls();
    for _ in 0..9 {
        assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::OrgQuota));
        let own = format!("key:{hash}");
        let behind = vec![own.clone(), "api:a".to_owned()];
        let asked = [&["org:default".to_owned()], &behind[..]].concat();
        assert_eq!(memory.isolate.take_rounds(), [asked, behind]);
    }
    admin_ok(&memory, "PUT", "org/keys/default?reset_quota=1", &quota(99));
    // Two of five and of nine were counted before, by the rate too.
    for remaining in ["6", "5", "4"] {
        let passed = get(&memory, &token, "/a/x").unwrap();
        let shown = header(&passed.headers, "x-ratelimit-remaining");
        assert_eq!(shown, Some(remaining));
    }
    assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::ApiRate));
}

#[test]
fn what_keys_count_together_is_kept_there() {
    let memory = gateway();
    let mut sent = session(&["a", "b"], &quota(4));
    sent["meta_data"] = json!({ "rate_limit_pattern": "together" });
    let (token, _) = key(&memory, &sent);
    let (other, _) = key(&memory, &sent);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    for token in [&token, &other] {
        assert_eq!(refusal(&memory, token, "/a/x"), Some(Failure::ApiRate));
    }
    assert_eq!(refusal(&memory, &other, "/b/x"), None);
    assert_eq!(refusal(&memory, &token, "/b/x"), Some(Failure::Quota));
}

//! The sessions of organisations: checked before any other step, and for all keys.

use super::{admin, admin_ok, api, get, header, key, publish, refusal, session};
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

/// Returns a gateway with an API for keys, an open one, and one of another organisation.
fn gateway() -> (Memory, String) {
    let memory = Memory::default();
    let acme = json!({ "org_id": "acme" });
    let open = json!({ "org_id": "acme", "use_keyless": true });
    let other = json!({ "use_keyless": true });
    publish(
        &memory,
        &[api("a", &acme), api("open", &open), api("other", &other)],
    );
    let (token, _) = key(&memory, &session(&["a"], &acme));
    (memory, token)
}

#[test]
fn an_organisation_that_is_switched_off_is_refused_whatever_else_is_wrong() {
    let (memory, token) = gateway();
    let off = json!({ "is_inactive": true });
    admin_ok(&memory, "POST", "org/keys/acme", &off);
    let failure = Some(Failure::OrgInactive);
    for token in ["", "nonsense", &token] {
        assert_eq!(refusal(&memory, token, "/a/x"), failure, "{token}");
    }
    assert_eq!(refusal(&memory, "", "/open/x"), failure);
    assert_eq!(refusal(&memory, "", "/other/x"), None);
    admin_ok(&memory, "PUT", "org/keys/acme", &json!({}));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    assert_eq!(refusal(&memory, "", "/open/x"), None);
}

#[test]
fn its_quota_and_rate_hold_over_all_keys_and_apis() {
    for (limits, failure) in [
        (
            json!({ "quota_max": 3, "quota_renewal_rate": 3600 }),
            Failure::OrgQuota,
        ),
        (json!({ "rate": 3, "per": 3600 }), Failure::OrgRate),
    ] {
        let (memory, token) = gateway();
        admin_ok(&memory, "POST", "org/keys/acme", &limits);
        assert_eq!(refusal(&memory, &token, "/a/x"), None);
        assert_eq!(refusal(&memory, "", "/open/x"), None);
        assert_eq!(refusal(&memory, "", "/open/x"), None);
        assert_eq!(refusal(&memory, &token, "/a/x"), Some(failure));
        let refused = get(&memory, "", "/open/x").unwrap_err();
        assert_eq!(refused.failure, failure);
        assert!(header(&refused.headers, "retry-after").is_some());
        assert_eq!(refusal(&memory, "", "/other/x"), None);
    }
}

#[test]
fn a_reset_is_asked_for_and_a_deletion_ends_all_limits() {
    let (memory, token) = gateway();
    let limits = json!({ "quota_max": 1, "quota_renewal_rate": 3600 });
    admin_ok(&memory, "POST", "org/keys/acme", &limits);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    admin_ok(&memory, "PUT", "org/keys/acme", &limits);
    assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::OrgQuota));
    let read = admin_ok(&memory, "GET", "org/keys/acme", &Value::Null);
    assert_eq!(read.get("quota_remaining"), None);
    assert!(read["quota_renews"].is_u64());
    admin_ok(&memory, "PUT", "org/keys/acme?reset_quota=1", &limits);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    admin_ok(&memory, "DELETE", "org/keys/acme", &Value::Null);
    memory.isolate.take_calls();
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    let asked = memory.isolate.take_calls();
    assert!(
        asked.iter().all(|name| name.starts_with("key:")),
        "{asked:?}"
    );
}

#[test]
fn an_organisation_without_a_session_is_not_asked_about() {
    let (memory, token) = gateway();
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    memory.isolate.take_calls();
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    assert_eq!(memory.isolate.take_calls().len(), 1);
    assert_eq!(refusal(&memory, "", "/open/x"), None);
    assert!(memory.isolate.take_calls().is_empty());
    let other = admin(&memory, "POST", "org/keys/nobody", &json!({}));
    assert_eq!(other.status, 200);
    assert_eq!(refusal(&memory, "", "/open/x"), None);
    assert!(memory.isolate.take_calls().is_empty());
}

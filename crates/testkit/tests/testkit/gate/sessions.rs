//! How long an isolate trusts what it knows, and whom it asks: measured by the calls.

use super::{admin, admin_ok, gateway, key, put, refusal, reload, session};
use gatewright_dataplane::failure::Failure;
use serde_json::{Value, json};

#[test]
fn a_known_key_costs_one_call_with_and_without_limits() {
    let memory = gateway();
    let limits = json!({ "rate": 1000, "per": 1, "quota_max": 1000, "quota_renewal_rate": 3600 });
    for members in [json!({}), limits] {
        let (token, hash) = key(&memory, &session(&["a"], &members));
        let ledger = format!("key:{hash}");
        assert_eq!(refusal(&memory, &token, "/a/x"), None);
        assert_eq!(memory.isolate.take_calls(), ["session", ledger.as_str()]);
        for _ in 0..5 {
            assert_eq!(refusal(&memory, &token, "/a/x"), None);
            assert_eq!(memory.isolate.take_calls(), [ledger.as_str()]);
        }
    }
}

#[test]
fn a_refusal_of_a_known_key_costs_one_call_too() {
    let memory = gateway();
    let (token, hash) = key(&memory, &session(&["b"], &json!({ "is_inactive": true })));
    for calls in [vec!["session", "ledger"], vec!["ledger"], vec!["ledger"]] {
        assert_eq!(refusal(&memory, &token, "/b/x"), Some(Failure::KeyInactive));
        let asked = memory.isolate.take_calls();
        let asked: Vec<_> = asked
            .iter()
            .map(|name| if name.contains(&hash) { "ledger" } else { name })
            .collect();
        assert_eq!(asked, calls);
    }
}

#[test]
fn a_written_session_holds_at_the_next_request_for_one_call_more() {
    let memory = gateway();
    let (token, hash) = key(&memory, &session(&["a"], &json!({})));
    let ledger = format!("key:{hash}");
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    memory.isolate.take_calls();
    put(&memory, &hash, "", &session(&["b"], &json!({})));
    let failure = Some(Failure::ApiDisallowed);
    assert_eq!(refusal(&memory, &token, "/a/x"), failure);
    assert_eq!(memory.isolate.take_calls(), [ledger.as_str(), &ledger]);
    assert_eq!(refusal(&memory, &token, "/b/x"), None);
    assert_eq!(memory.isolate.take_calls(), [ledger.as_str()]);
}

#[test]
fn a_deleted_key_is_refused_at_the_next_request_and_may_come_back() {
    let memory = gateway();
    let sent = session(
        &["a"],
        &json!({ "quota_max": 1, "quota_renewal_rate": 3600 }),
    );
    let made = admin_ok(&memory, "POST", "keys/bob", &sent);
    let hash = made["key_hash"].as_str().unwrap();
    let failure = Some(Failure::CredentialUnknown);
    for _ in 0..2 {
        assert_eq!(refusal(&memory, "bob", "/a/x"), None);
        assert_eq!(refusal(&memory, "bob", "/a/x"), Some(Failure::Quota));
        let path = format!("keys/{hash}?hashed=1");
        admin_ok(&memory, "DELETE", &path, &Value::Null);
        assert_eq!(refusal(&memory, "bob", "/a/x"), failure);
        assert_eq!(refusal(&memory, "bob", "/a/x"), failure);
        // A recreated key starts with full limits.
        admin_ok(&memory, "POST", "keys/bob", &sent);
    }
}

#[test]
fn a_key_that_moves_to_another_form_is_found_there() {
    let memory = gateway();
    let legacy = gatewright_protocol::token::hash("bob");
    let path = format!("keys/{legacy}?hashed=1");
    admin_ok(&memory, "POST", &path, &session(&["a"], &json!({})));
    assert_eq!(refusal(&memory, "bob", "/a/x"), None);
    admin_ok(&memory, "POST", "keys/bob", &session(&["a"], &json!({})));
    admin_ok(&memory, "DELETE", &path, &Value::Null);
    assert_eq!(refusal(&memory, "bob", "/a/x"), None);
}

#[test]
fn a_restart_forgets_no_counter_and_no_session() {
    let memory = gateway();
    let members = json!({ "quota_max": 3, "quota_renewal_rate": 7200 });
    let (token, _) = key(&memory, &session(&["a"], &members));
    let mut passed = 0;
    for _ in 0..6 {
        passed += u32::from(refusal(&memory, &token, "/a/x").is_none());
        memory.restart();
        reload(&memory);
    }
    // A crash may cost the admissions of a quota that were stored in advance, but never admit one more.
    assert!((1..=3).contains(&passed), "{passed}");
    assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::Quota));
}

#[test]
fn a_key_that_was_used_once_is_found_without_the_registry() {
    let memory = gateway();
    let limits = json!({ "rate": 1000, "per": 1, "quota_max": 1000, "quota_renewal_rate": 3600 });
    let (token, hash) = key(&memory, &session(&["a"], &limits));
    let ledger = format!("key:{hash}");
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    for _ in 0..2 {
        // Isolates and Ledgers start anew.
        memory.restart();
        reload(&memory);
        memory.isolate.fail("find");
        memory.isolate.take_calls();
        assert_eq!(refusal(&memory, &token, "/a/x"), None);
        assert_eq!(memory.isolate.take_calls(), ["session", ledger.as_str()]);
        memory.isolate.heal();
    }
    // What was written since is not taken from the copy.
    let path = format!("keys/{hash}?hashed=1");
    admin_ok(&memory, "DELETE", &path, &Value::Null);
    memory.restart();
    reload(&memory);
    let unknown = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(&memory, &token, "/a/x"), unknown);
}

#[test]
fn a_custom_id_is_found_without_the_registry_too() {
    let memory = gateway();
    admin_ok(&memory, "POST", "keys/bob", &session(&["a"], &json!({})));
    assert_eq!(refusal(&memory, "bob", "/a/x"), None);
    memory.restart();
    reload(&memory);
    memory.isolate.fail("find");
    assert_eq!(refusal(&memory, "bob", "/a/x"), None);
}

#[test]
fn a_write_that_its_ledger_does_not_get_fails_and_takes_effect_later() {
    let memory = gateway();
    let (token, hash) = key(&memory, &session(&["a"], &json!({})));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    let path = format!("keys/{hash}?hashed=1");
    memory.isolate.fail("keep");
    let failed = admin(&memory, "DELETE", &path, &Value::Null);
    assert_eq!(failed.status, 503, "{}", failed.body);
    assert!(
        failed.body.contains("is stored, but not in effect yet"),
        "{}",
        failed.body
    );
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    // Nobody reads that it is gone before it is.
    assert_eq!(admin(&memory, "GET", &path, &Value::Null).status, 503);
    memory.isolate.heal();
    memory.restart();
    reload(&memory);
    memory.hand_over_open().unwrap();
    let unknown = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(&memory, &token, "/a/x"), unknown);
}

#[test]
fn whoever_reads_a_write_makes_it_effective() {
    let memory = gateway();
    let (token, hash) = key(&memory, &session(&["a"], &json!({})));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    let path = format!("keys/{hash}?hashed=1");
    let inactive = session(&["a"], &json!({ "is_inactive": true }));
    for (method, sent, status, failure) in [
        ("PUT", &inactive, 200, Failure::KeyInactive),
        ("DELETE", &Value::Null, 404, Failure::CredentialUnknown),
    ] {
        memory.isolate.fail("keep");
        assert_eq!(admin(&memory, method, &path, sent).status, 503);
        memory.isolate.heal();
        assert_eq!(admin(&memory, "GET", &path, &Value::Null).status, status);
        assert_eq!(refusal(&memory, &token, "/a/x"), Some(failure));
    }
}

#[test]
fn no_request_asks_the_registry_for_a_session() {
    let memory = gateway();
    memory.isolate.fail("find");
    let (token, _) = key(&memory, &session(&["a"], &json!({})));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    admin_ok(&memory, "POST", "keys/bob", &session(&["a"], &json!({})));
    assert_eq!(refusal(&memory, "bob", "/a/x"), None);
    memory.isolate.heal();
    // The first unknown token is a question: whether every Ledger keeps its session.
    let unknown = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(&memory, "nobody", "/a/x"), unknown);
    memory.isolate.fail("find");
    for token in ["no", "body"] {
        assert_eq!(refusal(&memory, token, "/a/x"), unknown);
    }
}

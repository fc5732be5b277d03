//! How long an isolate trusts what it knows, and whom it asks: measured by the calls.

use super::{admin, admin_ok, gateway, key, put, refusal, reload, session};
use futures_util::FutureExt;
use gatewright_controlplane::ports::{LedgerCall, Platform};
use gatewright_dataplane::failure::Failure;
use gatewright_protocol::registry::{Command, Reply};
use gatewright_protocol::sessions::{Act, SessionAsk};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

#[test]
fn a_known_key_costs_one_call_with_and_without_limits() {
    let memory = gateway();
    let limits = json!({ "rate": 1000, "per": 1, "quota_max": 1000, "quota_renewal_rate": 3600 });
    for members in [json!({}), limits] {
        let (token, hash) = key(&memory, &session(&["a"], &members));
        let ledger = format!("key:{hash}");
        assert_eq!(refusal(&memory, &token, "/a/x"), None);
        assert_eq!(memory.isolate.take_calls(), ["registry", ledger.as_str()]);
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
    for calls in [vec!["registry", "ledger"], vec!["ledger"], vec!["ledger"]] {
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
fn a_ledger_that_can_not_be_notified_stops_a_write_before_it_and_not_after_it() {
    let memory = gateway();
    let (token, hash) = key(&memory, &session(&["a"], &json!({})));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    let path = format!("keys/{hash}?hashed=1");
    memory.isolate.fail("hold");
    let refused = admin(&memory, "DELETE", &path, &Value::Null);
    assert_eq!(refused.status, 503, "{}", refused.body);
    memory.isolate.heal();
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    // What is stored is stored, and the Ledger finds out by itself.
    memory.isolate.fail("release");
    let gone = admin(&memory, "DELETE", &path, &Value::Null);
    assert_eq!(gone.status, 200, "{}", gone.body);
    let failure = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(&memory, &token, "/a/x"), failure);
}

#[test]
fn a_new_token_wakes_no_ledger() {
    let memory = gateway();
    memory.isolate.fail("hold");
    let sent = session(&["a"], &json!({}));
    for path in ["keys", "keys/create"] {
        admin_ok(&memory, "POST", path, &sent);
    }
    // A custom id may have been in use.
    assert_eq!(admin(&memory, "POST", "keys/custom", &sent).status, 503);
}

/// Starts a write of a key's session at its Ledger, whose author then vanishes.
fn start_abandoned_write(memory: &Memory, hash: &str, write: &str) {
    let call = LedgerCall::Hold(write.to_owned());
    let ledger = format!("key:{hash}");
    let begun = memory.ledger(&ledger, call).now_or_never();
    begun.unwrap().unwrap();
}

/// Whether the Registry removes a key by the write with this name.
fn removed_by(memory: &Memory, hash: &str, write: &str) -> bool {
    let ask = SessionAsk {
        act: Act::Remove,
        ids: vec![hash.to_owned()],
        hold: write.to_owned(),
        ..SessionAsk::default()
    };
    let command = Command::Session(ask);
    let answer = memory.call(&command, "").now_or_never().unwrap();
    matches!(answer, Ok((Reply::Session { .. }, _)))
}

#[test]
fn a_write_that_its_ledger_has_given_up_changes_nothing_any_more() {
    let memory = gateway();
    let (token, hash) = key(&memory, &session(&["a"], &json!({})));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    start_abandoned_write(&memory, &hash, "a");
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    // A crash of the Ledger doesn't lose the hold.
    memory.restart();
    reload(&memory);
    memory.wait(11);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    assert!(!removed_by(&memory, &hash, "a"), "it was answered by then");
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    // A later write succeeds.
    let path = format!("keys/{hash}?hashed=1");
    admin_ok(&memory, "DELETE", &path, &Value::Null);
    let unknown = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(&memory, &token, "/a/x"), unknown);
}

#[test]
fn a_stored_write_takes_effect_even_if_the_ledger_was_not_notified() {
    let memory = gateway();
    let (token, hash) = key(&memory, &session(&["a"], &json!({})));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    memory.stop_clock();
    start_abandoned_write(&memory, &hash, "a");
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    // A restarted Ledger fetches the session while the write is in progress, and does not keep it.
    memory.restart();
    reload(&memory);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    assert!(removed_by(&memory, &hash, "a"));
    let unknown = Some(Failure::CredentialUnknown);
    for _ in 0..3 {
        assert_eq!(refusal(&memory, &token, "/a/x"), unknown);
        memory.wait(20);
    }
}

#[test]
fn a_write_whose_end_can_not_be_reported_to_its_ledger_waits_for_every_lease() {
    let memory = gateway();
    let (_, hash) = key(&memory, &session(&["a"], &json!({})));
    memory.isolate.fail("release");
    memory.isolate.take_waits();
    admin_ok(
        &memory,
        "DELETE",
        &format!("keys/{hash}?hashed=1"),
        &Value::Null,
    );
    assert_eq!(memory.isolate.take_waits(), [250]);
}

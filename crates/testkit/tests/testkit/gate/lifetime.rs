//! How long keys are kept (reference 2.1, *Storage lifetime*): past its end a key behaves as if deleted, and soon after
//! it is.

use super::{admin, admin_ok, api, gateway, key, publish, put, refusal, reload, session};
use futures_util::FutureExt;
use gatewright_controlplane::config::LifetimeConfig;
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Each reading of the clock in these tests takes a second, so ends are checked well before and well after.
const LONG: u64 = 1_000;

fn dashboard(memory: &Memory, path: &str) -> Value {
    let credential = format!("Bearer {DASHBOARD_TOKEN}");
    let headers = [("authorization", credential.as_str())];
    let sent = memory.send_with("GET", path, "", &headers);
    let answer = sent.now_or_never().unwrap();
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

/// Returns who did what to keys, oldest first.
fn key_actions(memory: &Memory) -> Vec<(String, String)> {
    let audit = dashboard(memory, "/api/audit?subject=key&limit=500");
    let entries = audit["entries"].as_array().unwrap().iter().rev();
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
    entries
        .map(|entry| (text(entry, "actor"), text(entry, "action")))
        .collect()
}

/// Returns the hashes in the list of keys.
fn listed(memory: &Memory) -> Vec<String> {
    let list = admin_ok(memory, "GET", "keys", &Value::Null);
    serde_json::from_value(list["keys"].clone()).unwrap()
}

#[track_caller]
fn assert_gone(memory: &Memory, token: &str, hash: &str) {
    let unknown = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(memory, token, "/a/x"), unknown);
    let path = format!("keys/{hash}?hashed=1");
    for method in ["GET", "DELETE"] {
        assert_eq!(admin(memory, method, &path, &Value::Null).status, 404);
    }
    let update = admin(memory, "PUT", &path, &session(&["a"], &json!({})));
    assert_eq!(update.status, 404);
    assert!(!listed(memory).contains(&hash.to_owned()));
}

#[test]
fn an_expired_key_behaves_as_if_deleted_and_then_is_deleted() {
    let memory = gateway();
    let limits = json!({ "session_lifetime": LONG, "quota_max": 5, "quota_renewal_rate": 3600 });
    let (token, hash) = key(&memory, &session(&["a"], &limits));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    memory.wait(LONG / 2);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    assert_eq!(listed(&memory), [hash.as_str()]);
    memory.delete_expired_keys().unwrap();
    assert!(memory.next_end().unwrap() > memory.now_ms());

    memory.wait(LONG);
    assert_gone(&memory, &token, &hash);
    let deed = |actor: &str, action: &str| (actor.to_owned(), action.to_owned());
    assert_eq!(key_actions(&memory), [deed("gateway", "added")]);
    assert!(memory.next_end().unwrap() <= memory.now_ms());
    memory.delete_expired_keys().unwrap();
    assert_eq!(
        key_actions(&memory),
        [deed("gateway", "added"), deed("lifetime", "deleted")]
    );
    let notices = dashboard(&memory, "/api/notifications");
    let last = notices["notifications"].as_array().unwrap().last().unwrap();
    assert_eq!(last["type"], "TokenDeleted");
    assert_eq!(last["data"]["key_hash"], hash.as_str());
    assert!(!last.to_string().contains(&token));
    assert_eq!(memory.next_end(), None);
    assert!(!memory.stored_ledgers().contains(&format!("key:{hash}")));
    assert_gone(&memory, &token, &hash);
}

#[test]
fn a_restart_forgets_no_end() {
    let memory = gateway();
    let (token, hash) = key(
        &memory,
        &session(&["a"], &json!({ "session_lifetime": LONG })),
    );
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    memory.restart();
    reload(&memory);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    assert!(memory.next_end().is_some());
    memory.wait(2 * LONG);
    memory.restart();
    reload(&memory);
    assert_gone(&memory, &token, &hash);
    memory.delete_expired_keys().unwrap();
    assert_eq!(memory.next_end(), None);
}

#[test]
fn each_write_begins_the_time_anew() {
    let memory = gateway();
    let sent = session(&["a"], &json!({ "session_lifetime": LONG }));
    let (token, hash) = key(&memory, &sent);
    for _ in 0..4 {
        memory.wait(LONG * 3 / 4);
        assert_eq!(refusal(&memory, &token, "/a/x"), None);
        put(&memory, &hash, "", &sent);
    }
    put(&memory, &hash, "", &session(&["a"], &json!({})));
    memory.wait(10 * LONG);
    memory.delete_expired_keys().unwrap();
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    assert_eq!(memory.next_end(), None);
}

#[test]
fn a_key_that_is_over_can_be_made_again_with_counters_of_its_own() {
    let memory = gateway();
    let sent = session(&["a"], &json!({ "session_lifetime": LONG, "quota_max": 1 }));
    let token = admin_ok(&memory, "POST", "keys/bob", &sent)["key"].clone();
    let token = token.as_str().unwrap();
    for _ in 0..3 {
        assert_eq!(refusal(&memory, token, "/a/x"), None);
        assert_eq!(refusal(&memory, token, "/a/x"), Some(Failure::Quota));
        memory.wait(2 * LONG);
        // The alarm has not fired yet: the end is recorded before the new key.
        admin_ok(&memory, "POST", "keys/bob?dry_run=true", &sent);
        admin_ok(&memory, "POST", "keys/bob", &sent);
    }
    let actions: Vec<String> = key_actions(&memory)
        .into_iter()
        .map(|(_, action)| action)
        .collect();
    let again = ["deleted", "added"];
    assert_eq!(actions, [&["added"], &again[..], &again, &again].concat());
}

/// Whether a key with these members exists after `seconds`.
fn exists_after(memory: &Memory, members: &Value, seconds: u64) -> bool {
    let (token, _) = key(memory, &session(&["a"], members));
    memory.wait(seconds);
    refusal(memory, &token, "/a/x") != Some(Failure::CredentialUnknown)
}

fn unix(memory: &Memory) -> u64 {
    memory.now_ms() / 1000
}

#[test]
fn what_happens_after_the_end_comes_before_lifetimes() {
    for (action, grace, kept_long) in [
        ("delete", 0, false),
        ("retain", 10 * LONG, true),
        ("retain", LONG, false),
        ("", 0, true),
    ] {
        let memory = gateway();
        let members = json!({ "expires": unix(&memory) + LONG, "session_lifetime": 9 * LONG,
            "post_expiry_action": action, "post_expiry_grace_period": grace });
        assert!(exists_after(&memory, &members, LONG / 2), "{action}");
        let members = json!({ "expires": unix(&memory) + LONG, "session_lifetime": 9 * LONG,
            "post_expiry_action": action, "post_expiry_grace_period": grace });
        assert_eq!(
            exists_after(&memory, &members, 4 * LONG),
            kept_long,
            "{action} {grace}"
        );
    }
}

#[test]
fn the_apis_of_a_key_set_its_lifetime_unless_the_key_does() {
    let memory = Memory::default();
    let lasting = |seconds: u64| json!({ "session_lifetime": seconds });
    publish(
        &memory,
        &[api("a", &lasting(LONG)), api("b", &lasting(4 * LONG))],
    );
    assert!(!exists_after(&memory, &json!({}), 2 * LONG));
    assert!(exists_after(&memory, &lasting(4 * LONG), 2 * LONG));
    // The longest lifetime applies.
    let rights = session(&["a", "b"], &json!({}));
    assert!(exists_after(&memory, &rights, 2 * LONG));
    assert!(!exists_after(&memory, &rights, 5 * LONG));
    // A key written now gets its lifetime from the current definition.
    admin_ok(&memory, "PUT", "apis/a", &api("a", &json!({})));
    assert!(exists_after(&memory, &json!({}), 8 * LONG));
    let respects =
        json!({ "session_lifetime": LONG, "session_lifetime_respects_key_expiration": true });
    admin_ok(&memory, "PUT", "apis/a", &api("a", &respects));
    let members = json!({ "expires": unix(&memory) + 4 * LONG });
    assert!(exists_after(&memory, &members, 2 * LONG));
    let members = json!({ "expires": unix(&memory) + 4 * LONG });
    assert!(!exists_after(&memory, &members, 6 * LONG));
}

#[test]
fn a_policy_says_what_happens_after_the_end() {
    let memory = gateway();
    let mut policy = session(&["a"], &json!({ "post_expiry_action": "delete" }));
    policy["id"] = "p".into();
    policy["key_expires_in"] = LONG.into();
    admin_ok(&memory, "POST", "policies", &policy);
    reload(&memory);
    let members = json!({ "apply_policies": ["p"] });
    assert!(exists_after(&memory, &members, LONG / 2));
    assert!(!exists_after(&memory, &members, 2 * LONG));
}

#[test]
fn the_gateway_can_set_a_lifetime_for_all_keys() {
    let memory = gateway();
    let set = |forced, respects_expiration| {
        memory.set_lifetimes(LifetimeConfig {
            forced,
            respects_expiration,
        });
    };
    let short = json!({ "session_lifetime": LONG });
    set(Some(4 * 1_000), false);
    assert!(exists_after(&memory, &short, 2 * LONG));
    assert!(!exists_after(&memory, &json!({}), 5 * LONG));
    set(Some(0), false);
    assert!(exists_after(&memory, &short, 2 * LONG));
    set(None, true);
    let members = json!({ "session_lifetime": LONG, "expires": unix(&memory) + 4 * LONG });
    assert!(exists_after(&memory, &members, 2 * LONG));
    assert!(
        exists_after(&memory, &short, 2 * LONG),
        "without an end for ever"
    );
}

#[test]
fn an_organisation_has_no_end() {
    let memory = gateway();
    admin_ok(
        &memory,
        "POST",
        "org/keys/default",
        &json!({ "session_lifetime": LONG }),
    );
    memory.wait(5 * LONG);
    memory.delete_expired_keys().unwrap();
    assert_eq!(
        admin(&memory, "GET", "org/keys/default", &Value::Null).status,
        200
    );
}

#[derive(Clone, Debug)]
enum Step {
    Write(u8, u64),
    Delete(u8),
    Use(u8),
    Wait(u64),
    Bury,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..4_u8, 0..4_u64).prop_map(|(key, times)| Step::Write(key, times * LONG)),
        1 => (0..4_u8).prop_map(Step::Delete),
        4 => (0..4_u8).prop_map(Step::Use),
        4 => (1..3_u64).prop_map(|times| Step::Wait(times * LONG / 2 + LONG / 4)),
        2 => Just(Step::Bury),
        1 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// When each key ends, checked against a model. Times too close to an end for the resolution of the test's clock
    /// are not checked.
    #[test]
    fn a_key_is_there_from_its_writing_to_its_end(steps in steps()) {
        let memory = gateway();
        let mut ends: BTreeMap<u8, u64> = BTreeMap::new();
        let mut over = 0;
        let token = |key: u8| format!("key-{key}");
        for step in steps {
            let now = unix(&memory);
            let near = |key: u8| ends.get(&key).is_some_and(|end| end.abs_diff(now) < 60);
            let there = |key: u8| ends.get(&key).is_some_and(|end| *end > now);
            match step {
                Step::Write(key, _) | Step::Delete(key) | Step::Use(key) if near(key) => {}
                Step::Write(key, seconds) => {
                    let members = json!({ "session_lifetime": seconds });
                    let path = format!("keys/{}", token(key));
                    admin_ok(&memory, "POST", &path, &session(&["a"], &members));
                    let end = if seconds == 0 { u64::MAX } else { now + seconds };
                    over += usize::from(ends.insert(key, end).is_some_and(|end| end <= now));
                }
                Step::Delete(key) => {
                    let path = format!("keys/{}", token(key));
                    let status = admin(&memory, "DELETE", &path, &Value::Null).status;
                    prop_assert_eq!(status == 200, there(key));
                    over += usize::from(ends.remove(&key).is_some_and(|end| end <= now));
                }
                Step::Use(key) => prop_assert_eq!(refusal(&memory, &token(key), "/a/x").is_none(), there(key)),
                Step::Wait(seconds) => memory.wait(seconds),
                Step::Bury => memory.delete_expired_keys().unwrap(),
                Step::Restart => {
                    memory.restart();
                    reload(&memory);
                }
            }
        }
        memory.wait(120);
        while ends.values().any(|end| end.abs_diff(unix(&memory)) < 60) {
            memory.wait(120);
        }
        memory.delete_expired_keys().unwrap();
        let now = unix(&memory);
        over += ends.values().filter(|end| **end <= now).count();
        prop_assert_eq!(listed(&memory).len(), ends.values().filter(|end| **end > now).count());
        let by = key_actions(&memory).into_iter().filter(|(actor, _)| actor == "lifetime");
        prop_assert_eq!(by.count(), over);
        prop_assert!(memory.next_end().is_none_or(|end| end / 1000 > now));
    }
}

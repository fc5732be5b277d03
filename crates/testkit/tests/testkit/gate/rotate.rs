//! A key with a new token: the old one ends, and the counters continue.

use super::limits::count_passing;
use super::{admin, admin_ok, gateway, key, refusal, reload, session};
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

fn rotate(memory: &Memory, hash: &str) -> (String, String) {
    let made = admin_ok(memory, "POST", &format!("keys/{hash}/rotate"), &Value::Null);
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    (text("key"), text("key_hash"))
}

#[test]
fn what_the_old_token_has_counted_counts_for_the_new_one() {
    for hosts in [false, true] {
        let memory = gateway();
        if hosts {
            memory.isolate.host_ledgers();
        }
        let members =
            json!({ "rate": 8, "per": 86400, "quota_max": 5, "quota_renewal_rate": 86400 });
        let (old, hash) = key(&memory, &session(&["a"], &members));
        assert_eq!(count_passing(&memory, &old, "/a/x", 3), 3);
        let (new, fresh) = rotate(&memory, &hash);
        assert_eq!(
            refusal(&memory, &old, "/a/x"),
            Some(Failure::CredentialUnknown)
        );
        assert_eq!(memory.stored_ledgers(), [format!("key:{fresh}")]);
        assert_eq!(count_passing(&memory, &new, "/a/x", 4), 2);
        // And that token's for the next, even after a restart.
        let (last, _) = rotate(&memory, &fresh);
        memory.restart();
        reload(&memory);
        assert_eq!(count_passing(&memory, &last, "/a/x", 3), 0);
        assert_eq!(refusal(&memory, &last, "/a/x"), Some(Failure::Quota));
    }
}

#[test]
fn a_rotation_that_no_ledger_gets_takes_effect_later_with_the_counters() {
    let memory = gateway();
    let members = json!({ "quota_max": 3, "quota_renewal_rate": 86400 });
    let (old, hash) = key(&memory, &session(&["a"], &members));
    assert_eq!(count_passing(&memory, &old, "/a/x", 1), 1);
    let path = format!("keys/{hash}/rotate");
    memory.isolate.fail("keep");
    assert_eq!(admin(&memory, "POST", &path, &Value::Null).status, 503);
    assert_eq!(count_passing(&memory, &old, "/a/x", 1), 1);
    memory.isolate.heal();
    memory.restart();
    reload(&memory);
    memory.hand_over_open().unwrap();
    let unknown = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(&memory, &old, "/a/x"), unknown);
    // Nobody knows its token, but the key is there and has counted two requests.
    let listed = admin_ok(&memory, "GET", "keys", &Value::Null);
    let fresh = listed["keys"][0].as_str().unwrap();
    let shown = admin_ok(
        &memory,
        "GET",
        &format!("keys/{fresh}?hashed=1"),
        &Value::Null,
    );
    assert_eq!(shown["quota_remaining"], 1);
}

//! The two ids of a policy, of which one is enough (reference 1.7).

use super::{add_policy, call, done, read, session, value};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

/// A POST creates or replaces, also what somebody else has created while it was on its way.
#[test]
fn policy_created_by_two_at_once_is_that_of_the_second() {
    let memory = Memory::default();
    let rate = |rate: u64| session(&json!({ "id": "gold", "rate": rate }));
    let first = rate(5);
    // The first write of a POST replaces, the second one creates.
    memory.before_write(1, move |memory| {
        done(memory, "POST", "policies", &first);
    });
    done(&memory, "POST", "policies", &rate(6));
    assert_eq!(read(&memory, "policies/gold")["rate"], 6);
    assert_eq!(read(&memory, "policies").as_array().unwrap().len(), 1);
}

#[test]
fn policy_created_again_under_another_id_does_not_hide_its_successor() {
    let memory = Memory::default();
    let (one, two) = ("1".repeat(24), "2".repeat(24));
    let named = |internal: &str, id: &str| session(&json!({ "_id": internal, "id": id }));
    done(&memory, "POST", "policies", &named(&one, "gold"));
    done(&memory, "DELETE", "policies/gold", &Value::Null);
    done(&memory, "POST", "policies", &named(&two, "gold"));
    done(&memory, "POST", "policies", &named(&one, "silver"));
    assert_eq!(read(&memory, "policies/gold")["_id"], two);
    assert_eq!(read(&memory, "policies/silver")["_id"], one);
}

#[test]
fn policy_is_found_by_internal_id() {
    let memory = Memory::default();
    let id = "5f3c8a2b9d1e0fc04d1e4c6a";
    let made = done(
        &memory,
        "POST",
        "policies",
        &json!({ "_id": id, "rate": 5 }),
    );
    assert_eq!(made["key"], id);
    assert_eq!(read(&memory, &format!("policies/{id}"))["rate"], 5);
    let sent = session(&json!({ "apply_policies": [id] }));
    assert_eq!(call(&memory, "POST", "keys", &sent).status, 500);
    done(
        &memory,
        "PUT",
        &format!("policies/{id}"),
        &session(&json!({ "_id": id })),
    );
    assert_eq!(call(&memory, "POST", "keys", &sent).status, 200);
}

#[test]
fn put_with_the_internal_id_alone_keeps_the_other() {
    let memory = Memory::default();
    let internal = "5f3c8a2b9d1e0fc04d1e4c6a";
    add_policy(&memory, "gold", &json!({ "_id": internal }));
    let sent = |internal: &str| session(&json!({ "_id": internal, "rate": 7 }));
    let other = "5f3c8a2b9d1e0fc04d1e4c6b";
    for path in ["gold", internal] {
        let of_another = call(&memory, "PUT", &format!("policies/{path}"), &sent(other));
        assert_eq!(of_another.status, 400, "{path}");
    }
    done(
        &memory,
        "PUT",
        &format!("policies/{internal}"),
        &sent(internal),
    );
    let stored = read(&memory, "policies/gold");
    assert_eq!(
        (&stored["id"], &stored["rate"]),
        (&json!("gold"), &json!(7))
    );
    let key = json!({ "apply_policies": ["gold"] });
    assert_eq!(call(&memory, "POST", "keys", &key).status, 200);
    done(&memory, "POST", "policies", &json!({ "_id": other }));
    done(&memory, "PUT", &format!("policies/{other}"), &sent(other));
    assert_eq!(read(&memory, &format!("policies/{other}"))["_id"], other);
}

#[test]
fn an_internal_id_belongs_to_one_policy() {
    let memory = Memory::default();
    let internal = "5f3c8a2b9d1e0fc04d1e4c6a";
    add_policy(&memory, "gold", &json!({ "_id": internal }));
    add_policy(&memory, "blue", &json!({}));
    for (method, path, id) in [
        ("POST", "policies", "red"),
        ("POST", "policies", "blue"),
        ("PUT", "policies/blue", "blue"),
    ] {
        let body = json!({ "_id": internal, "id": id });
        let answer = call(&memory, method, path, &body);
        assert_eq!(answer.status, 409, "{method} {id}: {}", answer.body);
        let text = value(&answer)["message"].as_str().unwrap().to_owned();
        assert!(text.contains(internal), "{text}");
    }
    assert_eq!(read(&memory, "policies").as_array().unwrap().len(), 2);
    assert_eq!(read(&memory, &format!("policies/{internal}"))["id"], "gold");
}

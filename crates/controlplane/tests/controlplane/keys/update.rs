//! Existing keys: read, changed, removed, and their policies set.

use super::{
    add_api, add_policy, call, call_if, done, escaped, header, key, read, refused, session, value,
};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

#[test]
fn a_key_is_found_by_its_token_and_by_its_hash() {
    let memory = Memory::default();
    add_api(&memory, "a", &json!({}));
    let (token, hash) = key(&memory, &session(&json!({ "alias": "one" })));
    let by_token = format!("keys/{}", escaped(&token));
    for path in [
        by_token.clone(),
        format!("keys/{hash}"),
        format!("keys/{hash}?hashed=1"),
    ] {
        assert_eq!(read(&memory, &path)["alias"], "one", "{path}");
    }
    // A token is not a hash.
    let path = format!("{by_token}?hashed=1");
    refused(
        &call(&memory, "GET", &path, &Value::Null),
        404,
        "Key not found",
    );
    let put = call(
        &memory,
        "PUT",
        &by_token,
        &session(&json!({ "alias": "two" })),
    );
    let start = format!("{{\"key\":\"{token}\",\"status\":\"ok\",\"action\":\"modified\"}}");
    assert_eq!(put.body.trim(), start);
    assert_eq!(read(&memory, &by_token)["alias"], "two");
    let gone = done(&memory, "DELETE", &by_token, &Value::Null);
    assert_eq!(
        (&gone["key"], &gone["action"]),
        (&json!(token), &json!("deleted"))
    );
}

#[test]
fn missing_key_has_each_endpoints_message() {
    let memory = Memory::default();
    let none = Value::Null;
    for id in ["none", "%00", "none?hashed=1"] {
        let path = format!("keys/{id}");
        refused(&call(&memory, "GET", &path, &none), 404, "Key not found");
        let gone = call(&memory, "DELETE", &path, &none);
        refused(&gone, 404, "There is no such key found");
    }
    let put = call(&memory, "PUT", "keys/none", &session(&json!({})));
    refused(&put, 404, "Key is not found");
    let body = json!({ "policy": "gold" });
    let set = call(&memory, "POST", "keys/policy/none", &body);
    refused(&set, 404, "Key not found");
}

#[test]
fn an_update_is_refused_like_a_new_key() {
    let memory = Memory::default();
    let (_, hash) = key(&memory, &session(&json!({ "alias": "kept" })));
    let path = format!("keys/{hash}");
    let message = "Failed to create key, ensure security settings are correct.";
    for body in [json!({}), json!({ "apply_policies": ["none"] })] {
        refused(&call(&memory, "PUT", &path, &body), 500, message);
    }
    let text = Value::String("{".to_owned());
    refused(
        &call(&memory, "PUT", &path, &text),
        400,
        "Request malformed",
    );
    assert_eq!(read(&memory, &path)["alias"], "kept");
}

#[test]
fn preconditions_are_enforced() {
    let memory = Memory::default();
    let (_, hash) = key(&memory, &session(&json!({})));
    let path = format!("keys/{hash}");
    let first = call(&memory, "GET", &path, &Value::Null);
    let tag = header(&first, "etag").unwrap().to_owned();
    let fresh = call_if(
        &memory,
        "GET",
        &path,
        &Value::Null,
        &[("if-none-match", &tag)],
    );
    assert_eq!(fresh.status, 304);
    let put = |tag: &str| {
        let body = session(&json!({ "alias": "new" }));
        call_if(&memory, "PUT", &path, &body, &[("if-match", tag)])
    };
    let written = put(&tag);
    assert_eq!(written.status, 200);
    let newer = header(&written, "etag").unwrap().to_owned();
    let lost = put(&tag);
    assert_eq!(lost.status, 412);
    assert_eq!(header(&lost, "etag"), Some(newer.as_str()));
    for method in ["DELETE", "POST"] {
        let target = match method {
            "POST" => format!("keys/policy/{hash}"),
            _ => path.clone(),
        };
        let body = json!({ "policy": "gold" });
        let lost = call_if(&memory, method, &target, &body, &[("if-match", &tag)]);
        assert_eq!(lost.status, 412, "{method}");
    }
    let gone = call_if(
        &memory,
        "DELETE",
        &path,
        &Value::Null,
        &[("if-match", &newer)],
    );
    assert_eq!(gone.status, 200);
}

#[test]
fn a_key_is_sent_again_when_its_policies_have_changed() {
    let memory = Memory::default();
    add_policy(&memory, "gold", &json!({ "rate": 7, "per": 1 }));
    let (_, hash) = key(&memory, &json!({ "apply_policies": ["gold"] }));
    let path = format!("keys/{hash}");
    let first = call(&memory, "GET", &path, &Value::Null);
    let tag = header(&first, "etag").unwrap().to_owned();
    let known = [("if-none-match", tag.as_str())];
    let again = |known: &[(&str, &str)]| call_if(&memory, "GET", &path, &Value::Null, known);
    assert_eq!(again(&known).status, 304);
    add_policy(&memory, "gold", &json!({ "rate": 8, "per": 1 }));
    let changed = again(&known);
    assert_eq!((changed.status, &value(&changed)["rate"]), (200, &json!(8)));
    // The key itself has not been written, so the tag read before still allows a write.
    let body = json!({ "apply_policies": ["gold"], "alias": "new" });
    let written = call_if(&memory, "PUT", &path, &body, &[("if-match", &tag)]);
    assert_eq!(written.status, 200, "{}", written.body);
}

#[test]
fn write_restarts_windows_unless_suppressed() {
    let memory = Memory::default();
    let limit = json!({ "quota_max": 5, "quota_renewal_rate": 60, "quota_renews": 77 });
    let rights = json!({ "a": { "limit": limit } });
    let more = json!({ "quota_max": 9, "quota_renewal_rate": 3600, "access_rights": rights });
    let sent = session(&more);
    let (_, hash) = key(&memory, &sent);
    let path = format!("keys/{hash}");
    let stamp = || read(&memory, &path)["last_updated"].clone();
    let first = stamp();
    let stored = read(&memory, &format!("{path}?applied=false"));
    let renews = stored["quota_renews"].as_u64().unwrap();
    assert!(renews > memory.now_ms() / 1000 + 3000);
    let shown = read(&memory, &path);
    assert_eq!(shown["quota_renews"], renews);
    assert_eq!(shown.get("quota_remaining"), None);
    assert_eq!(shown["access_rights"]["a"]["limit"]["quota_remaining"], 5);
    memory.wait(500);
    done(&memory, "PUT", &format!("{path}?suppress_reset=1"), &sent);
    assert_eq!(stamp(), first);
    done(
        &memory,
        "PUT",
        &format!("{path}?suppress_reset=true"),
        &sent,
    );
    assert_ne!(stamp(), first);
}

#[test]
fn apis_can_keep_quotas_running() {
    for (keeps, resets) in [(true, false), (false, true)] {
        let memory = Memory::default();
        add_api(&memory, "a", &json!({ "dont_set_quota_on_create": true }));
        let b = json!({ "dont_set_quota_on_create": keeps });
        add_api(&memory, "b", &b);
        let sent = session(&json!({ "quota_max": 5, "quota_renewal_rate": 60,
            "access_rights": { "a": {}, "b": {} } }));
        let (_, hash) = key(&memory, &sent);
        let path = format!("keys/{hash}");
        let made = read(&memory, &path);
        assert_eq!(made["quota_renews"].is_u64(), resets);
        let first = made["last_updated"].clone();
        memory.wait(500);
        done(&memory, "PUT", &path, &sent);
        let stored = read(&memory, &format!("{path}?applied=false"));
        assert_eq!(stored["quota_renews"].is_u64(), resets);
        assert_ne!(stored["last_updated"], first);
    }
}

#[test]
fn past_expiry_does_not_overwrite_key() {
    let memory = Memory::default();
    let now = memory.now_ms() / 1000;
    let (_, hash) = key(&memory, &session(&json!({ "expires": now + 9000 })));
    let path = format!("keys/{hash}");
    for (sent, expires) in [
        (now - 5, now + 9000),
        (now + 7000, now + 7000),
        (1, 1),
        (0, 0),
    ] {
        done(&memory, "PUT", &path, &session(&json!({ "expires": sent })));
        let read = read(&memory, &path)["expires"].as_u64().unwrap_or(0);
        assert_eq!(read, expires, "{sent}");
    }
}

#[test]
fn policy_sets_expiry_only_on_creation() {
    let memory = Memory::default();
    add_policy(&memory, "short", &json!({ "key_expires_in": 1000 }));
    add_policy(&memory, "long", &json!({ "key_expires_in": 5000 }));
    let sent = json!({ "apply_policies": ["short", "long"] });
    let now = memory.now_ms() / 1000;
    let (_, hash) = key(&memory, &sent);
    let path = format!("keys/{hash}");
    let expires = || read(&memory, &path)["expires"].as_u64().unwrap_or(0);
    assert!((5000..5060).contains(&(expires() - now)));
    done(&memory, "PUT", &path, &sent);
    assert_eq!(expires(), 0);
}

#[test]
fn the_policies_of_a_key_can_be_set_alone() {
    let memory = Memory::default();
    add_policy(&memory, "gold", &json!({ "rate": 5, "per": 1 }));
    add_policy(&memory, "blue", &json!({ "rate": 7, "per": 1 }));
    let sent = session(&json!({ "alias": "kept", "apply_policy_id": "gold", "extra": 1.0 }));
    let (_, hash) = key(&memory, &sent);
    let path = format!("keys/policy/{hash}");
    for (body, policies) in [
        (json!({ "policy": "blue" }), json!(["blue"])),
        (
            json!({ "apply_policies": ["gold", "blue"] }),
            json!(["gold", "blue"]),
        ),
        (
            json!({ "policy": "gold", "apply_policies": ["blue"] }),
            json!(["blue", "gold"]),
        ),
    ] {
        let answer = call(&memory, "POST", &path, &body);
        let start = format!("{{\"key\":\"{hash}\",\"status\":\"ok\",\"action\":\"updated\"");
        assert!(answer.body.starts_with(&start), "{}", answer.body);
        let read = read(&memory, &format!("keys/{hash}"));
        assert_eq!(read["apply_policies"], policies);
        assert_eq!(read["alias"], "kept");
        assert_eq!(read.get("apply_policy_id"), None);
    }
    for text in [
        "",
        "{",
        "{}",
        "[]",
        "{\"apply_policies\":[]}",
        "{\"policy\":7}",
        "{\"policy\":\"\"}",
        "{\"policy\":\"gold\",\"apply_policies\":[7]}",
        "{\"policy\":\"gold\",\"apply_policies\":\"blue\"}",
    ] {
        let answer = call(&memory, "POST", &path, &Value::String(text.to_owned()));
        refused(&answer, 400, "Couldn't decode instruction");
    }
    let unknown = call(&memory, "POST", "keys/policy/none", &json!({}));
    refused(&unknown, 404, "Key not found");
    let answer = call(&memory, "POST", &path, &json!({ "policy": "none" }));
    let details = refused(&answer, 500, "Could not write key data");
    assert_eq!(details, "policy not found: \"none\"");
    let applied = &value(&call(&memory, "GET", &format!("keys/{hash}"), &Value::Null))["rate"];
    assert_eq!(applied, 7, "the faster one");
}

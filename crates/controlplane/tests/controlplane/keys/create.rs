//! New keys: `POST /gateway/keys`, `/keys/{customId}`, `/keys/create`, `/keys/preview`.

use super::{
    add_policy, call, call_if, done, escaped, hashes, header, key, read, refused, session, value,
};
use gatewright_protocol::http::Response;
use gatewright_protocol::time::millis;
use gatewright_protocol::token::{HashFunction, hash, parts};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

const NOT_CREATED: &str = "Failed to create key, ensure security settings are correct.";

#[test]
fn created_key_is_returned_in_the_reference_members() {
    let memory = Memory::default();
    for path in ["keys", "keys/create"] {
        let answer = call(
            &memory,
            "POST",
            path,
            &session(&json!({ "org_id": "acme" })),
        );
        assert_eq!(answer.status, 200);
        let made = value(&answer);
        let (token, key_hash) = (made["key"].as_str().unwrap(), made["key_hash"].as_str());
        let start = format!(
            "{{\"key\":\"{token}\",\"status\":\"ok\",\"action\":\"added\",\"key_hash\":\"{}\"",
            hash(token)
        );
        assert!(answer.body.starts_with(&start), "{}", answer.body);
        let parts = parts(token).unwrap();
        assert_eq!((parts.org.as_str(), parts.id.len()), ("acme", 32));
        assert_eq!(parts.hash, Some(HashFunction::Sha256));
        assert_eq!(key_hash, Some(HashFunction::Sha256.hash(token).as_str()));
    }
}

#[test]
fn invalid_session_is_refused_with_each_endpoints_message() {
    let memory = Memory::default();
    for (path, status, message) in [
        ("keys", 400, "Request malformed"),
        ("keys/custom", 400, "Request malformed"),
        ("keys/create", 500, "Unmarshalling failed"),
        ("keys/preview", 500, "Unmarshalling failed"),
    ] {
        for text in ["", "{", "nonsense"] {
            let answer = call(&memory, "POST", path, &Value::String(text.to_owned()));
            refused(&answer, status, message);
            assert_eq!(value(&answer)["issues"][0]["line"], 1, "{path}");
        }
        // Reference 1.0: a wrong type gets the same response as broken JSON.
        let wrong = session(&json!({ "rate": "many" }));
        let answer = call(&memory, "POST", path, &wrong);
        refused(&answer, status, message);
        assert_eq!(value(&answer)["issues"][0]["pointer"], "/rate");
    }
    assert!(hashes(&memory, "").is_empty());
}

#[test]
fn key_without_rights_needs_master_keys() {
    let mut memory = Memory::default();
    for body in [json!({}), json!({ "access_rights": {} })] {
        for path in ["keys", "keys/custom"] {
            let details = refused(&call(&memory, "POST", path, &body), 500, NOT_CREATED);
            assert!(details.contains("/access_rights"), "{details}");
        }
        let answer = call(&memory, "POST", "keys/create", &body);
        let message = "Failed to create key, keys must have at least one Access Rights record set.";
        refused(&answer, 400, message);
    }
    memory.gate.allow_master_keys = true;
    for path in ["keys", "keys/custom", "keys/create"] {
        done(&memory, "POST", path, &json!({}));
    }
}

#[test]
fn inapplicable_policies_say_why() {
    let memory = Memory::default();
    add_policy(&memory, "foreign", &json!({ "org_id": "other" }));
    let partitions = |more: Value| json!({ "partitions": more });
    let both = partitions(json!({ "per_api": true, "quota": true }));
    add_policy(&memory, "both", &both);
    add_policy(&memory, "each", &partitions(json!({ "per_api": true })));
    add_policy(&memory, "part", &partitions(json!({ "acl": true })));
    let nothing = json!({ "id": "nothing", "rate": 1, "per": 1, "access_rights": {} });
    done(&memory, "POST", "policies", &nothing);
    for (policies, reason) in [
        (vec!["none"], "policy not found: \"none\""),
        (vec!["foreign"], "policy not found: \"foreign\""),
        (
            vec!["both"],
            "cannot apply policy both which has per_api and any of partitions set",
        ),
        (
            vec!["each", "part"],
            "cannot apply multiple policies when some have per_api set and some are partitioned",
        ),
        (
            vec!["none", "nowhere"],
            "key has no valid policies to be applied",
        ),
    ] {
        let body = json!({ "org_id": "acme", "apply_policies": policies });
        let details = refused(&call(&memory, "POST", "keys", &body), 500, NOT_CREATED);
        assert_eq!(details, reason, "{policies:?}");
        let answer = call(&memory, "POST", "keys/create", &body);
        refused(&answer, 500, &format!("Failed to create key - {reason}"));
        let shown = call(&memory, "POST", "keys/preview", &body);
        assert_eq!(
            (shown.status, without_times(&shown)),
            (200, body),
            "{policies:?}"
        );
    }
    assert!(hashes(&memory, "").is_empty());
}

#[test]
fn a_preview_shows_what_policies_without_access_provide() {
    let memory = Memory::default();
    let quota = json!({
        "rate": 50, "per": 1, "quota_max": 100, "quota_renewal_rate": 60, "tags": ["gold"],
        "partitions": { "quota": true },
    });
    add_policy(&memory, "quota", &quota);
    let own = json!({
        "org_id": "acme", "apply_policies": ["quota"], "rate": 3, "per": 1, "quota_max": 7,
        "access_rights": { "a": { "versions": ["Default"] } },
    });
    refused(&call(&memory, "POST", "keys", &own), 500, NOT_CREATED);
    let shown = call(&memory, "POST", "keys/preview", &own);
    let mut expected = own;
    expected["quota_max"] = json!(100);
    expected["quota_renewal_rate"] = json!(60);
    expected["tags"] = json!(["gold"]);
    assert_eq!((shown.status, without_times(&shown)), (200, expected));
}

/// Returns a previewed session without the times that every preview has.
fn without_times(shown: &Response) -> Value {
    let mut shown = value(shown);
    for name in ["date_created", "last_updated"] {
        let time = shown.as_object_mut().unwrap().remove(name);
        assert!(time.is_some_and(|time| time != ""), "{name}");
    }
    shown
}

#[test]
fn a_preview_has_the_times_of_a_new_key() {
    let memory = Memory::default();
    let shown = |sent: &Value| value(&call(&memory, "POST", "keys/preview", sent));
    let before = memory.now_ms() / 1000;
    let fresh = shown(&json!({}));
    let created = millis(fresh["date_created"].as_str().unwrap()).unwrap() / 1000;
    assert!(created >= before, "{fresh}");
    assert_eq!(fresh["last_updated"], created.to_string());
    // What is sent stays.
    let sent = json!({ "date_created": "2020-01-02T03:04:05Z", "last_updated": "7" });
    assert_eq!(shown(&sent), sent);
}

#[test]
fn one_missing_policy_is_skipped() {
    let memory = Memory::default();
    add_policy(&memory, "gold", &json!({ "rate": 5, "per": 1 }));
    let sent = json!({ "apply_policies": ["none", "gold"] });
    let (_, hash) = key(&memory, &sent);
    let read = read(&memory, &format!("keys/{hash}"));
    assert_eq!(
        (&read["rate"], &read["apply_policies"]),
        (&json!(5), &sent["apply_policies"])
    );
}

#[test]
fn token_has_custom_id_without_organisation() {
    let memory = Memory::default();
    let sent = session(&json!({ "org_id": "acme" }));
    for path in ["keys/bob", "keys/acmebob"] {
        let made = done(&memory, "POST", path, &sent);
        let parts = parts(made["key"].as_str().unwrap()).unwrap();
        assert_eq!((parts.org.as_str(), parts.id.as_str()), ("acme", "bob"));
    }
    assert_eq!(hashes(&memory, "").len(), 1);
    // The bare organisation, which is not an id within it.
    let made = done(&memory, "POST", "keys/acme", &sent);
    assert_eq!(parts(made["key"].as_str().unwrap()).unwrap().id, "acme");
}

#[test]
fn short_custom_id_is_refused() {
    let mut memory = Memory::default();
    let sent = session(&json!({ "org_id": "acme" }));
    for path in ["keys/ab", "keys/acmeab", "keys/%C3%A4%C3%B6"] {
        let answer = call(&memory, "POST", path, &sent);
        let message = value(&answer)["message"].as_str().unwrap().to_owned();
        let start = "custom key ID length 2 is less than min_token_length (3); ";
        assert!(message.starts_with(start), "{message}");
        assert_eq!(answer.status, 400);
    }
    memory.gate.min_token_length = 2;
    done(&memory, "POST", "keys/ab", &sent);
}

#[test]
fn a_custom_key_is_read_changed_and_removed_by_its_id() {
    let memory = Memory::default();
    for (id, org, query) in [("bob", "", ""), ("eve", "acme", "?org_id=acme")] {
        let sent = session(&json!({ "org_id": org, "alias": id }));
        done(&memory, "POST", &format!("keys/{id}"), &sent);
        let path = format!("keys/{id}{query}");
        assert_eq!(read(&memory, &path)["alias"], id);
        assert_eq!(done(&memory, "PUT", &path, &sent)["action"], "modified");
        assert_eq!(
            done(&memory, "DELETE", &path, &Value::Null)["action"],
            "deleted"
        );
        refused(
            &call(&memory, "GET", &path, &Value::Null),
            404,
            "Key not found",
        );
    }
}

#[test]
fn bare_custom_id_is_resolved_by_the_given_organisation() {
    let memory = Memory::default();
    let sent = session(&json!({ "org_id": "default" }));
    let made = done(&memory, "POST", "keys/bob", &sent);
    refused(
        &call(&memory, "GET", "keys/bob", &Value::Null),
        404,
        "Key not found",
    );
    refused(
        &call(&memory, "DELETE", "keys/bob", &Value::Null),
        404,
        "There is no such key found",
    );
    refused(
        &call(&memory, "PUT", "keys/bob", &session(&json!({}))),
        404,
        "Key is not found",
    );
    done(&memory, "PUT", "keys/bob", &sent);
    read(&memory, "keys/bob?org_id=default");
    let token = escaped(made["key"].as_str().unwrap());
    read(&memory, &format!("keys/{token}"));
    done(&memory, "DELETE", &format!("keys/{token}"), &Value::Null);
    // That of a key without an organisation belongs to none.
    done(&memory, "POST", "keys/eve", &session(&json!({})));
    let answer = call(&memory, "GET", "keys/eve?org_id=default", &Value::Null);
    refused(&answer, 404, "Key not found");
    let answer = call(&memory, "PUT", "keys/eve", &sent);
    refused(&answer, 404, "Key is not found");
}

#[test]
fn recreated_custom_key_keeps_its_creation_date() {
    let memory = Memory::default();
    done(&memory, "POST", "keys/bob", &session(&json!({})));
    let first = read(&memory, "keys/bob")["date_created"].clone();
    memory.wait(100);
    let made = done(&memory, "POST", "keys/bob", &session(&json!({})));
    assert_eq!(made["action"], "added");
    assert_eq!(read(&memory, "keys/bob")["date_created"], first);
    let only_new = [("if-none-match", "*")];
    let answer = call_if(&memory, "POST", "keys/bob", &session(&json!({})), &only_new);
    assert_eq!(answer.status, 412);
}

#[test]
fn a_preview_applies_policies_and_stores_nothing() {
    let memory = Memory::default();
    add_policy(
        &memory,
        "gold",
        &json!({ "rate": 5, "per": 1, "tags": ["x"] }),
    );
    let sent = json!({ "apply_policies": ["gold"], "alias": "me", "unknown": 1.0 });
    let answer = call(&memory, "POST", "keys/preview", &sent);
    let shown = value(&answer);
    assert_eq!((&shown["rate"], &shown["alias"]), (&json!(5), &json!("me")));
    // An API granted by a policy is named only by its member, and unknown members are not shown (reference 2.1, 2.4).
    assert_eq!(shown["access_rights"]["a"]["limit"]["rate"], 5);
    assert_eq!(shown["access_rights"]["a"].get("api_id"), None);
    assert_eq!(shown.get("unknown"), None);
    assert!(hashes(&memory, "").is_empty());
}

#[test]
fn only_custom_key_keeps_its_quota_renewal() {
    let memory = Memory::default();
    let sent = session(&json!({ "quota_renewal_rate": 60, "quota_renews": 7 }));
    let now = memory.now_ms() / 1000;
    for (path, is_kept) in [("keys", true), ("keys/create", false)] {
        let path = format!("{path}?suppress_reset=1");
        let made = done(&memory, "POST", &path, &sent);
        let hash = made["key_hash"].as_str().unwrap();
        let renews = read(&memory, &format!("keys/{hash}"))["quota_renews"].clone();
        assert_eq!(renews == 7, is_kept, "{path}");
        assert_eq!(renews.as_u64() >= Some(now + 60), !is_kept, "{path}");
    }
}

#[test]
fn recreated_key_resets_its_quota_renewal() {
    let memory = Memory::default();
    for renews in [7, 8] {
        let sent = session(&json!({ "quota_renews": renews, "last_updated": renews.to_string() }));
        let made = done(&memory, "POST", "keys/bob?suppress_reset=1", &sent);
        let hash = made["key_hash"].as_str().unwrap();
        let read = read(&memory, &format!("keys/{hash}"));
        assert_eq!(read["quota_renews"], renews);
        assert_eq!(read["last_updated"], renews.to_string());
    }
}

#[test]
fn last_policy_sets_expiry_of_new_key() {
    let memory = Memory::default();
    add_policy(&memory, "year", &json!({ "key_expires_in": 31_536_000 }));
    add_policy(&memory, "hour", &json!({ "key_expires_in": 3600 }));
    add_policy(&memory, "never", &json!({ "key_expires_in": 0 }));
    let foreign = json!({ "key_expires_in": 60, "org_id": "other" });
    add_policy(&memory, "foreign", &foreign);
    let sent = json!({ "org_id": "acme", "apply_policies": ["year", "hour", "never", "foreign"] });
    let (_, hash) = key(&memory, &sent);
    let expires = read(&memory, &format!("keys/{hash}"))["expires"].as_u64();
    let in_an_hour = memory.now_ms() / 1000 + 3600;
    assert!(expires.is_some_and(|expires| expires.abs_diff(in_an_hour) < 60));
}

#[test]
fn a_dry_run_stores_nothing() {
    let memory = Memory::default();
    for path in [
        "keys?dry_run=true",
        "keys/bob?dry_run=true",
        "keys/create?dry_run=true",
    ] {
        done(&memory, "POST", path, &session(&json!({})));
    }
    assert!(hashes(&memory, "").is_empty());
    // Only `true` counts, so a request with another word for it must not write.
    for value in ["1", "yes", "TRUE", ""] {
        for (method, path) in [("POST", "keys"), ("PUT", "keys/bob"), ("DELETE", "apis/a")] {
            let path = format!("{path}?dry_run={value}");
            let message = "The query parameter dry_run is true or false; nothing was done, write dry_run=true";
            refused(
                &call(&memory, method, &path, &session(&json!({}))),
                400,
                message,
            );
        }
    }
    assert!(hashes(&memory, "").is_empty());
    let (_, hash) = key(&memory, &session(&json!({ "alias": "before" })));
    let path = format!("keys/{hash}?dry_run=true");
    done(
        &memory,
        "PUT",
        &path,
        &session(&json!({ "alias": "after" })),
    );
    done(&memory, "DELETE", &path, &Value::Null);
    assert_eq!(read(&memory, &format!("keys/{hash}"))["alias"], "before");
}

#[test]
fn dry_run_is_marked_and_has_no_token_or_revision() {
    let memory = Memory::default();
    let sent = session(&json!({}));
    let (_, hash) = key(&memory, &sent);
    add_policy(&memory, "gold", &json!({}));
    let known = format!("keys/{hash}");
    let policies = format!("keys/policy/{hash}");
    let hashed = format!("keys/{}?hashed=1", "0".repeat(64));
    for (method, path, named) in [
        ("POST", "keys", ""),
        ("POST", "keys/create", ""),
        ("POST", "keys/bob", "bob"),
        ("POST", hashed.as_str(), &hashed[5..69]),
        ("PUT", known.as_str(), &hash),
        ("POST", policies.as_str(), &hash),
        ("DELETE", known.as_str(), &hash),
    ] {
        let mark = if path.contains('?') { '&' } else { '?' };
        let body = match path {
            path if path == policies => json!({ "policy": "gold" }),
            _ => sent.clone(),
        };
        let answer = call(&memory, method, &format!("{path}{mark}dry_run=true"), &body);
        let body = value(&answer);
        let what = format!("{method} {path}: {}", answer.body);
        assert_eq!(
            (answer.status, &body["dry_run"]),
            (200, &json!(true)),
            "{what}"
        );
        assert_eq!(
            (&body["key"], body.get("key_hash")),
            (&json!(named), None),
            "{what}"
        );
        assert_eq!(header(&answer, "etag"), None, "{what}");
    }
    assert_eq!(hashes(&memory, ""), [hash]);
    let real = done(&memory, "POST", "keys", &sent);
    assert_eq!(real.get("dry_run"), None);
}

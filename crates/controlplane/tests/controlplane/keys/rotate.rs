//! A key gets a new token, and a session is read as it was written.

use super::{
    add_policy, call, call_if, done, escaped, hashes, header, key, read, refused, session,
};
use futures_util::FutureExt;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use gatewright_testkit::sql::dump;
use serde_json::{Value, json};

fn dashboard(memory: &Memory, path: &str) -> Value {
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let headers = [("authorization", bearer.as_str())];
    let answer = memory.send_with("GET", path, "", &headers);
    serde_json::from_str(&answer.now_or_never().unwrap().body).unwrap()
}

#[test]
fn a_session_is_read_as_it_was_written_with_a_tag_of_its_own() {
    let memory = Memory::default();
    add_policy(
        &memory,
        "gold",
        &json!({ "rate": 7, "per": 1, "tags": ["paid"] }),
    );
    let sent = json!({ "alias": "one", "apply_policies": ["gold"], "quota_max": 5 });
    let (token, hash) = key(&memory, &sent);
    let path = format!("keys/{hash}");
    let applied = call(&memory, "GET", &path, &Value::Null);
    let own = call(
        &memory,
        "GET",
        &format!("{path}?applied=false"),
        &Value::Null,
    );
    let same = call(
        &memory,
        "GET",
        &format!("{path}?applied=true"),
        &Value::Null,
    );
    assert_eq!(header(&same, "etag"), header(&applied, "etag"));
    let (applied_json, own_json) = (super::value(&applied), super::value(&own));
    assert_eq!(applied_json["rate"], 7);
    for added in ["rate", "per", "tags", "access_rights", "quota_remaining"] {
        assert_eq!(own_json.get(added), None, "{added}: {own_json}");
    }
    assert_eq!(own_json["apply_policies"], json!(["gold"]));
    let tag = header(&own, "etag").unwrap();
    assert_ne!(header(&applied, "etag"), Some(tag));
    let path = format!("keys/{}?applied=false", escaped(&token));
    let known = call_if(
        &memory,
        "GET",
        &path,
        &Value::Null,
        &[("if-none-match", tag)],
    );
    assert_eq!(known.status, 304);
    // A session read this way can be written back unchanged, and includes nothing of the policy's.
    let target = format!("keys/{hash}?suppress_reset=1");
    let put = call_if(&memory, "PUT", &target, &own_json, &[("if-match", tag)]);
    assert_eq!(put.status, 200, "{}", put.body);
    assert_eq!(read(&memory, &path)["apply_policies"], json!(["gold"]));
    assert_eq!(read(&memory, &path).get("rate"), None);
    let wrong = call(
        &memory,
        "GET",
        &format!("keys/{hash}?applied=no"),
        &Value::Null,
    );
    assert_eq!(wrong.status, 400, "{}", wrong.body);
}

#[test]
fn session_read_masks_the_password() {
    let memory = Memory::default();
    let data = json!({ "password": "canary" });
    let (_, hash) = key(&memory, &session(&json!({ "basic_auth_data": data })));
    let shown = call(
        &memory,
        "GET",
        &format!("keys/{hash}?applied=false"),
        &Value::Null,
    );
    assert!(
        !shown.body.contains("canary") && !shown.body.contains("$2a$"),
        "{}",
        shown.body
    );
}

#[test]
fn a_key_gets_a_new_token_and_keeps_its_session() {
    let memory = Memory::default();
    let sent = session(&json!({ "alias": "one", "org_id": "acme", "expires": 4_000_000_000_u64 }));
    let (token, old) = key(&memory, &sent);
    let before = read(&memory, &format!("keys/{old}?applied=false"));
    let path = format!("keys/{}/rotate?org_id=acme", escaped(&token));
    let answer = call(&memory, "POST", &path, &Value::Null);
    let made = super::value(&answer);
    assert_eq!(
        (answer.status, &made["status"], &made["action"]),
        (200, &json!("ok"), &json!("added"))
    );
    let (fresh, new) = (
        made["key"].as_str().unwrap(),
        made["key_hash"].as_str().unwrap(),
    );
    assert_ne!(fresh, token);
    assert_eq!(hashes(&memory, ""), [new]);
    let shown = call(
        &memory,
        "GET",
        &format!("keys/{}?applied=false", escaped(fresh)),
        &Value::Null,
    );
    assert_eq!(super::value(&shown), before);
    let revision = |response| {
        header(response, "etag")
            .unwrap()
            .trim_matches('"')
            .split('-')
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(revision(&answer), revision(&shown));
    for gone in [escaped(&token), old.clone()] {
        let answer = call(&memory, "GET", &format!("keys/{gone}"), &Value::Null);
        refused(&answer, 404, "Key not found");
    }
    let stored = dump(&memory.sql).unwrap();
    assert!(!stored.contains(fresh), "a token is stored");
}

#[test]
fn rotation_records_old_and_new_key() {
    let memory = Memory::default();
    let (_, old) = key(&memory, &session(&json!({ "alias": "one" })));
    let made = done(&memory, "POST", &format!("keys/{old}/rotate"), &Value::Null);
    let new = made["key_hash"].as_str().unwrap();
    let trail = dashboard(&memory, "/api/audit?limit=2")["entries"].clone();
    let written = |at: usize| {
        let entry = &trail[at];
        ["action", "subject", "id", "name"].map(|name| entry[name].as_str().unwrap().to_owned())
    };
    assert_eq!(written(0), ["added", "key", new, "one"]);
    assert_eq!(written(1), ["deleted", "key", &old, "one"]);
    assert_eq!(
        (&trail[0]["before"], &trail[1]["after"]),
        (&Value::Null, &Value::Null)
    );
    let notices = dashboard(&memory, "/api/notifications?limit=100")["notifications"].clone();
    let last = notices.as_array().unwrap().last().unwrap();
    assert_eq!(last["type"], "TokenUpdated");
    assert_eq!(
        (&last["data"]["key_hash"], &last["data"]["replaces"]),
        (&json!(new), &json!(old))
    );
    assert!(!trail.to_string().contains(made["key"].as_str().unwrap()));
}

#[test]
fn impossible_rotation_is_refused_and_changes_nothing() {
    let memory = Memory::default();
    let (token, hash) = key(&memory, &session(&json!({ "alias": "kept" })));
    let data = json!({ "password": "canary" });
    let user = done(
        &memory,
        "POST",
        "keys/anna",
        &session(&json!({ "basic_auth_data": data })),
    );
    let before = dump(&memory.sql).unwrap();
    for none in ["none", "%00", "none?hashed=1"] {
        let (id, query) = none.split_once('?').unwrap_or((none, ""));
        let path = format!("keys/{id}/rotate?{query}");
        refused(
            &call(&memory, "POST", &path, &Value::Null),
            404,
            "Key not found",
        );
    }
    for path in [
        "keys/anna/rotate".to_owned(),
        format!("keys/{}/rotate", user["key_hash"].as_str().unwrap()),
    ] {
        let answer = call(&memory, "POST", &path, &Value::Null);
        assert!(
            answer.status == 400 && answer.body.contains("/basic_auth_data"),
            "{}",
            answer.body
        );
    }
    let path = format!("keys/{hash}/rotate");
    let lost = call_if(
        &memory,
        "POST",
        &path,
        &Value::Null,
        &[("if-match", "\"99\"")],
    );
    assert_eq!(lost.status, 412);
    let dry = done(
        &memory,
        "POST",
        &format!("{path}?dry_run=true"),
        &Value::Null,
    );
    assert_eq!((&dry["dry_run"], &dry["key"]), (&json!(true), &json!(hash)));
    assert_eq!(dry.get("key_hash"), None);
    assert_eq!(dump(&memory.sql).unwrap(), before);
    assert_eq!(
        read(&memory, &format!("keys/{}", escaped(&token)))["alias"],
        "kept"
    );
}

#[test]
fn a_key_with_a_custom_id_gets_a_random_one() {
    let memory = Memory::default();
    done(
        &memory,
        "POST",
        "keys/custom-id",
        &session(&json!({ "alias": "own" })),
    );
    let made = done(&memory, "POST", "keys/custom-id/rotate", &Value::Null);
    let token = made["key"].as_str().unwrap();
    assert_eq!(
        read(&memory, &format!("keys/{}", escaped(token)))["alias"],
        "own"
    );
    let gone = call(&memory, "GET", "keys/custom-id", &Value::Null);
    refused(&gone, 404, "Key not found");
}

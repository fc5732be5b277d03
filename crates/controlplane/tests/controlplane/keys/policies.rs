//! Policies (reference 1.7).

use super::{add_policy, call, call_if, done, header, read, refused, session, value};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

#[test]
fn a_policy_is_made_read_changed_and_removed() {
    let memory = Memory::default();
    assert_eq!(read(&memory, "policies"), json!([]));
    let made = call(
        &memory,
        "POST",
        "policies",
        &session(&json!({ "id": "gold" })),
    );
    let start = "{\"key\":\"gold\",\"status\":\"ok\",\"action\":\"added\"";
    assert!(made.body.starts_with(start), "{}", made.body);
    assert_eq!(read(&memory, "policies/gold")["id"], "gold");
    let put = done(
        &memory,
        "PUT",
        "policies/gold",
        &json!({ "id": "gold", "rate": 5 }),
    );
    assert_eq!(put["action"], "modified");
    let list = read(&memory, "policies");
    assert_eq!(
        (list.as_array().unwrap().len(), &list[0]["rate"]),
        (1, &json!(5))
    );
    let again = done(
        &memory,
        "POST",
        "policies",
        &json!({ "id": "gold", "rate": 6 }),
    );
    assert_eq!(again["action"], "added");
    assert_eq!(read(&memory, "policies").as_array().unwrap().len(), 1);
    let gone = done(&memory, "DELETE", "policies/gold", &Value::Null);
    assert_eq!(gone["action"], "deleted");
    assert_eq!(read(&memory, "policies"), json!([]));
}

/// Fault B27: earlier versions of a policy were stored, but could not be read or restored.
#[test]
fn revisions_of_a_policy_are_listed_read_and_restored() {
    let memory = Memory::default();
    let rate = |rate: u64| session(&json!({ "id": "gold", "rate": rate }));
    done(&memory, "POST", "policies", &rate(5));
    done(&memory, "PUT", "policies/gold", &rate(6));
    let of = |memory: &Memory, query: &str| -> Vec<(u64, String, bool)> {
        let list = read(memory, &format!("policies/gold/revisions{query}"));
        let rows = list["revisions"].as_array().unwrap().iter();
        rows.map(|row| {
            let action = row["action"].as_str().unwrap().to_owned();
            let revision = row["revision"].as_u64().unwrap();
            (revision, action, row["current"].as_bool().unwrap())
        })
        .collect()
    };
    let added = (1, "added".to_owned(), false);
    assert_eq!(
        of(&memory, ""),
        [(2, "modified".to_owned(), true), added.clone()]
    );
    assert_eq!(of(&memory, "?before=2&limit=1"), [added]);
    let old = call(&memory, "GET", "policies/gold/revisions/1", &Value::Null);
    assert_eq!(header(&old, "etag"), Some("\"1\""));
    assert_eq!(value(&old)["rate"], 5);
    // Only if its conditions hold, and a dry run changes nothing.
    let restore = "policies/gold/revisions/1/restore";
    let stale = call_if(
        &memory,
        "POST",
        restore,
        &Value::Null,
        &[("if-match", "\"1\"")],
    );
    assert_eq!(stale.status, 412);
    done(
        &memory,
        "POST",
        &format!("{restore}?dry_run=true"),
        &Value::Null,
    );
    assert_eq!(read(&memory, "policies/gold")["rate"], 6);
    let back = done(&memory, "POST", restore, &Value::Null);
    assert_eq!(
        (&back["action"], &back["key"]),
        (&json!("restored"), &json!("gold"))
    );
    assert_eq!(read(&memory, "policies/gold")["rate"], 5);
    // Also of a deleted one.
    done(&memory, "DELETE", "policies/gold", &Value::Null);
    assert_eq!(read(&memory, "policies/gold/revisions/2")["rate"], 6);
    done(
        &memory,
        "POST",
        "policies/gold/revisions/2/restore",
        &Value::Null,
    );
    assert_eq!(read(&memory, "policies/gold")["rate"], 6);
    assert_eq!(of(&memory, "").len(), 5);
    for (path, status) in [
        ("policies/none/revisions", 404),
        ("policies/none/revisions/1", 404),
        ("policies/gold/revisions/4", 404),
        ("policies/gold/revisions/99", 404),
        ("policies/gold/revisions/x", 400),
        ("policies/gold/revisions?limit=x", 400),
    ] {
        assert_eq!(
            call(&memory, "GET", path, &Value::Null).status,
            status,
            "{path}"
        );
    }
}

#[test]
fn a_policy_is_read_with_every_member_or_as_it_was_written() {
    let memory = Memory::default();
    let sent =
        r#"{ "id": "gold", "rate": 5.0, "tags": [], "partitions": { "acl": true }, "mine": null }"#;
    done(&memory, "POST", "policies", &Value::String(sent.to_owned()));
    let expected = json!({
        "_id": "", "id": "gold", "name": "", "org_id": "", "rate": 5.0, "per": 0, "quota_max": 0,
        "quota_renewal_rate": 0, "throttle_interval": 0, "throttle_retry_limit": 0, "max_query_depth": 0,
        "access_rights": null, "hmac_enabled": false, "enable_http_signature_validation": false, "active": false,
        "is_inactive": false, "tags": [], "key_expires_in": 0, "post_expiry_grace_period": 0,
        "partitions": { "quota": false, "rate_limit": false, "complexity": false, "acl": true, "per_api": false },
        "last_updated": "", "meta_data": null, "graphql_access_rights": null, "smoothing": null, "mine": null
    });
    let whole = call(&memory, "GET", "policies/gold", &Value::Null);
    assert_eq!(value(&whole), expected);
    assert!(whole.body.starts_with(&sent[..68]), "{}", whole.body);
    let written = call(&memory, "GET", "policies/gold?complete=false", &Value::Null);
    assert_eq!(written.body, sent);
    assert_eq!(header(&written, "etag"), header(&whole, "etag"));
    // Writing back what was read changes nothing.
    done(&memory, "PUT", "policies/gold", &expected);
    assert_eq!(read(&memory, "policies/gold"), expected);

    let internal = "5f3c8a2b9d1e0fc04d1e4c6a";
    for (sent, id) in [
        (json!({ "_id": internal, "partitions": {} }), internal),
        (json!({ "id": "plain" }), "plain"),
    ] {
        done(&memory, "POST", "policies", &sent);
        let whole = read(&memory, &format!("policies/{id}"));
        assert_eq!(
            (whole["id"].as_str(), whole.as_object().unwrap().len()),
            (Some(id), 24)
        );
        assert_eq!(whole["partitions"].as_object().unwrap().len(), 5);
    }
    let null = json!({ "id": "null", "partitions": null });
    done(&memory, "POST", "policies", &null);
    assert_eq!(read(&memory, "policies/null")["partitions"], Value::Null);
}

#[test]
fn a_put_of_an_unknown_policy_stores_it() {
    let memory = Memory::default();
    let internal = "5f3c8a2b9d1e0fc04d1e4c6a";
    for (path, body) in [
        ("gold", session(&json!({ "id": "gold", "rate": 7 }))),
        (internal, session(&json!({ "_id": internal, "rate": 7 }))),
    ] {
        let answer = done(&memory, "PUT", &format!("policies/{path}"), &body);
        assert_eq!(
            (&answer["key"], &answer["action"]),
            (&json!(path), &json!("modified"))
        );
        assert_eq!(
            read(&memory, &format!("policies/{path}"))["rate"],
            7,
            "{path}"
        );
        let key = json!({ "apply_policies": [path] });
        assert_eq!(call(&memory, "POST", "keys", &key).status, 200, "{path}");
    }
    let dry = call(
        &memory,
        "PUT",
        "policies/none?dry_run=true",
        &session(&json!({ "id": "none" })),
    );
    assert_eq!(dry.status, 200, "{}", dry.body);
    assert_eq!(
        call(&memory, "GET", "policies/none", &Value::Null).status,
        404
    );
}

#[test]
fn refusals_have_the_reference_messages() {
    let memory = Memory::default();
    let none = Value::Null;
    refused(
        &call(&memory, "GET", "policies/none", &none),
        404,
        "Policy not found",
    );
    refused(
        &call(&memory, "DELETE", "policies/none", &none),
        404,
        "Policy not found",
    );
    for body in [json!({}), json!({ "id": "" })] {
        let answer = call(&memory, "POST", "policies", &body);
        refused(&answer, 400, "Unable to create policy without id.");
    }
    for text in ["", "{"] {
        let answer = call(&memory, "POST", "policies", &Value::String(text.to_owned()));
        refused(&answer, 400, "Request malformed");
    }
    let characters = "Invalid Policy ID: Allowed characters: a-z, A-Z, 0-9, ., _, -, ~";
    for id in ["a/b", "..", "a b", "ä"] {
        let answer = call(&memory, "POST", "policies", &json!({ "id": id }));
        refused(&answer, 400, characters);
    }
    for path in ["policies/a%2Fb", "policies/%2e%2e"] {
        for method in ["PUT", "DELETE"] {
            let answer = call(&memory, method, path, &json!({}));
            refused(&answer, 400, characters);
        }
        refused(&call(&memory, "GET", path, &none), 404, "Policy not found");
    }
    add_policy(&memory, "gold", &json!({}));
    let mismatch =
        "Request ID does not match that in policy! For Update operations these must match.";
    for body in [
        json!({ "id": "blue" }),
        json!({ "rate": 1 }),
        json!({ "id": "" }),
    ] {
        for id in ["gold", "unknown"] {
            let answer = call(&memory, "PUT", &format!("policies/{id}"), &body);
            refused(&answer, 400, mismatch);
        }
    }
    let answer = call(&memory, "PUT", "policies/gold", &json!({ "id": "a/b" }));
    refused(&answer, 400, characters);
    let answer = call(&memory, "PUT", "policies/", &json!({ "id": "gold" }));
    refused(&answer, 400, "Must specify an apiID to update");
    let answer = call(&memory, "DELETE", "policies/", &none);
    refused(&answer, 400, "Must specify an apiID to delete");
}

#[test]
fn conditions_hold_and_a_dry_run_stores_nothing() {
    let memory = Memory::default();
    let dry = call(
        &memory,
        "POST",
        "policies?dry_run=true",
        &json!({ "id": "gold" }),
    );
    assert_eq!((dry.status, &value(&dry)["dry_run"]), (200, &json!(true)));
    assert_eq!(header(&dry, "etag"), None);
    assert_eq!(read(&memory, "policies"), json!([]));
    let made = call(&memory, "POST", "policies", &json!({ "id": "gold" }));
    let tag = header(&made, "etag").unwrap().to_owned();
    let known = [("if-match", tag.as_str())];
    let body = json!({ "id": "gold", "rate": 2 });
    let written = call_if(&memory, "PUT", "policies/gold", &body, &known);
    assert_eq!(written.status, 200);
    for method in ["PUT", "DELETE"] {
        let lost = call_if(&memory, method, "policies/gold", &body, &known);
        assert_eq!(lost.status, 412, "{method}");
    }
    let now = call(&memory, "GET", "policies/gold", &Value::Null);
    let tag = header(&now, "etag").unwrap().to_owned();
    assert_eq!(value(&now)["rate"], 2);
    let fresh = [("if-none-match", tag.as_str())];
    assert_eq!(
        call_if(&memory, "GET", "policies/gold", &Value::Null, &fresh).status,
        304
    );
}

#[test]
fn recreated_policy_continues_its_revisions() {
    let memory = Memory::default();
    let internal = "5f3c8a2b9d1e0fc04d1e4c6a";
    let whole = json!({ "_id": internal, "id": "gold" });
    for body in [
        &whole,
        &json!({ "id": "plain" }),
        &json!({ "_id": internal }),
    ] {
        let name = body["id"].as_str().unwrap_or(internal);
        let path = format!("policies/{name}");
        let before = call(&memory, "POST", "policies", body);
        assert_eq!(before.status, 200, "{}", before.body);
        done(&memory, "DELETE", &path, &Value::Null);
        let after = call(&memory, "POST", "policies", body);
        assert_eq!(after.status, 200, "{}", after.body);
        let number = |answer| {
            let tag: String = header(answer, "etag").unwrap().to_owned();
            tag.trim_matches('"').parse::<u64>().unwrap()
        };
        assert_eq!(number(&after), number(&before) + 2, "{name}");
        assert_eq!(call(&memory, "GET", &path, &Value::Null).status, 200);
        done(&memory, "DELETE", &path, &Value::Null);
    }
    assert_eq!(read(&memory, "policies"), json!([]));
    memory.restart();
    done(&memory, "POST", "policies", &whole);
    // The internal id of a deleted policy may be used as an id.
    done(&memory, "DELETE", "policies/gold", &Value::Null);
    done(&memory, "POST", "policies", &json!({ "id": internal }));
    assert_eq!(
        read(&memory, &format!("policies/{internal}"))["id"],
        internal
    );
}

/// Fault B28: a key was shown with the current text of its policies, while requests used the loaded one.
#[test]
fn key_lists_policies_awaiting_reload() {
    let memory = Memory::default();
    let reload = || done(&memory, "GET", "reload?block=true", &Value::Null);
    for id in ["gold", "blue", "calm"] {
        add_policy(&memory, id, &json!({}));
    }
    let sent = json!({ "apply_policies": ["gold", "blue"] });
    let name = "x-gateway-pending-policies";
    let made = call(&memory, "POST", "keys", &sent);
    assert_eq!(header(&made, name), Some("gold, blue"));
    let hash = value(&made)["key_hash"].as_str().unwrap().to_owned();
    let path = format!("keys/{hash}");
    let pending = || {
        let shown = call(&memory, "GET", &path, &Value::Null);
        assert_eq!(shown.status, 200);
        header(&shown, name).map(str::to_owned)
    };
    reload();
    assert_eq!(pending(), None);
    done(
        &memory,
        "PUT",
        "policies/blue",
        &session(&json!({ "id": "blue", "rate": 9 })),
    );
    done(
        &memory,
        "PUT",
        "policies/calm",
        &session(&json!({ "id": "calm", "rate": 9 })),
    );
    assert_eq!(pending().as_deref(), Some("blue"));
    let written = call(&memory, "PUT", &path, &sent);
    assert_eq!(header(&written, name), Some("blue"));
    reload();
    assert_eq!(pending(), None);
    done(&memory, "DELETE", "policies/gold", &Value::Null);
    assert_eq!(pending().as_deref(), Some("gold"));
    reload();
    assert_eq!(pending(), None);
}

#[test]
fn policy_client_belongs_to_token_issuing_apis() {
    let memory = Memory::default();
    for (id, issues) in [("issues", true), ("plain", false)] {
        let api = json!({
            "name": id, "api_id": id, "use_keyless": !issues, "use_oauth2": issues,
            "proxy": { "listen_path": format!("/{id}/"), "target_url": "http://up/" },
        });
        done(&memory, "POST", "apis", &api);
    }
    for (id, apis) in [
        ("mixed", json!({ "issues": {}, "plain": {} })),
        ("none", json!({ "plain": {} })),
    ] {
        let policy = json!({ "id": id, "access_rights": apis });
        done(&memory, "POST", "policies", &policy);
    }
    let create = "oauth/clients/create";
    let client = json!({ "client_id": "c", "policy_id": "mixed" });
    done(&memory, "POST", create, &client);
    assert_eq!(
        read(&memory, "oauth/clients/issues/c")["policy_id"],
        "mixed"
    );
    let elsewhere = call(&memory, "GET", "oauth/clients/plain/c", &Value::Null);
    refused(&elsewhere, 404, "OAuth Client ID not found");
    for body in [json!({ "policy_id": "none" }), json!({ "api_id": "plain" })] {
        refused(
            &call(&memory, "POST", create, &body),
            400,
            "API is not OAuth2",
        );
    }
}

#[test]
fn a_policy_opens_no_api_of_another_organisation() {
    let memory = Memory::default();
    for (id, org) in [("ours", "acme"), ("theirs", "other")] {
        let api = json!({
            "name": id, "api_id": id, "org_id": org, "use_keyless": false,
            "proxy": { "listen_path": format!("/{id}/"), "target_url": "http://up/" },
        });
        done(&memory, "POST", "apis", &api);
        let policy = json!({ "id": id, "org_id": "acme", "access_rights": { id: {} } });
        done(&memory, "POST", "policies", &policy);
    }
    let key = |policies: &[&str]| json!({ "org_id": "acme", "apply_policies": policies });
    done(&memory, "POST", "keys/create", &key(&["ours"]));
    let reason = "attempting to apply policy from different organisation to key, skipping";
    for policies in [&["theirs"][..], &["ours", "theirs"]] {
        let answer = call(&memory, "POST", "keys/create", &key(policies));
        refused(&answer, 500, &format!("Failed to create key - {reason}"));
        let message = "Failed to create key, ensure security settings are correct.";
        let answer = call(&memory, "POST", "keys", &key(policies));
        assert_eq!(refused(&answer, 500, message), reason);
    }
    // Rights of the key's own are stored, and grant nothing.
    let own = json!({ "org_id": "acme", "access_rights": { "theirs": {} } });
    done(&memory, "POST", "keys", &own);
}

//! What raises an event.

use super::super::{admin_ok, get, key, put, refusal, session};
use super::{
    UNKNOWN_TOKEN, body, delivered, gateway, hash_of, inline, log_handler, log_lines, logged_types,
    one,
};
use futures_util::FutureExt;
use gatewright_protocol::token;
use serde_json::{Value, json};

#[test]
fn each_refusal_that_is_an_event_is_raised_and_no_other() {
    for (api, session_of, target, times, expected) in [
        (
            "a",
            json!({ "is_inactive": true }),
            "/a/x",
            1,
            one("KeyExpired", "Attempted access from inactive key."),
        ),
        (
            "a",
            json!({ "expires": 1 }),
            "/a/x",
            1,
            one("KeyExpired", "Attempted access from expired key."),
        ),
        (
            "a",
            json!({ "rate": 1, "per": 3600 }),
            "/a/x",
            2,
            one("RatelimitExceeded", "Key Rate Limit Exceeded"),
        ),
        (
            "a",
            json!({ "quota_max": 1, "quota_renewal_rate": 60 }),
            "/a/x",
            2,
            one("QuotaExceeded", "Key Quota Limit Exceeded"),
        ),
        (
            "rated",
            json!({}),
            "/rated/x",
            2,
            one("RatelimitExceeded", "API Rate Limit Exceeded"),
        ),
        ("deaf", json!({ "is_inactive": true }), "/deaf/x", 1, vec![]),
        // A key of the right organisation without access to the API raises no event.
        ("deaf", json!({}), "/a/x", 1, vec![]),
    ] {
        let memory = gateway(&[log_handler()]);
        let (token, hash) = key(&memory, &session(&[api], &session_of));
        log_lines(&memory);
        for _ in 0..times {
            let _ = get(&memory, &token, target);
        }
        let logged = log_lines(&memory);
        let kinds: Vec<_> = logged
            .iter()
            .map(|line| {
                (
                    line["Type"].as_str().unwrap().to_owned(),
                    line["Meta"]["Message"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        assert_eq!(kinds, expected, "{session_of} {target}");
        for line in &logged {
            let meta = &line["Meta"];
            assert_eq!(meta["Key"], hash.as_str());
            assert_eq!(meta["Path"], target);
            assert_eq!(meta["Origin"], "192.0.2.7");
            assert_eq!(meta["Org"], "default");
            assert_eq!(meta["ApiId"], api);
        }
    }
}

#[test]
fn an_unknown_credential_is_named_by_its_hash_and_a_missing_one_not_at_all() {
    let memory = gateway(&[log_handler()]);
    assert!(refusal(&memory, "", "/a/x").is_some());
    assert!(log_lines(&memory).is_empty());
    let foreign = token::token("elsewhere", "an-id", token::HashFunction::Sha256);
    for (sent, hash) in [
        (UNKNOWN_TOKEN, hash_of(UNKNOWN_TOKEN)),
        (foreign.as_str(), token::hash(&foreign)),
    ] {
        assert!(refusal(&memory, sent, "/a/x").is_some());
        let logged = log_lines(&memory);
        assert_eq!(logged.len(), 1);
        assert_eq!(logged[0]["Type"], "AuthFailure");
        assert_eq!(logged[0]["Meta"]["Message"], "Auth Failure");
        assert_eq!(logged[0]["Meta"]["Key"], hash.as_str());
        assert!(!logged[0].to_string().contains(sent));
    }
    // Asking for the state of limits can't be used to try tokens unnoticed.
    let headers = [("authorization", UNKNOWN_TOKEN)];
    let visit = gatewright_testkit::traffic::Visit {
        method: "GET",
        target: "/a/gateway/rate-limits/",
        headers: &headers,
        body: "",
    };
    assert!(
        memory
            .rate_limit_status(&visit)
            .now_or_never()
            .unwrap()
            .is_err()
    );
    assert_eq!(logged_types(&memory), one("AuthFailure", "Auth Failure"));
}

#[test]
fn a_version_that_the_key_may_not_use_is_raised_with_the_reason() {
    let memory = gateway(&[log_handler()]);
    let rights = json!({ "access_rights": { "a": { "versions": ["v9"] } } });
    let (token, _) = key(&memory, &rights);
    log_lines(&memory);
    assert!(refusal(&memory, &token, "/a/x").is_some());
    let logged = log_lines(&memory);
    assert_eq!(logged[0]["Type"], "VersionFailure");
    assert_eq!(
        logged[0]["Meta"]["Reason"],
        "Access to this API has been disallowed"
    );
}

#[test]
fn the_limits_of_an_organisation_raise_events() {
    for (limits, expected) in [
        (
            json!({ "quota_max": 1, "quota_renewal_rate": 60 }),
            one("OrgQuotaExceeded", "Organisation quota has been exceeded"),
        ),
        (
            json!({ "rate": 1, "per": 3600 }),
            one(
                "OrgRateLimitExceeded",
                "Organisation rate limit has been exceeded",
            ),
        ),
    ] {
        let memory = gateway(&[log_handler()]);
        admin_ok(&memory, "POST", "org/keys/acme", &limits);
        let (token, _) = key(&memory, &session(&["acme"], &json!({ "org_id": "acme" })));
        log_lines(&memory);
        assert_eq!(refusal(&memory, &token, "/acme/x"), None);
        assert!(refusal(&memory, &token, "/acme/x").is_some());
        assert_eq!(logged_types(&memory), expected);
    }
}

#[test]
fn a_trigger_is_raised_once_a_window_whoever_else_counts() {
    let memory = gateway(&[log_handler()]);
    let quota = json!({ "quota_max": 10, "quota_renewal_rate": 3600,
        "monitor": { "trigger_limits": [80, 50, 100] } });
    let (token, hash) = key(&memory, &session(&["a", "deaf"], &quota));
    log_lines(&memory);
    let mut fired = Vec::new();
    for request in 1..=12 {
        // The event is raised by the very request that crosses the threshold; requests to the API without handlers
        // count too.
        let target = if request == 8 { "/deaf/x" } else { "/a/x" };
        let _ = get(&memory, &token, target);
        for line in log_lines(&memory) {
            if line["Type"] == "TriggerExceeded" {
                assert_eq!(line["Meta"]["Message"], "Quota trigger reached");
                assert_eq!(line["Meta"]["Key"], hash.as_str());
                fired.push((request, line["Meta"]["TriggerLimit"].as_u64().unwrap()));
            }
        }
    }
    assert_eq!(fired, [(5, 50), (10, 100)]);
    memory.wait(3700);
    for _ in 0..5 {
        let _ = get(&memory, &token, "/a/x");
    }
    assert_eq!(
        logged_types(&memory),
        one("TriggerExceeded", "Quota trigger reached")
    );
}

#[test]
fn what_happens_to_keys_is_raised_with_the_write_to_the_apis_they_open() {
    let memory = gateway(&[inline(&json!({})), log_handler()]);
    let (_, hash) = key(&memory, &session(&["a", "deaf"], &json!({})));
    assert_eq!(logged_types(&memory), one("TokenCreated", "Key generated."));
    let made = delivered(&memory, 200);
    assert_eq!(made.len(), 1);
    let expected = json!({ "event": "TokenCreated", "message": "Key generated.", "path": "",
        "origin": "", "key": hash, "org": "default" });
    assert_eq!(body(&made[0]), expected);
    put(
        &memory,
        &hash,
        "",
        &session(&["a"], &json!({ "alias": "x" })),
    );
    assert_eq!(logged_types(&memory), one("TokenUpdated", "Key modified."));
    assert_eq!(body(&delivered(&memory, 200)[0])["event"], "TokenUpdated");
    admin_ok(
        &memory,
        "DELETE",
        &format!("keys/{hash}?hashed=1"),
        &Value::Null,
    );
    assert_eq!(logged_types(&memory), one("TokenDeleted", "Key deleted."));
    assert_eq!(body(&delivered(&memory, 200)[0])["event"], "TokenDeleted");

    let (_, hash) = key(&memory, &session(&["deaf"], &json!({})));
    put(
        &memory,
        &hash,
        "&dry_run=true",
        &session(&["a"], &json!({})),
    );
    assert!(memory.log.take().is_empty() && delivered(&memory, 200).is_empty());
    // The key may not use an API of another organisation.
    key(&memory, &session(&["acme"], &json!({})));
    assert!(memory.log.take().is_empty() && delivered(&memory, 200).is_empty());
}

#[test]
fn a_key_that_ends_by_its_lifetime_is_raised_for_the_published_definitions() {
    let memory = gateway(&[inline(&json!({})), log_handler()]);
    let policy = session(&["a"], &json!({ "id": "opens-a", "rate": 10, "per": 1 }));
    admin_ok(&memory, "POST", "policies", &policy);
    let lives = json!({ "session_lifetime": 100 });
    let named = json!({ "session_lifetime": 100, "apply_policies": ["opens-a"] });
    for (session, heard) in [
        (session(&["a", "deaf"], &lives), true),
        (named, true),
        (session(&["deaf"], &lives), false),
        (session(&["acme"], &lives), false),
    ] {
        let (_, hash) = key(&memory, &session);
        delivered(&memory, 200);
        memory.log.take();
        memory.wait(200);
        memory.delete_expired_keys().unwrap();
        let expected = if heard {
            one("TokenDeleted", "Key deleted.")
        } else {
            Vec::new()
        };
        assert_eq!(logged_types(&memory), expected, "{session}");
        let sent = delivered(&memory, 200);
        assert_eq!(sent.len(), usize::from(heard), "{session}");
        for call in sent {
            assert_eq!(
                (&body(&call)["event"], &body(&call)["key"]),
                (&json!("TokenDeleted"), &json!(hash))
            );
        }
    }
}

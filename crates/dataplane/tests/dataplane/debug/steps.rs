//! The steps show what the data plane does.

use super::{api, debug, detail, done, gateway, key, names, visited};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

/// A situation: its set-up, and the outcome of its second request.
struct Case {
    definition: Value,
    session: Value,
    path: &'static str,
    status: u16,
    /// The step that refuses; empty if none does.
    refused: &'static str,
}

impl Case {
    fn new(status: u16, refused: &'static str, session: Value) -> Self {
        Self {
            definition: json!({}),
            session,
            path: "x",
            status,
            refused,
        }
    }
}

fn cases() -> Vec<Case> {
    let rights = |access: Value| json!({ "access_rights": { "a": access } });
    let urls = json!({ "allowed_urls": [{ "url": "/a/y", "methods": ["GET"] }] });
    vec![
        Case::new(200, "", json!({})),
        Case::new(
            200,
            "",
            json!({ "rate": 5, "per": 60, "quota_max": 5, "quota_renewal_rate": 60 }),
        ),
        Case::new(429, "counters", json!({ "rate": 1, "per": 3600 })),
        Case::new(
            403,
            "counters",
            json!({ "quota_max": 1, "quota_renewal_rate": 3600 }),
        ),
        Case::new(403, "key_state", json!({ "is_inactive": true })),
        Case::new(401, "key_state", json!({ "expires": 1 })),
        Case::new(503, "key_state", json!({ "certificate": "x" })),
        Case::new(403, "key_state", json!({ "apply_policies": ["gone"] })),
        Case::new(
            403,
            "access_rights",
            json!({ "access_rights": { "b": {} } }),
        ),
        Case::new(
            403,
            "access_rights",
            rights(json!({ "versions": ["other"] })),
        ),
        Case::new(403, "granular_access", rights(urls.clone())),
        Case {
            path: "y",
            ..Case::new(200, "", rights(urls))
        },
        Case {
            definition: json!({ "global_rate_limit": { "rate": 1, "per": 3600 } }),
            ..Case::new(429, "counters", json!({}))
        },
        Case {
            definition: json!({ "disable_rate_limit": true, "disable_quota": true }),
            ..Case::new(
                200,
                "",
                json!({ "rate": 1, "per": 3600, "quota_max": 1, "quota_renewal_rate": 3600 }),
            )
        },
    ]
}

/// Sets up a situation; also returns the token and hash of its key.
fn situation(case: &Case) -> (Memory, String, String) {
    let memory = gateway(&[api("a", &case.definition), api("b", &json!({}))]);
    let policies = case.session.get("apply_policies").is_some();
    if policies {
        let policy =
            json!({ "id": "gone", "org_id": "", "active": true, "access_rights": { "a": {} } });
        done(&memory, "POST", "policies", &policy);
    }
    let (token, hash) = key(&memory, &case.session);
    if policies {
        done(&memory, "DELETE", "policies/gone", &Value::Null);
    }
    (memory, token, hash)
}

#[test]
fn steps_describe_the_data_plane() {
    for case in cases() {
        let what = json!([case.definition, case.session]);
        let path = format!("/a/{}", case.path);
        // Two requests of a client, in one gateway.
        let (memory, token, _) = situation(&case);
        visited(&memory, &token, &path);
        assert_eq!(visited(&memory, &token, &path), case.status, "{what}");
        // One by a client and a debugged one in another gateway: by token, and as the stored key.
        for by_hash in [false, true] {
            let (memory, token, hash) = situation(&case);
            visited(&memory, &token, &path);
            let debugged = if by_hash {
                let body =
                    json!({ "api_id": "a", "key_hash": hash, "request": { "path": case.path } });
                done(&memory, "POST", "debug", &body)
            } else {
                debug(&memory, &token, case.path)
            };
            assert_eq!(
                debugged["answer"]["status"], case.status,
                "{what}: {debugged}"
            );
            let refused = names(&debugged, "refused");
            let expected: &[&str] = if case.refused.is_empty() {
                &[]
            } else {
                &[case.refused]
            };
            assert_eq!(refused, expected, "{what}: {debugged}");
            let last = if case.status == 200 {
                "upstream"
            } else {
                case.refused
            };
            let steps = debugged["trace"].as_array().unwrap();
            assert_eq!(steps.last().unwrap()["name"], last, "{what}: {debugged}");
            // It was counted like any other request.
            if case.session.get("rate") == Some(&json!(5)) {
                let counted = detail(&debugged, "counters");
                let expected = "The key has 3 of 5 requests left in 60 s. It has 3 of 5 requests left of its quota, which is renewed in ";
                assert!(counted.starts_with(expected), "{counted}");
            }
        }
    }
}

#[test]
fn changed_session_is_marked() {
    let memory = gateway(&[api("a", &json!({}))]);
    let (token, hash) = key(&memory, &json!({}));
    let location = "In the header authorization. ";
    for whence in ["Its session: ", "Its session, as of an earlier request: "] {
        let debugged = debug(&memory, &token, "x");
        let text = detail(&debugged, "auth_token").strip_prefix(location);
        assert!(text.unwrap().starts_with(whence), "{debugged}");
    }
    let path = format!("keys/{hash}?hashed=1");
    let session = json!({ "access_rights": { "a": {} }, "is_inactive": true });
    done(&memory, "PUT", &path, &session);
    let changed = debug(&memory, &token, "x");
    let steps = [
        "route",
        "auth_token",
        "key_state",
        "access_rights",
        "counters",
    ];
    assert_eq!(
        names(&changed, "passed"),
        [&steps[..], &["auth_token"]].concat()
    );
    assert_eq!(names(&changed, "refused"), ["key_state"]);
    let text = detail(&changed, "counters");
    assert!(
        text.starts_with("Its session is another one by now, revision "),
        "{text}"
    );
    // Conversely, a refusal that did not take effect is not shown as one.
    done(
        &memory,
        "PUT",
        &path,
        &json!({ "access_rights": { "a": {} } }),
    );
    let mended = debug(&memory, &token, "x");
    assert!(names(&mended, "refused").is_empty(), "{mended}");
    let first = mended["trace"]
        .as_array()
        .unwrap()
        .iter()
        .find(|step| step["name"] == "key_state");
    let text = first.unwrap()["detail"].as_str().unwrap();
    assert!(
        text.starts_with("Key is inactive, please renew. Its session is another one"),
        "{text}"
    );
    done(&memory, "DELETE", &path, &Value::Null);
    let deleted = debug(&memory, &token, "x");
    assert_eq!(names(&deleted, "refused"), ["auth_token"]);
    let text = detail(&deleted, "counters");
    assert_eq!(text, "Its session is not there any more. Looked for again");
}

#[test]
fn organisations_and_storage_that_fails_are_shown() {
    let memory = gateway(&[api("a", &json!({ "org_id": "acme" }))]);
    let (token, _) = key(&memory, &json!({ "org_id": "acme" }));
    let limited = json!({ "quota_max": 2, "quota_renewal_rate": 3600 });
    done(&memory, "POST", "org/keys/acme", &limited);
    let debugged = debug(&memory, &token, "x");
    let counted = detail(&debugged, "counters");
    assert!(
        counted.starts_with("The organisation has 1 of 2 requests left of its quota"),
        "{counted}"
    );
    debug(&memory, &token, "x");
    let over = debug(&memory, &token, "x");
    assert_eq!(over["answer"]["status"], 403);
    assert_eq!(names(&over, "refused"), ["counters"]);
    let text = detail(&over, "counters");
    assert!(
        text.contains("The organisation has 0 of 2 requests left"),
        "{text}"
    );
    let off = json!({ "is_inactive": true });
    done(&memory, "PUT", "org/keys/acme", &off);
    let inactive = debug(&memory, &token, "x");
    assert_eq!(names(&inactive, "refused"), ["counters"]);
    assert!(detail(&inactive, "counters").contains("his organisation access has been disabled"));
    for (call, step) in [("consume", "counters"), ("session", "auth_token")] {
        memory.isolate.fail(call);
        let (token, _) = key(&memory, &json!({ "org_id": "acme" }));
        let failed = debug(&memory, &token, "x");
        assert_eq!(failed["answer"]["status"], 503, "{call}");
        assert_eq!(names(&failed, "refused"), [step], "{call}");
        memory.isolate.heal();
    }
}

#[test]
fn throttled_request_reports_its_waits() {
    let memory = gateway(&[api("a", &json!({}))]);
    let limits =
        json!({ "rate": 1, "per": 3600, "throttle_interval": 2, "throttle_retry_limit": 2 });
    let (token, _) = key(&memory, &limits);
    debug(&memory, &token, "x");
    let debugged = debug(&memory, &token, "x");
    assert_eq!(names(&debugged, "refused"), ["counters"]);
    let counted = detail(&debugged, "counters");
    for number in [1, 2] {
        let waited = format!("waited 2000 ms, try {number} (throttle_interval)");
        assert!(counted.contains(&waited), "{counted}");
    }
}

#[test]
fn nested_api_keeps_its_paths_when_debugged() {
    let nested = json!({ "proxy": { "listen_path": "/a/nested/", "target_url": "http://up/" } });
    let memory = gateway(&[api("a", &json!({ "use_keyless": true })), api("n", &nested)]);
    let debugged = debug(&memory, "", "nested/x");
    assert_eq!(
        (&debugged["answer"]["status"], names(&debugged, "refused")),
        (&json!(404), vec!["route"])
    );
    assert_eq!(debug(&memory, "", "nestedx")["answer"]["status"], 200);
}

#[test]
fn loops_and_their_end_are_shown() {
    let looping = |to: &str| {
        let row =
            json!({ "path": "/in", "method": "GET", "match_pattern": "/in", "rewrite_to": to });
        let version = json!({ "name": "v", "use_extended_paths": true, "extended_paths": { "url_rewrites": [row] } });
        api(
            "a",
            &json!({ "use_keyless": true, "version_data": { "not_versioned": true, "versions": { "v": version } } }),
        )
    };
    let inner = api("inner", &json!({ "use_keyless": true }));
    let memory = gateway(&[looping("gateway://inner/x"), inner.clone()]);
    let debugged = debug(&memory, "", "in");
    let steps = [
        "route",
        "url_rewrites",
        "loop_target",
        "loop",
        "forward",
        "upstream",
    ];
    assert_eq!(names(&debugged, "passed"), steps, "{debugged}");
    assert_eq!(detail(&debugged, "loop"), "To The inner, gateway://inner/x");
    assert_eq!(detail(&debugged, "forward"), "GET http://up/x");
    for (to, text) in [
        ("gateway://nowhere/x", "Can't detect loop target"),
        (
            "gateway://self/a/in",
            "Loop level too deep. Found more than 5 loops in single request",
        ),
    ] {
        let memory = gateway(&[looping(to), inner.clone()]);
        let debugged = debug(&memory, "", "in");
        assert_eq!(debugged["answer"]["status"], 500);
        assert_eq!(names(&debugged, "refused"), ["loop"], "{debugged}");
        assert_eq!(detail(&debugged, "loop"), text);
    }
}

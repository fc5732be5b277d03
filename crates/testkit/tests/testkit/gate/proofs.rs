//! Credentials that the extra `auth` proves, here with scripted reports: whose session is used, what is counted, what
//! is remembered, and which methods are tried in which order.

use super::{Visit, admin_ok, api, get, header, key, publish, put, reload, session, visit, with};
use futures_util::FutureExt;
use gatewright_dataplane::failure::Failure;
use gatewright_protocol::token::parts;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use gatewright_testkit::traffic::{Passed, Refused};
use serde_json::{Value, json};

/// Returns a gateway with a policy, and `/a/` that requires JSON Web Tokens.
fn gateway(more: &Value) -> Memory {
    let memory = Memory::default();
    let policy = |id: &str, more: &Value| {
        let rights = json!({ "a": { "api_id": "a", "versions": ["Default"] } });
        let base = json!({ "id": id, "name": id, "org_id": "default", "access_rights": rights });
        with(base, more)
    };
    let limited = json!({ "rate": 2, "per": 60, "quota_max": -1 });
    for policy in [
        policy("p", &limited),
        policy("open", &json!({ "rate": -1, "quota_max": -1 })),
        policy("foreign", &json!({ "org_id": "acme" })),
        policy("off", &json!({ "is_inactive": true })),
    ] {
        admin_ok(&memory, "POST", "policies", &policy);
    }
    let base = json!({ "enable_jwt": true, "enable_context_vars": true });
    publish(&memory, &[api("a", &with(base, more))]);
    memory
}

fn report(token: &str, policies: &[&str], more: &Value) -> String {
    let base = json!({ "token": token, "session": { "alias": token }, "policies": policies });
    with(base, more).to_string()
}

fn refusal(memory: &Memory, token: &str) -> Option<(Failure, String)> {
    let refused = get(memory, token, "/a/x").err()?;
    Some((refused.failure, refused.body))
}

#[test]
fn an_identity_has_the_rights_and_limits_of_its_policies_whatever_its_tokens_are() {
    let memory = gateway(&json!({}));
    memory.isolate.report(&[
        &report("anna", &["p"], &json!({})),
        &report("anna", &["p"], &json!({})),
        &report("anna", &["p"], &json!({})),
        &report("berta", &["p"], &json!({})),
    ]);
    assert_eq!(refusal(&memory, "t1"), None);
    assert_eq!(refusal(&memory, "t2"), None);
    assert_eq!(refusal(&memory, "t3").unwrap().0, Failure::RateLimit);
    assert_eq!(refusal(&memory, "t4"), None);
    // The Registry isn't asked for a session, and one Ledger counts for each.
    let calls = memory.isolate.take_calls();
    assert_eq!(calls.len(), 4);
    assert!(
        calls.iter().all(|call| call.starts_with("key:")),
        "{calls:?}"
    );
    assert_eq!(calls[0], calls[2]);
    assert_ne!(calls[0], calls[3]);
}

#[test]
fn a_proof_is_remembered_while_it_is_valid() {
    let memory = gateway(&json!({}));
    memory.stop_clock();
    let until = json!({ "until": memory.now_ms() + 5000 });
    memory.isolate.report(&[&report("anna", &["open"], &until)]);
    assert_eq!(refusal(&memory, "t"), None);
    assert_eq!(refusal(&memory, "t"), None);
    assert_eq!(memory.isolate.take_proofs().len(), 1);
    memory.wait(5);
    // There is no report about it now.
    assert_eq!(
        refusal(&memory, "t").unwrap().0,
        Failure::CredentialUnavailable
    );
    assert_eq!(memory.isolate.take_proofs().len(), 1);
    // Other policies, or another definition, require a new proof.
    let until = json!({ "until": memory.now_ms() + 50_000 });
    memory.isolate.report(&[&report("anna", &["open"], &until)]);
    assert_eq!(refusal(&memory, "t"), None);
    reload(&memory);
    assert_eq!(
        refusal(&memory, "t").unwrap().0,
        Failure::CredentialUnavailable
    );
}

#[test]
fn a_policy_has_to_be_there_and_of_the_organisation() {
    let memory = gateway(&json!({}));
    for (policies, base, refused) in [
        (&["nowhere"][..], None, true),
        (&["foreign"], None, true),
        (&["nowhere", "open"], None, false),
        (&["nowhere", "open"], Some("nowhere"), true),
        (&["open", "nowhere"], Some("open"), false),
    ] {
        let base = base.map_or(json!({}), |base| json!({ "base": base }));
        memory.isolate.report(&[&report("anna", policies, &base)]);
        let failed = refusal(&memory, "t");
        assert_eq!(failed.is_some(), refused, "{policies:?}");
        if let Some((failure, body)) = failed {
            assert_eq!(failure, Failure::CredentialUnknown);
            assert!(
                body.contains("key not authorized: no matching policy\""),
                "{body}"
            );
        }
    }
    memory
        .isolate
        .report(&[&report("anna", &["off"], &json!({}))]);
    assert_eq!(refusal(&memory, "t").unwrap().0, Failure::KeyInactive);
}

#[test]
fn a_reported_refusal_is_answered_unchanged() {
    let memory = gateway(&json!({}));
    let refused = json!({ "refused": { "status": 418, "message": "no", "headers": { "www-authenticate": "Basic" } } });
    memory.isolate.report(&[&refused.to_string()]);
    let refused = get(&memory, "t", "/a/x").unwrap_err();
    assert_eq!(refused.failure, Failure::CredentialUnknown);
    assert_eq!(header(&refused.headers, "www-authenticate"), Some("Basic"));
    assert!(refused.body.contains("\"no\""));
    // Anything that is not a report is refused.
    for report in [
        "{}",
        "",
        "[]",
        "nonsense",
        r#"{"stored":true}"#,
        r#"{"session":{}}"#,
    ] {
        memory.isolate.report(&[report]);
        assert!(refusal(&memory, "t").is_some(), "{report}");
    }
}

#[test]
fn a_key_that_the_proof_needs_is_looked_for_and_has_to_hold() {
    let memory = gateway(&json!({}));
    let (token, hash) = key(
        &memory,
        &session(&["a"], &json!({ "jwt_data": { "secret": "s" } })),
    );
    let needs = json!({ "key": token }).to_string();
    let until = memory.now_ms() + 60_000;
    let stored = json!({ "stored": true, "until": until }).to_string();
    memory.isolate.report(&[&needs, &stored]);
    assert_eq!(refusal(&memory, "t"), None);
    let asked = memory.isolate.take_proofs();
    assert!(!asked[0].facts.contains("session"));
    let facts: Value = serde_json::from_str(&asked[1].facts).unwrap();
    assert_eq!(facts["session"]["jwt_data"]["secret"], "s");
    // Remembered while the session is unchanged.
    assert_eq!(refusal(&memory, "t"), None);
    assert!(memory.isolate.take_proofs().is_empty());
    // A write of the key requires a new proof, with the new session.
    put(
        &memory,
        &hash,
        "",
        &session(&["a"], &json!({ "jwt_data": { "secret": "other" } })),
    );
    memory
        .isolate
        .report(&[&needs, r#"{"refused":{"status":403,"message":"no"}}"#]);
    assert_eq!(refusal(&memory, "t").unwrap().0, Failure::CredentialUnknown);
    let asked = memory.isolate.take_proofs();
    let facts: Value = serde_json::from_str(&asked.last().unwrap().facts).unwrap();
    assert_eq!(facts["session"]["jwt_data"]["secret"], "other");
    // A missing session is passed on as missing.
    memory.isolate.report(&[
        r#"{"key":"nobody"}"#,
        r#"{"refused":{"status":403,"message":"no"}}"#,
    ]);
    assert!(refusal(&memory, "u").is_some());
    let facts: Value = serde_json::from_str(&memory.isolate.take_proofs()[1].facts).unwrap();
    assert_eq!(facts["session"], Value::Null);
}

fn both(memory: &Memory, jwt: &str, key: &str) -> Result<Passed, Refused> {
    let headers = [("authorization", jwt), ("x-key", key)];
    let sent: Vec<_> = headers
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect();
    let method = "GET";
    visit(
        memory,
        Visit {
            method,
            target: "/a/x",
            headers: &sent,
            body: "",
        },
    )
}

#[test]
fn all_methods_have_to_be_passed_and_one_says_whose_session_is_used() {
    for (base, counted) in [
        ("", "key"),
        ("auth_token", "key"),
        ("jwt_claim", "identity"),
        ("hmac_key", ""),
    ] {
        let memory = gateway(&json!({
            "use_standard_auth": true,
            "base_identity_provided_by": base,
            "auth_configs": { "authToken": { "auth_header_name": "X-Key" } },
        }));
        let limits = json!({ "rate": 1, "per": 60 });
        let (token, _) = key(&memory, &session(&["a"], &limits));
        let proved = report("anna", &["p"], &json!({}));
        // The token alone, and the key alone.
        assert_eq!(
            both(&memory, "", &token).unwrap_err().failure,
            Failure::CredentialUnavailable
        );
        memory.isolate.report(&[&proved]);
        assert_eq!(
            both(&memory, "t", "").unwrap_err().failure,
            Failure::CredentialMissing
        );
        memory.isolate.report(&[&proved, &proved, &proved, &proved]);
        let passes = std::iter::repeat_with(|| both(&memory, "t", &token).err());
        let failures: Vec<_> = passes
            .take(3)
            .map(|refused| refused.map(|why| why.failure))
            .collect();
        let limited = Some(Failure::RateLimit);
        let expected = match counted {
            "key" => [None, limited, limited],
            "identity" => [None, None, limited],
            _ => [Some(Failure::SessionMissing); 3],
        };
        assert_eq!(failures, expected, "{base}");
    }
}

#[test]
fn a_key_beside_a_token_may_be_changed_at_any_time() {
    let memory = gateway(&json!({
        "use_standard_auth": true,
        "auth_configs": { "authToken": { "auth_header_name": "X-Key" } },
    }));
    let (token, hash) = key(&memory, &session(&["a"], &json!({})));
    let proved = report("anna", &["open"], &json!({}));
    memory.isolate.report(&[&proved]);
    assert!(both(&memory, "t", &token).is_ok());
    put(
        &memory,
        &hash,
        "",
        &session(&["a"], &json!({ "is_inactive": true })),
    );
    // Decided again with the current session, and every method from the start.
    memory.isolate.report(&[&proved, &proved]);
    assert_eq!(
        both(&memory, "t", &token).unwrap_err().failure,
        Failure::KeyInactive
    );
}

#[test]
fn every_credential_of_a_request_has_to_be_current() {
    let base = json!({
        "use_standard_auth": true,
        "base_identity_provided_by": "jwt_claim",
        "auth_configs": { "authToken": { "auth_header_name": "X-Key" } },
    });
    let off = json!({ "is_inactive": true });
    let memory = gateway(&base);
    let (token, hash) = key(&memory, &session(&["a"], &json!({})));
    let proved = report("anna", &["open"], &json!({}));
    let refused = || {
        memory.isolate.report(&[&proved, &proved, &proved]);
        both(&memory, "t", &token).err().map(|why| why.failure)
    };
    assert_eq!(refused(), None);
    put(&memory, &hash, "", &session(&["a"], &off));
    assert_eq!(refused(), Some(Failure::KeyInactive));
    // What is refused is confirmed, too.
    put(&memory, &hash, "", &session(&["a"], &json!({})));
    assert_eq!(refused(), None);
    let expired = json!({ "expires": memory.now_ms() / 1000 - 1 });
    put(&memory, &hash, "", &session(&["a"], &expired));
    assert_eq!(refused(), Some(Failure::KeyExpired));
    put(&memory, &hash, "", &session(&["a"], &json!({})));
    assert_eq!(refused(), None);
    admin_ok(
        &memory,
        "DELETE",
        &format!("keys/{hash}?hashed=1"),
        &Value::Null,
    );
    assert_eq!(refused(), Some(Failure::CredentialUnknown));
}

#[test]
fn the_key_that_a_policy_is_read_from_has_to_be_current() {
    let memory = gateway(&json!({}));
    let (token, hash) = key(&memory, &session(&["a"], &json!({})));
    let asked = json!({ "key": token }).to_string();
    let proved = report("anna", &["open"], &json!({}));
    memory.isolate.report(&[&asked, &proved]);
    assert_eq!(refusal(&memory, "t"), None);
    put(
        &memory,
        &hash,
        "",
        &session(&["a"], &json!({ "alias": "later" })),
    );
    // Decided again, with the session as it is now.
    memory.isolate.report(&[&asked, &proved, &asked, &proved]);
    assert_eq!(refusal(&memory, "t"), None);
    let facts = memory.isolate.take_proofs().last().unwrap().facts.clone();
    assert!(facts.contains("\"later\""), "{facts}");
    admin_ok(
        &memory,
        "DELETE",
        &format!("keys/{hash}?hashed=1"),
        &Value::Null,
    );
    memory.isolate.report(&[&asked, &proved, &asked, &proved]);
    assert_eq!(refusal(&memory, "t"), None);
    let facts = memory.isolate.take_proofs().last().unwrap().facts.clone();
    assert!(facts.contains("\"session\":null"), "{facts}");
}

#[test]
fn claims_are_variables() {
    let rules = json!({ "use_extended_paths": true, "global_headers": {
        "X-Sub": "$gateway_context.jwt_claims_sub", "X-None": "[$gateway_context.jwt_claims_none]",
        "X-Token": "$gateway_context.token" } });
    let versions =
        json!({ "version_data": { "not_versioned": true, "versions": { "Default": rules } } });
    let memory = gateway(&versions);
    let until = memory.now_ms() + 60_000;
    let claims = json!({ "claims": { "sub": "anna" }, "until": until });
    memory
        .isolate
        .report(&[&report("anna", &["open"], &claims)]);
    for _ in 0..2 {
        let passed = get(&memory, "Bearer t", "/a/x").unwrap();
        let sent = passed.sent.unwrap();
        assert_eq!(sent.headers.get("x-sub"), Some(Some("anna")));
        assert_eq!(sent.headers.get("x-none"), Some(Some("[]")));
        // Not the token that was sent, but the one that its identity counts under.
        let token = sent.headers.get("x-token").flatten().unwrap();
        assert_eq!(parts(token).unwrap().id, "anna");
    }
}

/// Returns what the extra is given for checking tokens besides the definition.
fn trusted(memory: &Memory) -> Value {
    let asked = memory.isolate.take_proofs();
    let facts: Value = serde_json::from_str(&asked.last().unwrap().facts).unwrap();
    facts["trust"].clone()
}

#[test]
fn a_change_of_a_provider_acts_at_the_next_request_without_a_reload() {
    let memory = gateway(&json!({}));
    let until = json!({ "until": memory.now_ms() + 60_000 });
    let proved = report("anna", &["open"], &until);
    memory.isolate.report(&[&proved]);
    assert_eq!(refusal(&memory, "t"), None);
    assert_eq!(trusted(&memory), Value::Null);
    let dashboard = |method: &str, path: &str, body: &Value| {
        let target = format!("/api/clientidps{path}");
        let bearer = format!("Bearer {DASHBOARD_TOKEN}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
        ];
        let body = body.to_string();
        let answer = memory.send_with(method, &target, &body, &headers);
        let answer = answer.now_or_never().unwrap();
        assert!(answer.status < 300, "{method} {path}: {}", answer.body);
    };
    let provider = json!({
        "client_idp_id": "idp", "name": "IdP", "issuer": "https://idp", "jwks_uri": "https://idp/keys",
        "scope_claim_name": "scp", "api_mappings": { "a": { "scope_to_policy": { "read": "open" } } },
    });
    dashboard("POST", "", &provider);
    // Earlier proofs are repeated with the current data.
    memory.isolate.report(&[&proved]);
    assert_eq!(refusal(&memory, "t"), None);
    let known = json!({
        "org": "default", "issuer": "https://idp", "jwks_uri": "https://idp/keys",
        "scope_claim_name": "scp", "api_mappings": { "a": { "scope_to_policy": { "read": "open" } } },
    });
    assert_eq!(
        trusted(&memory),
        json!({ "forgotten": {}, "providers": [known] })
    );
    assert_eq!(refusal(&memory, "t"), None);
    assert!(memory.isolate.take_proofs().is_empty());
    for (method, path, body) in [
        (
            "PATCH",
            "/idp/mappings",
            json!({ "a": { "scope_to_policy": { "read": "p" } } }),
        ),
        (
            "PUT",
            "/idp/mappings/a",
            json!({ "scope_to_policy": { "read": "open" } }),
        ),
        ("DELETE", "/idp/mappings/a", Value::Null),
        ("PUT", "/idp", provider),
        ("DELETE", "/idp", Value::Null),
    ] {
        dashboard(method, path, &body);
        assert_eq!(
            refusal(&memory, "t").unwrap().0,
            Failure::CredentialUnavailable,
            "{method} {path}"
        );
    }
    assert_eq!(trusted(&memory), Value::Null);
}

#[test]
fn key_sets_are_forgotten_for_one_api_or_for_all() {
    let memory = gateway(&json!({}));
    let until = json!({ "until": memory.now_ms() + 60_000 });
    let proved = report("anna", &["open"], &until);
    let numbers = || {
        memory.isolate.report(&[&proved]);
        assert_eq!(refusal(&memory, "t"), None);
        trusted(&memory)["forgotten"].clone()
    };
    assert_eq!(numbers(), Value::Null);
    let answer = json!({ "status": "ok", "message": "cache invalidated" });
    assert_eq!(
        admin_ok(&memory, "DELETE", "cache/jwks/a", &Value::Null),
        answer
    );
    let first = numbers();
    assert_eq!(first.as_object().unwrap().keys().collect::<Vec<_>>(), ["a"]);
    assert_eq!(
        admin_ok(&memory, "DELETE", "cache/jwks/b", &Value::Null),
        answer
    );
    let second = numbers();
    assert_eq!(second["a"], first["a"]);
    assert!(second["b"].as_u64() > first["a"].as_u64());
    assert_eq!(
        admin_ok(&memory, "DELETE", "cache/jwks", &Value::Null),
        answer
    );
    let all = numbers();
    assert_eq!(all.as_object().unwrap().keys().collect::<Vec<_>>(), ["*"]);
    assert!(all["*"].as_u64() > second["b"].as_u64());
    // A location whose KV is updated later gets the same.
    memory.keep_up().now_or_never().unwrap().unwrap();
    let list = memory.kv.value("orgs").unwrap();
    assert!(list.contains("forgotten"), "{list}");
}

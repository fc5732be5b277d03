//! User names with passwords, HTTP signatures, client certificates and signatures of tokens: what the extra `auth` is
//! given of a request, here with scripted reports, and how its reports are handled.

use super::{admin_ok, api, get, publish, reload, session, with};
use gatewright_dataplane::failure::Failure;
use gatewright_protocol::token::{HashFunction, token};
use gatewright_testkit::platform::Memory;
use gatewright_testkit::traffic::Visit;
use serde_json::{Value, json};

fn gateway(more: &Value) -> Memory {
    let memory = Memory::default();
    publish(&memory, &[api("a", more)]);
    memory
}

fn refusal(memory: &Memory, sent: &str) -> Option<Failure> {
    get(memory, sent, "/a/x?y=1")
        .err()
        .map(|refused| refused.failure)
}

/// Returns the functions that were called, with their facts.
fn extra_calls(memory: &Memory) -> Vec<(String, Value)> {
    let proofs = memory.isolate.take_proofs().into_iter();
    proofs
        .map(|call| {
            (
                call.function.to_owned(),
                serde_json::from_str(&call.facts).unwrap(),
            )
        })
        .collect()
}

const STORED: &str = r#"{"stored":true}"#;

#[test]
fn a_user_is_found_by_name_and_has_the_session_of_that_key() {
    let memory = gateway(&json!({ "use_basic_auth": true }));
    let user = with(
        session(&["a"], &json!({})),
        &json!({ "basic_auth_data": { "password": "secret" } }),
    );
    admin_ok(&memory, "POST", "keys/anna", &user);
    memory.isolate.report(&[r#"{"key":"anna"}"#, STORED]);
    assert_eq!(refusal(&memory, "Basic x"), None);
    let [(function, first), (_, second)] = extra_calls(&memory).try_into().unwrap();
    assert_eq!(
        (function.as_str(), &first["credential"]),
        ("basic", &json!("Basic x"))
    );
    assert!(first.get("session").is_none() && first.get("body").is_none());
    assert!(first["network"].is_string(), "{first}");
    assert_eq!(second["session"]["basic_auth_data"]["hash_type"], "bcrypt");
    // No such user.
    let refused = r#"{"refused":{"status":401,"message":"no","headers":{"www-authenticate":"Basic"}},"is":"unknown"}"#;
    memory.isolate.report(&[r#"{"key":"berta"}"#, refused]);
    assert_eq!(
        refusal(&memory, "Basic y"),
        Some(Failure::CredentialUnknown)
    );
    assert_eq!(extra_calls(&memory)[1].1["session"], Value::Null);
    let refused = r#"{"refused":{"status":400,"message":"no"},"is":"malformed"}"#;
    memory.isolate.report(&[refused]);
    let malformed = Some(Failure::CredentialMalformed);
    assert_eq!(refusal(&memory, "Other"), malformed);
}

/// Names of users are known to many, and so is what a token made of one looks like.
#[test]
fn the_name_of_a_user_is_no_token() {
    let memory = gateway(&json!({}));
    let user = with(
        session(&["a"], &json!({})),
        &json!({ "basic_auth_data": { "password": "secret" } }),
    );
    admin_ok(&memory, "POST", "keys/anna", &user);
    admin_ok(
        &memory,
        "POST",
        "keys/partner",
        &session(&["a"], &json!({})),
    );
    let made = token("default", "anna", HashFunction::default());
    for sent in ["anna", "defaultanna", &made] {
        let unknown = Some(Failure::CredentialUnknown);
        assert_eq!(refusal(&memory, sent), unknown, "{sent}");
    }
    assert_eq!(refusal(&memory, "partner"), None, "it has no password");
    // A random token is a secret, whatever its session gets later.
    let created = admin_ok(&memory, "POST", "keys", &session(&["a"], &json!({})));
    let random = created["key"].as_str().unwrap();
    admin_ok(&memory, "PUT", &format!("keys/{random}"), &user);
    assert_eq!(refusal(&memory, random), None);
}

#[test]
fn bodies_without_a_valid_expression_hold_no_password() {
    for (user, is_token) in [("(user", true), ("", true), ("user=(.*)", false)] {
        let basic = json!({ "extract_from_body": true, "body_user_regexp": user, "body_password_regexp": "{\"p\":(.*)" });
        let memory = gateway(&json!({ "use_basic_auth": true, "basic_auth": basic }));
        admin_ok(&memory, "POST", "keys/one", &session(&["a"], &json!({})));
        assert_eq!(refusal(&memory, "one").is_none(), is_token, "{user}");
        assert_eq!(extra_calls(&memory).is_empty(), is_token, "{user}");
    }
}

#[test]
fn a_password_is_refused_only_by_the_session_that_holds() {
    let memory = gateway(&json!({ "use_basic_auth": true }));
    let user = |password: &str| {
        let user = json!({ "basic_auth_data": { "password": password } });
        with(session(&["a"], &json!({})), &user)
    };
    admin_ok(&memory, "POST", "keys/anna", &user("first"));
    let key = r#"{"key":"anna"}"#;
    memory.isolate.report(&[key, STORED]);
    assert_eq!(refusal(&memory, "Basic x"), None);
    // The password has changed, and the data plane doesn't know yet.
    admin_ok(&memory, "POST", "keys/anna", &user("second"));
    memory.isolate.take_proofs();
    let refused = r#"{"refused":{"status":401,"message":"no"},"is":"unknown"}"#;
    memory.isolate.report(&[key, refused, key, STORED]);
    assert_eq!(refusal(&memory, "Basic y"), None);
    let facts = extra_calls(&memory);
    let revision = |at: usize| &facts[at].1["session"]["basic_auth_data"]["password"];
    assert_ne!(revision(1), revision(3));
    memory.isolate.report(&[key, refused]);
    assert_eq!(
        refusal(&memory, "Basic z"),
        Some(Failure::CredentialUnknown)
    );
}

#[test]
fn only_headers_that_may_be_signed_are_passed_to_the_extra() {
    let memory =
        gateway(&json!({ "enable_signature_checking": true, "hmac_allowed_clock_skew": 5 }));
    admin_ok(&memory, "POST", "keys/signer", &session(&["a"], &json!({})));
    memory.isolate.report(&[r#"{"key":"signer"}"#, STORED]);
    assert_eq!(
        refusal(
            &memory,
            "Signature keyId=\"signer\",headers=\"(request-target) x-a\""
        ),
        None
    );
    let (function, facts) = extra_calls(&memory).remove(0);
    assert_eq!(function, "hmac");
    assert_eq!(
        (&facts["method"], &facts["path"], &facts["query"]),
        (&json!("GET"), &json!("/a/x"), &json!("y=1"))
    );
    assert!(facts["headers"].get("authorization").is_none(), "{facts}");
}

#[test]
fn keys_may_sign_if_one_of_their_policies_says_so() {
    let memory = gateway(&json!({ "enable_signature_checking": true }));
    for (id, members) in [
        ("none", json!({})),
        ("secret", json!({ "hmac_enabled": true })),
        ("any", json!({ "enable_http_signature_validation": true })),
    ] {
        let policy = with(session(&["a"], &members), &json!({ "id": id }));
        admin_ok(&memory, "POST", "policies", &policy);
    }
    reload(&memory);
    for (key, policies, own, expected) in [
        ("off", json!(["none"]), false, [false, false]),
        ("own", json!(["none"]), true, [true, false]),
        ("one", json!(["secret"]), false, [true, false]),
        ("two", json!(["any", "none", "secret"]), false, [true, true]),
    ] {
        let members =
            json!({ "apply_policies": policies, "hmac_enabled": own, "hmac_string": "s" });
        let path = format!("keys/{key}");
        admin_ok(&memory, "POST", &path, &session(&["a"], &members));
        let report = format!("{{\"key\":\"{key}\"}}");
        memory.isolate.report(&[&report, STORED]);
        assert_eq!(
            refusal(&memory, &format!("Signature keyId=\"{key}\"")),
            None
        );
        let facts = extra_calls(&memory).pop().unwrap().1;
        let flags = ["hmac_enabled", "enable_http_signature_validation"].map(|name| &facts[name]);
        assert_eq!(flags, expected.map(Value::from).each_ref(), "{key}");
        // The secret is the key's own.
        assert_eq!(facts["session"]["hmac_string"], "s");
    }
}

#[test]
fn a_token_that_has_to_be_signed_is_checked_with_what_its_session_says() {
    let signature =
        json!({ "algorithm": "MasheryMD5", "header": "X-Sig", "secret": "$gateway_meta.own" });
    let config = json!({ "auth_configs": { "authToken": { "validate_signature": true, "signature": signature } } });
    let memory = gateway(&config);
    let made = admin_ok(
        &memory,
        "POST",
        "keys/one",
        &session(&["a"], &json!({ "meta_data": { "own": "s" } })),
    );
    // Either the token or the id in it may be signed, whichever is sent.
    for sent in ["one", made["key"].as_str().unwrap()] {
        memory.isolate.report(&[STORED]);
        assert_eq!(refusal(&memory, sent), None);
        let (function, facts) = extra_calls(&memory).remove(0);
        assert_eq!(function, "signature");
        assert_eq!(
            (&facts["token"], &facts["id"]),
            (&made["key"], &json!("one"))
        );
        assert_eq!(
            (&facts["secret"], &facts["credential"]),
            (&json!("s"), &Value::Null)
        );
    }
    let refused = r#"{"refused":{"status":401,"message":"no"},"is":"unknown"}"#;
    memory.isolate.report(&[refused]);
    assert_eq!(refusal(&memory, "one"), Some(Failure::CredentialUnknown));
    // An unknown key is refused before anything is checked.
    memory.isolate.take_proofs();
    assert_eq!(refusal(&memory, "other"), Some(Failure::CredentialUnknown));
    assert!(extra_calls(&memory).is_empty());
}

#[test]
fn a_signature_may_be_in_a_parameter_that_has_a_name() {
    for (settings, sent) in [
        (json!({ "param_name": "y" }), json!("1")),
        (json!({ "use_param": true, "header": "y" }), json!("1")),
        (json!({ "header": "y" }), Value::Null),
        // The parameter takes precedence over the header.
        (
            json!({ "header": "Authorization", "param_name": "y" }),
            json!("1"),
        ),
        (
            json!({ "header": "Authorization", "param_name": "z" }),
            json!("one"),
        ),
    ] {
        let config = json!({ "authToken": { "validate_signature": true, "signature": settings } });
        let memory = gateway(&json!({ "auth_configs": config }));
        admin_ok(&memory, "POST", "keys/one", &session(&["a"], &json!({})));
        memory.isolate.report(&[STORED]);
        assert_eq!(refusal(&memory, "one"), None);
        assert_eq!(extra_calls(&memory).remove(0).1["credential"], sent);
    }
}

#[test]
fn the_body_is_passed_on_only_if_its_digest_is_signed() {
    let memory = gateway(&json!({ "enable_signature_checking": true }));
    admin_ok(&memory, "POST", "keys/signer", &session(&["a"], &json!({})));
    let named = "sig1=(\"content-digest\");keyid=\"signer\"";
    let other = "sig1=(\"date\");keyid=\"signer\"";
    let digest = ("content-digest", "sha-256=:AAAA:");
    let draft = "Signature keyId=\"signer\",headers=\"date Content-Digest\"";
    for (headers, has_body) in [
        (vec![("signature-input", named), digest], true),
        (vec![("signature-input", other), digest], false),
        (vec![("signature-input", named)], false),
        (vec![("authorization", draft), digest], true),
        (vec![("authorization", draft)], false),
    ] {
        memory.isolate.report(&[r#"{"key":"signer"}"#, STORED]);
        let visit = Visit {
            method: "POST",
            target: "/a/x",
            headers: &headers,
            body: "the body",
        };
        assert!(super::visit(&memory, visit).is_ok(), "{headers:?}");
        for (_, facts) in extra_calls(&memory) {
            let facts = facts.get("body").and_then(Value::as_str);
            assert_eq!(facts, has_body.then_some("dGhlIGJvZHk="), "{headers:?}");
        }
    }
}

#[test]
fn a_client_certificate_is_asked_for_before_anything_else_is_known() {
    let memory = gateway(&json!({ "use_mutual_tls_auth": true, "client_certificates": ["x"] }));
    admin_ok(&memory, "POST", "keys/one", &session(&["a"], &json!({})));
    memory.isolate.report(&[
        STORED,
        r#"{"refused":{"status":403,"message":"TLS not enabled"},"is":"unknown"}"#,
    ]);
    assert_eq!(refusal(&memory, "one"), None);
    assert_eq!(extra_calls(&memory).remove(0).0, "clientCertificate");
    assert_eq!(refusal(&memory, "one"), Some(Failure::CredentialUnknown));
    // If nobody can prove it, access is denied.
    assert_eq!(
        refusal(&memory, "one"),
        Some(Failure::CredentialUnavailable)
    );
}

#[test]
fn a_client_certificate_is_asked_for_before_the_state_of_limits_is_shown() {
    let memory = gateway(&json!({ "use_mutual_tls_auth": true, "client_certificates": ["x"] }));
    admin_ok(&memory, "POST", "keys/one", &session(&["a"], &json!({})));
    memory.isolate.report(&[
        r#"{"refused":{"status":403,"message":"TLS not enabled"},"is":"unknown"}"#,
        STORED,
    ]);
    let standing = || {
        let visit = Visit {
            method: "GET",
            target: "/a/gateway/rate-limits/",
            headers: &[("authorization", "one")],
            body: "",
        };
        super::visit(&memory, visit).map_err(|refused| refused.failure)
    };
    assert_eq!(standing().err(), Some(Failure::CredentialUnknown));
    assert!(standing().is_ok_and(|shown| shown.body.contains("quota_max")));
}

#[test]
fn a_certificate_stands_for_a_token_that_is_not_sent() {
    let asks = json!({ "auth_configs": { "authToken": { "use_certificate": true } } });
    let fingerprint = "0a".repeat(32);
    let named = format!("{{\"key\":\"{fingerprint}\"}}");
    let other = format!("{{\"key\":\"{}\"}}", "0b".repeat(32));
    // Tests whether access is granted if the key and its certificate name their organisation or omit it.
    let opened = |org: &str, of_certificate: &str| {
        let memory = gateway(&asks);
        let own = json!({ "org_id": org, "certificate": format!("{of_certificate}{fingerprint}") });
        let made = admin_ok(&memory, "POST", "keys/create", &session(&["a"], &own));
        memory.isolate.report(&[&named, STORED]);
        assert_eq!(refusal(&memory, ""), None, "{own}");
        (memory, made)
    };
    for (org, of_certificate) in [("default", ""), ("", "default"), ("", "")] {
        opened(org, of_certificate);
    }
    let (memory, made) = opened("default", "default");
    let [(first, facts), (second, _)] = extra_calls(&memory).try_into().unwrap();
    assert_eq!(
        (first.as_str(), &facts["org"]),
        ("certificateKey", &json!("default"))
    );
    assert_eq!(second, "boundCertificate");
    memory.isolate.report(&[&other]);
    assert_eq!(refusal(&memory, ""), Some(Failure::CredentialUnknown));
    // A token takes precedence over a certificate, and still needs the certificate.
    let missing = r#"{"refused":{"status":401,"message":"no"},"is":"certificate"}"#;
    memory.isolate.report(&[missing]);
    memory.isolate.take_proofs();
    let token = made["key"].as_str().unwrap();
    assert_eq!(refusal(&memory, token), Some(Failure::CertificateRequired));
    let [call] = memory.isolate.take_proofs().try_into().unwrap();
    assert!(
        call.settings.starts_with("{\"use_certificate\":true,"),
        "{}",
        call.settings
    );
    admin_ok(
        &memory,
        "POST",
        "keys/unbound",
        &session(&["a"], &json!({})),
    );
    assert_eq!(refusal(&memory, "unbound"), None);
    assert!(extra_calls(&memory).is_empty());
    // Nobody can prove it.
    assert_eq!(refusal(&memory, ""), Some(Failure::CredentialUnavailable));
}

#[test]
fn a_key_with_two_kinds_of_certificates_goes_by_the_one_that_the_api_asks_for() {
    let pem = include_str!("../../../cases/certificates/rsa.crt");
    for by_name in [true, false] {
        let config = json!({ "auth_configs": { "authToken": { "use_certificate": by_name } } });
        let memory = gateway(&config);
        let added = memory.send("POST", "/gateway/certs?org_id=default", pem);
        let added = futures_util::FutureExt::now_or_never(added).unwrap();
        let added: Value = serde_json::from_str(&added.body).unwrap();
        let bound = added["id"].as_str().unwrap();
        let both =
            json!({ "certificate": "defaultown", "mtls_static_certificate_bindings": [bound] });
        admin_ok(&memory, "POST", "keys/both", &session(&["a"], &both));
        memory.isolate.report(&[STORED]);
        assert_eq!(refusal(&memory, "both"), None);
        let [call] = memory.isolate.take_proofs().try_into().unwrap();
        let expected = if by_name { "defaultown" } else { bound };
        assert!(
            call.settings.ends_with(&format!("[\"{expected}\"]}}")),
            "{}",
            call.settings
        );
    }
}

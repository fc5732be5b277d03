//! User names with passwords, HTTP signatures, client certificates and signatures of tokens: what the extra `auth` is told of
//! a request, here with scripted reports, and what becomes of what it says.

use super::{api, done, get, publish, session, with};
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

fn gateway(more: &Value) -> Memory {
    let memory = Memory::default();
    publish(&memory, &[api("a", more)]);
    memory
}

fn why(memory: &Memory, sent: &str) -> Option<Failure> {
    get(memory, sent, "/a/x?y=1")
        .err()
        .map(|refused| refused.failure)
}

/// The functions that were asked, each with what it was told.
fn asked(memory: &Memory) -> Vec<(String, Value)> {
    let proofs = memory.guard.take_proofs().into_iter();
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
    done(&memory, "POST", "keys/anna", &user);
    memory.guard.report(&[r#"{"key":"anna"}"#, STORED]);
    assert_eq!(why(&memory, "Basic x"), None);
    let [(function, first), (_, second)] = asked(&memory).try_into().unwrap();
    assert_eq!(
        (function.as_str(), &first["credential"]),
        ("basic", &json!("Basic x"))
    );
    assert!(first.get("session").is_none() && first.get("body").is_none());
    assert!(first["address"].is_string(), "{first}");
    assert_eq!(second["session"]["basic_auth_data"]["hash_type"], "bcrypt");
    // Nobody of that name.
    let refused = r#"{"refused":{"status":401,"message":"no","headers":{"www-authenticate":"Basic"}},"is":"unknown"}"#;
    memory.guard.report(&[r#"{"key":"berta"}"#, refused]);
    assert_eq!(why(&memory, "Basic y"), Some(Failure::CredentialUnknown));
    assert_eq!(asked(&memory)[1].1["session"], Value::Null);
}

#[test]
fn a_password_is_refused_only_by_the_session_that_holds() {
    let memory = gateway(&json!({ "use_basic_auth": true }));
    let user = |password: &str| {
        let user = json!({ "basic_auth_data": { "password": password } });
        with(session(&["a"], &json!({})), &user)
    };
    done(&memory, "POST", "keys/anna", &user("first"));
    let key = r#"{"key":"anna"}"#;
    memory.guard.report(&[key, STORED]);
    assert_eq!(why(&memory, "Basic x"), None);
    // By now it has another one, of which the data plane has not heard.
    done(&memory, "POST", "keys/anna", &user("second"));
    memory.guard.take_proofs();
    let refused = r#"{"refused":{"status":401,"message":"no"},"is":"unknown"}"#;
    memory.guard.report(&[key, refused, key, STORED]);
    assert_eq!(why(&memory, "Basic y"), None);
    let told = asked(&memory);
    let revision = |at: usize| &told[at].1["session"]["basic_auth_data"]["password"];
    assert_ne!(revision(1), revision(3));
    memory.guard.report(&[key, refused]);
    assert_eq!(why(&memory, "Basic z"), Some(Failure::CredentialUnknown));
}

#[test]
fn what_may_have_been_signed_is_told_and_no_other_header() {
    let memory =
        gateway(&json!({ "enable_signature_checking": true, "hmac_allowed_clock_skew": 5 }));
    done(&memory, "POST", "keys/signer", &session(&["a"], &json!({})));
    memory.guard.report(&[r#"{"key":"signer"}"#, STORED]);
    assert_eq!(
        why(
            &memory,
            "Signature keyId=\"signer\",headers=\"(request-target) x-a\""
        ),
        None
    );
    let (function, facts) = asked(&memory).remove(0);
    assert_eq!(function, "hmac");
    assert_eq!(
        (&facts["method"], &facts["path"], &facts["query"]),
        (&json!("GET"), &json!("/a/x"), &json!("y=1"))
    );
    assert!(facts["headers"].get("authorization").is_none(), "{facts}");
}

#[test]
fn a_token_that_has_to_be_signed_is_checked_with_what_its_session_says() {
    let signature =
        json!({ "algorithm": "MasheryMD5", "header": "X-Sig", "secret": "$gateway_meta.own" });
    let config = json!({ "auth_configs": { "authToken": { "validate_signature": true, "signature": signature } } });
    let memory = gateway(&config);
    done(
        &memory,
        "POST",
        "keys/one",
        &session(&["a"], &json!({ "meta_data": { "own": "s" } })),
    );
    memory.guard.report(&[STORED]);
    assert_eq!(why(&memory, "one"), None);
    let (function, facts) = asked(&memory).remove(0);
    assert_eq!(function, "signature");
    assert_eq!(
        (&facts["token"], &facts["secret"], &facts["credential"]),
        (&json!("one"), &json!("s"), &Value::Null)
    );
    let refused = r#"{"refused":{"status":401,"message":"no"},"is":"unknown"}"#;
    memory.guard.report(&[refused]);
    assert_eq!(why(&memory, "one"), Some(Failure::CredentialUnknown));
    // A key that there is not is refused before anything is checked.
    memory.guard.take_proofs();
    assert_eq!(why(&memory, "other"), Some(Failure::CredentialUnknown));
    assert!(asked(&memory).is_empty());
}

#[test]
fn a_client_certificate_is_asked_for_before_anything_else_is_known() {
    let memory = gateway(&json!({ "use_mutual_tls_auth": true, "client_certificates": ["x"] }));
    done(&memory, "POST", "keys/one", &session(&["a"], &json!({})));
    memory.guard.report(&[
        STORED,
        r#"{"refused":{"status":403,"message":"TLS not enabled"},"is":"unknown"}"#,
    ]);
    assert_eq!(why(&memory, "one"), None);
    assert_eq!(asked(&memory).remove(0).0, "clientCertificate");
    assert_eq!(why(&memory, "one"), Some(Failure::CredentialUnknown));
    // Nobody can say: closed.
    assert_eq!(why(&memory, "one"), Some(Failure::CredentialUnavailable));
}

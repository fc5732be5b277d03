//! Certificates, and keys that name them.

use super::*;
use gatewright_testkit::platform::DASHBOARD_TOKEN;

macro_rules! case {
    ($name:literal) => {
        include_str!(concat!("../../../../testkit/cases/certificates/", $name))
    };
}

fn add(gate: &Memory, org: &str, body: &str) -> Value {
    let path = format!("certs?org_id={org}");
    done(gate, "POST", &path, &json!(body))
}

fn id(gate: &Memory, org: &str, body: &str) -> String {
    add(gate, org, body)["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_certificate_is_stored_once_listed_read_and_removed() {
    let gate = Memory::default();
    let both = format!("{}{}", case!("rsa.crt"), case!("rsa.key"));
    let added = add(&gate, "acme", &both);
    let rsa = added["id"].as_str().unwrap();
    assert_eq!(
        added,
        json!({"id": rsa, "status": "ok", "message": "Certificate added"})
    );
    assert!(rsa.starts_with("acme") && rsa.len() == 68, "{rsa}");
    let again = call(&gate, "POST", "certs?org_id=acme", &json!(case!("rsa.crt")));
    refused(
        &again,
        403,
        &format!("Certificate with {rsa} id already exists"),
    );
    let ec = id(&gate, "acme", case!("ec.crt"));
    let other = id(&gate, "other", case!("ec.crt"));
    let bare = id(&gate, "", case!("ec.crt"));
    assert_eq!(read(&gate, "certs?org_id=other"), json!({"certs": [other]}));
    // The older one comes first, whatever its id.
    assert_eq!(
        read(&gate, "certs?org_id=acme"),
        json!({"certs": [rsa, ec]})
    );
    let all = read(&gate, "certs")["certs"].as_array().unwrap().len();
    assert_eq!(all, 4);
    let detailed = read(&gate, "certs?org_id=acme&mode=detailed");
    let listed = detailed["certs"].as_array().unwrap();
    let of_rsa = listed.iter().find(|one| one["id"] == *rsa).unwrap();
    assert_eq!(
        *of_rsa,
        json!({"id": rsa, "issuer_cn": "rsa.example", "subject_cn": "rsa.example",
            "dns_names": ["rsa.example", "www.rsa.example"], "has_private": true,
            "not_before": "2026-11-23T03:52:49Z", "not_after": "2126-10-30T03:52:49Z", "is_ca": false})
    );
    assert_eq!(read(&gate, &format!("certs/{rsa}"))["has_private"], true);
    let fingerprint = &rsa[4..];
    assert_eq!(
        read(&gate, &format!("certs/{fingerprint}?org_id=acme"))["id"],
        *rsa
    );
    assert_eq!(read(&gate, &format!("certs/{bare}"))["id"], *bare);
    let several = read(&gate, &format!("certs/{rsa},nothing,{ec}"));
    assert_eq!(
        (&several[0]["id"], &several[1], &several[2]["id"]),
        (&json!(rsa), &Value::Null, &json!(ec))
    );
    assert_eq!(read(&gate, "certs/a,b"), json!([null, null]));
    let removed = json!({"status": "ok", "message": "removed"});
    for _ in 0..2 {
        assert_eq!(
            done(&gate, "DELETE", &format!("certs/{rsa}"), &Value::Null),
            removed
        );
    }
    let gone = call(&gate, "GET", &format!("certs/{rsa}"), &Value::Null);
    refused(
        &gone,
        404,
        "Certificate with given SHA256 fingerprint not found",
    );
    let path = format!("certs/{}?org_id=acme", &ec[4..]);
    done(&gate, "DELETE", &path, &Value::Null);
    assert_eq!(read(&gate, "certs?org_id=acme"), json!({"certs": null}));
}

#[test]
fn invalid_certificate_changes_nothing() {
    let gate = Memory::default();
    for (path, body, status) in [
        ("certs", "nonsense".to_owned(), 403),
        ("certs", case!("rsa.key").to_owned(), 403),
        ("certs?org_id=a,b", case!("rsa.crt").to_owned(), 400),
        ("certs", "x".repeat(300_000), 413),
    ] {
        let answer = call(&gate, "POST", path, &json!(body));
        assert_eq!(answer.status, status, "{}", answer.body);
    }
    let broken = "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----";
    let answer = call(&gate, "POST", "certs", &json!(broken));
    let why = refused(&answer, 403, "x509: malformed certificate");
    assert!(!why.is_empty());
    assert_eq!(read(&gate, "certs"), json!({"certs": null}));
}

#[test]
fn key_binds_only_existing_certificates() {
    let gate = Memory::default();
    let rsa = id(&gate, "default", case!("rsa.crt"));
    let rights = json!({"a": {"api_id": "a", "versions": ["Default"]}});
    let bound = |ids: &Value| json!({"org_id": "default", "mtls_static_certificate_bindings": ids, "access_rights": rights});
    for path in ["keys", "keys/create", "keys/bound"] {
        let foreign = call(&gate, "POST", path, &bound(&json!(["elsewhere"])));
        refused(&foreign, 400, "invalid certificate ID: elsewhere");
        let missing = call(&gate, "POST", path, &bound(&json!([rsa, "default00"])));
        refused(&missing, 400, "certificate not found: default00");
        done(&gate, "POST", path, &bound(&json!([rsa])));
    }
    let update = |body: Value| {
        let body = json!({"org_id": "default", "access_rights": rights, "certificate": body});
        call(&gate, "PUT", "keys/bound", &body)
    };
    refused(
        &update(json!("default11")),
        400,
        "Key must be used with an existent certificate",
    );
    assert_eq!(update(json!(rsa)).status, 200);
    refused(
        &update(Value::Null),
        400,
        "Key cannot be used without a certificate",
    );
    done(&gate, "DELETE", &format!("certs/{rsa}"), &Value::Null);
    // An unchanged certificate is not checked.
    assert_eq!(update(json!(rsa)).status, 200);
}

#[test]
fn keys_are_found_by_bound_certificate() {
    let gate = Memory::default();
    let rsa = id(&gate, "default", case!("rsa.crt"));
    let rights = json!({"a": {"api_id": "a", "versions": ["Default"]}});
    let body = |more: &Value| {
        let mut body = json!({"org_id": "default", "access_rights": rights});
        let members = body.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        body
    };
    let bindings = json!({"mtls_static_certificate_bindings": [rsa]});
    let bound = key(&gate, &body(&bindings)).1;
    let made = done(
        &gate,
        "POST",
        "keys/create",
        &body(&json!({"certificate": rsa})),
    );
    key(&gate, &body(&json!({})));
    let mut both = [bound.clone(), made["key_hash"].as_str().unwrap().to_owned()];
    both.sort();
    let found = || {
        let mut found = hashes(&gate, &format!("certificate={rsa}"));
        found.sort();
        found
    };
    assert_eq!(found(), both);
    assert!(hashes(&gate, "certificate=default00").is_empty());
    // A key is no longer found by a certificate it is not bound to any more.
    let path = format!("keys/{bound}?hashed=true");
    done(&gate, "PUT", &path, &body(&json!({})));
    assert_eq!(found(), [made["key_hash"].as_str().unwrap()]);
}

#[test]
fn certificate_key_derives_its_token() {
    let gate = Memory::default();
    let rsa = id(&gate, "default", case!("rsa.crt"));
    let body = json!({"org_id": "default", "certificate": rsa, "access_rights": {"a": {"versions": ["Default"]}}});
    let made = done(&gate, "POST", "keys/create", &body);
    let token = made["key"].as_str().unwrap();
    let parts = gatewright_protocol::token::parts(token).unwrap();
    assert_eq!(parts.id, rsa["default".len()..]);
    let again = call(&gate, "POST", "keys/create", &body);
    let text = format!(
        "Failed to create key - Key with given certificate already found:{}",
        made["key_hash"].as_str().unwrap()
    );
    refused(&again, 500, &text);
}

#[test]
fn a_definition_that_names_an_unknown_certificate_is_stored_with_a_warning() {
    let gate = Memory::default();
    let rsa = id(&gate, "default", case!("rsa.crt"));
    let definition = json!({"api_id": "a", "name": "a", "use_keyless": true,
        "proxy": {"listen_path": "/a/", "target_url": "http://up/"},
        "client_certificates": [rsa, "default00"],
        "request_signing": {"is_enabled": true, "key_id": "k", "algorithm": "rsa-sha256", "certificate_id": "default11"}});
    let written = done(&gate, "POST", "apis", &definition);
    let issues = written["issues"].as_array().unwrap();
    let named: Vec<_> = issues
        .iter()
        .filter(|issue| {
            issue["message"]
                .as_str()
                .unwrap()
                .contains("POST /gateway/certs")
        })
        .map(|issue| issue["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(
        named,
        ["/client_certificates/1", "/request_signing/certificate_id"]
    );
}

#[test]
fn audit_trail_names_certificate_without_secrets() {
    let gate = Memory::default();
    let both = format!("{}{}", case!("rsa.crt"), case!("rsa.key"));
    let rsa = id(&gate, "default", &both);
    done(&gate, "DELETE", &format!("certs/{rsa}"), &Value::Null);
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let headers = [("authorization", bearer.as_str())];
    let sent = gate.send_with("GET", "/api/audit?subject=certificate", "", &headers);
    let trail = sent.now_or_never().unwrap();
    let entries = value(&trail)["entries"].as_array().unwrap().clone();
    let writes: Vec<_> = entries
        .iter()
        .map(|entry| {
            (
                entry["action"].as_str().unwrap(),
                entry["id"].as_str().unwrap(),
                entry["name"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        writes,
        [
            ("deleted", rsa.as_str(), "rsa.example"),
            ("added", rsa.as_str(), "rsa.example")
        ]
    );
}

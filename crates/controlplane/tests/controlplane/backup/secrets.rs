//! Secrets in an export: sealed, or left out.

use super::{PASSPHRASE, done, export, gateway, import, imported, message, sent};
use gatewright_testkit::platform::Memory;
use gatewright_testkit::sql::dump;
use serde_json::Value;

/// The last one is part of a private key.
const CANARIES: [&str; 5] = [
    "canary-header",
    "canary-hmac",
    "canaryPassword",
    "whsec_",
    "iMZ/+6+Toj4/fBrRFI4TeJ5mpleFNo20rrUP1X75jCPDVm+E6sDRlPmOZr1LGaTz",
];

#[test]
fn export_never_contains_plain_secrets() {
    let (from, _) = gateway();
    let plain = sent(&from, "GET", "/gateway/export?revisions=true", "", &[]).body;
    for file in [plain, export(&from, "revisions=true")] {
        for canary in CANARIES {
            assert!(!file.contains(canary), "{canary}");
        }
        assert!(!file.contains(PASSPHRASE));
    }
}

#[test]
fn passphrase_restores_the_secrets() {
    let (from, _) = gateway();
    let to = Memory::default();
    imported(&to, &export(&from, ""));
    let stored = |memory: &Memory| dump(&memory.sql).unwrap() + &memory.stored_sessions();
    let (before, after) = (stored(&from), stored(&to));
    for canary in CANARIES {
        assert_eq!(
            after.matches(canary).count(),
            before.matches(canary).count(),
            "{canary}"
        );
        assert!(after.contains(canary));
    }
}

#[test]
fn without_passphrase_secrets_are_omitted_and_counted() {
    let (from, _) = gateway();
    let file = sent(&from, "GET", "/gateway/export", "", &[]).body;
    assert!(
        file.contains("\"secrets_left_out\":5"),
        "{}",
        file.lines().last().unwrap()
    );
    let to = Memory::default();
    let answer = sent(&to, "POST", "/gateway/import", &file, &[]);
    assert!(
        answer.status == 200 && answer.body.contains("\"secrets_left_out\":5"),
        "{}",
        answer.body
    );
    let hook = done(&to, "GET", "/api/hooks/h", &Value::Null);
    assert_eq!(hook["header_map"]["Authorization"], "");
    let certificates = done(&to, "GET", "/gateway/certs?mode=detailed", &Value::Null);
    assert_eq!(certificates["certs"][0]["has_private"], false);
}

#[test]
fn wrong_or_missing_passphrase_is_refused_before_storing() {
    let (from, _) = gateway();
    let file = export(&from, "");
    let to = Memory::default();
    done(&to, "GET", "/gateway/apis", &Value::Null);
    let before = dump(&to.sql).unwrap();
    for headers in [
        &[][..],
        &[("x-gateway-passphrase", "another one, long enough")],
    ] {
        let answer = sent(&to, "POST", "/gateway/import", &file, headers);
        assert_eq!(answer.status, 400);
        assert!(
            message(&answer).contains("Line 1, /export/sealing"),
            "{}",
            answer.body
        );
    }
    assert_eq!(dump(&to.sql).unwrap(), before);
    let short = [("x-gateway-passphrase", "too short")];
    for (method, target) in [("GET", "/gateway/export"), ("POST", "/gateway/import")] {
        let answer = sent(&from, method, target, &file, &short);
        assert_eq!(answer.status, 400);
        assert!(!answer.body.contains("too short"), "{}", answer.body);
    }
}

#[test]
fn sealed_secrets_are_bound_to_their_line() {
    let (from, _) = gateway();
    let file = export(&from, "");
    let changed = file.replacen(
        "\\\"alias\\\":\\\"counted\\\"",
        "\\\"alias\\\":\\\"mine\\\"",
        1,
    );
    assert_ne!(changed, file);
    let answer = import(&Memory::default(), "dry_run=true", &changed);
    assert_eq!(answer.status, 400);
    assert!(
        message(&answer).contains("/session/sealed"),
        "{}",
        answer.body
    );
}

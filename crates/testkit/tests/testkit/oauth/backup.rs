//! Moving clients and tokens from one gateway to another.

use super::{admin, admin_ok, approve, client, gateway, own_token, text, token, use_token};
use futures_util::FutureExt;
use gatewright_testkit::platform::{Memory, SECRET};
use serde_json::{Value, json};

const PASSPHRASE: &str = "a passphrase of some length";

fn with_passphrase(memory: &Memory, method: &str, path: &str, body: &str) -> String {
    let headers = [
        ("x-gateway-authorization", SECRET),
        ("x-gateway-passphrase", PASSPHRASE),
    ];
    let sent = memory.send_with(method, path, body, &headers);
    let answer = sent.now_or_never().unwrap();
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

#[test]
fn what_was_issued_there_is_good_here() {
    let there = gateway();
    client(&there, "c");
    let access = own_token(&there, "c");
    let (_, approved) = approve(&there, "response_type=code&client_id=c");
    let code = text(&approved, "code");
    let (_, tokens) = token(
        &there,
        "c",
        &format!("grant_type=authorization_code&code={code}"),
    );
    let refresh = text(&tokens, "refresh_token");
    let exported = with_passphrase(&there, "GET", "/gateway/export", "");
    let here = Memory::default();
    here.stop_clock();
    with_passphrase(&here, "POST", "/gateway/import", &exported);
    admin_ok(&here, "GET", "reload?block=true", &Value::Null);
    assert_eq!(use_token(&here, "/a/x", &access).0, 200);
    own_token(&here, "c");
    let (status, answer) = token(
        &here,
        "c",
        &format!("grant_type=refresh_token&refresh_token={refresh}"),
    );
    assert_eq!(status, 200, "{answer}");
    // Both have the same gateway secret, so the client's secret is shown, too.
    let read = admin_ok(&here, "GET", "oauth/clients/a/c", &Value::Null);
    assert_eq!(read["secret"], "s");
}

#[test]
fn without_a_passphrase_no_secret_leaves() {
    let there = gateway();
    client(&there, "c");
    own_token(&there, "c");
    let exported = admin(&there, "GET", "export", &Value::Null).body;
    let line = exported
        .lines()
        .find(|line| line.contains("\"oauth_client\""))
        .unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!(line["oauth_client"]["client"]["secret_hash"], json!(""));
    assert_eq!(line["oauth_client"]["client"]["sealed"], json!(""));
}

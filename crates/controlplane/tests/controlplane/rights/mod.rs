//! Credentials with rights at the administration API: what they allow, what they are refused, and their names in the
//! audit trail.

mod debugging;
mod secrets;

use crate::{now, value};
use gatewright_api::dashboard::{Access, Part};
use gatewright_api::endpoint::{ENDPOINTS, Right};
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory, SECRET};
use serde_json::{Value, json};

/// Returns the token of a credential with these rights at the gateway.
fn issue(gate: &Memory, name: &str, rights: &Value) -> String {
    let body = json!({"name": name, "permissions": {"gateway": rights}});
    let answer = now(gate.send("POST", "/gateway/dashboard/credentials", &body.to_string()));
    assert_eq!(answer.status, 200, "{}", answer.body);
    value(&answer)["token"].as_str().unwrap().to_owned()
}

fn call(gate: &Memory, token: &str, method: &str, target: &str, body: &str) -> Response {
    let bearer = format!("Bearer {token}");
    now(gate.send_with(method, target, body, &[("authorization", &bearer)]))
}

/// Whether a response says that a right is missing, rather than that something else is wrong.
fn is_refused(answer: &Response) -> bool {
    answer.status == 403 && answer.body.contains("This credential may not do that")
}

const API: &str = r#"{"name":"Orders","api_id":"orders","use_keyless":true,"proxy":{"listen_path":"/orders/","target_url":"http://a.example"},"version_data":{"not_versioned":true,"versions":{"Default":{"name":"Default"}}}}"#;

#[test]
fn each_route_requires_exactly_its_right() {
    let gate = Memory::default();
    for part in Part::ALL {
        let (reader, writer) = (
            issue(
                &gate,
                &format!("{} reader", part.word()),
                &json!({part.word(): "read"}),
            ),
            issue(
                &gate,
                &format!("{} writer", part.word()),
                &json!({part.word(): "write"}),
            ),
        );
        for row in ENDPOINTS.iter().filter(|row| row.right() != Right::Public) {
            let (reads, writes) = match row.right() {
                Right::Secret => (false, false),
                Right::Public | Right::Any => (true, true),
                Right::To(of, access) => (of == part && access == Access::Read, of == part),
            };
            // A reload is carried out without waiting for it; the other operations fail because of their variables or
            // body.
            for (token, may) in [(&reader, reads), (&writer, writes)] {
                let answer = call(&gate, token, row.method, row.path, "");
                let what = format!(
                    "{} {} by {}: {}",
                    row.method,
                    row.path,
                    part.word(),
                    answer.body
                );
                assert_eq!(is_refused(&answer), !may, "{what}");
            }
        }
    }
}

#[test]
fn credential_without_gateway_rights_is_unauthorised() {
    let gate = Memory::default();
    let body = json!({"name": "hooks", "permissions": {"hooks": "write"}});
    let answer = now(gate.send("POST", "/gateway/dashboard/credentials", &body.to_string()));
    let hooks = value(&answer)["token"].as_str().unwrap().to_owned();
    for token in [hooks.as_str(), DASHBOARD_TOKEN, SECRET, "wrong"] {
        let answer = call(&gate, token, "GET", "/gateway/apis", "");
        assert_eq!(answer.status, 403);
        assert!(
            answer.body.contains("invalid or missing key"),
            "{}",
            answer.body
        );
    }
    let token = issue(&gate, "anna", &json!({"apis": "read"}));
    // A foreign page can't know the token, so it was leaked.
    let bearer = format!("Bearer {token}");
    let foreign = [
        ("authorization", bearer.as_str()),
        ("sec-fetch-site", "cross-site"),
    ];
    assert_eq!(
        now(gate.send_with("GET", "/gateway/apis", "", &foreign)).status,
        403
    );
    // If both are sent, the secret decides.
    let both = [
        ("authorization", bearer.as_str()),
        ("x-gateway-authorization", "wrong"),
    ];
    assert_eq!(
        now(gate.send_with("GET", "/gateway/apis", "", &both)).status,
        403
    );
}

#[test]
fn refusal_names_the_missing_right() {
    let gate = Memory::default();
    let token = issue(&gate, "anna", &json!({"apis": "read"}));
    assert_eq!(call(&gate, &token, "GET", "/gateway/apis", "").status, 200);
    let denied = call(&gate, &token, "POST", "/gateway/apis", API);
    assert!(
        denied
            .body
            .contains("the right to write the gateway's apis"),
        "{}",
        denied.body
    );
    let denied = call(&gate, &token, "GET", "/gateway/keys", "");
    assert!(
        denied.body.contains("the right to read the gateway's keys"),
        "{}",
        denied.body
    );
    let all: Value = Part::ALL
        .iter()
        .map(|part| (part.word().to_owned(), json!("write")))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let everything = issue(&gate, "ben", &all);
    for (method, path) in [
        ("GET", "/gateway/export"),
        ("POST", "/gateway/import"),
        ("GET", "/gateway/dashboard/credentials"),
    ] {
        let denied = call(&gate, &everything, method, path, "");
        assert!(
            denied.body.contains("only the gateway secret may"),
            "{}",
            denied.body
        );
    }
}

const SIGNER: &str = r#"{"access_rights":{"orders":{"api_id":"orders","versions":["Default"]}},"hmac_enabled":true,"hmac_string":"canary-hmac","jwt_data":{"secret":"canary-jwt"},"oauth_keys":{"client":"canary-token"},"basic_auth_data":{"password":"canary-password"}}"#;

#[test]
fn revoked_credential_is_refused() {
    let gate = Memory::default();
    let token = issue(&gate, "anna", &json!({"apis": "read"}));
    assert_eq!(call(&gate, &token, "GET", "/gateway/apis", "").status, 200);
    let listed = value(&now(gate.send("GET", "/gateway/dashboard/credentials", "")));
    let id = listed["credentials"][0]["id"].as_str().unwrap().to_owned();
    now(gate.send(
        "DELETE",
        &format!("/gateway/dashboard/credentials/{id}"),
        "",
    ));
    assert_eq!(call(&gate, &token, "GET", "/gateway/apis", "").status, 403);
}

/// Returns who did what, oldest first.
fn trail(gate: &Memory) -> Vec<(String, String)> {
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let answer = now(gate.send_with("GET", "/api/audit", "", &[("authorization", &bearer)]));
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
    let mut entries: Vec<_> = value(&answer)["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (text(entry, "subject"), text(entry, "actor")))
        .collect();
    entries.reverse();
    entries
}

#[test]
fn audit_trail_names_the_actor() {
    let gate = Memory::default();
    let rights = json!({"apis": "write", "keys": "write", "policies": "write", "organisations": "write", "reload": "write"});
    let anna = issue(&gate, "anna", &rights);
    for (method, path, body) in [
        ("POST", "/gateway/apis", API),
        (
            "POST",
            "/gateway/policies",
            r#"{"id":"gold","name":"gold","rate":1,"per":1,"access_rights":{}}"#,
        ),
        ("POST", "/gateway/org/keys/default", "{}"),
        (
            "POST",
            "/gateway/keys",
            r#"{"access_rights":{"orders":{"api_id":"orders","versions":["Default"]}}}"#,
        ),
        ("GET", "/gateway/reload?block=true", ""),
    ] {
        let answer = call(&gate, &anna, method, path, body);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    }
    assert_eq!(
        now(gate.send("DELETE", "/gateway/apis/orders", "")).status,
        200
    );
    now(gate.send("GET", "/gateway/reload?block=true", ""));
    let expected = [
        ("credential", "gateway"),
        ("api", "anna"),
        ("policy", "anna"),
        ("organisation", "anna"),
        ("key", "anna"),
        ("reload", "anna"),
        ("api", "gateway"),
        ("reload", "gateway"),
    ];
    let expected = expected.map(|(subject, actor)| (subject.to_owned(), actor.to_owned()));
    assert_eq!(trail(&gate), expected);
}

#[test]
fn console_sign_in_respects_rights() {
    let gate = Memory::default();
    let anna = issue(&gate, "anna", &json!({"apis": "read"}));
    let bearer = format!("Bearer {anna}");
    let console = [
        ("x-gateway-console", "1"),
        ("sec-fetch-site", "same-origin"),
    ];
    let sign_in = |more: &[(&str, &str)]| {
        let headers: Vec<_> = console.iter().chain(more).copied().collect();
        let answer = now(gate.send_with("POST", "/console/session", "", &headers));
        let cookie = answer
            .header("set-cookie")
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .to_owned();
        (value(&answer), cookie)
    };
    let send = |cookie: &str, method: &str, path: &str, body: &str| {
        let headers: Vec<_> = console
            .iter()
            .copied()
            .chain([("cookie", cookie)])
            .collect();
        now(gate.send_with(method, path, body, &headers))
    };
    let (who, cookie) = sign_in(&[("authorization", &bearer)]);
    assert_eq!(
        (&who["gateway"], &who["rights"]["gateway"]["apis"]),
        (&json!(false), &json!("read"))
    );
    assert_eq!(send(&cookie, "GET", "/gateway/apis", "").status, 200);
    assert!(is_refused(&send(&cookie, "POST", "/gateway/apis", API)));
    let (who, cookie) = sign_in(&[
        ("authorization", &bearer),
        ("x-gateway-authorization", SECRET),
    ]);
    assert_eq!(
        (&who["name"], &who["rights"]["gateway"]["keys"]),
        (&json!("anna"), &json!("write"))
    );
    assert_eq!(send(&cookie, "POST", "/gateway/apis", API).status, 200);
    assert_eq!(
        trail(&gate).last().unwrap(),
        &("api".to_owned(), "anna".to_owned())
    );
}

#[test]
fn trail_search_matches_parts_of_names_ids_and_actors() {
    let gate = Memory::default();
    let anna = issue(&gate, "Anna Schmidt", &json!({"apis": "write"}));
    call(&gate, &anna, "POST", "/gateway/apis", API);
    now(gate.send("DELETE", "/gateway/apis/orders", ""));
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    for (part, actors) in [
        ("RDER", &["gateway", "Anna Schmidt"][..]),
        ("schm", &["Anna Schmidt", "gateway"]),
        ("schmidt&subject=api", &["Anna Schmidt"]),
        ("nobody", &[]),
        ("%25", &[]),
    ] {
        let target = format!("/api/audit?q={part}");
        let answer = now(gate.send_with("GET", &target, "", &[("authorization", &bearer)]));
        let entries = value(&answer)["entries"].as_array().unwrap().clone();
        let found: Vec<&str> = entries
            .iter()
            .map(|entry| entry["actor"].as_str().unwrap())
            .collect();
        assert_eq!(found, actors, "{part}");
    }
}

/// Returns the authors of a document's revisions, newest first.
fn authors(gate: &Memory, path: &str) -> Vec<Value> {
    let answer = now(gate.send("GET", &format!("{path}/revisions"), ""));
    assert_eq!(answer.status, 200, "{}", answer.body);
    let list = value(&answer)["revisions"].as_array().unwrap().clone();
    list.into_iter()
        .map(|revision| revision["by"].clone())
        .collect()
}

#[test]
fn revisions_name_their_author() {
    let gate = Memory::default();
    let rights = json!({"apis": "write", "policies": "write"});
    let (anna, ben) = (issue(&gate, "anna", &rights), issue(&gate, "ben", &rights));
    let policy = r#"{"id":"gold","name":"gold","rate":1,"per":1,"access_rights":{}}"#;
    call(&gate, &anna, "POST", "/gateway/apis", API);
    call(
        &gate,
        &ben,
        "PUT",
        "/gateway/apis/orders",
        &API.replace("Orders", "Ordered"),
    );
    now(gate.send("DELETE", "/gateway/apis/orders", ""));
    call(&gate, &ben, "POST", "/gateway/policies", policy);
    call(
        &gate,
        &anna,
        "PUT",
        "/gateway/policies/gold",
        &policy.replace("\"rate\":1", "\"rate\":2"),
    );
    assert_eq!(
        authors(&gate, "/gateway/apis/orders"),
        ["gateway", "ben", "anna"]
    );
    assert_eq!(authors(&gate, "/gateway/policies/gold"), ["anna", "ben"]);
}

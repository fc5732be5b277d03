//! The trail of the dashboard API: notifications; files, times, and secrets that an audit entry does not show.

use crate::{call, call_as, now, value};
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory, SECRET};
use serde_json::{Value, json};

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    let found = response.headers.iter().find(|(key, _)| *key == name);
    found.map(|(_, value)| value.as_str())
}

fn provider(gate: &Memory, name: &str) {
    let body = json!({"name": name, "jwks_uri": "https://idp.example/jwks"});
    let made = call(gate, "POST", "/api/clientidps", &body.to_string());
    assert_eq!(made.status, 201, "{}", made.body);
}

/// Returns the token of a credential that may read one group of the default organisation.
fn reader(gate: &Memory, group: &str) -> String {
    let body = json!({"name": group, "org_id": "default", "permissions": {group: "read"}});
    let made = now(gate.send("POST", "/gateway/dashboard/credentials", &body.to_string()));
    assert_eq!(made.status, 200, "{}", made.body);
    value(&made)["token"].as_str().unwrap().to_owned()
}

#[test]
fn notification_pages_are_full_despite_hidden_entries() {
    let gate = Memory::default();
    for name in ["p1", "p2", "p3"] {
        provider(&gate, name);
    }
    now(gate.send("GET", "/gateway/reload/?block=true", ""));
    provider(&gate, "p4");
    now(gate.send("GET", "/gateway/reload/?block=true", ""));
    let seqs = |group: &str, query: &str| {
        let target = format!("/api/notifications?{query}");
        let page = value(&call_as(&gate, &reader(&gate, group), "GET", &target, ""));
        assert_eq!(page["last"], 6);
        let list = page["notifications"].as_array().unwrap().clone();
        list.iter()
            .map(|n| n["seq"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(seqs("apis", "limit=1"), [4]);
    assert_eq!(seqs("apis", "limit=1&after=4"), [6]);
    assert!(seqs("apis", "limit=1&after=6").is_empty());
    assert_eq!(seqs("clientidps", "limit=4"), [1, 2, 3, 5]);
    assert_eq!(seqs("clientidps", "after=3&limit=1"), [5]);
    assert!(seqs("rulesets", "").is_empty());
}

#[test]
fn notification_names_the_provider() {
    let gate = Memory::default();
    provider(&gate, "Keycloak");
    let page = value(&call(&gate, "GET", "/api/notifications", ""));
    assert_eq!(page["notifications"][0]["data"]["name"], "Keycloak");
}

#[test]
fn a_file_holds_everything_that_matches() {
    let gate = Memory::default();
    provider(&gate, "=1+1");
    for number in 0..1100 {
        provider(&gate, &format!("n{number}"));
    }
    let csv = call(&gate, "GET", "/api/audit?format=csv&limit=1", "");
    assert_eq!(
        header(&csv, "content-disposition"),
        Some("attachment; filename=\"audit.csv\"")
    );
    let lines: Vec<_> = csv.body.lines().collect();
    assert_eq!(lines.len(), 1102);
    assert!(lines[0].starts_with("seq,at,org_id,actor,action,subject,"));
    assert!(lines[1].starts_with("1101,") && lines[1101].contains(",'=1+1,"));
    let json = value(&call(&gate, "GET", "/api/audit?format=json&before=3", ""));
    assert_eq!(json["entries"].as_array().unwrap().len(), 2);
    assert_eq!(json["next"], Value::Null);
    assert_eq!(call(&gate, "GET", "/api/audit?format=xml", "").status, 400);
}

/// Returns the client of an entry.
fn client(entry: &Value) -> Value {
    json!([
        entry["ip_address"],
        entry["user_agent"],
        entry["request_id"]
    ])
}

const KEY: &str = r#"{"access_rights":{"a":{"api_id":"a","versions":["Default"]}},"expires":1}"#;

/// Sends what every kind of administrative request is an example of, from this client; each adds one entry.
fn administer(gate: &Memory, client: &[(&str, &str)]) {
    let send = |(method, target, body): (&str, &str, &str), credential| {
        let headers: Vec<_> = client.iter().copied().chain(credential).collect();
        let sent = now(gate.send_with(method, target, body, &headers));
        assert!(sent.status < 300, "{target}: {}", sent.body);
        sent
    };
    let bearer = format!("Bearer {DASHBOARD_TOKEN}");
    let console = [
        ("x-gateway-console", "1"),
        ("sec-fetch-site", "same-origin"),
    ];
    let secret = || vec![("x-gateway-authorization", SECRET)];
    let api = json!({"api_id": "a", "name": "a", "use_keyless": true,
        "proxy": {"listen_path": "/a/", "target_url": "http://up.example"}});
    send(("POST", "/gateway/apis", &api.to_string()), secret());
    send(("POST", "/gateway/keys", KEY), secret());
    let part = r#"{"apis": ["a"]}"#;
    send(("GET", "/gateway/reload?block=true", ""), secret());
    send(("POST", "/gateway/reload?block=true", part), secret());
    send(
        ("POST", "/api/rulesets", r#"{"name": "r"}"#),
        vec![("authorization", bearer.as_str())],
    );
    let signed_in = send(
        ("POST", "/console/session", ""),
        [secret(), console.to_vec()].concat(),
    );
    let cookie = header(&signed_in, "set-cookie").unwrap().split(';').next();
    send(
        ("DELETE", "/console/session", ""),
        [&[("cookie", cookie.unwrap())], &console[..]].concat(),
    );
}

#[test]
fn an_entry_names_the_client() {
    let gate = Memory::default();
    administer(&gate, &[("user-agent", "curl/8.5\u{1b}")]);
    let list = value(&call(&gate, "GET", "/api/audit", ""));
    let entries = list["entries"].as_array().unwrap();
    let subjects: Vec<_> = entries.iter().map(|entry| &entry["subject"]).collect();
    let expected = [
        "sign_in", "sign_in", "ruleset", "reload", "reload", "key", "api",
    ];
    assert_eq!(subjects, expected);
    for entry in entries {
        assert_eq!(client(entry), json!(["192.0.2.1", "curl/8.5", "request"]));
        let detail = call(&gate, "GET", &format!("/api/audit/{}", entry["seq"]), "");
        assert_eq!(client(&value(&detail)["entry"]), client(entry));
    }
    let csv = call(&gate, "GET", "/api/audit?format=csv&subject=api", "");
    assert!(
        csv.body
            .contains(",before,after,ip_address,user_agent,request_id\r\n")
    );
    assert!(
        csv.body.ends_with(",1,192.0.2.1,curl/8.5,request\r\n"),
        "{}",
        csv.body
    );
}

#[test]
fn what_the_gateway_does_by_itself_has_no_client() {
    let gate = Memory::default();
    let lasting = KEY.replace("\"expires\":1", "\"session_lifetime\":60");
    administer(&gate, &[]);
    assert_eq!(
        now(gate.send("POST", "/gateway/keys", &lasting)).status,
        200
    );
    gate.wait(3600);
    gate.delete_expired_keys().unwrap();
    let list = value(&call(&gate, "GET", "/api/audit?actor=lifetime", ""));
    assert!(!list["entries"].as_array().unwrap().is_empty());
    for entry in list["entries"].as_array().unwrap() {
        assert_eq!(client(entry), json!([null, null, null]));
    }
}

#[test]
fn the_trail_is_filtered_by_client() {
    let gate = Memory::default();
    administer(&gate, &[]);
    let count = |query: &str| {
        let answer = call(&gate, "GET", &format!("/api/audit?{query}"), "");
        let entries = value(&answer)["entries"].as_array().map(Vec::len);
        (answer.status, entries)
    };
    for (query, found) in [
        ("request_id=request", 7),
        ("request_id=Request", 0),
        ("request_id=request&subject=reload", 2),
        ("ip_address=192.0.2.1", 7),
        ("ip_address=::ffff:192.0.2.1&action=deleted", 1),
        ("ip_address=192.0.2.2", 0),
        ("q=192.0.2", 7),
        ("q=REQUEST", 7),
    ] {
        assert_eq!(count(query), (200, Some(found)), "{query}");
    }
    assert_eq!(count("ip_address=localhost"), (400, None));
}

#[test]
fn times_are_parsed_before_comparing() {
    let gate = Memory::default();
    provider(&gate, "n");
    let count = |query: &str| {
        let answer = call(&gate, "GET", &format!("/api/audit?{query}"), "");
        (
            answer.status,
            value(&answer)["entries"].as_array().map(Vec::len),
        )
    };
    assert_eq!(count("from=2026-01-01"), (200, Some(1)));
    assert_eq!(count("to=2026-01-01"), (200, Some(0)));
    assert_eq!(count("from=2026-01-01T00:00:00.000Z"), (200, Some(1)));
    assert_eq!(count("from=yesterday"), (400, None));
}

#[test]
fn entry_shows_secret_change_without_its_value() {
    let gate = Memory::default();
    let hook = |secret: &str| {
        json!({"name": "n", "method": "POST", "target_path": "https://a.example", "webhook_id": "w",
            "header_map": {"Authorization": secret}})
        .to_string()
    };
    assert_eq!(
        call(&gate, "POST", "/api/hooks", &hook("canary-1")).status,
        200
    );
    assert_eq!(
        call(&gate, "PUT", "/api/hooks/w", &hook("canary-2")).status,
        200
    );
    let api = |secret: &str| {
        json!({"api_id": "a", "name": "a", "use_keyless": true, "jwt_source": secret,
            "proxy": {"listen_path": "/a/", "target_url": "http://up.example"}})
        .to_string()
    };
    for secret in ["Y2FuYXJ5MQ==", "Y2FuYXJ5Mg=="] {
        let stored = now(gate.send("POST", "/gateway/apis", &api(secret)));
        assert_eq!(stored.status, 200, "{}", stored.body);
    }
    let list = value(&call(&gate, "GET", "/api/audit", ""));
    let entries = list["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 4);
    assert_eq!(
        (&entries[0]["actor"], &entries[2]["actor"]),
        (&json!("gateway"), &json!("dashboard"))
    );
    let mut changed = Vec::new();
    for entry in entries {
        let detail = call(&gate, "GET", &format!("/api/audit/{}", entry["seq"]), "");
        assert!(!detail.body.contains("canary") && !detail.body.contains("Y2FuYXJ5"));
        for change in value(&detail)["changes"].as_array().unwrap() {
            if change["after"] == "\"•••\"" {
                changed.push(change["pointer"].as_str().unwrap().to_owned());
            }
        }
    }
    assert!(changed.contains(&"/jwt_source".to_owned()));
    assert!(changed.contains(&"/header_map/Authorization".to_owned()));
}

#[test]
fn an_entry_shows_no_document_of_another_organisation() {
    let gate = Memory::default();
    let api = |org: &str, host: &str| {
        json!({"api_id": "moved", "name": "n", "org_id": org, "active": true, "use_keyless": true,
            "proxy": {"listen_path": "/moved/", "target_url": format!("https://{host}/")}})
        .to_string()
    };
    let made = now(gate.send("POST", "/gateway/apis", &api("acme", "before.example")));
    assert_eq!(made.status, 200, "{}", made.body);
    for host in ["first.example", "second.example"] {
        let moved = now(gate.send("PUT", "/gateway/apis/moved", &api("", host)));
        assert_eq!(moved.status, 200, "{}", moved.body);
    }
    let policy = |org: &str, name: &str| {
        json!({"id": "p", "name": name, "org_id": org, "access_rights": {"moved": {"api_id": "moved"}}})
            .to_string()
    };
    for (org, name) in [("acme", "of acme"), ("default", "ours"), ("", "too")] {
        let path = if org == "acme" {
            "/gateway/policies"
        } else {
            "/gateway/policies/p"
        };
        let method = if org == "acme" { "POST" } else { "PUT" };
        let stored = now(gate.send(method, path, &policy(org, name)));
        assert_eq!(stored.status, 200, "{}", stored.body);
    }
    let page = value(&call(&gate, "GET", "/api/audit", ""));
    let seen = page["entries"].as_array().unwrap().iter().map(|entry| {
        let entry = call(&gate, "GET", &format!("/api/audit/{}", entry["seq"]), "");
        assert!(!entry.body.contains("before.example"), "{}", entry.body);
        assert!(!entry.body.contains("of acme"), "{}", entry.body);
        value(&entry)["changes"].as_array().unwrap().len()
    });
    assert_eq!(seen.collect::<Vec<_>>(), [2, 0, 1, 0]);
}

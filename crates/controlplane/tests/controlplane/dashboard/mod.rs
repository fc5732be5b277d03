//! The dashboard API over the ports in memory.

mod documents;

use crate::{now, value};
use gatewright_api::dashboard::endpoint::DASHBOARD;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use gatewright_testkit::sql::Fault;
use serde_json::{Value, json};

const IDP: &str =
    r#"{"name":"Keycloak","client_idp_id":"kc","jwks_uri":"https://idp.example/jwks","kept":1.0}"#;

fn call_as(gate: &Memory, token: &str, method: &str, target: &str, body: &str) -> Response {
    let bearer = format!("Bearer {token}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
    ];
    now(gate.send_with(method, target, body, &headers))
}

pub(crate) fn call(gate: &Memory, method: &str, target: &str, body: &str) -> Response {
    call_as(gate, DASHBOARD_TOKEN, method, target, body)
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    let found = response.headers.iter().find(|(key, _)| *key == name);
    found.map(|(_, value)| value.as_str())
}

/// Issues a credential and returns its token.
fn issue(gate: &Memory, org: &str, permissions: &Value) -> String {
    let body = json!({"name": "ci", "org_id": org, "permissions": permissions});
    let answer = now(gate.send("POST", "/gateway/dashboard/credentials", &body.to_string()));
    assert_eq!(answer.status, 200, "{}", answer.body);
    value(&answer)["token"].as_str().unwrap().to_owned()
}

fn provider() -> Memory {
    let gate = Memory::default();
    let made = call(&gate, "POST", "/api/clientidps", IDP);
    assert_eq!(made.status, 201, "{}", made.body);
    gate
}

fn notices(gate: &Memory) -> Vec<Value> {
    let answer = call(gate, "GET", "/api/notifications", "");
    let list = value(&answer)["notifications"].as_array().unwrap().clone();
    list.into_iter()
        .filter(|notice| notice["type"] == "NoticeClientIdPChanged")
        .collect()
}

#[test]
fn every_endpoint_refuses_invalid_credentials() {
    let gate = Memory::default();
    for endpoint in DASHBOARD {
        let path = endpoint
            .path
            .replace("{id}", "a")
            .replace("{hookId}", "a")
            .replace("{noticeId}", "a")
            .replace("{apiId}", "a")
            .replace("{revision}", "1")
            .replace("{seq}", "1");
        for headers in [
            &[][..],
            &[("authorization", "Bearer wrong")],
            &[("authorization", DASHBOARD_TOKEN)],
            &[("x-gateway-authorization", DASHBOARD_TOKEN)],
        ] {
            // Errors of a request are reported only to authorised callers.
            let answer = now(gate.send_with(endpoint.method, &path, "", headers));
            assert_eq!(answer.status, 401, "{} {path}", endpoint.method);
        }
    }
}

#[test]
fn a_credential_is_confined_and_revoked_at_once() {
    let gate = provider();
    let other = issue(&gate, "acme", &json!({"clientidps": "write"}));
    assert_eq!(
        call_as(&gate, &other, "GET", "/api/clientidps/kc", "").status,
        404
    );
    assert_eq!(call_as(&gate, &other, "GET", "/api/hooks", "").status, 403);
    let claimed =
        r#"{"name":"n","jwks_uri":"https://a.example","org_id":"default","client_idp_id":"kc"}"#;
    assert_eq!(
        call_as(&gate, &other, "POST", "/api/clientidps", claimed).status,
        201
    );
    let stored = value(&call_as(&gate, &other, "GET", "/api/clientidps/kc", ""));
    assert_eq!(stored["org_id"], "acme");
    let reader = issue(&gate, "", &json!({"clientidps": "read"}));
    assert_eq!(
        call_as(&gate, &reader, "GET", "/api/clientidps/kc", "").status,
        200
    );
    let denied = call_as(&gate, &reader, "DELETE", "/api/clientidps/kc", "");
    assert_eq!(
        (denied.status, value(&denied)["Message"].as_str().unwrap()),
        (
            403,
            "access denied: You do not have permission to access  /api/clientidps/kc"
        )
    );
    let list = value(&now(gate.send("GET", "/gateway/dashboard/credentials", "")));
    assert!(!list.to_string().contains(&reader), "a token is shown once");
    for credential in list["credentials"].as_array().unwrap() {
        let path = format!(
            "/gateway/dashboard/credentials/{}",
            credential["id"].as_str().unwrap()
        );
        assert_eq!(now(gate.send("DELETE", &path, "")).status, 200);
    }
    assert_eq!(
        call_as(&gate, &reader, "GET", "/api/clientidps/kc", "").status,
        401
    );
    gate.restart();
    assert_eq!(
        call_as(&gate, &other, "GET", "/api/clientidps/kc", "").status,
        401
    );
}

#[test]
fn deleted_rulesets_come_back_and_names_are_unique() {
    let gate = Memory::default();
    let ruleset = r#"{"name":"Style","ruleset_id":"style"}"#;
    assert_eq!(call(&gate, "POST", "/api/rulesets", ruleset).status, 201);
    assert_eq!(call(&gate, "POST", "/api/rulesets", ruleset).status, 409);
    let second = r#"{"name":"Style"}"#;
    assert_eq!(call(&gate, "POST", "/api/rulesets", second).status, 409);
    assert_eq!(
        call(&gate, "POST", "/api/rulesets/style/restore", "").status,
        400
    );
    assert_eq!(call(&gate, "DELETE", "/api/rulesets/style", "").status, 200);
    assert_eq!(call(&gate, "GET", "/api/rulesets/style", "").status, 404);
    let deleted = value(&call(&gate, "GET", "/api/rulesets?deleted=true", ""));
    assert_eq!(deleted["rulesets"][0]["ruleset_id"], "style");
    let back = call(&gate, "POST", "/api/rulesets/style/restore", "");
    assert_eq!(back.status, 200, "{}", back.body);
    let read = value(&call(&gate, "GET", "/api/rulesets/style", ""));
    assert_eq!(read["_id"], value(&back)["_id"]);
}

#[test]
fn categories_come_from_the_apis_of_the_organisation() {
    let gate = Memory::default();
    let api = |id: &str, name: &str, org: &str| {
        json!({"api_id": id, "name": name, "org_id": org, "use_keyless": true,
            "proxy": {"listen_path": format!("/{id}/"), "target_url": "http://up.example"}})
    };
    for api in [
        api("a", "Orders #sales #EU", "default"),
        api("b", "Pay #Sales", ""),
        api("c", "Other #secret", "acme"),
    ] {
        let answer = now(gate.send("POST", "/gateway/apis", &api.to_string()));
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let list = value(&call(&gate, "GET", "/api/apis/categories", ""));
    assert_eq!(list, json!({"categories": ["EU", "sales"]}));
    let right = r#"{"name":"a","categories":["SALES "," sales",""]}"#;
    assert_eq!(call(&gate, "POST", "/api/rulesets", right).status, 201);
    let wrong = call(
        &gate,
        "POST",
        "/api/rulesets",
        r#"{"name":"b","categories":["secret"]}"#,
    );
    assert_eq!(wrong.status, 400);
    assert!(
        value(&wrong)["Message"]
            .as_str()
            .unwrap()
            .contains("secret")
    );
}

#[test]
fn webhooks_have_their_own_statuses() {
    let gate = Memory::default();
    let hook =
        r#"{"name":"n","method":"POST","target_path":"https://a.example/x","webhook_id":"w"}"#;
    let status = |method: &str, path: &str, body: &str| call(&gate, method, path, body).status;
    assert_eq!(status("POST", "/api/hooks", ""), 500);
    assert_eq!(status("POST", "/api/hooks", "{"), 403);
    assert_eq!(status("POST", "/api/hooks", "{}"), 400);
    assert_eq!(status("POST", "/api/hooks", hook), 200);
    assert_eq!(status("POST", "/api/hooks", hook), 409);
    assert_eq!(status("PUT", "/api/hooks/none", hook), 400);
    assert_eq!(status("GET", "/api/hooks/none", ""), 400);
    assert_eq!(status("DELETE", "/api/hooks/none", ""), 404);
    let id = value(&call(&gate, "GET", "/api/hooks/w", ""))["id"].clone();
    let path = format!("/api/hooks/{}", id.as_str().unwrap());
    let body = r#"{"method":"GET","target_path":"https://b.example"}"#;
    let updated = call(&gate, "PUT", "/api/hooks/w", body);
    let expected = json!({"Message": "Hook updated", "Meta": null, "Status": "OK"});
    assert_eq!(value(&updated), expected);
    let stored = value(&call(&gate, "GET", &path, ""));
    assert_eq!(
        (&stored["name"], &stored["webhook_id"]),
        (&json!(""), &json!(""))
    );
}

#[test]
fn audit_trail_records_actor_and_action() {
    let gate = provider();
    let writer = issue(&gate, "", &json!({"clientidps": "write"}));
    call_as(
        &gate,
        &writer,
        "PATCH",
        "/api/clientidps/kc/mappings",
        r#"{"a":{}}"#,
    );
    let trail = value(&call(&gate, "GET", "/api/audit?subject=client_idp", ""));
    let entries = trail["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0]["actor"], "ci");
    assert_eq!(
        (&entries[0]["before"], &entries[0]["after"]),
        (&json!(1), &json!(2))
    );
    let one = format!("/api/audit/{}", entries[0]["seq"]);
    let detail = value(&call(&gate, "GET", &one, ""));
    let pointers: Vec<_> = detail["changes"].as_array().unwrap().iter().collect();
    assert!(
        pointers
            .iter()
            .any(|change| change["pointer"] == "/api_mappings")
    );
    let hooks = issue(&gate, "", &json!({"hooks": "read"}));
    let nothing = value(&call_as(&gate, &hooks, "GET", "/api/audit", ""));
    assert_eq!(nothing["entries"], json!([]));
    assert_eq!(call_as(&gate, &hooks, "GET", &one, "").status, 404);
}

#[test]
fn a_dry_run_warns_of_missing_policies_and_of_scopes_that_keys_still_use() {
    let gate = provider();
    let policy = r#"{"id":"gold","rate":1,"per":1,"access_rights":{"a":{"api_id":"a"}}}"#;
    assert_eq!(
        now(gate.send("POST", "/gateway/policies", policy)).status,
        200
    );
    let key = r#"{"apply_policies":["gold"]}"#;
    assert_eq!(now(gate.send("POST", "/gateway/keys", key)).status, 200);
    let patch = |patch: &str, query: &str| {
        let target = format!("/api/clientidps/kc/mappings{query}");
        let answer = call(&gate, "PATCH", &target, patch);
        assert_eq!(answer.status, 200, "{}", answer.body);
        value(&answer)
    };
    let warned = |method: &str, target: &str, body: &str| {
        let preview = value(&call(&gate, method, target, body));
        let issues = preview["issues"].as_array().unwrap().clone();
        let pointers = issues
            .iter()
            .map(|issue| issue["pointer"].as_str().unwrap().to_owned());
        pointers
            .filter(|pointer| pointer != "/a")
            .collect::<Vec<_>>()
    };
    let mappings = "/api/clientidps/kc/mappings?dry_run=true";
    let added = r#"{"a":{"scope_to_policy":{"read":"gold","write":"none"}}}"#;
    assert_eq!(
        warned("PATCH", mappings, added),
        ["/a/scope_to_policy/write"]
    );
    patch(added, "");
    let removed = r#"{"a":{"scope_to_policy":{"read":null,"write":null}}}"#;
    assert_eq!(
        warned("PATCH", mappings, removed),
        ["/a/scope_to_policy/read"]
    );
    let one = "/api/clientidps/kc/mappings/a?dry_run=true";
    let other = r#"{"scope_to_policy":{"write":"gold"}}"#;
    assert_eq!(warned("PUT", one, other), ["/a/scope_to_policy/read"]);
    assert_eq!(warned("DELETE", one, ""), ["/a/scope_to_policy/read"]);
}

#[test]
fn list_flags_are_parsed_or_refused() {
    let gate = Memory::default();
    for (name, active) in [("on", true), ("off", false)] {
        let body = json!({ "name": name, "active": active, "is_template": active });
        let made = call(&gate, "POST", "/api/rulesets", &body.to_string());
        assert_eq!(made.status, 201, "{}", made.body);
    }
    let names = |query: &str| {
        let answer = call(&gate, "GET", &format!("/api/rulesets?{query}"), "");
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
        let list = value(&answer)["rulesets"].as_array().unwrap().clone();
        let names = list
            .iter()
            .map(|one| one["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names("is_template=true&active=1"), ["on"]);
    assert_eq!(names("is_template=1&active=true"), ["on"]);
    assert_eq!(names("is_template=0&active=false&deleted=0"), ["off"]);
    assert_eq!(names("is_template=&active=&deleted=false"), ["off"]);
    assert!(names("deleted=1").is_empty());
    for switch in ["active", "is_template", "deleted"] {
        for text in ["yes", "TRUE", "2"] {
            let path = format!("/api/rulesets?{switch}={text}");
            let answer = call(&gate, "GET", &path, "");
            let message = value(&answer)["Message"].as_str().unwrap().to_owned();
            assert_eq!(answer.status, 400, "{path}");
            assert!(message.contains(switch), "{message}");
        }
    }
}

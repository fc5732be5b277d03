//! What the Registry holds in memory, and how many documents there may be.

use crate::{call, now, value};
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

fn admin(gate: &Memory, method: &str, target: &str, body: &Value) -> Response {
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    now(gate.send(method, target, &body))
}

fn done(response: &Response) {
    assert!(response.status < 300, "{}", response.body);
}

fn api(id: &str) -> Value {
    json!({
        "api_id": id, "name": id, "active": true, "use_keyless": true,
        "proxy": {"listen_path": format!("/{id}/"), "target_url": "http://up.example/"},
    })
}

fn policy(id: &str) -> Value {
    json!({"id": id, "name": id, "org_id": "default", "active": true, "access_rights": {}})
}

fn provider(id: &str) -> String {
    json!({"name": id, "client_idp_id": id, "jwks_uri": "https://idp.example/jwks"}).to_string()
}

/// Creates this many APIs, and of every tenth number a policy and a provider.
fn fill(gate: &Memory, count: usize) {
    for n in 0..count {
        done(&admin(
            gate,
            "POST",
            "/gateway/apis",
            &api(&format!("a{n}")),
        ));
        if n % 10 == 0 {
            let id = format!("p{n}");
            done(&admin(gate, "POST", "/gateway/policies", &policy(&id)));
            done(&call(gate, "POST", "/api/clientidps", &provider(&id)));
        }
    }
}

fn clear(gate: &Memory, count: usize) {
    for n in 0..count {
        done(&admin(
            gate,
            "DELETE",
            &format!("/gateway/apis/a{n}"),
            &Value::Null,
        ));
        if n % 10 == 0 {
            done(&admin(
                gate,
                "DELETE",
                &format!("/gateway/policies/p{n}"),
                &Value::Null,
            ));
            done(&call(gate, "DELETE", &format!("/api/clientidps/p{n}"), ""));
        }
    }
}

fn deleted(gate: &Memory) -> Value {
    let target = "/gateway/apis?view=summary&state=deleted&per_page=1";
    value(&admin(gate, "GET", target, &Value::Null))["total"].clone()
}

#[test]
fn deleted_documents_are_not_held_in_memory() {
    const MANY: usize = 1000;
    let gate = Memory::default();
    done(&admin(&gate, "POST", "/gateway/apis", &api("kept")));
    let before = gate.held();
    assert_eq!(before, (1, 0));
    fill(&gate, MANY);
    assert_eq!(gate.held(), (1 + MANY, MANY / 5));
    clear(&gate, MANY);
    assert_eq!(gate.held(), before);
    gate.restart();
    assert_eq!(deleted(&gate), MANY);
    assert_eq!(gate.held(), before, "nor after a restart");

    // They are listed, have their revisions, and can be restored, and their numbers go on.
    let listed = value(&call(&gate, "GET", "/api/clientidps?deleted=true&p=1", ""));
    assert_eq!(listed["total"], MANY / 10, "{listed}");
    for path in ["/gateway/apis/a7", "/gateway/policies/p10"] {
        let listed = admin(&gate, "GET", &format!("{path}/revisions"), &Value::Null);
        assert_eq!(value(&listed)["revisions"].as_array().unwrap().len(), 2);
        let text = admin(&gate, "GET", &format!("{path}/revisions/1"), &Value::Null);
        assert_eq!(text.status, 200, "{}", text.body);
        let restore = format!("{path}/revisions/1/restore");
        done(&admin(&gate, "POST", &restore, &Value::Null));
        let text = admin(&gate, "GET", &format!("{path}/revisions/3"), &Value::Null);
        assert_eq!(text.status, 200, "{}", text.body);
    }
    done(&call(
        &gate,
        "POST",
        "/api/clientidps/p20/revisions/1/restore",
        "",
    ));
    done(&admin(&gate, "POST", "/gateway/apis", &api("a8")));
    let text = admin(&gate, "GET", "/gateway/apis/a8/revisions/3", &Value::Null);
    assert_eq!(text.status, 200, "{}", text.body);
    done(&admin(&gate, "POST", "/gateway/policies", &policy("p30")));
    let text = admin(
        &gate,
        "GET",
        "/gateway/policies/p30/revisions/3",
        &Value::Null,
    );
    assert_eq!(text.status, 200, "{}", text.body);
    assert_eq!(gate.held(), (3, 3));
}

#[test]
fn a_published_api_is_held_until_a_reload_drops_it() {
    let gate = Memory::default();
    let reload = || {
        done(&admin(
            &gate,
            "GET",
            "/gateway/reload?block=true",
            &Value::Null,
        ))
    };
    let waits = || {
        let status = value(&admin(&gate, "GET", "/gateway/reload/status", &Value::Null));
        let list = |name: &str, id: &str| {
            let list = status[name].as_array().unwrap().iter();
            list.map(|row| json!([row[id], row["change"]]))
                .collect::<Vec<_>>()
        };
        json!([list("pending", "api_id"), list("pending_policies", "id")])
    };
    fill(&gate, 3);
    reload();
    clear(&gate, 3);
    let all = json!([
        [["a0", "deleted"], ["a1", "deleted"], ["a2", "deleted"]],
        [["p0", "deleted"]]
    ]);
    assert_eq!(waits(), all);
    gate.restart();
    assert_eq!(waits(), all);
    // A deletion can be published alone, of a policy too.
    let some = json!({"apis": ["a1"], "policies": ["p0"]});
    done(&admin(&gate, "POST", "/gateway/reload", &some));
    assert_eq!(waits(), json!([[["a0", "deleted"], ["a2", "deleted"]], []]));
    reload();
    assert_eq!(gate.held(), (0, 0));
    assert_eq!(waits(), json!([[], []]));
    // The first generation serves what is deleted; its plan says so.
    let plan = value(&admin(
        &gate,
        "GET",
        "/gateway/reload/generations/1",
        &Value::Null,
    ));
    assert_eq!(plan["pending_total"], 4, "{plan}");
    done(&admin(
        &gate,
        "POST",
        "/gateway/reload",
        &json!({"generation": 1}),
    ));
    assert_eq!(waits(), all);
    assert_eq!(gate.held(), (3, 0));
    reload();
    assert_eq!(gate.held(), (0, 0));
}

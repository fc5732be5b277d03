//! Requests of one organisation that must not keep the only Registry busy for all others.

use crate::dashboard::call;
use crate::{now, value};
use gatewright_controlplane::registry::records::{RecordFacts, Records};
use gatewright_controlplane::registry::rows::Record;
use gatewright_protocol::records::Kind;
use gatewright_testkit::platform::Memory;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// The longest that a request may take here, which is far longer than any of them does.
const LONGEST: Duration = Duration::from_secs(8);

#[test]
fn few_patches_lie_between_two_full_texts() {
    let gate = Memory::default();
    let idp = json!({"name": "k", "client_idp_id": "kc", "jwks_uri": "https://idp.example/jwks", "filler": "x".repeat(20_000)});
    let made = call(&gate, "POST", "/api/clientidps", &idp.to_string());
    assert_eq!(made.status, 201, "{}", made.body);
    for scope in 0..100 {
        let patch = json!({"a": {"scope_to_policy": {"s": format!("p{scope}")}}}).to_string();
        let patched = call(&gate, "PATCH", "/api/clientidps/kc/mappings", &patch);
        assert_eq!(patched.status, 200, "{}", patched.body);
    }
    let listed = value(&call(
        &gate,
        "GET",
        "/api/clientidps/kc/revisions?limit=200",
        "",
    ));
    let revisions = listed["revisions"].as_array().unwrap();
    let is_full: Vec<bool> = revisions
        .iter()
        .map(|revision| revision["bytes"].as_u64().unwrap() > 20_000)
        .collect();
    assert_eq!(is_full.len(), 101);
    let longest = is_full.split(|is_full| *is_full).map(<[bool]>::len).max();
    assert!((1..=32).contains(&longest.unwrap()), "{longest:?}");
}

#[test]
fn unknown_ids_are_not_looked_for_among_all_documents() {
    let mut records = Records::default();
    for id in 0..2000 {
        records.put(Record {
            kind: Kind::Policy,
            id: format!("policy-{id}"),
            org: String::new(),
            revision: 1,
            deleted: false,
            created_at: String::new(),
            updated_at: String::new(),
            facts: RecordFacts::default(),
        });
    }
    let began = Instant::now();
    for id in 0..10_000 {
        let id = format!("unknown-{id}");
        assert_eq!(records.live(Kind::Policy, "", &id), None);
    }
    assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
}

#[test]
fn many_categories_are_looked_for_at_once() {
    let gate = Memory::default();
    let own: Vec<String> = (0..50).map(|number| format!("Own{number}")).collect();
    let api = json!({"api_id": "a", "name": format!("A #{}", own.join(" #")), "active": true, "use_keyless": true,
        "proxy": {"listen_path": "/a/", "target_url": "https://up.example/"}});
    let made = now(gate.send("POST", "/gateway/apis", &api.to_string()));
    assert_eq!(made.status, 200, "{}", made.body);
    for name in 0..500 {
        let ruleset = json!({"name": format!("r{name}"), "categories": own});
        let made = call(&gate, "POST", "/api/rulesets", &ruleset.to_string());
        assert_eq!(made.status, 201, "{}", made.body);
    }
    let mut wanted: Vec<String> = (0..3000).map(|number| format!("c{number}")).collect();
    let began = Instant::now();
    let total = |wanted: &[String]| {
        let target = format!("/api/rulesets?per_page=1&categories={}", wanted.join(","));
        value(&call(&gate, "GET", &target, ""))["total"].clone()
    };
    assert_eq!(total(&wanted), 0);
    wanted.push("oWN7".to_owned());
    assert_eq!(total(&wanted), 500);
    assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
}

fn hook(name: &str, subscriptions: &Value) -> String {
    json!({"name": name, "webhook_id": name, "method": "POST", "target_path": "https://hook.example/", "subscriptions": subscriptions})
        .to_string()
}

#[test]
fn an_organisation_has_a_limited_number_of_webhooks() {
    let gate = Memory::default();
    for name in 0..1000 {
        let made = call(
            &gate,
            "POST",
            "/api/hooks",
            &hook(&format!("h{name}"), &json!(["*"])),
        );
        assert_eq!(made.status, 200, "{}", made.body);
    }
    let one_more = || call(&gate, "POST", "/api/hooks", &hook("more", &json!([])));
    let refused = one_more();
    assert_eq!(refused.status, 400);
    assert!(
        refused.body.contains("at most 1000 webhooks"),
        "{}",
        refused.body
    );
    let changed = call(&gate, "PUT", "/api/hooks/h7", &hook("h7", &json!([])));
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_eq!(call(&gate, "DELETE", "/api/hooks/h7", "").status, 200);
    assert_eq!(one_more().status, 200);
    let restored = call(&gate, "POST", "/api/hooks/h7/revisions/1/restore", "");
    assert_eq!(restored.status, 400, "{}", restored.body);
}

#[test]
fn an_organisation_has_a_limited_number_of_rulesets_and_of_providers() {
    let gate = Memory::default();
    gate.bound_documents(2);
    let ruleset = |name: &str| json!({"name": name, "ruleset_id": name});
    let provider = |name: &str| json!({"name": name, "client_idp_id": name, "jwks_uri": "https://idp.example/jwks"});
    for (path, document) in [
        ("/api/rulesets", &ruleset as &dyn Fn(&str) -> Value),
        ("/api/clientidps", &provider),
    ] {
        let send = |method: &str, path: &str, name: &str| {
            call(&gate, method, path, &document(name).to_string())
        };
        for name in ["a", "b"] {
            assert_eq!(send("POST", path, name).status, 201, "{path}");
        }
        let refused = send("POST", path, "c");
        assert_eq!(refused.status, 400, "{}", refused.body);
        for words in ["has at most 2 ", "DOCUMENTS_PER_ORG_MAX"] {
            assert!(refused.body.contains(words), "{}", refused.body);
        }
        let of_a = format!("{path}/a");
        assert_eq!(send("PUT", &of_a, "a").status, 200, "{path}");
        assert_eq!(call(&gate, "DELETE", &of_a, "").status, 200, "{path}");
        assert_eq!(send("POST", path, "c").status, 201, "{path}");
        let restored = call(&gate, "POST", &format!("{of_a}/revisions/1/restore"), "");
        assert_eq!(restored.status, 400, "{}", restored.body);
    }
}

#[test]
fn a_subscription_has_a_limited_length() {
    let gate = Memory::default();
    let refused = call(
        &gate,
        "POST",
        "/api/hooks",
        &hook("h", &json!(["s".repeat(129)])),
    );
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("/subscriptions"), "{}", refused.body);
    let made = call(
        &gate,
        "POST",
        "/api/hooks",
        &hook("h", &json!(["s".repeat(128)])),
    );
    assert_eq!(made.status, 200, "{}", made.body);
}

/// Thousands of names in one base may lead to the same API.
#[test]
fn a_version_with_many_names_is_deleted_and_restored_in_one_edit() {
    let gate = Memory::default();
    let api = |id: &str, definition: &Value| {
        json!({"api_id": id, "name": id, "active": true, "use_keyless": true, "definition": definition,
            "proxy": {"listen_path": format!("/{id}/"), "target_url": "https://up.example/"}})
        .to_string()
    };
    let names = (0..3000).map(|name| (format!("v{name}"), json!("child")));
    let versions: Map<String, Value> = names.chain([("own".to_owned(), json!("base"))]).collect();
    let base = json!({"enabled": true, "name": "b", "default": "v1", "key": "v", "location": "header", "versions": versions});
    for api in [api("child", &json!({})), api("base", &base)] {
        let made = now(gate.send("POST", "/gateway/apis", &api));
        assert_eq!(made.status, 200, "{}", made.body);
    }
    let base_now = || {
        value(&now(gate.send(
            "GET",
            "/gateway/apis/base?complete=false",
            "",
        )))["definition"]
            .clone()
    };
    let began = Instant::now();
    assert_eq!(
        now(gate.send("DELETE", "/gateway/apis/child", "")).status,
        200
    );
    assert_eq!(base_now()["versions"], json!({"own": "base"}));
    assert_eq!(base_now()["default"], "b");
    let restored = now(gate.send("POST", "/gateway/apis/child/revisions/1/restore", ""));
    assert_eq!(restored.status, 200, "{}", restored.body);
    assert_eq!(base_now(), base);
    assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
}

/// One large policy, named thousands of times, took all the memory of the Registry, for which reading keys was enough.
#[test]
fn the_policies_of_a_key_have_a_limited_size() {
    let gate = Memory::default();
    let urls: Vec<Value> = (0..5000)
        .map(|number| json!({"url": format!("/path-{number}"), "methods": ["GET"]}))
        .collect();
    let rights = json!({"a": {"api_id": "a", "allowed_urls": urls}});
    let policy = json!({"id": "large", "name": "large", "access_rights": rights}).to_string();
    assert_eq!(
        now(gate.send("POST", "/gateway/policies", &policy)).status,
        200
    );
    let times = 4 * 1024 * 1024 / policy.len();
    let key = |times: usize| json!({"apply_policies": vec!["large"; times]}).to_string();
    let made = now(gate.send("POST", "/gateway/keys?dry_run=true", &key(times)));
    assert_eq!(made.status, 200, "{}", made.body);
    let began = Instant::now();
    let refused = now(gate.send("POST", "/gateway/keys", &key(times + 1)));
    assert_eq!(refused.status, 500);
    assert!(
        refused.body.contains("more than 4194304 bytes"),
        "{}",
        refused.body
    );
    let shown = now(gate.send("POST", "/gateway/keys/preview", &key(2000)));
    assert_eq!(shown.status, 200);
    assert!(
        !shown.body.contains("/path-1"),
        "the policies are not applied"
    );
    assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
}

#[test]
fn pending_policies_are_found_without_comparing_all_with_each() {
    let gate = Memory::default();
    for id in 0..600 {
        let policy = json!({"id": format!("policy-{id}"), "name": "p", "access_rights": {"a": {"api_id": "a"}}});
        assert_eq!(
            now(gate.send("POST", "/gateway/policies", &policy.to_string())).status,
            200
        );
    }
    assert_eq!(
        now(gate.send("GET", "/gateway/reload?block=true", "")).status,
        200
    );
    assert_eq!(
        now(gate.send("DELETE", "/gateway/policies/policy-3", "")).status,
        200
    );
    let mut ids: Vec<String> = (0..40_000).map(|id| format!("unknown-{id}")).collect();
    ids.extend(["policy-3".to_owned(), "policy-4".to_owned()]);
    let began = Instant::now();
    let key = json!({"access_rights": {"a": {"api_id": "a"}}, "apply_policies": ids}).to_string();
    let shown = now(gate.send("POST", "/gateway/keys/preview", &key));
    assert_eq!(shown.status, 200);
    assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
    let made = json!({"apply_policies": ["policy-4", "policy-3"]}).to_string();
    let made = value(&now(gate.send("POST", "/gateway/keys", &made)));
    let key = format!("/gateway/keys/{}", made["key"].as_str().unwrap());
    let shown = now(gate.send("GET", &key, ""));
    let pending = shown
        .headers
        .iter()
        .find(|(name, _)| *name == "x-gateway-pending-policies");
    assert_eq!(pending.map(|(_, ids)| ids.as_str()), Some("policy-3"));
}

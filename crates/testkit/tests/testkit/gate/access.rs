//! How a session decides about a request.

use super::{Visit, admin, api, gateway, get, key, publish, put, refusal, session, visit};
use gatewright_dataplane::failure::Failure;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

#[test]
fn a_key_that_is_inactive_or_has_ended_is_refused_until_it_is_mended() {
    let memory = gateway();
    let (token, hash) = key(&memory, &session(&["a"], &json!({})));
    let later = memory.now_ms() / 1000 + 3600;
    for (members, failure) in [
        (json!({ "is_inactive": true }), Some(Failure::KeyInactive)),
        (json!({ "expires": 1 }), Some(Failure::KeyExpired)),
        (json!({ "expires": 0 }), None),
        (json!({ "expires": -1 }), None),
        (json!({ "expires": later }), None),
        // Inactive takes precedence.
        (
            json!({ "is_inactive": true, "expires": 1 }),
            Some(Failure::KeyInactive),
        ),
    ] {
        put(&memory, &hash, "", &session(&["a"], &members));
        assert_eq!(refusal(&memory, &token, "/a/x"), failure, "{members}");
    }
}

#[test]
fn a_key_ends_while_everybody_knows_it() {
    let memory = gateway();
    let end = memory.now_ms() / 1000 + 600;
    let (token, _) = key(&memory, &session(&["a"], &json!({ "expires": end })));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    memory.wait(700);
    assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::KeyExpired));
}

#[test]
fn a_key_opens_the_apis_and_versions_of_its_rights() {
    let memory = gateway();
    // If an API says that it is not versioned, versions aren't checked (reference 2.2).
    let unversioned = json!({ "version_data": { "not_versioned": true,
        "versions": { "v2": { "name": "v2" } } } });
    let named = json!({ "version_data": {
        "versions": { "v2": { "name": "v2" } } } });
    publish(&memory, &[api("v", &named), api("u", &unversioned)]);
    let refused = Some(Failure::ApiDisallowed);
    let version = Some(Failure::VersionDisallowed);
    for (rights, target, failure) in [
        (json!({ "a": {} }), "/a/x", None),
        (json!({ "a": {} }), "/b/x", refused),
        (json!({ "elsewhere": {} }), "/a/x", refused),
        (json!({ "a": { "versions": ["Default"] } }), "/a/x", None),
        (json!({ "a": { "versions": ["v2"] } }), "/a/x", version),
        (json!({ "v": { "versions": ["v2"] } }), "/v/x", None),
        (json!({ "v": { "versions": ["v1", "v2"] } }), "/v/x", None),
        (json!({ "v": { "versions": ["Default"] } }), "/v/x", version),
        (json!({ "u": { "versions": ["Default"] } }), "/u/x", None),
    ] {
        let (token, _) = key(&memory, &json!({ "access_rights": rights }));
        assert_eq!(
            refusal(&memory, &token, target),
            failure,
            "{rights} {target}"
        );
    }
}

#[test]
fn paths_and_methods_are_those_that_the_rights_name() {
    let memory = gateway();
    let urls = json!([
        { "url": "^/a/orders/[0-9]+$", "methods": ["GET", "put"] },
        { "url": "/reports", "methods": ["GET"] },
        { "url": "^/inner$", "methods": ["GET"] },
        { "url": "/nothing", "methods": [] },
    ]);
    let rights = json!({ "a": { "allowed_urls": urls } });
    let (token, _) = key(&memory, &json!({ "access_rights": rights }));
    let headers = [("authorization", token.as_str())];
    for (method, target, passes) in [
        ("GET", "/a/orders/7", true),
        // Methods are compared case-sensitively (reference 2.2).
        ("PUT", "/a/orders/7", false),
        ("POST", "/a/orders/7", false),
        ("GET", "/a/orders/x", false),
        ("GET", "/a/orders/7?x=/orders/y", true),
        ("GET", "/a/reports/1", true),
        // Always the full path, never the one without the listen path.
        ("GET", "/a/inner", false),
        ("GET", "/a/nothing", false),
        ("GET", "/a/", false),
        // Some upstreams resolve dots like these.
        ("GET", "/a/reports/..;/1", false),
        ("GET", "/a/reports/..%5C1", false),
        ("GET", "/a/reports/%252e%252e/1", false),
        ("GET", "/a/reports/...;/1", true),
        // Or take the path for that of another resource.
        ("GET", "/a/secret%3F/reports", false),
        ("GET", "/a/secret%23/reports", false),
        ("GET", "/a/x;y/reports", true),
    ] {
        let answer = visit(
            &memory,
            Visit {
                method,
                target,
                headers: &headers,
                body: "",
            },
        );
        let failure = answer.err().map(|refusal| refusal.failure);
        let expected = (!passes).then_some(Failure::ResourceDisallowed);
        assert_eq!(failure, expected, "{method} {target}");
    }
}

#[test]
fn where_rules_begin_with_the_path_those_of_a_key_may_begin_behind_the_listen_path() {
    let mut memory = Memory::default();
    memory.settings.anchors.prefix = true;
    publish(&memory, &[api("a", &json!({}))]);
    let urls = json!([
        { "url": "/orders/{id}/lines", "methods": ["GET"] },
        { "url": "/a/reports", "methods": ["GET"] },
        { "url": "/files/*/raw", "methods": ["GET"] },
    ]);
    let rights = json!({ "a": { "allowed_urls": urls } });
    let (token, _) = key(&memory, &json!({ "access_rights": rights }));
    for (target, passes) in [
        ("/a/orders/7/lines/1", true),
        ("/a/x/orders/7/lines", false),
        ("/a/reports", true),
        ("/a/a/reports", true),
        ("/a/x/a/reports", false),
        ("/a/files/x/raw", true),
        ("/a/files/x/y/raw", false),
    ] {
        let expected = (!passes).then_some(Failure::ResourceDisallowed);
        assert_eq!(refusal(&memory, &token, target), expected, "{target}");
    }
}

#[test]
fn a_key_that_is_bound_to_a_certificate_opens_nothing_unless_it_is_shown() {
    let memory = gateway();
    let pem = include_str!("../../../cases/certificates/rsa.crt");
    let added = memory.send("POST", "/gateway/certs", pem);
    let added = futures_util::FutureExt::now_or_never(added).unwrap();
    let added: serde_json::Value = serde_json::from_str(&added.body).unwrap();
    let stored = &added["id"];
    for members in [
        json!({ "certificate": "org0123" }),
        json!({ "mtls_static_certificate_bindings": [stored] }),
    ] {
        let (token, _) = key(&memory, &session(&["a"], &members));
        // First nobody can prove the presented certificate, then it is the wrong one.
        let failure = Some(Failure::CredentialUnavailable);
        assert_eq!(refusal(&memory, &token, "/a/x"), failure, "{members}");
        let missing = r#"{"refused":{"status":401,"message":"no"},"is":"certificate"}"#;
        memory.isolate.report(&[missing, r#"{"stored":true}"#]);
        memory.isolate.take_proofs();
        let failure = Some(Failure::CertificateRequired);
        assert_eq!(refusal(&memory, &token, "/a/x"), failure, "{members}");
        assert_eq!(refusal(&memory, &token, "/a/x"), None, "{members}");
        let [asked, _] = memory.isolate.take_proofs().try_into().unwrap();
        let id = members.as_object().unwrap().values().next().unwrap();
        let id = id.as_str().or_else(|| id[0].as_str()).unwrap();
        let settings = format!("{{\"use_certificate\":false,\"certificates\":[\"{id}\"]}}");
        assert_eq!(
            (asked.function, &*asked.settings),
            ("boundCertificate", settings.as_str())
        );
    }
}

#[test]
fn a_key_without_rights_opens_everything_where_master_keys_are_allowed_and_else_nothing() {
    let mut memory = gateway();
    let refused = admin(&memory, "POST", "keys", &json!({}));
    assert_eq!(refused.status, 500);
    memory.gate.allow_master_keys = true;
    let (token, _) = key(&memory, &json!({ "rate": 100, "per": 1 }));
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    assert_eq!(refusal(&memory, &token, "/b/x"), None);
    memory.gate.allow_master_keys = false;
    let failure = Some(Failure::ApiDisallowed);
    assert_eq!(refusal(&memory, &token, "/a/x"), failure);
}

#[test]
fn a_key_without_its_policies_opens_nothing() {
    let memory = gateway();
    let policy = session(&["a"], &json!({ "id": "gold", "rate": 10, "per": 1 }));
    assert_eq!(admin(&memory, "POST", "policies", &policy).status, 200);
    let (token, _) = key(&memory, &json!({ "apply_policies": ["gold"] }));
    // Stored, but not published yet.
    let failure = Some(Failure::CredentialUnknown);
    assert_eq!(refusal(&memory, &token, "/a/x"), failure);
    super::reload(&memory);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    assert_eq!(
        refusal(&memory, &token, "/b/x"),
        Some(Failure::ApiDisallowed)
    );
    let inactive = super::with(policy, &json!({ "is_inactive": true }));
    let changed = admin(&memory, "PUT", "policies/gold", &inactive);
    assert_eq!(changed.status, 200);
    assert_eq!(refusal(&memory, &token, "/a/x"), None);
    super::reload(&memory);
    assert_eq!(refusal(&memory, &token, "/a/x"), Some(Failure::KeyInactive));
    let gone = admin(&memory, "DELETE", "policies/gold", &Value::Null);
    assert_eq!(gone.status, 200);
    super::reload(&memory);
    assert_eq!(refusal(&memory, &token, "/a/x"), failure);
}

#[test]
fn nobody_passes_while_the_limits_are_unavailable() {
    let memory = gateway();
    publish(&memory, &[api("open", &json!({ "use_keyless": true }))]);
    let (token, _) = key(&memory, &session(&["a"], &json!({})));
    let failure = Some(Failure::LimitsUnavailable);
    for call in ["session", "consume"] {
        memory.isolate.fail(call);
        assert_eq!(refusal(&memory, &token, "/a/x"), failure, "{call}");
        assert_eq!(refusal(&memory, "", "/open/x"), None);
        memory.isolate.heal();
        assert_eq!(refusal(&memory, &token, "/a/x"), None);
    }
}

#[test]
fn what_needs_no_key_asks_nobody() {
    let memory = Memory::default();
    publish(&memory, &[api("open", &json!({ "use_keyless": true }))]);
    let passed = get(&memory, "anything", "/open/x?y=1").unwrap();
    let sent = passed.sent.unwrap();
    assert_eq!(sent.url, "http://up/x?y=1");
    assert!(sent.headers.iter().next().is_none() && sent.answer.is_empty());
    assert!(memory.isolate.take_calls().is_empty());
}

#[test]
fn a_restriction_that_is_not_looked_at_refuses_instead_of_passing() {
    let memory = Memory::default();
    memory.allow_unenforced("graphql.enabled");
    let graphql = json!({ "graphql": { "enabled": true } });
    let mcp = json!({ "application_protocol": "mcp" });
    let apis = [api("a", &json!({})), api("g", &graphql), api("m", &mcp)];
    publish(&memory, &apis);
    let types = json!({ "restricted_types": [{ "name": "T", "fields": ["f"] }] });
    let deep = json!({ "limit": { "max_query_depth": 3, "rate": 100, "per": 1 } });
    let tools = json!({ "mcp_access_rights": { "tools": { "blocked": ["t"] } } });
    let none = json!({ "disable_introspection": false, "limit": { "max_query_depth": -1 } });
    for (id, right, passes) in [
        ("a", &none, true),
        ("g", &none, true),
        ("m", &none, true),
        // Types and depths don't apply to an API that is not GraphQL.
        ("a", &types, true),
        ("a", &deep, true),
        ("g", &types, false),
        ("g", &deep, false),
        // A body that is not a message uses none of the primitives they restrict.
        ("m", &tools, true),
    ] {
        let sent = json!({ "access_rights": { id: right } });
        let (token, _) = key(&memory, &sent);
        let refused = (!passes).then_some(Failure::ResourceDisallowed);
        assert_eq!(
            refusal(&memory, &token, &format!("/{id}/x")),
            refused,
            "{id} {right}"
        );
    }
    // The depth limit of the key itself, and access rights that were granted before the API existed.
    let sent = session(&["g"], &json!({ "max_query_depth": 3 }));
    let (token, _) = key(&memory, &sent);
    let refused = Some(Failure::ResourceDisallowed);
    assert_eq!(refusal(&memory, &token, "/g/x"), refused);
    let (token, _) = key(&memory, &json!({ "access_rights": { "later": tools } }));
    publish(&memory, &[api("later", &json!({}))]);
    assert_eq!(refusal(&memory, &token, "/later/x"), refused);
}

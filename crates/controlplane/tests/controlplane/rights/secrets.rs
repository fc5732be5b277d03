//! What callers don't see who may read, but not write.

use super::{API, SIGNER, call, issue, now, value};
use gatewright_controlplane::registry::sql::Sql;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

#[test]
fn read_only_callers_see_no_session_secrets() {
    let gate = Memory::default();
    for (part, path) in [
        ("keys", "/gateway/keys/signer"),
        ("organisations", "/gateway/org/keys/default"),
    ] {
        assert_eq!(now(gate.send("POST", path, SIGNER)).status, 200, "{path}");
        let reader = issue(&gate, part, &json!({part: "read"}));
        let writer = issue(&gate, &format!("{part} writer"), &json!({part: "write"}));
        for query in ["", "?applied=false"] {
            let target = format!("{path}{query}");
            let read = call(&gate, &reader, "GET", &target, "");
            assert_eq!(read.status, 200, "{}", read.body);
            assert!(!read.body.contains("canary"), "{}", read.body);
            let shown = value(&read);
            for pointer in ["/hmac_string", "/jwt_data/secret", "/oauth_keys/client"] {
                assert_eq!(shown.pointer(pointer), Some(&json!("•••")), "{pointer}");
            }
            assert_eq!(shown["hmac_enabled"], true);
            let whole = now(gate.send("GET", &target, ""));
            assert_eq!(value(&whole)["hmac_string"], "canary-hmac");
            let tag = |answer: &Response| answer.header("etag").unwrap().to_owned();
            assert_ne!(tag(&read), tag(&whole));
            assert_eq!(call(&gate, &writer, "GET", &target, "").body, whole.body);
            // The masks that a reader sees are not accepted as secrets.
            for (method, body) in [("PUT", &read.body), ("POST", &read.body)] {
                let written = call(&gate, &writer, method, path, body);
                assert_eq!(written.status, 400, "{}", written.body);
                assert!(written.body.contains("/hmac_string"), "{}", written.body);
            }
            assert_eq!(now(gate.send("GET", &target, "")).body, whole.body);
        }
    }
}

#[test]
fn read_only_callers_see_no_api_secrets() {
    let gate = Memory::default();
    let mut classic: Value = serde_json::from_str(API).unwrap();
    classic["upstream_auth"] = json!({"enabled": true, "basic_auth": {"enabled": true, "username": "u", "password": "canary-1"}});
    let document = json!({
        "openapi": "3.0.3", "info": {"title": "Pets", "version": "1"}, "paths": {},
        "x-gateway-api-gateway": {
            "info": {"name": "Pets", "id": "pets", "state": {"active": true}},
            "server": {"listenPath": {"value": "/pets/"}},
            "upstream": {"url": "http://a.example", "authentication": {"enabled": true, "basicAuth": {"enabled": true, "username": "u", "password": "canary-2"}}},
        },
    });
    for (path, body) in [
        ("/gateway/apis", classic),
        ("/gateway/apis/oas", document.clone()),
    ] {
        let made = now(gate.send("POST", path, &body.to_string()));
        assert_eq!(made.status, 200, "{}", made.body);
    }
    let reader = issue(&gate, "reader", &json!({"apis": "read"}));
    let writer = issue(&gate, "writer", &json!({"apis": "write"}));
    for path in [
        "/gateway/apis",
        "/gateway/apis?include_types=mcp",
        "/gateway/apis?view=summary",
        "/gateway/apis/orders",
        "/gateway/apis/orders/revisions/1",
        "/gateway/apis/pets",
        "/gateway/apis/pets/revisions/1",
        "/gateway/apis/oas",
        "/gateway/apis/oas/pets",
        "/gateway/apis/oas/pets/export",
        "/gateway/apis/oas/export",
    ] {
        let read = call(&gate, &reader, "GET", path, "");
        assert_eq!(read.status, 200, "{path}: {}", read.body);
        assert!(!read.body.contains("canary"), "{path}: {}", read.body);
        let whole = now(gate.send("GET", path, ""));
        assert_eq!(
            call(&gate, &writer, "GET", path, "").body,
            whole.body,
            "{path}"
        );
        if !path.contains("summary") {
            assert!(whole.body.contains("canary"), "{path}: {}", whole.body);
            assert!(read.body.contains("•••"), "{path}: {}", read.body);
        }
    }
    let yaml = [
        ("authorization", format!("Bearer {reader}")),
        ("accept", "application/yaml".to_owned()),
    ];
    let yaml: Vec<_> = yaml.iter().map(|(name, text)| (*name, &**text)).collect();
    let read = now(gate.send_with("GET", "/gateway/apis/oas/pets", "", &yaml));
    assert!(read.body.contains("•••"), "{}", read.body);
    assert!(!read.body.contains("canary"), "{}", read.body);
    // A document with masks, as a reader sees it, can't be stored.
    for path in ["/gateway/apis/orders", "/gateway/apis/oas/pets"] {
        let seen = call(&gate, &reader, "GET", path, "").body;
        let written = call(&gate, &writer, "PUT", path, &seen);
        assert_eq!(written.status, 400, "{path}: {}", written.body);
        assert!(
            now(gate.send("GET", path, "")).body.contains("canary"),
            "{path}"
        );
    }
    // Nor does a list that can't be masked show them.
    let broken = "UPDATE revision SET text = '{' WHERE id = 'pets'";
    gate.sql.query(broken, &[]).unwrap();
    for path in ["/gateway/apis", "/gateway/apis/oas"] {
        let read = call(&gate, &reader, "GET", path, "");
        assert_eq!(read.status, 503, "{path}: {}", read.body);
    }
}

/// A definition is compiled only from what is in use, but all of the document is shown.
#[test]
fn read_only_callers_see_no_secrets_of_what_is_switched_off() {
    let gate = Memory::default();
    let document = json!({
        "openapi": "3.0.3", "info": {"title": "Pets", "version": "1"},
        "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"description": "a"}}}}},
        "components": {"securitySchemes": {
            "off": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
            "unused": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
            "external": {"type": "oauth2", "flows": {}},
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        }},
        "security": [{"off": []}],
        "x-gateway-api-gateway": {
            "info": {"name": "Pets", "id": "pets", "state": {"active": true}},
            "server": {
                "listenPath": {"value": "/pets/"},
                "authentication": {"enabled": true, "securitySchemes": {
                    "off": {"enabled": false, "source": "canary-1", "signingMethod": "hmac"},
                    "unused": {"enabled": true, "source": "canary-2", "signingMethod": "hmac"},
                    "external": {"enabled": true, "providers": [{
                        "jwt": {"enabled": true, "signingMethod": "hmac", "source": "canary-3"},
                        "introspection": {"enabled": true, "url": "https://a.example/", "clientId": "c", "clientSecret": "canary-4"},
                    }]},
                    "key": {"enabled": true, "signatureValidation": {"enabled": true, "secret": "canary-5"}},
                }},
            },
            "middleware": {"operations": {"a": {"transformRequestHeaders": {"enabled": false, "add": [
                {"name": "X-Key", "value": "canary-6"}, {"name": "X-Key", "value": "canary-7"},
            ]}}}},
            "upstream": {"url": "http://a.example", "authentication": {
                "enabled": false,
                "basicAuth": {"enabled": false, "username": "u", "password": "canary-8"},
                "requestSigning": {"enabled": false, "secret": "canary-9"},
            }},
        },
    });
    let made = now(gate.send("POST", "/gateway/apis/oas", &document.to_string()));
    assert_eq!(made.status, 200, "{}", made.body);
    let mut classic: Value = serde_json::from_str(API).unwrap();
    classic["external_oauth"] = json!({"enabled": true, "providers": [
        {"jwt": {"enabled": true, "signing_method": "hmac", "source": "canary-0"}},
    ]});
    let made = now(gate.send("POST", "/gateway/apis", &classic.to_string()));
    assert_eq!(made.status, 200, "{}", made.body);
    let reader = issue(&gate, "reader", &json!({"apis": "read"}));
    for path in [
        "/gateway/apis/orders",
        "/gateway/apis/oas/pets",
        "/gateway/apis/oas/export",
        "/gateway/apis/pets/revisions/1",
    ] {
        let read = call(&gate, &reader, "GET", path, "");
        assert_eq!(read.status, 200, "{path}: {}", read.body);
        assert!(!read.body.contains("canary"), "{path}: {}", read.body);
        assert!(now(gate.send("GET", path, "")).body.contains("canary"));
    }
    let bare = now(gate.send("GET", "/gateway/export", ""));
    assert!(!bare.body.contains("canary"), "{}", bare.body);
    // Nor can one of these masks be stored as a secret, however it is spelled.
    let mut masked = document;
    masked["x-gateway-api-gateway"]["server"]["authentication"]["securitySchemes"]["unused"]["source"] =
        json!("•••");
    for body in [
        masked.to_string(),
        masked.to_string().replace('•', "\\u2022"),
    ] {
        let written = now(gate.send("PUT", "/gateway/apis/oas/pets", &body));
        assert_eq!(written.status, 400, "{}", written.body);
        let pointer =
            "/x-gateway-api-gateway/server/authentication/securitySchemes/unused/source: •••";
        assert!(written.body.contains(pointer), "{}", written.body);
    }
}

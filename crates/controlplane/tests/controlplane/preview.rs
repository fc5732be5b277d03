//! Schemas, and results computed for documents that are not stored.

use futures_util::FutureExt;
use gatewright_api::preview::{Difference, Imported, Merged, Validated};
use gatewright_model::schema::json_schema;
use gatewright_model::shape::Root;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{Memory, SECRET};
use serde_json::{Value, json};

fn send(method: &str, target: &str, body: &str) -> Response {
    let memory = Memory::default();
    memory.send(method, target, body).now_or_never().unwrap()
}

fn get_if_none_match(target: &str, tag: &str) -> Response {
    let memory = Memory::default();
    let headers = [("x-gateway-authorization", SECRET), ("if-none-match", tag)];
    let sent = memory.send_with("GET", target, "", &headers);
    sent.now_or_never().unwrap()
}

fn json(response: &Response) -> Value {
    serde_json::from_str(&response.body).unwrap()
}

fn post<T: serde::de::DeserializeOwned>(target: &str, body: &Value) -> T {
    let response = send("POST", target, &body.to_string());
    assert_eq!(response.status, 200, "{}", response.body);
    serde_json::from_str(&response.body).unwrap()
}

#[test]
fn schema_covers_openapi_with_extension() {
    let schema = |query: &str| {
        let response = send("GET", &format!("/gateway/schema{query}"), "");
        assert_eq!(response.status, 200, "{query}: {}", response.body);
        let start = "{\"status\":\"Success\",\"message\":\"\",\"schema\":{";
        assert!(response.body.starts_with(start), "{}", response.body);
        let body: Value = serde_json::from_str(&response.body).unwrap();
        body["schema"].clone()
    };
    let version = |schema: &Value| {
        let document = &schema["$defs"]["Document"]["properties"];
        document["openapi"]["pattern"].clone()
    };
    for query in [
        "",
        "?oasVersion=",
        "?oasVersion=3.0",
        "?oasVersion=3.0.3",
        "?oasVersion=3",
    ] {
        assert_eq!(version(&schema(query)), r"^3\.0\.\d(-.+)?$", "{query}");
    }
    for query in ["?oasVersion=3.1", "?oasVersion=v3.1.0-rc1"] {
        assert_eq!(version(&schema(query)), r"^3\.1\.\d+(-.+)?$", "{query}");
    }
    let listen_path = &schema("")["$defs"]["x-ListenPath"];
    assert_eq!(listen_path["required"], json!(["value"]));
}

#[test]
fn version_without_schema_has_the_reference_message() {
    for (version, message) in [
        ("4", "Schema not found for version \"4\""),
        ("2.0", "Schema not found for version \"2.0\""),
        (".", "malformed version: ."),
        ("3.2.0", "Schema not found for version \"3.2.0\""),
        ("abc", "malformed version: abc"),
        ("3.0.x", "malformed version: 3.0.x"),
    ] {
        let response = send("GET", &format!("/gateway/schema?oasVersion={version}"), "");
        let body: Value = serde_json::from_str(&response.body).unwrap();
        assert_eq!((response.status, &body["status"]), (404, &json!("Failed")));
        assert_eq!(body["message"], message);
        assert_eq!(response.header("cache-control"), Some("no-store"));
    }
}

#[test]
fn every_kind_of_document_has_a_public_schema() {
    for root in Root::ALL {
        let path = format!("/openapi/schemas/{}.json", root.word());
        let memory = Memory::default();
        let response = memory.send_with("GET", &path, "", &[]).now_or_never();
        let response = response.unwrap();
        assert_eq!(response.status, 200, "{path}");
        assert_eq!(
            response.header("content-type"),
            Some("application/schema+json")
        );
        assert_eq!(response.body, json_schema(root) + "\n");
    }
    let response = send("GET", "/openapi/schemas/mystery.json", "");
    assert_eq!(response.status, 404);
    assert!(
        response.body.contains("api_definition, session"),
        "{}",
        response.body
    );
}

#[test]
fn unchanged_documents_are_not_sent_again() {
    for path in [
        "/gateway/schema",
        "/openapi/schemas/webhook.json",
        "/openapi/schemas/policy.json",
        "/openapi/gateway.json",
    ] {
        let first = send("GET", path, "");
        let tag = first.header("etag").unwrap();
        assert_eq!(first.header("cache-control"), Some("no-cache"), "{path}");
        let again = get_if_none_match(path, tag);
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{path}");
        assert_eq!(again.header("etag"), Some(tag));
        assert_eq!(get_if_none_match(path, "\"other\"").body, first.body);
    }
    let tags = ["webhook", "policy"].map(|root| {
        let response = send("GET", &format!("/openapi/schemas/{root}.json"), "");
        response.header("etag").map(str::to_owned)
    });
    assert_ne!(tags[0], tags[1]);
}

#[test]
fn a_document_is_checked_without_being_stored() {
    let memory = Memory::default();
    let check = |root: &str, body: &str| {
        let path = format!("/gateway/validate/{root}");
        memory.send("POST", &path, body).now_or_never().unwrap()
    };
    for root in Root::ALL {
        let response = check(root.word(), "[]");
        assert_eq!(response.status, 200, "{root:?}");
        let answer: Validated = serde_json::from_str(&response.body).unwrap();
        assert_eq!(answer.status, "error", "{root:?}");
        assert!(!answer.issues.is_empty(), "{root:?}");
    }
    let fine = check(
        "webhook",
        "{\"method\": \"POST\", \"target_path\": \"https://a.example/\"}",
    );
    assert_eq!(fine.body, "{\"status\":\"ok\",\"issues\":[]}\n");
    assert_eq!(check("policy", "{").status, 200);
    assert_eq!(check("mystery", "{}").status, 404);
    let list = memory
        .send("GET", "/gateway/apis", "")
        .now_or_never()
        .unwrap();
    assert_eq!(list.body, "[]\n");
}

#[test]
fn two_documents_are_compared() {
    let texts = json!({ "before": "{\"a\": 1, \"b\": 1.0}", "after": "{\"a\":2,\"b\":1.0}" });
    let difference: Difference = post("/gateway/diff", &texts);
    assert_eq!(difference.patch.as_deref(), Some("{\"a\":2}"));
    assert_eq!(difference.changes.len(), 1);

    let texts = json!({ "before": "{}", "after": "{\"a\":null}" });
    let difference: Difference = post("/gateway/diff", &texts);
    assert_eq!(
        (difference.patch, difference.null_at.as_deref()),
        (None, Some("/a"))
    );

    let texts = json!({ "before": "{}", "after": "{" }).to_string();
    let response = send("POST", "/gateway/diff", &texts);
    assert_eq!(response.status, 400);
    let body = json(&response);
    let message = body["message"].as_str().unwrap();
    assert!(
        message.starts_with("the new document is no JSON"),
        "{message}"
    );
    assert_eq!(body["issues"].as_array().unwrap().len(), 1);
}

#[test]
fn a_merge_patch_is_applied_to_a_text() {
    let texts = json!({ "target": "{ \"n\": 1.0, \"a\": 1 }", "patch": "{\"a\":null}" });
    let merged: Merged = post("/gateway/merge", &texts);
    assert_eq!(merged.text, "{ \"n\": 1.0 }");
    for (target, patch, message) in [
        ("{", "{}", "The target is no JSON"),
        ("{}", "{", "The patch is no JSON"),
    ] {
        let texts = json!({ "target": target, "patch": patch }).to_string();
        let response = send("POST", "/gateway/merge", &texts);
        assert_eq!(response.status, 400);
        assert_eq!(json(&response)["message"], message);
    }
    for body in ["{}", "{\"target\": {}, \"patch\": {}}", "[]"] {
        let response = send("POST", "/gateway/merge", body);
        assert_eq!(response.status, 400, "{body}");
        assert!(response.body.contains("two documents"), "{}", response.body);
    }
}

#[test]
fn an_openapi_document_becomes_a_definition_that_can_be_stored() {
    let document = json!({
        "openapi": "3.1.0", "info": { "title": "Pets", "version": "1" }, "paths": {},
        "servers": [{ "url": "https://one.example" }, { "url": "https://two.example" }],
    });
    let target = "/gateway/openapi/import?server=1&listen_path=/mine/&api_id=pets";
    let imported: Imported = post(target, &document);
    let text = imported.definition.get();
    let definition: Value = serde_json::from_str(text).unwrap();
    assert_eq!(definition["proxy"]["target_url"], "https://two.example");
    assert_eq!(definition["proxy"]["listen_path"], "/mine/");
    assert_eq!(definition["api_id"], "pets");
    assert!(!imported.report.is_empty());
    assert_eq!(send("POST", "/gateway/apis", text).status, 200);

    let refused = send("POST", "/gateway/openapi/import", "{\"swagger\": \"1.2\"}");
    assert_eq!(refused.status, 400);
    assert_eq!(json(&refused)["issues"][0]["pointer"], "/swagger");
    assert_eq!(
        send("POST", "/gateway/openapi/import?server=x", "{}").status,
        400
    );
}

//! PATCH of an OpenAPI document: what stays, and what its parameters make.

use super::{EXTENSION, created, document, get, send};
use gatewright_testkit::platform::Memory;
use serde_json::json;

#[test]
fn patch_keeps_extension_and_applies_parameters() {
    let memory = Memory::default();
    created(&memory, "/gateway/apis/oas", &document("a", "/a/"));
    let mut sent = document("a", "/a/");
    let plain = sent.as_object_mut().unwrap();
    plain.remove(EXTENSION);
    plain["paths"] = json!({ "/pets": { "get": { "operationId": "pets",
        "parameters": [{ "name": "n", "in": "query", "schema": { "type": "integer" } }],
        "responses": { "200": { "description": "" } } } } });
    let target = "/gateway/apis/oas/a?listenPath=/b/&allowList=true&validateRequest=true";
    let answer = send(&memory, "PATCH", target, &sent);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let stored = get(&memory, "/gateway/apis/oas/a");
    assert_eq!(stored["servers"][1]["url"], "/b");
    assert_eq!(stored["servers"].as_array().unwrap().len(), 2);
    assert_eq!(
        stored[EXTENSION]["middleware"]["operations"],
        json!({ "pets": { "allow": { "enabled": true },
            "validateRequest": { "enabled": true, "errorResponseCode": 422 } } })
    );
    assert_eq!(
        get(&memory, "/gateway/apis/a")["proxy"]["listen_path"],
        "/b/"
    );
}

#[test]
fn patch_takes_the_extension_that_comes_with_parameters() {
    let memory = Memory::default();
    created(&memory, "/gateway/apis/oas", &document("a", "/a/"));
    let mut sent = document("a", "/a/");
    sent[EXTENSION]["info"]["name"] = json!("renamed");
    let target = "/gateway/apis/oas/a?listenPath=/b/";
    let answer = send(&memory, "PATCH", target, &sent);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let stored = get(&memory, "/gateway/apis/oas/a");
    assert_eq!(stored[EXTENSION]["info"]["name"], "renamed");
    assert_eq!(stored[EXTENSION]["server"]["listenPath"]["value"], "/b/");
    for (id, status) in [("b", 400), ("a", 200)] {
        let target = format!("/gateway/apis/oas/a?apiID={id}");
        assert_eq!(send(&memory, "PATCH", &target, &sent).status, status);
    }
}

/// PATCH takes the extension of the stored document, so it must not undo what somebody has stored since it was read.
#[test]
fn patch_does_not_undo_a_concurrent_change_of_the_extension() {
    let memory = Memory::default();
    created(&memory, "/gateway/apis/oas", &document("a", "/a/"));
    let mut plain = document("a", "/a/");
    plain.as_object_mut().unwrap().remove(EXTENSION);
    let mut closed = document("a", "/a/");
    closed[EXTENSION]["info"]["state"]["active"] = json!(false);
    let target = "/gateway/apis/oas/a";
    memory.before_write(0, move |memory| {
        assert_eq!(send(memory, "PUT", target, &closed).status, 200);
    });
    let answer = send(&memory, "PATCH", target, &plain);
    assert_eq!(answer.status, 412, "{}", answer.body);
    assert_eq!(answer.header("etag"), Some("\"2\""));
    let stored = get(&memory, target);
    assert_eq!(stored[EXTENSION]["info"]["state"]["active"], false);
    assert_eq!(send(&memory, "PATCH", target, &plain).status, 200);
    let stored = get(&memory, target);
    assert_eq!(stored[EXTENSION]["info"]["state"]["active"], false);
}

/// Parameters are read as the reference reads them: without blanks around them, and with every spelling of a boolean.
#[test]
fn parameters_may_be_blank_and_booleans_short() {
    let memory = Memory::default();
    let plain = json!({ "openapi": "3.0.3", "info": { "title": "Pets", "version": "1" },
        "servers": [{ "url": "https://pets.example/v1" }],
        "paths": { "/pets": { "get": { "operationId": "pets", "responses": { "200": { "description": "" } } } } } });
    let blank = "upstreamURL= &listenPath= /pets/ &customDomain= ";
    created(
        &memory,
        &format!("/gateway/apis/oas/import?apiID= pets&{blank}"),
        &plain,
    );
    let stored = get(&memory, "/gateway/apis/oas/pets");
    let extension = &stored[EXTENSION];
    assert_eq!(extension["upstream"]["url"], "https://pets.example/v1");
    assert_eq!(extension["server"]["listenPath"]["value"], "/pets/");
    assert_eq!(extension["server"].get("customDomain"), None);
    for (value, allowed) in [
        ("1", true),
        ("F", false),
        ("TRUE", true),
        ("False", false),
        (" t ", true),
        ("0", false),
        ("True", true),
        ("yes", true),
        ("tRUE", true),
        ("false", false),
    ] {
        let target = format!("/gateway/apis/oas/pets?allowList={value}&listenPath=/pets/");
        assert_eq!(send(&memory, "PATCH", &target, &plain).status, 200);
        let stored = get(&memory, "/gateway/apis/oas/pets");
        let rule = &stored[EXTENSION]["middleware"]["operations"]["pets"]["allow"];
        assert_eq!(rule["enabled"], allowed, "{value}");
    }
    let target = "/gateway/apis/oas/pets?authentication=compliant";
    assert_eq!(send(&memory, "PATCH", target, &plain).status, 200);
    let stored = get(&memory, "/gateway/apis/oas/pets");
    let authentication = &stored[EXTENSION]["server"]["authentication"];
    assert_eq!(authentication["securityProcessingMode"], "compliant");
}

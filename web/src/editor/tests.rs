//! Tests of the form through the functions that the console calls.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{apply_fix, change, find, form_page, locate, validate};

const ROOT: &str = "api_definition";
const TEXT: &str = r#"{
  "name": "A",
  "mine": [1.0, {"deep": true}],
  "session_lifetime": 1.0,
  "tags": ["a", "b"],
  "proxy": { "listen_path": "/a/", "target_url": 5 },
  "version_data": {
    "versions": {
      "v1": { "name": "v1", "extended_paths": { "white_list": [ { "path": "/x" } ] } }
    }
  }
}
"#;

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn page(view: &Value) -> Value {
    read(&form_page(ROOT, TEXT, &view.to_string()))
}

fn node<'a>(page: &'a Value, pointer: &str) -> &'a Value {
    let nodes = page["nodes"].as_array().map_or(&[][..], Vec::as_slice);
    let found = nodes.iter().find(|node| node["pointer"] == pointer);
    found.unwrap_or(&Value::Null)
}

#[wasm_bindgen_test]
fn page_shows_set_and_required_members() {
    let page = page(&json!({}));
    assert_eq!(node(&page, "/name")["value"], "A");
    assert_eq!(node(&page, "/name")["presence"], "required");
    assert_eq!(node(&page, "/name")["support"], "enforced");
    assert_eq!(node(&page, "/session_lifetime")["value"], "1.0");
    assert_eq!(
        node(&page, "/active"),
        &Value::Null,
        "not set, so not shown"
    );
    let missing = json!({ "missing": ["/active"] });
    assert_eq!(node(&self::page(&missing), "/active")["value"], Value::Null);
    assert_eq!(node(&self::page(&missing), "/active")["control"], "switch");
    assert_eq!(node(&page, "/proxy/listen_path")["control"], "text");
    let mistyped = node(&page, "/proxy/target_url");
    assert_eq!(
        (&mistyped["control"], &mistyped["value"]),
        (&json!("json"), &json!("5"))
    );
    assert_eq!(node(&page, "/mine")["role"], "unknown");
    assert_eq!(node(&page, "/mine")["value"], "[1.0, {\"deep\": true}]");
    assert_eq!(node(&page, "/tags/1")["value"], "b");
    assert_eq!(node(&page, "/version_data")["open"], false);
    assert_eq!(node(&page, "/version_data/versions"), &Value::Null);
}

#[wasm_bindgen_test]
fn page_is_at_the_pointer_or_above() {
    let at = "/version_data/versions/v1/extended_paths/white_list/0";
    let page = page(&json!({ "at": format!("{at}/nope/1") }));
    assert_eq!(page["at"], at);
    let last = page["crumbs"].as_array().and_then(|crumbs| crumbs.last());
    assert_eq!(last, Some(&json!([at, "#1"])));
    assert_eq!(page["crumbs"][0], json!(["", "API definition"]));
    assert_eq!(node(&page, &format!("{at}/path"))["value"], "/x");
}

#[wasm_bindgen_test]
fn long_lists_come_in_sheets() {
    let path = |n: usize| json!({ "path": format!("/p{n}") });
    let paths: Vec<Value> = (0..1000).map(path).collect();
    let list = "/version_data/versions/v1/extended_paths/white_list";
    let text = json!({ "version_data": { "versions": { "v1": { "extended_paths": { "white_list": paths } } } } });
    let text = text.to_string();
    let view = |view: &Value| read(&form_page(ROOT, &text, &view.to_string()));
    let sheet = view(&json!({ "at": list, "from": 100 }));
    assert_eq!(sheet["nodes"][0]["total"], 1000);
    assert_eq!(sheet["nodes"][1]["pointer"], format!("{list}/100"));
    assert_eq!(sheet["nodes"][1]["summary"], "path /p100");
    assert_eq!(sheet["nodes"].as_array().map(Vec::len), Some(51));
    let narrow = view(&json!({ "at": list, "filter": "P99" }));
    assert_eq!(narrow["nodes"][0]["matching"], 11);
    let location = read(&locate(ROOT, &text, &format!("{list}/321/path")));
    assert_eq!(location["at"], format!("{list}/321"));
    assert_eq!(location["pointer"], format!("{list}/321/path"));
}

#[wasm_bindgen_test]
fn path_to_a_field_unfolds_its_parents() {
    let location = read(&locate(ROOT, TEXT, "/version_data/default_version"));
    assert_eq!(
        location,
        json!({ "at": "", "open": ["/version_data"], "from": 0, "pointer": "/version_data/default_version" })
    );
    let location = read(&locate(ROOT, TEXT, "/cache_options/cache_timeout"));
    assert_eq!(location["pointer"], "/cache_options");
}

#[wasm_bindgen_test]
fn non_object_has_no_form() {
    let broken = read(&form_page(ROOT, "{\n  \"a\": }", "{}"));
    assert_eq!(broken["problem"]["line"], 2);
    let list = read(&form_page(ROOT, "[]", "{}"));
    assert!(list["problem"]["message"].is_string());
    assert_eq!(form_page("x", "{}", "{}"), "null");
}

/// Returns the text after a change, and the pointer.
fn changed(how: &str, pointer: &str, input: &str) -> (String, String) {
    let done = read(&change(ROOT, TEXT, how, pointer, input));
    let member = |name: &str| done[name].as_str().unwrap_or_default().to_owned();
    assert_eq!(done["error"], Value::Null, "{how} {pointer}");
    (member("text"), member("pointer"))
}

#[wasm_bindgen_test]
fn a_change_touches_nothing_else() {
    let text = |how, pointer, input| changed(how, pointer, input).0;
    assert_eq!(
        text("put", "/name", "B \"x\""),
        TEXT.replace("\"A\"", r#""B \"x\"""#)
    );
    assert_eq!(text("put", "/name", "A"), TEXT);
    assert_eq!(
        text("put", "/session_lifetime", " 7 "),
        TEXT.replace("\"session_lifetime\": 1.0", "\"session_lifetime\": 7")
    );
    assert_eq!(
        text("json", "/mine", "null"),
        TEXT.replace("[1.0, {\"deep\": true}]", "null")
    );
    assert_eq!(
        text("remove", "/mine", ""),
        TEXT.replace("  \"mine\": [1.0, {\"deep\": true}],\n", "")
    );
    assert_eq!(
        text("rename", "/version_data/versions/v1", "v2"),
        TEXT.replace("\"v1\": {", "\"v2\": {")
    );
    assert_eq!(
        text("move", "/tags/1", "up"),
        TEXT.replace("[\"a\", \"b\"]", "[\"b\", \"a\"]")
    );
    assert_eq!(
        text("restore", "/tags/0", "\"z\""),
        TEXT.replace("[\"a\", \"b\"]", "[\"z\", \"a\", \"b\"]")
    );
    let (text, pointer) = changed("add", "/tags/-", "");
    assert_eq!(
        (text, pointer),
        (
            TEXT.replace("[\"a\", \"b\"]", "[\"a\", \"b\", \"\"]"),
            "/tags/2".to_owned()
        )
    );
    let (text, _) = changed("add", "/version_data/versions/name", "");
    assert!(
        text.contains("\"name\": {}"),
        "an entry, not a member: {text}"
    );
    let (text, _) = changed("add", "/active", "");
    assert_eq!(read(&text)["active"], true);
}

#[wasm_bindgen_test]
fn impossible_changes_are_reported() {
    let error = |how, pointer, input| {
        let refused = read(&change(ROOT, TEXT, how, pointer, input));
        assert_eq!(refused["text"], Value::Null);
        refused["error"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(
        error("put", "/session_lifetime", "x"),
        "Expected a whole number"
    );
    assert_eq!(error("json", "/mine", "{"), "Expected JSON");
    assert_eq!(
        error("add", "/name", ""),
        "There is another member of that name"
    );
    assert_eq!(
        error("move", "/tags/0", "up"),
        "It is already the first one"
    );
    assert_eq!(error("dance", "/name", ""), "There is no dance");
}

#[wasm_bindgen_test]
fn found_fields_have_a_pointer() {
    let found = |at: &str, near: &str, section: &str, query: &str| {
        read(&find(ROOT, TEXT, at, near, section, query))
    };
    let first = |found: &Value| (found[0]["pointer"].clone(), found[0]["set"].clone());
    let path = found("", "", "", "listen_path");
    assert_eq!(first(&path), (json!("/proxy/listen_path"), json!(true)));
    let samples = found("", "", "", "circuit_breakers samples");
    assert_eq!(
        first(&samples),
        (
            json!("/version_data/versions/v1/extended_paths/circuit_breakers"),
            json!(false)
        )
    );
    let near = "/version_data/versions/v2/extended_paths";
    let near = found("", near, "", "default_version");
    assert_eq!(near[0]["pointer"], "/version_data/default_version");
    let unset = found("", "", "Versions", "");
    assert_eq!(first(&unset), (json!("/definition"), json!(false)));
    assert!(!unset.to_string().contains("\"/name\""));
}

#[wasm_bindgen_test]
fn problem_is_fixed_in_the_text() {
    let text = TEXT.replace("\"tags\"", "\"tgas\"");
    let issues = read(&validate(ROOT, text.as_bytes()));
    let issues = issues.as_array().map_or(&[][..], Vec::as_slice);
    let issue = issues.iter().find(|issue| issue["pointer"] == "/tgas");
    let issue = issue.map(Value::to_string).unwrap_or_default();
    assert_eq!(apply_fix(ROOT, &text, &issue, 0), TEXT);
    assert_eq!(apply_fix(ROOT, &text, &issue, 9), text);
}

#[wasm_bindgen_test]
fn ruleset_definition_is_checked_alone() {
    let check = |text: &str| read(&validate("ruleset_definition", text.as_bytes()));
    for right in ["", r#"{"rules": {"a": "off"}}"#] {
        assert_eq!(check(right), json!([]), "{right}");
    }
    let found =
        check("{\n  \"rules\": {\n    \"a\": {\"then\": {\"function\": \"truthy\"}}\n  }\n}");
    assert_eq!(
        (&found[0]["pointer"], &found[0]["line"]),
        (&json!("/rules/a/given"), &json!(3))
    );
    assert_eq!(check("rules:\n  a: off\n")[0]["code"], "syntax");
}

#[wasm_bindgen_test]
fn ruleset_definition_is_fixed_in_place() {
    let inner = "{\"rules\": {\"a\": {\"then\": {\"function\": \"truthy\"}}}}";
    let outer =
        serde_json::to_string(&json!({ "name": "r", "definition": inner })).unwrap_or_default();
    for (root, text) in [("ruleset_definition", inner), ("ruleset", &outer)] {
        let issues = read(&validate(root, text.as_bytes()));
        let fixed = apply_fix(root, text, &issues[0].to_string(), 0);
        let definition = match root {
            "ruleset" => read(&fixed)["definition"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            _ => fixed,
        };
        assert_eq!(
            read(&definition)["rules"]["a"]["given"],
            "$",
            "{definition}"
        );
    }
}

const DOCUMENT: &str = r#"{
  "openapi": "3.0.3",
  "info": { "title": "Pets", "version": "1.0" },
  "paths": { "/pets": { "get": { "operationId": "listPets", "responses": {} }, "post": { "responses": {} } } },
  "x-gateway-api-gateway": {
    "server": { "listenPath": { "value": "/pets/", "strip": true } },
    "middleware": { "operations": { "listPets": { "allow": { "enabled": true } }, "gone": {} } }
  }
}
"#;

fn described(view: &Value) -> Value {
    read(&form_page("openapi_api", DOCUMENT, &view.to_string()))
}

#[wasm_bindgen_test]
fn an_openapi_document_has_a_form_of_its_extension() {
    let page = described(&json!({}));
    assert_eq!(page["crumbs"][0], json!(["", "OpenAPI API"]));
    let path = node(&page, "/x-gateway-api-gateway/server/listenPath/value");
    assert_eq!(
        (&path["value"], &path["presence"], &path["support"]),
        (&json!("/pets/"), &json!("required"), &json!("enforced"))
    );
    assert_eq!(node(&page, "/info/title")["value"], "Pets");
    assert_eq!(node(&page, "/paths")["control"], "map");
    let name = node(&page, "/x-gateway-api-gateway/info");
    assert_eq!(name["value"], Value::Null, "what is missing is shown");

    let changed = change(
        "openapi_api",
        DOCUMENT,
        "put",
        "/x-gateway-api-gateway/server/listenPath/value",
        "/other/",
    );
    let expected = DOCUMENT.replace("\"/pets/\", \"strip\"", "\"/other/\", \"strip\"");
    assert_eq!(read(&changed)["text"], expected);
}

#[wasm_bindgen_test]
fn rules_are_offered_for_existing_operations() {
    let operations = "/x-gateway-api-gateway/middleware/operations";
    let page = described(&json!({ "open": ["/x-gateway-api-gateway/middleware"] }));
    let of = node(&page, operations);
    assert_eq!(
        (&of["values"], &of["labels"]),
        (&json!(["petsPOST"]), &json!(["POST /pets"]))
    );
    let summary = |name: &str| node(&page, &format!("{operations}/{name}"))["summary"].clone();
    assert_eq!(summary("listPets"), "GET /pets: allow");
    assert_eq!(summary("gone"), "not in the document: nothing yet");
    let at = format!("{operations}/listPets");
    let page = described(&json!({ "at": at }));
    let last = page["crumbs"].as_array().and_then(|crumbs| crumbs.last());
    assert_eq!(last, Some(&json!([at, "listPets (GET /pets)"])));
    let found = read(&find("openapi_api", DOCUMENT, "", "", "", "listenPath"));
    assert_eq!(found[0]["title"], "server.listenPath");
}

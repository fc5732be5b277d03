//! OpenAPI APIs and MCP proxies over the administration API: statuses, messages, what is stored and what is shown.

mod patch;
mod tools;

use futures_util::FutureExt;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

const EXTENSION: &str = "x-gateway-api-gateway";

fn document(id: &str, path: &str) -> Value {
    json!({
        "openapi": "3.0.3",
        "info": { "title": id, "version": "1" },
        "paths": { "/users": {
            "get": { "operationId": "list", "responses": { "200": { "description": "" } } },
            "post": { "responses": { "200": { "description": "" } } },
        } },
        EXTENSION: {
            "info": { "id": id, "name": id, "state": { "active": true } },
            "upstream": { "url": "http://up/" },
            "server": { "listenPath": { "value": path, "strip": true } },
            "middleware": { "operations": { "list": { "allow": { "enabled": true } } } },
        },
    })
}

fn send(memory: &Memory, method: &str, target: &str, body: &Value) -> Response {
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    memory.send(method, target, &body).now_or_never().unwrap()
}

fn get(memory: &Memory, target: &str) -> Value {
    let answer = send(memory, "GET", target, &Value::Null);
    assert_eq!(answer.status, 200, "{target}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

fn refusal(answer: &Response) -> (u16, String) {
    let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let message = body["message"].as_str().unwrap_or_default();
    (answer.status, message.to_owned())
}

fn created(memory: &Memory, target: &str, body: &Value) {
    let answer = send(memory, "POST", target, body);
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[test]
fn a_document_is_stored_as_it_was_sent_and_shown_in_both_forms() {
    let memory = Memory::default();
    created(&memory, "/gateway/apis/oas", &document("a", "/a/"));
    let stored = get(&memory, "/gateway/apis/oas/a");
    let urls: Vec<_> = stored["servers"].as_array().unwrap().iter().collect();
    assert_eq!(
        urls,
        [
            &json!({"url": "http://gateway.test/a"}),
            &json!({"url": "/a"})
        ]
    );
    assert_eq!(
        stored["paths"]["/users"]["post"]["operationId"],
        "usersPOST"
    );
    assert_eq!(stored[EXTENSION], document("a", "/a/")[EXTENSION]);

    let classic = get(&memory, "/gateway/apis/a?complete=false");
    assert_eq!(classic["is_oas"], true);
    assert_eq!(classic["proxy"]["listen_path"], "/a/");
    assert_eq!(classic.get("openapi"), None);
    assert_eq!(get(&memory, "/gateway/apis"), json!([classic]));
    assert_eq!(get(&memory, "/gateway/apis/oas"), json!([stored]));
    assert_eq!(get(&memory, "/gateway/mcps"), json!([]));
    let summary = get(&memory, "/gateway/apis?view=summary");
    assert_eq!(summary["apis"][0]["document"], "oas");
    let of_kind = |kind: &str| {
        let target = format!("/gateway/apis?view=summary&document={kind}");
        get(&memory, &target)["total"].clone()
    };
    assert_eq!((of_kind("oas"), of_kind("mcp")), (json!(1), json!(0)));
}

#[test]
fn published_definition_has_no_document() {
    let memory = Memory::default();
    created(&memory, "/gateway/apis/oas", &document("a", "/a/"));
    let reload = send(&memory, "GET", "/gateway/reload?block=true", &Value::Null);
    assert_eq!(reload.status, 200, "{}", reload.body);
    let file = memory.kv.value("apis/a.json").unwrap();
    let served: Value = serde_json::from_str(&file).unwrap();
    assert_eq!(served["api_id"], "a");
    assert_eq!(served["openapi"].get("document"), None);
}

#[test]
fn apis_are_written_through_the_endpoint_of_their_kind() {
    let memory = Memory::default();
    let classic = json!({ "api_id": "c", "name": "c", "use_keyless": true, "is_oas": true,
        "proxy": { "listen_path": "/c/", "target_url": "http://up/" } });
    created(&memory, "/gateway/apis", &classic);
    assert_eq!(get(&memory, "/gateway/apis/c")["is_oas"], false);
    created(&memory, "/gateway/apis/oas", &document("a", "/a/"));
    created(&memory, "/gateway/mcps", &document("m", "/m/"));

    let mut replaced = classic.clone();
    replaced["api_id"] = "a".into();
    // The kind of the API counts before anything else that is wrong.
    let mut wrong = classic.clone();
    wrong["allowed_ips"] = json!(["nowhere"]);
    let untitled =
        json!({ "openapi": "3.0.3", "info": { "title": "", "version": "1" }, "paths": {} });
    for (method, target, body, status, text) in [
        (
            "PUT",
            "/gateway/apis/a",
            &wrong,
            400,
            "this API endpoint only supports gateway Classic APIs; please use the appropriate gateway OAS API endpoint",
        ),
        (
            "PUT",
            "/gateway/apis/a",
            &replaced,
            400,
            "this API endpoint only supports gateway Classic APIs; please use the appropriate gateway OAS API endpoint",
        ),
        (
            "PUT",
            "/gateway/apis/oas/c",
            &document("c", "/c/"),
            400,
            "the supplied API definition is in OAS format, please use the gateway classic format for this API",
        ),
        (
            "PATCH",
            "/gateway/apis/oas/c",
            &document("c", "/c/"),
            400,
            "the supplied API definition is in OAS format, please use the gateway classic format for this API",
        ),
        (
            "GET",
            "/gateway/apis/oas/c",
            &Value::Null,
            400,
            "the requested API definition is in gateway classic format, please use old api endpoint",
        ),
        (
            "GET",
            "/gateway/mcps/a",
            &Value::Null,
            404,
            "API is not an MCP Proxy",
        ),
        (
            "PUT",
            "/gateway/mcps/c",
            &document("c", "/c/"),
            404,
            "API is not an MCP Proxy",
        ),
        (
            "DELETE",
            "/gateway/mcps/a",
            &Value::Null,
            404,
            "API is not an MCP Proxy",
        ),
        (
            "DELETE",
            "/gateway/mcps/none",
            &Value::Null,
            404,
            "API not found.",
        ),
        (
            "PUT",
            "/gateway/apis/oas/none",
            &document("none", "/n/"),
            404,
            "API not found.",
        ),
        // Errors in the document are reported before errors in its id.
        (
            "PUT",
            "/gateway/apis/oas/none",
            &json!({}),
            400,
            "the payload should contain x-gateway-api-gateway",
        ),
        (
            "PUT",
            "/gateway/apis/oas/c",
            &json!([]),
            400,
            "request malformed",
        ),
        (
            "PUT",
            "/gateway/mcps/none",
            &json!({}),
            400,
            "the payload should contain x-gateway-api-gateway",
        ),
        (
            "PATCH",
            "/gateway/apis/oas/%20",
            &json!([]),
            400,
            "request malformed",
        ),
        (
            "PATCH",
            "/gateway/apis/oas/none?upstreamURL=up",
            &untitled,
            400,
            "invalid info: value of title must be a non-empty string",
        ),
        (
            "POST",
            "/gateway/apis/oas?base_api_id=none",
            &json!({}),
            400,
            "the payload should contain x-gateway-api-gateway",
        ),
        (
            "POST",
            "/gateway/apis/oas/import?base_api_id=none&upstreamURL=up",
            &untitled,
            400,
            "invalid info: value of title must be a non-empty string",
        ),
        (
            "PUT",
            "/gateway/apis/oas/a",
            &document("b", "/b/"),
            400,
            "Request APIID does not match that in Definition! For Update operations these must match.",
        ),
        (
            "PUT",
            "/gateway/apis/oas",
            &document("a", "/a/"),
            404,
            "API not found.",
        ),
        (
            "GET",
            "/gateway/apis/oas/import",
            &Value::Null,
            404,
            "API not found.",
        ),
        (
            "PATCH",
            "/gateway/apis/oas/%20",
            &document("a", "/a/"),
            400,
            "Must specify an apiID to patch",
        ),
        (
            "PATCH",
            "/gateway/mcps/m",
            &document("m", "/m/"),
            405,
            "Method not supported",
        ),
        (
            "POST",
            "/gateway/mcps",
            &document("../m", "/m/"),
            400,
            "Invalid API ID",
        ),
        (
            "POST",
            "/gateway/mcps?dryRun=perhaps",
            &document("m", "/m/"),
            400,
            "invalid dryRun query parameter",
        ),
        (
            "POST",
            "/gateway/apis/oas/import",
            &document("a", "/a/"),
            400,
            "the import payload should not contain x-gateway-api-gateway",
        ),
    ] {
        let answer = send(&memory, method, target, body);
        assert_eq!(
            refusal(&answer),
            (status, text.to_owned()),
            "{method} {target}"
        );
    }
    assert_eq!(get(&memory, "/gateway/apis").as_array().unwrap().len(), 2);
    let with_proxies = get(&memory, "/gateway/apis?include_types=mcp");
    assert_eq!(with_proxies.as_array().unwrap().len(), 3);
    assert_eq!(
        get(&memory, "/gateway/apis/oas/m"),
        get(&memory, "/gateway/mcps/m")
    );
}

/// The console's host serves no API, so a document that was saved there must not say so.
#[test]
fn document_saved_in_the_console_names_the_host_of_the_gateway() {
    let mut memory = Memory::default();
    memory.environment.console_hosts = vec!["gateway.test".to_owned()];
    memory.environment.gateway_hosts = vec!["api.test".to_owned()];
    created(&memory, "/gateway/apis/oas", &document("a", "/a/"));
    let stored = get(&memory, "/gateway/apis/oas/a");
    let url = stored["servers"][0]["url"].as_str().unwrap();
    assert!(url.ends_with("://api.test/a"), "{url}");
}

#[test]
fn import_creates_api_and_exports_return_it() {
    let memory = Memory::default();
    let plain = json!({ "openapi": "3.0.3", "info": { "title": "Pets", "version": "1" },
        "servers": [{ "url": "https://pets.example/v1" }],
        "paths": { "/pets": { "get": { "responses": { "200": { "description": "" } } } } } });
    created(
        &memory,
        "/gateway/apis/oas/import?apiID=pets&listenPath=/pets/",
        &plain,
    );
    let stored = get(&memory, "/gateway/apis/oas/pets");
    assert_eq!(
        stored[EXTENSION]["upstream"]["url"],
        "https://pets.example/v1"
    );

    let target = "/gateway/apis/oas/pets/export?mode=public";
    let file = send(&memory, "GET", target, &Value::Null);
    let header = |name| {
        let mut headers = file.headers.iter();
        headers
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
    };
    assert_eq!(header("content-type"), Some("application/octet-stream"));
    assert_eq!(
        header("content-disposition"),
        Some("attachment;filename=\"oas-pets.json\"")
    );
    let public: Value = serde_json::from_str(&file.body).unwrap();
    assert_eq!(
        (public.get(EXTENSION), &public["servers"]),
        (None, &stored["servers"])
    );
    assert_eq!(get(&memory, "/gateway/apis/oas/export"), json!([stored]));
    let all = get(&memory, "/gateway/apis/oas/export?mode=public");
    assert_eq!(all, json!([public]));
}

#[test]
fn a_long_export_is_streamed_page_by_page() {
    let memory = Memory::default();
    let export = |mode: &str| {
        let target = format!("/gateway/apis/oas/export{mode}");
        let mut answer = send(&memory, "GET", &target, &Value::Null);
        let header = |name| answer.header(name).unwrap().to_owned();
        let head = [
            header("content-type"),
            header("content-disposition"),
            header("vary"),
        ];
        let mut next = answer.stream.take();
        while let Some(message) = next {
            let looked = memory.look(&message).unwrap();
            let (message, page) = looked.split_once('\n').unwrap();
            assert!(page.len() < 1_000_000, "{}", page.len());
            answer.body.push_str(page);
            next = (!message.is_empty()).then(|| message.to_owned());
        }
        (head, answer.body)
    };
    assert_eq!(export("").1, "[]\n");
    for id in 0..9 {
        let mut sent = document(&format!("a{id}"), &format!("/{id}/"));
        sent["info"]["description"] = json!("x".repeat(300_000));
        created(&memory, "/gateway/apis/oas", &sent);
    }
    let stored = get_list(&memory);
    for (mode, name) in [("", "OasApiDef"), ("?mode=public", "oas")] {
        let (head, body) = export(mode);
        let disposition = format!("attachment;filename=\"{name}.json\"");
        assert_eq!(
            head,
            ["application/octet-stream", disposition.as_str(), "Accept"]
        );
        let mut expected = stored.clone();
        if !mode.is_empty() {
            let documents = expected.as_array_mut().unwrap().iter_mut();
            documents
                .for_each(|document| drop(document.as_object_mut().unwrap().remove(EXTENSION)));
        }
        assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);
        assert_eq!(
            gatewright_model::json::laid_out(&body).as_deref(),
            Some(&*body)
        );
    }
}

/// Returns `GET /gateway/apis/oas`, all of its pages.
fn get_list(memory: &Memory) -> Value {
    let mut answer = send(memory, "GET", "/gateway/apis/oas", &Value::Null);
    let mut next = answer.stream.take();
    while let Some(message) = next {
        let looked = memory.look(&message).unwrap();
        let (message, page) = looked.split_once('\n').unwrap();
        answer.body.push_str(page);
        next = (!message.is_empty()).then(|| message.to_owned());
    }
    serde_json::from_str(&answer.body).unwrap()
}

#[test]
fn base_and_document_list_versions() {
    let memory = Memory::default();
    created(&memory, "/gateway/apis/oas", &document("base", "/base/"));
    let target = "/gateway/apis/oas?base_api_id=base&base_api_version_name=v1&new_version_name=v2";
    created(&memory, target, &document("next", "/next/"));
    let versions = get(&memory, "/gateway/apis/oas/base/versions");
    assert_eq!(versions["apis"][1]["versionName"], "v2");
    let base = get(&memory, "/gateway/apis/oas/base");
    assert_eq!(
        base[EXTENSION]["info"]["versioning"]["versions"],
        json!([{ "name": "v2", "id": "next" }])
    );
    let answer = send(&memory, "DELETE", "/gateway/apis/oas/next", &Value::Null);
    assert_eq!(answer.status, 200);
    let base = get(&memory, "/gateway/apis/oas/base");
    assert_eq!(base[EXTENSION]["info"]["versioning"]["versions"], json!([]));
}

#[test]
fn a_new_version_has_the_addresses_below_its_base() {
    let memory = Memory::default();
    let mut base = document("base", "/base/");
    base[EXTENSION]["info"]["versioning"] = json!({"enabled": true, "name": "v1", "default": "self",
        "location": "url-param", "key": "v", "versions": [{"name": "v1", "id": "base"}]});
    created(&memory, "/gateway/apis/oas", &base);
    let urls = |id: &str| {
        let stored = get(&memory, &format!("/gateway/apis/oas/{id}"));
        let servers = stored["servers"].as_array().unwrap().iter();
        let urls = servers.map(|server| server["url"].as_str().unwrap().to_owned());
        urls.filter(|url| url.starts_with('/')).collect::<Vec<_>>()
    };
    assert_eq!(urls("base"), ["/base?v=v1"]);
    let target = "/gateway/apis/oas?base_api_id=base&new_version_name=v2";
    created(&memory, target, &document("next", "/next/"));
    assert_eq!(urls("next"), ["/base?v=v2", "/next"]);
}

#[test]
fn long_document_round_trips_and_too_long_is_refused() {
    let memory = Memory::default();
    let mut long = document("a", "/a/");
    long["info"]["description"] = "x".repeat(3_000_000).into();
    created(&memory, "/gateway/apis/oas", &long);
    let stored = get(&memory, "/gateway/apis/oas/a");
    assert_eq!(stored["info"]["description"], long["info"]["description"]);
    long["info"]["description"] = "x".repeat(17_000_000).into();
    let refused = send(&memory, "POST", "/gateway/apis/oas", &long);
    assert_eq!(refused.status, 413, "{}", refused.body);
}

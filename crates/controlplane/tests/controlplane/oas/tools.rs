//! MCP proxies whose tools are operations of an OpenAPI API.

use super::{EXTENSION, created, document, get, refusal, send};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

#[test]
fn tool_source_must_exist_as_long_as_its_proxy() {
    let memory = Memory::default();
    let mut proxy = document("tools", "/tools/");
    proxy[EXTENSION]["upstream"]["url"] = "gateway://a/mcp".into();
    proxy[EXTENSION]["middleware"] = json!({});
    let missing = send(&memory, "POST", "/gateway/mcps", &proxy);
    let text = "paired REST API a is not loaded; create it first";
    assert_eq!(refusal(&missing), (400, text.to_owned()));
    created(&memory, "/gateway/apis/oas", &document("a", "/a/"));
    created(&memory, "/gateway/mcps", &proxy);
    let kept = send(&memory, "DELETE", "/gateway/apis/oas/a", &Value::Null);
    let text = "API is referenced by paired MCP proxies: tools";
    assert_eq!(refusal(&kept), (409, text.to_owned()));
    // Nor does a restored proxy come back without it.
    for target in ["/gateway/mcps/tools", "/gateway/apis/oas/a"] {
        let gone = send(&memory, "DELETE", target, &Value::Null);
        assert_eq!(gone.status, 200, "{}", gone.body);
    }
    let restore = "/gateway/apis/tools/revisions/1/restore";
    let lost = send(&memory, "POST", restore, &Value::Null);
    assert_eq!(refusal(&lost), refusal(&missing));
    let dry = send(
        &memory,
        "POST",
        "/gateway/mcps?dryRun=true",
        &document("dry", "/dry/"),
    );
    let dry: Value = serde_json::from_str(&dry.body).unwrap();
    assert_eq!(dry["servers"][1]["url"], "/dry");
    assert_eq!(
        send(&memory, "GET", "/gateway/mcps/dry", &Value::Null).status,
        404
    );
}

#[test]
fn a_proxy_shows_the_operations_that_are_its_tools_and_is_published_with_them() {
    let memory = Memory::default();
    created(&memory, "/gateway/apis/oas", &document("a", "/a/"));
    let mut proxy = document("tools", "/tools/");
    proxy["paths"] = json!({});
    proxy[EXTENSION]["upstream"]["url"] = "gateway://a/mcp".into();
    proxy[EXTENSION]["middleware"] = json!({});
    let tools = |document: &Value| {
        let primitives = document["x-gateway-mcp-server"]["primitives"].as_array();
        let names = primitives.into_iter().flatten();
        let names = names.map(|primitive| primitive["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let dry = send(
        &memory,
        "POST",
        "/gateway/mcps?dryRun=true&expand=true",
        &proxy,
    );
    let dry: Value = serde_json::from_str(&dry.body).unwrap();
    // The API allows its operation `list`, and no other.
    assert_eq!(tools(&dry), ["list"]);
    let mut wrong = proxy.clone();
    wrong["x-gateway-mcp-server"] = json!({ "primitives": [{ "source": { "operationId": "x" } }] });
    let refused = send(&memory, "POST", "/gateway/mcps", &wrong);
    assert_eq!(
        refusal(&refused),
        (400, "unknown source operation \"x\"".to_owned())
    );

    created(&memory, "/gateway/mcps", &proxy);
    assert_eq!(
        get(&memory, "/gateway/mcps/tools").get("x-gateway-mcp-server"),
        None
    );
    assert_eq!(
        tools(&get(&memory, "/gateway/mcps/tools?expand=true")),
        ["list"]
    );
    let served = || {
        let reload = send(&memory, "GET", "/gateway/reload?block=true", &Value::Null);
        assert_eq!(reload.status, 200, "{}", reload.body);
        let served = get(&memory, "/gateway/apis?view=summary");
        let apis = served["apis"].as_array().unwrap().iter();
        let proxy = apis.clone().find(|api| api["api_id"] == "tools").unwrap();
        proxy["problem"].as_str().map(str::to_owned)
    };
    assert_eq!(served(), None);

    // A change to the API takes effect with the next reload.
    let mut open = document("a", "/a/");
    open[EXTENSION]["middleware"] = json!({});
    created(&memory, "/gateway/apis/oas", &open);
    assert_eq!(
        tools(&get(&memory, "/gateway/mcps/tools?expand=true")),
        ["list", "post_users"]
    );
    open["paths"]["/list"] = json!({ "get": { "operationId": "lis t", "responses": { "200": { "description": "" } } },
        "put": { "operationId": "lis_t", "responses": { "200": { "description": "" } } } });
    created(&memory, "/gateway/apis/oas", &open);
    let problem = served().unwrap();
    assert!(problem.contains("duplicate tool name"), "{problem}");
}

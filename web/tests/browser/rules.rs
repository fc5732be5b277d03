//! Rules of operations, tools, resources and prompts, read from an OpenAPI document and switched in its text.

use gatewright_model::openapi::DocumentKind;
use gatewright_web::routes::{self, Area, Page};
use gatewright_web::state::rules::{
    OF_OPERATIONS, OF_PRIMITIVES, PRIMITIVES, Reach, in_extension, of_operations, of_primitives,
    switched, with_rate,
};
use gatewright_web::state::sought::Sought;
use wasm_bindgen_test::wasm_bindgen_test;

const TEXT: &str = r#"{
  "openapi": "3.0.3",
  "paths": {
    "/users/{id}": {
      "get": { "operationId": "getUser", "summary": "One user" },
      "delete": {}
    }
  },
  "x-gateway-api-gateway": {
    "info": { "state": { "active": true } },
    "upstream": { "url": "http://u.example" },
    "server": {
      "listenPath": { "value": "/users/" },
      "authentication": { "enabled": true, "securitySchemes": { "key": { "enabled": true }, "jwt": { "enabled": false } } }
    },
    "middleware": {
      "operations": {
        "getUser": {
          "block": { "enabled": false, "ignoreCase": true },
          "rateLimit": { "enabled": true, "rate": 5, "per": "10s" },
          "urlRewrite": { "enabled": true }
        }
      },
      "mcpTools": { "a/b": { "allow": { "enabled": true } } }
    }
  }
}
"#;

#[wasm_bindgen_test]
fn operations_have_their_rules() {
    let all = of_operations(TEXT);
    let said: Vec<_> = all
        .iter()
        .map(|one| (&*one.kind, &*one.name, &*one.detail))
        .collect();
    assert_eq!(
        said,
        [
            ("GET", "/users/{id}", "getUser · One user"),
            ("DELETE", "/users/{id}", "users/{id}DELETE")
        ]
    );
    let get = &all[0];
    assert_eq!(
        (get.has("block"), get.has("rateLimit"), get.rate()),
        (false, true, Some((5, "10s".to_owned())))
    );
    assert_eq!(get.others(OF_OPERATIONS), ["url rewrite"]);
    assert_eq!(get.described_at, "/paths/~1users~1{id}/get");
    let answers = |typed: &str| get.answers(&Sought::of(typed));
    assert!(answers("one us") && answers("GET") && !answers("delete"));
    assert_eq!(of_operations("{ half"), []);
}

#[wasm_bindgen_test]
fn toggled_rule_keeps_every_other_byte() {
    let all = of_operations(TEXT);
    let blocked = switched(TEXT, &all[0], "block", true).unwrap();
    assert_eq!(
        blocked,
        TEXT.replace(
            r#""block": { "enabled": false"#,
            r#""block": { "enabled": true"#
        )
    );
    let checked = switched(TEXT, &all[1], "validateRequest", true).unwrap();
    let rules = &of_operations(&checked)[1];
    assert!(rules.has("validateRequest"));
    assert_eq!(
        rules.pointer,
        "/x-gateway-api-gateway/middleware/operations/users~1{id}DELETE"
    );
    assert_eq!(switched(TEXT, &all[1], "allow", false).unwrap(), TEXT);
    let faster = with_rate(TEXT, &all[0], 9, "1m").unwrap();
    assert_eq!(of_operations(&faster)[0].rate(), Some((9, "1m".to_owned())));
}

#[wasm_bindgen_test]
fn primitives_with_rules_precede_discovered_ones() {
    let found = [
        ("a/b".to_owned(), "Adds".to_owned()),
        ("c".to_owned(), String::new()),
    ];
    let tools = of_primitives(TEXT, PRIMITIVES[0], &found);
    let said: Vec<_> = tools
        .iter()
        .map(|tool| (&*tool.name, &*tool.detail, tool.has("allow")))
        .collect();
    assert_eq!(said, [("a/b", "Adds", true), ("c", "", false)]);
    assert_eq!(
        tools[0].pointer,
        "/x-gateway-api-gateway/middleware/mcpTools/a~1b"
    );
    let text = switched(TEXT, &tools[1], "block", true).unwrap();
    assert!(of_primitives(&text, PRIMITIVES[0], &[])[1].has("block"));
    assert_eq!(tools[0].others(OF_PRIMITIVES), [""; 0]);
    assert_eq!(of_primitives(TEXT, PRIMITIVES[1], &[]), []);
}

#[wasm_bindgen_test]
fn routing_is_read_from_either_extension_name() {
    let reach = Reach::of(TEXT).unwrap();
    assert_eq!(
        (&*reach.listen_path, &*reach.upstream, reach.active),
        ("/users/", "http://u.example", true)
    );
    assert_eq!(reach.schemes, ["key"]);
    assert_eq!(Reach::of("{}"), None);
    assert_eq!(
        in_extension(r#"{"x-tyk-api-gateway":{}}"#, "/info"),
        "/x-tyk-api-gateway/info"
    );
    assert_eq!(in_extension("{", "/info"), "/x-gateway-api-gateway/info");
}

#[wasm_bindgen_test]
fn documents_have_their_addresses() {
    for (kind, page) in [
        (DocumentKind::Oas, Page::OpenApi("a".to_owned())),
        (DocumentKind::Mcp, Page::McpProxy("a".to_owned())),
    ] {
        let path = routes::api_page("a", Some(kind));
        assert_eq!((Page::of(&path), Area::of(&path)), (page, Area::Described));
    }
    assert_eq!(
        Page::of(&routes::api_page("a", None)),
        Page::Api("a".to_owned())
    );
    assert_eq!(Page::of(routes::OPENAPI), Page::OpenApis);
    assert_eq!(Page::of(routes::NEW_OPENAPI), Page::NewOpenApi);
    assert_eq!(Page::of(routes::MCP), Page::McpProxies);
    assert_eq!(Page::of(routes::NEW_MCP), Page::NewMcpProxy);
}

mod choices;

use super::*;
use crate::definition::validate;
use crate::json::parse;

const PETS: &str = r#"{
  "openapi": "3.1.0",
  "info": { "title": "Pet Store (v2)", "version": "1", "description": "x" },
  "servers": [
    { "url": "https://{host}/{base}", "variables": { "host": { "default": "pets.example" }, "base": { "default": "v2" } } },
    { "url": "https://other.example" }
  ],
  "paths": {
    "/pets/{id}": {
      "get": { "operationId": "getPet", "responses": { "200": { "content": { "application/json": { "example": { "a": 1.0 } } } } } },
      "delete": { "responses": { "204": {} } },
      "servers": []
    },
    "x-note": {}
  },
  "components": { "schemas": {} },
  "webhooks": {}
}"#;

fn imported(text: &str, options: &Options) -> (String, Vec<String>) {
    let import = import(text, options).unwrap();
    let line = |note: &Note| {
        format!(
            "{} {} {}",
            if note.taken { "+" } else { "-" },
            note.pointer,
            note.message
        )
    };
    let report = import.report.iter().map(line).collect();
    (import.definition, report)
}

fn at(text: &str, pointer: &str) -> String {
    let value = parse(text).unwrap();
    value
        .pointer(pointer)
        .map_or_else(String::new, |value| value.span.of(text).to_owned())
}

#[test]
fn a_plain_document_becomes_a_definition() {
    let (text, report) = imported(PETS, &Options::default());
    for (pointer, expected) in [
        ("/name", r#""Pet Store (v2)""#),
        ("/proxy/listen_path", r#""/pet-store-v2/""#),
        ("/proxy/target_url", r#""https://pets.example/v2""#),
        ("/proxy/strip_listen_path", "true"),
        ("/active", "true"),
        ("/use_keyless", "true"),
        ("/enable_context_vars", "true"),
        ("/version_data/versions/Default/extended_paths", ""),
    ] {
        assert_eq!(at(&text, pointer), expected, "{pointer}");
    }
    assert!(
        validate(&text).iter().all(|issue| !issue.is_error()),
        "{text}"
    );
    assert_eq!(
        report,
        [
            "+ /info/title the name",
            "+ /servers/0/url the upstream",
            "- /servers/1 only one server becomes the upstream",
            "+ /info/title the listen path /pet-store-v2/",
            "- /security the document asks for no credentials, so the API is open to everybody",
            "- /paths 2 operations; every path of the upstream is let through",
            "- /paths/~1pets~1{id}/servers all paths have the same upstream",
            "- /info/description a definition has no description",
            "- /webhooks a definition has no place for it",
            "- /components/schemas the schemas and examples of the document stay in it",
        ]
    );
}

#[test]
fn choices_are_followed() {
    let options = Options {
        listen_path: Some("/pets".to_owned()),
        upstream_url: Some("http://a.example".to_owned()),
        domain: Some("api.example".to_owned()),
        allow_list: true,
        validate_requests: true,
        mock_responses: true,
        ..Options::default()
    };
    let (text, report) = imported(PETS, &options);
    let rules = "/version_data/versions/Default/extended_paths";
    assert_eq!(at(&text, "/proxy/target_url"), r#""http://a.example""#);
    assert_eq!(at(&text, "/domain"), r#""api.example""#);
    assert_eq!(
        at(&text, &format!("{rules}/white_list/0/path")),
        r#""/pets/{id}""#
    );
    assert_eq!(
        at(&text, &format!("{rules}/white_list/1/method")),
        r#""DELETE""#
    );
    assert_eq!(
        at(&text, &format!("{rules}/validate_request/1/enabled")),
        "true"
    );
    assert_eq!(
        at(&text, &format!("{rules}/mock_response/0/body")),
        r#""{ \"a\": 1.0 }""#
    );
    assert!(
        report.contains(
            &"- /paths/~1pets~1{id}/delete there is no example to answer with".to_owned()
        )
    );
    assert!(
        validate(&text).iter().all(|issue| !issue.is_error()),
        "{text}"
    );
}

#[test]
fn document_requiring_credentials_is_never_keyless() {
    let with = |scheme: &str, security: &str| {
        format!(
            r#"{{"openapi":"3.0.3","info":{{"title":"a"}},"servers":[{{"url":"http://a.example"}}],"paths":{{"/a":{{"get":{{{security}}}}}}},"components":{{"securitySchemes":{{"s":{scheme}}}}}}}"#
        )
    };
    let asks = r#""security":[{"s":[]}]"#;
    for (scheme, pointer, expected) in [
        (
            r#"{"type":"apiKey","in":"header","name":"X-Key"}"#,
            "/auth_configs/authToken/auth_header_name",
            r#""X-Key""#,
        ),
        (
            r#"{"type":"apiKey","in":"query","name":"k"}"#,
            "/auth_configs/authToken/param_name",
            r#""k""#,
        ),
        (
            r#"{"type":"apiKey","in":"cookie","name":"c"}"#,
            "/auth_configs/authToken/use_cookie",
            "true",
        ),
        (
            r#"{"type":"http","scheme":"Basic"}"#,
            "/use_basic_auth",
            "true",
        ),
        (
            r#"{"type":"http","scheme":"bearer","bearerFormat":"JWT"}"#,
            "/enable_jwt",
            "true",
        ),
        (
            r#"{"type":"http","scheme":"bearer"}"#,
            "/use_standard_auth",
            "true",
        ),
        (r#"{"type":"oauth2","flows":{}}"#, "/use_oauth2", "true"),
        (r#"{"type":"openIdConnect"}"#, "/use_openid", "true"),
        (r#"{"type":"mutualTLS"}"#, "/use_mutual_tls_auth", "true"),
        (r#"{"type":"magic"}"#, "/use_keyless", "false"),
    ] {
        let (text, _) = imported(&with(scheme, asks), &Options::default());
        assert_eq!(at(&text, pointer), expected, "{scheme}");
        assert_eq!(at(&text, "/use_keyless"), "false");
    }
    let (text, report) = imported(
        &with("null", r#""security":[{"t":[]}]"#),
        &Options::default(),
    );
    assert_eq!(at(&text, "/use_keyless"), "false");
    assert!(
        report
            .iter()
            .any(|line| line.contains("Missing required Security Scheme 't'"))
    );
    let (text, _) = imported(&with("{}", r#""security":[]"#), &Options::default());
    assert_eq!(at(&text, "/use_keyless"), "true");
}

#[test]
fn the_extension_wins_in_both_spellings() {
    for name in EXTENSIONS {
        let text = format!(
            r#"{{"openapi":"3.0.0","info":{{"title":"a"}},"paths":{{"/a":{{"get":{{"operationId":"getA"}},"put":{{}}}}}},
            "{name}":{{"info":{{"id":"i","name":"n","state":{{"active":false}},"versioning":{{"enabled":true,"versions":[{{"name":"v1.0","id":"x"}}]}}}},
            "upstream":{{"url":"http://b.example","rateLimit":{{"enabled":true,"rate":10,"per":"1m"}},"mutualTLS":{{"enabled":false}},"other":{{"enabled":false}}}},
            "server":{{"listenPath":{{"value":"/n/","strip":false}},"authentication":{{"enabled":true,"securitySchemes":{{"jwt":{{"enabled":true,"source":"YQ==","x":1}}}}}},
            "ipAccessControl":{{"enabled":true,"allow":["10.0.0.0/8"]}}}},
            "middleware":{{"global":{{"cors":{{"enabled":true}},"prePlugins":[]}},"operations":{{
            "getA":{{"allow":{{"enabled":true}},"transformRequestHeaders":{{"enabled":false,"add":[{{"name":"A","value":"b"}}]}},"virtualEndpoint":{{}},"scopeCheck":{{}}}},
            "aPUT":{{"validateRequest":{{"enabled":true,"errorResponseCode":400}}}},"zzz":{{}}}}}}}}}}"#
        );
        let (text, report) = imported(&text, &Options::default());
        for (pointer, expected) in [
            ("/name", r#""n""#),
            ("/api_id", r#""i""#),
            ("/active", "false"),
            ("/definition/versions/v1.0", r#""x""#),
            ("/proxy/listen_path", r#""/n/""#),
            ("/proxy/strip_listen_path", "false"),
            ("/proxy/target_url", r#""http://b.example""#),
            ("/global_rate_limit/disabled", "false"),
            ("/global_rate_limit/per", "60"),
            ("/use_keyless", "false"),
            ("/jwt_source", r#""YQ==""#),
            ("/ip_access_control_disabled", "false"),
            ("/enable_ip_whitelisting", "true"),
            ("/CORS/enable", "true"),
            (
                "/version_data/versions/Default/extended_paths/white_list/0/path",
                r#""/a""#,
            ),
            (
                "/version_data/versions/Default/extended_paths/transform_headers/0/disabled",
                "true",
            ),
            (
                "/version_data/versions/Default/extended_paths/transform_headers/0/add_headers/A",
                r#""b""#,
            ),
            (
                "/version_data/versions/Default/extended_paths/validate_request/0/error_response_code",
                "400",
            ),
        ] {
            assert_eq!(at(&text, pointer), expected, "{pointer}\n{text}");
        }
        for line in [
            format!("- /{name}/upstream/other this part of the extension isn't carried over"),
            format!(
                "- /{name}/middleware/global/prePlugins custom_middleware.pre, stored without effect"
            ),
            format!(
                "- /{name}/middleware/operations/getA/virtualEndpoint an entry of virtual, stored without effect"
            ),
            format!("- /{name}/middleware/operations/getA/scopeCheck this rule isn't carried over"),
            format!(
                "- /{name}/middleware/operations/zzz the document has no operation of this name"
            ),
            format!(
                "- /{name}/server/authentication/securitySchemes/jwt/x this part of the extension isn't carried over"
            ),
        ] {
            assert!(report.contains(&line), "{line}\n{report:#?}");
        }
    }
}

/// Imports a document with such an extension: returns the definition, the report, and why it isn't served.
fn extended(server: &str, middleware: &str, upstream: &str) -> (String, Vec<Note>, Vec<String>) {
    let text = format!(
        r#"{{"openapi":"3.0.0","info":{{"title":"a"}},"security":[{{"key":[]}}],
        "components":{{"securitySchemes":{{"key":{{"type":"apiKey","in":"header","name":"X-Key"}}}}}},
        "paths":{{"/a":{{"get":{{"operationId":"getA"}}}}}},
        "x-gateway-api-gateway":{{"upstream":{{"url":"http://b.example"{upstream}}},
        "server":{{"listenPath":{{"value":"/n/"}}{server}}},"middleware":{{{middleware}}}}}}}"#
    );
    let Import {
        definition, report, ..
    } = import(&text, &Options::default()).unwrap();
    let value = parse(&definition).unwrap();
    let open =
        crate::definition::unservable(&definition, &value, &crate::definition::Allowed::NONE);
    let open = open.into_iter().map(|issue| issue.pointer).collect();
    (definition, report, open)
}

/// Fault G2: these were dropped, and the API was served without them.
#[test]
fn requirements_are_enforced_or_prevent_serving() {
    const PATHS: &str = "/version_data/versions/Default/extended_paths";
    let signed = r#","authentication":{"enabled":true,"securitySchemes":{"key":{"enabled":true,
        "signatureValidation":{"enabled":true,"algorithm":"MasherySHA256","query":{"enabled":true,"name":"sig"}}}}}"#;
    let (text, report, open) = extended(signed, "", "");
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(
        at(&text, "/auth_configs/authToken/signature/param_name"),
        r#""sig""#
    );
    let note = report
        .iter()
        .find(|note| note.pointer.ends_with("signatureValidation"));
    let note = note.unwrap();
    assert!(note.taken, "{note:?}");

    let (text, _, open) = extended("", r#""mcpTools":{"t":{"allow":{"enabled":true}}}"#, "");
    assert_eq!(
        (
            open.len(),
            at(&text, "/application_protocol"),
            at(&text, "/active")
        ),
        (0, r#""mcp""#.to_owned(), "false".to_owned())
    );

    let rate = r#""operations":{"getA":{"rateLimit":{"enabled":true,"rate":5,"per":"1m"}}}"#;
    let (text, report, open) = extended("", rate, "");
    assert_eq!(
        (open.len(), at(&text, &format!("{PATHS}/rate_limit/0/per"))),
        (0, "60".to_owned())
    );
    assert!(
        report
            .iter()
            .any(|note| note.taken && note.message == "an entry of rate_limit")
    );

    let plugins = r#""global":{"prePlugins":[{"enabled":true,"functionName":"f","path":"f.js"}],
        "pluginConfig":{"bundle":{"enabled":true,"path":"b.zip"}}},
        "operations":{"getA":{"postPlugins":[{"enabled":true,"functionName":"g","path":"g.so"}],
        "transformRequestBody":{"enabled":true,"format":"json","body":"e30="}}}"#;
    let (text, _, open) = extended("", plugins, "");
    for pointer in ["/custom_middleware/pre", "/custom_middleware_bundle"] {
        assert!(
            open.iter().any(|open| open == pointer),
            "{pointer} {open:?}"
        );
    }
    let go = format!("{PATHS}/go_plugin");
    assert!(open.contains(&go), "{open:?}");
    let transform = format!("{PATHS}/transform");
    assert!(!open.contains(&transform), "{open:?}");
    assert_eq!(
        at(
            &text,
            &format!("{PATHS}/transform/0/template_data/template_source")
        ),
        r#""e30=""#
    );

    let balanced = r#","loadBalancing":{"enabled":true,"targets":[{"url":"http://c","weight":2},{"url":"http://d","weight":1}]}"#;
    let (text, report, open) = extended("", "", balanced);
    assert_eq!((at(&text, "/active"), open.len()), ("true".to_owned(), 0));
    let turns = at(&text, "/proxy/target_list").replace([' ', '\n'], "");
    assert_eq!(turns, r#"["http://c","http://c","http://d"]"#);
    assert!(
        report
            .iter()
            .any(|note| note.taken && note.message == "proxy.target_list")
    );

    let (text, report, _) = extended("", "", r#","other":{"enabled":true}"#);
    assert_eq!(at(&text, "/active"), "false");
    assert!(
        report
            .iter()
            .any(|note| note.message.ends_with("; the API is imported inactive"))
    );
    let (text, _, open) = extended("", "", r#","loadBalancing":{"enabled":false}"#);
    assert_eq!((at(&text, "/active"), open.len()), ("true".to_owned(), 0));
    assert_eq!(at(&text, "/enable_context_vars"), "true");
}

#[test]
fn rejects_documents_other_than_openapi() {
    let message = |text: &str| {
        import(text, &Options::default()).unwrap_err()[0]
            .message
            .clone()
    };
    for (text, expected) in [
        (
            r#"{"swagger":"1.2"}"#,
            "only version 2.0 of Swagger and versions 3.0 and 3.1 of OpenAPI are imported",
        ),
        (
            r#"{"openapi":"4.0.0"}"#,
            "only versions 3.0 and 3.1 of OpenAPI are imported",
        ),
        (
            r#"{"openapi":3.1}"#,
            "\"openapi\" is missing; this is no OpenAPI document",
        ),
        (
            r#"{"name":"a","proxy":{}}"#,
            "this is an API definition already; there is nothing to import",
        ),
        (
            "openapi: 3.0.0\ninfo:\n",
            "this looks like YAML; convert it to JSON first",
        ),
        ("[]", "\"openapi\" is missing; this is no OpenAPI document"),
        (
            "{",
            "expected a member name in double quotes or '}', but the document ends here",
        ),
    ] {
        assert_eq!(message(text), expected, "{text}");
    }
}

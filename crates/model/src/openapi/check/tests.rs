mod parts;

use super::*;
use crate::issue::Position;

/// Returns a document with some members changed: each is a JSON Pointer and the JSON text of its value, or `None` to
/// remove it.
fn document(changes: &[(&str, Option<&str>)]) -> String {
    let text = r#"{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"description":""}}}}},
"x-gateway-api-gateway":{"info":{"name":"a","state":{"active":true}},"upstream":{"url":"http://a"},"server":{"listenPath":{"value":"/a"}}}}"#;
    let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
    for (pointer, change) in changes {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = value.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        let name = name.replace("~1", "/");
        match change {
            Some(json) => parent.insert(name, serde_json::from_str(json).unwrap()),
            None => parent.remove(&name),
        };
    }
    value.to_string()
}

fn refused(changes: &[(&str, Option<&str>)], kind: DocumentKind) -> Option<Refused> {
    check(&document(changes), kind).err()
}

fn message(changes: &[(&str, Option<&str>)]) -> String {
    refused(changes, DocumentKind::Oas).map_or_else(String::new, |refused| refused.message)
}

const EXTENSION: &str = "/x-gateway-api-gateway";

#[test]
fn a_complete_document_is_taken_in_both_spellings() {
    assert_eq!(message(&[]), "");
    let text = document(&[]);
    let other = text.replace("x-gateway-api-gateway", "x-tyk-api-gateway");
    assert_eq!(check(&other, DocumentKind::Oas), Ok(()));
    assert_eq!(check(&text, DocumentKind::Mcp), Ok(()));
    let newer = text.replace("3.0.3", "3.1.0");
    assert_eq!(check(&newer, DocumentKind::Oas), Ok(()));
}

#[test]
fn unreadable_document_is_malformed() {
    for text in ["", "{", "[]", "\"a\"", "{} {}"] {
        let refused = check(text, DocumentKind::Oas).unwrap_err();
        assert_eq!(refused.message, "request malformed", "{text}");
        assert!(!refused.issues.is_empty(), "{text}");
    }
    for (pointer, value, at) in [
        ("/info/title", "5", "/info/title"),
        (
            "/paths/~1a/get/operationId",
            "true",
            "/paths/~1a/get/operationId",
        ),
        ("/paths/~1a/get/tags", "[1]", "/paths/~1a/get/tags/0"),
        (
            "/paths/~1a/get/requestBody",
            r##"{"$ref":"#/components/requestBodies/A"}"##,
            "/paths/~1a/get/requestBody/$ref",
        ),
        ("/paths/~1a/$ref", r##""other.json""##, "/paths/~1a/$ref"),
        ("/servers", "{}", "/servers"),
    ] {
        let refused = refused(&[(pointer, Some(value))], DocumentKind::Oas).unwrap();
        assert_eq!(refused.message, "request malformed", "{pointer}");
        assert_eq!(refused.issues[0].pointer, at);
    }
    let reference =
        r##"{"schemas":{"A":{"$ref":"#/components/schemas/B"},"B":{"type":"string"}}}"##;
    assert_eq!(message(&[("/components", Some(reference))]), "");
}

#[test]
fn the_extension_and_the_version_come_first() {
    let missing = "the payload should contain x-gateway-api-gateway";
    assert_eq!(
        message(&[(EXTENSION, None), ("/openapi", Some("\"4.0.0\""))]),
        missing
    );
    assert_eq!(message(&[(EXTENSION, Some("null"))]), missing);
    for (version, text) in [
        ("\"4.0.0\"", "Schema not found for version \"4.0.0\""),
        ("\"2.0\"", "Schema not found for version \"2.0\""),
        ("\"abc\"", "malformed version: abc"),
        (
            "\"3.0\"",
            r"openapi: Does not match pattern '^3\.0\.\d(-.+)?$'",
        ),
    ] {
        assert_eq!(message(&[("/openapi", Some(version))]), text);
    }
    assert_eq!(
        message(&[("/openapi", None)]),
        r"openapi: Does not match pattern '^3\.0\.\d(-.+)?$'"
    );
    let mcp = refused(&[("/openapi", Some("\"4.0.0\""))], DocumentKind::Mcp).unwrap();
    assert_eq!(mcp.message, "schema not found for version \"4.0.0\"");
}

#[test]
fn schema_violations_are_reported_together() {
    let below = |member: &str| format!("{EXTENSION}{member}");
    for (pointer, value, text) in [
        (
            below("/info/name"),
            None,
            "x-gateway-api-gateway.info: name is required",
        ),
        (
            below("/info/state/active"),
            Some("\"yes\""),
            "x-gateway-api-gateway.info.state.active: Invalid type. Expected: boolean, given: string",
        ),
        (
            below("/server/listenPath/value"),
            Some("\" \""),
            r"x-gateway-api-gateway.server.listenPath.value: Does not match pattern '\S+'",
        ),
        (
            below("/upstream"),
            Some("{}"),
            "x-gateway-api-gateway.upstream: Must validate at least one schema (anyOf)\nx-gateway-api-gateway.upstream: url is required",
        ),
        (
            below("/upstream/url"),
            Some("\"http://a:port/\""),
            "x-gateway-api-gateway.upstream.url: Does not match format 'uri-reference'",
        ),
        (
            below("/upstream/url"),
            Some("\"http://[::1/\""),
            "x-gateway-api-gateway.upstream.url: Does not match format 'uri-reference'",
        ),
        (
            below("/upstream/url"),
            Some("\"http://u:p@[::1]:80/a:b\""),
            "",
        ),
        (
            below("/server/authentication"),
            Some(r#"{"enabled":true,"securitySchemes":{"k":5}}"#),
            "x-gateway-api-gateway.server.authentication.securitySchemes.k: Must validate at least one schema (anyOf)\nx-gateway-api-gateway.server.authentication.securitySchemes.k: Invalid type. Expected: object, given: integer",
        ),
        (
            below("/middleware"),
            Some(
                r#"{"operations":{"a":{"transformRequestBody":{"enabled":true,"format":"json"}}}}"#,
            ),
            "x-gateway-api-gateway.middleware.operations.a.transformRequestBody: Must validate at least one schema (anyOf)\nx-gateway-api-gateway.middleware.operations.a.transformRequestBody: body is required\nx-gateway-api-gateway.middleware.operations.a.transformRequestBody: Must have at least 3 properties",
        ),
        (
            below("/server/port"),
            Some("70000"),
            "x-gateway-api-gateway.server.port: Must be less than or equal to 65535",
        ),
        (
            below("/server/protocol"),
            Some("\"ftp\""),
            "x-gateway-api-gateway.server.protocol: x-gateway-api-gateway.server.protocol must be one of the following: \"http\", \"https\", \"h2c\"",
        ),
        (
            EXTENSION.to_owned(),
            Some("{}"),
            "x-gateway-api-gateway: info is required\nx-gateway-api-gateway: upstream is required\nx-gateway-api-gateway: server is required",
        ),
        (
            "/paths".to_owned(),
            None,
            "paths: Invalid type. Expected: object, given: null",
        ),
        (
            "/info".to_owned(),
            None,
            "info: Invalid type. Expected: object, given: null",
        ),
        (
            "/paths/~1a/get/responses".to_owned(),
            None,
            "paths./a.get: responses is required",
        ),
        (
            "/paths/~1a/get/responses/200".to_owned(),
            Some("{}"),
            "paths./a.get.responses.200: Must validate one and only one schema (oneOf)\npaths./a.get.responses.200: description is required",
        ),
        (
            "/paths/~1a/get/nope".to_owned(),
            Some("1"),
            "paths./a.get: Additional property nope is not allowed",
        ),
        (
            "/paths/~1a/get/responses".to_owned(),
            Some("{}"),
            "paths./a.get.responses: Must have at least 1 properties",
        ),
        (
            "/servers".to_owned(),
            Some(r#"[{"url":"http://{h}","variables":{"h":{}}}]"#),
            "servers.0.variables.h: default is required",
        ),
    ] {
        assert_eq!(message(&[(&pointer, value)]), text, "{pointer}");
    }
}

#[test]
fn a_parameter_of_a_path_has_to_be_required() {
    let parameter = r#"[{"name":"id","in":"path","schema":{"type":"string"}}]"#;
    let text = message(&[("/paths/~1a/get/parameters", Some(parameter))]);
    assert!(
        text.starts_with(
            "paths./a.get.parameters.0: Must validate one and only one schema (oneOf)"
        ),
        "{text}"
    );
    assert!(
        text.contains("\npaths./a.get.parameters.0: required is required"),
        "{text}"
    );
}

#[test]
fn problems_beyond_the_schema_are_reported_once() {
    let operation = r#"{"operationId":"same","responses":{"200":{"description":""}}}"#;
    let path = format!("{{\"get\":{operation}}}");
    let parameter = r#"{"name":"id","in":"query","schema":{}}"#;
    for (changes, text) in [
        (
            vec![("/info/version", None)],
            "invalid info: value of version must be a non-empty string",
        ),
        (
            vec![("/paths/~1a~1{id}", Some(path.as_str()))],
            "invalid paths: operation GET /a/{id} must define exactly all path parameters (missing: [id])",
        ),
        (
            vec![
                ("/paths/~1a", Some(path.as_str())),
                ("/paths/~1b", Some(path.as_str())),
            ],
            "invalid paths: operations \"GET /a\" and \"GET /b\" have the same operation id \"same\"",
        ),
        (
            vec![("/servers", Some(r#"[{"url":"http://{h}"}]"#))],
            "invalid servers: server has undeclared variables",
        ),
        (
            vec![(
                "/paths/~1a/get/parameters",
                Some(&*format!("[{parameter},{parameter}]")),
            )],
            "invalid paths: invalid path /a: invalid operation GET: more than one \"query\" parameter has name \"id\"",
        ),
        (
            vec![("/security", Some(r#"[{"nope":[]}]"#))],
            "No components or security schemes present in OAS",
        ),
    ] {
        assert_eq!(message(&changes), text);
    }
    let scheme = r#"{"securitySchemes":{"key":{"type":"apiKey","in":"header","name":"A"}}}"#;
    let changes = [
        ("/components", Some(scheme)),
        ("/security", Some(r#"[{"nope":[]}]"#)),
    ];
    assert!(
        message(&changes).starts_with("Missing required Security Scheme 'nope' in Components.")
    );
}

#[test]
fn proxies_have_a_schema_of_their_own() {
    let middleware = |json| [("/x-gateway-api-gateway/middleware", Some(json))];
    for (json, text) in [
        (
            r#"{"mcpTools":{"a":{"allow":true}}}"#,
            "x-gateway-api-gateway.middleware.mcpTools.a.allow: Invalid type. Expected: object, given: boolean",
        ),
        (
            r#"{"mcpTools":{"a":{"rateLimit":{"enabled":true,"rate":1}}}}"#,
            "x-gateway-api-gateway.middleware.mcpTools.a.rateLimit: per is required",
        ),
    ] {
        assert_eq!(
            refused(&middleware(json), DocumentKind::Mcp)
                .unwrap()
                .message,
            text
        );
        assert_eq!(message(&middleware(json)), "", "no member of an API");
    }
    let metadata = [(
        "/x-gateway-api-gateway/server/authentication",
        Some(r#"{"enabled":true,"protectedResourceMetadata":{"enabled":true}}"#),
    )];
    let text = "protectedResourceMetadata.resource is required when enabled";
    assert_eq!(refused(&metadata, DocumentKind::Mcp).unwrap().message, text);
    let metadata = [(
        "/x-gateway-api-gateway/server/authentication",
        Some(r#"{"enabled":true,"protectedResourceMetadata":{"enabled":true,"resource":"r"}}"#),
    )];
    let text =
        "protectedResourceMetadata.authorizationServers must have at least one entry for MCP APIs";
    assert_eq!(refused(&metadata, DocumentKind::Mcp).unwrap().message, text);
    assert_eq!(message(&metadata), "");
    let server = [("/x-gateway-mcp-server", Some(r#"{"primitives":[]}"#))];
    let text = "x-gateway-mcp-server is valid only for MCP proxies";
    assert_eq!(message(&server), text);
    let text = format!("{text} targeting a REST-as-MCP adapter");
    assert_eq!(refused(&server, DocumentKind::Mcp).unwrap().message, text);
}

#[test]
fn issues_have_pointer_and_remedy() {
    let text = "{\n\"openapi\":\"3.0.3\",\"info\":{\"title\":\"a\",\"version\":\"1\"},\"paths\":{},\n\"x-gateway-api-gateway\":{\"info\":{\"state\":{\"active\":1}},\"upstream\":{},\"server\":{\"listenPath\":{\"value\":\"/\"}}}}";
    let refused = check(text, DocumentKind::Oas).unwrap_err();
    let issues: Vec<(String, u32)> = refused
        .issues
        .iter()
        .map(|issue| (issue.to_string(), issue.start.line))
        .collect();
    assert_eq!(issues.len(), 3, "{issues:?}");
    assert_eq!(
        refused.issues[0].start,
        Position {
            line: 3,
            column: 33
        }
    );
    assert_eq!(
        issues[0].0,
        "error at line 3, column 33 (/x-gateway-api-gateway/info/name): \"name\" is missing; add it"
    );
    assert_eq!(
        refused.issues[1].pointer,
        "/x-gateway-api-gateway/info/state/active"
    );
    assert_eq!(refused.message.lines().count(), 4);
}

#[test]
fn number_of_violations_is_bounded() {
    let name = "n".repeat(10_000);
    let paths: Vec<String> = (0..2_000)
        .map(|at| format!("\"/{name}{at}\":{{\"get\":{{}}}}"))
        .collect();
    let paths = format!("{{{}}}", paths.join(","));
    let refused = refused(&[("/paths", Some(&paths))], DocumentKind::Oas).unwrap();
    assert!(refused.message.len() < 500_000);
    assert!(refused.message.lines().last().unwrap().starts_with("and "));
}

#[test]
fn imports_are_checked_without_the_extension() {
    let without = |changes: &[(&str, Option<&str>)]| {
        let text = document(&[changes, &[(EXTENSION, None)]].concat());
        check_plain(&text, DocumentKind::Oas).map_err(|refused| refused.message)
    };
    assert_eq!(without(&[]), Ok(()));
    let servers = [(
        "/servers",
        Some(r#"[{"url":"http://{h}","variables":{"h":{}}}]"#),
    )];
    let text = "servers.0.variables.h: default is required".to_owned();
    assert_eq!(without(&servers), Err(text));
    let servers = [("/servers", Some(r#"[{"url":"http://{h}/"}]"#))];
    let text = "invalid servers: server has undeclared variables".to_owned();
    assert_eq!(without(&servers), Err(text));
}

#[test]
fn extension_schemes_must_be_declared_and_required() {
    let components = r#"{"securitySchemes":{"key":{"type":"apiKey","in":"header","name":"A"},"other":{"type":"http","scheme":"basic"}}}"#;
    let answer = |authentication: &str| {
        let at = "/x-gateway-api-gateway/server/authentication";
        let security = ("/security", Some(r#"[{"key":[]}]"#));
        let changes = [
            (at, Some(authentication)),
            ("/components", Some(components)),
            security,
        ];
        message(&changes)
    };
    let with = |more: &str, schemes: &str| {
        format!(r#"{{"enabled":true,"securitySchemes":{{{schemes}}}{more}}}"#)
    };
    assert_eq!(answer(&with("", r#""key":{"enabled":true}"#)), "");
    let missing = answer(&with("", r#""nope":{"enabled":true}"#));
    assert!(
        missing.starts_with("Missing required Security Scheme 'nope' in"),
        "{missing}"
    );
    assert_eq!(answer(&with("", r#""nope":{"enabled":false}"#)), "");
    let both = r#""key":{"enabled":true},"other":{"enabled":true}"#;
    assert_eq!(
        answer(&with("", both)),
        "",
        "the first requirement counts alone"
    );
    let compliant = r#","securityProcessingMode":"compliant""#;
    let text = "invalid multi-auth configuration: other auth enabled but not configured in a security requirement";
    assert_eq!(answer(&with(compliant, both)), text);
    let more = format!(r#"{compliant},"security":[["other"]]"#);
    assert_eq!(answer(&with(&more, both)), "");
}

#[test]
fn members_ignored_by_the_reference_are_warnings() {
    let server = r#"{"listenPath":{"value":"/a","stripp":true},"gatewayTags":{"enabled":true,"tags":["a",5]},"batch":1,
        "authentication":{"enabled":false,"securitySchemes":{"a":{"enabled":true,"skipKid":true}}}}"#;
    let text = document(&[("/x-gateway-api-gateway/server", Some(server))]);
    assert_eq!(check(&text, DocumentKind::Oas), Ok(()));
    let issues = advice(&text, DocumentKind::Oas);
    let mut told: Vec<(&str, &str)> = issues
        .iter()
        .map(|issue| (issue.pointer.as_str(), issue.message.as_str()))
        .collect();
    told.sort_unstable();
    let below = "/x-gateway-api-gateway/server";
    let expected = [
        (
            format!("{below}/batch"),
            "\"batch\" is not known here and has no effect",
        ),
        (
            format!("{below}/gatewayTags/tags/1"),
            "it should be a string, but is a number",
        ),
        (
            format!("{below}/listenPath/stripp"),
            "it is not known here and has no effect; is \"strip\" meant?",
        ),
    ];
    let expected: Vec<(&str, &str)> = expected
        .iter()
        .map(|(at, text)| (at.as_str(), *text))
        .collect();
    assert_eq!(told, expected);
    assert!(issues.iter().all(|issue| !issue.is_error()));
    assert_eq!(advice("{", DocumentKind::Oas), []);
}

#[test]
fn patterns_that_would_refuse_everything_are_warnings() {
    let schema = |pattern: &str| {
        format!(
            r#"{{"S":{{"type":"object","properties":{{"pattern":{{"type":"string","pattern":"{pattern}"}}}},"example":{{"pattern":"\\p{{Greek}}"}}}}}}"#
        )
    };
    let told = |pattern: &str, rule: &str| {
        let operations = format!(r#"{{"operations":{{"aGET":{{"{rule}":{{"enabled":true}}}}}}}}"#);
        let components = format!(r#"{{"schemas":{}}}"#, schema(pattern));
        let text = document(&[
            ("/components", Some(&components)),
            ("/x-gateway-api-gateway/middleware", Some(&operations)),
        ]);
        assert_eq!(check(&text, DocumentKind::Oas), Ok(()), "{pattern}");
        let issues = advice(&text, DocumentKind::Oas).into_iter();
        issues.map(|issue| issue.pointer).collect::<Vec<_>>()
    };
    let at = "/components/schemas/S/properties/pattern/pattern";
    assert_eq!(told(r"^\\p{Greek}+$", "validateRequest"), [at]);
    assert_eq!(told(r"^\\p{Greek}+$", "allow"), [""; 0]);
    assert_eq!(told(r"^\\pL+$", "validateRequest"), [""; 0]);
    assert_eq!(told(r"^[\\u00e0-\\u00ff]+$", "validateRequest"), [""; 0]);
}

#[test]
fn checking_takes_linear_time() {
    // Each reference leads into an object with as many members: searching linearly would take some billions of
    // comparisons.
    let count = 30_000;
    let schemas: Vec<String> = (0..count)
        .map(|at| {
            format!(
                "\"S{at}\":{{\"$ref\":\"#/components/schemas/S{}\"}}",
                (at + 1) % count
            )
        })
        .collect();
    let schemas = schemas
        .join(",")
        .replace("\"#/components/schemas/S0\"", "\"#/info\"");
    let components = format!("{{\"schemas\":{{{schemas}}}}}");
    let paths: Vec<String> = (0..count).map(|at| format!("\"/p{at}/{{id}}\":{{\"get\":{{\"operationId\":\"o{at}\",\"responses\":{{\"200\":{{\"description\":\"\"}}}},\"parameters\":[{{\"name\":\"id\",\"in\":\"path\",\"required\":true,\"schema\":{{\"$ref\":\"#/components/schemas/S{at}\"}}}}]}}}}")).collect();
    let paths = format!("{{{}}}", paths.join(","));
    assert_eq!(
        message(&[("/components", Some(&components)), ("/paths", Some(&paths))]),
        ""
    );
}

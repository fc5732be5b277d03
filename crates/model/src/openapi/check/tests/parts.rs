//! Parameters, bodies, responses, headers, links and schemas, where they are used and as components.

use super::*;

#[test]
fn parts_of_a_document_are_checked_where_they_are_used_and_as_components() {
    let list = r#"{"type":"array"}"#;
    let deep = r#"{"name":"q","in":"query","style":"deepObject","explode":false,"schema":{}}"#;
    let twice = r#"{"name":"q","in":"query","content":{"a/a":{},"b/b":{}}}"#;
    let no_items = "when schema type is 'array', schema 'items' must be non-null";
    let not_exploded = "parameter \"q\" schema is invalid: serialization method with style=\"deepObject\" and explode=false is not supported by a query parameter";
    let one_entry =
        "parameter \"q\" content is invalid: parameter content must only contain one entry";
    let both_only = "a property MUST NOT be marked as both readOnly and writeOnly being true";
    let of_path = "invalid paths: invalid path /a: ";
    let of_get = "invalid paths: invalid path /a: invalid operation GET: ";
    let response = |more: &str| format!(r#"{{"200":{{"description":"",{more}}}}}"#);
    let responses = "/paths/~1a/get/responses";
    for (pointer, value, before, text, at) in [
        (
            "/paths/~1a/get/parameters",
            format!("[{deep}]"),
            of_get,
            not_exploded,
            "/0/explode",
        ),
        (
            "/paths/~1a/get/parameters",
            format!("[{twice}]"),
            of_get,
            one_entry,
            "/0/content",
        ),
        (
            "/paths/~1a/parameters",
            format!("[{deep}]"),
            of_path,
            not_exploded,
            "/0/explode",
        ),
        (
            "/paths/~1a/parameters",
            format!(r#"[{{"name":"q","in":"query","schema":{list}}}]"#),
            of_path,
            "parameter \"q\" schema is invalid: when schema type is 'array', schema 'items' must be non-null",
            "/0/schema",
        ),
        (
            responses,
            response(r#""links":{"l":{}}"#),
            of_get,
            "missing operationId or operationRef on link",
            "/200/links/l",
        ),
        (
            responses,
            response(&format!(r#""headers":{{"X":{{"schema":{list}}}}}"#)),
            of_get,
            "header schema is invalid: when schema type is 'array', schema 'items' must be non-null",
            "/200/headers/X/schema",
        ),
        (
            "/components",
            format!(r#"{{"parameters":{{"P":{deep}}}}}"#),
            "invalid components: parameter \"P\": ",
            not_exploded,
            "/parameters/P/explode",
        ),
        (
            "/components",
            format!(
                r#"{{"responses":{{"R":{{"description":"","content":{{"a/a":{{"schema":{list}}}}}}}}}}}"#
            ),
            "invalid components: response \"R\": ",
            no_items,
            "/responses/R/content/a~1a/schema",
        ),
        (
            "/components",
            format!(r#"{{"requestBodies":{{"B":{{"content":{{"a/a":{{"schema":{list}}}}}}}}}}}"#),
            "invalid components: request body \"B\": ",
            no_items,
            "/requestBodies/B/content/a~1a/schema",
        ),
        (
            "/components",
            format!(r#"{{"headers":{{"H":{{"schema":{list}}}}}}}"#),
            "invalid components: header \"H\": header schema is invalid: ",
            no_items,
            "/headers/H/schema",
        ),
        (
            "/components",
            r##"{"links":{"L":{"operationId":"a","operationRef":"#/b"}}}"##.to_owned(),
            "invalid components: link \"L\": ",
            "operationId \"a\" and operationRef \"#/b\" are mutually exclusive",
            "/links/L",
        ),
        (
            "/components",
            r#"{"examples":{"E":{"value":1,"externalValue":"http://a"}}}"#.to_owned(),
            "invalid components: example \"E\": ",
            "value and externalValue are mutually exclusive",
            "/examples/E",
        ),
        (
            "/components",
            r#"{"schemas":{"S":{"properties":{"p":{"readOnly":true,"writeOnly":true}}}}}"#
                .to_owned(),
            "invalid components: schema \"S\": ",
            both_only,
            "/schemas/S/properties/p",
        ),
    ] {
        let refused = refused(&[(pointer, Some(&*value))], DocumentKind::Oas).expect(&value);
        assert_eq!(refused.message, format!("{before}{text}"));
        assert_eq!(refused.issues[0].pointer, format!("{pointer}{at}"));
    }
    // Both are annotations in JSON Schema, which 3.1 uses.
    let both = r#"{"schemas":{"S":{"readOnly":true,"writeOnly":true},"L":{"type":"array"}}}"#;
    let changes = [("/openapi", Some("\"3.1.0\"")), ("/components", Some(both))];
    assert_eq!(message(&changes), "");
    for fine in [
        r##"{"links":{"L":{"operationId":"a"},"M":{"$ref":"#/components/links/L"}}}"##,
        r#"{"parameters":{"P":{"name":"q","in":"query","style":"deepObject","schema":{}}}}"#,
        r#"{"schemas":{"S":{"readOnly":true,"writeOnly":false}},"examples":{"E":{"value":1}}}"#,
    ] {
        assert_eq!(message(&[("/components", Some(fine))]), "");
    }
}

#[test]
fn arrays_must_declare_items() {
    let text = "when schema type is 'array', schema 'items' must be non-null";
    let parameter = r#"[{"name":"a","in":"query","schema":{"type":"array"}}]"#;
    for (pointer, value, before, at) in [
        (
            "/components",
            r#"{"schemas":{"A":{"properties":{"b":{"type":"array"}}}}}"#,
            "invalid components: schema \"A\": ",
            "/components/schemas/A/properties/b",
        ),
        (
            "/paths/~1a/get/parameters",
            parameter,
            "invalid paths: invalid path /a: invalid operation GET: parameter \"a\" schema is invalid: ",
            "/paths/~1a/get/parameters/0/schema",
        ),
        (
            "/paths/~1a/get/responses/200",
            r#"{"description":"","content":{"a/b":{"schema":{"type":"array"}}}}"#,
            "invalid paths: invalid path /a: invalid operation GET: ",
            "/paths/~1a/get/responses/200/content/a~1b/schema",
        ),
    ] {
        let changes = [(pointer, Some(value))];
        let answer = refused(&changes, DocumentKind::Oas).unwrap();
        assert_eq!(answer.message, format!("{before}{text}"));
        assert_eq!(answer.issues[0].pointer, at);
        let newer = [changes[0], ("/openapi", Some("\"3.1.0\""))];
        assert_eq!(message(&newer), "");
    }
}

#[test]
fn names_of_components_are_plain() {
    let why = "is not supported by OpenAPIv3 standard (charset: [\"a-zA-Z0-9._-\"])";
    for (kind, called) in [("schemas", "schema"), ("responses", "response")] {
        let components = format!(
            r#"{{"{kind}":{{"A.b_c-1":{{"description":"d"}},"a b":{{"description":"d"}}}}}}"#
        );
        let text = format!("invalid components: {called} \"a b\": identifier \"a b\" {why}");
        assert_eq!(message(&[("/components", Some(&components))]), text);
    }
}

//! Messages about bodies, in the words and the order of the reference (3.14).
#![allow(clippy::unwrap_used)]

use gatewright_extra_schema::call;
use gatewright_model::json::parse;

/// Returns the violations of a body, "" if it matches; other reports unchanged.
fn violations(schema: &str, body: &str) -> String {
    let report = call("validate", schema, "", body.as_bytes());
    let report = report.first().unwrap();
    let value = parse(report).unwrap();
    match value.str("violations") {
        Some(text) => text.to_owned(),
        None if value.members().is_empty() => String::new(),
        None => report.clone(),
    }
}

fn check(schema: &str, cases: &[(&str, &str)]) {
    for (body, expected) in cases {
        assert_eq!(violations(schema, body), *expected, "{schema} {body}");
    }
}

#[test]
fn violations_are_one_text() {
    let report = call("validate", r#"{"required":["a;","b"]}"#, "", b"{}");
    let expected = r#"{"violations":"(root): a; is required; (root): b is required"}"#;
    assert_eq!(report, [expected]);
}

#[test]
fn objects() {
    check(
        r#"{"type":"object","required":["name","age"],"additionalProperties":false,"minProperties":1,
            "properties":{"name":{"type":"string","minLength":2,"maxLength":3},"age":{"type":"integer","minimum":0},
            "tags":{"type":["array","null"]}}}"#,
        &[
            (r#"{"name":"Ada","age":1.0}"#, ""),
            (r#"{"name":"Adä","age":1e2,"tags":null}"#, ""),
            (
                "{}",
                "(root): Must have at least 1 properties; (root): name is required; (root): age is required",
            ),
            ("[]", "(root): Invalid type. Expected: object, given: array"),
            (
                "null",
                "(root): Invalid type. Expected: object, given: null",
            ),
            (
                r#"{"name":1,"age":1.5}"#,
                "name: Invalid type. Expected: string, given: integer; age: Invalid type. Expected: integer, given: number",
            ),
            (
                r#"{"name":"A","age":-1}"#,
                "name: String length must be greater than or equal to 2; age: Must be greater than or equal to 0",
            ),
            (
                r#"{"name":"Adam","age":1}"#,
                "name: String length must be less than or equal to 3",
            ),
            (
                r#"{"name":"Ada","age":1,"tags":"x"}"#,
                "tags: Invalid type. Expected: [array,null], given: string",
            ),
            (
                r#"{"b":1,"name":"Ada","a":1,"age":true}"#,
                "(root): Additional property b is not allowed; (root): Additional property a is not allowed; age: Invalid type. Expected: integer, given: boolean",
            ),
            // The upstream may use another one of repeated members.
            (
                r#"{"age":"x","name":"Ada","age":1}"#,
                r#"{"unreadable":"error at line 1, column 25 (/age): the member \"age\" is there twice, first at line 1, column 2; remove one"}"#,
            ),
        ],
    );
    check(
        r#"{"patternProperties":{"^n":{"type":"number"}},"additionalProperties":{"type":"string"},
            "propertyNames":{"maxLength":2},"maxProperties":2,"dependencies":{"a":["b"]}}"#,
        &[
            (r#"{"n":1,"s":"x"}"#, ""),
            (
                r#"{"n":"x","s":1}"#,
                "n: Invalid type. Expected: number, given: string; s: Invalid type. Expected: string, given: integer",
            ),
            (
                r#"{"nnn":1}"#,
                "(root): Property name of \"nnn\" does not match; (root): String length must be less than or equal to 2",
            ),
            (
                r#"{"a":"x","n":1,"s":"x"}"#,
                "(root): Has a dependency on b; (root): Must have at most 2 properties",
            ),
        ],
    );
}

#[test]
fn lists() {
    check(
        r#"{"type":"object","properties":{"lines":{"type":"array","minItems":1,"maxItems":3,"uniqueItems":true,
            "items":{"type":"object","required":["sku"],"properties":{"price":{"multipleOf":0.5,"maximum":100}}}}}}"#,
        &[
            (
                r#"{"lines":[{"sku":"a"},{"price":1}]}"#,
                "lines.1: sku is required",
            ),
            (r#"{"lines":[]}"#, "lines: Array must have at least 1 items"),
            (
                r#"{"lines":[{"sku":1},{"sku":2},{"sku":1.0},{"sku":2}]}"#,
                "lines: Array must have at most 3 items; lines: array items[0,2] must be unique; lines: array items[1,3] must be unique",
            ),
            (
                r#"{"lines":[{"sku":"a","price":100.75}]}"#,
                "lines.0.price: Must be a multiple of 0.5; lines.0.price: Must be less than or equal to 100",
            ),
        ],
    );
    check(
        r#"{"items":[{"type":"string"},{"type":"integer"}],"additionalItems":false}"#,
        &[
            (
                r#"["a",1,2]"#,
                "(root): No additional items allowed on array",
            ),
            ("[1]", "0: Invalid type. Expected: string, given: integer"),
        ],
    );
    check(
        r#"{"contains":{"type":"object","required":["a"],"properties":{"a":{"const":1}}}}"#,
        &[
            (
                r#"["x",{"a":2}]"#,
                "(root): At least one of the items must match; 1.a: 1.a does not match: 1",
            ),
            ("[]", "(root): At least one of the items must match"),
        ],
    );
}

#[test]
fn values() {
    check(
        r#"{"properties":{"state":{"enum":["open","paid"]},"n":{"enum":[1.0,null,{"b":1,"a":[true]}]},"c":{"const":"a<b"},
            "p":{"pattern":"^[A-Z]{2}$","format":"email"},"d":{"format":"date-time"},"x":{"exclusiveMinimum":1,"exclusiveMaximum":10}}}"#,
        &[
            (
                r#"{"state":"open","n":1,"c":"a<b","d":"2026-01-02T03:04:05Z","x":2}"#,
                "",
            ),
            (r#"{"n":{"a":[true],"b":1.0}}"#, ""),
            (
                r#"{"state":"lost"}"#,
                "state: state must be one of the following: \"open\", \"paid\"",
            ),
            (
                r#"{"n":2}"#,
                "n: n must be one of the following: 1, null, {\"a\":[true],\"b\":1}",
            ),
            (r#"{"c":"b"}"#, "c: c does not match: \"a\\u003cb\""),
            (
                r#"{"p":"ab"}"#,
                "p: Does not match format 'email'; p: Does not match pattern '^[A-Z]{2}$'",
            ),
            (
                r#"{"d":"yesterday"}"#,
                "d: Does not match format 'date-time'",
            ),
            (r#"{"x":1}"#, "x: Must be greater than 1"),
            (r#"{"x":10}"#, "x: Must be less than 10"),
        ],
    );
    // Numbers are exact.
    check(
        r#"{"maximum":9007199254740992}"#,
        &[
            ("9007199254740992", ""),
            (
                "9007199254740993",
                "(root): Must be less than or equal to 9.007199254740992e+15",
            ),
        ],
    );
    check(r#"{"enum":[]}"#, &[("1", "")]);
    let draft_4 = r#"{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}"#;
    check(
        draft_4,
        &[("1", "(root): Must be greater than 1"), ("1.1", "")],
    );
}

#[test]
fn several_schemas() {
    check(
        r#"{"oneOf":[{"type":"object","required":["kind","radius"],"properties":{"kind":{"const":"circle"}}},
            {"type":"object","required":["kind","side"],"properties":{"kind":{"const":"square"}}}]}"#,
        &[
            (r#"{"kind":"circle","radius":1}"#, ""),
            // The closest one is reported: present members count for it.
            (
                r#"{"kind":"square"}"#,
                "(root): Must validate one and only one schema (oneOf); (root): side is required",
            ),
            (
                r#"{"kind":"circle"}"#,
                "(root): Must validate one and only one schema (oneOf); (root): radius is required",
            ),
            (
                "1",
                "(root): Must validate one and only one schema (oneOf); (root): Invalid type. Expected: object, given: integer",
            ),
        ],
    );
    check(
        r#"{"anyOf":[{"type":"string"},{"type":"integer","minimum":5}]}"#,
        &[
            ("\"x\"", ""),
            (
                "3",
                "(root): Must validate at least one schema (anyOf); (root): Must be greater than or equal to 5",
            ),
            (
                "true",
                "(root): Must validate at least one schema (anyOf); (root): Invalid type. Expected: string, given: boolean",
            ),
        ],
    );
    check(
        r#"{"allOf":[{"required":["a"]},{"required":["b"]}],"not":{"required":["c"]}}"#,
        &[
            (
                r#"{"a":1}"#,
                "(root): b is required; (root): Must validate all the schemas (allOf)",
            ),
            (
                r#"{"a":1,"b":1,"c":1}"#,
                "(root): Must not validate the schema (not)",
            ),
        ],
    );
    check(
        r#"{"oneOf":[{},{}]}"#,
        &[("1", "(root): Must validate one and only one schema (oneOf)")],
    );
    check(
        r#"{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}"#,
        &[
            (
                r#"{"a":1}"#,
                "(root): Must validate \"then\" as \"if\" was valid; (root): b is required",
            ),
            (
                "{}",
                "(root): Must validate \"else\" as \"if\" was not valid; (root): c is required",
            ),
        ],
    );
    check(
        r##"{"properties":{"a":{"$ref":"#/definitions/n"},"b":false},"definitions":{"n":{"type":"number"}}}"##,
        &[
            (
                r#"{"a":"x"}"#,
                "a: Invalid type. Expected: number, given: string",
            ),
            (r#"{"b":1}"#, "b: False always fails validation"),
        ],
    );
}

#[test]
fn invalid_json_is_unreadable() {
    for schema in ["{}", r#"{"type":"object"}"#] {
        check(
            schema,
            &[
                ("", r#"{"unreadable":"EOF"}"#),
                ("  ", r#"{"unreadable":"EOF"}"#),
                (r#"{"a":"#, r#"{"unreadable":"unexpected EOF"}"#),
            ],
        );
        assert!(violations(schema, "no json").starts_with(r#"{"unreadable":"#));
        assert!(violations(schema, "{} {}").starts_with(r#"{"unreadable":"#));
    }
    let report = call("validate", "{}", "", b"\"\xff\"");
    assert_eq!(report, [r#"{"unreadable":"the body is not UTF-8"}"#]);
}

#[test]
fn invalid_schemas_are_reported() {
    for (schema, why) in [
        ("{", "the schema is not JSON"),
        ("1", "a JSON Schema is an object or a boolean"),
        (
            r#"{"properties":{"a":{"$ref":"https://example.com/a.json"}}}"#,
            "other documents are not fetched",
        ),
        (r##"{"$ref":"#/definitions/a"}"##, "leads nowhere"),
        (r#"{"pattern":"("}"#, "can't be compiled"),
    ] {
        for function in ["validate", "check"] {
            let report = call(function, schema, "", b"{}");
            assert!(
                report[0].starts_with(r#"{"broken":"#) && report[0].contains(why),
                "{report:?}"
            );
        }
    }
    assert_eq!(call("check", r#"{"type":"object"}"#, "", b""), ["{}"]);
}

/// Schemas come from the operator and bodies from anyone: neither may crash the module.
#[test]
fn excessive_schemas_terminate() {
    let endless = r##"{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##;
    assert!(violations(endless, "1").contains("too much work"));
    let wide = r##"{"anyOf":[{"items":{"$ref":"#"},"minItems":9},{"items":{"$ref":"#"},"maxItems":0},{"items":{"$ref":"#"},"minItems":8}]}"##;
    let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
    assert!(violations(wide, &deep).contains("too much work"));
    let plain = r##"{"items":{"$ref":"#"}}"##;
    let deepest = format!("{}{}", "[".repeat(120), "]".repeat(120));
    assert_eq!(violations(plain, &deepest), "");
    let many = format!("[{}]", vec!["1"; 2000].join(","));
    let text = violations(r#"{"items":{"type":"string"}}"#, &many);
    assert!(
        text.ends_with("; and 1500 more") && text.len() < 40_000,
        "{}",
        text.len()
    );
}

#[test]
fn keywords_of_later_drafts() {
    let draft = r#""$schema":"https://json-schema.org/draft/2020-12/schema""#;
    for (schema, body, expected) in [
        (
            r#""dependentRequired":{"a":["b"]}"#,
            r#"{"a":1}"#,
            "(root): Has a dependency on b",
        ),
        (
            r#""prefixItems":[{"type":"string"}],"items":false"#,
            r#"["a",1]"#,
            "(root): No additional items allowed on array",
        ),
        (
            r#""properties":{"a":{}},"unevaluatedProperties":false"#,
            r#"{"a":1,"b":1}"#,
            "(root): Additional property b is not allowed",
        ),
        (
            r#""contains":{"type":"string"},"minContains":2,"maxContains":2"#,
            r#"["a","b","c"]"#,
            "(root): At most 2 of the items may match",
        ),
        (
            r##""$ref":"#/$defs/a","required":["c"],"$defs":{"a":{"required":["b"]}}"##,
            "{}",
            "(root): b is required; (root): c is required",
        ),
    ] {
        assert_eq!(
            violations(&format!("{{{draft},{schema}}}"), body),
            expected,
            "{schema}"
        );
    }
}

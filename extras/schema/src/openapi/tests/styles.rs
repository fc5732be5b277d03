//! Styles of parameters and forms.

use super::*;

#[test]
fn parameters_are_read_by_their_styles() {
    let of = |parameter: &str, address: &str, headers: &[(&str, &str)]| {
        let api = operation(&format!(r#""parameters":[{parameter}]"#), "");
        let message = api.message(address, headers, "");
        let behind = message.split_once(" has an error: ");
        behind.map_or(message.clone(), |(_, reason)| reason.to_owned())
    };
    let query = |schema: &str, more: &str| {
        format!(r#"{{"name":"n","in":"query","schema":{schema}{more}}}"#)
    };
    let integers = r#"{"type":"array","items":{"type":"integer"}}"#;
    let object = r#"{"type":"object","properties":{"r":{"type":"integer"}}}"#;
    let nested = r#"{"type":"object","properties":{"o":{"type":"object","properties":{"k":{"type":"integer"}}},
        "l":{"type":"array","items":{"type":"string"}}}}"#;
    for (parameter, address, expected) in [
        (query(r#"{"type":"integer"}"#, ""), "/a/1?n=12", "{}"),
        (query(r#"{"type":"integer"}"#, ""), "/a/1?n=1.5", "value 1.5: an invalid integer: invalid syntax"),
        (query(r#"{"type":"number"}"#, ""), "/a/1?n=1.5e3", "{}"),
        (query(r#"{"type":"number"}"#, ""), "/a/1?n=x", "value x: an invalid number: invalid syntax"),
        (query(r#"{"type":"boolean"}"#, ""), "/a/1?n=yes", "value yes: an invalid boolean: invalid syntax"),
        (query(r#"{"type":"integer"}"#, ""), "/a/1?n=", "empty value is not allowed"),
        (query(r#"{"type":"integer"}"#, r#","allowEmptyValue":true"#), "/a/1?n=", "{}"),
        (query(r#"{"type":"integer"}"#, ""), "/a/1", "{}"),
        (query(r#"{"type":"integer"}"#, r#","required":true"#), "/a/1?m=1", "value is required but missing"),
        (query(r#"{"type":"integer","maximum":5}"#, ""), "/a/1?n=6", "number must be at most 5"),
        (query("{}", ""), "/a/1?n=x", "{}"),
        (query(r#"{"type":"integer"}"#, ""), "/a/1?n=99999999999999999999", "value 99999999999999999999: an invalid integer: value out of range"),
        (query(r#"{"type":"integer","format":"int32"}"#, ""), "/a/1?n=3000000000", "value 3000000000: an invalid integer: value out of range"),
        (query(integers, ""), "/a/1?n=1&n=2", "{}"),
        (query(integers, ""), "/a/1?n=1&n=x", "path 1: value x: an invalid integer: invalid syntax"),
        (query(integers, r#","explode":false"#), "/a/1?n=1,x", "path 1: value x: an invalid integer: invalid syntax"),
        (query(integers, r#","style":"pipeDelimited","explode":false"#), "/a/1?n=1%7C2", "{}"),
        (query(integers, r#","style":"spaceDelimited","explode":false"#), "/a/1?n=1%20y", "path 1: value y: an invalid integer: invalid syntax"),
        (query(object, r#","style":"deepObject""#), "/a/1?n%5Br%5D=x", "path r: value x: an invalid integer: invalid syntax"),
        (query(object, ""), "/a/1?r=1", "{}"),
        (query(object, r#","explode":false"#), "/a/1?n=r,1", "{}"),
        (query(object, r#","style":"deepObject""#), "/a/1?n%5Br%5D=1&n%5Bs%5D=2", "{}"),
        (query(r#"{"type":"object","additionalProperties":false,"properties":{"r":{"type":"integer"}}}"#, r#","style":"deepObject""#), "/a/1?n%5Br%5D=1&n%5Bs%5D=2", "{}"),
        (query(nested, r#","style":"deepObject""#), "/a/1?n%5Bo%5D%5Bk%5D=1&n%5Bl%5D%5B0%5D=a", "{}"),
        (query(nested, r#","style":"deepObject""#), "/a/1?n%5Bo%5D%5Bk%5D=x", "path o.k: value x: an invalid integer: invalid syntax"),
        (query(nested, r#","style":"deepObject""#), "/a/1?n%5Bl%5D=a", "path l: array items must be set with indexes"),
        (query(r#"{"oneOf":[{"type":"integer"},{"type":"boolean"}]}"#, ""), "/a/1?n=true", "{}"),
        (query(r#"{"oneOf":[{"type":"integer"},{"type":"boolean"}]}"#, ""), "/a/1?n=x", "empty value is not allowed"),
        (query(r#"{"oneOf":[{"type":"integer"},{"type":"boolean"}]}"#, r#","required":true"#), "/a/1?n=x", r#"decoding oneOf failed: "n" is required"#),
        (query(r#"{"anyOf":[{"type":"integer"},{"type":"boolean"}]}"#, r#","required":true"#), "/a/1?n=x", r#"decoding anyOf for parameter "n" failed"#),
        (query(r#"{"anyOf":[{"type":"integer","minimum":5},{"type":"string","maxLength":2}]}"#, ""), "/a/1?n=3", r#"doesn't match any schema from "anyOf""#),
        (
            r#"{"name":"id","in":"path","required":true,"schema":{"type":"integer"}}"#.to_owned(),
            "/a/x",
            "value x: an invalid integer: invalid syntax",
        ),
        (
            r#"{"name":"id","in":"path","required":true,"style":"matrix","schema":{"type":"integer"}}"#.to_owned(),
            "/a/;id=7",
            "{}",
        ),
        (
            r#"{"name":"q","in":"query","content":{"application/json":{"schema":{"type":"object","required":["a"]}}}}"#.to_owned(),
            "/a/1?q=%7B%7D",
            r#"Error at "/a": property "a" is missing"#,
        ),
        (
            r#"{"name":"q","in":"query","content":{"application/json":{"schema":{"type":"object"}}}}"#.to_owned(),
            "/a/1?q=x",
            r#"error unmarshaling parameter "q""#,
        ),
        (
            r#"{"name":"q","in":"query","required":true,"content":{"application/json":{"schema":{"type":"integer"}}}}"#.to_owned(),
            "/a/1",
            r#"parameter "q" is required, but missing"#,
        ),
        (
            r#"{"name":"q","in":"query","content":{"application/json":{"schema":{"type":"integer"}}}}"#.to_owned(),
            "/a/1?q=x",
            "value must be an integer",
        ),
    ] {
        assert_eq!(of(&parameter, address, &[]), expected, "{parameter} {address}");
    }
    let header = r#"{"name":"X-N","in":"header","required":true,"schema":{"type":"array","items":{"type":"integer"}}}"#;
    assert_eq!(of(header, "/a/1", &[]), "value is required but missing");
    assert_eq!(of(header, "/a/1", &[("x-n", "1,2")]), "{}");
    assert_eq!(of(header, "/a/1", &[("x-n", "1, 2")]), "{}");
    assert_eq!(
        of(header, "/a/1", &[("x-n", "1, b")]),
        "path 1: value b: an invalid integer: invalid syntax"
    );
    assert_eq!(
        of(header, "/a/1", &[("x-n", "")]),
        "empty value is not allowed"
    );
    let cookie = r#"{"name":"c","in":"cookie","required":true,"schema":{"type":"integer"}}"#;
    assert_eq!(of(cookie, "/a/1", &[("cookie", "b=2; c=1")]), "{}");
    assert_eq!(
        of(cookie, "/a/1", &[("cookie", "b=2")]),
        "value is required but missing"
    );
}

#[test]
fn forms_and_texts_are_bodies_too() {
    let members = r#""requestBody":{"required":true,"content":{
        "application/x-www-form-urlencoded":{"schema":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"age":{"type":"integer"}}}},
        "multipart/form-data":{"schema":{"type":"object","required":["file"],"properties":{"file":{"type":"string","maxLength":3},"n":{"type":"integer"},"j":{"type":"object","required":["a"]}}}},
        "text/plain":{"schema":{"type":"string","maxLength":5}},"application/json":{"schema":{"type":"object"}}}}"#;
    let api = operation(members, "");
    let message = |kind: &str, body: &str| {
        let message = api.message("/a/1", &[("content-type", kind)], body);
        let behind = message.strip_prefix("request body has an error: ");
        behind.unwrap_or(&message).to_owned()
    };
    let form = "application/x-www-form-urlencoded";
    assert_eq!(message(form, "name=Ann&age=3"), "{}");
    assert_eq!(
        message(form, "name=Ann&age=three"),
        "failed to decode request body: path age: value three: an invalid integer: invalid syntax"
    );
    assert_eq!(
        message(form, "age=3"),
        r#"doesn't match schema: Error at "/name": property "name" is missing"#
    );
    assert_eq!(message("text/plain; charset=utf-8", "abc"), "{}");
    assert_eq!(
        message("text/plain", "toolong"),
        "doesn't match schema: maximum string length is 5"
    );
    assert_eq!(
        message("application/xml", "<a/>"),
        r#"header Content-Type has unexpected value "application/xml""#
    );
    assert_eq!(
        message("", "x"),
        r#"header Content-Type has unexpected value """#
    );

    let kind = "multipart/form-data; boundary=\"b\"";
    let part = |name: &str, more: &str, content: &str| {
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n{more}\r\n{content}\r\n")
    };
    let file = part("file", "Content-Type: application/octet-stream\r\n", "abc");
    assert_eq!(message(kind, &format!("{file}--b--\r\n")), "{}");
    let number = part("n", "", "x");
    assert_eq!(
        message(kind, &format!("{file}{number}--b--")),
        "failed to decode request body: path n: value x: an invalid integer: invalid syntax"
    );
    let json = part("j", "Content-Type: application/json\r\n", "{}");
    assert_eq!(
        message(kind, &format!("{file}{json}--b--")),
        r#"doesn't match schema: Error at "/j/a": property "a" is missing"#
    );
    assert_eq!(
        message(kind, "--b--"),
        r#"doesn't match schema: Error at "/file": property "file" is missing"#
    );
    assert_eq!(
        message(kind, "abc"),
        "failed to decode request body: multipart: NextPart: EOF"
    );
}

/// An upstream may use any of several parameters or fields of a name.
#[test]
fn every_value_of_a_name_is_validated() {
    let query = |schema: &str, more: &str, address: &str| {
        let parameter =
            format!(r#""parameters":[{{"name":"n","in":"query","schema":{schema}{more}}}]"#);
        operation(&parameter, "").message(address, &[], "")
    };
    let few = r#"{"type":"integer","maximum":5}"#;
    let named = r#"{"type":"array","items":{"enum":["a"]},"default":["a"]}"#;
    let object = r#"{"type":"object","properties":{"r":{"type":"integer"}}}"#;
    for (schema, more, address, fits) in [
        (few, "", "/a/1?n=1&n=2", true),
        (few, "", "/a/1?n=1&n=6", false),
        (few, "", "/a/1?n=1&n=x", false),
        (few, "", "/a/1?n=1&n=2&%6E=6", false),
        ("{\"maxLength\":1}", "", "/a/1?n=1&n=22", false),
        (named, "", "/a/1?n=a&n=a", true),
        (named, "", "/a/1?n=a&n=b", false),
        // An empty item would hide the others.
        (named, "", "/a/1?n=b&n=", false),
        (named, r#","allowEmptyValue":true"#, "/a/1?n=b&n=", false),
        (named, r#","explode":false"#, "/a/1?n=a,a&n=a", true),
        (named, r#","explode":false"#, "/a/1?n=a&n=b", false),
        (object, "", "/a/1?r=1", true),
        (object, "", "/a/1?r=1&r=x", false),
    ] {
        let message = query(schema, more, address);
        assert_eq!(
            !message.contains("has an error"),
            fits,
            "{schema} {address}: {message}"
        );
    }
    let form = r#""requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":SCHEMA},
        "multipart/form-data":{"schema":SCHEMA}}}"#;
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer","maximum":5},
        "l":{"type":"array","items":{"type":"integer"}}}}"#;
    let api = operation(&form.replace("SCHEMA", schema), "");
    let of_form = |kind: &str, body: &str| {
        let message = api.message("/a/1", &[("content-type", kind)], body);
        !message.contains("has an error")
    };
    let many = "n=1&".repeat(20);
    for (body, fits) in [
        ("n=1&n=2&l=1&l=2&l=3", true),
        ("n=1&n=6", false),
        ("n=1&n=2&n=x", false),
        ("o=1&o=2", true),
        (many.as_str(), false),
    ] {
        assert_eq!(
            of_form("application/x-www-form-urlencoded", body),
            fits,
            "{body}"
        );
    }
    let part = |kind: &str, text: &str| {
        format!(
            "--b\r\nContent-Disposition: form-data; name=\"n\"\r\nContent-Type: {kind}\r\n\r\n{text}\r\n"
        )
    };
    let (json, text) = (part("application/json", "1"), part("text/plain", "6"));
    for body in [json.repeat(2), [json.clone(), text].concat()] {
        assert!(
            !of_form("multipart/form-data; boundary=b", &format!("{body}--b--")),
            "{body}"
        );
    }
    assert!(of_form(
        "multipart/form-data; boundary=b",
        &format!("{json}--b--")
    ));
}

#[test]
fn a_form_of_many_fields_is_read_in_linear_time() {
    let form = r#""requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":{"type":"object"}}}}"#;
    let fields: Vec<String> = (0..100_000).map(|number| format!("{number}=")).collect();
    let kind = [("content-type", "application/x-www-form-urlencoded")];
    let message = operation(form, "").message("/a/1", &kind, &fields.join("&"));
    assert_eq!(message, "{}");
}

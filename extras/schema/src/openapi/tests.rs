mod candidates;
mod formats;
mod styles;

use crate::call;
use gatewright_model::json::{Value, parse, quote};
use gatewright_model::openapi::template::{Template, segments};
use gatewright_model::openapi::{DocumentKind, compile};

/// An API with these paths and schemas, to which requests are made.
struct Api {
    settings: Vec<String>,
    routes: String,
}

/// Compiles an API whose operations are all validated.
fn api(paths: &str, components: &str) -> Api {
    let paths_value = parse(paths).unwrap();
    let mut ids = Vec::new();
    for path in paths_value.members() {
        for operation in path
            .value
            .members()
            .iter()
            .filter(|member| member.name != "parameters")
        {
            let id = operation.value.str("operationId").unwrap();
            let status = operation.value.int("x-status").unwrap_or_default();
            ids.push(format!(
                r#""{id}":{{"validateRequest":{{"enabled":true,"errorResponseCode":{status}}}}}"#
            ));
        }
    }
    let document = format!(
        r#"{{"openapi":"3.0.3","paths":{paths},"components":{{{components}}},"x-gateway-api-gateway":{{
        "middleware":{{"operations":{{{}}}}}}}}}"#,
        ids.join(",")
    );
    let definition = compile(&document, DocumentKind::Oas).unwrap();
    let value = parse(&definition).unwrap();
    let rules = value.pointer("/openapi/validate_request").unwrap();
    let texts = rules.get("settings").unwrap().items().iter();
    Api {
        settings: texts
            .map(|text| text.span.of(&definition).to_owned())
            .collect(),
        routes: rules.get("routes").unwrap().span.of(&definition).to_owned(),
    }
}

/// Compiles an API with one operation, `POST /a/{id}`, that has these members.
fn operation(members: &str, components: &str) -> Api {
    let paths = format!(r#"{{"/a/{{id}}":{{"post":{{"operationId":"o",{members}}}}}}}"#);
    api(&paths, components)
}

impl Api {
    fn ask(&self, address: &str, headers: &[(&str, &str)], body: &str) -> Vec<String> {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let segments = segments(path);
        let routes = parse(&self.routes).unwrap();
        let fits = |route: &&Value<'_>| {
            let template = Template::read(route.str("path").unwrap());
            template.parameters(&segments, false).is_some()
        };
        let route = routes.items().iter().find(fits).unwrap();
        let number = |name: &str| route.int(name).unwrap();
        let segments: Vec<String> = segments.iter().map(|segment| quote(segment)).collect();
        let headers: Vec<String> = headers
            .iter()
            .map(|(name, value)| format!("{}:{}", quote(name), quote(value)))
            .collect();
        let facts = format!(
            r#"{{"first":{},"count":{},"segments":[{}],"query":{},"headers":{{{}}}}}"#,
            number("first"),
            number("count"),
            segments.join(","),
            quote(query),
            headers.join(",")
        );
        let settings = usize::try_from(number("settings")).unwrap();
        call("request", &self.settings[settings], &facts, body.as_bytes())
    }

    /// Returns the message for a request, without its constant prefix.
    fn message(&self, address: &str, headers: &[(&str, &str)], body: &str) -> String {
        let report = self.ask(address, headers, body).remove(0);
        let value = parse(&report).unwrap();
        let message = value.pointer("/refused/message").and_then(Value::as_str);
        let Some(message) = message else {
            return report;
        };
        let message = message.strip_prefix("request validation error: ").unwrap();
        message.to_owned()
    }
}

const JSON: (&str, &str) = ("content-type", "application/json");

/// Returns the message for a body under such a schema.
fn of_body(schema: &str, components: &str, body: &str) -> String {
    let members = format!(
        r#""requestBody":{{"required":true,"content":{{"application/json":{{"schema":{schema}}}}}}}"#
    );
    let message = operation(&members, components).message("/a/1", &[JSON], body);
    let behind = message.strip_prefix("request body has an error: ");
    behind.unwrap_or(&message).to_owned()
}

const PERSON: &str = r##""schemas":{"Person":{"type":"object","required":["name"],"additionalProperties":false,
    "properties":{"name":{"type":"string","minLength":1},"age":{"type":"integer","minimum":0},
    "seen":{"type":"string","format":"date-time"},"home":{"$ref":"#/components/schemas/Place"},
    "tags":{"type":"array","items":{"type":"string"},"uniqueItems":true},
    "id":{"type":"string","readOnly":true},"note":{"type":"string","nullable":true}}},
    "Place":{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}}"##;

#[test]
fn body_violations_have_pointers() {
    const SCHEMA: &str = "{\"$ref\":\"#/components/schemas/Person\"}";
    for (body, expected) in [
        (r#"{"name":"Ann","home":{"city":"Rome"},"note":null}"#, "{}"),
        (
            r#"{"age":3}"#,
            r#"Error at "/name": property "name" is missing"#,
        ),
        (
            r#"{"name":5}"#,
            r#"Error at "/name": value must be a string"#,
        ),
        (
            r#"{"name":""}"#,
            r#"Error at "/name": minimum string length is 1"#,
        ),
        (
            r#"{"name":"A","extra":1}"#,
            r#"property "extra" is unsupported"#,
        ),
        (
            r#"{"name":"A","home":{"city":9}}"#,
            r#"Error at "/home/city": value must be a string"#,
        ),
        (
            r#"{"name":"A","age":null}"#,
            r#"Error at "/age": Value is not nullable"#,
        ),
        (
            r#"{"name":"A","age":1.5}"#,
            r#"Error at "/age": value must be an integer"#,
        ),
        (
            r#"{"name":"A","age":-1}"#,
            r#"Error at "/age": number must be at least 0"#,
        ),
        (
            r#"{"name":"A","tags":["a","a"]}"#,
            r#"Error at "/tags": duplicate items found"#,
        ),
        (
            r#"{"name":"A","tags":["a",1]}"#,
            r#"Error at "/tags/1": value must be a string"#,
        ),
        (
            r#"{"name":"A","id":"x"}"#,
            r#"readOnly property "id" in request"#,
        ),
        ("[]", "value must be an object"),
    ] {
        let message = of_body(SCHEMA, PERSON, body);
        let start = "doesn't match schema #/components/schemas/Person: ";
        assert_eq!(
            message.strip_prefix(start).unwrap_or(&message),
            expected,
            "{body}"
        );
    }
    assert_eq!(of_body(SCHEMA, PERSON, ""), "value is required but missing");
    let message = of_body(SCHEMA, PERSON, "{\"a\":");
    assert_eq!(message, "failed to decode request body: unexpected EOF");
    let message = of_body("{}", "", r#"{"a":[{"b":1,"c":2,"b":1}]}"#);
    let twice = "failed to decode request body: error at line 1, column 20 (/a/0/b): the member \"b\" is there twice";
    assert!(message.starts_with(twice), "{message}");
}

#[test]
fn schemas_are_combined() {
    let one = r##"{"oneOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}},
        {"type":"object","required":["b"],"properties":{"b":{"type":"integer"}}}]}"##;
    let any = r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#;
    let all = r#"{"allOf":[{"type":"object","required":["a"]},{"type":"object","properties":{"b":{"type":"string"}}}]}"#;
    let not = r#"{"not":{"type":"string"}}"#;
    let inside = format!(r#"{{"type":"object","properties":{{"pet":{one}}}}}"#);
    for (schema, body, expected) in [
        (one, r#"{"a":"x"}"#, "{}"),
        (
            one,
            r#"{"c":1}"#,
            r#"doesn't match schema due to: Error at "/a": property "a" is missing Or Error at "/b": property "b" is missing"#,
        ),
        (
            one,
            r#"{"a":"x","b":1}"#,
            "input matches more than one oneOf schemas",
        ),
        (
            &inside,
            r#"{"pet":{"a":1,"b":"x"}}"#,
            r#"Error at "/pet": doesn't match schema due to: Error at "/a": value must be a string Or Error at "/b": value must be an integer"#,
        ),
        (any, "1", "{}"),
        (any, "1.5", r#"doesn't match any schema from "anyOf""#),
        (all, r#"{"a":1}"#, "{}"),
        (
            all,
            r#"{"b":1}"#,
            r#"doesn't match schema due to: Error at "/a": property "a" is missing And Error at "/b": value must be a string"#,
        ),
        (not, "1", "{}"),
        (not, "\"x\"", r#"Doesn't match schema "not""#),
        (
            r#"{"type":"string","enum":["a","b"]}"#,
            "\"c\"",
            r#"value is not one of the allowed values ["a","b"]"#,
        ),
        (
            r#"{"type":"number","multipleOf":0.5}"#,
            "1.2",
            "number must be a multiple of 0.5",
        ),
        (
            r#"{"type":"number","maximum":10,"exclusiveMaximum":true}"#,
            "10",
            "number must be less than 10",
        ),
        (
            r#"{"type":"number","exclusiveMinimum":2}"#,
            "2",
            "number must be more than 2",
        ),
        (
            r#"{"type":"integer","format":"int32"}"#,
            "2147483648",
            r#"integer doesn't match the format "int32": value should be between -2147483648 and 2147483647"#,
        ),
        (r#"{"type":["string","null"]}"#, "null", "{}"),
        (
            r#"{"type":["string","integer"]}"#,
            "true",
            "value must be one of string, integer",
        ),
        (r#"{"type":"string"}"#, "null", "Value is not nullable"),
        (
            r#"{"type":"string","nullable":true,"enum":["a"]}"#,
            "null",
            "{}",
        ),
        (
            r#"{"type":"string","enum":["a",null]}"#,
            "null",
            "Value is not nullable",
        ),
        (
            r#"{"type":"string","format":"byte"}"#,
            "\"***\"",
            r#"string doesn't match the format "byte": string doesn't match pattern "(^$|^[a-zA-Z0-9+/\-_]*=*$)""#,
        ),
        (
            r#"{"type":"object","properties":{"h":{"type":"object","properties":{"id":{"type":"string","readOnly":true}}}}}"#,
            r#"{"h":{"id":"x"}}"#,
            r#"readOnly property "id" in request"#,
        ),
        (
            r#"{"type":"array","maxItems":1}"#,
            "[1,2]",
            "maximum number of items is 1",
        ),
        (
            r#"{"type":"object","minProperties":1}"#,
            "{}",
            "there must be at least 1 properties",
        ),
        (
            r#"{"type":"object","additionalProperties":{"type":"integer"}}"#,
            r#"{"x":"y"}"#,
            r#"Error at "/x": value must be an integer"#,
        ),
        ("{}", "null", "{}"),
    ] {
        let message = of_body(schema, "", body);
        let message = message
            .strip_prefix("doesn't match schema: ")
            .unwrap_or(&message);
        assert_eq!(message, expected, "{schema} {body}");
    }
}

#[test]
fn a_discriminator_chooses_the_schema() {
    let pets = r##""schemas":{"Cat":{"type":"object","required":["claws"],"properties":{"kind":{"type":"string"},"claws":{"type":"integer"}}},
        "Dog":{"type":"object","required":["bark"],"properties":{"kind":{"type":"string"},"bark":{"type":"string"}}}}"##;
    let schema = r##"{"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],
        "discriminator":{"propertyName":"kind","mapping":{"cat":"#/components/schemas/Cat","dog":"#/components/schemas/Dog"}}}"##;
    for (body, expected) in [
        (r#"{"kind":"cat","claws":4}"#, "{}"),
        (
            r#"{"kind":"dog","claws":4}"#,
            r#"doesn't match schema due to: Error at "/bark": property "bark" is missing"#,
        ),
        (
            r#"{"kind":"cow"}"#,
            r#"discriminator property "kind" has invalid value"#,
        ),
        (
            r#"{"claws":4}"#,
            r#"input does not contain the discriminator property "kind""#,
        ),
        (
            r#"{"kind":1}"#,
            r#"value of discriminator property "kind" is not a string"#,
        ),
    ] {
        let message = of_body(schema, pets, body);
        let message = message
            .strip_prefix("doesn't match schema: ")
            .unwrap_or(&message);
        assert_eq!(message, expected, "{body}");
    }
}

#[test]
fn defaults_are_filled_in() {
    let schema = r#"{"type":"object","properties":{"name":{"type":"string"},"role":{"type":"string","default":"user"}}}"#;
    let members = format!(
        r#""parameters":[{{"name":"limit","in":"query","schema":{{"type":"integer","default":10}}}},
        {{"name":"X-Mode","in":"header","schema":{{"type":"string","default":"fast"}}}}],
        "requestBody":{{"content":{{"application/json":{{"schema":{schema}}}}}}}"#
    );
    let api = operation(&members, "");
    let answer = api.ask("/a/1?z=2&b=x%20y", &[JSON], r#"{"name":"A"}"#);
    assert_eq!(
        answer,
        [
            r#"{"query":"b=x+y&limit=10&z=2","headers":{"x-mode":"fast"}}"#,
            r#"{"name":"A","role":"user"}"#
        ]
    );
    let answer = api.ask("/a/1?limit=", &[], "").remove(0);
    assert!(answer.contains(r#""query":"limit=&limit=10""#), "{answer}");
    let answer = api.ask(
        "/a/1?limit=3",
        &[JSON, ("x-mode", "slow")],
        r#"{ "role": "admin" }"#,
    );
    assert_eq!(
        answer,
        ["{}"],
        "what says everything goes up as it was sent"
    );
}

/// Nothing is filled into a parameter, so what it requires has to be sent; and `readOnly` is about bodies.
#[test]
fn members_of_parameters_have_no_defaults() {
    let schema = r#"{"type":"object","required":["a","b"],"properties":{
        "a":{"type":"integer","default":1},"b":{"type":"integer","readOnly":true}}}"#;
    let members =
        format!(r#""parameters":[{{"name":"q","in":"query","explode":false,"schema":{schema}}}]"#);
    let api = operation(&members, "");
    let missing = |name: &str| {
        format!(
            r#"parameter "q" in query has an error: Error at "/{name}": property "{name}" is missing"#
        )
    };
    assert_eq!(api.message("/a/1?q=b,2", &[], ""), missing("a"));
    assert_eq!(api.message("/a/1?q=a,2", &[], ""), missing("b"));
    assert_eq!(api.ask("/a/1?q=a,1,b,2", &[], ""), ["{}"]);
    let members = r#""parameters":[{"name":"q","in":"query","content":{"application/json":{"schema":
        {"type":"integer","default":1}}}}]"#;
    assert_eq!(operation(members, "").ask("/a/1", &[], ""), ["{}"]);
}

#[test]
fn a_list_is_filled_in_as_the_document_writes_it() {
    let of = |more: &str| {
        let members = format!(
            r#""parameters":[{{"name":"l","in":"query"{more},
            "schema":{{"type":"array","items":{{"type":"integer"}},"default":[1,2]}}}}]"#
        );
        operation(&members, "").ask("/a/1", &[], "").remove(0)
    };
    assert_eq!(of(""), r#"{"query":"l=1%2C2"}"#);
    assert_eq!(of(r#","explode":true"#), r#"{"query":"l=1&l=2"}"#);
    let members = r#""parameters":[{"name":"n","in":"query","schema":
        {"type":"integer","default":1,"allOf":[{"type":"integer","default":2}]}}]"#;
    let answer = operation(members, "").ask("/a/1", &[], "").remove(0);
    assert_eq!(answer, r#"{"query":"n=2"}"#);
}

#[test]
fn recursive_nesting_is_bounded() {
    let components = r##""schemas":{"Node":{"type":"object","properties":{"next":{"$ref":"#/components/schemas/Node"}}},
        "Loop":{"allOf":[{"$ref":"#/components/schemas/Loop"}]}}"##;
    let deep = format!("{}1{}", r#"{"next":"#.repeat(200), "}".repeat(200));
    let message = of_body(
        r##"{"$ref":"#/components/schemas/Node"}"##,
        components,
        &deep,
    );
    assert!(!message.starts_with("{}"), "{message}");
    let message = of_body(
        r##"{"$ref":"#/components/schemas/Loop"}"##,
        components,
        "{}",
    );
    assert!(message.contains("too much work"), "{message}");
}

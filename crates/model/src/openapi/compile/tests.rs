use super::*;
use crate::definition::{Allowed, unservable, validate};

const PATHS: &str =
    r#""paths":{"/a":{"get":{"operationId":"getA"}},"/a/{id}":{"get":{"operationId":"one"}}}"#;

/// Compiles a document with these members and this extension.
pub(super) fn compiled(members: &str, server: &str, more: &str) -> String {
    let text = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"t","version":"1"}},{members},"x-gateway-api-gateway":{{
        "info":{{"id":"i","name":"n","state":{{"active":true}}}},"upstream":{{"url":"http://a.example"}},
        "server":{{"listenPath":{{"value":"/n/"}}{server}}}{more}}}}}"#
    );
    compile(&text, DocumentKind::Oas).unwrap()
}

/// Returns what is not enforced of a definition, and its errors.
fn problems(definition: &str) -> Vec<String> {
    let value = parse(definition).unwrap();
    let open = unservable(definition, &value, &Allowed::NONE);
    let wrong = validate(definition).into_iter().filter(Issue::is_error);
    let all = open.into_iter().chain(wrong);
    all.map(|issue| issue.pointer).collect()
}

pub(super) fn at(text: &str, pointer: &str) -> String {
    let value = parse(text).unwrap();
    let value = value.pointer(pointer);
    value.map_or_else(String::new, |value| value.span.of(text).to_owned())
}

#[test]
fn definition_mirrors_the_document() {
    let text = compiled(PATHS, "", "");
    assert_eq!(
        text,
        r#"{"name":"n","api_id":"i","org_id":"","is_oas":true,"proxy":{"listen_path":"/n/","target_url":"http://a.example"},"use_keyless":true,"version_data":{"not_versioned":true,"versions":{"Default":{"name":"Default","use_extended_paths":true}}},"openapi":{"kind":"oas"},"active":true}"#
    );
    assert_eq!(problems(&text), [""; 0]);
}

#[test]
fn document_without_extension_compiles_to_nothing() {
    let issues = compile(r#"{"openapi":"3.0.3"}"#, DocumentKind::Oas).unwrap_err();
    assert_eq!(issues.first().unwrap().message, NO_EXTENSION);
    assert!(compile("{", DocumentKind::Oas).is_err());
    for name in EXTENSIONS {
        let text = format!(r#"{{"{name}":{{"info":{{"name":"n"}}}}}}"#);
        let text = compile(&text, DocumentKind::Mcp).unwrap();
        assert_eq!(at(&text, "/name"), r#""n""#);
        assert_eq!(at(&text, "/application_protocol"), r#""mcp""#);
        assert_eq!(at(&text, "/openapi/kind"), r#""mcp""#);
    }
}

#[test]
fn rules_of_longer_and_more_literal_paths_come_first() {
    let rule = |id: &str| format!(r#""{id}":{{"allow":{{"enabled":true}}}}"#);
    let ids = ["root", "all", "two", "mine", "parts"];
    let rules: Vec<String> = ids.into_iter().map(rule).collect();
    let operation =
        |(path, id): (&str, &str)| format!(r#""{path}":{{"get":{{"operationId":"{id}"}}}}"#);
    let paths = [
        ("/", "root"),
        ("/items", "all"),
        ("/items/{id}", "two"),
        ("/items/mine", "mine"),
        ("/items/{id}/parts", "parts"),
    ];
    let paths: Vec<String> = paths.into_iter().map(operation).collect();
    let text = compiled(
        &format!(r#""paths":{{{}}}"#, paths.join(",")),
        "",
        &format!(r#","middleware":{{"operations":{{{}}}}}"#, rules.join(",")),
    );
    let list = "/version_data/versions/Default/extended_paths/white_list";
    let value = parse(&text).unwrap();
    let rows = value.pointer(list).unwrap().items().iter();
    let found: Vec<&str> = rows.filter_map(|row| row.str("path")).collect();
    assert_eq!(
        found,
        [
            "/items/{id}/parts",
            "/items/mine",
            "/items/{id}",
            "/items",
            "/"
        ]
    );
}

#[test]
fn unenforceable_settings_are_reported() {
    let text = compiled(
        PATHS,
        "",
        r#","middleware":{"operations":{"one":{"scopeCheck":{"enabled":true},"unheard":{"enabled":true},
        "enforceTimeout":{"enabled":true,"value":1,"unheard":"x"}}}}"#,
    );
    assert_eq!(
        at(&text, "/openapi/unenforced"),
        r#"["/x-gateway-api-gateway/middleware/operations/one/scopeCheck"]"#
    );
}
#[test]
fn rules_about_requests_and_mocks_are_made_for_the_paths_of_the_document() {
    let paths = r##""paths":{"/a/fixed":{"get":{"operationId":"fixed"}},
        "/a/{id}":{"parameters":[{"$ref":"#/components/parameters/Id"}],"get":{"operationId":"one",
        "responses":{"200":{"headers":{"X-N":{"example":5,"schema":{"type":"integer","example":2}},"X-E":{"example":"e"}},"content":{
        "application/json":{"schema":{"$ref":"#/components/schemas/Node"}},
        "application/xml":{"examples":{"b":{"value":"<b/>"},"a":{"value":"<a/>"}}}}}}}}},
        "components":{"parameters":{"Id":{"name":"id","in":"path","schema":{"$ref":"#/components/schemas/Id"}}},
        "schemas":{"Id":{"type":"integer"},"Other":{},"Node":{"type":"object","properties":{
        "id":{"$ref":"#/components/schemas/Id"},"next":{"$ref":"#/components/schemas/Node"},"list":{"type":"array",
        "items":{"type":"string","enum":["x","y"]}}}}}}"##;
    let rules = r#","middleware":{"operations":{"one":{"validateRequest":{"enabled":true},
        "mockResponse":{"enabled":true,"fromOASExamples":{"enabled":true,"exampleName":"b"}}}}}"#;
    let text = compiled(paths, "", rules);
    let requests = "/openapi/validate_request";
    // A path without parameters shields requests from the templates, so it comes first.
    assert_eq!(
        at(&text, &format!("{requests}/routes/0")),
        r#"{"path":"/a/fixed","method":"GET"}"#
    );
    assert_eq!(
        at(&text, &format!("{requests}/routes/1")),
        r#"{"path":"/a/{id}","method":"GET","settings":0,"first":0,"count":1,"headers":[],"body":false}"#
    );
    assert_eq!(
        at(&text, &format!("{requests}/settings/0")),
        r##"{"operations":[{"path":"/a/{id}","status":422,"parameters":[{"name":"id","in":"path","schema":{"$ref":"#/components/schemas/Id"}}]}],"references":{"#/components/schemas/Id":{"type":"integer"}}}"##
    );
    assert_eq!(
        at(&text, "/openapi/mock_response/routes/1/mocks"),
        r#"[{"name":"b","responses":[{"code":"200","headers":{"X-N":"2","X-E":"e"},"content":[{"type":"application/json","examples":[{"body":"{\"id\":0,\"list\":[\"x\"]}"}]},{"type":"application/xml","examples":[{"name":"a","body":"<a/>"},{"name":"b","body":"<b/>"}]}]}]}]"#
    );
}

#[test]
fn last_duplicate_mock_header_wins() {
    let rules = r#","middleware":{"operations":{"a":{"mockResponse":{"enabled":true,"body":"x","headers":[
        {"name":"X-A","value":"1"},{"name":"X-B","value":"2"},{"name":"x-a","value":"3"}]}}}}"#;
    let text = compiled(r#""paths":{"/a":{"get":{"operationId":"a"}}}"#, "", rules);
    assert_eq!(
        at(
            &text,
            "/openapi/mock_response/routes/0/mocks/0/answer/headers"
        ),
        r#"{"X-B":"2","x-a":"3","Content-Type":"text/plain; charset=utf-8"}"#
    );
}

#[test]
fn null_example_counts_as_absent() {
    let paths = r#""paths":{"/a":{"get":{"operationId":"a","responses":{"200":{"content":{
        "application/json":{"example":null,"schema":{"type":"string"}}}}}}}}"#;
    let rules = r#","middleware":{"operations":{"a":{"mockResponse":{"enabled":true,"fromOASExamples":{"enabled":true}}}}}"#;
    let text = compiled(paths, "", rules);
    let examples = "/openapi/mock_response/routes/0/mocks/0/responses/0/content/0/examples";
    assert_eq!(at(&text, examples), r#"[{"body":"\"string\""}]"#);
}

use super::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const FIRST: &str = r##"{"openapi":"3.0.3","security":[{"key":[]}],
  "servers":[{"url":"https://gw.example/pets/"},{"url":"/pets"},{"url":"https://own.example/pets/v0"}],
  "paths":{
    "/pets":{"get":{"operationId":"list","summary":"All pets","responses":{"200":{"$ref":"#/components/responses/Pets"}}}},
    "/pets/{id}":{"parameters":[{"name":"id","in":"path"}],"get":{"operationId":"one"},"delete":{"operationId":"gone"}},
    "/status":{"get":{"operationId":"status","security":[]}}},
  "components":{"schemas":{"Pet":{"type":"object"},"Tag":{"type":"string"}},
    "responses":{"Pets":{"description":"","content":{"a/b":{"schema":{"items":{"$ref":"#/components/schemas/Pet"}}}}}},
    "securitySchemes":{"key":{"type":"apiKey"}}},
  "x-tyk-api-gateway":{"info":{"id":"pets","dbId":"5f","name":"Pets","expiration":"2030-01-01 00:00","state":{"active":true},
      "versioning":{"enabled":true,"name":"v1","default":"self","location":"header","key":"X-Version"}},
    "server":{"listenPath":{"value":"/pets/","strip":true}},
    "middleware":{"operations":{"one":{"block":{"enabled":true}}}}}}"##;

fn row(table: &Table, method: &str, path: &str) -> Vec<Comparison> {
    let mut rows = table.rows.iter();
    let found = rows.find(|row| row.method == method && row.path == path);
    found.map(|row| row.cells.clone()).unwrap_or_default()
}

fn titles(parts: &[Part]) -> Vec<&str> {
    parts.iter().map(|part| part.title.as_str()).collect()
}

#[test]
fn operations_are_compared_ignoring_layout() {
    use Comparison::{Absent, Added, Changed, Here, Removed, Same, Unknown};
    let laid_out = FIRST.replace(",", " ,\n ");
    let second = FIRST
        .replace(
            r#""delete":{"operationId":"gone"}"#,
            r#""put":{"operationId":"set"}"#,
        )
        .replace(
            r#"{"block":{"enabled":true}}"#,
            r#"{"block":{"enabled":false}}"#,
        );
    let third = FIRST.replace(r#""/status""#, r#""/health""#);
    let table = compare(
        &[
            Some(FIRST),
            Some(&laid_out),
            Some(&second),
            Some(&third),
            None,
            Some("{"),
        ],
        0,
    );
    assert_eq!(
        row(&table, "GET", "/pets"),
        [Here, Same, Same, Same, Unknown, Unknown]
    );
    assert_eq!(
        row(&table, "GET", "/pets/{id}"),
        [Here, Same, Changed, Same, Unknown, Unknown],
        "a rule of the gateway is a difference"
    );
    assert_eq!(
        row(&table, "DELETE", "/pets/{id}"),
        [Here, Same, Removed, Same, Unknown, Unknown]
    );
    assert_eq!(
        row(&table, "PUT", "/pets/{id}"),
        [Absent, Absent, Added, Absent, Unknown, Unknown]
    );
    assert_eq!(
        row(&table, "GET", "/health"),
        [Absent, Absent, Absent, Added, Unknown, Unknown]
    );
    let said: Vec<_> = table
        .counts
        .iter()
        .map(|count| (count.operations, count.summary()))
        .collect();
    assert_eq!(
        said,
        [
            (Some(4), "no difference".to_owned()),
            (Some(4), "no difference".to_owned()),
            (Some(4), "1 added, 1 changed, 1 removed".to_owned()),
            (Some(4), "1 added, 1 removed".to_owned()),
            (None, "no difference".to_owned()),
            (None, "no difference".to_owned()),
        ]
    );
    let other_way = compare(&[Some(FIRST), Some(&second)], 1);
    assert_eq!(row(&other_way, "PUT", "/pets/{id}"), [Removed, Here]);
    assert_eq!(
        other_way.rows.first().map(|row| row.path.as_str()),
        Some("/pets")
    );
}

#[test]
fn a_component_changes_the_operations_that_use_it_at_any_depth() {
    let second = FIRST.replace(r#""Pet":{"type":"object"}"#, r#""Pet":{"type":"array"}"#);
    let table = compare(&[Some(FIRST), Some(&second)], 0);
    assert_eq!(
        row(&table, "GET", "/pets"),
        [Comparison::Here, Comparison::Changed]
    );
    assert_eq!(table.counts[1].changed, 1);
    let parts = difference(FIRST, &second, "GET", "/pets");
    let expected = Part {
        title: "/components/schemas/Pet".to_owned(),
        before: r#"{"type":"object"}"#.to_owned(),
        after: r#"{"type":"array"}"#.to_owned(),
    };
    assert_eq!(parts, [expected]);
    let unused = FIRST.replace(r#""Tag":{"type":"string"}"#, r#""Tag":{"type":"null"}"#);
    assert!(
        compare(&[Some(FIRST), Some(&unused)], 0)
            .rows
            .iter()
            .all(|row| !row.differs())
    );
}

#[test]
fn document_security_is_the_default_of_operations() {
    let second = FIRST.replace(r#""security":[{"key":[]}]"#, r#""security":[{"other":[]}]"#);
    let table = compare(&[Some(FIRST), Some(&second)], 0);
    assert_eq!(
        row(&table, "GET", "/pets"),
        [Comparison::Here, Comparison::Changed]
    );
    assert_eq!(
        row(&table, "GET", "/status"),
        [Comparison::Here, Comparison::Same]
    );
    assert_eq!(
        titles(&difference(FIRST, &second, "GET", "/pets")),
        ["Security of the document"]
    );
    let scheme = FIRST.replace("apiKey", "http");
    let parts = difference(FIRST, &scheme, "GET", "/pets");
    assert_eq!(titles(&parts), ["/components/securitySchemes/key"]);
    assert_eq!(
        row(&compare(&[Some(FIRST), Some(&scheme)], 0), "GET", "/status"),
        [Comparison::Here, Comparison::Same]
    );
}

#[test]
fn path_parameter_names_do_not_distinguish_operations() {
    let second = FIRST.replace("/pets/{id}", "/pets/{pet}");
    let table = compare(&[Some(FIRST), Some(&second)], 0);
    assert_eq!(table.rows.len(), 4);
    assert_eq!(
        row(&table, "DELETE", "/pets/{id}"),
        [Comparison::Here, Comparison::Changed]
    );
    let parts = difference(FIRST, &second, "DELETE", "/pets/{id}");
    assert_eq!(titles(&parts), ["Its path"]);
    assert_eq!(parts[0].after, "/pets/{pet}");
}

#[test]
fn operations_of_one_version_are_added_or_removed() {
    let second = FIRST.replace(r#","delete":{"operationId":"gone"}"#, "");
    let parts = difference(FIRST, &second, "DELETE", "/pets/{id}");
    assert_eq!(
        titles(&parts),
        [
            "Its path",
            "The operation",
            "Parameters of its path",
            "Security of the document"
        ]
    );
    assert!(
        parts
            .iter()
            .all(|part| part.after.is_empty() && !part.before.is_empty())
    );
    let added = difference(&second, FIRST, "DELETE", "/pets/{id}");
    assert!(added.iter().all(|part| part.before.is_empty()));
    assert!(difference("{", FIRST, "GET", "/pets").is_empty());
}

#[test]
fn version_chooser_describes_the_request() {
    let chooser = Chooser::of(FIRST).unwrap();
    assert_eq!(
        chooser.selector("v2"),
        ("Header", "X-Version: v2".to_owned())
    );
    assert_eq!(
        chooser.otherwise(),
        "A request that names no version gets the base itself; one that names an unknown version is refused."
    );
    let classic = r#"{"definition":{"enabled":true,"name":"a","default":"b","location":"url-param","key":"v","fallback_to_default":true}}"#;
    let chooser = Chooser::of(classic).unwrap();
    assert_eq!(chooser.selector("b"), ("Query parameter", "v=b".to_owned()));
    assert!(chooser.otherwise().contains("gets b; so does"));
    let in_path = Chooser::of(r#"{"definition":{"enabled":true,"location":"url"}}"#).unwrap();
    assert_eq!(in_path.selector("v2").1, "/v2/");
    assert!(
        in_path
            .otherwise()
            .starts_with("A request that names no version is refused")
    );
    for none in [
        "{",
        "{}",
        r#"{"definition":{"enabled":false}}"#,
        r#"{"x-tyk-api-gateway":{"info":{}}}"#,
    ] {
        assert_eq!(Chooser::of(none), None, "{none}");
    }
}

#[test]
fn a_copy_is_a_document_of_its_own() {
    let copy = copied(FIRST, "v2", "/pets-v2/").unwrap();
    let read: serde_json::Value = serde_json::from_str(&copy).unwrap();
    assert_eq!(
        read["x-tyk-api-gateway"]["info"],
        serde_json::json!({"name": "Pets v2", "state": {"active": true}})
    );
    assert_eq!(
        read["x-tyk-api-gateway"]["server"]["listenPath"],
        serde_json::json!({"value": "/pets-v2/", "strip": true})
    );
    assert_eq!(
        read["servers"],
        serde_json::json!([{"url": "https://own.example/pets/v0"}])
    );
    assert_eq!(
        read["paths"],
        serde_json::from_str::<serde_json::Value>(FIRST).unwrap()["paths"]
    );
    assert!(copied("{}", "v2", "/a/").is_err() && copied("{", "v2", "/a/").is_err());
    assert_eq!(path_beside("/pets/", "v 2/b"), "/pets-v-2-b/");
    assert_eq!(path_beside("/", "v2"), "/v2/");
}

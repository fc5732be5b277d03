//! The rules of a definition that rewrite bodies, as the playground edits them.

use gatewright_web::state::body_rules::{BodyRule, body_rules};
use wasm_bindgen_test::wasm_bindgen_test;

const TEXT: &str = r#"{"enable_context_vars":true,"version_data":{"versions":{
    "a/b":{"extended_paths":{"transform":[{"path":"/x","method":"POST","template_data":{"template_source":"eA==","input_type":"xml","enable_session":true}}]}},
    "two":{"extended_paths":{"transform_jq_response":[{"path":"/y","method":"GET","filter":".\"z\""}],"transform":[5]}}}}}"#;

#[wasm_bindgen_test]
fn rules_are_found_with_pointers_and_inputs() {
    let rules = body_rules(TEXT);
    let places: Vec<_> = rules
        .iter()
        .map(|rule| (rule.version.as_str(), rule.on.as_str(), rule.at.as_str()))
        .collect();
    assert_eq!(
        places,
        [
            (
                "a/b",
                "POST /x",
                "/version_data/versions/a~1b/extended_paths/transform/0/template_data/template_source"
            ),
            (
                "two",
                " ",
                "/version_data/versions/two/extended_paths/transform/0/template_data/template_source"
            ),
            (
                "two",
                "GET /y",
                "/version_data/versions/two/extended_paths/transform_jq_response/0/filter"
            ),
        ]
    );
    let told: Vec<String> = rules.iter().map(BodyRule::to_json).collect();
    assert!(told.first().is_some_and(|told| {
        told.ends_with(r#""source":"eA==","input":"xml","context":true,"meta":true}"#)
    }));
    assert!(told.last().is_some_and(|told| {
        told.ends_with(r#""source":".\"z\"","input":"json","context":true,"meta":false}"#)
    }));
}

#[wasm_bindgen_test]
fn single_version_is_unnamed_and_non_definitions_have_no_rules() {
    let one = r#"{"version_data":{"versions":{"Default":{"extended_paths":{"transform_jq":[{"filter":"."}]}}}}}"#;
    assert!(body_rules(one).iter().all(|rule| rule.version.is_empty()));
    assert_eq!(body_rules(one).len(), 1);
    for text in ["", "{", "[]", r#"{"version_data":{"versions":[{}]}}"#] {
        assert_eq!(body_rules(text), []);
    }
}

#[wasm_bindgen_test]
fn tried_filter_is_written_to_the_rule() {
    let rules = body_rules(TEXT);
    let edits = |index: usize, input: &str| {
        rules
            .get(index)
            .map(|rule| rule.edits("a\"", input))
            .unwrap_or_default()
    };
    let values = |edits: Vec<(String, String)>| -> Vec<String> {
        edits.into_iter().map(|(_, value)| value).collect()
    };
    assert_eq!(values(edits(0, "xml")), [r#""a\"""#]);
    assert_eq!(values(edits(0, "json")), [r#""a\"""#, r#""json""#]);
    assert_eq!(values(edits(2, "xml")), [r#""a\"""#]);
}

#[wasm_bindgen_test]
fn a_rule_holds_what_is_in_it() {
    let rule = &body_rules(TEXT)[0];
    let at = rule.pointer.clone();
    assert!(rule.holds(&at) && rule.holds(&rule.at));
    assert!(!rule.holds(&format!("{at}2")) && !rule.holds("/version_data"));
}

//! Reading and editing the document of a ruleset.

use gatewright_model::json::parse;
use gatewright_web::routes::{self, Area, Page};
use gatewright_web::state::import::Source;
use gatewright_web::state::ruleset::{definition, filled};
use gatewright_web::state::texts::{texts, ticked};
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn definition_is_kept_while_document_is_invalid() {
    let last = "{}".to_owned();
    let text = r#"{"definition": "{\n \"rules\": {}\n}"}"#;
    assert_eq!(definition(text, Some(&last)), "{\n \"rules\": {}\n}");
    assert_eq!(definition("{ half", Some(&last)), "{}");
    assert_eq!(definition("{ half", None), "");
    for without in ["{}", r#"{"definition": 5}"#, "[]"] {
        assert_eq!(definition(without, Some(&last)), "", "{without}");
    }
}

#[wasm_bindgen_test]
fn categories_are_texts_in_a_list_and_nothing_else() {
    let categories = |text| texts(text, "categories");
    assert_eq!(categories(r#"{"categories": ["a", 5, "B"]}"#), ["a", "B"]);
    for none in ["{ half", "{}", r#"{"categories": "a"}"#, "5"] {
        assert!(categories(none).is_empty(), "{none}");
    }
}

#[wasm_bindgen_test]
fn a_text_is_put_to_the_end_or_taken_out() {
    let names = || vec!["a".to_owned(), "B".to_owned(), "b".to_owned()];
    let same = |other: &str| other.to_lowercase() == "b";
    assert_eq!(ticked(names(), "b\"", true, same), r#"["a", "b\""]"#);
    assert_eq!(ticked(names(), "b", false, same), r#"["a"]"#);
    assert_eq!(ticked(Vec::new(), "b", false, same), "[]");
}

#[wasm_bindgen_test]
fn a_file_fills_a_new_ruleset_and_every_other_byte_stays() {
    let template = "{\n  \"name\": \"New\",\n  \"active\": false,\n  \"definition\": \"\"\n}\n";
    let rules = "{ \"rules\": {} }\n";
    let text = filled(template, &Source::new(rules, "house.style.json", None)).unwrap();
    let expected = "{\n  \"name\": \"house.style\",\n  \"active\": false,\n  \"definition\": \"{ \\\"rules\\\": {} }\\n\"\n}\n";
    assert_eq!(text, expected);
    let nameless = filled(template, &Source::new(rules, ".json", None)).unwrap();
    assert_eq!(parse(&nameless).unwrap().str("name"), Some("New"));
    assert_eq!(filled("{ half", &Source::new(rules, "x.json", None)), None);
}

#[wasm_bindgen_test]
fn rulesets_have_their_addresses() {
    assert_eq!(Page::of(routes::RULESETS), Page::Rulesets);
    assert_eq!(Page::of(routes::NEW_RULESET), Page::NewRuleset);
    let path = routes::ruleset("0123");
    assert_eq!(Page::of(&path), Page::Ruleset("0123".to_owned()));
    assert_eq!(Area::of(&path), Area::Documents);
    assert_eq!(routes::document("ruleset", "0123", false), Some(path));
    assert_eq!(routes::document("ruleset", "0123", true), None);
}

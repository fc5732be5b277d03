//! Compares the table of types with the validator: every member of every type, generated from the table itself.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "a test"
)]

mod common;

use std::sync::LazyLock;

use common::members;
use gatewright_model::shape::Root;
use gatewright_model::{IssueCode, document};
use proptest::prelude::*;
use serde_json::{Value, json};

fn issues(case: &Value) -> Vec<Value> {
    let result = common::run(case);
    result["issues"].as_array().unwrap().clone()
}

fn errors(case: &Value) -> Vec<Value> {
    let error = |issue: &Value| issue["severity"] == "error";
    issues(case).into_iter().filter(error).collect()
}

fn of(what: &str) -> impl Iterator<Item = Value> {
    let end = format!(": {what}");
    members::cases()
        .into_iter()
        .filter(move |case| case["comment"].as_str().unwrap().ends_with(&end))
}

#[test]
fn every_member_of_every_type_is_accepted() {
    let mut count = 0;
    for case in of("accepted") {
        assert_eq!(errors(&case), Vec::<Value>::new(), "{case}");
        let unknown = issues(&case)
            .iter()
            .any(|issue| issue["code"] == IssueCode::UnknownMember.as_str());
        assert!(!unknown, "{case}");
        count += 1;
    }
    assert!(count > 550, "{count}");
}

#[test]
fn wrong_types_are_reported_at_their_pointer() {
    for case in of("refused") {
        let named: Vec<_> = issues(&case)
            .into_iter()
            .filter(|issue| issue["code"] == "type")
            .collect();
        assert_eq!(named.len(), 1, "{case} {named:?}");
        let inside = named[0]["pointer"].as_str().unwrap();
        let at = case["pointer"].as_str().unwrap();
        assert_eq!(inside, at, "{case}");
        // Inside objects that the reference doesn't check, a warning is enough.
        let soft = case["comment"].as_str().unwrap().contains(" (")
            || case["comment"].as_str().unwrap().contains(".config.");
        assert_eq!(
            named[0]["severity"],
            if soft { "warning" } else { "error" },
            "{case}"
        );
    }
}

#[test]
fn odd_values_are_reported_at_or_below_their_pointer() {
    for case in of("odd") {
        let at = case["pointer"].as_str().unwrap();
        let named = |issue: &Value| {
            let pointer = issue["pointer"].as_str().unwrap();
            let right = matches!(
                issue["code"].as_str().unwrap(),
                "format" | "enum" | "range" | "type" | "unknown_member"
            );
            right && pointer.starts_with(at)
        };
        assert!(
            issues(&case).iter().any(named),
            "{case} {:?}",
            issues(&case)
        );
    }
}

#[test]
fn null_is_accepted_unless_a_member_is_required() {
    for root in Root::ALL {
        for member in root.shape().members {
            let document = json!({ member.name: null });
            let case =
                json!({ "run": "check", "root": root.word(), "input": document.to_string() });
            let at = format!("/{}", member.name);
            let refused = errors(&case)
                .iter()
                .any(|issue| issue["pointer"] == at.as_str());
            assert_eq!(refused, member.is_required(), "{}", member.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_value_anywhere_is_handled(pick: prop::sample::Index, text in any::<String>(), number in any::<i64>(), shape in 0..6) {
        static ACCEPTED: LazyLock<Vec<Value>> = LazyLock::new(|| of("accepted").collect());
        let case = pick.get(&ACCEPTED);
        let mut input: Value = serde_json::from_str(case["input"].as_str().unwrap()).unwrap();
        *input.pointer_mut(case["pointer"].as_str().unwrap()).unwrap() = match shape {
            0 => Value::Null,
            1 => json!(text),
            2 => json!(number),
            3 => json!([text, null, { text.clone(): number }]),
            4 => json!({ text: [number], "enabled": true, "path": "/" }),
            _ => json!(true),
        };
        let input = input.to_string();
        let root = case["root"].as_str().and_then(Root::from_word).unwrap_or(Root::ApiDefinition);
        let issues = document::validate(root, &input);
        prop_assert!(issues.windows(2).all(|pair| pair[0].start <= pair[1].start), "document order");
    }
}

//! Compares the generated JSON Schemas with the validator: both refuse the same documents.
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

use gatewright_model::schema::json_schema;
use gatewright_model::shape::Root;
use serde_json::Value;
use std::collections::BTreeMap;

fn schemas() -> BTreeMap<&'static str, Value> {
    let read = |root: Root| {
        (
            root.word(),
            serde_json::from_str(&json_schema(root)).unwrap(),
        )
    };
    Root::ALL.into_iter().map(read).collect()
}

/// Evaluates the keywords that the generator writes, as 2020-12 defines them.
fn accepts(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(keywords) = schema.as_object() else {
        return true;
    };
    keywords
        .iter()
        .all(|(keyword, wanted)| match (keyword.as_str(), value) {
            ("$ref", _) => {
                let pointer = wanted.as_str().unwrap().strip_prefix('#').unwrap();
                accepts(
                    root,
                    root.pointer(pointer).expect("a reference leads somewhere"),
                    value,
                )
            }
            ("anyOf", _) => wanted
                .as_array()
                .unwrap()
                .iter()
                .any(|schema| accepts(root, schema, value)),
            ("type", _) => match wanted {
                Value::String(name) => is(name, value),
                names => names
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|name| is(name.as_str().unwrap(), value)),
            },
            ("enum", _) => wanted.as_array().unwrap().contains(value),
            ("required", Value::Object(members)) => wanted
                .as_array()
                .unwrap()
                .iter()
                .all(|name| members.contains_key(name.as_str().unwrap())),
            ("properties", Value::Object(members)) => members.iter().all(|(name, value)| {
                wanted
                    .get(name)
                    .is_none_or(|schema| accepts(root, schema, value))
            }),
            ("additionalProperties", Value::Object(members)) => {
                members.values().all(|value| accepts(root, wanted, value))
            }
            ("items", Value::Array(items)) => {
                items.iter().all(|value| accepts(root, wanted, value))
            }
            ("minimum", Value::Number(number)) => number.as_f64() >= wanted.as_f64(),
            ("maximum", Value::Number(number)) => number.as_f64() <= wanted.as_f64(),
            _ => true,
        })
}

fn is(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => {
            name == "number"
                || name == "integer" && number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}

#[test]
fn schemas_and_validator_refuse_the_same() {
    let schemas = schemas();
    let mut refused = 0;
    for case in common::members::cases() {
        let input: Value = serde_json::from_str(case["input"].as_str().unwrap()).unwrap();
        let root = case["root"].as_str().unwrap_or("api_definition");
        let issues = common::run(&case);
        // Formats of texts and rules between members are not part of a schema.
        let wrong = issues["issues"].as_array().unwrap().iter().any(|issue| {
            issue["severity"] == "error"
                && matches!(
                    issue["code"].as_str().unwrap(),
                    "type" | "enum" | "range" | "required"
                )
        });
        let schema = &schemas[root];
        assert_eq!(accepts(schema, schema, &input), !wrong, "{case} {issues}");
        refused += usize::from(wrong);
    }
    assert!(refused > 400, "{refused}");
}

#[test]
fn every_member_states_its_support() {
    for (root, schema) in schemas() {
        assert_eq!(
            schema["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
        for (name, of) in schema["$defs"].as_object().unwrap() {
            for (member, schema) in of["properties"].as_object().unwrap() {
                assert!(
                    schema["x-gatewright-support"].is_string(),
                    "{root} {name}.{member}"
                );
                assert!(schema["description"].is_string());
            }
        }
    }
}

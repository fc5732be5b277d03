//! The table of types against the validator: every member of every type, made from the table itself.
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

use gatewright_model::json::pointer;
use gatewright_model::shape::{Kind, Type, api::API_DEFINITION};
use gatewright_model::{Issue, IssueCode, validate};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A value of that kind, with every member of every type.
fn sample(kind: &Kind) -> Value {
    match kind {
        Kind::Bool => json!(false),
        Kind::Text | Kind::Any => json!(""),
        Kind::Enum(allowed) => json!(allowed[0]),
        Kind::Integer { min } => json!((*min).max(1)),
        Kind::Number => json!(0.5),
        Kind::Array(inner) => json!([sample(inner)]),
        Kind::Map(inner) => json!({ "x": sample(inner) }),
        Kind::Object(of) => every_member(of),
        Kind::Free => json!({}),
    }
}

fn every_member(of: &Type) -> Value {
    Value::Object(
        of.members
            .iter()
            .map(|member| (member.name.to_owned(), sample(&member.kind)))
            .collect::<Map<_, _>>(),
    )
}

fn definition() -> Value {
    let mut definition = every_member(&API_DEFINITION);
    definition["name"] = json!("a");
    definition["proxy"]["listen_path"] = json!("/a");
    definition["proxy"]["target_url"] = json!("http://a.example");
    definition
}

/// A value that is not of that kind.
fn wrong(kind: &Kind) -> Option<Value> {
    match kind {
        Kind::Any => None,
        Kind::Bool => Some(json!(1)),
        Kind::Array(_) => Some(json!({})),
        _ => Some(json!([true])),
    }
}

/// Every place of the definition with what has to stand there.
fn places(kind: &Kind, at: &str, all: &mut Vec<(String, Kind)>) {
    all.push((at.to_owned(), *kind));
    let deeper = |token: &str| {
        let mut deeper = at.to_owned();
        pointer::push_token(&mut deeper, token);
        deeper
    };
    match kind {
        Kind::Array(inner) => places(inner, &deeper("0"), all),
        Kind::Map(inner) => places(inner, &deeper("x"), all),
        Kind::Object(of) => of
            .members
            .iter()
            .for_each(|member| places(&member.kind, &deeper(member.name), all)),
        _ => {}
    }
}

fn errors(document: &Value) -> Vec<Issue> {
    validate(&document.to_string())
        .into_iter()
        .filter(Issue::is_error)
        .collect()
}

#[test]
fn every_member_of_every_type_is_accepted() {
    assert_eq!(errors(&definition()), []);
    assert!(
        validate(&definition().to_string())
            .iter()
            .all(|issue| issue.code != IssueCode::UnknownMember)
    );
}

#[test]
fn every_member_of_a_wrong_type_is_named_at_its_place() {
    let mut all = Vec::new();
    places(&Kind::Object(&API_DEFINITION), "", &mut all);
    assert!(all.len() > 300, "{}", all.len());
    for (at, kind) in all {
        let Some(value) = wrong(&kind) else { continue };
        let mut document = definition();
        *document.pointer_mut(&at).unwrap() = value;
        let errors = errors(&document);
        assert_eq!(errors.len(), 1, "{at}: {errors:?}");
        assert_eq!(
            (errors[0].pointer.as_str(), errors[0].code),
            (at.as_str(), IssueCode::Type)
        );
    }
}

#[test]
fn null_is_accepted_unless_a_member_is_required() {
    for member in API_DEFINITION.members {
        let mut document = definition();
        document[member.name] = Value::Null;
        let errors = errors(&document);
        assert_eq!(
            !errors.is_empty(),
            member.required,
            "{}: {errors:?}",
            member.name
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_place_may_hold_anything(pick: prop::sample::Index, text in any::<String>(), number in any::<i64>(), shape in 0..6) {
        let mut all = Vec::new();
        places(&Kind::Object(&API_DEFINITION), "", &mut all);
        let mut document = definition();
        *document.pointer_mut(&pick.get(&all).0).unwrap() = match shape {
            0 => Value::Null,
            1 => json!(text),
            2 => json!(number),
            3 => json!([text, null, { text.clone(): number }]),
            4 => json!({ text: [number], "enabled": true, "path": "/" }),
            _ => json!(true),
        };
        let text = document.to_string();
        let issues = validate(&text);
        prop_assert!(issues.windows(2).all(|pair| pair[0].start <= pair[1].start), "document order");
    }
}

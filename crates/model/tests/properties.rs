//! Properties of every text and every document.
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

use gatewright_model::json::{self, Kind, edit, pointer};
use gatewright_model::{definition, diff, lines, merge, validate};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Any JSON value of moderate size, with awkward member names.
fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
        "[ -~]{0,6}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-c~/\"]{0,2}", inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[a-d~/]{0,2}", document(), 0..6)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// Texts that are nearly JSON: fragments of it in any order.
fn nearly_json() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\"a\"",
        "\"proxy\"",
        "\"listen_path\"",
        "\"\\ud83d\\ude00\"",
        "\\u",
        "\\ud800",
        "1",
        "-",
        "0",
        "01",
        "1.0",
        "1e9",
        ".",
        "true",
        "null",
        "nul",
        " ",
        "\n",
        "\u{feff}",
        "é",
        "😀",
        "\u{1}",
        "//",
        "'",
    ]);
    prop::collection::vec(fragment, 0..40).prop_map(|parts| parts.concat())
}

fn text_of(value: &Value, pretty: bool) -> String {
    if pretty {
        serde_json::to_string_pretty(value)
    } else {
        serde_json::to_string(value)
    }
    .unwrap()
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The merge of RFC 7386 section 2, word for word.
fn reference_merge(target: Value, patch: &Value) -> Value {
    let Value::Object(patch) = patch else {
        return patch.clone();
    };
    let mut target = match target {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    for (name, value) in patch {
        if value.is_null() {
            target.remove(name);
        } else {
            let old = target.remove(name).unwrap_or(Value::Null);
            target.insert(name.clone(), reference_merge(old, value));
        }
    }
    Value::Object(target)
}

/// Whether a merge would have to set a member to null, arrays aside.
fn has_new_null(old: &Value, new: &Value) -> bool {
    let Value::Object(members) = new else {
        return false;
    };
    members.iter().any(|(name, value)| match old.get(name) {
        Some(before) if before == value => false,
        Some(before) => value.is_null() || has_new_null(before, value),
        None => value.is_null() || has_new_null(&Value::Null, value),
    })
}

/// Collects the pointers to every value of a document.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    let entries: Vec<(String, &Value)> = match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| (index.to_string(), item))
            .collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        _ => Vec::new(),
    };
    for (token, value) in entries {
        let mut deeper = at.to_owned();
        pointer::push_token(&mut deeper, &token);
        pointers(value, &deeper, all);
    }
}

/// Whether our tree is equivalent to serde_json's.
fn agrees(ours: &json::Value<'_>, theirs: &Value) -> bool {
    match (&ours.kind, theirs) {
        (Kind::Null, Value::Null) => true,
        (Kind::Bool(a), Value::Bool(b)) => a == b,
        (Kind::Number(a), Value::Number(b)) => a.parse::<f64>().ok() == b.as_f64(),
        (Kind::String(a), Value::String(b)) => a == b,
        (Kind::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agrees(a, b))
        }
        (Kind::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|member| {
                    b.get(&*member.name)
                        .is_some_and(|value| agrees(&member.value, value))
                })
        }
        _ => false,
    }
}

proptest! {
    // A failure is fixed and becomes a case, so nothing is stored beside the tests.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn serde_json_output_is_read_the_same(value in document(), pretty: bool) {
        let text = text_of(&value, pretty);
        let ours = json::parse(&text).unwrap();
        prop_assert!(agrees(&ours, &value));
        prop_assert_eq!(ours.span.of(&text), text.as_str());
    }

    #[test]
    fn both_parsers_accept_the_same_texts(text in prop_oneof![nearly_json(), any::<String>()]) {
        match json::parse(&text) {
            Ok(ours) => {
                // The only JSON that serde_json refuses is a number out of the range of a double.
                match serde_json::from_str::<Value>(&text) {
                    Ok(theirs) => prop_assert!(agrees(&ours, &theirs), "{text:?}"),
                    Err(error) => prop_assert!(error.to_string().contains("out of range"), "{text:?} {error}"),
                }
            }
            // Of two members with the same name, serde_json uses the last one.
            Err(issues) => {
                prop_assert!(!issues.is_empty());
                let duplicates = issues.iter().all(|issue| issue.code == gatewright_model::IssueCode::DuplicateMember);
                prop_assert_eq!(serde_json::from_str::<Value>(&text).is_ok(), duplicates, "{:?} {:?}", text, issues);
            }
        }
    }

    #[test]
    fn nothing_panics(a in nearly_json(), b in nearly_json(), pointer in "[/~a-c0-9-]{0,6}") {
        let _ = validate(&a);
        let _ = merge::merge(&a, &b);
        let _ = merge::merge_stored(&a, &b);
        let _ = diff::changes(&a, &b);
        let _ = diff::merge_patch(&a, &b);
        for root in gatewright_model::shape::Root::ALL {
            let _ = gatewright_model::document::validate(root, &a);
        }
        let _ = lines::line_diff(&a, &b);
        let _ = edit::set(&a, &pointer, &b);
        let _ = edit::remove(&a, &pointer);
        let _ = definition::route::ListenPath::parse(&a);
        let _ = definition::target::check(&a);
        let _ = definition::host::check(&a);
        let _ = definition::route_key(&a, &b);
    }

    #[test]
    fn a_clean_listen_path_is_the_same_route(path in "/?([./a]|\\.\\.|\\{b:[./]\\}|[{}]){0,9}") {
        use gatewright_model::definition::route::{ListenPath, clean};
        let served = clean(&path);
        prop_assert_eq!(&clean(&served), &served);
        if let Ok(read) = ListenPath::parse(&path) {
            prop_assert_eq!(ListenPath::parse(&served), Ok(read));
        }
    }

    #[test]
    fn any_document_can_be_validated(value in object(), proxy in document()) {
        let mut value = value;
        value["proxy"] = proxy;
        let text = text_of(&value, true);
        let parsed = json::parse(&text).unwrap();
        let issues = definition::validate_value(&text, &parsed);
        prop_assert_eq!(&issues, &validate(&text));
        prop_assert!(issues.windows(2).all(|pair| pair[0].start <= pair[1].start), "document order");
        let _ = definition::unservable(&text, &parsed, &definition::Allowed::NONE);
        let _ = definition::ApiDefinition::read(&parsed);
    }

    #[test]
    fn merging_follows_the_rfc(target in document(), patch in document(), pretty: bool) {
        let merged = merge::merge(&text_of(&target, pretty), &text_of(&patch, false)).unwrap();
        let stored = merge::merge_stored(&text_of(&target, pretty), &text_of(&patch, false)).unwrap();
        prop_assert_eq!(&stored, &merged);
        prop_assert_eq!(read(&merged), reference_merge(target, &patch));
    }

    #[test]
    fn an_empty_patch_changes_nothing(target in object(), pretty: bool) {
        let text = text_of(&target, pretty);
        prop_assert_eq!(merge::merge(&text, "{}").unwrap(), text);
    }

    #[test]
    fn merging_the_difference_yields_the_other_document(a in document(), b in document(), pretty: bool) {
        let (before, after) = (text_of(&a, pretty), text_of(&b, true));
        match diff::merge_patch(&before, &after) {
            Ok(patch) => {
                let merged = merge::merge(&before, &patch).unwrap();
                prop_assert_eq!(read(&merged), b, "{}", patch);
            }
            Err(wrong) => {
                prop_assert!(has_new_null(&a, &b), "{}", wrong);
                let null = matches!(wrong, diff::NotExpressible::Null { .. });
                prop_assert!(null);
            }
        }
    }

    #[test]
    fn a_difference_is_small_and_touches_nothing_else(a in object(), patch in object(), pretty: bool) {
        let before = text_of(&a, pretty);
        let after = merge::merge(&before, &text_of(&patch, false)).unwrap();
        // Whatever a merge can produce, a patch can express, and never with more than the original patch.
        let found = diff::merge_patch(&before, &after).unwrap();
        prop_assert!(found.len() <= text_of(&patch, false).len(), "{}", found);
        let merged = merge::merge(&before, &found).unwrap();
        prop_assert_eq!(read(&merged), read(&after));
        for (name, value) in a.as_object().unwrap() {
            // An unchanged member keeps its bytes.
            if read(&after).get(name) == Some(value) {
                let of = |text: &str| {
                    let tree = json::parse(text).unwrap();
                    tree.member(name).unwrap().value.span.of(text).to_owned()
                };
                prop_assert_eq!(of(&before), of(&merged));
            }
        }
        prop_assert_eq!(diff::merge_patch(&before, &before).unwrap(), "{}");
    }

    #[test]
    fn merging_is_idempotent(target in object(), patch in object()) {
        let patch = text_of(&patch, false);
        let once = merge::merge(&text_of(&target, true), &patch).unwrap();
        prop_assert_eq!(merge::merge(&once, &patch).unwrap(), once);
    }

    #[test]
    fn a_value_that_was_set_is_there_and_nothing_else_changed(target in document(), value in document(), pick: prop::sample::Index, pretty: bool) {
        let mut all = Vec::new();
        pointers(&target, "", &mut all);
        let at = pick.get(&all);
        let text = edit::set(&text_of(&target, pretty), at, &text_of(&value, false)).unwrap();
        let mut expected = target;
        *expected.pointer_mut(at).unwrap() = value;
        prop_assert_eq!(read(&text), expected);
    }

    #[test]
    fn a_new_member_can_be_set_and_removed_again(target in object(), value in document(), pretty: bool) {
        let before = text_of(&target, pretty);
        let set = edit::set(&before, "/new", &text_of(&value, false)).unwrap();
        prop_assert_eq!(&read(&set)["new"], &value);
        prop_assert_eq!(edit::remove(&set, "/new").unwrap(), before);
    }

    #[test]
    fn a_removed_value_is_gone_and_nothing_else_changed(target in document(), pick: prop::sample::Index, pretty: bool) {
        let mut all = Vec::new();
        pointers(&target, "", &mut all);
        let at = pick.get(&all);
        prop_assume!(!at.is_empty());
        let text = edit::remove(&text_of(&target, pretty), at).unwrap();
        let (parent, token) = at.rsplit_once('/').unwrap();
        let token = token.replace("~1", "/").replace("~0", "~");
        let mut expected = target;
        match expected.pointer_mut(parent).unwrap() {
            Value::Object(members) => drop(members.remove(&token)),
            Value::Array(items) => drop(items.remove(token.parse().unwrap())),
            _ => unreachable!(),
        }
        prop_assert_eq!(read(&text), expected);
    }

    #[test]
    fn only_different_documents_have_changes(a in document(), b in document()) {
        let (before, after) = (text_of(&a, true), text_of(&b, false));
        prop_assert!(diff::changes(&before, &text_of(&a, false)).unwrap().is_empty());
        prop_assert_eq!(diff::changes(&before, &after).unwrap().is_empty(), a == b);
    }
}

#[test]
fn depth_is_bounded_before_anything_recurses() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(json::parse(&nested(json::MAX_DEPTH)).is_ok());
    for depth in [json::MAX_DEPTH + 1, 1_000_000] {
        let issues = json::parse(&nested(depth)).unwrap_err();
        assert_eq!(issues[0].code, gatewright_model::IssueCode::TooDeep);
    }
    let objects = "{\"a\":".repeat(500_000);
    assert_eq!(
        json::parse(&objects).unwrap_err()[0].code,
        gatewright_model::IssueCode::TooDeep
    );
}

#[test]
fn large_texts_are_answered_quickly() {
    let begun = std::time::Instant::now();
    let many: Map<String, Value> = (0..100_000).map(|n| (format!("m{n}"), json!(n))).collect();
    let text = text_of(&Value::Object(many), true);
    assert_eq!(json::parse(&text).unwrap().members().len(), 100_000);
    assert!(diff::changes(&text, &text).unwrap().is_empty());
    assert_eq!(diff::merge_patch(&text, &text).unwrap(), "{}");
    assert_eq!(merge::merge(&text, &text).unwrap(), text);
    assert_eq!(
        validate(&text)[0].code,
        gatewright_model::IssueCode::TooLarge
    );
    let twice = text.replace("\"m99999\"", "\"m5\"");
    assert_eq!(json::parse(&twice).unwrap_err().len(), 1);
    let long = format!("\"{}\"", "x".repeat(10_000_000));
    assert!(json::parse(&long).is_ok());
    // Generous: it takes well below a second, and hours if one step were quadratic.
    assert!(begun.elapsed().as_secs() < 20);
}

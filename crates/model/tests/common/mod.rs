//! Runs the shared case files. Everything here compiles for the host and for the browser, so both do the same and
//! compare the same bytes.
//!
//! A case is an object: `comment`, `run` (the function), its arguments (`input` and, if the function has one, `root`,
//! `options`, `allowed`, `patch`, `after`, `pointer`, `value` or `policies`) and `expect`, the result. In an `input` of
//! `complete` and `hover` a `|` marks the cursor. `members.json` is generated from the table of types by
//! `UPDATE_EXPECT=1 cargo test -p gatewright-model`; the other files are written by hand and only their `expect` is
//! filled in.

#![allow(dead_code, reason = "no test uses all of it")]

#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod members;

use gatewright_model::json::{edit, parse};
use gatewright_model::shape::Root;
use gatewright_model::{
    Issue, assist, definition, diff, document, lines, merge, openapi, policy, validate,
};
use serde_json::{Value, json};

/// The case files: name and text.
pub(crate) const FILES: &[(&str, &str)] = &[
    (
        "syntax.json",
        include_str!("../../../testkit/cases/model/syntax.json"),
    ),
    (
        "shape.json",
        include_str!("../../../testkit/cases/model/shape.json"),
    ),
    (
        "rules.json",
        include_str!("../../../testkit/cases/model/rules.json"),
    ),
    (
        "reached.json",
        include_str!("../../../testkit/cases/model/reached.json"),
    ),
    (
        "meaning.json",
        include_str!("../../../testkit/cases/model/meaning.json"),
    ),
    (
        "members.json",
        include_str!("../../../testkit/cases/model/members.json"),
    ),
    (
        "openapi.json",
        include_str!("../../../testkit/cases/model/openapi.json"),
    ),
    (
        "patch.json",
        include_str!("../../../testkit/cases/model/patch.json"),
    ),
    (
        "support.json",
        include_str!("../../../testkit/cases/model/support.json"),
    ),
    (
        "merge.json",
        include_str!("../../../testkit/cases/model/merge.json"),
    ),
    (
        "combine.json",
        include_str!("../../../testkit/cases/model/combine.json"),
    ),
    (
        "ruleset.json",
        include_str!("../../../testkit/cases/model/ruleset.json"),
    ),
    (
        "assist.json",
        include_str!("../../../testkit/cases/model/assist.json"),
    ),
    (
        "diff.json",
        include_str!("../../../testkit/cases/model/diff.json"),
    ),
    (
        "edit.json",
        include_str!("../../../testkit/cases/model/edit.json"),
    ),
];

/// Parses the cases of a file.
pub(crate) fn cases(text: &str) -> Vec<Value> {
    serde_json::from_str(text).expect("a case file is an array")
}

/// Returns the result of a case's function.
pub(crate) fn run(case: &Value) -> Value {
    let text = |name: &str| case.get(name).and_then(Value::as_str).unwrap_or_default();
    let input = text("input");
    match text("run") {
        "validate" => json!({ "issues": validate(input) }),
        "check" => match Root::from_word(text("root")) {
            Some(root) => json!({ "issues": document::validate(root, input) }),
            None => json!({ "unknown root": text("root") }),
        },
        "unservable" => match parse(input) {
            Ok(value) => {
                let allowed = definition::Allowed::parse(text("allowed"));
                json!({ "issues": definition::unservable(input, &value, &allowed) })
            }
            Err(issues) => json!({ "issues": issues }),
        },
        "merge" => match merge::merge(input, text("patch")) {
            Ok(merged) => json!({ "text": merged }),
            Err(merge::MergeError::Target(issues)) => json!({ "target": issues }),
            Err(merge::MergeError::Patch(issues)) => json!({ "patch": issues }),
        },
        "apply" => match policy::apply(input, &policies(case)) {
            Ok(applied) => json!({ "text": applied }),
            Err(error) => json!({ "error": error.to_string() }),
        },
        "changes" => match diff::changes(input, text("after")) {
            Ok(changes) => json!({ "changes": changes }),
            Err(issues) => json!({ "issues": issues }),
        },
        "merge_patch" => match diff::merge_patch(input, text("after")) {
            Ok(patch) => json!({ "text": patch }),
            Err(diff::NotExpressible::Null { pointer }) => json!({ "null": pointer }),
            Err(other) => json!({ "error": other.to_string() }),
        },
        "import" => {
            let options = case.get("options").cloned().unwrap_or_else(|| json!({}));
            let options = serde_json::from_value(options).expect("options");
            match openapi::import(input, &options) {
                Ok(openapi::Import {
                    definition,
                    report,
                    summary,
                }) => json!({ "definition": definition, "report": report, "summary": summary }),
                Err(issues) => json!({ "issues": issues }),
            }
        }
        "update_definition" => {
            let parts = case.get("options").cloned().unwrap_or_else(|| json!({}));
            let parts = serde_json::from_value(parts).expect("parts");
            edited(openapi::update_definition(input, text("after"), parts))
        }
        "complete" => {
            let (input, offset) = marked(input);
            json!({ "offers": assist::complete(Root::ApiDefinition.into(), &input, offset, &|_| Vec::new()) })
        }
        "hover" => {
            let (input, offset) = marked(input);
            json!({ "hover": assist::hover(Root::ApiDefinition.into(), &input, offset) })
        }
        "fixes" => {
            let fixes = |issue: &Issue| assist::fixes(Root::ApiDefinition, input, issue);
            json!({ "fixes": validate(input).iter().map(fixes).collect::<Vec<_>>() })
        }
        "lines" => json!({ "lines": lines::line_diff(input, text("after")) }),
        "set" => edited(edit::set(input, text("pointer"), text("value"))),
        "remove" => edited(edit::remove(input, text("pointer"))),
        other => json!({ "unknown function": other }),
    }
}

/// Returns the policies of a case: pairs of an id and a text, or null for one that doesn't exist.
fn policies(case: &Value) -> Vec<policy::Named<'_>> {
    let list = case.get("policies").and_then(Value::as_array);
    list.into_iter().flatten().map(named).collect()
}

fn named(pair: &Value) -> policy::Named<'_> {
    policy::Named {
        id: pair.get(0).and_then(Value::as_str).unwrap_or_default(),
        text: pair.get(1).and_then(Value::as_str),
    }
}

/// Removes the `|` from a text and returns its offset.
fn marked(input: &str) -> (String, usize) {
    (input.replacen('|', "", 1), input.find('|').unwrap_or(0))
}

fn edited(result: Result<String, edit::EditError>) -> Value {
    match result {
        Ok(text) => json!({ "text": text }),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

/// Runs every case and describes those whose result differs from the expected one, byte by byte. Returns how many
/// passed and what failed.
pub(crate) fn run_all() -> (usize, Vec<String>) {
    let (mut passed, mut failed) = (0, Vec::new());
    for (name, text) in FILES {
        for (index, case) in cases(text).iter().enumerate() {
            let expected = case.get("expect").map(Value::to_string).unwrap_or_default();
            let found = run(case).to_string();
            if expected == found {
                passed += 1;
            } else {
                let comment = case
                    .get("comment")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                failed.push(format!(
                    "{name}#{index} ({comment})\n  expected {expected}\n  found    {found}"
                ));
            }
        }
    }
    (passed, failed)
}

//! Runs the shared case files natively. `UPDATE_EXPECT=1` writes the actual results into the files; the difference is
//! then for a person to review.
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

use std::{env, fs, path::PathBuf};

use gatewright_model::json::edit;
use serde_json::Value;

fn folder() -> PathBuf {
    [
        env!("CARGO_MANIFEST_DIR"),
        "..",
        "testkit",
        "cases",
        "model",
    ]
    .iter()
    .collect()
}

#[test]
fn every_case_has_the_expected_result() {
    if env::var_os("UPDATE_EXPECT").is_some() {
        return update();
    }
    let (passed, failed) = common::run_all();
    assert!(
        failed.is_empty(),
        "{} failed\n{}",
        failed.len(),
        failed
            .iter()
            .take(5)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n")
    );
    println!("{passed} cases");
    assert!(passed > 100);
}

#[test]
fn every_file_of_the_folder_is_run() {
    for entry in fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            common::FILES.iter().any(|(file, _)| *file == name),
            "{name} isn't listed"
        );
    }
}

/// Returns the cases of the table in the format of their file: one per line.
fn members() -> String {
    let line = |mut case: Value| {
        case["expect"] = common::run(&case);
        case.as_object_mut().unwrap().remove("pointer");
        format!("  {case}")
    };
    let lines: Vec<_> = common::members::cases().into_iter().map(line).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[test]
fn the_table_has_the_cases_of_its_file() {
    if env::var_os("UPDATE_EXPECT").is_none() {
        let (_, file) = common::FILES
            .iter()
            .find(|(name, _)| *name == "members.json")
            .unwrap();
        assert!(
            members() == *file,
            "the table has changed; run again with UPDATE_EXPECT=1"
        );
    }
}

fn update() {
    fs::write(folder().join("members.json"), members()).unwrap();
    for (name, text) in common::FILES
        .iter()
        .filter(|(name, _)| *name != "members.json")
    {
        let mut updated = (*text).to_owned();
        for (index, case) in common::cases(text).iter().enumerate() {
            let expect = laid_out(&common::run(case));
            updated = edit::set(&updated, &format!("/{index}/expect"), &expect).unwrap();
        }
        fs::write(folder().join(name), updated).unwrap();
    }
}

/// Formats a list with one element per line.
fn laid_out(result: &Value) -> String {
    let member = |(name, value): (&String, &Value)| match value.as_array() {
        Some(items) if !items.is_empty() => {
            let items: Vec<_> = items.iter().map(|item| format!("        {item}")).collect();
            format!("{name:?}: [\n{}\n      ]", items.join(",\n"))
        }
        _ => format!("{name:?}: {value}"),
    };
    let members: Vec<_> = result.as_object().unwrap().iter().map(member).collect();
    format!("{{ {} }}", members.join(", "))
}

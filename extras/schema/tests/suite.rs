//! The JSON Schema Test Suite (<https://github.com/json-schema-org/JSON-Schema-Test-Suite>), from the folder in
//! `JSON_SCHEMA_TEST_SUITE`: the one that contains `tests`. Without the variable, only our own cases run.
#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::print_stdout
)]

use gatewright_extra_schema::{Schema, Verdict, validate};
use gatewright_model::json::{Value, parse};
use std::path::Path;

/// Deliberate differences, by the start of "file: group".
const DIFFERENCES: &[(&str, &str)] = &[
    ("refRemote", "other documents are not fetched"),
    (
        "vocabulary",
        "vocabularies of metaschemas of one's own are not read",
    ),
    (
        "format",
        "formats are checked, whatever the draft says by default",
    ),
];

/// Schemas that refer to anything outside themselves can't be compiled, and don't count as failures.
fn refers_outside(why: &str) -> bool {
    why.contains("is not part of the schema")
}

struct Draft {
    folder: &'static str,
    schema: &'static str,
}

const DRAFTS: [Draft; 5] = [
    Draft {
        folder: "draft4",
        schema: "http://json-schema.org/draft-04/schema#",
    },
    Draft {
        folder: "draft6",
        schema: "http://json-schema.org/draft-06/schema#",
    },
    Draft {
        folder: "draft7",
        schema: "http://json-schema.org/draft-07/schema#",
    },
    Draft {
        folder: "draft2019-09",
        schema: "https://json-schema.org/draft/2019-09/schema",
    },
    Draft {
        folder: "draft2020-12",
        schema: "https://json-schema.org/draft/2020-12/schema",
    },
];

/// Returns the text of a schema with its draft.
fn with_draft(text: &str, schema: &Value<'_>, draft: &Draft) -> String {
    let own = schema.span.of(text);
    if schema.members().is_empty() || schema.get("$schema").is_some() {
        return own.to_owned();
    }
    format!(
        "{{\"$schema\":\"{}\",{}",
        draft.schema,
        own.trim_start_matches('{')
    )
}

#[derive(Default)]
struct Tally {
    passed: usize,
    outside: usize,
    failed: Vec<String>,
}

fn run_file(file: &Path, draft: &Draft, tally: &mut Tally) {
    let name = file.file_stem().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file).unwrap();
    let groups = parse(&text).unwrap();
    for group in groups.items() {
        let title = format!("{name}: {}", group.str("description").unwrap());
        let schema = group.get("schema").unwrap();
        let compiled = Schema::compile(&with_draft(&text, schema, draft));
        for test in group.get("tests").unwrap().items() {
            let is_valid = test.bool("valid").unwrap();
            let verdict = match &compiled {
                Err(why) if refers_outside(why) => {
                    tally.outside += 1;
                    continue;
                }
                Err(why) => Err(why.clone()),
                Ok(schema) => Ok(validate(schema, &test.member("data").unwrap().value)),
            };
            let is_right = match &verdict {
                Ok(Verdict::Fits) => is_valid,
                Ok(Verdict::Violates(_)) => !is_valid,
                _ => false,
            };
            if is_right {
                tally.passed += 1;
            } else {
                let case = test.str("description").unwrap();
                tally.failed.push(format!("{title}: {case}: {verdict:?}"));
            }
        }
    }
}

#[test]
fn the_suite_of_the_drafts() {
    let Ok(folder) = std::env::var("JSON_SCHEMA_TEST_SUITE") else {
        return;
    };
    let mut failed = 0;
    for draft in &DRAFTS {
        for part in ["", "optional", "optional/format"] {
            let folder = Path::new(&folder)
                .join("tests")
                .join(draft.folder)
                .join(part);
            let mut files: Vec<_> = std::fs::read_dir(&folder)
                .unwrap()
                .map(|file| file.unwrap().path())
                .collect();
            files.retain(|file| file.extension().is_some_and(|kind| kind == "json"));
            files.sort();
            let mut tally = Tally::default();
            for file in &files {
                run_file(file, draft, &mut tally);
            }
            let expected = |failure: &&String| {
                part.is_empty()
                    && DIFFERENCES
                        .iter()
                        .any(|(name, _)| failure.starts_with(name))
            };
            let otherwise = tally.failed.iter().filter(expected).count();
            println!(
                "{} {part}: {} passed, {} refer outside, {otherwise} otherwise on purpose, {} failed",
                draft.folder,
                tally.passed,
                tally.outside,
                tally.failed.len() - otherwise
            );
            for failure in tally.failed.iter().filter(|failure| !expected(failure)) {
                println!("  {failure}");
                failed += usize::from(part.is_empty());
            }
        }
    }
    assert_eq!(failed, 0);
}

//! Import from OpenAPI, called by `web/editor/openapi.js` in a worker of its own.
#![allow(
    unreachable_pub,
    reason = "wasm-bindgen exports nothing but `pub` functions"
)]

use gatewright_model::json::{LineIndex, parse};
use gatewright_model::openapi::{self, Options, Parts, PathChoice};
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// Makes a definition of an OpenAPI document in JSON. Answers a JSON object: definition, report (the
/// notes with the line and column of what they are about), summary and consequences (names of choices,
/// and what they would bring with them), or issues. `options` are [`Options`] as JSON; members that are
/// left out have their standards.
#[wasm_bindgen]
#[must_use]
pub fn import_openapi(text: &str, options: &str) -> String {
    let options: Options = serde_json::from_str(options).unwrap_or_default();
    let answer = match openapi::import(text, &options) {
        Err(issues) => json!({ "issues": issues }),
        Ok(import) => {
            let document = parse(text).ok();
            let lines = LineIndex::new(text);
            let note = |note: openapi::Note| {
                let start = document
                    .as_ref()
                    .map_or(0, |document| document.nearest(&note.pointer).span.start);
                let at = lines.position(start);
                json!({
                    "pointer": note.pointer,
                    "taken": note.taken,
                    "message": note.message,
                    "line": at.line,
                    "column": at.column,
                })
            };
            let report: Vec<Value> = import.report.into_iter().map(note).collect();
            json!({
                "definition": import.definition,
                "report": report,
                "summary": import.summary,
                "consequences": consequences(),
            })
        }
    };
    answer.to_string()
}

/// Updates a stored definition with parts of an imported one. Answers a JSON object: text, or error.
#[wasm_bindgen]
#[must_use]
pub fn update_definition(stored: &str, imported: &str, parts: &str) -> String {
    let parts: Parts = serde_json::from_str(parts).unwrap_or_default();
    let answer = match openapi::update_definition(stored, imported, parts) {
        Ok(text) => json!({ "text": text }),
        Err(error) => json!({ "error": error.to_string() }),
    };
    answer.to_string()
}

/// What the choices about paths bring with them that nobody expects, by their names.
fn consequences() -> Map<String, Value> {
    let consequence =
        |choice: PathChoice| Some((choice.name().to_owned(), choice.consequence()?.into()));
    PathChoice::ALL
        .into_iter()
        .filter_map(consequence)
        .collect()
}

#[cfg(test)]
#[cfg(target_arch = "wasm32")]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    const TEXT: &str =
        "{\"openapi\":\"3.0.0\",\n\"info\":{\"title\":\"\u{1F600}\"},\n\"paths\":{}}";

    fn read(json: &str) -> Value {
        serde_json::from_str(json).unwrap_or_default()
    }

    #[wasm_bindgen_test]
    fn notes_have_the_place_of_what_they_are_about() {
        let made = read(&import_openapi(TEXT, "{\"name\":\"A\"}"));
        let positions: Vec<_> = made["report"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|note| {
                (
                    note["pointer"].as_str(),
                    note["line"].as_u64(),
                    note["column"].as_u64(),
                )
            })
            .collect();
        assert!(positions.contains(&(Some("/info/title"), Some(2), Some(17))));
        assert!(positions.contains(&(Some("/servers"), Some(1), Some(1))));
        assert_eq!(made["summary"]["openapi"], "3.0.0");
    }

    #[wasm_bindgen_test]
    fn what_is_refused_says_why() {
        let made = read(&import_openapi("{\"swagger\":\"2.0\"}", "no options"));
        assert_eq!(made["issues"][0]["pointer"], "/swagger");
        let merged = read(&update_definition("[", "{}", "{}"));
        assert!(merged["error"].is_string());
        assert_eq!(read(&update_definition("{}", "{}", "{}"))["text"], "{}");
    }
}

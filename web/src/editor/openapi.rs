//! The import from OpenAPI, called by `web/editor/openapi.js` in a worker of its own.
#![allow(
    unreachable_pub,
    reason = "wasm-bindgen exports nothing but `pub` functions"
)]

use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json::{LineIndex, parse};
use gatewright_model::openapi::{self, Options, Parts, PathChoice};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

use super::administered;

/// What an import produces, besides the [`Options`].
#[derive(Default, Deserialize)]
#[serde(default)]
struct Becomes {
    /// Whether to produce a classic definition rather than an OpenAPI API.
    classic: bool,
    /// Whether to leave out the authentication that the document asks for.
    open: bool,
}

/// Makes a definition of an OpenAPI document in JSON, or with `"classic": false` the document of an OpenAPI API.
/// Returns a JSON object: definition, report (the notes, each with the line and column it refers to), summary and
/// consequences (names of choices, and their side effects), or issues. `options` are [`Options`] as JSON, along with
/// `classic` and `open`; omitted members have their defaults.
#[wasm_bindgen]
#[must_use]
pub fn import_openapi(text: &str, options: &str) -> String {
    let becomes: Becomes = serde_json::from_str(options).unwrap_or_default();
    let options: Options = serde_json::from_str(options).unwrap_or_default();
    let (older, refused) = match openapi::upgraded(text) {
        Ok(older) => (older, None),
        Err(issues) => (None, Some(issues)),
    };
    let sent = text;
    let text = older.as_ref().map_or(sent, |older| older.document.as_str());
    let before = older
        .as_ref()
        .map_or(&[][..], |older| older.notes.as_slice());
    let answer = match refused.map_or_else(|| openapi::import(text, &options), Err) {
        Err(issues) => json!({ "issues": issues }),
        Ok(import) if !becomes.classic => {
            match administered::imported(text, &options, becomes.open, &import) {
                Ok(document) => {
                    json!({ "definition": document, "report": placed(sent, before), "summary": import.summary, "consequences": {} })
                }
                Err(message) => json!({ "issues": [document_error(text, message)] }),
            }
        }
        Ok(import) => {
            let mut report = before.to_vec();
            report.extend(import.report.into_iter().map(|mut note| {
                if older.is_some() {
                    note.pointer = openapi::origin_in_swagger(&note.pointer);
                }
                note
            }));
            let report = placed(sent, &report);
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

/// Adds to each note the line and column it refers to.
fn placed(text: &str, notes: &[openapi::Note]) -> Vec<Value> {
    let document = parse(text).ok();
    let lines = LineIndex::new(text);
    let place = |note: &openapi::Note| {
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
    notes.iter().map(place).collect()
}

/// Returns an error about a document as a whole.
fn document_error(text: &str, message: String) -> Issue {
    let lines = LineIndex::new(text);
    Issue {
        pointer: String::new(),
        code: IssueCode::Format,
        severity: Severity::Error,
        message,
        start: lines.position(0),
        end: lines.position(text.len()),
    }
}

/// Updates a stored definition with parts of an imported one. Returns a JSON object: text, or error.
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

/// Returns the unexpected side effects of the choices about paths, by the choices' names.
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
    fn notes_have_positions() {
        let made = read(&import_openapi(TEXT, "{\"name\":\"A\",\"classic\":true}"));
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
    fn choices_are_kept_in_the_document() {
        let text = r#"{"openapi":"3.0.0","info":{"title":"My pets","version":"1"},"servers":[{"url":"http://a.example"},{"url":"http://b.example"}],
"components":{"securitySchemes":{"key":{"type":"apiKey","in":"header","name":"X-Key"}}},"security":[{"key":[]}],
"paths":{"/p":{"get":{"operationId":"p","responses":{}}}}}"#;
        let document = |options: &str| {
            let made = read(&import_openapi(text, options));
            assert_eq!(made["summary"]["operations"], 1);
            read(made["definition"].as_str().unwrap_or_default())["x-gateway-api-gateway"].clone()
        };
        let made = document(r#"{"server":1,"allow_list":true,"api_id":"pets"}"#);
        assert_eq!(made["info"]["id"], "pets");
        assert_eq!(made["info"]["name"], "My pets");
        assert_eq!(made["server"]["listenPath"]["value"], "/my-pets/");
        assert_eq!(made["upstream"]["url"], "http://b.example");
        assert_eq!(
            made["middleware"]["operations"]["p"]["allow"]["enabled"],
            true
        );
        assert_eq!(made["server"]["authentication"]["enabled"], true);
        let open = document(r#"{"open":true,"listen_path":"/x/","upstream_url":"http"}"#);
        assert_eq!(open["server"]["authentication"], Value::Null);
        assert_eq!(
            open["upstream"]["url"], "http",
            "what is being typed is no reason to show nothing"
        );
    }

    #[wasm_bindgen_test]
    fn swagger_notes_point_into_the_original_text() {
        let text = "{\"swagger\":\"2.0\",\n\"schemes\":[\"ws\",\"http\"],\"host\":\"a.example\",\"info\":{\"title\":\"A\",\"version\":\"1\"},\"paths\":{}}";
        for options in ["{}", "{\"classic\":true}"] {
            let made = read(&import_openapi(text, options));
            let report = made["report"].as_array().cloned().unwrap_or_default();
            let lines: Vec<_> = report
                .iter()
                .map(|note| (&note["pointer"], &note["line"]))
                .collect();
            assert!(lines.contains(&(&json!("/schemes"), &json!(2))), "{made}");
            assert_eq!(made["summary"]["openapi"], "3.0.3");
        }
        let made = read(&import_openapi(text, "{}"));
        let document = read(made["definition"].as_str().unwrap_or_default());
        assert_eq!(document["openapi"], "3.0.3");
        assert_eq!(
            document["x-gateway-api-gateway"]["upstream"]["url"],
            "http://a.example"
        );
    }

    #[wasm_bindgen_test]
    fn refusals_give_a_reason() {
        let made = read(&import_openapi("{\"swagger\":\"1.2\"}", "no options"));
        assert_eq!(made["issues"][0]["pointer"], "/swagger");
        let merged = read(&update_definition("[", "{}", "{}"));
        assert!(merged["error"].is_string());
        assert_eq!(read(&update_definition("{}", "{}", "{}"))["text"], "{}");
    }
}

//! The model's functions in the form in which the console's editor calls them: text comes in as UTF-8 bytes, JSON goes
//! out as text. The module contains nothing else, so that it can be built in several ways and compared.

use gatewright_model::shape::Root;
use gatewright_model::{diff, document, merge, schema};
use wasm_bindgen::prelude::wasm_bindgen;

/// Returns the issues of a document as a JSON array; `root` is a word of [`Root`]. An unknown word yields no issues.
#[wasm_bindgen]
#[must_use]
pub fn validate(root: &str, text: &[u8]) -> String {
    let issues = Root::from_word(root).map(|root| document::validate(root, utf8(text)));
    serde_json::to_string(&issues.unwrap_or_default()).unwrap_or_default()
}

/// Returns the target with a merge patch applied; empty if one of them is not JSON.
#[wasm_bindgen]
#[must_use]
pub fn merged(target: &[u8], patch: &[u8]) -> String {
    merge::merge(utf8(target), utf8(patch)).unwrap_or_default()
}

/// Returns the merge patch that turns one document into another; empty if there is none.
#[wasm_bindgen]
#[must_use]
pub fn difference(before: &[u8], after: &[u8]) -> String {
    diff::merge_patch(utf8(before), utf8(after)).unwrap_or_default()
}

/// Returns the JSON Schema of a kind of document; empty for an unknown word.
#[wasm_bindgen]
#[must_use]
pub fn schema_of(root: &str) -> String {
    Root::from_word(root).map_or_else(String::new, schema::json_schema)
}

/// Returns an empty text for invalid UTF-8, which a browser's encoder never produces.
fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

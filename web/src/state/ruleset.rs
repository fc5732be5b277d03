//! Reads and edits the document of a ruleset for its page.

use gatewright_model::json::{edit, parse, quote};

use super::import::Source;

/// Returns the definition in a document, or `last` as long as the document is not JSON.
#[must_use]
pub fn definition(text: &str, last: Option<&String>) -> String {
    match parse(text) {
        Ok(document) => document.str("definition").unwrap_or_default().to_owned(),
        Err(_) => last.cloned().unwrap_or_default(),
    }
}

/// Returns a document with a file's contents as its definition, named after the file without its extension. `None` if
/// the document is not a JSON object.
#[must_use]
pub fn filled(text: &str, source: &Source) -> Option<String> {
    let stem = source
        .name
        .rsplit_once('.')
        .map_or(source.name.as_str(), |(stem, _)| stem);
    let named = if stem.is_empty() {
        text.to_owned()
    } else {
        edit::set(text, "/name", &quote(stem)).ok()?
    };
    edit::set(&named, "/definition", &quote(&source.text)).ok()
}

//! What the page of a ruleset reads out of its document, and puts into it.

use gatewright_model::json::{edit, parse, quote};

use super::import::Source;

/// The definition in a document; what it was last (`last`) as long as the document is no JSON.
#[must_use]
pub fn definition(text: &str, last: Option<&String>) -> String {
    match parse(text) {
        Ok(document) => document.str("definition").unwrap_or_default().to_owned(),
        Err(_) => last.cloned().unwrap_or_default(),
    }
}

/// A document with a file as its definition, called as the file is without its ending. `None` if the
/// document is no JSON object.
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

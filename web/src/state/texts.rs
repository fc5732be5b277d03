//! Members of documents that are lists of strings, such as categories and subscriptions.

use gatewright_model::json::{Value, parse, quote};

/// Returns the strings in a list of a document; none as long as the document isn't JSON.
#[must_use]
pub fn texts(document: &str, member: &str) -> Vec<String> {
    let document = parse(document).ok();
    let items = document.as_ref().and_then(|document| document.get(member));
    let items = items.map(Value::items).unwrap_or_default().iter();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the list with a string appended or removed, as JSON. `same` says which strings are equal to it.
#[must_use]
pub fn ticked(mut texts: Vec<String>, text: &str, on: bool, same: impl Fn(&str) -> bool) -> String {
    texts.retain(|other| !same(other));
    if on {
        texts.push(text.to_owned());
    }
    let texts: Vec<String> = texts.iter().map(|text| quote(text)).collect();
    format!("[{}]", texts.join(", "))
}

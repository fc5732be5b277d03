//! Copies of definitions, from which new APIs start.

use gatewright_model::json::{edit, parse, quote};

/// Returns the definition without what has to be unique: its ids are removed, and its name and listen path marked as a
/// copy. All other bytes are unchanged. `None` if the text is not JSON.
#[must_use]
pub fn copy_of(definition: &str) -> Option<String> {
    let value = parse(definition).ok()?;
    let text = |pointer: &str| {
        let text = value.pointer(pointer).and_then(|value| value.as_str());
        text.unwrap_or_default().to_owned()
    };
    let name = format!("{} (copy)", text("/name"));
    let path = text("/proxy/listen_path");
    let slash = if path.ends_with('/') { "/" } else { "" };
    let path = format!("{}-copy{slash}", path.trim_end_matches('/'));
    let mut copy = definition.to_owned();
    for member in ["/api_id", "/id", "/_id"] {
        if value.pointer(member).is_some() {
            copy = edit::remove(&copy, member).ok()?;
        }
    }
    for (member, text) in [("/name", name), ("/proxy/listen_path", path)] {
        copy = edit::set(&copy, member, &quote(&text)).ok()?;
    }
    Some(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_copy_has_no_ids_and_a_path_of_its_own() {
        let text = r#"{"id":"64","name":"Orders","api_id":"orders","proxy":{"listen_path":"/orders/","n":1.0},"mine":[1.0]}"#;
        let expected = r#"{"name":"Orders (copy)","proxy":{"listen_path":"/orders-copy/","n":1.0},"mine":[1.0]}"#;
        assert_eq!(copy_of(text).as_deref(), Some(expected));
        let bare = copy_of(r#"{"name":"a","proxy":{"listen_path":"/a"}}"#);
        assert!(bare.is_some_and(|copy| copy.contains(r#""/a-copy""#)));
        assert_eq!(copy_of("no json"), None);
    }
}

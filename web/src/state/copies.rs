//! Copies of definitions and of OpenAPI documents, from which new APIs start.

use gatewright_model::json::{Value, edit, parse, quote};

use super::rules::in_extension;

/// Returns the definition without what has to be unique: its ids are removed, and its name and listen path marked as a
/// copy. All other bytes are unchanged. `None` if the text is not JSON.
#[must_use]
pub fn copy_of(definition: &str) -> Option<String> {
    let ids = ["/api_id", "/id", "/_id"].map(str::to_owned);
    marked(definition, "/name", "/proxy/listen_path", &ids)
}

/// Returns an OpenAPI document like [`copy_of`], also without the servers that the gateway wrote for its listen path.
#[must_use]
pub fn copy_of_document(document: &str) -> Option<String> {
    let inside = |below: &str| in_extension(document, below);
    let (name, path) = (inside("/info/name"), inside("/server/listenPath/value"));
    let value = parse(document).ok()?;
    let listen_path = value.pointer(&path).and_then(Value::as_str)?;
    let listen_path = listen_path.trim_end_matches('/');
    let is_own = |server: &Value<'_>| {
        let url = server.str("url").unwrap_or_default();
        let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
        after_scheme.find('/').map(|slash| &after_scheme[slash..]) == Some(listen_path)
    };
    let servers = value.get("servers").map(Value::items).unwrap_or_default();
    // From the end, so that each position still holds when its turn comes.
    let own = servers
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, server)| is_own(server));
    let removed = own.map(|(index, _)| format!("/servers/{index}"));
    let ids = ["/info/id", "/info/dbId"].map(inside);
    let removed: Vec<_> = removed.chain(ids).collect();
    marked(document, &name, &path, &removed)
}

/// Returns the text with a name and a listen path of a copy, without the removed members.
fn marked(text: &str, name: &str, path: &str, removed: &[String]) -> Option<String> {
    let value = parse(text).ok()?;
    let at = |pointer: &str| {
        value
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let new_name = format!("{} (copy)", at(name));
    let slash = if at(path).ends_with('/') { "/" } else { "" };
    let new_path = format!("{}-copy{slash}", at(path).trim_end_matches('/'));
    let mut copy = text.to_owned();
    for member in removed
        .iter()
        .filter(|member| value.pointer(member).is_some())
    {
        copy = edit::remove(&copy, member).ok()?;
    }
    for (member, text) in [(name, new_name), (path, new_path)] {
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

    #[test]
    fn a_copied_document_keeps_only_the_servers_of_its_user() {
        let text = r#"{"servers":[{"url":"http://gw/a"},{"url":"/a"},{"url":"https://up.example/v1"},{"url":"https://up.example/a/b"}],"x-gateway-api-gateway":{"info":{"id":"1","name":"A"},"server":{"listenPath":{"value":"/a/"}}}}"#;
        let expected = r#"{"servers":[{"url":"https://up.example/v1"},{"url":"https://up.example/a/b"}],"x-gateway-api-gateway":{"info":{"name":"A (copy)"},"server":{"listenPath":{"value":"/a-copy/"}}}}"#;
        assert_eq!(copy_of_document(text).as_deref(), Some(expected));
        assert_eq!(copy_of_document("{}"), None);
    }
}

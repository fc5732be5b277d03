//! Updates a stored definition from an imported one: its upstream and its path rules, and nothing else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::json::edit::{self, EditError};
use crate::json::pointer::push_token;
use crate::json::{Value, parse, quote};

/// The parts of a stored definition to update from an imported one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parts {
    /// Whether to update the upstream.
    pub upstream: bool,
    /// Whether to update the path rules of its version.
    pub rules: bool,
}

/// The pointer of the only version of imported definitions.
const IMPORTED: &str = "/version_data/versions/Default";

/// Updates a stored definition with parts of an imported one; every other byte stays. Imported rules replace the stored
/// ones with the same list, path and method, or are appended. With several versions the rules go into `Default`, the
/// default version, or the first, in this order of preference.
///
/// # Errors
/// Either text is not JSON, or the stored one has a value of another type where the rules belong.
pub fn update_definition(stored: &str, imported: &str, parts: Parts) -> Result<String, EditError> {
    let definition = parse(imported).map_err(EditError::Value)?;
    let stored_value = parse(stored).map_err(EditError::Document)?;
    let mut text = stored.to_owned();
    let target = definition
        .pointer("/proxy/target_url")
        .and_then(Value::as_str);
    if let Some(url) = target.filter(|url| parts.upstream && !url.is_empty()) {
        text = edit::set(&text, "/proxy/target_url", &quote(url))?;
    }
    let lists = definition.pointer(&format!("{IMPORTED}/extended_paths"));
    let lists = lists.map(Value::members).unwrap_or_default();
    if !parts.rules || lists.is_empty() {
        return Ok(text);
    }
    let (name, version) = version(&stored_value);
    let mut target_pointer = "/version_data/versions".to_owned();
    push_token(&mut target_pointer, &name);
    if version.is_none() {
        text = edit::set(&text, &format!("{target_pointer}/name"), &quote(&name))?;
    }
    if version.and_then(|version| version.bool("use_extended_paths")) != Some(true) {
        text = edit::set(
            &text,
            &format!("{target_pointer}/use_extended_paths"),
            "true",
        )?;
    }
    target_pointer.push_str("/extended_paths");
    let old = version.and_then(|version| version.get("extended_paths"));
    for list in lists {
        let entries = old.and_then(|old| old.get(&list.name)).map(Value::items);
        let both = united(
            (stored, entries.unwrap_or_default()),
            (imported, list.value.items()),
        );
        let mut pointer = target_pointer.clone();
        push_token(&mut pointer, &list.name);
        text = edit::set(&text, &pointer, &both)?;
    }
    Ok(text)
}

/// Returns the name of the version that the rules go into, and that version if it exists.
fn version<'v, 't>(stored: &'v Value<'t>) -> (String, Option<&'v Value<'t>>) {
    let versions = stored.pointer("/version_data/versions");
    let named = |name: &str| versions.and_then(|versions| versions.get(name));
    let default = stored
        .pointer("/version_data/default_version")
        .and_then(Value::as_str);
    for name in std::iter::once("Default").chain(default) {
        if let Some(version) = named(name) {
            return (name.to_owned(), Some(version));
        }
    }
    match versions.and_then(|versions| versions.members().first()) {
        Some(first) => (first.name.to_string(), Some(&first.value)),
        None => ("Default".to_owned(), None),
    }
}

/// The entries of a list, with the text they are in.
type Entries<'a, 't> = (&'a str, &'a [Value<'t>]);

/// Merges the imported entries into the stored list, one per line unless the definition is on one line.
fn united(stored: Entries<'_, '_>, imported: Entries<'_, '_>) -> String {
    let mut new: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for entry in imported.1 {
        new.entry(route(entry))
            .or_default()
            .push(entry.span.of(imported.0));
    }
    let mut texts = Vec::new();
    for entry in stored.1 {
        match new.get_mut(&route(entry)) {
            // All of them replace the first of the stored ones.
            Some(entries) => texts.append(entries),
            None => texts.push(entry.span.of(stored.0)),
        }
    }
    for entry in imported.1 {
        texts.extend(new.remove(&route(entry)).unwrap_or_default());
    }
    if stored.0.trim_end().contains('\n') {
        format!(
            "[\n            {}\n          ]",
            texts.join(",\n            ")
        )
    } else {
        format!("[{}]", texts.join(","))
    }
}

/// Returns the path and method of a rule. Lists of the specification compare methods as written.
fn route(entry: &Value<'_>) -> (String, String) {
    let text = |name: &str| entry.str(name).unwrap_or_default().to_owned();
    (text("path"), text("method"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::{Options, import};

    const BOTH: Parts = Parts {
        upstream: true,
        rules: true,
    };

    fn imported() -> String {
        let options = Options {
            allow_list: true,
            ..Options::default()
        };
        let text = r#"{"openapi":"3.0.0","servers":[{"url":"http://new.example"}],"paths":{"/a":{"get":{}},"/b":{"put":{}}}}"#;
        import(text, &options).unwrap().definition
    }

    fn at(text: &str, pointer: &str) -> String {
        let value = parse(text).unwrap();
        value
            .pointer(pointer)
            .map_or_else(String::new, |value| value.span.of(text).to_owned())
    }

    #[test]
    fn rules_are_replaced_by_path_and_method_or_appended() {
        let stored = r#"{
  "name": "kept",
  "proxy": { "target_url": "http://old.example", "listen_path": "/kept/" },
  "version_data": { "versions": { "Default": { "name": "Default", "extended_paths": {
    "ignored": [{ "path": "/i" }],
    "white_list": [{ "path": "/z", "method": "GET" }, { "path": "/a", "method": "GET", "disabled": true }]
  } } } }
}
"#;
        let text = update_definition(stored, &imported(), BOTH).unwrap();
        let lists = "/version_data/versions/Default/extended_paths";
        assert_eq!(at(&text, "/proxy/target_url"), "\"http://new.example\"");
        assert_eq!(at(&text, "/proxy/listen_path"), "\"/kept/\"");
        assert_eq!(at(&text, "/name"), "\"kept\"");
        assert_eq!(
            at(&text, &format!("{lists}/ignored")),
            r#"[{ "path": "/i" }]"#
        );
        assert_eq!(
            at(&text, &format!("{lists}/white_list/0")),
            r#"{ "path": "/z", "method": "GET" }"#
        );
        assert_eq!(at(&text, &format!("{lists}/white_list/1/disabled")), "");
        assert_eq!(at(&text, &format!("{lists}/white_list/2/path")), "\"/b\"");
        assert_eq!(
            at(&text, "/version_data/versions/Default/use_extended_paths"),
            "true"
        );
        assert_eq!(
            update_definition(&text, &imported(), BOTH).unwrap(),
            text,
            "once more changes nothing"
        );
    }

    #[test]
    fn rules_of_one_route_are_replaced_together() {
        let list = |entries: &str| {
            format!(
                r#"{{"version_data":{{"versions":{{"Default":{{"use_extended_paths":true,"extended_paths":{{"white_list":[{entries}]}}}}}}}}}}"#
            )
        };
        let stored = list(r#"{"path":"/a"},{"path":"/b"},{"path":"/a","x":1},{"path":"/c"}"#);
        let new = list(r#"{"path":"/d"},{"path":"/a","y":1},{"path":"/a","y":2}"#);
        let both = list(
            r#"{"path":"/a","y":1},{"path":"/a","y":2},{"path":"/b"},{"path":"/c"},{"path":"/d"}"#,
        );
        assert_eq!(update_definition(&stored, &new, BOTH).unwrap(), both);
        assert_eq!(update_definition(&new, &new, BOTH).unwrap(), new);
    }

    #[test]
    fn unrequested_members_are_kept() {
        let stored = r#"{"proxy":{"target_url":"http://old.example"}}"#;
        assert_eq!(
            update_definition(stored, &imported(), Parts::default()).unwrap(),
            stored
        );
        let rules = Parts {
            rules: true,
            ..Parts::default()
        };
        let text = update_definition(stored, &imported(), rules).unwrap();
        assert_eq!(at(&text, "/proxy/target_url"), "\"http://old.example\"");
        assert_eq!(
            at(&text, "/version_data/versions/Default/name"),
            "\"Default\""
        );
        assert!(text.contains("/b"), "{text}");
    }

    #[test]
    fn rules_go_into_the_existing_version() {
        let of = |data: &str| {
            let stored = format!(r#"{{"version_data":{data}}}"#);
            let text = update_definition(&stored, &imported(), BOTH).unwrap();
            ["Default", "v1", "v2"]
                .into_iter()
                .filter(|name| {
                    let list = format!("/version_data/versions/{name}/extended_paths/white_list/1");
                    !at(&text, &list).is_empty()
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(of(r#"{"versions":{"v1":{},"v2":{}}}"#), ["v1"]);
        assert_eq!(
            of(r#"{"default_version":"v2","versions":{"v1":{},"v2":{}}}"#),
            ["v2"]
        );
        assert_eq!(of(r#"{"versions":{"v1":{},"Default":{}}}"#), ["Default"]);
        assert_eq!(of("{}"), ["Default"]);
    }

    #[test]
    fn text_that_cannot_hold_rules_is_refused() {
        for stored in ["", "[]", r#"{"version_data":[]}"#, r#"{"proxy":1}"#] {
            assert!(
                update_definition(stored, &imported(), BOTH).is_err(),
                "{stored}"
            );
        }
        assert!(matches!(
            update_definition("{}", "x", BOTH),
            Err(EditError::Value(_))
        ));
        let nothing = update_definition("[", "{}", Parts::default());
        assert!(matches!(nothing, Err(EditError::Document(_))));
    }
}

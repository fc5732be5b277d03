//! An OpenAPI document and the definition compiled from it, as one text.
//!
//! So both always come from the same write. The stored text is the definition, and its member `openapi` has what no
//! other member of a definition can express: in `document` the administered document, byte for byte, and beside it what
//! the data plane needs of it. A document administered as YAML has its JSON equivalent in `document`, which everything
//! here uses, and its text in `yaml`.

use super::{DocumentKind, EXTENSIONS};
use crate::json::edit::{self, EditError};
use crate::json::{Kind, Value, parse, quote};
use crate::mask::DOTS;
use crate::merge;

/// The member of a definition for its OpenAPI document.
pub const MEMBER: &str = "openapi";
const DOCUMENT: &str = "/openapi/document";
const YAML: &str = "/openapi/yaml";

/// Returns the kind of document a stored definition was compiled from; `None` if it wasn't compiled.
#[must_use]
pub fn kind(definition: &Value<'_>) -> Option<DocumentKind> {
    let document = definition.pointer(DOCUMENT)?;
    let is_document = matches!(document.kind, Kind::Object(_));
    if !is_document || definition.bool("is_oas") != Some(true) {
        return None;
    }
    Some(match definition.str("application_protocol") {
        Some("mcp") => DocumentKind::Mcp,
        _ => DocumentKind::Oas,
    })
}

/// Returns the document with its kind; `None` for a definition that wasn't compiled, and for a text that is not JSON.
#[must_use]
pub fn document(text: &str) -> Option<(DocumentKind, &str)> {
    // Reading a definition asks this each time. Only an escape could spell the member's name in another way.
    if !text.contains("\"openapi\"") && !text.contains("\\u") {
        return None;
    }
    let definition = parse(text).ok()?;
    let kind = kind(&definition)?;
    let document = definition.pointer(DOCUMENT)?;
    Some((kind, document.span.of(text)))
}

/// Adds the document to the definition compiled from it.
///
/// # Errors
/// Either text is not JSON.
pub fn joined(definition: &str, document: &str) -> Result<String, EditError> {
    edit::set(definition, DOCUMENT, document)
}

/// Returns the text of a document that is administered as YAML.
#[must_use]
pub fn yaml(text: &str) -> Option<String> {
    let definition = parse(text).ok()?;
    kind(&definition)?;
    let yaml = yaml_of(&definition)?.as_str()?;
    // It is empty in an export without secrets, and masked for readers who must not see them.
    Some(yaml.to_owned()).filter(|yaml| !yaml.is_empty() && yaml != DOTS)
}

/// Returns the value of that text in a definition.
pub(crate) fn yaml_of<'v, 't>(definition: &'v Value<'t>) -> Option<&'v Value<'t>> {
    definition.pointer(YAML)
}

/// Adds the YAML text of the document to the definition compiled from it, or to a stored text.
///
/// # Errors
/// The text is not JSON.
pub fn with_yaml(text: &str, yaml: &str) -> Result<String, EditError> {
    edit::set(text, YAML, &quote(yaml))
}

/// Returns the part of a stored text that is published: all but the document.
///
/// # Errors
/// The text is not JSON, or was not compiled from a document.
pub fn served(text: &str) -> Result<String, EditError> {
    let served = edit::remove(text, DOCUMENT)?;
    match edit::remove(&served, YAML) {
        Err(EditError::NotFound) => Ok(served),
        without => without,
    }
}

/// Returns the classic form of an API (reference 1.3): everything that is an ordinary member of a definition.
///
/// # Errors
/// The text is not JSON, or was not compiled from a document.
pub fn classic(text: &str) -> Result<String, EditError> {
    edit::remove(text, &format!("/{MEMBER}"))
}

/// Returns the vendor extension of a document, with the name it has there.
#[must_use]
pub fn extension<'v, 't>(document: &'v Value<'t>) -> Option<(&'static str, &'v Value<'t>)> {
    let named = |name| Some((name, document.get(name)?));
    EXTENSIONS.into_iter().find_map(named)
}

/// Updates the versions in a stored document to those of its definition, which have changed (reference 1.3: creating or
/// deleting a version changes its base). A text without a document is returned unchanged.
#[must_use]
pub fn with_versions(text: &str) -> String {
    let Some(patch) = parse(text)
        .ok()
        .and_then(|value| versions_patch(&value, text))
    else {
        return text.to_owned();
    };
    merge::merge(text, &patch).unwrap_or_else(|_| text.to_owned())
}

fn versions_patch(definition: &Value<'_>, text: &str) -> Option<String> {
    kind(definition)?;
    let (extension, _) = extension(definition.pointer(DOCUMENT)?)?;
    let versions = definition.get("definition")?;
    let mut members = Vec::new();
    for name in ["enabled", "name", "default", "location", "key"] {
        if let Some(value) = versions.get(name) {
            members.push(format!("\"{name}\":{}", value.span.of(text)));
        }
    }
    let ids = versions.get("versions").map(Value::members);
    let ids = ids.unwrap_or_default().iter().map(|version| {
        let (name, id) = (quote(&version.name), version.value.span.of(text));
        format!("{{\"name\":{name},\"id\":{id}}}")
    });
    let ids: Vec<String> = ids.collect();
    members.push(format!("\"versions\":[{}]", ids.join(",")));
    Some(format!(
        "{{\"openapi\":{{\"document\":{{\"{extension}\":{{\"info\":{{\"versioning\":{{{}}}}}}}}}}}}}",
        members.join(",")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFINITION: &str =
        r#"{"name": "a", "is_oas": true, "openapi": {"kind": "oas", "mock_response": []}}"#;

    #[test]
    fn a_document_comes_back_byte_by_byte() {
        let sent = "{\"openapi\" : \"3.0.3\",\n \"n\": 1.0}";
        let text = joined(DEFINITION, sent).unwrap();
        assert_eq!(document(&text), Some((DocumentKind::Oas, sent)));
        let proxy = edit::set(&text, "/application_protocol", "\"mcp\"").unwrap();
        assert_eq!(document(&proxy), Some((DocumentKind::Mcp, sent)));
    }

    #[test]
    fn a_document_is_found_however_its_name_is_spelled() {
        let text = r#"{"is_oas":true,"\u006fpenapi":{"document":{}}}"#;
        assert_eq!(document(text), Some((DocumentKind::Oas, "{}")));
        assert_eq!(document(r#"{"is_oas":true,"name":"openapi"}"#), None);
    }

    #[test]
    fn served_and_classic_forms_omit_the_document() {
        let text = joined(DEFINITION, "{}").unwrap();
        assert_eq!(served(&text).unwrap(), DEFINITION);
        assert_eq!(classic(&text).unwrap(), r#"{"name": "a", "is_oas": true}"#);
    }

    #[test]
    fn yaml_text_is_stored_but_not_served() {
        let sent = "# one\na: \"\\t\" # é\n";
        let text = joined(DEFINITION, r#"{"a":"\t"}"#).unwrap();
        assert_eq!(yaml(&text), None);
        let text = with_yaml(&text, sent).unwrap();
        assert_eq!(yaml(&text).as_deref(), Some(sent));
        assert_eq!(document(&text), Some((DocumentKind::Oas, r#"{"a":"\t"}"#)));
        assert_eq!(served(&text).unwrap(), DEFINITION);
        assert_eq!(classic(&text).unwrap(), r#"{"name": "a", "is_oas": true}"#);
        assert_eq!(yaml(&with_yaml(&text, "").unwrap()), None);
        assert_eq!(yaml(r#"{"is_oas":true,"openapi":{"yaml":"a: 1"}}"#), None);
    }

    #[test]
    fn oas_flag_alone_does_not_make_a_document() {
        for text in [
            "{}",
            "[",
            r#"{"is_oas":true}"#,
            r#"{"openapi":{"document":{}}}"#,
            r#"{"is_oas":true,"openapi":{"document":1}}"#,
        ] {
            assert_eq!(document(text), None, "{text}");
        }
    }

    #[test]
    fn document_lists_versions_of_its_definition() {
        let definition =
            r#"{"is_oas":true,"definition":{"enabled":true,"key":"x-v","versions":{"v/2":"b"}}}"#;
        let document = r#"{"x-tyk-api-gateway":{"info":{"versioning":{"versions":[{"name":"old","id":"c"}],"fallbackToDefault":true}}}}"#;
        let text = with_versions(&joined(definition, document).unwrap());
        let (_, told) = super::document(&text).unwrap();
        let told: serde_json::Value = serde_json::from_str(told).unwrap();
        assert_eq!(
            told["x-tyk-api-gateway"]["info"]["versioning"],
            serde_json::json!({"versions": [{"name": "v/2", "id": "b"}], "fallbackToDefault": true,
                "enabled": true, "key": "x-v"})
        );
        assert_eq!(with_versions(definition), definition);
    }
}

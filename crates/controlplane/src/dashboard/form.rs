//! Rulesets as `multipart/form-data` (specification, *Create a ruleset*; reference 1.11): converts the parts that the
//! platform has read to the JSON used everywhere else.

use super::error::{Error, refused};
use super::records::too_large;
use crate::config::DEFINITION_MAX_BYTES;
use gatewright_api::dashboard::message::{EMPTY, MALFORMED};
use gatewright_model::json::{self, edit, quote};
use gatewright_protocol::http::Request;
use serde_json::{Map, Value};

/// The part with the fields of a new ruleset, as JSON.
const METADATA: &str = "metadata";
/// The part with the definition: a file, or a text.
const RULESET: &str = "ruleset";
/// The member that receives the definition.
const DEFINITION: &str = "definition";

/// The text fields of an update; `active` and `categories` have other types.
const TEXTS: [&str; 5] = [
    "name",
    "description",
    "action",
    "resource_type",
    "ruleset_id",
];

/// Whether the body of a request is a form.
pub(super) fn is_form(request: &Request) -> bool {
    let media = request.header("content-type").unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    media.eq_ignore_ascii_case("multipart/form-data")
}

/// Builds the document of a new ruleset: `metadata`, with `ruleset` as its definition.
pub(super) fn created(request: &Request) -> Result<String, Error> {
    let mut metadata = None;
    let mut ruleset = None;
    for (name, text) in parts(request)? {
        let slot = match name.as_str() {
            METADATA => &mut metadata,
            RULESET => &mut ruleset,
            _ => return Err(unknown(name, "metadata and ruleset")),
        };
        once(name, slot, text)?;
    }
    let Some(metadata) = metadata else {
        let text = "The part metadata is missing: it holds the fields of the ruleset as JSON";
        return Err(refused(400, text));
    };
    let Some(ruleset) = ruleset else {
        return Ok(metadata.clone());
    };
    let given = json::parse(metadata).is_ok_and(|value| value.get(DEFINITION).is_some());
    if given {
        let text = "The definition stands in both parts: leave it out of metadata";
        return Err(refused(400, text));
    }
    let document = edit::set(metadata, "/definition", &quote(ruleset));
    // Metadata that is not an object can't hold a definition either; validation reports that with its pointer.
    Ok(document.unwrap_or_else(|_| metadata.clone()))
}

/// Builds the merge patch of an update from the fields that were sent. Other fields stay unchanged.
pub(super) fn updated(request: &Request) -> Result<String, Error> {
    let mut patch = Map::new();
    let mut categories: Option<Vec<Value>> = None;
    for (name, text) in parts(request)? {
        let value = match name.as_str() {
            "categories" => {
                categories.get_or_insert_default().extend(list(text));
                continue;
            }
            "active" => match text.trim() {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => return Err(refused(400, "The field active takes true or false")),
            },
            name if name == RULESET || TEXTS.contains(&name) => Value::from(text.as_str()),
            _ => {
                let known = format!("{}, active, categories and ruleset", TEXTS.join(", "));
                return Err(unknown(name, &known));
            }
        };
        let member = if name == RULESET { DEFINITION } else { name };
        if patch.insert(member.to_owned(), value).is_some() {
            return Err(twice(name));
        }
    }
    if let Some(categories) = categories {
        patch.insert("categories".to_owned(), categories.into());
    }
    Ok(Value::Object(patch).to_string())
}

/// Parses the categories of a field: a JSON array, or texts separated by commas.
fn list(text: &str) -> Vec<Value> {
    match serde_json::from_str(text) {
        Ok(Value::Array(items)) => items,
        _ => text.split(',').map(Value::from).collect(),
    }
}

fn parts(request: &Request) -> Result<&[(String, String)], Error> {
    if request.body.is_empty() {
        return Err(refused(400, EMPTY));
    }
    if request.body.len() > DEFINITION_MAX_BYTES {
        return Err(too_large());
    }
    let parts = request.form.as_deref();
    parts.ok_or_else(|| refused(400, MALFORMED))
}

fn once<'a>(name: &str, slot: &mut Option<&'a String>, text: &'a String) -> Result<(), Error> {
    match slot.replace(text) {
        None => Ok(()),
        Some(_) => Err(twice(name)),
    }
}

fn twice(name: &str) -> Error {
    refused(400, format!("The form has {name} twice"))
}

fn unknown(name: &str, known: &str) -> Error {
    refused(
        400,
        format!("The form has a field {name:?}; known are {known}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(parts: &[(&str, &str)]) -> Request {
        let text = |text: &&str| (*text).to_owned();
        Request {
            headers: vec![(
                "content-type".to_owned(),
                "Multipart/Form-Data; boundary=x".to_owned(),
            )],
            body: vec![1],
            form: Some(parts.iter().map(|(a, b)| (text(a), text(b))).collect()),
            ..Request::default()
        }
    }

    #[test]
    fn metadata_and_ruleset_become_one_document() {
        let both = form(&[
            ("metadata", r#"{"name":"r"}"#),
            ("ruleset", "{\"rules\": {}}"),
        ]);
        assert!(is_form(&both));
        assert_eq!(
            created(&both).unwrap(),
            r#"{"name":"r","definition":"{\"rules\": {}}"}"#
        );
        assert_eq!(created(&form(&[("metadata", "[]")])).unwrap(), "[]");
        for parts in [
            &[("ruleset", "{}")][..],
            &[("metadata", "{}"), ("metadata", "{}")],
            &[("metadata", "{}"), ("org_id", "other")],
            &[("metadata", r#"{"definition":"{}"}"#), ("ruleset", "{}")],
        ] {
            assert!(matches!(
                created(&form(parts)),
                Err(Error::Refused(400, ..))
            ));
        }
    }

    #[test]
    fn fields_become_a_patch() {
        let fields = form(&[
            ("name", "r"),
            ("active", "true"),
            ("categories", "a, b"),
            ("categories", r#"["c"]"#),
            ("ruleset", "{}"),
        ]);
        let patch: Value = serde_json::from_str(&updated(&fields).unwrap()).unwrap();
        let expected = serde_json::json!({
            "name": "r", "active": true, "categories": ["a", " b", "c"], "definition": "{}",
        });
        assert_eq!(patch, expected);
        assert_eq!(updated(&form(&[])).unwrap(), "{}");
        for parts in [
            &[("active", "yes")][..],
            &[("name", "a"), ("name", "b")],
            &[("owner", "me")],
        ] {
            assert!(updated(&form(parts)).is_err(), "{parts:?}");
        }
    }

    #[test]
    fn rejects_body_that_is_not_a_form() {
        let broken = Request {
            form: None,
            ..form(&[])
        };
        assert!(matches!(created(&broken), Err(Error::Refused(400, ..))));
        let long = Request {
            body: vec![b'x'; DEFINITION_MAX_BYTES + 1],
            ..form(&[])
        };
        assert!(matches!(updated(&long), Err(Error::Refused(413, ..))));
    }
}

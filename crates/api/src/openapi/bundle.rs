//! Makes OpenAPI documents self-contained: client generators don't follow references to other addresses, and treat a
//! member with a default as required.

use gatewright_model::schema::json_schema;
use gatewright_model::shape::Root;
use serde_json::{Map, Value, json};

/// The path of the schemas in an OpenAPI document.
const COMPONENTS: &str = "#/components/schemas/";
/// The path of the schemas in the JSON Schema of a kind of document.
const DEFINITIONS: &str = "#/$defs/";

/// Returns the schemas of a document together with the types of the data model that they refer to
/// (`schemas/{root}.json`). Schemas that are only aliases of such a type are removed; the second value lists what
/// replaces them, for [`rename`].
pub(super) fn bundled(schemas: &Value) -> (Map<String, Value>, Vec<(String, String)>) {
    let mut all = schemas.as_object().cloned().unwrap_or_default();
    let text = schemas.to_string();
    let mut renamed = Vec::new();
    for root in Root::ALL {
        let address = format!("schemas/{}.json", root.word());
        if !text.contains(&format!("\"{address}\"")) {
            continue;
        }
        let schema: Value = serde_json::from_str(&json_schema(root)).unwrap_or_default();
        let target = schema
            .get("$ref")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let target = target.replacen(DEFINITIONS, COMPONENTS, 1);
        let alias = |schema: &Value| schema.get("$ref") == Some(&json!(address));
        let aliases = all.iter().filter(|(_, schema)| alias(schema));
        for name in aliases.map(|(name, _)| name.clone()).collect::<Vec<_>>() {
            all.remove(&name);
            renamed.push((format!("{COMPONENTS}{name}"), target.clone()));
        }
        renamed.push((address, target));
        let types = schema
            .get("$defs")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        all.extend(types.into_iter().map(|(name, of)| (name, component(of))));
    }
    (all, renamed)
}

/// Replaces the references in a document by what their targets were renamed to.
pub(super) fn rename(value: Value, renamed: &[(String, String)]) -> Value {
    match value {
        Value::Object(members) => {
            let member = |(name, value): (String, Value)| match value.as_str() {
                Some(target) if name == "$ref" => {
                    let to = renamed.iter().find(|(from, _)| from == target);
                    let to = to.map_or(target, |(_, to)| to.as_str());
                    (name, json!(to))
                }
                _ => (name, rename(value, renamed)),
            };
            Value::Object(members.into_iter().map(member).collect())
        }
        Value::Array(items) => {
            let items = items.into_iter().map(|item| rename(item, renamed));
            Value::Array(items.collect())
        }
        other => other,
    }
}

/// Converts a schema of the data model to a component.
fn component(schema: Value) -> Value {
    match schema {
        Value::Object(members) => Value::Object(component_members(members)),
        Value::Array(items) => Value::Array(items.into_iter().map(component).collect()),
        Value::String(text) => json!(text.replacen(DEFINITIONS, COMPONENTS, 1)),
        other => other,
    }
}

fn component_members(mut members: Map<String, Value>) -> Map<String, Value> {
    let is_schema = members.contains_key("type");
    if let Some(default) = members.remove("default").filter(|_| is_schema) {
        let text = members.get("description").and_then(Value::as_str);
        let text = format!("{}. Default: {default}", text.unwrap_or_default());
        members.insert("description".to_owned(), json!(text));
    }
    let object = json!("object");
    let may_be_object = match members.get("type") {
        Some(Value::Array(types)) => types.contains(&object),
        of => of == Some(&object),
    };
    let says_members = |name| members.contains_key(name);
    if may_be_object
        && !["properties", "additionalProperties"]
            .into_iter()
            .any(says_members)
    {
        members.insert("additionalProperties".to_owned(), json!(true));
    }
    let members = members.into_iter();
    members
        .map(|(name, value)| (name, component(value)))
        .collect()
}

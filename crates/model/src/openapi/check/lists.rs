//! Schemas of OpenAPI 3.0: an array schema must have `items`. 3.1 doesn't require that.

use super::Input;
use super::refusal::{Reason, Refused, Text, one};
use crate::issue::IssueCode;
use crate::json::pointer::Path;
use crate::json::{Member, Value};
use crate::order::order;
use crate::shape::oas::Version;

const NO_ITEMS: &str = "when schema type is 'array', schema 'items' must be non-null";

/// Members that hold one schema, a list of schemas, or a map of them.
const ONE: [&str; 3] = ["not", "items", "additionalProperties"];
const SEVERAL: [&str; 3] = ["oneOf", "anyOf", "allOf"];

/// Checks the schemas of the components, in the order of their names.
pub(super) fn components(input: &Input<'_>) -> Result<(), Refused> {
    let schemas = input.document.pointer("/components/schemas");
    let schemas = schemas.map(Value::members).unwrap_or_default();
    let name = |at: usize| schemas.get(at).map(|schema| &*schema.name);
    let root = Path::Root;
    let path = root.member("components");
    let path = path.member("schemas");
    for at in order(schemas.len(), &mut |a, b| name(a).cmp(&name(b))) {
        let Some(schema) = schemas.get(at) else {
            continue;
        };
        let before = || {
            Text::new("invalid components: schema ")
                .quoted(&schema.name)
                .and(": ")
        };
        check(input, &schema.value, &path.member(&schema.name), &before)?;
    }
    Ok(())
}

/// Checks the schemas of an operation's requests and responses.
pub(super) fn operation(
    input: &Input<'_>,
    operation: &Value<'_>,
    path: &Path<'_>,
    before: &dyn Fn() -> Text,
) -> Result<(), Refused> {
    let parameters = operation
        .get("parameters")
        .map(Value::items)
        .unwrap_or_default();
    let all = path.member("parameters");
    for (index, parameter) in parameters.iter().enumerate() {
        let Some(schema) = parameter.get("schema") else {
            continue;
        };
        let name = parameter.str("name").unwrap_or_default();
        let before = || {
            before()
                .and("parameter ")
                .quoted(name)
                .and(" schema is invalid: ")
        };
        let path = all.element(index);
        check(input, schema, &path.member("schema"), &before)?;
    }
    if let Some(body) = operation.get("requestBody") {
        content(input, body, &path.member("requestBody"), before)?;
    }
    let responses = operation
        .get("responses")
        .map(Value::members)
        .unwrap_or_default();
    let path = path.member("responses");
    for response in responses {
        content(input, &response.value, &path.member(&response.name), before)?;
    }
    Ok(())
}

fn content(
    input: &Input<'_>,
    of: &Value<'_>,
    path: &Path<'_>,
    before: &dyn Fn() -> Text,
) -> Result<(), Refused> {
    let path = path.member("content");
    for media in of.get("content").map(Value::members).unwrap_or_default() {
        if let Some(schema) = media.value.get("schema") {
            let path = path.member(&media.name);
            check(input, schema, &path.member("schema"), before)?;
        }
    }
    Ok(())
}

/// Checks a schema and its subschemas. References lead to the components, which are checked by themselves.
fn check(
    input: &Input<'_>,
    schema: &Value<'_>,
    path: &Path<'_>,
    before: &dyn Fn() -> Text,
) -> Result<(), Refused> {
    if input.version != Version::V3_0 || schema.get("$ref").is_some() {
        return Ok(());
    }
    if schema.str("type") == Some("array") && schema.get("items").is_none() {
        let remedy = "say in \"items\" what the elements are; {} stands for anything";
        let reason = Reason::new(IssueCode::Required, remedy);
        let message = before().and(NO_ITEMS).0;
        return Err(one(input.text, &message, schema, path, reason));
    }
    for name in ONE {
        if let Some(inner) = schema.get(name) {
            check(input, inner, &path.member(name), before)?;
        }
    }
    for name in SEVERAL {
        let all = path.member(name);
        let schemas = schema.get(name).map(Value::items).unwrap_or_default();
        for (index, inner) in schemas.iter().enumerate() {
            check(input, inner, &all.element(index), before)?;
        }
    }
    let all = path.member("properties");
    let properties: &[Member<'_>] = schema
        .get("properties")
        .map(Value::members)
        .unwrap_or_default();
    for property in properties {
        check(input, &property.value, &all.member(&property.name), before)?;
    }
    Ok(())
}

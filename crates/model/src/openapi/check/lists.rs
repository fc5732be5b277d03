//! Components and schemas: a component has a plain name, and an array schema of OpenAPI 3.0 has `items`.

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

/// The kinds of components in the order in which they are checked, and what messages call them.
const KINDS: [(&str, &str); 9] = [
    ("schemas", "schema"),
    ("parameters", "parameter"),
    ("requestBodies", "request body"),
    ("responses", "response"),
    ("headers", "header"),
    ("securitySchemes", "security scheme"),
    ("examples", "example"),
    ("links", "link"),
    ("callbacks", "callback"),
];

/// Checks the components of each kind in the order of their names.
pub(super) fn components(input: &Input<'_>) -> Result<(), Refused> {
    let root = Path::Root;
    let path = root.member("components");
    for (kind, called) in KINDS {
        let components = input.document.get("components");
        let components = components.and_then(|components| components.get(kind));
        let components = components.map(Value::members).unwrap_or_default();
        let name = |at: usize| components.get(at).map(|component| &*component.name);
        let path = path.member(kind);
        for at in order(components.len(), &mut |a, b| name(a).cmp(&name(b))) {
            let Some(component) = components.get(at) else {
                continue;
            };
            let before = || {
                let text = Text::new("invalid components: ").and(called);
                text.and(" ").quoted(&component.name).and(": ")
            };
            let path = path.member(&component.name);
            named(input, component, &path, &before)?;
            if kind == "schemas" {
                check(input, &component.value, &path, &before)?;
            }
        }
    }
    Ok(())
}

/// Refuses a component whose name has characters that references can't have.
fn named(
    input: &Input<'_>,
    component: &Member<'_>,
    path: &Path<'_>,
    before: &dyn Fn() -> Text,
) -> Result<(), Refused> {
    let name = &*component.name;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if !name.is_empty() && name.bytes().all(is_plain) {
        return Ok(());
    }
    let text = before().and("identifier ").quoted(name);
    let text = text.and(" is not supported by OpenAPIv3 standard (charset: [\"a-zA-Z0-9._-\"])");
    let remedy = "rename it; names of components have only letters, digits, \".\", \"_\" and \"-\"";
    let reason = Reason::new(IssueCode::Format, remedy);
    Err(one(input.text, &text.0, &component.value, path, reason))
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

//! What is defined as a component or where it is used: parameters, bodies, responses, headers, links and schemas.

use super::Input;
use super::refusal::{Reason, Refused, Text, one};
use crate::issue::IssueCode;
use crate::json::Value;
use crate::json::pointer::Path;
use crate::shape::oas::Version;

/// What the texts about a part of the document begin with.
pub(super) type Before<'b> = dyn Fn() -> Text + 'b;

/// A check of a part at this path.
type Check = fn(&Input<'_>, &Value<'_>, &Path<'_>, &Before<'_>) -> Result<(), Refused>;

const NOT_EXPLODED: &str = "serialization method with style=\"deepObject\" and explode=false is not supported by a query parameter";
const ONE_ENTRY: &str = "parameter content must only contain one entry";
const BOTH_ONLY: &str = "a property MUST NOT be marked as both readOnly and writeOnly being true";
const NO_ITEMS: &str = "when schema type is 'array', schema 'items' must be non-null";

/// Members that hold one schema, a list of schemas, or a map of them.
const ONE: [&str; 3] = ["not", "items", "additionalProperties"];
const SEVERAL: [&str; 3] = ["oneOf", "anyOf", "allOf"];

/// Checks the parameters, the body and the responses of an operation.
pub(super) fn operation(
    input: &Input<'_>,
    operation: &Value<'_>,
    path: &Path<'_>,
    before: &Before<'_>,
) -> Result<(), Refused> {
    parameters(input, operation, path, before)?;
    if let Some(body) = operation.get("requestBody") {
        content(input, body, &path.member("requestBody"), before)?;
    }
    each(input, (operation, "responses"), path, before, response)
}

/// Checks the parameters of an operation or of a path.
pub(super) fn parameters(
    input: &Input<'_>,
    of: &Value<'_>,
    path: &Path<'_>,
    before: &Before<'_>,
) -> Result<(), Refused> {
    let all = path.member("parameters");
    let parameters = of.get("parameters").map(Value::items).unwrap_or_default();
    for (index, value) in parameters.iter().enumerate() {
        parameter(input, value, &all.element(index), before)?;
    }
    Ok(())
}

pub(super) fn parameter(
    input: &Input<'_>,
    parameter: &Value<'_>,
    path: &Path<'_>,
    before: &Before<'_>,
) -> Result<(), Refused> {
    let name = parameter.str("name").unwrap_or_default();
    let part = |part: &str| before().and("parameter ").quoted(name).and(part);
    let schema = || part(" schema is invalid: ");
    let content = || part(" content is invalid: ");
    if parameter.str("style") == Some("deepObject")
        && let Some(explode) = parameter.get("explode")
        && explode.as_bool() == Some(false)
    {
        let remedy = "remove it; in this style each member of the object is a parameter of its own";
        let reason = Reason::new(IssueCode::Format, remedy);
        let message = schema().and(NOT_EXPLODED).0;
        let path = &path.member("explode");
        return Err(one(input.text, &message, explode, path, reason));
    }
    in_header_or_parameter(input, parameter, path, [&schema, &content])?;
    if let Some(types) = parameter.get("content")
        && types.members().len() > 1
    {
        let remedy = "keep one media type; it says how the value is written";
        let reason = Reason::new(IssueCode::Format, remedy);
        let message = content().and(ONE_ENTRY).0;
        let path = &path.member("content");
        return Err(one(input.text, &message, types, path, reason));
    }
    Ok(())
}

pub(super) fn response(
    input: &Input<'_>,
    response: &Value<'_>,
    path: &Path<'_>,
    before: &Before<'_>,
) -> Result<(), Refused> {
    content(input, response, path, before)?;
    each(input, (response, "headers"), path, before, header)?;
    each(input, (response, "links"), path, before, link)
}

pub(super) fn header(
    input: &Input<'_>,
    header: &Value<'_>,
    path: &Path<'_>,
    before: &Before<'_>,
) -> Result<(), Refused> {
    let schema = || before().and("header schema is invalid: ");
    let content = || before().and("header content is invalid: ");
    in_header_or_parameter(input, header, path, [&schema, &content])
}

/// Checks the schemas of a header or a parameter, with what messages about each begin with.
fn in_header_or_parameter(
    input: &Input<'_>,
    of: &Value<'_>,
    path: &Path<'_>,
    [before_schema, before_content]: [&Before<'_>; 2],
) -> Result<(), Refused> {
    own_schema(input, of, path, before_schema)?;
    content(input, of, path, before_content)
}

/// Refuses a link that names no operation, or names it twice.
pub(super) fn link(
    input: &Input<'_>,
    link: &Value<'_>,
    path: &Path<'_>,
    before: &Before<'_>,
) -> Result<(), Refused> {
    if link.get("$ref").is_some() {
        return Ok(());
    }
    let named = |name| link.str(name).filter(|text| !text.is_empty());
    let (message, code) = match (named("operationId"), named("operationRef")) {
        (None, None) => (
            before().and("missing operationId or operationRef on link"),
            IssueCode::Required,
        ),
        (Some(id), Some(reference)) => {
            let text = before().and("operationId ").quoted(id);
            let text = text.and(" and operationRef ").quoted(reference);
            (text.and(" are mutually exclusive"), IssueCode::Format)
        }
        _ => return Ok(()),
    };
    let remedy =
        "name the operation that it leads to, by either \"operationId\" or \"operationRef\"";
    let reason = Reason::new(code, remedy);
    Err(one(input.text, &message.0, link, path, reason))
}

/// Refuses an example that is both in the document and elsewhere.
pub(super) fn example(
    input: &Input<'_>,
    example: &Value<'_>,
    path: &Path<'_>,
    before: &Before<'_>,
) -> Result<(), Refused> {
    if example.get("value").is_none() || example.get("externalValue").is_none() {
        return Ok(());
    }
    let reason = Reason::new(IssueCode::Format, "keep one of the two");
    let message = before()
        .and("value and externalValue are mutually exclusive")
        .0;
    Err(one(input.text, &message, example, path, reason))
}

/// Checks the schemas in the media types of a body, a header or a parameter.
pub(super) fn content(
    input: &Input<'_>,
    of: &Value<'_>,
    path: &Path<'_>,
    before: &Before<'_>,
) -> Result<(), Refused> {
    each(input, (of, "content"), path, before, own_schema)
}

/// Checks the schema that a part has, if any.
fn own_schema(
    input: &Input<'_>,
    of: &Value<'_>,
    path: &Path<'_>,
    before: &Before<'_>,
) -> Result<(), Refused> {
    match of.get("schema") {
        Some(value) => schema(input, value, &path.member("schema"), before),
        None => Ok(()),
    }
}

/// Checks each member of the object with this name in a part.
fn each(
    input: &Input<'_>,
    (of, name): (&Value<'_>, &str),
    path: &Path<'_>,
    before: &Before<'_>,
    check: Check,
) -> Result<(), Refused> {
    let path = path.member(name);
    let members = of.get(name).map(Value::members).unwrap_or_default();
    for member in members {
        check(input, &member.value, &path.member(&member.name), before)?;
    }
    Ok(())
}

/// Checks a schema and its subschemas. References lead to the components, which are checked by themselves.
pub(super) fn schema(
    input: &Input<'_>,
    of: &Value<'_>,
    path: &Path<'_>,
    before: &Before<'_>,
) -> Result<(), Refused> {
    if input.version != Version::V3_0 || of.get("$ref").is_some() {
        return Ok(());
    }
    if let Some((text, remedy, code)) = problem(of) {
        let message = before().and(text).0;
        let reason = Reason::new(code, remedy);
        return Err(one(input.text, &message, of, path, reason));
    }
    for name in ONE {
        if let Some(inner) = of.get(name) {
            schema(input, inner, &path.member(name), before)?;
        }
    }
    for name in SEVERAL {
        let all = path.member(name);
        let schemas = of.get(name).map(Value::items).unwrap_or_default();
        for (index, inner) in schemas.iter().enumerate() {
            schema(input, inner, &all.element(index), before)?;
        }
    }
    each(input, (of, "properties"), path, before, schema)
}

/// Returns what is wrong with a schema itself, and the remedy, if anything.
fn problem(of: &Value<'_>) -> Option<(&'static str, &'static str, IssueCode)> {
    let is_set = |name| of.bool(name) == Some(true);
    if is_set("readOnly") && is_set("writeOnly") {
        let remedy = "keep one of \"readOnly\" and \"writeOnly\"; with both, nobody may send it";
        return Some((BOTH_ONLY, remedy, IssueCode::Format));
    }
    if of.str("type") == Some("array") && of.get("items").is_none() {
        let remedy = "say in \"items\" what the elements are; {} stands for anything";
        return Some((NO_ITEMS, remedy, IssueCode::Required));
    }
    None
}

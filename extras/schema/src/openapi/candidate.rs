//! Chooses among operations whose paths differ only in the parameter (reference 3.14, *which operation*).
//!
//! As in the reference, only some keywords distinguish them. The others are checked once the operation is chosen, so
//! what they find is reported as its problem.

use super::formats;
use super::json::Json;
use super::schema::{Schemas, types};
use super::values;

/// Whether a request has a text for a path parameter that its schema may be meant for.
pub(super) fn fits(schemas: &Schemas, parameter: &Json, path: &[(String, String)]) -> bool {
    let Some(schema) = parameter.get("schema") else {
        return true;
    };
    let schema = schemas.resolved(schema).unwrap_or(schema);
    let name = parameter.text("name").unwrap_or_default();
    let Some((_, text)) = path.iter().find(|(known, _)| known == name) else {
        return false;
    };
    is_of_type(schema, text)
        && is_of_length(schema, text)
        && is_listed(schema, text)
        && has_format(schema.text("format").unwrap_or_default(), text)
        && has_pattern(schemas, schema, text)
}

fn is_of_type(schema: &Json, text: &str) -> bool {
    match types(schema).as_slice() {
        // As in the reference, the range of a format doesn't count yet.
        ["integer"] => text.parse::<i64>().is_ok(),
        [kind @ ("number" | "boolean")] => values::of_kind(kind, schema, text).is_ok(),
        _ => true,
    }
}

/// Whether a text has the permitted number of bytes, which is what the reference counts here.
fn is_of_length(schema: &Json, text: &str) -> bool {
    let is_long = schema
        .count("minLength")
        .is_none_or(|least| text.len() >= least);
    let most = schema.get("maxLength").map(Json::json);
    let most = most.and_then(|most| most.parse::<usize>().ok());
    is_long && most.is_none_or(|most| text.len() <= most)
}

fn is_listed(schema: &Json, text: &str) -> bool {
    let list = schema.list("enum");
    list.is_empty() || list.iter().any(|known| known.plain() == text)
}

fn has_format(format: &str, text: &str) -> bool {
    match format {
        "date" | "date-time" => formats::problem(format, text).is_none(),
        "email" => text.contains('@'),
        "uuid" => crate::formats::fits(format, text),
        _ => true,
    }
}

fn has_pattern(schemas: &Schemas, schema: &Json, text: &str) -> bool {
    let pattern = schema.text("pattern").filter(|pattern| !pattern.is_empty());
    pattern.is_none_or(|pattern| {
        let compiled = schemas.expression(pattern);
        compiled.is_some_and(|compiled| compiled.is_match(text))
    })
}

//! Keywords that don't look inside values.

use super::Found;
use crate::canonical::canonical;
use crate::formats::fits;
use crate::number::{Number, is_integer};
use crate::place::Place;
use crate::schema::Node;
use gatewright_model::json::{Kind, Value};
use std::cmp::Ordering;

/// Returns the type of a value, if a schema requires a different one.
pub(super) fn wrong_type(node: &Node, value: &Value<'_>) -> Option<&'static str> {
    if node.types.is_empty() {
        return None;
    }
    let is = |name: &str| node.types.iter().any(|wanted| wanted == name);
    let given = match &value.kind {
        Kind::Null => "null",
        Kind::Bool(_) => "boolean",
        Kind::String(_) => "string",
        Kind::Array(_) => "array",
        Kind::Object(_) => "object",
        Kind::Number(_) if is("number") => return None,
        Kind::Number(text) if is_integer(text) => "integer",
        Kind::Number(_) => "number",
    };
    // The case of a number with a fraction is handled above.
    (!is(given)).then_some(given)
}

pub(super) fn common(node: &Node, value: &Value<'_>, place: &Place<'_>, found: &mut Found) {
    if node.constant.is_some() || node.values.is_some() {
        let text = canonical(value);
        if let Some(constant) = node.constant.as_ref().filter(|constant| **constant != text) {
            found.report(place, format_args!("{place} does not match: {constant}"));
        }
        if let Some(values) = node
            .values
            .as_ref()
            .filter(|values| !values.contains(&text))
        {
            let values = values.join(", ");
            found.report(
                place,
                format_args!("{place} must be one of the following: {values}"),
            );
        }
    }
    if let (Some(format), Kind::String(text)) = (&node.format, &value.kind)
        && !fits(format, text)
    {
        found.report(place, format_args!("Does not match format '{format}'"));
    }
    found.passed();
}

pub(super) fn number(node: &Node, text: &str, place: &Place<'_>, found: &mut Found) {
    let limits = [
        &node.multiple_of,
        &node.maximum,
        &node.below,
        &node.minimum,
        &node.above,
    ];
    if limits.iter().any(|limit| limit.is_some()) {
        compare(node, &Number::read(text), place, found);
    }
    found.passed();
}

fn compare(node: &Node, number: &Number, place: &Place<'_>, found: &mut Found) {
    if let Some(divisor) = node
        .multiple_of
        .as_ref()
        .filter(|divisor| !number.is_multiple_of(divisor))
    {
        found.report(
            place,
            format_args!("Must be a multiple of {}", divisor.shortest()),
        );
    }
    let limits = [
        (
            &node.maximum,
            "less than or equal to",
            [Ordering::Less, Ordering::Equal],
        ),
        (&node.below, "less than", [Ordering::Less; 2]),
        (
            &node.minimum,
            "greater than or equal to",
            [Ordering::Greater, Ordering::Equal],
        ),
        (&node.above, "greater than", [Ordering::Greater; 2]),
    ];
    for (limit, words, allowed) in limits {
        if let Some(limit) = limit
            .as_ref()
            .filter(|limit| !allowed.contains(&number.compare(limit)))
        {
            found.report(place, format_args!("Must be {words} {}", limit.shortest()));
        }
    }
}

pub(super) fn string(node: &Node, text: &str, place: &Place<'_>, found: &mut Found) {
    if node.min_length.is_some() || node.max_length.is_some() {
        let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        if let Some(least) = node.min_length.filter(|least| length < *least) {
            found.report(
                place,
                format_args!("String length must be greater than or equal to {least}"),
            );
        }
        if let Some(most) = node.max_length.filter(|most| length > *most) {
            found.report(
                place,
                format_args!("String length must be less than or equal to {most}"),
            );
        }
    }
    if let Some(pattern) = node
        .pattern
        .as_ref()
        .filter(|pattern| !pattern.compiled.is_match(text))
    {
        found.report(
            place,
            format_args!("Does not match pattern '{}'", pattern.text),
        );
    }
    found.passed();
}

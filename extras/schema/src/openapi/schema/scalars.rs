//! Strings and numbers.

use super::super::formats;
use super::{Checked, Node, Run, wrong};
use crate::number::{Number, is_integer};
use std::cmp::Ordering;

impl Run<'_> {
    pub(super) fn string(&self, schema: &Node, text: &str) -> Checked {
        if !schema.types.permit("string") {
            return Err(schema.types.expected());
        }
        let length = match (schema.min_length, schema.max_length) {
            (None, None) => 0,
            _ => text.chars().count(),
        };
        if let Some(least) = schema.min_length.filter(|least| length < *least) {
            return wrong(format!("minimum string length is {least}"));
        }
        if let Some(most) = schema.max_length.filter(|most| length > *most) {
            return wrong(format!("maximum string length is {most}"));
        }
        if let Some(pattern) = &schema.pattern {
            let Some(compiled) = self.schemas.expression(pattern) else {
                return wrong(format!("cannot compile pattern \"{pattern}\""));
            };
            if !compiled.is_match(text) {
                return wrong(format!(
                    "string doesn't match the regular expression \"{pattern}\""
                ));
            }
        }
        let format = &schema.format;
        match formats::problem(format, text) {
            Some(why) => wrong(format!(
                "string doesn't match the format \"{format}\": {why}"
            )),
            None => Ok(()),
        }
    }
}

pub(super) fn number(schema: &Node, text: &str) -> Checked {
    let is_number = schema.types.permit("number");
    if schema.types.permit("integer") && !is_number {
        if !is_integer(text) {
            return wrong("value must be an integer");
        }
    } else if !is_number {
        return Err(schema.types.expected());
    }
    match schema.compares() {
        true => compare(schema, &Number::read(text)),
        false => Ok(()),
    }
}

fn compare(schema: &Node, value: &Number) -> Checked {
    if let Some((low, high)) = &schema.range
        && (value.compare(low) == Ordering::Less || value.compare(high) == Ordering::Greater)
    {
        let format = &schema.format;
        let (least, most) = formats::range(format).unwrap_or_default();
        return wrong(format!(
            "integer doesn't match the format \"{format}\": value should be between {least} and {most}"
        ));
    }
    let fails = |limit: &Option<Number>, allowed: [Ordering; 2], words: &str| {
        let limit = limit.as_ref()?;
        let is_allowed = allowed.contains(&value.compare(limit));
        (!is_allowed).then(|| format!("number must be {words} {}", limit.shortest()))
    };
    let (less, equal, greater) = (Ordering::Less, Ordering::Equal, Ordering::Greater);
    let problem = fails(&schema.exclusive_minimum, [greater; 2], "more than")
        .or_else(|| fails(&schema.exclusive_maximum, [less; 2], "less than"))
        .or_else(|| fails(&schema.minimum, [equal, greater], "at least"))
        .or_else(|| fails(&schema.maximum, [equal, less], "at most"));
    if let Some(problem) = problem {
        return wrong(problem);
    }
    match &schema.multiple_of {
        Some(divisor) if !value.is_multiple_of(divisor) => wrong(format!(
            "number must be a multiple of {}",
            divisor.shortest()
        )),
        _ => Ok(()),
    }
}

//! Strings and numbers.

use super::super::formats;
use super::super::json::Json;
use super::{Checked, Run, expected_type, limit, permits, wrong};
use crate::number::Number;
use std::cmp::Ordering;

impl Run<'_> {
    pub(super) fn string(&self, schema: &Json, text: &str) -> Checked {
        if !permits(schema, "string") {
            return Err(expected_type(schema));
        }
        let length = text.chars().count();
        if let Some(least) = schema.count("minLength").filter(|least| length < *least) {
            return wrong(format!("minimum string length is {least}"));
        }
        if let Some(most) = limit(schema, "maxLength").filter(|most| length > *most) {
            return wrong(format!("maximum string length is {most}"));
        }
        if let Some(pattern) = schema.text("pattern").filter(|text| !text.is_empty()) {
            let Some(compiled) = self.schemas.expression(pattern) else {
                return wrong(format!("cannot compile pattern \"{pattern}\""));
            };
            if !compiled.is_match(text) {
                return wrong(format!(
                    "string doesn't match the regular expression \"{pattern}\""
                ));
            }
        }
        let format = schema.text("format").unwrap_or_default();
        match formats::problem(format, text) {
            Some(why) => wrong(format!(
                "string doesn't match the format \"{format}\": {why}"
            )),
            None => Ok(()),
        }
    }
}

pub(super) fn number(schema: &Json, text: &str) -> Checked {
    let value = Number::read(text);
    let is_number = permits(schema, "number");
    if permits(schema, "integer") && !is_number {
        if !value.is_integer() {
            return wrong("value must be an integer");
        }
    } else if !is_number {
        return Err(expected_type(schema));
    }
    let format = schema.text("format").unwrap_or_default();
    if let Some((least, most)) = formats::range(format).filter(|_| !is_number) {
        let (low, high) = (Number::read(least), Number::read(most));
        if value.compare(&low) == Ordering::Less || value.compare(&high) == Ordering::Greater {
            return wrong(format!(
                "integer doesn't match the format \"{format}\": value should be between {least} and {most}"
            ));
        }
    }
    let minimum = schema.number("minimum");
    let maximum = schema.number("maximum");
    // In OpenAPI 3.0, these are flags of the other limit.
    let above = schema.number("exclusiveMinimum");
    let above = above.or_else(|| minimum.clone().filter(|_| schema.is_on("exclusiveMinimum")));
    let below = schema.number("exclusiveMaximum");
    let below = below.or_else(|| maximum.clone().filter(|_| schema.is_on("exclusiveMaximum")));
    if let Some(above) = above.filter(|above| value.compare(above) != Ordering::Greater) {
        return wrong(format!("number must be more than {}", above.shortest()));
    }
    if let Some(below) = below.filter(|below| value.compare(below) != Ordering::Less) {
        return wrong(format!("number must be less than {}", below.shortest()));
    }
    if let Some(minimum) = minimum.filter(|least| value.compare(least) == Ordering::Less) {
        return wrong(format!("number must be at least {}", minimum.shortest()));
    }
    if let Some(maximum) = maximum.filter(|most| value.compare(most) == Ordering::Greater) {
        return wrong(format!("number must be at most {}", maximum.shortest()));
    }
    let divisor = schema.number("multipleOf");
    match divisor.filter(|divisor| !value.is_multiple_of(divisor)) {
        Some(divisor) => wrong(format!(
            "number must be a multiple of {}",
            divisor.shortest()
        )),
        None => Ok(()),
    }
}

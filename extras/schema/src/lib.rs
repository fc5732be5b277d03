//! Extra module `schema`: JSON Schema over JSON bodies, drafts 4, 6, 7, 2019-09 and 2020-12.
//!
//! The promise: messages have the words and the order of the reference (3.14), numbers are exact whatever their size,
//! nothing is fetched, and the work per body is limited.

mod canonical;
mod categories;
mod formats;
mod number;
mod openapi;
mod pattern;
mod place;
mod schema;
mod text;
mod validate;

pub use schema::Schema;
pub use validate::{Verdict, validate};

use gatewright_model::compiled::Compiled;
use gatewright_model::json::quote;
use openapi::Rules;
use std::cell::RefCell;
use wasm_bindgen::prelude::wasm_bindgen;

const TOO_MUCH: &str = "(root): the body asks for too much work, or is nested too deep";

thread_local! {
    static SCHEMAS: RefCell<Compiled<Result<Schema, String>>> = RefCell::default();
    static RULES: RefCell<Compiled<Result<Rules, String>>> = RefCell::default();
}

/// Calls a function. `validate` checks the body against the schema in the settings, and returns a report: `{}`,
/// `{"unreadable":why}` if the body isn't JSON, `{"violations":text}`, or `{"broken":why}` if the schema is invalid.
/// `check` only checks the schema: `{}` or `{"broken":why}`. `request` validates a request against its operation, and
/// `operation` reports which operation it is for ([`openapi`]).
#[wasm_bindgen]
#[must_use]
pub fn call(function: &str, settings: &str, facts: &str, body: &[u8]) -> Vec<String> {
    if matches!(function, "request" | "operation") {
        return of_operation(function, settings, facts, body);
    }
    let schema = SCHEMAS.with_borrow_mut(|known| known.get(settings, Schema::compile));
    let report = match (schema.as_ref(), function) {
        (Err(why), _) => report("broken", why),
        (Ok(_), "check") => "{}".to_owned(),
        (Ok(schema), "validate") => check_body(schema, body),
        _ => report("broken", "there is no such function"),
    };
    vec![report]
}

/// Returns the size of the instance's memory, in bytes.
#[wasm_bindgen(js_name = memoryBytes)]
#[must_use]
pub fn memory_bytes() -> usize {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size::<0>().saturating_mul(65_536);
    #[cfg(not(target_arch = "wasm32"))]
    0
}

fn report(what: &str, why: &str) -> String {
    format!("{{\"{what}\":{}}}", quote(why))
}

/// Joins the violations into one text.
fn violated(violations: &[String]) -> String {
    report("violations", &violations.join("; "))
}

fn check_body(schema: &Schema, body: &[u8]) -> String {
    let text = match text::read(body) {
        Ok(text) => text,
        Err(why) => return report("unreadable", &why),
    };
    match text::value(text) {
        Err(why) => report("unreadable", &why),
        Ok(value) => match validate(schema, &value) {
            Verdict::Fits => "{}".to_owned(),
            Verdict::Violates(violations) => violated(&violations),
            Verdict::TooMuch => violated(&[TOO_MUCH.to_owned()]),
        },
    }
}

fn of_operation(function: &str, settings: &str, facts: &str, body: &[u8]) -> Vec<String> {
    let rules = RULES.with_borrow_mut(|known| known.get(settings, Rules::compile));
    let rules = match rules.as_ref() {
        Ok(rules) => rules,
        Err(why) => return vec![report("broken", why)],
    };
    if function == "operation" {
        return vec![rules.choose(facts)];
    }
    let outcome = rules.check(facts, body);
    std::iter::once(outcome.report)
        .chain(outcome.body)
        .collect()
}

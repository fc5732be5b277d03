//! Extra module `schema`: JSON Schema over JSON bodies, drafts 4, 6, 7, 2019-09 and 2020-12.
//!
//! The promise: what is said about a body is in the words and the order of the reference (3.14), numbers are
//! exact whatever their size, nothing is fetched, and each body has a bound on what it may ask for.

mod canonical;
mod formats;
mod number;
mod place;
mod schema;
mod text;
mod validate;

pub use schema::Schema;
pub use validate::{Verdict, validate};

use gatewright_model::json::quote;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

/// How many schemas an instance keeps compiled.
const KEPT: usize = 64;

const TOO_MUCH: &str = "(root): the body asks for too much work, or is nested too deep";

type Compiled = Rc<Result<Schema, String>>;

thread_local! {
    static COMPILED: RefCell<HashMap<String, Compiled>> = RefCell::default();
}

/// Calls a function. `validate` holds the body against the schema that the settings are, and answers a report:
/// `{}`, `{"unreadable":why}` for what is not JSON, `{"violations":text,"list":[text]}`, or `{"broken":why}` for a schema that
/// is none. `check` answers what is wrong with the schema: `{}` or `{"broken":why}`.
#[wasm_bindgen]
#[must_use]
pub fn call(function: &str, settings: &str, _facts: &str, body: &[u8]) -> Vec<String> {
    let compiled = compiled(settings);
    let report = match (compiled.as_ref(), function) {
        (Err(why), _) => told("broken", why),
        (Ok(_), "check") => "{}".to_owned(),
        (Ok(schema), "validate") => held(schema, body),
        _ => told("broken", "there is no such function"),
    };
    vec![report]
}

/// How large the memory of the instance is.
#[wasm_bindgen(js_name = memoryBytes)]
#[must_use]
pub fn memory_bytes() -> usize {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size::<0>().saturating_mul(65_536);
    #[cfg(not(target_arch = "wasm32"))]
    0
}

fn told(what: &str, why: &str) -> String {
    format!("{{\"{what}\":{}}}", quote(why))
}

/// The violations as one text and as a list.
fn violated(violations: &[String]) -> String {
    let list: Vec<String> = violations.iter().map(|text| quote(text)).collect();
    let joined = quote(&violations.join("; "));
    format!("{{\"violations\":{joined},\"list\":[{}]}}", list.join(","))
}

fn held(schema: &Schema, body: &[u8]) -> String {
    let text = match text::read(body) {
        Ok(text) => text,
        Err(why) => return told("unreadable", &why),
    };
    match text::value(text) {
        Err(why) => told("unreadable", &why),
        Ok(value) => match validate(schema, &value) {
            Verdict::Fits => "{}".to_owned(),
            Verdict::Violates(violations) => violated(&violations),
            Verdict::TooMuch => violated(&[TOO_MUCH.to_owned()]),
        },
    }
}

fn compiled(text: &str) -> Compiled {
    COMPILED.with_borrow_mut(|kept| {
        if let Some(known) = kept.get(text) {
            return Rc::clone(known);
        }
        if kept.len() >= KEPT {
            kept.clear();
        }
        let fresh = Rc::new(Schema::compile(text));
        kept.insert(text.to_owned(), Rc::clone(&fresh));
        fresh
    })
}

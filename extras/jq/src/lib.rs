//! Extra module `jq`: filters over JSON bodies, with [jaq](https://github.com/01mf02/jaq).
//!
//! The promise: a filter sees its input and nothing else (no environment, files or further inputs), it ends (each call
//! of a definition costs fuel), and its memory is limited. Whatever goes wrong, the body stays unchanged, and the
//! report says why.

mod filter;
mod outcome;

pub use filter::{Filter, FilterError};
pub use outcome::{Facts, transform};

use gatewright_model::compiled::Compiled;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    static COMPILED: RefCell<Compiled<Result<Filter, FilterError>>> = RefCell::default();
}

/// Calls a function. `transform` applies the filter to a body; `facts` is one line of JSON with what the filter may
/// know of the request, after a line with the head of the response if the body is that of a response. Returns the
/// report (`outcome::Report`), and the new body if there is one. `check` only compiles the filter; the report has an
/// error if that fails.
#[wasm_bindgen]
#[must_use]
pub fn call(function: &str, settings: &str, facts: &str, body: &[u8]) -> Vec<String> {
    if !matches!(function, "transform" | "check") {
        return vec![outcome::failed("there is no such function")];
    }
    match compiled(settings).as_ref() {
        Ok(_) if function == "check" => vec!["{}".to_owned()],
        Ok(filter) => transform(filter, &Facts::read(facts), body),
        Err(error) => vec![outcome::broken(error)],
    }
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

fn compiled(text: &str) -> Rc<Result<Filter, FilterError>> {
    COMPILED.with_borrow_mut(|known| known.get(text, Filter::compile))
}

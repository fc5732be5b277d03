//! The contract of the port that this module adapts, checked on workerd by `worker/tests/contracts.test.mjs`.

use crate::Visit;
use crate::isolate::Isolate;
use crate::platform::Edge;
use gatewright_testkit::contracts::{self, platform};
use gatewright_worker_platform::glue;
use wasm_bindgen::prelude::*;
use worker::{Context, Env, worker_sys};

/// Returns the name of a suite and of one of its cases on each line.
#[wasm_bindgen(js_name = contractCases)]
#[must_use]
pub fn cases() -> String {
    contracts::lines("platform", &platform::cases::<Edge<'_>>())
}

/// Checks a case. Returns the failure, if any.
#[wasm_bindgen(js_name = checkContract)]
pub async fn check(
    request: web_sys::Request,
    env: Env,
    context: worker_sys::Context,
    suite: String,
    case: String,
) -> Option<String> {
    if suite != "platform" {
        return Some(format!("there is no suite {suite}"));
    }
    let head = glue::head(&request);
    let (context, isolate) = (Context::new(context), Isolate::get(&env));
    let visit = Visit::new(&request, &head, &env, &context, &isolate);
    contracts::check(platform::cases(), &case, &Edge { visit: &visit })
        .await
        .err()
}

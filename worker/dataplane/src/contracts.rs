//! The contracts of the ports that this module adapts, checked on workerd by `worker/tests/contracts.test.mjs`.

use crate::Visit;
use crate::batch::Items;
use crate::isolate::Isolate;
use gatewright_testkit::contracts::{self, dispatch, isolate};
use gatewright_worker_platform::glue;
use wasm_bindgen::prelude::*;
use worker::{Context, Env, worker_sys};

/// Returns the name of a suite and of one of its cases on each line.
#[wasm_bindgen(js_name = contractCases)]
#[must_use]
pub fn cases() -> String {
    [
        contracts::lines("dispatch", &dispatch::cases::<Items<'_>>()),
        contracts::lines("isolate", &isolate::cases()),
    ]
    .concat()
}

/// Checks a case, given the address of the contracts' server and one where nothing listens. Returns the failure, if
/// any.
#[wasm_bindgen(js_name = checkContract)]
pub async fn check(
    request: web_sys::Request,
    env: Env,
    context: worker_sys::Context,
    suite: String,
    case: String,
    server: String,
    nobody: String,
) -> Option<String> {
    let (isolate, context) = (Isolate::get(&env), Context::new(context));
    let head = glue::head(&request);
    let visit = Visit::new(&request, &head, &env, &context, &isolate);
    let outcome = match suite.as_str() {
        "dispatch" => {
            let batches = dispatch::Batches {
                dispatch: Items::new(&visit),
                isolate: visit.as_isolate(),
                settings: isolate.settings.clone(),
                server,
                nobody,
            };
            contracts::check(dispatch::cases(), &case, &batches).await
        }
        "isolate" => contracts::check(isolate::cases(), &case, &*visit.as_isolate()).await,
        suite => Err(format!("there is no suite {suite}")),
    };
    outcome.err()
}

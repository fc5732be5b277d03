//! The contracts of the ports that this module adapts, checked on workerd by `worker/tests/contracts.test.mjs`.

use crate::kv::PublishedSet;
use crate::sql::ObjectSql;
use gatewright_controlplane::config::EgressConfig;
use gatewright_testkit::contracts::{self, egress, kv, servers, sql};
use gatewright_worker_egress::Outside;
use wasm_bindgen::prelude::*;
use worker::worker_sys::DurableObjectState;
use worker::{Env, State};

/// The time limit of a call: long enough for a name without an address, short enough for calls that get no response.
const TIMEOUT_SECONDS: u32 = 2;

/// Returns the name of a suite and of one of its cases on each line.
#[wasm_bindgen(js_name = contractCases)]
#[must_use]
pub fn cases() -> String {
    [
        contracts::lines("kv", &kv::cases::<PublishedSet<'_>>()),
        contracts::lines("egress", &egress::cases::<Outside<'_>>()),
        sql::names().map(|name| format!("sql {name}\n")).collect(),
    ]
    .concat()
}

/// Returns what the contracts' server has to respond with, as JSON.
#[wasm_bindgen(js_name = contractPages)]
#[must_use]
pub fn pages() -> String {
    servers::describe()
}

/// Checks a case, given the address of that server and one where nothing listens. Returns the failure, if any.
#[wasm_bindgen(js_name = checkContract)]
pub async fn check(
    _request: JsValue,
    env: Env,
    _context: JsValue,
    suite: String,
    case: String,
    server: String,
    nobody: String,
) -> Option<String> {
    let outcome = match suite.as_str() {
        "kv" => contracts::check(kv::cases(), &case, &PublishedSet::of(&env)).await,
        "egress" => {
            let outside = egress::Outside {
                open: outside(&env, true),
                closed: outside(&env, false),
                server,
                nobody,
            };
            contracts::check(egress::cases(), &case, &outside).await
        }
        suite => Err(format!("there is no suite {suite}")),
    };
    outcome.err()
}

/// Checks a case of the suite `sql`, with the state of a Durable Object.
#[wasm_bindgen(js_name = checkSql)]
#[must_use]
pub fn check_sql(state: DurableObjectState, case: &str) -> Option<String> {
    let sql = ObjectSql::new(State::from(state).storage());
    sql::check(case, &sql).err()
}

fn outside(env: &Env, allow_private: bool) -> Outside<'_> {
    Outside {
        env,
        config: EgressConfig {
            allow_private,
            timeout_seconds: TIMEOUT_SECONDS,
        },
    }
}

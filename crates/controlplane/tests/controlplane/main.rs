//! All tests of the control plane through its public functions, in one program: linking one takes longer than compiling
//! most of these files, and its tests run on all processors.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

mod admin;
mod backup;
mod bounds;
mod contract;
mod cost;
mod dashboard;
mod failures;
mod fetch;
mod figures;
mod group;
mod handover;
mod hooks;
mod keys;
mod oas;
mod preview;
mod reload;
mod retention;
mod rights;
mod rows;
mod rulesets;
mod sign_ins;
mod trail;
mod uptime;

use futures_util::FutureExt;
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use serde_json::Value;

/// Returns what a future has resolved to: nothing in memory waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().unwrap()
}

fn call_as(gate: &Memory, token: &str, method: &str, target: &str, body: &str) -> Response {
    let bearer = format!("Bearer {token}");
    now(gate.send_with(method, target, body, &[("authorization", &bearer)]))
}

/// Sends a request to the dashboard API.
fn call(gate: &Memory, method: &str, target: &str, body: &str) -> Response {
    call_as(gate, DASHBOARD_TOKEN, method, target, body)
}

fn value(response: &Response) -> Value {
    serde_json::from_str(&response.body).unwrap()
}

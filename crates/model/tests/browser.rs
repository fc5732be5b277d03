//! Runs the shared case files in headless Chromium: the console computes what the edge computes.
//!
//! `cargo test --target wasm32-unknown-unknown -p gatewright-model --test browser` with wasm-bindgen-test-runner as
//! runner and `CHROMEDRIVER` set; `webdriver.json` starts the browser without a window.
#![cfg(target_arch = "wasm32")]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "a test"
)]

mod common;

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn every_case_has_the_expected_result() {
    let (passed, failed) = common::run_all();
    assert!(
        failed.is_empty(),
        "{} failed\n{}",
        failed.len(),
        failed
            .iter()
            .take(5)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n")
    );
    assert!(passed > 100);
}

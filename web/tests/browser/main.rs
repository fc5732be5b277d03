//! The console in a real browser: its rules as plain functions, and components that are mounted, clicked and inspected.
//!
//! `cargo xtask test browser`, or `wasm-pack test --headless --chrome web`.
#![cfg(target_arch = "wasm32")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod access;
mod batch;
mod body_rules;
mod caching;
mod chart;
mod components;
mod draft;
mod editor;
mod filters;
mod import;
mod mappings;
mod mcp;
mod page;
mod plan;
mod rules;
mod rulesets;
mod text;
mod trail;
mod trial;
mod upstreams;
mod uptime;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

//! The ports in memory, with faults, so that every rule can be tested natively.
//!
//! The promise: what these fakes keep is what the real ones keep. [`rows::MemoryRows`] commits
//! all appends of a call or none; [`kv::MemoryKv`] forgets nothing it has acknowledged; and both
//! can fail at a chosen operation, which is how the tests see that a failure changes nothing. The
//! [`contracts`] hold both to that.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a fake that is used wrongly should fail the test loudly"
)]

pub mod contracts;
mod debug;
pub mod isolate;
pub mod kv;
pub mod ledgers;
pub mod platform;
pub mod rows;
pub mod traffic;
pub mod web;

//! The ports in memory, with faults, so that every rule can be tested natively.
//!
//! The promise: these fakes guarantee what the real implementations guarantee, and the [`contracts`] check both.
//! [`sqlite::Sqlite`] is the database of a Durable Object, with its limits and its number types; [`kv::MemoryKv`] never
//! loses an acknowledged write; and both can fail at a chosen operation, by which the tests verify that a failure
//! changes nothing.
//!
//! For WebAssembly there are the contracts and whatever needs no database: there the platform has one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a fake that is used wrongly should fail the test loudly"
)]

pub mod contracts;
#[cfg(not(target_arch = "wasm32"))]
mod debug;
#[cfg(not(target_arch = "wasm32"))]
pub mod isolate;
pub mod kv;
pub mod ledgers;
#[cfg(not(target_arch = "wasm32"))]
pub mod platform;
pub mod sql;
#[cfg(not(target_arch = "wasm32"))]
pub mod sqlite;
#[cfg(not(target_arch = "wasm32"))]
pub mod traffic;
pub mod vault;
pub mod web;

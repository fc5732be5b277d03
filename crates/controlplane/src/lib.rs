//! The administration of Gatewright: what is stored, published, delivered and audited, and the
//! handlers of both administrative APIs.
//!
//! The promise: every rule of the administration stands here as plain Rust that runs natively. What
//! needs a platform (a Durable Object's tables, KV, the upstream call) is behind the small traits
//! of [`ports`] and of [`registry::rows`]; the worker implements them once, the tests once more
//! in memory with faults.
//!
//! Futures here are not `Send` on purpose: a Workers isolate and a browser have one thread.

#![expect(
    async_fn_in_trait,
    reason = "the ports are !Send: an isolate has one thread"
)]

pub mod admin;
pub mod config;
pub mod console;
pub mod dashboard;
pub mod egress;
pub mod error;
pub mod ports;
pub mod registry;
pub mod uptime;

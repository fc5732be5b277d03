//! The administration of Gatewright: what is stored, published, delivered and audited, and the handlers of both
//! administrative APIs.
//!
//! The promise: every administrative rule is plain Rust that runs natively. Whatever needs a platform (a Durable
//! Object's tables, KV, the upstream call) is behind the small traits of [`ports`] and [`registry::rows`]; the worker
//! implements them once, and the tests implement them in memory, with injected faults.
//!
//! Futures here are deliberately not `Send`: a Workers isolate and a browser have one thread.

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
mod query;
pub mod registry;
pub mod uptime;

//! The data plane's decisions: which API a request belongs to, and what becomes of it.
//!
//! The promise: one normaliser ([`path`]) feeds matching, rules and forwarding, so that no two of
//! them can see different paths; and nothing here does I/O, so the whole chain is tested natively.

#![expect(
    async_fn_in_trait,
    reason = "the ports are !Send: an isolate has one thread"
)]

pub mod batch;
pub mod config;
pub mod context;
pub mod debug;
pub mod events;
pub mod failure;
pub mod figures;
pub mod gate;
pub mod path;
pub mod plan;
pub mod router;
pub mod snapshot;
pub mod surface;
pub mod trace;

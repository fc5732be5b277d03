//! Request handling: finds the API a request belongs to and decides everything that happens to it.
//!
//! The promise: the path is parsed once ([`path`]), and matching, rules and forwarding all use that result, so no two
//! of them can see different paths; one driver ([`driver`]) runs every request through its chain; and nothing here does
//! I/O, so the whole chain is tested natively.

#![expect(
    async_fn_in_trait,
    reason = "the ports are !Send: an isolate has one thread"
)]

pub mod batch;
pub mod caching;
pub mod chain;
pub mod config;
pub mod counters;
pub mod debug;
pub mod driver;
pub mod errors;
pub mod events;
pub mod exchange;
pub mod extras;
mod facts;
pub mod failure;
pub mod figures;
mod granted;
pub mod headers;
pub mod identity;
pub mod isolate;
pub mod leases;
pub mod limits;
pub mod links;
pub mod loops;
pub mod mcp;
pub mod outline;
pub mod path;
pub mod proofs;
pub mod publication;
mod recent;
pub mod router;
pub mod rules;
pub mod sessions;
pub mod snapshot;
pub mod standing;
pub use gatewright_protocol::strangers;
pub mod surface;
#[cfg(test)]
mod testing;
pub mod token_source;
pub mod upstreams;
pub mod versions;

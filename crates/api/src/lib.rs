//! The wire contract of Gatewright: what a client of the administration API may send and what it
//! gets back, without a line about how the answer comes about.
//!
//! The promise: every path, status text and member name of the API stands in this crate once.
//! The control plane routes by [`endpoint::ENDPOINTS`] and the OpenAPI document is generated from the same
//! table, so a route that is not documented, or documented but not routed, can't exist. The console
//! reads answers into smaller structs of its own, and its tests hold those against the ones here.

pub mod chain;
pub mod dashboard;
pub mod debug;
pub mod endpoint;
pub mod figures;
pub mod message;
#[cfg(feature = "docs")]
pub mod openapi;
pub mod paths;
pub mod preview;
pub mod resource;
pub mod session;
pub mod shape;
pub mod upstreams;

pub use resource::{RESOURCES, Resource};

/// The version of the specification whose gateway API this is (specification, *Versioning*). Clients
/// of this family decide by it what they can ask for.
pub const SPECIFICATION_VERSION: &str = "5.14.0";

/// A text about an endpoint or a parameter; empty without the feature `docs`, as in the worker.
const fn docs_only(text: &'static str) -> &'static str {
    if cfg!(feature = "docs") { text } else { "" }
}

//! The wire contract of Gatewright: what a client of the administration API may send and what it gets back, without
//! anything about how the response is produced.
//!
//! The promise: every path, status text and member name of the API is in this crate exactly once. The control plane
//! routes by [`endpoint::ENDPOINTS`] and the OpenAPI document is generated from the same table, so a route that is not
//! documented, or documented but not routed, can't exist. The console reads responses into smaller structs of its own,
//! and its tests compare those with the ones here.

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

/// The version of the specification whose gateway API this is (specification, *Versioning*). Clients of this family
/// decide by it which features they can use.
pub const SPECIFICATION_VERSION: &str = "5.14.0";

/// Returns a text about an endpoint or a parameter; an empty one without the feature `docs`, as in the worker.
const fn docs_only(text: &'static str) -> &'static str {
    if cfg!(feature = "docs") { text } else { "" }
}

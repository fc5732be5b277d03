//! JSON Schemas as documents: their drafts, their URIs, and the resolution of references.
//!
//! The validation of bodies and the check of definitions, at the edge and in the console, resolve references here, so
//! nothing is accepted that can't be enforced later. Other documents are never fetched.

mod registry;
pub mod uri;

pub use registry::{Draft, Registry, Resource};

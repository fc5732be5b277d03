//! JSON Schemas as documents: their drafts, their addresses, and what references in them lead to.
//!
//! What validates a body and what checks a definition, at the edge and in the console, find references here:
//! nothing is accepted that can't be enforced later. Other documents are never fetched.

mod registry;
pub mod uri;

pub use registry::{Draft, Registry, Resource};

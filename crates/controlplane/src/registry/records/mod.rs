//! The documents of the dashboard: rulesets, client identity providers and webhooks.
//!
//! The promise: one set of rules for storing, finding, conditions, revisions, audit and
//! notifications serves all three; what is particular to a kind is in [`compose`] and
//! [`Kind`](gatewright_protocol::records::Kind).

pub mod compose;
mod index;
mod read;
mod write;

pub use index::{Conflict, RecordFacts, Records};
pub(super) use {read::read, write::write};

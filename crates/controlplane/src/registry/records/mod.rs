//! The documents of the dashboard: rulesets, client identity providers and webhooks.
//!
//! The promise: one set of rules for storing, finding, conditions, revisions, audit and notifications serves all three;
//! what is specific to a kind is in [`compose`] and [`Kind`].

pub mod compose;
mod index;
mod read;
mod write;

pub use index::{Conflict, RecordFacts, Records};
pub(super) use {read::read, write::write};

use crate::registry::Turn;
use crate::registry::rows::Record;
use gatewright_protocol::records::Kind;

/// Returns the organisation whose audit trail includes a document: a policy belongs to none, but its text may name one.
fn trail_org<'a>(turn: &'a Turn<'_>, record: &'a Record) -> &'a str {
    match (record.kind, record.facts.org_id.as_str()) {
        (Kind::Policy, "") => turn.default_org,
        (Kind::Policy, org) => org,
        _ => &record.org,
    }
}

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
use gatewright_model::definition;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::{Answer, Kind, RecordRefusal};
use gatewright_protocol::registry::body;
use serde::Serialize;
use std::collections::BTreeMap;

/// The answer to a command, with the text that goes with it.
pub(super) type Outcome = Result<(Answer, String), StoreError>;

/// Builds the answer with this body.
pub(super) fn json<T: Serialize>(answer: &T) -> Outcome {
    Ok((Answer::Json, body(answer)?))
}

/// Builds the answer to a command that is refused.
pub(super) fn refuse(refusal: RecordRefusal) -> Outcome {
    Ok((Answer::Refused(refusal), String::new()))
}

/// Returns the organisation whose audit trail includes a document: a policy belongs to none, but its text may name one.
fn trail_org<'a>(turn: &'a Turn<'_>, record: &'a Record) -> &'a str {
    match (record.kind, record.facts.org_id.as_str()) {
        (Kind::Policy, "") => turn.default_org,
        (Kind::Policy, org) => org,
        _ => &record.org,
    }
}

/// Returns the categories of an organisation, from the names of its API definitions, in alphabetical order; of those
/// that differ only in case, one.
fn categories(turn: &Turn<'_>, org: &str) -> Vec<String> {
    let mut found = BTreeMap::new();
    for entry in turn.index.all().filter(|entry| !entry.deleted) {
        if turn.org_of(entry) == org {
            for category in definition::categories(&entry.facts.name) {
                found
                    .entry(category.to_lowercase())
                    .or_insert_with(|| category.to_owned());
            }
        }
    }
    found.into_values().collect()
}

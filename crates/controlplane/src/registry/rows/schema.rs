//! The steps from one version of the tables to the next.

use super::{
    certificates, definitions, deliveries, handover, journal, oauth, published, records, served,
    sessions, sign_ins,
};

/// A table that a later step drops.
const GIVEN_UP: &[&str] =
    &["CREATE TABLE IF NOT EXISTS given_up (write TEXT PRIMARY KEY, at INTEGER NOT NULL)"];

/// Step n migrates version n - 1 to version n. A released step never changes. The first one may find its tables created
/// already, by a release that did not count versions.
pub(super) const STEPS: [&[&[&str]]; 15] = [
    &[
        definitions::SCHEMA,
        records::SCHEMA,
        journal::SCHEMA,
        deliveries::SCHEMA,
        sessions::SCHEMA,
    ],
    &[journal::INDEXES],
    &[journal::SHARES],
    &[published::SCHEMA],
    &[GIVEN_UP],
    &[certificates::SCHEMA],
    &[oauth::SCHEMA],
    &[definitions::PIECES],
    &[served::SCHEMA],
    &[sign_ins::SCHEMA],
    &[journal::CLIENTS],
    &[records::DELETED],
    &[sessions::ORDERED],
    &[sessions::MARKED],
    &[handover::SCHEMA],
];

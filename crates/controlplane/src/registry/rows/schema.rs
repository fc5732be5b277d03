//! The versions of the tables, and the steps from one to the next.

use super::{
    Rows, certificates, definitions, deliveries, holds, journal, oauth, published, records, served,
    sessions, sign_ins,
};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::schema::{FOUND, MAKE, REACHED, refusal};

/// Step n migrates version n - 1 to version n. A released step never changes. The first one may find its tables created
/// already, by a release that did not count versions.
const STEPS: [&[&[&str]]; 10] = [
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
    &[holds::SCHEMA],
    &[certificates::SCHEMA],
    &[oauth::SCHEMA],
    &[definitions::PIECES],
    &[served::SCHEMA],
    &[sign_ins::SCHEMA],
];

impl Rows {
    /// Migrates the tables to this release, all steps together or none.
    ///
    /// # Errors
    /// If they belong to a later release, which changes nothing, or a step fails.
    pub(super) fn migrate(&self) -> Result<(), StoreError> {
        self.sql.query(MAKE, &[])?;
        let found = self.sql.query(FOUND, &[])?.into_iter().next();
        let found = found.map_or(Ok(0), |mut row| row.number())?;
        let known = u64::try_from(STEPS.len()).unwrap_or(u64::MAX);
        if found > known {
            return Err(StoreError::new("open database", refusal(found, known)));
        }
        if found == known {
            return Ok(());
        }
        self.sql.transaction(&mut || {
            for (version, step) in (1_u64..).zip(STEPS).filter(|(version, _)| *version > found) {
                for statement in step.iter().copied().flatten() {
                    self.sql.query(statement, &[])?;
                }
                self.sql.query(REACHED, &[version.into()])?;
            }
            Ok(())
        })
    }
}

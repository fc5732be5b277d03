//! Certificates and public keys, with private keys where there are any.

use super::Rows;
use crate::registry::sql::{Row, json};
use gatewright_model::certificate::Material;
use gatewright_protocol::error::StoreError;

/// `details` is what the administration responds with, and `material` what it never shows.
pub(super) const SCHEMA: &[&str] = &["CREATE TABLE IF NOT EXISTS certificate (
        id TEXT PRIMARY KEY, org TEXT NOT NULL, at TEXT NOT NULL, details TEXT NOT NULL,
        material TEXT NOT NULL
    ) WITHOUT ROWID"];

/// A stored certificate, or a bare public key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertificateRow {
    /// Organisation and fingerprint, concatenated.
    pub id: String,
    /// The organisation it belongs to.
    pub org: String,
    /// When it was stored, RFC 3339.
    pub at: String,
    /// What the administration shows of it, a JSON object.
    pub details: String,
    /// The material that signatures are made and checked with.
    pub material: Material,
}

const COLUMNS: &str = "SELECT id, org, at, details, material FROM certificate";

fn read(mut row: Row) -> Result<CertificateRow, StoreError> {
    Ok(CertificateRow {
        id: row.text()?,
        org: row.text()?,
        at: row.text()?,
        details: row.text()?,
        material: row.json()?,
    })
}

impl Rows {
    /// Returns the certificate with this id.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn certificate(&self, id: &str) -> Result<Option<CertificateRow>, StoreError> {
        self.first(&format!("{COLUMNS} WHERE id = ?"), &[id.into()], read)
    }

    /// Returns the first certificate after an id, ordered by id.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn certificate_after(&self, id: &str) -> Result<Option<CertificateRow>, StoreError> {
        let statement = format!("{COLUMNS} WHERE id > ? ORDER BY id LIMIT 1");
        self.first(&statement, &[id.into()], read)
    }

    /// Returns the details of the certificates of an organisation, ordered by age as in the reference, or of all, ordered
    /// by id.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn certificate_details(&self, org: Option<&str>) -> Result<Vec<String>, StoreError> {
        let all = "SELECT details FROM certificate";
        let details = |mut row: Row| row.text();
        match org {
            None => self.all(&format!("{all} ORDER BY id"), &[], details),
            Some(org) => {
                let statement = format!("{all} WHERE org = ? ORDER BY at, id");
                self.all(&statement, &[org.into()], details)
            }
        }
    }

    /// Counts the certificates.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn count_certificates(&self) -> Result<u64, StoreError> {
        self.count("SELECT count(*) FROM certificate", &[])
    }

    pub(super) fn put_certificate(&self, row: &CertificateRow) -> Result<(), StoreError> {
        self.run(
            "INSERT OR REPLACE INTO certificate (id, org, at, details, material) VALUES (?, ?, ?, ?, ?)",
            &[
                row.id.as_str().into(),
                row.org.as_str().into(),
                row.at.as_str().into(),
                row.details.as_str().into(),
                json(&row.material)?,
            ],
        )
    }

    pub(super) fn remove_certificate(&self, id: &str) -> Result<(), StoreError> {
        self.run("DELETE FROM certificate WHERE id = ?", &[id.into()])
    }
}

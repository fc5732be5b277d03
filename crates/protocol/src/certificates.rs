//! The Registry's commands about certificates, and what it returns to isolates.

use gatewright_model::certificate::Material;
use serde::{Deserialize, Serialize};

/// What to do with certificates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CertificateAct {
    /// Return the details of the certificates with these ids, in order, `null` for a missing one.
    #[default]
    Find,
    /// Store the certificate whose details follow the line, under the first of `ids`, unless it exists.
    Put,
    /// Remove those of these ids that exist.
    Remove,
    /// Return the details of all certificates of an organisation, or of all organisations.
    List,
}

/// A command about certificates. Details follow the line as JSON, several of them as an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CertificateAsk {
    /// What to do.
    pub act: CertificateAct,
    /// Organisation and fingerprint concatenated, as in the reference.
    pub ids: Vec<String>,
    /// For [`CertificateAct::Put`], the owner; for [`CertificateAct::List`], `None` means all organisations.
    pub org: Option<String>,
    /// For [`CertificateAct::Put`]: what the certificate consists of.
    pub material: Material,
}

impl CertificateAsk {
    /// Whether the command stores something.
    #[must_use]
    pub const fn writes(&self) -> bool {
        matches!(self.act, CertificateAct::Put | CertificateAct::Remove)
    }
}

//! The Registry's commands about certificates, and what it tells an isolate of one.

use gatewright_model::certificate::Material;
use serde::{Deserialize, Serialize};

/// What to do with certificates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CertificateAct {
    /// The details of those with these ids, in their order, `null` where there is none.
    #[default]
    Find,
    /// Store the one whose details are behind the line, under the first of `ids`, unless it is there.
    Put,
    /// Remove those with these ids that there are.
    Remove,
    /// The details of all of an organisation, or of everybody's.
    List,
}

/// A command about certificates. Details travel as JSON, a list of them as a list, behind the line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CertificateAsk {
    /// What to do.
    pub act: CertificateAct,
    /// Organisation and fingerprint in one text, as the reference writes them.
    pub ids: Vec<String>,
    /// For [`CertificateAct::Put`], whose it is; for [`CertificateAct::List`] `None` for all.
    pub org: Option<String>,
    /// For [`CertificateAct::Put`]: what it is made of.
    pub material: Material,
}

impl CertificateAsk {
    /// True for a command that stores something.
    #[must_use]
    pub const fn writes(&self) -> bool {
        matches!(self.act, CertificateAct::Put | CertificateAct::Remove)
    }
}

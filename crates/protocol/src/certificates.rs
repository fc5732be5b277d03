//! The Registry's commands about certificates, and what it tells an isolate of one.

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

/// What signatures are made and checked with.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Material {
    /// The certificate itself in DER, in base64; empty for a public key alone.
    pub certificate: String,
    /// The public key (`SubjectPublicKeyInfo`, RFC 5280 section 4.1), in base64.
    pub public: String,
    /// The private key (PKCS #8, RFC 5958), in base64; empty for none.
    pub private: String,
    /// What kind of key it is: `rsa`, `ec`, or a text of digits and points, its object identifier.
    pub algorithm: String,
}

impl std::fmt::Debug for Material {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Material(…)")
    }
}

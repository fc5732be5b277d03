//! The contents of certificates, public keys and private keys (RFC 5280, RFC 5958).
//!
//! The details returned never contain more than what is public, and anything that can't be read, or whose parts don't
//! belong together, is refused. Only the code that stores certificates reads them: the feature `certificates` adds
//! `read` and the library behind it.

#[cfg(feature = "certificates")]
mod key;
mod name;
#[cfg(feature = "certificates")]
mod pem;
#[cfg(feature = "certificates")]
mod read;

pub use name::{Attribute, Name};
#[cfg(feature = "certificates")]
pub use read::read;
use serde::{Deserialize, Serialize};

/// The details of a certificate in responses, in the order of the reference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the members are those of reference 1.8")]
pub struct Details {
    pub id: String,
    pub fingerprint: String,
    pub has_private: bool,
    pub issuer: Name,
    pub subject: Name,
    /// RFC 3339 in UTC.
    pub not_before: String,
    /// RFC 3339 in UTC.
    pub not_after: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dns_names: Vec<String>,
    pub is_ca: bool,
}

/// The result of reading a certificate: its details for responses and its key material, or why it can't be stored.
pub type Reading = Result<(Details, Material), Refused>;

/// Why a certificate can't be stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The message, in the words of the reference where it has any.
    pub message: String,
    /// What the message has no room for; may be empty.
    pub details: String,
}

#[cfg(feature = "certificates")]
impl Refused {
    fn explained(message: &str, details: impl std::fmt::Display) -> Self {
        Self {
            message: message.to_owned(),
            details: details.to_string(),
        }
    }
}

#[cfg(feature = "certificates")]
impl From<&str> for Refused {
    fn from(message: &str) -> Self {
        Self::explained(message, "")
    }
}

#[cfg(feature = "certificates")]
impl From<String> for Refused {
    fn from(message: String) -> Self {
        Self::explained(&message, "")
    }
}

/// A certificate in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the members are those of reference 1.8")]
pub struct Basics {
    pub id: String,
    pub issuer_cn: String,
    pub subject_cn: String,
    /// `null` if there are none.
    pub dns_names: Option<Vec<String>>,
    pub has_private: bool,
    pub not_before: String,
    pub not_after: String,
    pub is_ca: bool,
}

impl Details {
    /// Returns the part shown in lists.
    #[must_use]
    pub fn basics(self) -> Basics {
        Basics {
            id: self.id,
            issuer_cn: self.issuer.common_name,
            subject_cn: self.subject.common_name,
            dns_names: Some(self.dns_names).filter(|names| !names.is_empty()),
            has_private: self.has_private,
            not_before: self.not_before,
            not_after: self.not_after,
            is_ca: self.is_ca,
        }
    }
}

/// The material for making and checking signatures.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Material {
    /// The certificate in DER, as Base64; empty for a public key alone.
    pub certificate: String,
    /// The public key (`SubjectPublicKeyInfo`, RFC 5280 section 4.1), as Base64.
    pub public: String,
    /// The private key (PKCS #8, RFC 5958), as Base64; empty if there is none.
    pub private: String,
    /// The key algorithm: `rsa`, `ec`, or else its object identifier in dotted notation.
    pub algorithm: String,
}

impl std::fmt::Debug for Material {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Material(…)")
    }
}

#[cfg(all(test, feature = "certificates"))]
mod tests;

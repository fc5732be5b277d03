//! What a certificate, a public key or a private key says (RFC 5280, RFC 5958), read from PEM or DER.
//!
//! The promise: the details that are answered never hold more than what is public, and what can't be read, or does
//! not belong together, is no certificate.

mod key;
mod name;
mod pem;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gatewright_protocol::certificates::Material;
use name::Name;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use x509_cert::Certificate;
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{BasicConstraints, SubjectAltName};
use x509_cert::spki::SubjectPublicKeyInfoOwned;

/// What the reference says to anything that is no PEM with a certificate or a public key.
const NOT_DECODED: &str = "Failed to decode certificate. It should be PEM encoded.";

/// The details of a certificate as they are answered, in the order of the reference.
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
    /// The same.
    pub not_after: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dns_names: Vec<String>,
    pub is_ca: bool,
}

/// A certificate in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the members are those of reference 1.8")]
pub struct Basics {
    pub id: String,
    pub issuer_cn: String,
    pub subject_cn: String,
    /// `null` where there is none.
    pub dns_names: Option<Vec<String>>,
    pub has_private: bool,
    pub not_before: String,
    pub not_after: String,
    pub is_ca: bool,
}

impl Details {
    /// What a list has of it.
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

/// Reads what somebody wants to store for an organisation: a certificate in PEM, with its private key or without, or
/// in DER; or a public key alone. `now` is RFC 3339 in UTC.
///
/// # Errors
/// Why it can't be stored, in the words of the reference where it has any.
pub fn read(org: &str, body: &[u8], now: &str) -> Result<(Details, Material), String> {
    if body.first() == Some(&0x30) {
        // A DER sequence, which no PEM begins with.
        return match Certificate::from_der(body) {
            Ok(certificate) => certified(org, (&certificate, body), None, now),
            Err(_) => public(org, body),
        };
    }
    let not_decoded = || NOT_DECODED.to_owned();
    let text = std::str::from_utf8(body).map_err(|_| not_decoded())?;
    let blocks = pem::blocks(text).ok_or_else(not_decoded)?;
    let labelled = |label: &str| blocks.iter().find(|block| block.label == label);
    let public_key = labelled("PUBLIC KEY");
    if blocks
        .iter()
        .any(|block| block.label == "ENCRYPTED PRIVATE KEY")
    {
        return Err("The private key is encrypted: send it without a passphrase".to_owned());
    }
    let private = blocks
        .iter()
        .find(|block| block.label.ends_with("PRIVATE KEY"));
    match (labelled("CERTIFICATE"), public_key) {
        (Some(_), Some(_)) => Err("Public keys can't be combined with certificates".to_owned()),
        (None, Some(block)) => public(org, &block.der),
        (None, None) => Err(not_decoded()),
        (Some(block), None) => {
            let certificate = Certificate::from_der(&block.der)
                .map_err(|error| format!("The certificate can't be read: {error}"))?;
            let private = private.map(|block| key::pkcs8(&block.label, &block.der));
            certified(org, (&certificate, &block.der), private.transpose()?, now)
        }
    }
}

fn certified(
    org: &str,
    (certificate, der): (&Certificate, &[u8]),
    private: Option<Vec<u8>>,
    now: &str,
) -> Result<(Details, Material), String> {
    let body = certificate.tbs_certificate();
    let not_after = body.validity().not_after.to_string();
    // Both are RFC 3339 in UTC; the present has milliseconds behind the seconds.
    if not_after.trim_end_matches('Z') < now.get(..19).unwrap_or(now) {
        return Err("certificate is expired".to_owned());
    }
    let unreadable = |error| format!("The certificate can't be read: {error}");
    let spki = body.subject_public_key_info();
    if let Some(private) = &private
        && !key::belongs(private, spki)
    {
        return Err("The private key is not that of the certificate".to_owned());
    }
    let names = body.get_extension::<SubjectAltName>().map_err(unreadable)?;
    let names = names.map(|(_, names)| names.0).unwrap_or_default();
    let dns_names = names.into_iter().filter_map(|name| match name {
        GeneralName::DnsName(name) => Some(name.as_str().to_owned()),
        _ => None,
    });
    let constraints = body
        .get_extension::<BasicConstraints>()
        .map_err(unreadable)?;
    let fingerprint = fingerprint(der);
    let details = Details {
        id: format!("{org}{fingerprint}"),
        fingerprint,
        has_private: private.is_some(),
        issuer: Name::read(body.issuer()),
        subject: Name::read(body.subject()),
        not_before: body.validity().not_before.to_string(),
        not_after,
        dns_names: dns_names.collect(),
        is_ca: constraints.is_some_and(|(_, constraints)| constraints.ca),
    };
    let material = Material {
        certificate: BASE64_STANDARD.encode(der),
        private: private
            .map(|der| BASE64_STANDARD.encode(der))
            .unwrap_or_default(),
        ..keyed(spki)?
    };
    Ok((details, material))
}

/// A public key alone. It has neither names nor times, which the reference writes as Go's zero values.
fn public(org: &str, der: &[u8]) -> Result<(Details, Material), String> {
    const ZERO: &str = "0001-01-01T00:00:00Z";
    let spki = SubjectPublicKeyInfoOwned::from_der(der)
        .map_err(|error| format!("This is neither a certificate nor a public key: {error}"))?;
    let fingerprint = fingerprint(der);
    let details = Details {
        id: format!("{org}{fingerprint}"),
        subject: Name::called(format!("Public Key: {fingerprint}")),
        fingerprint,
        not_before: ZERO.to_owned(),
        not_after: ZERO.to_owned(),
        ..Details::default()
    };
    Ok((details, keyed(&spki)?))
}

/// What a public key is good for.
fn keyed(spki: &SubjectPublicKeyInfoOwned) -> Result<Material, String> {
    let der = spki
        .to_der()
        .map_err(|error| format!("The public key can't be read: {error}"))?;
    Ok(Material {
        public: BASE64_STANDARD.encode(der),
        algorithm: key::algorithm(spki.algorithm.oid),
        ..Material::default()
    })
}

/// SHA-256 in lower case hexadecimal digits.
fn fingerprint(der: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(der) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests;

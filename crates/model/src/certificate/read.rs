//! Reads certificates and keys from PEM or DER.

use super::key::KEY_UNREADABLE;
use super::{Attribute, Details, Material, Name, Reading, Refused, key, pem};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use x509_cert::Certificate;
use x509_cert::der::asn1::Any;
use x509_cert::der::{Decode, Encode, Tag, Tagged};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{BasicConstraints, SubjectAltName};
use x509_cert::spki::SubjectPublicKeyInfoOwned;

/// The reference's message for anything that is not PEM with a certificate or a public key.
pub(super) const NOT_DECODED: &str = "Failed to decode certificate. It should be PEM encoded.";

/// Reads what a client wants to store for an organisation: a certificate in PEM, with or without its private key, or in
/// DER; or a public key alone. `now` is RFC 3339 in UTC.
///
/// # Errors
/// Why it can't be stored.
pub fn read(org: &str, body: &[u8], now: &str) -> Reading {
    if body.first() == Some(&0x30) {
        // A DER sequence, which no PEM starts with.
        return match Certificate::from_der(body) {
            Ok(certificate) => certified(org, (&certificate, body), None, now),
            Err(_) => public(org, body),
        };
    }
    let not_decoded = || Refused::from(NOT_DECODED);
    let text = std::str::from_utf8(body).map_err(|_| not_decoded())?;
    let blocks = pem::blocks(text).ok_or_else(not_decoded)?;
    let labelled = |label: &str| blocks.iter().find(|block| block.label == label);
    let public_key = labelled("PUBLIC KEY");
    if blocks
        .iter()
        .any(|block| block.label == "ENCRYPTED PRIVATE KEY")
    {
        let why = "It is encrypted: send it without a passphrase";
        return Err(Refused::explained(KEY_UNREADABLE, why));
    }
    let mut private = blocks
        .iter()
        .filter(|block| block.label.ends_with("PRIVATE KEY"));
    let (private, another) = (private.next(), private.next());
    if another.is_some() {
        return Err("Found multiple private keys".into());
    }
    match (labelled("CERTIFICATE"), public_key) {
        (Some(_), Some(_)) => Err("Public keys can't be combined with certificates".into()),
        (None, Some(block)) => public(org, &block.der),
        (None, None) => Err(not_decoded()),
        (Some(block), None) => {
            let certificate = Certificate::from_der(&block.der)
                .map_err(|error| Refused::explained("x509: malformed certificate", error))?;
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
) -> Reading {
    let body = certificate.tbs_certificate();
    let not_after = body.validity().not_after.to_string();
    // Both are RFC 3339 in UTC; `now` has milliseconds after the seconds.
    if not_after.trim_end_matches('Z') < now.get(..19).unwrap_or(now) {
        return Err("certificate is expired".into());
    }
    let unreadable = |error| format!("The certificate can't be read: {error}");
    let spki = body.subject_public_key_info();
    if let Some(private) = &private {
        key::belongs(private, spki)?;
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

/// Reads a public key alone. It has neither names nor times, which the reference writes as Go's zero values.
fn public(org: &str, der: &[u8]) -> Reading {
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

/// Returns the material of a public key.
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

/// Returns the SHA-256 in lowercase hexadecimal.
fn fingerprint(der: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(der) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

impl Name {
    /// Creates a name with only a common name.
    fn called(common_name: String) -> Self {
        Self {
            common_name,
            ..Self::default()
        }
    }

    fn read(name: &x509_cert::name::Name) -> Self {
        let mut read = Self::default();
        for part in name.iter() {
            let r#type: Vec<u32> = part.oid.arcs().collect();
            let value = text(&part.value);
            let list = match r#type.as_slice() {
                [2, 5, 4, 6] => Some(&mut read.country),
                [2, 5, 4, 10] => Some(&mut read.organization),
                [2, 5, 4, 11] => Some(&mut read.organizational_unit),
                [2, 5, 4, 7] => Some(&mut read.locality),
                [2, 5, 4, 8] => Some(&mut read.province),
                [2, 5, 4, 9] => Some(&mut read.street_address),
                [2, 5, 4, 17] => Some(&mut read.postal_code),
                _ => None,
            };
            if let Some(list) = list {
                list.get_or_insert_default().push(value.clone());
            }
            match r#type.as_slice() {
                [2, 5, 4, 5] => read.serial_number.clone_from(&value),
                [2, 5, 4, 3] => read.common_name.clone_from(&value),
                _ => {}
            }
            read.names
                .get_or_insert_default()
                .push(Attribute { r#type, value });
        }
        read
    }
}

/// Decodes the text of an attribute, whatever its string type.
fn text(value: &Any) -> String {
    let bytes = value.value();
    let units = || {
        bytes.chunks_exact(2).map(|pair| match pair {
            [high, low] => u16::from_be_bytes([*high, *low]),
            _ => 0,
        })
    };
    match value.tag() {
        Tag::BmpString => char::decode_utf16(units())
            .map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect(),
        // Old certificates use it for Latin-1.
        Tag::TeletexString => bytes.iter().copied().map(char::from).collect(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

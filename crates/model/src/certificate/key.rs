//! Private keys: their encodings, and whether one belongs to a certificate.

use super::Refused;
use x509_cert::der::asn1::{AnyRef, BitStringRef, ObjectIdentifier, OctetStringRef, UintRef};
use x509_cert::der::{Decode, Encode, Reader, SliceReader, Tag, Tagged};
use x509_cert::spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoOwned};

/// `rsaEncryption` (RFC 8017 appendix A.1).
const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
/// `id-ecPublicKey` (RFC 5480 section 2.1.1).
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

/// The message of the reference for a private key that can't be read.
pub(super) const KEY_UNREADABLE: &str = "tls: failed to parse private key";

/// Returns the name of a key algorithm used here.
pub(super) fn algorithm(oid: ObjectIdentifier) -> String {
    match oid {
        RSA => "rsa".to_owned(),
        EC => "ec".to_owned(),
        other => other.to_string(),
    }
}

/// Converts a private key from a PEM block to PKCS #8, whose own label is `PRIVATE KEY`.
pub(super) fn pkcs8(label: &str, der: &[u8]) -> Result<Vec<u8>, Refused> {
    let unreadable = || Refused::from(KEY_UNREADABLE);
    let wrapped = match label {
        "PRIVATE KEY" => {
            return match Key::read(der) {
                Some(_) => Ok(der.to_vec()),
                None => Err(unreadable()),
            };
        }
        "RSA PRIVATE KEY" => wrapped(RSA, AnyRef::NULL, der),
        "EC PRIVATE KEY" => {
            let curve = Ec::read(der).and_then(|key| key.curve);
            let curve = curve.ok_or_else(unreadable)?;
            wrapped(EC, AnyRef::from(&curve), der)
        }
        other => {
            let why = format!("{other} is of no known kind");
            return Err(Refused::explained(KEY_UNREADABLE, why));
        }
    };
    wrapped.ok_or_else(unreadable)
}

/// Wraps a key in `PrivateKeyInfo` (RFC 5208 section 5).
fn wrapped(oid: ObjectIdentifier, parameters: AnyRef<'_>, key: &[u8]) -> Option<Vec<u8>> {
    let algorithm = AlgorithmIdentifierRef {
        oid,
        parameters: Some(parameters),
    };
    let mut body = vec![2, 1, 0];
    body.extend(algorithm.to_der().ok()?);
    body.extend(OctetStringRef::new(key).ok()?.to_der().ok()?);
    AnyRef::new(Tag::Sequence, &body).ok()?.to_der().ok()
}

/// A key in PKCS #8.
struct Key<'a> {
    oid: ObjectIdentifier,
    inner: &'a [u8],
}

impl<'a> Key<'a> {
    fn read(der: &'a [u8]) -> Option<Self> {
        let mut fields = fields(der)?;
        let _version = AnyRef::decode(&mut fields).ok()?;
        let algorithm = AlgorithmIdentifierRef::decode(&mut fields).ok()?;
        let inner = <&OctetStringRef>::decode(&mut fields).ok()?;
        Some(Self {
            oid: algorithm.oid,
            inner: inner.as_bytes(),
        })
    }
}

/// The optional fields of `ECPrivateKey` (RFC 5915 section 3).
struct Ec<'a> {
    curve: Option<ObjectIdentifier>,
    public: Option<&'a [u8]>,
}

impl<'a> Ec<'a> {
    fn read(der: &'a [u8]) -> Option<Self> {
        let mut fields = fields(der)?;
        let _version = AnyRef::decode(&mut fields).ok()?;
        let _secret = AnyRef::decode(&mut fields).ok()?;
        let mut key = Self {
            curve: None,
            public: None,
        };
        while !fields.is_finished() {
            let field = AnyRef::decode(&mut fields).ok()?;
            match field.tag() {
                Tag::ContextSpecific { number, .. } if number.value() == 0 => {
                    key.curve = ObjectIdentifier::from_der(field.value()).ok();
                }
                Tag::ContextSpecific { number, .. } if number.value() == 1 => {
                    key.public = BitStringRef::from_der(field.value()).ok()?.as_bytes();
                }
                _ => {}
            }
        }
        Some(key)
    }
}

/// Returns a reader over the content of a sequence.
fn fields(der: &[u8]) -> Option<SliceReader<'_>> {
    let sequence = AnyRef::from_der(der).ok()?;
    if sequence.tag() != Tag::Sequence {
        return None;
    }
    SliceReader::new(sequence.value()).ok()
}

/// Checks that a private key (PKCS #8) belongs to a public one, as far as that is visible without cryptographic
/// computation. The error is in the words of the reference.
pub(super) fn belongs(
    private: &[u8],
    spki: &SubjectPublicKeyInfoOwned,
) -> Result<(), &'static str> {
    const OTHER: &str = "tls: private key does not match public key";
    let (Some(key), Some(public)) = (Key::read(private), spki.subject_public_key.as_bytes()) else {
        return Err(OTHER);
    };
    if key.oid != spki.algorithm.oid {
        return Err("tls: private key type does not match public key type");
    }
    let is_own = match key.oid {
        RSA => {
            let modulus = modulus(key.inner, true);
            modulus.is_some() && modulus == self::modulus(public, false)
        }
        EC => Ec::read(key.inner).is_some_and(|key| key.public.is_none_or(|own| own == public)),
        _ => true,
    };
    is_own.then_some(()).ok_or(OTHER)
}

/// Returns the modulus of an RSA key (RFC 8017 appendix A.1); a private key has a version before it.
fn modulus(der: &[u8], is_private: bool) -> Option<Vec<u8>> {
    let mut fields = fields(der)?;
    if is_private {
        let _version = AnyRef::decode(&mut fields).ok()?;
    }
    let number = UintRef::decode(&mut fields).ok()?;
    Some(number.as_bytes().to_vec())
}

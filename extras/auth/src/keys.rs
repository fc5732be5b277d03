//! Keys that verify signatures: where a definition gets them from, and how the platform imports them.

use crate::der;
use crate::jose::{Algorithm, Family, Token};
use crate::report::Stop;
use crate::wishes::{Check, Wishes};
use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;
use gatewright_model::json::{Value, quote};

const EITHER: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// Decodes Base64 of either alphabet, with or without padding, ignoring white space.
#[must_use]
pub fn base64(text: &str) -> Option<Vec<u8>> {
    let text: String = text
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .collect();
    let standard = GeneralPurpose::new(&STANDARD, EITHER).decode(&text);
    standard
        .or_else(|_| GeneralPurpose::new(&URL_SAFE, EITHER).decode(&text))
        .ok()
}

/// A key that verifies signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A shared secret.
    Secret(Vec<u8>),
    /// A public key, a `SubjectPublicKeyInfo` in DER.
    Public(Vec<u8>),
    /// A public key from a key set, a JSON Web Key (RFC 7517) reduced to the key itself.
    Web {
        /// Its JSON.
        text: String,
        /// Its type.
        kind: der::Key,
    },
}

/// Where a definition's key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nowhere.
    None,
    /// In a key set at this address.
    Set(String),
    /// In the definition: its bytes.
    Bytes(Vec<u8>),
    /// The member can't be parsed.
    Unusable,
}

fn is_address(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        let start = text.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}

impl Source {
    /// Reads a source: an address, plain or in Base64, or the key in Base64.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() {
            return Self::None;
        }
        if is_address(text) {
            return Self::Set(text.to_owned());
        }
        let Some(bytes) = base64(text) else {
            return Self::Unusable;
        };
        match std::str::from_utf8(&bytes).map(str::trim) {
            Ok(address) if is_address(address) => Self::Set(address.to_owned()),
            _ => Self::Bytes(bytes),
        }
    }
}

/// Returns the DER of the first block in a PEM text (RFC 7468) that is a public key or a certificate.
fn of_pem(text: &str) -> Option<Vec<u8>> {
    let mut rest = text;
    while let Some((_, block)) = rest.split_once("-----BEGIN ") {
        let (label, block) = block.split_once("-----")?;
        let (body, behind) = block.split_once("-----END ")?;
        if matches!(label, "PUBLIC KEY" | "RSA PUBLIC KEY" | "CERTIFICATE") {
            return base64(body);
        }
        rest = behind;
    }
    None
}

/// Reads a key for an algorithm from bytes: a secret, or a public key in PEM or DER. `None` if the algorithm can't use
/// them.
#[must_use]
pub fn of_bytes(bytes: &[u8], algorithm: &Algorithm) -> Option<Key> {
    let text = std::str::from_utf8(bytes).ok();
    let pem = text.filter(|text| text.contains("-----BEGIN "));
    let der = match pem {
        Some(text) => of_pem(text),
        None => Some(bytes.to_vec()),
    };
    let public = der.and_then(|der| der::public_key(&der));
    if algorithm.family == Family::Hmac {
        // A public key is known to everybody, so it can't be a secret.
        let is_secret = pem.is_none() && public.is_none() && !bytes.is_empty();
        return is_secret.then(|| Key::Secret(bytes.to_vec()));
    }
    public.map(Key::Public).filter(|key| key.fits(algorithm))
}

/// Reads the RSA key in the first certificate of a JSON Web Key that has nothing else. As in the family it is PEM, which
/// is in Base64 once more.
fn of_chain(key: &Value<'_>) -> Option<Key> {
    let first = base64(key.get("x5c")?.items().first()?.as_str()?)?;
    let spki = der::public_key(&of_pem(std::str::from_utf8(&first).ok()?)?)?;
    (der::kind(&spki) == Some(der::Key::Rsa)).then_some(Key::Public(spki))
}

impl Key {
    /// Whether an algorithm can use this key.
    #[must_use]
    pub fn fits(&self, algorithm: &Algorithm) -> bool {
        let kind = match self {
            Self::Secret(_) => return algorithm.family == Family::Hmac,
            Self::Public(spki) => der::kind(spki),
            Self::Web { kind, .. } => Some(*kind),
        };
        match algorithm.family {
            Family::Hmac => false,
            Family::Rsa | Family::Pss => kind == Some(der::Key::Rsa),
            Family::Ecdsa | Family::EdDsa => kind == Some(der::Key::Curve(algorithm.curve)),
        }
    }

    /// Reads a JSON Web Key; `None` if it isn't for verifying signatures, or is of an unsupported type.
    #[must_use]
    pub fn of_set(key: &Value<'_>) -> Option<Self> {
        if key.str("use").is_some_and(|used| used != "sig") {
            return None;
        }
        let operations = key.get("key_ops").map(Value::items);
        let verifies = |operation: &Value<'_>| operation.as_str() == Some("verify");
        if operations.is_some_and(|operations| !operations.iter().any(verifies)) {
            return None;
        }
        let text = |name: &str| key.str(name).filter(|text| !text.is_empty());
        let (members, kind): (&[&str], _) = match text("kty")? {
            "oct" => return base64(text("k")?).map(Self::Secret),
            "RSA" if text("n").is_none() => return of_chain(key),
            "RSA" => (&["n", "e"], der::Key::Rsa),
            kty @ ("EC" | "OKP") => {
                let curves = ["P-256", "P-384", "P-521", "Ed25519"].into_iter();
                let curve = curves
                    .into_iter()
                    .find(|curve| Some(*curve) == text("crv"))?;
                let members: &[&str] = match (kty, curve) {
                    ("OKP", "Ed25519") => &["x"],
                    ("EC", "P-256" | "P-384" | "P-521") => &["x", "y"],
                    _ => return None,
                };
                (members, der::Key::Curve(curve))
            }
            _ => return None,
        };
        let mut web = format!("{{\"kty\":{}", quote(text("kty")?));
        if let der::Key::Curve(curve) = kind {
            web.push_str(&format!(",\"crv\":{}", quote(curve)));
        }
        for name in members {
            web.push_str(&format!(",\"{name}\":{}", quote(text(name)?)));
        }
        web.push('}');
        Some(Self::Web { text: web, kind })
    }

    /// Returns format and key as WebCrypto imports them.
    fn written(&self) -> (&'static str, String) {
        match self {
            Self::Secret(bytes) => ("raw", quote(&BASE64_STANDARD.encode(bytes))),
            Self::Public(spki) => ("spki", quote(&BASE64_STANDARD.encode(spki))),
            Self::Web { text, .. } => ("jwk", text.clone()),
        }
    }
}

/// Verifies a token's signature with a key.
///
/// # Errors
/// The wish, if it has not been verified yet.
pub fn is_signed(
    token: &Token<'_>,
    algorithm: &Algorithm,
    key: &Key,
    wishes: &mut Wishes<'_>,
) -> Result<bool, Stop> {
    let hash = format!("\"hash\":\"SHA-{}\"", algorithm.bits);
    let (import, by) = match algorithm.family {
        Family::Hmac => (
            format!("\"name\":\"HMAC\",{hash}"),
            "\"name\":\"HMAC\"".to_owned(),
        ),
        Family::Rsa => (
            format!("\"name\":\"RSASSA-PKCS1-v1_5\",{hash}"),
            "\"name\":\"RSASSA-PKCS1-v1_5\"".to_owned(),
        ),
        Family::Pss => (
            format!("\"name\":\"RSA-PSS\",{hash}"),
            format!("\"name\":\"RSA-PSS\",\"saltLength\":{}", algorithm.bits / 8),
        ),
        Family::Ecdsa => (
            format!("\"name\":\"ECDSA\",\"namedCurve\":\"{}\"", algorithm.curve),
            format!("\"name\":\"ECDSA\",{hash}"),
        ),
        Family::EdDsa => (
            "\"name\":\"Ed25519\"".to_owned(),
            "\"name\":\"Ed25519\"".to_owned(),
        ),
    };
    let (format, key) = key.written();
    wishes.verify(Check {
        with: format!(
            "{{\"import\":{{{import}}},\"by\":{{{by}}},\"format\":\"{format}\",\"key\":{key}}}"
        ),
        signature: token.parts.signature.to_owned(),
        signed: token.parts.signed.to_owned(),
    })
}

//! As much of DER (X.690) as finding a public key takes: in a certificate (RFC 5280), or bare.

/// A value: its tag, its bytes including tag and length, and its content.
struct Node<'a> {
    tag: u8,
    encoded: &'a [u8],
    content: &'a [u8],
}

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const OID: u8 = 0x06;
const BIT_STRING: u8 = 0x03;
/// The tag `[0]`, of a certificate's version.
const VERSION: u8 = 0xa0;

/// Splits off the first value of some bytes.
fn first(bytes: &[u8]) -> Option<(Node<'_>, &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (short, rest) = rest.split_first()?;
    let (length, rest) = match short {
        0..=0x7f => (usize::from(*short), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(short & 0x7f))?;
            let fold =
                |sum: usize, digit: &u8| sum.checked_mul(256)?.checked_add(usize::from(*digit));
            (digits.iter().try_fold(0, fold)?, rest)
        }
        _ => return None,
    };
    let (content, behind) = rest.split_at_checked(length)?;
    let encoded = bytes.get(..bytes.len().checked_sub(behind.len())?)?;
    let tag = *tag;
    Some((
        Node {
            tag,
            encoded,
            content,
        },
        behind,
    ))
}

fn nodes(mut bytes: &[u8]) -> Option<Vec<Node<'_>>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let (node, rest) = first(bytes)?;
        found.push(node);
        bytes = rest;
    }
    Some(found)
}

/// Returns the values in a sequence, which has to be all there is.
fn sequence(bytes: &[u8]) -> Option<Vec<Node<'_>>> {
    let (node, rest) = first(bytes)?;
    (node.tag == SEQUENCE && rest.is_empty()).then(|| nodes(node.content))?
}

/// The type of a public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// RSA.
    Rsa,
    /// A point on this curve.
    Curve(&'static str),
}

/// Object identifiers of algorithms and curves.
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
const CURVES: &[(&[u8], &str)] = &[
    (&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07], "P-256"),
    (&[0x2b, 0x81, 0x04, 0x00, 0x22], "P-384"),
    (&[0x2b, 0x81, 0x04, 0x00, 0x23], "P-521"),
];

/// Returns the type of key in a `SubjectPublicKeyInfo`; `None` if it isn't one, or isn't supported.
#[must_use]
pub fn kind(spki: &[u8]) -> Option<Key> {
    let parts = sequence(spki)?;
    let [algorithm, key] = parts.as_slice() else {
        return None;
    };
    if key.tag != BIT_STRING {
        return None;
    }
    let parts = sequence(algorithm.encoded)?;
    let oid = parts.first().filter(|node| node.tag == OID)?;
    match oid.content {
        RSA => Some(Key::Rsa),
        ED25519 => Some(Key::Curve("Ed25519")),
        EC => {
            let curve = parts.get(1).filter(|node| node.tag == OID)?;
            let known = CURVES.iter().find(|(oid, _)| *oid == curve.content)?;
            Some(Key::Curve(known.1))
        }
        _ => None,
    }
}

/// Returns the `SubjectPublicKeyInfo` of a certificate.
fn of_certificate(der: &[u8]) -> Option<Vec<u8>> {
    let parts = sequence(der)?;
    let fields = sequence(parts.first()?.encoded)?;
    // It follows serial number, signature, issuer, validity and subject, which an optional version precedes.
    let skipped = usize::from(fields.first()?.tag == VERSION);
    let spki = fields.get(skipped.checked_add(5)?)?.encoded;
    kind(spki).map(|_| spki.to_vec())
}

/// Builds the `SubjectPublicKeyInfo` of a bare RSA key (RFC 8017 appendix A.1.1).
fn of_rsa(der: &[u8]) -> Option<Vec<u8>> {
    let parts = sequence(der)?;
    let is_key = parts.len() == 2 && parts.iter().all(|node| node.tag == INTEGER);
    is_key.then_some(())?;
    let algorithm = wrapped(SEQUENCE, &[&wrapped(OID, &[RSA])?, &[0x05, 0x00]])?;
    let key = wrapped(BIT_STRING, &[&[0], der])?;
    wrapped(SEQUENCE, &[&algorithm, &key])
}

fn wrapped(tag: u8, parts: &[&[u8]]) -> Option<Vec<u8>> {
    let content = parts.concat();
    let length = u16::try_from(content.len()).ok()?;
    let mut encoded = vec![tag];
    match length.to_be_bytes() {
        [0, low @ 0..=0x7f] => encoded.push(low),
        [0, low] => encoded.extend([0x81, low]),
        digits => {
            encoded.push(0x82);
            encoded.extend(digits);
        }
    }
    encoded.extend(content);
    Some(encoded)
}

/// Returns the `SubjectPublicKeyInfo` in some DER: that of a certificate, a bare one, or one built from a bare RSA key.
#[must_use]
pub fn public_key(der: &[u8]) -> Option<Vec<u8>> {
    if kind(der).is_some() {
        return Some(der.to_vec());
    }
    of_certificate(der).or_else(|| of_rsa(der))
}

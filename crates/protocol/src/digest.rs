//! A name for any number of texts, hexadecimal digits, and HMAC.

use sha2::{Digest, Sha256};

/// The length of a block of SHA-256, in bytes.
const BLOCK: usize = 64;

/// HMAC-SHA256 under one key (RFC 2104).
#[derive(Clone)]
pub struct Hmac {
    inner: Sha256,
    outer: Sha256,
}

impl Hmac {
    /// Takes the key.
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        let hashed = Sha256::digest(key);
        let key = if key.len() > BLOCK { &hashed } else { key };
        let mut block = [0; BLOCK];
        for (to, from) in block.iter_mut().zip(key) {
            *to = *from;
        }
        let started = |pad: u8| Sha256::new().chain_update(block.map(|byte| byte ^ pad));
        Self {
            inner: started(0x36),
            outer: started(0x5c),
        }
    }

    /// Returns the code of a text, 32 bytes.
    #[must_use]
    pub fn code(&self, text: &[u8]) -> [u8; 32] {
        let inner = self.inner.clone().chain_update(text).finalize();
        let outer = self.outer.clone().chain_update(inner);
        outer.finalize().into()
    }
}

/// Returns the SHA-256 of several byte strings in hexadecimal digits, each prefixed with its length so that different
/// lists have different names.
#[must_use]
pub fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

/// Returns bytes in lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| match half {
        0..10 => b'0'.wrapping_add(half),
        _ => b'a'.wrapping_add(half.wrapping_sub(10)),
    };
    let mut text = Vec::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        text.extend([digit(byte >> 4), digit(byte & 15)]);
    }
    String::from_utf8(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Hmac, digest, hex};

    #[test]
    fn where_a_part_ends_is_part_of_the_name() {
        let names = [
            digest(&[b"ab", b"c"]),
            digest(&[b"a", b"bc"]),
            digest(&[b"abc"]),
            digest(&[b"abc", b""]),
        ];
        for (at, name) in names.iter().enumerate() {
            assert_eq!(name.len(), 64);
            assert_eq!(names.iter().position(|other| other == name), Some(at));
        }
        assert_eq!(digest(&[b"ab", b"c"]), names[0]);
    }

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hex(&[0, 0x0f, 0xa0, 0xff]), "000fa0ff");
        assert_eq!(hex(&[]), "");
    }

    #[test]
    fn codes_are_those_of_rfc_4231() {
        let long = [0xaa; 131];
        for (key, text, code) in [
            (
                &[0x0b; 20][..],
                "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &long,
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            assert_eq!(hex(&Hmac::new(key).code(text.as_bytes())), code, "{text}");
        }
    }
}

//! A name for any number of texts, and hexadecimal digits.

use sha2::{Digest, Sha256};

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
    use super::{digest, hex};

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
}

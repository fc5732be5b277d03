//! A name for any number of texts.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Returns the SHA-256 of several byte strings in hexadecimal digits, each prefixed with its length so that different
/// lists have different names.
#[must_use]
pub fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        // Writing into a string can't fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::digest;

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
}

//! Names that events use for keys whose hash must not be disclosed.
//!
//! The promise: nobody who receives an event can use a key by what it says. No token can be derived from a SHA-256. But
//! anyone can find a text with a given murmur hash, and that text opens whatever the key opens; so notifications,
//! webhooks and log lines use a name instead, always the same one for the same key.

use crate::digest::hex;
use sha2::{Digest, Sha256};
use std::cell::OnceCell;

/// The prefix that distinguishes a name from a hash.
pub const PREFIX: &str = "hmac-";
/// The name used if there is no secret to derive names from.
pub const HIDDEN: &str = "hidden";
/// The number of hexadecimal digits in a mark.
pub const MARK: usize = 32;
/// How often the secret is hashed before names are derived from it, so that each guess at it costs whoever knows names
/// some work.
const ROUNDS: u32 = 4096;
/// The block size of SHA-256, in bytes.
const BLOCK: usize = 64;
/// The number of hexadecimal digits in a SHA-256.
const STRONG: usize = 64;

/// Derives names from a secret of the installation: another secret gives other names.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Pseudonyms {
    secret: Option<String>,
    key: OnceCell<Vec<u8>>,
}

impl std::fmt::Debug for Pseudonyms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pseudonyms(…)")
    }
}

impl Pseudonyms {
    /// Creates the pseudonyms of an installation with this secret (`GATEWAY_SECRET`).
    #[must_use]
    pub fn new(secret: Option<String>) -> Self {
        Self {
            secret: secret.filter(|secret| !secret.is_empty()),
            key: OnceCell::new(),
        }
    }

    /// Returns the name that events use for the key stored under a hash; an empty hash stays empty.
    #[must_use]
    pub fn of(&self, hash: &str) -> String {
        if hash.is_empty() || hash.len() == STRONG {
            return hash.to_owned();
        }
        if self.secret.is_none() {
            return HIDDEN.to_owned();
        }
        PREFIX.to_owned() + &self.mark(hash)
    }

    /// Returns [`MARK`] digits of a text that only this installation can compute. An installation without a secret
    /// administers nothing, so it has nothing to mark.
    #[must_use]
    pub fn mark(&self, text: &str) -> String {
        let key = self.key.get_or_init(|| {
            let secret = self.secret.as_deref().unwrap_or_default();
            let mut key = b"names of keys in events".to_vec();
            for _ in 0..ROUNDS {
                key = mac(secret.as_bytes(), &key);
            }
            key
        });
        let mut mark = hex(&mac(key, text.as_bytes()));
        mark.truncate(MARK);
        mark
    }
}

/// HMAC-SHA256 (RFC 2104).
fn mac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let hashed;
    let key = if key.len() > BLOCK {
        hashed = Sha256::digest(key);
        hashed.as_slice()
    } else {
        key
    };
    let padded = |with: u8, message: &[u8]| {
        let zeros = std::iter::repeat_n(&0_u8, BLOCK.saturating_sub(key.len()));
        let block: Vec<u8> = key.iter().chain(zeros).map(|byte| byte ^ with).collect();
        Sha256::new()
            .chain_update(block)
            .chain_update(message)
            .finalize()
    };
    padded(0x5c, &padded(0x36, message)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::HashFunction;

    /// Fault M10: a murmur hash is as good as the token, and webhooks and the log were sent it.
    #[test]
    fn a_hash_from_which_a_token_can_be_made_is_never_disclosed() {
        let names = Pseudonyms::new(Some("a secret".to_owned()));
        for function in [
            HashFunction::Murmur32,
            HashFunction::Murmur64,
            HashFunction::Murmur128,
        ] {
            let hash = function.hash("token");
            let name = names.of(&hash);
            assert!(name.starts_with(PREFIX) && name.len() == PREFIX.len() + 32);
            assert!(!name.contains(&hash));
            assert_eq!(name, names.clone().of(&hash));
            assert_eq!(name.strip_prefix(PREFIX), Some(names.mark(&hash).as_str()));
            let other = Pseudonyms::new(Some("another".to_owned()));
            assert_ne!(name, other.of(&hash));
            assert_eq!(Pseudonyms::new(Some(String::new())).of(&hash), HIDDEN);
            assert_eq!(Pseudonyms::default().of(&hash), HIDDEN);
        }
        let strong = HashFunction::Sha256.hash("token");
        assert_eq!(names.of(&strong), strong);
        assert_eq!(names.of(""), "");
    }

    #[test]
    fn the_mac_is_that_of_the_rfc() {
        // RFC 4231 sections 4.3 and 4.7.
        let found = mac(b"Jefe", b"what do ya want for nothing?");
        assert_eq!(found.get(..4), Some(&[0x5b, 0xdc, 0xc1, 0x46][..]));
        let text = b"Test Using Larger Than Block-Size Key - Hash Key First";
        let found = mac(&[0xaa; 131], text);
        assert_eq!(found.get(..4), Some(&[0x60, 0xe4, 0x31, 0x59][..]));
    }

    #[test]
    fn the_secret_is_in_no_log() {
        let names = Pseudonyms::new(Some("a secret".to_owned()));
        assert_eq!(format!("{names:?}"), "Pseudonyms(…)");
    }
}

//! Tokens of keys: the forms that this API family uses, and the hashes under which they are stored (reference 2.5).
//!
//! The promise: a token or a hash that another gateway of this family has made is found here under the same name, and
//! only the hash is ever stored.

use crate::digest::hex;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gatewright_model::json;
use sha2::{Digest, Sha256};

/// The maximum length of a token. Those of this family have less than 200 bytes; a JSON Web Token, which is hashed like
/// any other text, has a few thousand.
pub const TOKEN_MAX_BYTES: usize = 8192;

/// A hash function for tokens: a token names its own in `h`, and one without it is hashed with `murmur32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashFunction {
    /// 8 hexadecimal digits.
    Murmur32,
    /// The first half of [`Self::Murmur128`].
    Murmur64,
    /// MurmurHash3 for 64 bit machines, 32 hexadecimal digits.
    Murmur128,
    /// SHA-256. The default for new tokens, because none of the others is hard to reverse.
    #[default]
    Sha256,
}

impl HashFunction {
    /// Returns the function with this name. An unknown one is `murmur64` (reference 2.5).
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "sha256" => Self::Sha256,
            "murmur32" => Self::Murmur32,
            "murmur128" => Self::Murmur128,
            _ => Self::Murmur64,
        }
    }

    /// Returns its name, as tokens contain it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Murmur32 => "murmur32",
            Self::Murmur64 => "murmur64",
            Self::Murmur128 => "murmur128",
            Self::Sha256 => "sha256",
        }
    }

    /// Returns the hash of a text, in lower-case hexadecimal digits.
    #[must_use]
    pub fn hash(self, text: &str) -> String {
        // Reading from a slice can't fail.
        match self {
            Self::Murmur32 => {
                let hash = murmur3::murmur3_32(&mut text.as_bytes(), 0).unwrap_or_default();
                hex(&hash.to_be_bytes())
            }
            Self::Murmur64 => {
                let mut hash = Self::Murmur128.hash(text);
                hash.truncate(16);
                hash
            }
            Self::Murmur128 => {
                let hash = murmur3::murmur3_x64_128(&mut text.as_bytes(), 0).unwrap_or_default();
                // The first half is in the lower 64 of the 128 bits.
                hex(&hash.rotate_left(64).to_be_bytes())
            }
            Self::Sha256 => hex(&Sha256::digest(text.as_bytes())),
        }
    }
}

/// The parts of a token of the default form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The organisation.
    pub org: String,
    /// 32 random hexadecimal digits, or a custom id.
    pub id: String,
    /// How it is hashed, if stated.
    pub hash: Option<HashFunction>,
}

/// Parses a token of the default form: standard Base64 of a JSON object. `None` for any other.
#[must_use]
pub fn parts(token: &str) -> Option<Parts> {
    // Text that starts with `{"` starts with `ey` in Base64.
    if !token.starts_with("ey") || token.len() > TOKEN_MAX_BYTES {
        return None;
    }
    let text = String::from_utf8(BASE64_STANDARD.decode(token).ok()?).ok()?;
    let value = json::parse(&text).ok()?;
    Some(Parts {
        org: value.str("org")?.to_owned(),
        id: value.str("id")?.to_owned(),
        hash: value.str("h").map(HashFunction::named),
    })
}

/// Creates a token of the default form.
#[must_use]
pub fn token(org: &str, id: &str, hash: HashFunction) -> String {
    let text = format!(
        "{{\"org\":{},\"id\":{},\"h\":\"{}\"}}",
        json::quote(org),
        json::quote(id),
        hash.name()
    );
    BASE64_STANDARD.encode(text)
}

/// Returns the hash under which a token is stored, whatever its form.
#[must_use]
pub fn hash(token: &str) -> String {
    let function = parts(token).and_then(|parts| parts.hash);
    function.unwrap_or(HashFunction::Murmur32).hash(token)
}

/// Returns a custom id without the organisation that some clients prepend.
#[must_use]
pub fn custom_id<'a>(org: &str, id: &'a str) -> &'a str {
    match id.strip_prefix(org) {
        Some(rest) if !rest.is_empty() => rest,
        _ => id,
    }
}

/// Returns the hashes under which a token sent by a client may be stored, in the order in which they are tried: the
/// token itself, a custom id in the default form, a custom id in the legacy form (reference 2.5, *Lookup order at
/// use*). The default form is tried with the configured function and with `murmur64`, which most keys from elsewhere
/// have.
#[must_use]
pub fn candidates(sent: &str, org: &str, configured: HashFunction) -> Vec<String> {
    let mut found = vec![hash(sent)];
    if parts(sent).is_none() {
        let id = custom_id(org, sent);
        for function in [configured, HashFunction::Murmur64] {
            let built = hash(&token(org, id, function));
            if !found.contains(&built) {
                found.push(built);
            }
        }
        found.push(hash(&format!("{org}{id}")));
    }
    found
}

/// Returns the hash that a token or custom id is or would be stored under: a custom id in the default form.
#[must_use]
pub fn stored_hash(sent: &str, org: &str, configured: HashFunction) -> String {
    match parts(sent) {
        Some(_) => hash(sent),
        None => hash(&token(org, custom_id(org, sent), configured)),
    }
}

/// Returns the full token of a key stored under a hash, if what was sent is that token or its custom id.
#[must_use]
pub fn full_token(
    sent: &str,
    (org, default): (&str, &str),
    configured: HashFunction,
    stored: &str,
) -> Option<String> {
    if hash(sent) == stored {
        return Some(sent.to_owned());
    }
    let forms = [org, default, ""].into_iter().flat_map(|org| {
        let id = custom_id(org, sent);
        [
            token(org, id, configured),
            token(org, id, HashFunction::Murmur64),
            format!("{org}{id}"),
        ]
    });
    forms.into_iter().find(|form| hash(form) == stored)
}

/// Returns the hashes under which a key may be stored that is sent to an API of an organisation. A definition without one
/// belongs to the default organisation, so the ids of its keys are looked for there as well.
#[must_use]
pub fn stored_under(
    sent: &str,
    (org, default): (&str, &str),
    configured: HashFunction,
) -> Vec<String> {
    let mut found = candidates(sent, org, configured);
    if org.is_empty() {
        let others = candidates(sent, default, configured);
        found.extend(others.into_iter().skip(1));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_other_gateways() {
        // The values of Go's murmur3 package, which prints the sums with the first half first.
        for (function, hash) in [
            (HashFunction::Murmur32, "248bfa47"),
            (HashFunction::Murmur64, "cbd8a7b341bd9b02"),
            (HashFunction::Murmur128, "cbd8a7b341bd9b025b1e906a48ae1d19"),
            (
                HashFunction::Sha256,
                "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
            ),
        ] {
            assert_eq!(function.hash("hello"), hash, "{}", function.name());
            assert_eq!(HashFunction::named(function.name()), function);
        }
    }

    #[test]
    fn the_default_form_comes_back() {
        let token = token("acme", "c0ffee", HashFunction::Murmur64);
        let text = BASE64_STANDARD.decode(&token).unwrap();
        assert_eq!(text, br#"{"org":"acme","id":"c0ffee","h":"murmur64"}"#);
        let read = parts(&token).unwrap();
        assert_eq!((read.org.as_str(), read.id.as_str()), ("acme", "c0ffee"));
        assert_eq!(hash(&token), HashFunction::Murmur64.hash(&token));
    }

    #[test]
    fn a_token_without_a_function_is_hashed_as_a_legacy_one() {
        for token in ["54de205930c55e15bd0000019d1e0fc0", "", "eyJ", "ey%%"] {
            assert_eq!(parts(token), None);
            assert_eq!(hash(token), HashFunction::Murmur32.hash(token));
        }
    }

    #[test]
    fn an_unknown_function_is_murmur64() {
        assert_eq!(HashFunction::named("md5"), HashFunction::Murmur64);
    }

    #[test]
    fn an_organisation_before_a_custom_id_is_stripped() {
        assert_eq!(custom_id("acme", "acmebob"), "bob");
        assert_eq!(custom_id("acme", "acme"), "acme");
        assert_eq!(custom_id("", "bob"), "bob");
    }

    #[test]
    fn a_custom_id_is_looked_for_in_every_form() {
        let sha = HashFunction::Sha256;
        let found = candidates("bob", "acme", sha);
        assert_eq!(
            found,
            [
                hash("bob"),
                hash(&token("acme", "bob", sha)),
                hash(&token("acme", "bob", HashFunction::Murmur64)),
                hash("acmebob"),
            ]
        );
        let full_token = token("acme", "bob", sha);
        assert_eq!(candidates(&full_token, "acme", sha), [hash(&full_token)]);
        for sent in ["bob", "acmebob", &full_token] {
            assert_eq!(stored_hash(sent, "acme", sha), hash(&full_token), "{sent}");
        }
    }

    #[test]
    fn a_custom_id_belongs_to_its_organisation() {
        let sha = HashFunction::Sha256;
        let finds = |org: &str, of: &str| {
            let key = hash(&token(of, "bob", sha));
            stored_under("bob", (org, "home"), sha).contains(&key)
        };
        for (org, of, found) in [
            ("home", "home", true),
            ("home", "", false),
            ("acme", "home", false),
            ("", "", true),
            ("", "home", true),
            ("", "acme", false),
        ] {
            assert_eq!(finds(org, of), found, "{of} at {org}");
        }
        let whole = token("", "bob", sha);
        assert_eq!(stored_under(&whole, ("home", "home"), sha), [hash(&whole)]);
        assert_eq!(stored_under(&whole, ("", "home"), sha), [hash(&whole)]);
    }

    #[test]
    fn a_custom_id_leads_to_its_token() {
        let sha = HashFunction::Sha256;
        for token in [
            token("acme", "bob", sha),
            token("acme", "bob", HashFunction::Murmur64),
            token("", "bob", sha),
            "acmebob".to_owned(),
        ] {
            for sent in ["bob", token.as_str()] {
                let found = full_token(sent, ("acme", "home"), sha, &hash(&token));
                assert_eq!(found.as_deref(), Some(token.as_str()), "{sent}");
            }
        }
        assert_eq!(full_token("bob", ("acme", "home"), sha, "other"), None);
    }
}

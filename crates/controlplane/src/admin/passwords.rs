//! Passwords of basic authentication (reference 1.6, item 5): they are hashed before anything is stored, by bcrypt or
//! as the operator configured, unless the client sends a hash.

use super::replies::unexpected;
use crate::error::Error;
use crate::ports::Platform;
use base64::Engine;
use base64::alphabet::BCRYPT;
use base64::engine::{GeneralPurpose, general_purpose::NO_PAD};
use gatewright_model::json::{self, Value};
use gatewright_model::merge;
use gatewright_protocol::token::HashFunction;
use serde_json::json;
use std::borrow::Cow;
use subtle::ConstantTimeEq;

/// The bcrypt cost of a plain password: 2^10 rounds, as in the reference.
const COST: u32 = 10;
/// The maximum cost: a more expensive hash would hold up every other request of its isolate for seconds.
const COST_MAX: u32 = 12;
/// The maximum length of a password in bytes: bcrypt ignores the rest.
const PASSWORD_MAX: usize = 72;

const BASE64: GeneralPurpose = GeneralPurpose::new(&BCRYPT, NO_PAD);

/// Returns a session whose password, if any, is hashed. `stored` is the session it replaces: a client that sends back
/// the stored hash means the same password.
pub(super) fn hashed<'t, P: Platform>(
    platform: &P,
    text: &'t str,
    stored: Option<&str>,
) -> Result<Cow<'t, str>, Error> {
    let session = json::parse(text).map_err(|_| unexpected())?;
    let Some((password, kind)) = credentials(&session) else {
        return Ok(Cow::Borrowed(text));
    };
    let before = stored.and_then(|text| json::parse(text).ok());
    let same = before.as_ref().and_then(credentials);
    let same = same.filter(|(known, _)| *known == password);
    let patch = match same {
        Some((_, kind)) => json!({ "hash_type": kind }),
        None if is_hash(&password, &kind)? => return Ok(Cow::Borrowed(text)),
        None => match platform.keys().passwords {
            None => json!({ "password": hash(platform, &password)?, "hash_type": "bcrypt" }),
            Some(function) => {
                json!({ "password": function.hash(&password), "hash_type": function.name() })
            }
        },
    };
    let patch = json!({ "basic_auth_data": patch }).to_string();
    let merged = merge::merge(text, &patch).map_err(|_| unexpected())?;
    Ok(Cow::Owned(merged))
}

/// Returns the password of a session and its hash type.
fn credentials(session: &Value<'_>) -> Option<(String, String)> {
    let data = session.get("basic_auth_data")?;
    let password = data.str("password").filter(|text| !text.is_empty())?;
    let kind = data.str("hash_type").unwrap_or_default();
    Some((password.to_owned(), kind.to_owned()))
}

/// Whether a password is already a hash of this type.
fn is_hash(password: &str, kind: &str) -> Result<bool, Error> {
    let digits = |count: usize| {
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        password.len() == count && password.bytes().all(is_digit)
    };
    match kind {
        "bcrypt" => bcrypt_hash(password),
        "sha256" => Ok(digits(64)),
        "murmur32" => Ok(digits(8)),
        "murmur64" => Ok(digits(16)),
        "murmur128" => Ok(digits(32)),
        _ => Ok(false),
    }
}

/// Whether a text is a bcrypt hash: `$2a$10$` and 53 characters of salt and hash.
fn bcrypt_hash(text: &str) -> Result<bool, Error> {
    if !text.starts_with("$2") {
        return Ok(false);
    }
    let refused = |why: &str| {
        let text = format!("/basic_auth_data/password: {why}");
        Err(Error::Refused(400, text))
    };
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/');
    let parts: Vec<&str> = text.split('$').collect();
    let cost = match parts.as_slice() {
        ["", "2a" | "2b" | "2y", cost, rest] if rest.len() == 53 && rest.bytes().all(is_letter) => {
            cost.parse::<u32>().ok()
        }
        _ => None,
    };
    match cost {
        Some(cost) if (4..=COST_MAX).contains(&cost) => Ok(true),
        Some(cost) => refused(&format!(
            "a bcrypt hash has a cost of 4 to {COST_MAX} here, and this one {cost}"
        )),
        None => {
            refused("this is no bcrypt hash, as hash_type says; leave hash_type out for a password")
        }
    }
}

fn hash<P: Platform>(platform: &P, password: &str) -> Result<String, Error> {
    if password.len() > PASSWORD_MAX || password.contains('\0') {
        let text = format!(
            "/basic_auth_data/password: a password has at most {PASSWORD_MAX} bytes, which is what bcrypt looks at, \
             and no NUL"
        );
        return Err(Error::Refused(400, text));
    }
    let salt = u128::from_str_radix(&platform.random_id(), 16).map_err(|_| unexpected())?;
    let salt = salt.to_be_bytes();
    // bcrypt includes the terminating NUL of a C string, if there is room for it.
    let mut bytes = password.as_bytes().to_vec();
    bytes.push(0);
    bytes.truncate(PASSWORD_MAX);
    let hash = bcrypt::bcrypt(COST, salt, &bytes);
    // bcrypt hashes traditionally omit the last byte.
    let hash = hash.get(..23).unwrap_or_default();
    Ok(format!(
        "$2a${COST}${}{}",
        BASE64.encode(salt),
        BASE64.encode(hash)
    ))
}

/// Whether a session has this password. A hash above the maximum cost never matches.
pub(super) fn is_right(session: &Value<'_>, password: &str) -> bool {
    let Some((known, kind)) = credentials(session) else {
        return false;
    };
    let made = match kind.as_str() {
        "bcrypt" => match rehashed(&known, password) {
            Some(made) => made,
            None => return false,
        },
        kind @ ("sha256" | "murmur32" | "murmur64" | "murmur128") => {
            HashFunction::named(kind).hash(password)
        }
        _ => return false,
    };
    bool::from(made.as_bytes().ct_eq(known.as_bytes()))
}

/// Hashes a password with the cost and salt of this bcrypt hash.
fn rehashed(known: &str, password: &str) -> Option<String> {
    if !bcrypt_hash(known).ok()? || password.len() > PASSWORD_MAX || password.contains('\0') {
        return None;
    }
    let (head, rest) = known.rsplit_once('$')?;
    let cost = head.rsplit_once('$')?.1.parse().ok()?;
    let (salt, _) = rest.split_at_checked(22)?;
    // The last character of the salt has four unused bits, and other implementations set them.
    let engine = GeneralPurpose::new(&BCRYPT, NO_PAD.with_decode_allow_trailing_bits(true));
    let bytes: [u8; 16] = engine.decode(salt).ok()?.try_into().ok()?;
    let mut text = password.as_bytes().to_vec();
    text.push(0);
    text.truncate(PASSWORD_MAX);
    let hash = bcrypt::bcrypt(cost, bytes, &text);
    let hash = hash.get(..23)?;
    Some(format!("{head}${salt}{}", BASE64.encode(hash)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_is_verified_against_its_hash() {
        let session = |hash: &str, kind: &str| {
            json!({ "basic_auth_data": { "password": hash, "hash_type": kind } }).to_string()
        };
        let right = |text: &str, password: &str| is_right(&json::parse(text).unwrap(), password);
        // From the test vectors of OpenBSD's bcrypt.
        for (password, hash) in [
            (
                "U*U",
                "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            ),
            (
                "",
                "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy",
            ),
        ] {
            assert!(right(&session(hash, "bcrypt"), password), "{password}");
            assert!(!right(&session(hash, "bcrypt"), "wrong"));
        }
        let sum = HashFunction::Sha256.hash("secret");
        assert!(right(&session(&sum, "sha256"), "secret"));
        assert!(!right(&session(&sum, "sha256"), &sum));
        assert!(!right(&session("secret", ""), "secret"));
        assert!(!right("{}", ""));
        let dear = "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
        assert!(!right(&session(dear, "bcrypt"), "U*U"));
    }

    #[test]
    fn hashes_are_recognised_by_their_format() {
        let hash = "$2a$10$abcdefghijklmnopqrstuuQ6x1tVZBrB0NlZwhM7l1mYpXCyyWnFO";
        for (password, kind, is) in [
            (hash, "bcrypt", true),
            (hash, "", false),
            ("secret", "bcrypt", false),
            (&"0a".repeat(32), "sha256", true),
            ("secret", "sha256", false),
            ("deadbeef", "murmur32", true),
            ("deadbeef", "murmur64", false),
        ] {
            assert_eq!(is_hash(password, kind), Ok(is), "{password} {kind}");
        }
        let dear = hash.replace("$10$", "$13$");
        assert!(is_hash(&dear, "bcrypt").is_err());
        assert!(is_hash("$2a$10$short", "bcrypt").is_err());
    }
}

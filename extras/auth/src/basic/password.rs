//! Compares a password with its stored hash (reference 1.6, item 5).

use crate::token_signature::same;
use base64::Engine;
use base64::alphabet::BCRYPT;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::fmt::Write as _;
use std::hint::black_box;

/// A hash with a higher cost is not checked: it would block every other request of the isolate.
const COST_MAX: u32 = 12;
/// The default cost of new hashes.
const USUAL_COST: u32 = 10;
/// bcrypt ignores all further bytes.
const LOOKED_AT: usize = 72;

/// The last character of 16 or 23 bytes has unused bits, which old hashes may have set.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &BCRYPT,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

thread_local! {
    /// The cost of the last hash that was compared; `None` for a fast one.
    static COST: Cell<Option<u32>> = const { Cell::new(Some(USUAL_COST)) };
}

/// Compares a password with a stored hash of this kind. An unknown kind or a malformed hash never matches, but takes as
/// long as the previous comparison, lest the response time reveal which users exist.
pub(super) fn matches(password: &str, stored: &str, kind: &str) -> bool {
    let compared = match kind {
        "bcrypt" => is_bcrypt(password, stored),
        _ => fast(password, kind).map(|hash| (same(&hash, stored), None)),
    };
    if let Some((matches, cost)) = compared {
        COST.set(cost);
        return matches;
    }
    if let Some(cost) = COST.get() {
        // The compiler must not find out either that the result is unused.
        black_box(bcrypt(cost, [0; 16], password));
    }
    false
}

/// Hashes a password with one of the fast functions.
fn fast(password: &str, kind: &str) -> Option<String> {
    // Reading from a slice can't fail.
    let wide = || murmur3::murmur3_x64_128(&mut password.as_bytes(), 0).unwrap_or_default();
    let first = |wide: u128| wide & u128::from(u64::MAX);
    Some(match kind {
        "sha256" => {
            let mut text = String::with_capacity(64);
            for byte in Sha256::digest(password.as_bytes()) {
                let _ = write!(text, "{byte:02x}");
            }
            text
        }
        "murmur32" => {
            let hash = murmur3::murmur3_32(&mut password.as_bytes(), 0).unwrap_or_default();
            format!("{hash:08x}")
        }
        "murmur64" => format!("{:016x}", first(wide())),
        "murmur128" => {
            let wide = wide();
            format!("{:016x}{:016x}", first(wide), wide.wrapping_shr(64))
        }
        _ => return None,
    })
}

/// Compares with `$2a$10$`, 22 characters of salt and 31 of hash; returns whether it matches, and its cost.
fn is_bcrypt(password: &str, stored: &str) -> Option<(bool, Option<u32>)> {
    let mut parts = stored.split('$');
    let ("", "2a" | "2b" | "2y") = (parts.next()?, parts.next()?) else {
        return None;
    };
    let cost: u32 = parts.next()?.parse().ok()?;
    let (salt, hash) = parts.next()?.split_at_checked(22)?;
    if !(4..=COST_MAX).contains(&cost) || parts.next().is_some() {
        return None;
    }
    let salt: [u8; 16] = BASE64.decode(salt).ok()?.try_into().ok()?;
    let made = bcrypt(cost, salt, password);
    // bcrypt's text form has always omitted the last byte.
    let matches = same(&BASE64.encode(made.get(..23)?), hash);
    Some((matches, Some(cost)))
}

fn bcrypt(cost: u32, salt: [u8; 16], password: &str) -> [u8; 24] {
    #[cfg(test)]
    tests::COSTS.with_borrow_mut(|costs| costs.push(cost));
    // The text ends with a NUL, as in C, if there is room for one.
    let mut bytes = password.as_bytes().to_vec();
    bytes.push(0);
    bytes.truncate(LOOKED_AT);
    bcrypt::bcrypt(cost, salt, &bytes)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::cell::RefCell;

    thread_local! {
        /// The cost of each hash that was computed.
        pub(in crate::basic) static COSTS: RefCell<Vec<u32>> = RefCell::default();
    }

    #[test]
    fn hashes_of_other_gateways_are_known() {
        // From the tests of OpenBSD's bcrypt, as in jBCrypt and Go's x/crypto.
        for (password, hash) in [
            (
                "",
                "$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s.",
            ),
            (
                "a",
                "$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe",
            ),
            (
                "abc",
                "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i",
            ),
            (
                "abcdefghijklmnopqrstuvwxyz",
                "$2a$06$.rCVZVOThsIa97pEDOxvGuRRgzG64bvtJ0938xuqzv18d3ZpQhstC",
            ),
            (
                "~!@#$%^&*()      ~!@#$%^&*()PNBFRD",
                "$2a$06$fPIsBO8qRqkjj273rfaOI.HtSV9jLDpTbZn782DC6/t7qT67P6FfO",
            ),
        ] {
            for version in ["$2a$", "$2b$", "$2y$"] {
                let hash = hash.replace("$2a$", version);
                assert!(matches(password, &hash, "bcrypt"), "{password}");
                assert!(
                    !matches(&format!("{password}x"), &hash, "bcrypt"),
                    "{password}"
                );
            }
        }
        for (kind, hash) in [
            ("murmur32", "248bfa47"),
            ("murmur64", "cbd8a7b341bd9b02"),
            ("murmur128", "cbd8a7b341bd9b025b1e906a48ae1d19"),
            (
                "sha256",
                "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
            ),
        ] {
            assert!(matches("hello", hash, kind), "{kind}");
            assert!(
                !matches("Hello", hash, kind) && !matches("hello", "", kind),
                "{kind}"
            );
        }
    }

    #[test]
    fn invalid_hash_matches_no_password() {
        COST.set(None);
        for (stored, kind) in [
            ("secret", ""),
            ("secret", "bcrypt"),
            ("secret", "plain"),
            ("", "bcrypt"),
            (
                "$2a$31$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s.",
                "bcrypt",
            ),
            (
                "$2a$03$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s.",
                "bcrypt",
            ),
            (
                "$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1",
                "bcrypt",
            ),
            (
                "$1a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s.",
                "bcrypt",
            ),
        ] {
            assert!(
                !matches("secret", stored, kind) && !matches("", stored, kind),
                "{stored}"
            );
        }
    }

    #[test]
    fn only_72_bytes_are_compared() {
        // bcrypt of 72 letters `x`, cost 4, all-zero salt: the 73rd makes no difference, the 72nd does.
        let salt = [0; 16];
        let made = bcrypt::bcrypt(4, salt, &[b'x'; 72]);
        let stored = format!(
            "$2b$04${}{}",
            BASE64.encode(salt),
            BASE64.encode(&made[..23])
        );
        assert!(matches(&"x".repeat(72), &stored, "bcrypt"));
        assert!(matches(&"x".repeat(80), &stored, "bcrypt"));
        assert!(!matches(&"x".repeat(71), &stored, "bcrypt"));
    }
}

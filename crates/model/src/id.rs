//! Which identifiers are safe: an id becomes part of a path, a storage key and a file name.
//!
//! The rule of the reference: letters, digits, `.`, `_`, `-` and `~`, and nothing that becomes a separator or a dot
//! segment when a consumer decodes it again (up to three rounds). Percent signs are refused altogether, which covers
//! any number of rounds.

/// The longest id, in characters. It leaves room for prefixes within the 512 bytes of a KV key
/// (<https://developers.cloudflare.com/kv/platform/limits/>).
pub const MAX_ID: usize = 128;

/// Checks an id as received, possibly still percent-encoded.
///
/// # Errors
/// A short sentence that says what is wrong.
pub fn check_id(raw: &str) -> Result<(), &'static str> {
    let allowed =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'~');
    if raw.is_empty() {
        Err("the id is empty")
    } else if raw.len() > MAX_ID {
        Err("the id is longer than 128 characters")
    } else if raw.bytes().all(|byte| byte == b'.') {
        Err("an id can't consist of dots only")
    } else if raw.contains("..") {
        Err("an id can't contain '..'")
    } else if !raw.bytes().all(allowed) {
        Err("allowed characters in an id: a-z, A-Z, 0-9, ., _, -, ~")
    } else {
        Ok(())
    }
}

/// Whether this cannot be the id of an API, because the reference has a fixed path segment in that position (reference
/// 1.4).
#[must_use]
pub fn is_reserved_for_apis(id: &str) -> bool {
    id == "oas"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_this_family_are_accepted() {
        for id in [
            "1",
            "3c79f1eba3cb41114264edc03127aa6d",
            "users-v1.2_test~x",
            ".hidden",
            &"a".repeat(128),
        ] {
            assert_eq!(check_id(id), Ok(()), "{id}");
        }
    }

    #[test]
    fn ids_that_could_escape_are_refused() {
        let long = "a".repeat(129);
        let ids = [
            "",
            ".",
            "..",
            "...",
            "a/b",
            "a\\b",
            "../x",
            "a..b",
            "%2e%2e",
            "%252e%252e",
            "%25252e",
            "a%00",
            "a\0b",
            "a b",
            "é",
            "a\n",
            "%",
            "a?b",
            "a#b",
            "a:b",
            long.as_str(),
        ];
        for id in ids {
            assert!(check_id(id).is_err(), "{id:?}");
        }
    }
}

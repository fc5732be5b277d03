//! Operator settings that both planes must read alike.

use crate::token::HashFunction;

/// How keys are made, and how their access rights are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyConfig {
    /// The hash function for tokens of new keys (`HASH_KEY_FUNCTION`).
    pub hash: HashFunction,
    /// The hash function for passwords of basic authentication (`BASIC_AUTH_HASH_KEY_FUNCTION`); `None` means bcrypt.
    pub passwords: Option<HashFunction>,
    /// The minimum length of a custom id (`MIN_TOKEN_LENGTH`).
    pub min_token_length: usize,
    /// Whether a key without access rights may call every API (`ALLOW_MASTER_KEYS`).
    pub allow_master_keys: bool,
    /// Whether expressions that start with `/` are anchored at the start of a path (`ENABLE_PATH_PREFIX_MATCHING`).
    pub binds_paths: bool,
}

impl Default for KeyConfig {
    fn default() -> Self {
        Self {
            hash: HashFunction::default(),
            passwords: None,
            min_token_length: 3,
            allow_master_keys: false,
            binds_paths: false,
        }
    }
}

impl KeyConfig {
    /// Reads the worker's variables. A length that is not a number keeps its default, only `true` turns a switch on,
    /// and an unknown password hash function means bcrypt.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let default = Self::default();
        let on = |name| variable(name).as_deref() == Some("true");
        let length = variable("MIN_TOKEN_LENGTH").and_then(|text| text.parse().ok());
        let of_passwords = variable("BASIC_AUTH_HASH_KEY_FUNCTION");
        let of_passwords = of_passwords.map(|name| (HashFunction::named(&name), name));
        let of_passwords = of_passwords.filter(|(function, name)| function.name() == name);
        Self {
            passwords: of_passwords.map(|(function, _)| function),
            hash: variable("HASH_KEY_FUNCTION")
                .map_or(default.hash, |name| HashFunction::named(&name)),
            min_token_length: length.unwrap_or(default.min_token_length),
            allow_master_keys: on("ALLOW_MASTER_KEYS"),
            binds_paths: on("ENABLE_PATH_PREFIX_MATCHING"),
        }
    }
}

/// Returns the maximum size of a batch's body in bytes (`BATCH_MAX_REQUEST_BYTES`), 1 MiB unless it is a positive
/// number. The administration also reads this much where a batch is sent to it.
pub fn batch_request_bytes(variable: impl Fn(&str) -> Option<String>) -> usize {
    variable("BATCH_MAX_REQUEST_BYTES")
        .and_then(|text| text.trim().parse().ok())
        .filter(|number| *number > 0)
        .unwrap_or(1024 * 1024)
}

/// Returns the seconds between two reports of an isolate's counts (`FIGURES_REPORT_SECONDS`), 5 unless it is a number
/// from 1 to 20: the platform cancels work that goes on for 30 seconds after the response
/// (<https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil>).
pub fn report_seconds(variable: impl Fn(&str) -> Option<String>) -> u32 {
    variable("FIGURES_REPORT_SECONDS")
        .and_then(|text| text.trim().parse().ok())
        .filter(|number| (1..=20).contains(number))
        .unwrap_or(5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_hashed_by_bcrypt_unless_another_function_is_named() {
        for (name, function) in [
            ("", None),
            ("bcrypt", None),
            ("md5", None),
            ("SHA256", None),
            ("sha256", Some(HashFunction::Sha256)),
            ("murmur32", Some(HashFunction::Murmur32)),
            ("murmur64", Some(HashFunction::Murmur64)),
            ("murmur128", Some(HashFunction::Murmur128)),
        ] {
            let variable =
                |known: &str| (known == "BASIC_AUTH_HASH_KEY_FUNCTION").then(|| name.to_owned());
            assert_eq!(KeyConfig::read(variable).passwords, function, "{name}");
        }
        assert_eq!(KeyConfig::read(|_| None).passwords, None);
    }

    #[test]
    fn an_invalid_number_keeps_its_default() {
        for (text, bytes, seconds) in [
            ("", 1024 * 1024, 5),
            ("0", 1024 * 1024, 5),
            ("soon", 1024 * 1024, 5),
            (" 20 ", 20, 20),
            ("21", 21, 5),
        ] {
            let variable = |_: &str| Some(text.to_owned());
            assert_eq!(batch_request_bytes(variable), bytes, "{text}");
            assert_eq!(report_seconds(variable), seconds, "{text}");
        }
    }
}

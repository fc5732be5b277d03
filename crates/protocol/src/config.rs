//! What an operator may set that both planes have to read alike.

use crate::token::HashFunction;

/// How keys are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyConfig {
    /// How the tokens of new keys are hashed (`HASH_KEY_FUNCTION`).
    pub hash: HashFunction,
    /// The shortest custom id (`MIN_TOKEN_LENGTH`).
    pub min_token_length: usize,
    /// Whether a key without access rights opens every API (`ALLOW_MASTER_KEYS`).
    pub allow_master_keys: bool,
}

impl Default for KeyConfig {
    fn default() -> Self {
        Self {
            hash: HashFunction::default(),
            min_token_length: 3,
            allow_master_keys: false,
        }
    }
}

impl KeyConfig {
    /// Reads the worker variables; a length that is no number keeps its default, and only `true`
    /// allows master keys.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let default = Self::default();
        let length = variable("MIN_TOKEN_LENGTH").and_then(|text| text.parse().ok());
        Self {
            hash: variable("HASH_KEY_FUNCTION")
                .map_or(default.hash, |name| HashFunction::named(&name)),
            min_token_length: length.unwrap_or(default.min_token_length),
            allow_master_keys: variable("ALLOW_MASTER_KEYS").as_deref() == Some("true"),
        }
    }
}

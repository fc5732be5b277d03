//! How the gate is set up.

use super::limits::Shown;
use gatewright_protocol::config::KeyConfig;
use gatewright_protocol::token::HashFunction;

/// How the gate is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateConfig {
    /// How tokens made of custom ids are hashed (`HASH_KEY_FUNCTION`).
    pub hash: HashFunction,
    /// A shorter token is none (`MIN_TOKEN_LENGTH`).
    pub min_token_length: usize,
    /// Whether a key without access rights opens every API (`ALLOW_MASTER_KEYS`).
    pub allow_master_keys: bool,
    /// The organisation of documents that name none (`DASHBOARD_ORG_ID`).
    pub default_org: String,
    /// What `X-RateLimit-*` carry (`RATE_LIMIT_RESPONSE_HEADERS`).
    pub shown: Shown,
    /// Whether answers have `RateLimit`, `RateLimit-Policy` and `Retry-After` too
    /// (`RATE_LIMIT_FIELDS`).
    pub fields: bool,
}

impl GateConfig {
    /// Reads the worker variables; what is none of the words keeps its default.
    pub fn read(variable: impl Fn(&str) -> Option<String>, default_org: String) -> Self {
        let keys = KeyConfig::read(&variable);
        let is = |name: &str, word: &str| variable(name).as_deref() == Some(word);
        Self {
            hash: keys.hash,
            min_token_length: keys.min_token_length,
            allow_master_keys: keys.allow_master_keys,
            default_org,
            shown: if is("RATE_LIMIT_RESPONSE_HEADERS", "rate_limits") {
                Shown::RateLimits
            } else {
                Shown::Quotas
            },
            fields: !is("RATE_LIMIT_FIELDS", "false"),
        }
    }
}
